/* Charts as pixels: a picture by hand, every schedule within its buffer, and what lies at a point. The pictures' shares are
 * compared with the intervals in tests/scene/dense.test.mjs. */
#include <stdio.h>

#include "study.h"

static char letter(uint32_t pixel) { return pixel == 0 ? '.' : "FBIWRfbiwr-=|"[(pixel - 1) / 2]; }

/* One row of a rank's pixels as text. */
static void row_text(const uint32_t *pixels, int32_t columns, int32_t row, char *text) {
    for (int32_t x = 0; x < columns; x++) text[x] = letter(pixels[row * columns + x]);
    text[columns] = 0;
}

static uint32_t palette[2 * PP_PAINT_KINDS];

static void paint(const plan *p, double from, double scale, int32_t first, int32_t count, int32_t columns,
                  int32_t height, int32_t pitch, int32_t grain, uint32_t *pixels) {
    void *scratch = malloc(pp_paint_scratch_bytes(p->schedule));
    pp_paint(p->schedule, p->costs, p->timeline, from, scale, first, count, columns, height, pitch, grain, palette,
             scratch, pixels);
    free(scratch);
}

static void by_hand(void) {
    plan p;
    uint32_t pixels[6 * 18];
    char text[19];
    /* rank 0: 0F0 0-0.5, 0F1 0.5-1, waits, 0B0 2-3, waits, 0B1 3.5-4.5; a line before what is four pixels wide */
    plan_expect(&p, "s=1f1b\np=2\nm=2\nforward=0.5\nbackward=1", PP_OK);
    paint(&p, 0, 4, 0, 2, 18, 2, 3, 1, pixels);
    for (int32_t row = 0; row < 2; row++) {
        row_text(pixels, 18, row, text);
        CHECK_MSG(strcmp(text, "FFFF|---|BBB--|BBB") == 0, "%s", text);
    }
    row_text(pixels, 18, 2, text);
    CHECK_MSG(strcmp(text, "..................") == 0, "%s", text);
    /* Half a pixel of F beside half a pixel of B: both are there. */
    paint(&p, 2, 1, 1, 1, 3, 2, 2, 1, pixels);
    row_text(pixels, 3, 0, text);
    CHECK_MSG(strcmp(text, "FB-") == 0, "%s", text);
    row_text(pixels, 3, 1, text);
    CHECK_MSG(strcmp(text, "B--") == 0, "%s", text);
    plan_free(&p);
}

/* Buffers end where they must, so that a sanitizer sees what is written beyond; bytes behind stay. */
static void inside(int32_t id, int shape, const char *more) {
    static const double froms[] = {0, 0.4, -0.1, 2};
    char text[200];
    plan p;
    if (!plan_shape(&p, id, shape, more, text, sizeof text)) return;
    for (int k = 0; k < 4; k++) {
        for (int32_t height = 1; height <= 9; height += 4) {
            const int32_t first = k % p.schedule->ranks, count = p.schedule->ranks - first,
                          columns = k == 1 ? 700 : 1 + 7 * k;
            const size_t size = (size_t)columns * (size_t)(height + 1) * (size_t)count;
            uint32_t *pixels = malloc((size + 1) * sizeof *pixels);
            pixels[size] = 0xC0FFEE;
            paint(&p, froms[k] * p.summary.makespan, columns / p.summary.makespan, first, count, columns, height,
                  height + 1, 1 + k % 2, pixels);
            CHECK_EQ_INT(pixels[size], 0xC0FFEE);
            free(pixels);
        }
    }
    for (int32_t r = 0; r < p.schedule->ranks; r++) {
        for (double time = -0.25; time < p.summary.makespan + 1; time += 0.25) {
            int32_t found = -1;
            for (int32_t i = p.schedule->rank_begin[r]; i < p.schedule->rank_begin[r + 1] && found < 0; i++)
                if (p.timeline->start[i] <= time && time < p.timeline->finish[i]) found = i;
            CHECK_EQ_INT(pp_action_at(p.schedule, p.timeline, r, time), found);
        }
    }
    CHECK_EQ_INT(pp_action_at(p.schedule, p.timeline, p.schedule->ranks, 0), -1);
    plan_free(&p);
}

int main(void) {
    for (uint32_t i = 0; i < 2 * PP_PAINT_KINDS; i++) palette[i] = i + 1;
    by_hand();
    for (int32_t id = 0; id < pp_schedule_count(); id++)
        for (int shape = 0; shape < SHAPES; shape++) {
            inside(id, shape, "");
            inside(id, shape, "latency=0.25");
        }
    return check_report("paint");
}
