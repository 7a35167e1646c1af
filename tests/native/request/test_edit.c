/* An order changed by hand, how far a refused one comes, and the strip of samples. */
#include <stdio.h>

#include "check.h"
#include "plan.h"

static void list_is(const char *text, int32_t rank, const char *want) {
    plan p;
    char list[256] = "";
    plan_make(&p, text);
    for (int32_t i = p.schedule->rank_begin[rank]; i < p.schedule->rank_begin[rank + 1]; i++) {
        const pp_action *a = &p.schedule->actions[i];
        char cell[24];
        snprintf(cell, sizeof cell, "%d%s%d%s", a->stage, pp_op_name(a->op), (int)a->microbatch, a->fused ? "+" : " ");
        strcat(list, cell);
    }
    CHECK_EQ_TEXT(list, want);
    plan_free(&p);
}

static void moves(void) {
    list_is("s=gpipe\np=2\nm=2", 0, "0F0 0F1 0B0 0B1 ");
    list_is("s=gpipe\np=2\nm=2\nmoves=0B1-1", 0, "0F0 0F1 0B1 0B0 ");
    list_is("s=gpipe\np=2\nm=2\nmoves=0f0+3", 0, "0F1 0B0 0B1 0F0 ");
    list_is("s=gpipe\np=2\nm=2\nmoves=0B0-1; 0B0+1", 0, "0F0 0F1 0B0 0B1 ");
    /* a fused slot goes as one, and is passed as one */
    list_is("s=1f1b-overlap\np=2\nm=4", 0, "0F0 0F1 0F2 0F3+0B0 0B1 0B2 0B3 ");
    list_is("s=1f1b-overlap\np=2\nm=4\nmoves=0B0-1", 0, "0F0 0F1 0F3+0B0 0F2 0B1 0B2 0B3 ");
    list_is("s=1f1b-overlap\np=2\nm=4\nmoves=0B1-1", 0, "0F0 0F1 0F2 0B1 0F3+0B0 0B2 0B3 ");
    static const char *const bad[] = {"0F0-1", "0B1+1", "2F0+1",   "0F2+1",  "0W0-1",          "0F0",
                                      "F0+1",  "0X0+1", "0F0.1+1", "0F0+1x", "99999999999F0+1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        plan p;
        char text[64];
        snprintf(text, sizeof text, "s=gpipe\np=2\nm=2\nmoves=%s", bad[i]);
        CHECK_MSG(plan_make(&p, text) == PP_ERR_MOVES, "%s", bad[i]);
        CHECK_EQ_TEXT(p.fault.seen, bad[i]);
        plan_free(&p);
    }
}

/* Backwards of GPipe in another order run all the same, and later. */
static void legal(void) {
    plan p, plain;
    CHECK_EQ_INT(plan_make(&plain, "s=1f1b\np=2\nm=4"), PP_OK);
    CHECK_EQ_INT(plan_make(&p, "s=1f1b\np=2\nm=4\nmoves=0F2-1"), PP_OK);
    CHECK(p.summary.makespan >= plain.summary.makespan);
    CHECK_EQ_DOUBLE(p.summary.busy, plain.summary.busy);
    plan_free(&plain);
    plan_free(&p);
}

/* SCH-25: rank 0 = F0 B0 F1 B1, rank 1 = F1 B1 F0 B0. Rank 0 runs F0 and stands before B0; rank 1 waits for F1 at once. */
static void stalls(void) {
    plan p;
    int32_t circle[4];
    double times[4];
    CHECK_EQ_INT(plan_make(&p, "s=gpipe\np=2\nm=2\nmoves=0B0-1 1F0+1 1B1-2"), PP_ERR_DEADLOCK);
    CHECK_EQ_INT(pp_stall(p.schedule, p.costs, p.config.transfer, p.timeline, circle, times), 2);
    CHECK_EQ_DOUBLE(times[0], 1);
    /* B0 F1 B1 of rank 0 from there: 1 + 2 + 1 + 2; four actions of rank 1, 1 + 2 + 1 + 2. Rank 1 has not begun. */
    CHECK_EQ_DOUBLE(times[1], 7);
    CHECK_EQ_DOUBLE(times[2], 0);
    CHECK_EQ_DOUBLE(times[3], 1);
    CHECK_EQ_INT(pp_kinds(p.schedule, p.costs, NULL), 1 << PP_F | 1 << PP_B);
    const pp_action *a = p.schedule->actions;
    for (int32_t n = 0; n < 2; n++) { /* what a pair waits for lies behind where the next one stands */
        CHECK(circle[2 * n + 1] >= circle[2 * (1 - n)]);
        CHECK(p.timeline->start[circle[2 * n]] >= times[0]);
    }
    int32_t zero = circle[0] < p.schedule->rank_begin[1] ? 0 : 2;
    CHECK(a[circle[zero]].op == PP_B && a[circle[zero]].microbatch == 0 && a[circle[zero]].stage == 0);
    CHECK(a[circle[zero + 1]].op == PP_B && a[circle[zero + 1]].stage == 1);
    CHECK(a[circle[2 - zero]].op == PP_F && a[circle[2 - zero]].microbatch == 1 && a[circle[2 - zero]].stage == 1);
    for (int32_t i = 0; i < p.schedule->action_count; i++) /* the rest is laid out end to end */
        CHECK(p.timeline->finish[i] > p.timeline->start[i]);
    plan_free(&p);

    /* a backward before its own forward: a rank that waits for itself */
    CHECK_EQ_INT(plan_make(&p, "s=gpipe\np=2\nm=2\nmoves=1B0-2"), PP_ERR_ORDER);
    CHECK_EQ_INT(p.fault.rank, 1);
    CHECK_EQ_INT(p.fault.index, 0);
    CHECK_EQ_INT(pp_stall(p.schedule, p.costs, p.config.transfer, p.timeline, circle, times), 1);
    CHECK_EQ_DOUBLE(times[0], 2);
    a = p.schedule->actions;
    CHECK(a[circle[0]].op == PP_B && a[circle[1]].op == PP_F && a[circle[0]].microbatch == a[circle[1]].microbatch);
    plan_free(&p);
}

