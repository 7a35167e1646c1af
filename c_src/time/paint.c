/* The chart as pixels, for schedules with more cells than can be drawn one by one; what lies at a point of it; and which
 * kinds of things it shows.
 *
 * One walk through each rank's list, in the order of time. Only the column under the pen is open: shares add up in it
 * until something reaches beyond. What reaches across whole columns is written at once, so the walk costs its actions and
 * its pixels and needs no table of columns. */
#include <math.h>
#include <string.h>

#include "time/timeline.h"

/* A piece below this share of a column is left out where the same bar has another piece or a whole column: sums of ticks
 * in binary end a hair beside a column's edge. */
static const double least = 1.0 / 1024;
/* Bars of so many grains are told apart by a line between them, and carry their mark. */
enum { WIDE = 4, TILE = 24 };

typedef struct pen {
    const uint32_t *palette;
    uint32_t *row; /* first pixel of the rank's row */
    const uint32_t (*tile)[TILE];
    double share[PP_PAINT_KINDS];
    uint32_t mask; /* kinds in the open column; a bar without length has a bit and no share */
    int32_t column, columns, height, grain, top;
    int32_t pieces, narrow; /* bars in the open column, and whether one of them is not wide */
} pen;

static void fill(pen *p, int32_t column, int32_t from, int32_t rows, uint32_t colour) {
    uint32_t *at = p->row + (size_t)from * (size_t)p->columns + column;
    for (int32_t y = 0; y < rows; y++, at += p->columns) *at = colour;
}

static void solid(pen *p, int32_t kind, int32_t from, int32_t to, int wide) {
    const uint32_t ground = p->palette[2 * kind], mark = p->palette[2 * kind + 1];
    for (int32_t y = 0; y < p->height; y++) {
        uint32_t *at = p->row + (size_t)y * (size_t)p->columns;
        if (!wide || ground == mark) {
            for (int32_t x = from; x < to; x++) at[x] = ground;
        } else {
            const uint32_t bits = p->tile[kind][(p->top + y) / p->grain % TILE];
            int32_t phase = from / p->grain % TILE, left = p->grain - from % p->grain; /* no division a pixel */
            for (int32_t x = from; x < to; x++) {
                at[x] = bits >> phase & 1 ? mark : ground;
                if (--left == 0) left = p->grain, phase = phase + 1 == TILE ? 0 : phase + 1;
            }
        }
    }
}

/* More kinds than rows: one colour, to which each kind gives its share, but no less than a sixteenth. */
static uint32_t blend(const pen *p) {
    double sum[4] = {0}, whole = 0;
    for (uint32_t left = p->mask; left != 0; left &= left - 1) {
        const int32_t k = __builtin_ctz(left);
        const double weight = p->share[k] > 1.0 / 16 ? p->share[k] : 1.0 / 16;
        for (int32_t c = 0; c < 4; c++) sum[c] += weight * (p->palette[2 * k] >> 8 * c & 255);
        whole += weight;
    }
    uint32_t colour = 0;
    for (int32_t c = 0; c < 4; c++) colour |= (uint32_t)(sum[c] / whole + 0.5) << 8 * c;
    return colour;
}

