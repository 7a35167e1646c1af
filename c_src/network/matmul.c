/* The three products of a dense layer, all through one: c[m][n] = a . b, or c += a . b, with k terms an entry.
 *
 * A tile of 4 rows and 8 columns of c (6 rows with fused multiply-add) stays in registers while the loop runs along k:
 * two loads of b, four spread entries of a, eight multiplications and eight additions. Each entry is the chain of
 * additions that the plain loop makes, k ascending, so neither tiles nor blocks nor the way samples are cut into
 * micro-batches show in a sum.
 *
 * What the tile reads should lie as the tile goes, for each k 4 entries of a and 8 of b, and stay in the first-level
 * cache. An operand that does is read in place; else it is copied into panels in the caller's scratch memory, block by
 * block, after Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008).
 *
 * With PP_MADD this is a module of its own that works in the memory of another: no data, no stack, and the sums are those
 * of relaxed multiply-add; who loads it asks first whether that rounds once. */
#include <stddef.h>

#include "core/lanes.h"
#include "network/tensor.h"

#if defined(PP_MADD) || defined(PP_FUSED)
#define TILE_EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
enum { TILE_ROWS = 6, A_WIDTH = 8, BLOCK_ROWS = 66 };
#else
#define TILE_EACH(DO) DO(0) DO(1) DO(2) DO(3)
enum { TILE_ROWS = 4, A_WIDTH = 4, BLOCK_ROWS = 64 };
#endif

/* Terms that an entry of b, which stays in the first level as it lies, meets: up to so many, laying it out in panels would
 * not pay. It pays for what tile_of_panels gains by them. */
#if defined(PP_VECTOR_ASM) || defined(PP_MADD)
enum { FEW_TERMS = 1024 };
#else
enum { FEW_TERMS = 1 << 30 };
#endif

enum {
    TILE_COLUMNS = 8,
    PART_ROW = 16,
    BLOCK_DEPTH = 256,   /* a panel of b, 8 KiB, and one of a, 4 or 8 KiB, stay in the first-level cache */
    ROOM_ROWS = 88,      /* of BLOCK_DEPTH floats for panels of a, in units of A_WIDTH: 88 KiB */
    BLOCK_COLUMNS = 256, /* panels of b: 256 KiB; both stay in the second level */
    IN_PLACE = 4096,     /* floats of an operand that stays in the first level as it lies */
    FEW_COLUMNS = 32,    /* of b: laying out a would not pay */
    ALIGNMENT = 64
};

/* One factor: entry p of row (of a) or column (of b) i is at[i * along + p * deep]; one of the two strides is 1. */
typedef struct factor {
    const float *at;
    size_t along, deep;
} factor;

/* Panels as the tile reads them: panel q begins at at + q * next, its entries of one p `deep` after those before, those of
 * one row or column `along` after its neighbour's. */
typedef struct panels {
    const float *at;
    size_t next, deep, along;
} panels;

static inline int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t whole(int32_t count, int32_t panel) { return (count + panel - 1) / panel * panel; }

size_t pp_matmul_bytes(int32_t inputs, int32_t outputs) {
    /* The rows, whose number is not told, are the depth of the weight gradient. */
    const int32_t widest = inputs > outputs ? inputs : outputs;
    const size_t columns = (size_t)least(whole(widest, TILE_COLUMNS), BLOCK_COLUMNS);
    /* n = 1 is computed with the factors exchanged; then all the rows of a block are columns. */
    const size_t exchanged = inputs == 1 || outputs == 1 ? (size_t)BLOCK_COLUMNS : columns;
    const size_t panels = ((size_t)ROOM_ROWS + exchanged) * (size_t)BLOCK_DEPTH;
    return (panels + 2 * PART_ROW) * sizeof(float) + ALIGNMENT;
}

/* ---- the tile ---- */

/* What engines make of it: V8 has sixteen vector registers less one. Up to version 11 (Node 20) it begins all the loads
 * between two branches at once and then, sum by sum, multiplies and adds; later ones, and Firefox, keep the order of the
 * module. Hence what is odd below: a branch for each k, so that no loads of the next are begun, and branches that are never
 * taken where a k alone would need too many registers (docs/design-notes.md). */

#define TILE_BEGIN(r) v4 c##r##0 = {0}, c##r##1 = {0};
#define TILE_LOAD(r) c##r##0 = v4_load(c + (r)*c_row), c##r##1 = v4_load(c + (r)*c_row + 4);
#define TILE_STORE(r) v4_store(c + (r)*c_row, c##r##0), v4_store(c + (r)*c_row + 4, c##r##1);

