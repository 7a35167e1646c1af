/* How far a schedule comes that waits for itself, and who waits for whom where it halts: for a drawing of the deadlock. */
#include <string.h>

#include "time/diagnose.h"

/* What action i needs and has not got yet, its input or an earlier action of its own stage; -1: nothing. */
static int32_t unmet(const pp_schedule *s, const pp_tables *t, const int32_t *input, const int32_t *head, int32_t i) {
    const pp_action *a = &s->actions[i];
    const size_t at = (size_t)a->stage * (size_t)(s->microbatches * s->slices) + (size_t)a->microbatch;
    const int32_t slice = a->microbatch % s->slices, backward = a->op == PP_B || a->op == PP_I;
    const int32_t own[] = {a->op == PP_W   ? t->b[at]
                           : a->op == PP_F ? (slice > 0 ? t->f[at - 1] : -1)
                                           : t->f[at],
                           backward ? t->r[at] : -1, backward && slice + 1 < s->slices ? t->b[at + 1] : -1};
    for (int32_t n = 0; n < 3; n++)
        if (!pp_arrived(s, head, own[n])) return own[n];
    return pp_arrived(s, head, input[i]) ? -1 : input[i];
}

int32_t pp_stall(const pp_schedule *s, const double *costs, int32_t transfer, pp_timeline *line, int32_t *circle,
                 double *times) {
    pp_tables t;
    int32_t *head = (int32_t *)line->rank_scratch, *waits = head + s->ranks, *stands = waits + s->ranks, pairs = 0,
            moved;
    pp_tables_make(s, line, &t, NULL);
    for (int32_t i = 0; i < s->action_count; i++) line->input[i] = pp_tables_input(s, &t, &s->actions[i]);
    memcpy(head, s->rank_begin, (size_t)s->ranks * sizeof(int32_t));
    line->run_count = 0;
    line->fused = 1;
    do {
        moved = 0;
        for (int32_t r = 0; r < s->ranks; r++) {
            const int32_t end = s->rank_begin[r + 1];
            waits[r] = -1;
            while (head[r] < end) {
                const int32_t i = head[r], fused = s->actions[i].fused;
                waits[r] = unmet(s, &t, line->input, head, i);
                stands[r] = i;
                if (waits[r] < 0 && fused) waits[r] = unmet(s, &t, line->input, head, stands[r] = i + 1);
                if (waits[r] >= 0) break;
                head[r] = i + 1 + fused;
                pp_run_add(s, line, i, head[r], i == s->rank_begin[r]);
                moved = 1;
            }
        }
    } while (moved);
    int32_t first = pp_rank_on_circle(s, waits), r = first;
    do {
        circle[2 * pairs] = stands[r];
        circle[2 * pairs++ + 1] = waits[r];
        r = pp_rank_of_action(s, waits[r]);
    } while (r != first);

    memset(line->start, 0, (size_t)s->action_count * sizeof(double)); /* the tables are not needed any more */
    memset(line->finish, 0, (size_t)s->action_count * sizeof(double));
    pp_fault scratch;
    pp_schedule alone = *s; /* what can run, without what may stop it */
    pp_conditions units = s->conditions != NULL ? *s->conditions : (pp_conditions){0};
    units.with &= PP_WITH_UNITS;
    if (s->conditions != NULL) alone.conditions = &units;
    pp_simulate(&alone, costs, transfer == PP_TRANSFER_RENDEZVOUS ? PP_TRANSFER_OVERLAP : transfer, line, &scratch);
    double halt = 0, end = 0;
    for (int32_t i = 0; i < s->action_count; i++) halt = line->finish[i] > halt ? line->finish[i] : halt;
    for (r = 0; r < s->ranks; r++) {
        double free = halt;
        for (int32_t i = head[r]; i < s->rank_begin[r + 1]; i++) {
            line->start[i] = free;
            line->finish[i] = free + pp_cost_of(s, costs, i);
            if (!s->actions[i].fused) free = line->finish[i];
        }
        const int32_t first = s->rank_begin[r];
        times[2 + r] = first < s->rank_begin[r + 1] ? line->start[first] : 0;
        end = free > end ? free : end;
    }
    times[0] = halt;
    times[1] = end;
    return pairs;
}