/* Rows by share, each kind at least one; what rounding leaves goes to, or comes from, the kind that is farthest off. */
static void stack(pen *p) {
    const uint32_t upper = p->mask & -p->mask, lower = p->mask ^ upper;
    if ((lower & (lower - 1)) == 0 && p->height > 1) { /* one kind, or two: nearly always */
        const int32_t a = __builtin_ctz(upper), b = lower != 0 ? __builtin_ctz(lower) : a;
        const double whole = p->share[a] + p->share[b];
        int32_t rows = lower == 0 ? p->height : whole > 0 ? (int32_t)(p->share[a] / whole * p->height + 0.5) : 1;
        if (lower != 0) rows = rows < 1 ? 1 : rows >= p->height ? p->height - 1 : rows;
        /* One loop of one length: two whose lengths change are guessed wrongly. */
        const uint32_t above = p->palette[2 * a], below = p->palette[2 * b];
        uint32_t *at = p->row + p->column;
        for (int32_t y = 0; y < p->height; y++, at += p->columns) *at = y < rows ? above : below;
        return;
    }
    int32_t kinds[PP_PAINT_KINDS], rows[PP_PAINT_KINDS], n = 0, left = p->height;
    double exact[PP_PAINT_KINDS], whole = 0;
    for (uint32_t rest = p->mask; rest != 0; rest &= rest - 1) {
        kinds[n] = __builtin_ctz(rest);
        whole += p->share[kinds[n++]];
    }
    if (n > p->height) {
        fill(p, p->column, 0, p->height, blend(p));
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        exact[i] = whole > 0 ? p->share[kinds[i]] / whole * p->height : 0;
        rows[i] = exact[i] < 1 ? 1 : (int32_t)exact[i];
        left -= rows[i];
    }
    for (const int32_t by = left > 0 ? 1 : -1; left != 0; left -= by) {
        int32_t best = -1;
        for (int32_t i = 0; i < n; i++)
            if ((by > 0 || rows[i] > 1) && (best < 0 || by * (exact[i] - rows[i]) > by * (exact[best] - rows[best])))
                best = i;
        rows[best] += by;
    }
    for (int32_t i = 0, y = 0; i < n; y += rows[i++]) fill(p, p->column, y, rows[i], p->palette[2 * kinds[i]]);
}

/* Closes the open column and opens the next. */
static void turn(pen *p) {
    if (p->pieces > 1 && !p->narrow && p->column > 0)
        fill(p, p->column, 0, p->height, p->palette[2 * PP_PAINT_EDGE]);
    else if (p->mask != 0)
        stack(p);
    for (; p->mask != 0; p->mask &= p->mask - 1) p->share[__builtin_ctz(p->mask)] = 0;
    p->pieces = p->narrow = 0;
    p->column++;
}

static void add(pen *p, int32_t kind, int32_t other, double share, int wide) {
    p->pieces++;
    p->narrow |= !wide;
    p->mask |= 1u << kind;
    if (other >= 0) {
        p->mask |= 1u << other;
        p->share[other] += share / 2;
        share /= 2;
    }
    p->share[kind] += share;
}

/* A bar from x0 to x1, in columns. other: the kind that shares its slot, -1 for none. */
static void put(pen *p, int32_t kind, int32_t other, double x0, double x1) {
    const int wide = x1 - x0 >= WIDE * p->grain;
    if (x1 <= 0 && x0 < 0) return;
    if (x0 < p->column) x0 = p->column; /* measured times may overlap; and what lies before the picture */
    if (x1 < x0) x1 = x0;
    if (x0 > p->columns || (x0 == p->columns && x1 > x0)) return;
    if (x1 > p->columns) x1 = p->columns;
    /* The last column stays open: a bar without length may stand at its far edge. */
    const int32_t end = p->columns - 1, from = x0 < end ? (int32_t)x0 : end, to = x1 < end ? (int32_t)x1 : end;
    while (p->column < from) turn(p);
    if (from == to) {
        add(p, kind, other, x1 - x0, wide);
        return;
    }
    const double head = from + 1 - x0, tail = x1 - to;
    const int spare = to > from + 1;
    if (head >= least || (!spare && tail < least)) add(p, kind, other, head, wide);
    if (wide && head == 1) p->pieces++; /* it begins where a column does: the line is drawn all the same */
    turn(p);
    if (other < 0 && spare) {
        solid(p, kind, from + 1, to, wide);
        p->column = to;
    }
    while (p->column < to) {
        add(p, kind, other, 1, wide);
        turn(p);
    }
    if (tail >= least) add(p, kind, other, tail, wide);
}

/* A piece that goes on from x0 and ends within the open column, as most do where there are many; 0 if it is no such. */
static inline int lay(pen *p, int32_t kind, double x0, double x1) {
    if (!(x0 >= p->column && x1 >= x0 && x1 < p->column + 1)) return 0;
    p->share[kind] += x1 - x0;
    p->mask |= 1u << kind;
    p->pieces++;
    p->narrow = 1;
    return 1;
}