#if defined(PP_MADD) || defined(PP_FUSED)
/* Twelve sums, two loads and one spread entry are all the registers there are. No float lies at an odd address. */
#define TILE_FENCE(r)                                                                                                  \
    if ((uintptr_t)b == 2 * (r) + 1) break;
#else
#define TILE_FENCE(r)
#endif
#define TILE_ROW(r)                                                                                                    \
    const v4 a##r = v4_all(a[(r)*a_row]);                                                                              \
    c##r##0 = v4_madd(c##r##0, a##r, b0), c##r##1 = v4_madd(c##r##1, a##r, b1);                                        \
    TILE_FENCE(r)

/* a[p * a_deep + (0..3) * a_row], b[p * b_deep + 0..7]; c begins at 0 if `first`, else goes on. Inlined, since a call
 * costs a product of 32 x 32 x 32 a twentieth. */
static inline __attribute__((always_inline)) void tile(float *c, size_t c_row, const float *a, size_t a_row,
                                                       size_t a_deep, const float *b, size_t b_deep, int32_t depth,
                                                       int32_t first) {
    TILE_EACH(TILE_BEGIN)
    if (!first) {
        TILE_EACH(TILE_LOAD)
    }
#if defined(__clang__)
#pragma clang loop unroll(disable)
#endif
    for (const float *const end = b + b_deep * (size_t)depth; b != end; a += a_deep, b += b_deep) {
        const v4 b0 = v4_load(b), b1 = v4_load(b + 4);
        TILE_EACH(TILE_ROW)
    }
    TILE_EACH(TILE_STORE)
}