/* Any order of a small schedule either runs or stalls with a circle that closes. */
static void shuffled(void) {
    static const char *const schedules[] = {"s=1f1b\np=3\nm=3",
                                            "s=zb-h1\np=3\nm=4",
                                            "s=chimera\np=4\nm=4",
                                            "s=seq1f1b\np=2\nm=3",
                                            "s=interleaved\np=2\nm=4",
                                            "s=1f1b-overlap\np=2\nm=4",
                                            "s=gpipe\np=3\nm=3\nrecompute=late",
                                            "s=dualpipe\np=2\nm=4"};
    uint32_t random = 7;
    for (size_t i = 0; i < sizeof schedules / sizeof schedules[0]; i++) {
        for (int32_t n = 0; n < 300; n++) {
            plan p;
            char text[256];
            int32_t length = snprintf(text, sizeof text, "%s\nmoves=", schedules[i]);
            CHECK_EQ_INT(plan_make(&p, schedules[i]), PP_OK);
            for (int32_t k = 0; k < 3; k++) {
                random = random * 1664525u + 1013904223u;
                const pp_action *a = &p.schedule->actions[(random >> 8) % (uint32_t)p.schedule->action_count];
                length +=
                    snprintf(text + length, sizeof text - (size_t)length, "%d%s%d.%d%c%d ", a->stage, pp_op_name(a->op),
                             (int)(a->microbatch / p.schedule->slices), (int)(a->microbatch % p.schedule->slices),
                             random >> 31 ? '+' : '-', (int)(random >> 28 & 3));
            }
            plan_free(&p);
            int32_t status = plan_make(&p, text);
            if (status == PP_ERR_DEADLOCK || status == PP_ERR_ORDER) {
                int32_t *circle = malloc(sizeof(int32_t) * 2 * (size_t)p.schedule->ranks);
                double *times = malloc(sizeof(double) * (2 + (size_t)p.schedule->ranks)), end = 0;
                int32_t pairs = pp_stall(p.schedule, p.costs, p.config.transfer, p.timeline, circle, times);
                for (int32_t k = 0; k < p.schedule->action_count; k++)
                    end = p.timeline->finish[k] > end ? p.timeline->finish[k] : end;
                CHECK_EQ_DOUBLE(times[1], end);
                for (int32_t r = 0; r < p.schedule->ranks; r++)
                    CHECK_EQ_DOUBLE(times[2 + r], p.timeline->start[p.schedule->rank_begin[r]]);
                CHECK_MSG(pairs >= 1 && pairs <= p.schedule->ranks, "%s: %d pairs", text, (int)pairs);
                if (status == PP_ERR_DEADLOCK && p.schedule->slices == 1) CHECK_EQ_INT(pairs, p.fault.cycle);
                for (int32_t k = 0; k < pairs; k++) {
                    int32_t waited = circle[2 * k + 1], next = circle[2 * ((k + 1) % pairs)];
                    CHECK_MSG(waited >= next - 1, "%s: %d does not lie behind %d", text, (int)waited, (int)next);
                    CHECK(p.timeline->start[waited] >= times[0]);
                }
                free(circle), free(times);
            } else {
                CHECK_MSG(status == PP_OK || status == PP_ERR_MOVES, "%s: %s", text, pp_status_name(status));
            }
            plan_free(&p);
        }
    }
}

static void samples(void) {
    CHECK_EQ_INT(pp_batch_size_near(32, 5, 0), 4);
    CHECK_EQ_INT(pp_batch_size_near(32, 7, 0), 8);
    CHECK_EQ_INT(pp_batch_size_near(32, 4, 1), 8);
    CHECK_EQ_INT(pp_batch_size_near(32, 4, -1), 2);
    CHECK_EQ_INT(pp_batch_size_near(32, 32, 1), 32);
    CHECK_EQ_INT(pp_batch_size_near(32, 1, -1), 1);
    CHECK_EQ_INT(pp_batch_size_near(33, 4, 1), 11);
    CHECK_EQ_INT(pp_batch_size_near(1 << 30, 1 << 16, 1), 1 << 16);
    CHECK_EQ_INT(pp_batch_shown(8), 32);
    CHECK_EQ_INT(pp_batch_shown(5), 35);
    CHECK_EQ_INT(pp_batch_shown(33), 33);
    CHECK_EQ_INT(pp_batch_shown(1), 32);
}

int main(void) {
    moves();
    legal();
    stalls();
    shuffled();
    samples();
    return check_report("edit");
}
