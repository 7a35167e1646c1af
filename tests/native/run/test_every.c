/* Every schedule at every small shape: what a step holds, and what twenty steps learn. */
#include "check.h"
#include "toy.h"

/* Weights after 20 steps against those of a network trained without a pipeline; of asynchronous schedules, with the same
 * delays (test_async.c has more of these). EXACT: every stage adds its weight
 * gradients in ascending order of micro-batches, whatever the shape, so they are equal bit for bit. ROUNDED: at some shapes
 * they come in another order, or two copies of a stage add up their own; equal to 1e-5. */
enum { EXACT = 1, ROUNDED = 0 };
static const struct {
    const char *schedule;
    int32_t weights;
} rows[] = {
    {"naive", EXACT},
    {"gpipe", EXACT},
    {"1f1b", EXACT},
    {"eager-1f1b", EXACT},
    {"1f1b-overlap", EXACT},
    {"interleaved", EXACT},
    {"interleaved-overlap", EXACT},
    {"bfs", ROUNDED},
    {"gis", EXACT},
    {"interleaved-zb", EXACT},
    {"zb-h1", EXACT},
    {"zb-h2", EXACT},
    {"zb-v", EXACT},
    {"zb-auto", EXACT},
    {"v-half", EXACT},
    {"v-min", EXACT},
    {"1f1b-v", EXACT},
    {"dualpipe", ROUNDED},
    {"dualpipe-v", EXACT},
    {"chimera", ROUNDED},
    {"hanayo", EXACT},
    {"pipedream", EXACT},
    {"2bw", EXACT},
    {"seq1f1b", EXACT},
};

typedef struct seen {
    int shapes, in_order;
} seen;

static const char *const recomputing[] = {"", "recompute=late\n", "recompute=early\n", "recompute=late-except-last\n"};

static void one(toy *t, const char *request, int32_t steps, int exact, seen *count) {
    const int ordered = pp_run_sums_in_order(t->run);
    double loss;
    CHECK_MSG(ordered || !exact, "gradients out of order: %s", request);
    for (int32_t step = 0; step < steps; step++) {
        CHECK_EQ_INT(pp_run_step(t->run), PP_OK);
        toy_bytes_equal(t, request);
        CHECK_EQ_INT(toy_reference(t, step, &loss), PP_OK);
    }
    const double difference = pp_weight_difference(t->network, t->twin);
    CHECK_MSG(difference <= (ordered ? 0 : 1e-5), "weights differ by %g after %d steps: %s", difference, steps,
              request);
    count->shapes++;
    count->in_order += ordered;
}

int main(void) {
    int32_t known = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        seen count = {0, 0};
        for (int32_t id = 0; id < pp_schedule_count(); id++)
            known += strcmp(pp_schedule_name(id), rows[i].schedule) == 0;
        for (int32_t p = 1; p <= 4; p++)
            for (int32_t v = 1; v <= 2; v++)
                for (int32_t m = 1; m <= 8; m++)
                    for (int32_t r = 0; r < 4; r++) {
                        char request[256];
                        toy t;
                        snprintf(request, sizeof request,
                                 "schedule=%s\nranks=%d\nchunks=%d\nmicrobatches=%d\nbatch=%d\nwidth=6\n%s%s",
                                 rows[i].schedule, p, v, m, 3 * m + r % 2, recomputing[r],
                                 strcmp(rows[i].schedule, "seq1f1b") == 0 ? "slices=1\n" : "");
                        if (toy_build(&t, request, NULL) == PP_OK)
                            one(&t, request, r == 0 ? 20 : 2, rows[i].weights, &count);
                        toy_drop(&t);
                    }
        printf("%-20s %3d shapes, %3d with sums in order\n", rows[i].schedule, count.shapes, count.in_order);
        CHECK_MSG(count.shapes >= 4, "%s ran at %d shapes", rows[i].schedule, count.shapes);
        CHECK_MSG((count.in_order == count.shapes) == (rows[i].weights == EXACT), "%s: the table says otherwise",
                  rows[i].schedule);
    }
    int32_t trains = 0;
    for (int32_t id = 0; id < pp_schedule_count(); id++) trains += pp_schedule_trains(id);
    CHECK_EQ_INT(known, trains); /* no schedule is left out */
    return check_report("test_every");
}