#if defined(PP_VECTOR_ASM)
/* Two products, then two sums: Zen 4 spreads product, sum, product, sum badly over its units, by a tenth or more. */
#define TILE_PAIR(r)                                                                                                   \
    const v4 a##r = v4_all(a[(r)*a_row]);                                                                              \
    v4 p##r##0 = a##r * b0, p##r##1 = a##r * b1;                                                                       \
    __asm__ volatile("" : "+r"(p##r##0), "+r"(p##r##1));                                                               \
    c##r##0 += p##r##0, c##r##1 += p##r##1;

/* Leaves x and y as they are, each by way of both: where they leave the loop, an older V8 then finishes both at a time. */
static inline __attribute__((always_inline)) void join(v4 *x, v4 *y) {
    const v4_bits was = (v4_bits)*x;
    v4_bits both = was ^ (v4_bits)*y;
    __asm__("" : "+r"(both));
    *x = (v4)(both ^ (v4_bits)*y), *y = (v4)(both ^ was);
}
#define TILE_LEAVE(r) join(&c##r##0, &c##r##1);
#else
#define TILE_PAIR TILE_ROW
#define TILE_LEAVE(r)
#endif

#if defined(PP_VECTOR_ASM)
#define TILE_ROUND 8
#define TILE_MORE TILE_NEXT(2) TILE_NEXT(3) TILE_NEXT(4) TILE_NEXT(5) TILE_NEXT(6) TILE_NEXT(7) TILE_NEXT(8)
#elif defined(PP_MADD)
#define TILE_ROUND 2
#define TILE_MORE TILE_NEXT(2)
#endif

/* The same from panels, some steps a round where that pays. */
static inline __attribute__((always_inline)) void tile_of_panels(float *c, size_t c_row, const float *a, size_t a_deep,
                                                                 const float *b, int32_t depth, int32_t first) {
    const size_t a_row = 1, b_deep = TILE_COLUMNS;
#if defined(TILE_ROUND)
/* The next k, if there is one; n of them are done with since `left` was counted. Were the compiler to see how a moves, every
 * entry of a would have an address of its own to be added up. */
#define TILE_NEXT(n)                                                                                                   \
    {                                                                                                                  \
        const v4 b0 = v4_load(b), b1 = v4_load(b + 4);                                                                 \
        TILE_EACH(TILE_PAIR)                                                                                           \
    }                                                                                                                  \
    if (left == (n)) {                                                                                                 \
        TILE_EACH(TILE_LEAVE)                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    a += a_deep, b += b_deep;                                                                                          \
    __asm__("" : "+r"(a));
    TILE_EACH(TILE_BEGIN)
    if (!first) {
        TILE_EACH(TILE_LOAD)
    }
    for (int32_t left = depth;; left -= TILE_ROUND) {
        TILE_NEXT(1) TILE_MORE
    }
    TILE_EACH(TILE_STORE)
#else
    tile(c, c_row, a, a_row, a_deep, b, b_deep, depth, first);
#endif
}

/* Two rows under two panels of b, which are b_next apart: as many sums at a time as a tile of four rows has, where there are
 * fewer. One row stands as both, with strides 0. */
static __attribute__((noinline)) void tile_wide(float *c, size_t c_row, const float *a, size_t a_row, size_t a_deep,
                                                const float *b, size_t b_next, size_t b_deep, int32_t depth,
                                                int32_t first) {
    v4 c00 = {0}, c01 = {0}, c02 = {0}, c03 = {0}, c10 = {0}, c11 = {0}, c12 = {0}, c13 = {0};
    float *const c1 = c + c_row;
    if (!first) {
        c00 = v4_load(c), c01 = v4_load(c + 4), c02 = v4_load(c + 8), c03 = v4_load(c + 12);
        c10 = v4_load(c1), c11 = v4_load(c1 + 4), c12 = v4_load(c1 + 8), c13 = v4_load(c1 + 12);
    }
#if defined(__clang__)
#pragma clang loop unroll(disable)
#endif
    for (; depth > 0; depth--, a += a_deep, b += b_deep) {
        const v4 a0 = v4_all(a[0]), a1 = v4_all(a[a_row]);
        const v4 b0 = v4_load(b), b1 = v4_load(b + 4), b2 = v4_load(b + b_next), b3 = v4_load(b + b_next + 4);
        c00 = v4_madd(c00, a0, b0), c01 = v4_madd(c01, a0, b1), c02 = v4_madd(c02, a0, b2), c03 = v4_madd(c03, a0, b3);
        c10 = v4_madd(c10, a1, b0), c11 = v4_madd(c11, a1, b1), c12 = v4_madd(c12, a1, b2), c13 = v4_madd(c13, a1, b3);
    }
    v4_store(c, c00), v4_store(c + 4, c01), v4_store(c + 8, c02), v4_store(c + 12, c03);
    v4_store(c1, c10), v4_store(c1 + 4, c11), v4_store(c1 + 8, c12), v4_store(c1 + 12, c13);
}

/* At most 8 columns of some rows, by way of `part`, whose second half is not looked at. b has 8. */
static void tile_part(float *c, size_t c_row, int32_t rows, int32_t columns, const float *a, size_t a_row,
                      size_t a_deep, const float *b, size_t b_deep, int32_t depth, int32_t first, float *part) {
    for (; rows > 0; rows -= 2, c += 2 * c_row, a += 2 * a_row) {
        const int32_t high = least(rows, 2);
        for (int32_t r = 0; !first && r < high; r++)
            for (int32_t j = 0; j < columns; j++) part[r * PART_ROW + j] = c[(size_t)r * c_row + (size_t)j];
        tile_wide(part, PART_ROW, a, high < 2 ? 0 : a_row, a_deep, b, 0, b_deep, depth, first);
        for (int32_t r = 0; r < high; r++)
            for (int32_t j = 0; j < columns; j++) c[(size_t)r * c_row + (size_t)j] = part[r * PART_ROW + j];
    }
}

/* ---- panels ---- */

/* `count` <= 4 rows, or columns, of a factor into lanes 0..3 of a panel that is `width` wide; other lanes are 0. */
static void pack_four(float *panel, size_t width, const float *at, size_t along, size_t deep, int32_t count,
                      int32_t depth) {
    int32_t p = 0;
    if (count == 4 && along == 1) {
        for (; p < depth; p++, at += deep, panel += width) v4_store(panel, v4_load(at));
        return;
    }
    if (count == 4)
        for (; p + 4 <= depth; p += 4, at += 4, panel += 4 * width) {
            const v4 r0 = v4_load(at), r1 = v4_load(at + along), r2 = v4_load(at + 2 * along),
                     r3 = v4_load(at + 3 * along);
            const v4 low01 = V4_PICK(r0, r1, 0, 1, 0, 1), high01 = V4_PICK(r0, r1, 2, 3, 2, 3);
            const v4 low23 = V4_PICK(r2, r3, 0, 1, 0, 1), high23 = V4_PICK(r2, r3, 2, 3, 2, 3);
            v4_store(panel, V4_PICK(low01, low23, 0, 2, 0, 2));
            v4_store(panel + width, V4_PICK(low01, low23, 1, 3, 1, 3));
            v4_store(panel + 2 * width, V4_PICK(high01, high23, 0, 2, 0, 2));
            v4_store(panel + 3 * width, V4_PICK(high01, high23, 1, 3, 1, 3));
        }
    for (; p < depth; p++, at += deep, panel += width)
        for (int32_t i = 0; i < 4; i++) panel[i] = i < count ? at[(size_t)i * along] : 0.0f;
}

/* Panels of `width` that begin `step` apart, for `count` rows or columns of the `there` that there are: those between fill
 * what a panel is wider than a step. Arguments one by one here and below: a struct would travel through memory that a
 * module without data has not. */
static void pack(float *to, int32_t width, int32_t step, const float *at, size_t along, size_t deep, int32_t count,
                 int32_t there, int32_t depth) {
    for (; count > 0; count -= step, there -= step, at += (size_t)step * along, to += (size_t)width * (size_t)depth) {
        if (along == 1 && width == 8 && there >= 8) { /* both halves at once */
            const float *from = at;
            float *panel = to;
            for (int32_t p = 0; p < depth; p++, from += deep, panel += 8)
                v4_store(panel, v4_load(from)), v4_store(panel + 4, v4_load(from + 4));
            continue;
        }
        for (int32_t lane = 0; lane < width; lane += 4) {
            const int32_t left = least(there - lane, 4);
            pack_four(to + lane, (size_t)width, left > 0 ? at + (size_t)lane * along : at, along, deep, left, depth);
        }
    }
}

/* Does the tile find what it needs where the factor lies? A last panel that is not whole would be read past its end,
 * unless the tile reads rows one by one. */
static inline int lies_well(factor f, int32_t depth) { return f.along == 1 && f.deep * (size_t)depth <= IN_PLACE; }

/* ---- blocks ---- */

static void multiply(float *c, const float *a_at, size_t a_along, size_t a_deep, const float *b_at, size_t b_along,
                     size_t b_deep, int32_t m, int32_t n, int32_t k, int32_t first, void *scratch) {
    factor a = {a_at, a_along, a_deep}, b = {b_at, b_along, b_deep};
    if (n == 1 && m > 1) { /* a column is a row: no lane idles */
        const factor column = b;
        b = a;
        a = column;
        n = m;
        m = 1;
    }
    float *const part = (float *)(((uintptr_t)scratch + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
    float *const a_room = part + 2 * PART_ROW;
    float *const b_room = a_room + ROOM_ROWS * BLOCK_DEPTH;
    const size_t c_row = (size_t)n, c_next = (size_t)TILE_ROWS * c_row;
    for (int32_t p = 0; p < k; p += BLOCK_DEPTH, first = 0) {
        const int32_t depth = least(k - p, BLOCK_DEPTH);
        for (int32_t column = 0; column < n; column += BLOCK_COLUMNS) {
            const int32_t columns = least(n - column, BLOCK_COLUMNS);
            const int32_t whole_columns = columns / TILE_COLUMNS * TILE_COLUMNS;
            const float *const b_block = b.at + (size_t)column * b.along + (size_t)p * b.deep;
            const int b_in_place =
                b.along == 1 && (m <= 2 * TILE_ROWS || (m * depth <= FEW_TERMS && lies_well(b, depth)));
            panels b_panels = {b_room, (size_t)TILE_COLUMNS * (size_t)depth, TILE_COLUMNS, 1};
            if (b_in_place)
                b_panels = (panels){b_block, TILE_COLUMNS, b.deep, 1};
            else
                pack(b_room, TILE_COLUMNS, TILE_COLUMNS, b_block, b.along, b.deep, whole_columns, whole_columns, depth);
            float *const b_rest = b_room + (size_t)whole_columns * (size_t)depth;
            if (whole_columns < columns)
                pack(b_rest, TILE_COLUMNS, TILE_COLUMNS, b_block + (size_t)whole_columns * b.along, b.along, b.deep,
                     columns - whole_columns, columns - whole_columns, depth);
            for (int32_t row = 0; row < m; row += BLOCK_ROWS) {
                const int32_t rows = least(m - row, BLOCK_ROWS);
                const int32_t over = rows % TILE_ROWS; /* rows that fill no tile are read where they lie */
                const float *const a_block = a.at + (size_t)row * a.along + (size_t)p * a.deep;
                const float *const a_rest = a_block + (size_t)(rows - over) * a.along;
                panels a_panels = {a_room, (size_t)A_WIDTH * (size_t)depth, A_WIDTH, 1};
                if (m == 1 || n <= (a.along == 1 ? FEW_COLUMNS / 2 : FEW_COLUMNS) || lies_well(a, depth))
                    a_panels = (panels){a_block, (size_t)TILE_ROWS * a.along, a.deep, a.along};
                else
                    pack(a_room, A_WIDTH, TILE_ROWS, a_block, a.along, a.deep, rows - over, m - row, depth);
                /* a panel of b stays in the first-level cache while the panels of a go by */
                for (int32_t j = 0; j < columns; j += TILE_COLUMNS) {
                    float *c_tile = c + (size_t)row * c_row + (size_t)(column + j);
                    const float *a_tile = a_panels.at;
                    const float *b_tile = b_panels.at + (size_t)(j / TILE_COLUMNS) * b_panels.next;
                    int32_t left = rows;
                    if (j >= whole_columns) {
                        for (; left > over; left -= TILE_ROWS, a_tile += a_panels.next, c_tile += c_next)
                            tile_part(c_tile, c_row, TILE_ROWS, columns - j, a_tile, a_panels.along, a_panels.deep,
                                      b_rest, TILE_COLUMNS, depth, first, part);
                        tile_part(c_tile, c_row, over, columns - j, a_rest, a.along, a.deep, b_rest, TILE_COLUMNS,
                                  depth, first, part);
                    } else if (a_panels.along != 1)
                        for (; left > over; left -= TILE_ROWS, a_tile += a_panels.next, c_tile += c_next)
                            tile(c_tile, c_row, a_tile, a_panels.along, 1, b_tile, b_panels.deep, depth, first);
                    else if (b_in_place)
                        for (; left > over; left -= TILE_ROWS, a_tile += a_panels.next, c_tile += c_next)
                            tile(c_tile, c_row, a_tile, 1, a_panels.deep, b_tile, b_panels.deep, depth, first);
                    else
                        for (; left > over; left -= TILE_ROWS, a_tile += a_panels.next, c_tile += c_next)
                            tile_of_panels(c_tile, c_row, a_tile, a_panels.deep, b_tile, depth, first);
                }
                const float *a_tile = a_rest;
                for (int32_t left = over; left > 0; left -= 2, a_tile += 2 * a.along) {
                    float *c_tile = c + (size_t)(row + rows - left) * c_row + (size_t)column;
                    const float *b_tile = b_panels.at;
                    const int32_t high = least(left, 2);
                    int32_t wide = whole_columns;
                    for (; wide >= 2 * TILE_COLUMNS; wide -= 2 * TILE_COLUMNS) {
                        tile_wide(c_tile, high < 2 ? 0 : c_row, a_tile, high < 2 ? 0 : a.along, a.deep, b_tile,
                                  b_panels.next, b_panels.deep, depth, first);
                        c_tile += 2 * TILE_COLUMNS, b_tile += 2 * b_panels.next;
                    }
                    if (wide > 0)
                        tile_part(c_tile, c_row, high, TILE_COLUMNS, a_tile, a.along, a.deep, b_tile, b_panels.deep,
                                  depth, first, part);
                }
            }
        }
    }
}

void pp_matmul_tile(float *c, const float *a, const float *b, int32_t depth) {
    tile_of_panels(c, TILE_COLUMNS, a, A_WIDTH, b, depth, 1);
}

void pp_matmul_forward(float *restrict y, const float *restrict x, const float *restrict w, int32_t rows,
                       int32_t inputs, int32_t outputs, void *scratch) {
    multiply(y, x, (size_t)inputs, 1, w, 1, (size_t)outputs, rows, outputs, inputs, 1, scratch);
}

void pp_matmul_backward_input(float *restrict dx, const float *restrict dy, const float *restrict w, int32_t rows,
                              int32_t inputs, int32_t outputs, void *scratch) {
    /* y[r][o] += x[r][i] * w[i][o] */
    multiply(dx, dy, (size_t)outputs, 1, w, (size_t)outputs, 1, rows, inputs, outputs, 1, scratch);
}

static void weight(float *dw, const float *x, const float *dy, int32_t rows, int32_t inputs, int32_t outputs,
                   int32_t first, void *scratch) {
    /* y[r][o] += x[r][i] * w[i][o]; samples are the depth: each entry adds them one by one to what is there */
    multiply(dw, x, 1, (size_t)inputs, dy, 1, (size_t)outputs, inputs, outputs, rows, first, scratch);
}

void pp_matmul_backward_weight(float *restrict dw, const float *restrict x, const float *restrict dy, int32_t rows,
                               int32_t inputs, int32_t outputs, void *scratch) {
    weight(dw, x, dy, rows, inputs, outputs, 0, scratch);
}

void pp_matmul_begin_weight(float *restrict dw, const float *restrict x, const float *restrict dy, int32_t rows,
                            int32_t inputs, int32_t outputs, void *scratch) {
    weight(dw, x, dy, rows, inputs, outputs, 1, scratch);
}
