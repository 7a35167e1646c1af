/* Random numbers that are the same everywhere: SplitMix64 (Steele, Lea, Flood 2014). One state of 64 bits, started from
 * a key, so that a draw depends on what it is for and not on what was drawn before. */
#ifndef PP_RANDOM_H
#define PP_RANDOM_H

#include <stdint.h>

static inline uint64_t pp_random_next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* What a draw is for. */
enum { PP_RANDOM_DATA = 1, PP_RANDOM_ORDER, PP_RANDOM_WEIGHTS, PP_RANDOM_DROPOUT };

/* State for purpose number `index` of a seed. Each part goes through the generator, so that neighbours are unlike. */
static inline uint64_t pp_random_key(int32_t seed, int32_t purpose, int32_t index) {
    uint64_t state = (uint32_t)seed;
    state = pp_random_next(&state) ^ (uint32_t)purpose;
    state = pp_random_next(&state) ^ (uint32_t)index;
    return pp_random_next(&state);
}

/* [0, 1), 53 bits */
static inline double pp_random_unit(uint64_t *state) {
    return (double)(pp_random_next(state) >> 11) * (1.0 / 9007199254740992.0);
}

/* 0 .. n-1; the bias of n / 2^32 does not matter here. */
static inline int32_t pp_random_below(uint64_t *state, int32_t n) {
    return (int32_t)(((pp_random_next(state) >> 32) * (uint64_t)n) >> 32);
}

#endif