/* The patterns of figure.css's <pattern>s: lines across, down, dashes, crosses; slanted for idle time. */
static void make_tiles(uint32_t tile[PP_PAINT_KINDS][TILE]) {
    memset(tile, 0, PP_PAINT_KINDS * sizeof tile[0]);
    for (int32_t y = 0; y < TILE; y++) {
        for (int32_t x = 0; x < TILE; x++) {
            const uint32_t bit = 1u << x;
            const int32_t u = x % 6, v = y % 6;
            for (int32_t odd = 0; odd <= PP_R + 1; odd += PP_R + 1) {
                uint32_t(*own)[TILE] = tile + odd;
                if (v == 3) own[PP_B][y] |= bit;
                if (u == 3) own[PP_I][y] |= bit;
                if (v == 3 && (u == 2 || u == 3)) own[PP_W][y] |= bit;
                if (u == v || u + v == 5) own[PP_R][y] |= bit;
            }
            if ((x + y) % 8 == 0) tile[PP_PAINT_WAIT][y] |= bit;
            if (v == 3 && u < 3) tile[PP_PAINT_WIRE][y] |= bit;
        }
    }
}

/* odd[pipe * stages + stage]: 1 for every other of the stages a rank holds. held: ranks entries. */
static void find_tones(const pp_schedule *s, int32_t *held, uint8_t *odd) {
    memset(held, 0, (size_t)s->ranks * sizeof(int32_t));
    for (int32_t i = 0; i < s->pipes * s->stages; i++) odd[i] = held[s->stage_rank[i]]++ & 1;
}

size_t pp_paint_scratch_bytes(const pp_schedule *s) {
    return (size_t)s->ranks * sizeof(int32_t) + (size_t)s->pipes * (size_t)s->stages;
}

void pp_paint(const pp_schedule *s, const double *costs, const pp_timeline *line, double from, double scale,
              int32_t first_rank, int32_t rank_count, int32_t columns, int32_t height, int32_t pitch, int32_t grain,
              const uint32_t *palette, void *scratch, uint32_t *pixels) {
    uint32_t tile[PP_PAINT_KINDS][TILE];
    uint8_t *odd = (uint8_t *)scratch + (size_t)s->ranks * sizeof(int32_t);
    double end = 0;
    /* Where messages take no time a device waits for what is being made, and for nothing else. */
    int instant = line->transfer == PP_TRANSFER_OVERLAP;
    for (int32_t stage = 0; stage < s->stages; stage++) instant &= costs[PP_COST_LATENCY * s->stages + stage] == 0;
    make_tiles(tile);
    find_tones(s, scratch, odd);
    memset(pixels, 0, (size_t)columns * (size_t)pitch * (size_t)rank_count * sizeof *pixels);
    for (int32_t r = 0; r < s->ranks; r++) {
        const int32_t i = s->rank_begin[r + 1] - 1;
        if (i >= s->rank_begin[r] && line->finish[i] > end) end = line->finish[i];
    }
    for (int32_t r = first_rank; r < first_rank + rank_count; r++) {
        const int32_t top = (r - first_rank) * pitch;
        pen p = {.palette = palette,
                 .row = pixels + (size_t)top * (size_t)columns,
                 .tile = (const uint32_t(*)[TILE])tile,
                 .columns = columns,
                 .height = height,
                 .grain = grain,
                 .top = top};
        double free = 0, edge = NAN; /* the column where the last bar ends */
        /* Lists are in the order of time, so the first action in the picture is found by halving. */
        int32_t i = s->rank_begin[r], stop = s->rank_begin[r + 1];
        for (int32_t high = stop; i < high;) {
            const int32_t middle = i + (high - i) / 2;
            if (line->finish[middle] < from)
                i = middle + 1;
            else
                high = middle;
        }
        if (i > s->rank_begin[r]) free = line->finish[i - 1];
        for (; i < stop && p.column < columns; i++) {
            const pp_action *a = &s->actions[i];
            const double start = line->start[i], finish = line->finish[i];
            double x0 = edge;
            if (start > free) {
                int32_t input;
                const double made = instant ? start : pp_idle_made(s, costs, line, i, free, &input);
                x0 = (start - from) * scale;
                if (!instant || !lay(&p, PP_PAINT_WAIT, edge, x0)) {
                    if (made > free) put(&p, PP_PAINT_WAIT, -1, (free - from) * scale, (made - from) * scale);
                    if (start > made) put(&p, PP_PAINT_WIRE, -1, (made - from) * scale, x0);
                }
            } else if (start < free) {
                x0 = NAN;
            }
            const int32_t pipe = s->unit_pipe != NULL ? s->unit_pipe[a->microbatch] * s->stages : 0;
            const int32_t kind = a->op + (odd[pipe + a->stage] ? PP_R + 1 : 0);
            int32_t other = -1;
            if (a->fused) {
                a = &s->actions[++i];
                const int32_t beside = s->unit_pipe != NULL ? s->unit_pipe[a->microbatch] * s->stages : 0;
                other = a->op + (odd[beside + a->stage] ? PP_R + 1 : 0);
            }
            const double x1 = (finish - from) * scale;
            if (!(other < 0 && lay(&p, kind, x0, x1)) && finish >= from)
                put(&p, kind, other, (start - from) * scale, x1);
            edge = finish >= free ? x1 : NAN;
            if (finish > free) free = finish;
        }
        if (end > free) put(&p, PP_PAINT_WAIT, -1, (free - from) * scale, (end - from) * scale);
        if (p.column < columns) turn(&p);
    }
}

