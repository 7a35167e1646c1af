/* A step that really ran: its times in place of simulated ones, and the costs that it shows. Sums run over actions in the
 * order of the schedule. */
#include <math.h>
#include <string.h>

#include "time/timeline.h"

static int second_half(const pp_schedule *s, int32_t i) { return i > 0 && s->actions[i - 1].fused; }

void pp_measured_times(const pp_schedule *s, const double *start, const double *finish, pp_timeline *line) {
    double zero = INFINITY;
    line->transfer = -1;
    for (int32_t i = 0; i < s->action_count; i++)
        if (start[i] < zero) zero = start[i];
    for (int32_t i = 0; i < s->action_count; i++) {
        line->start[i] = start[second_half(s, i) ? i - 1 : i] - zero;
        line->finish[i] = finish[s->actions[i].fused ? i + 1 : i] - zero;
    }
}

/* ---- costs ---- */

/* Sums into row[stage], counts into count[stage]; then means. What a stage has none of becomes `none`. */
static void means(double *row, const double *count, int32_t n, const double *none) {
    for (int32_t s = 0; s < n; s++) row[s] = count[s] > 0 ? row[s] / count[s] : none != NULL ? none[s] : 0;
}

/* How long an action's input took from its maker's finish to its own start, where its rank had nothing else to do; -1
 * where that cannot be told. */
static double way(const pp_schedule *s, const double *start, const double *finish, const pp_timeline *line, int32_t i) {
    const int32_t x = line->input[i], rank = pp_rank_of_action(s, i);
    if (x < 0 || second_half(s, i) || s->actions[i].op == PP_R || pp_rank_of_action(s, x) == rank) return -1;
    if (i > s->rank_begin[rank] && finish[i - 1] > finish[x]) return -1;
    return start[i] > finish[x] ? start[i] - finish[x] : 0;
}

int32_t pp_measured_costs(const pp_schedule *s, const pp_timeline *line, const double *start, const double *finish,
                          double *costs, double *scratch) {
    const int32_t n = s->stages;
    int32_t told = 0;
    double *count = scratch, *half = scratch + PP_COST_ROWS * n;
    memset(costs, 0, (size_t)(PP_COST_ROWS * n) * sizeof(double));
    memset(count, 0, (size_t)(PP_COST_ROWS * n) * sizeof(double));
    for (int32_t i = 0; i < s->action_count; i++) {
        const pp_action *a = &s->actions[i];
        const int32_t at = pp_op_cost_row(a->op) * n + a->stage;
        const double took = way(s, start, finish, line, i);
        costs[at] += finish[i] - start[i];
        count[at] += 1;
        told |= 1 << pp_op_cost_row(a->op);
        if (a->fused) {
            costs[PP_COST_OVERLAP * n + a[a->op == PP_F ? 0 : 1].stage] += finish[i + 1] - start[i];
            count[PP_COST_OVERLAP * n + a[a->op == PP_F ? 0 : 1].stage] += 1;
            told |= 1 << PP_COST_OVERLAP;
        }
        if (took >= 0) {
            const int32_t hop = a->op == PP_F ? a->stage - 1 : a->stage;
            costs[PP_COST_LATENCY * n + hop] += took;
            count[PP_COST_LATENCY * n + hop] += 1;
            told |= 1 << PP_COST_LATENCY;
        }
    }
    double *backward = costs + PP_COST_BACKWARD * n, *input = costs + PP_COST_INPUT * n,
           *weight = costs + PP_COST_WEIGHT * n;
    means(costs + PP_COST_FORWARD * n, count + PP_COST_FORWARD * n, n, NULL);
    means(backward, count + PP_COST_BACKWARD * n, n, NULL);
    for (int32_t stage = 0; stage < n; stage++) half[stage] = backward[stage] / 2;
    means(input, count + PP_COST_INPUT * n, n, half);
    means(weight, count + PP_COST_WEIGHT * n, n, half);
    for (int32_t stage = 0; stage < n; stage++) backward[stage] = input[stage] + weight[stage];
    means(costs + PP_COST_RECOMPUTE * n, count + PP_COST_RECOMPUTE * n, n, costs + PP_COST_FORWARD * n);
    means(costs + PP_COST_OVERLAP * n, count + PP_COST_OVERLAP * n, n, NULL);
    means(costs + PP_COST_LATENCY * n, count + PP_COST_LATENCY * n, n, NULL);
    for (int32_t stage = 0; stage < n; stage++) {
        double *overlap = &costs[PP_COST_OVERLAP * n + stage];
        costs[PP_COST_KEPT * n + stage] = 1;
        /* One core did one half after the other; a stage that had no slot of two is taken to do the same. */
        const double both = costs[PP_COST_FORWARD * n + stage] + backward[stage];
        if (*overlap < both) *overlap = told & (1 << PP_COST_OVERLAP) ? both : -1;
    }
    if (told & (1 << PP_COST_INPUT)) told &= ~(1 << PP_COST_BACKWARD);
    return told;
}

/* ---- figures ---- */

void pp_measured_report(const pp_schedule *s, const pp_config *config, const double *costs, const pp_timeline *line,
                        void *scratch, pp_summary *out, pp_rank_report *ranks) {
    pp_report(s, config, costs, line, scratch, out, ranks);
    out->busy = 0;
    out->cadence_rank = -1;
    for (int32_t r = 0; r < s->ranks; r++) {
        ranks[r].busy = 0;
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i++)
            if (!second_half(s, i)) ranks[r].busy += line->finish[i] - line->start[i];
        ranks[r].idle = out->makespan - ranks[r].busy;
        out->busy += ranks[r].busy;
        if (out->cadence_rank < 0 || ranks[r].busy / s->microbatches > out->cadence) {
            out->cadence = ranks[r].busy / s->microbatches;
            out->cadence_rank = r;
        }
    }
    out->formula_holds = 0;
    pp_report_shares(out, s->ranks, 0);
}
