/* The tile of multiplication and addition as a plain loop, for kernels.c. Apart, since that is built for size. */
#include "tile.h"

TILE(4)