int32_t pp_action_at(const pp_schedule *s, const pp_timeline *line, int32_t rank, double time) {
    if (rank < 0 || rank >= s->ranks) return -1;
    const int32_t begin = s->rank_begin[rank];
    int32_t low = begin, high = s->rank_begin[rank + 1];
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (line->start[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == begin || time >= line->finish[low - 1]) return -1;
    return low - 1 - (low - 1 > begin && s->actions[low - 2].fused);
}

int32_t pp_kinds(const pp_schedule *s, const double *costs, const pp_timeline *line) {
    int32_t kinds = line != NULL ? line->ops : 0, moved = 0;
    double end = 0;
    for (int32_t i = 0; line == NULL && i < s->action_count; i++) kinds |= 1 << s->actions[i].op;
    if (s->pipes * s->stages > s->ranks) kinds |= PP_KIND_CHUNKS;
    if (line == NULL) return kinds;
    for (int32_t stage = 0; stage < s->stages; stage++) moved |= costs[PP_COST_LATENCY * s->stages + stage] > 0;
    for (int32_t i = 0; i < s->action_count && !(kinds & PP_KIND_MESSAGE); i++)
        if (line->input[i] >= 0 && pp_rank_of_action(s, i) != pp_rank_of_action(s, line->input[i]))
            kinds |= PP_KIND_MESSAGE;
    for (int32_t r = 0; r < s->ranks; r++)
        if (s->rank_begin[r + 1] > s->rank_begin[r]) end = fmax(end, line->finish[s->rank_begin[r + 1] - 1]);
    const int32_t all = PP_KIND_WAIT | (moved || line->transfer < 0 ? PP_KIND_WIRE : 0);
    for (int32_t r = 0; r < s->ranks && (kinds & all) != all; r++) {
        double free = 0;
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1] && (kinds & all) != all; i++) {
            if (line->start[i] > free) {
                int32_t input;
                const double made = pp_idle_made(s, costs, line, i, free, &input);
                if (made > free) kinds |= PP_KIND_WAIT;
                if (line->start[i] > made) kinds |= PP_KIND_WIRE;
            }
            free = fmax(free, line->finish[i]);
        }
        if (end > free) kinds |= PP_KIND_WAIT;
    }
    return kinds;
}
