/* A device fails. What three ways of going on cost, and how often to write checkpoints.
 *
 * The spare's run is timed like any step, in the order pp_check found, but that (1) actions the other ranks have begun by
 * then stay as they were, (2) the rank's own actions begin when the spare is there, and (3) what the rank had sent before it
 * failed has arrived.
 *
 * Sources: Young 1974, "A first order approximation to the optimum checkpoint interval"; Daly 2006, "A higher order estimate
 * of the optimum checkpoint interval for restart dumps". */
#include <math.h>
#include <string.h>

#include "core/fault.h"
#include "request/read.h"
#include "schedules/schedule.h"
#include "studies/studies.h"
#include "time/timeline.h"

int32_t pp_failure_costs_bytes(void) { return (int32_t)sizeof(pp_failure_costs); }

int32_t pp_failure_read(const pp_request *request, pp_failure_costs *given, pp_fault *fault) {
    const struct {
        int32_t option;
        double *value;
    } amounts[] = {{PP_OPT_FAIL_TIME, &given->time},
                   {PP_OPT_RESTART_COST, &given->restart},
                   {PP_OPT_SPARE_DELAY, &given->spare},
                   {PP_OPT_CHECKPOINT_COST, &given->checkpoint},
                   {PP_OPT_MTBF, &given->mtbf}};
    *given = (pp_failure_costs){.time = -1};
    for (int32_t i = 0; i < 5; i++) {
        const pp_text value = request->given[amounts[i].option];
        if (value.begin == NULL) continue;
        int32_t status = pp_amount_read(value, amounts[i].option, amounts[i].value, fault);
        if (status != PP_OK) return status;
    }
    return PP_OK;
}

/* ---- how often ---- */

/* e^x - 1 for x >= 0, the same on every machine: by halves down to where eleven terms of the series are exact to the last
 * bit but one, then e^2x - 1 = (e^x - 1)(e^x - 1 + 2). */
static double exp_minus_one(double x) {
    int32_t halves = 0;
    if (x > 710) return INFINITY;
    for (; x > 0.0625; x /= 2) halves++;
    double sum = 0;
    for (int32_t n = 11; n > 0; n--) sum = x / n * (1 + sum);
    for (; halves > 0; halves--) sum *= sum + 2;
    return sum;
}

double pp_failure_expected(double step, double every, double checkpoint, double restart, double mtbf) {
    return mtbf * (exp_minus_one(restart / mtbf) + 1) * exp_minus_one((every * step + checkpoint) / mtbf);
}

static double expected_goodput(double step, double every, double checkpoint, const pp_failure_costs *given) {
    double ticks = pp_failure_expected(step, every, checkpoint, given->restart, given->mtbf);
    return ticks > 0 ? every * step / ticks : 0;
}

/* Ticks per step fall up to the best n and rise from there on, so "n + 1 is no better" holds from the best on. */
static int32_t find_best(double step, const pp_failure_costs *given) {
    int32_t low = 1, high = PP_MAX_STEPS;
    while (low < high) {
        int32_t n = low + (high - low) / 2;
        if (expected_goodput(step, n + 1.0, given->checkpoint, given) <=
            expected_goodput(step, n, given->checkpoint, given))
            high = n;
        else
            low = n + 1;
    }
    return low;
}

static double whole_steps(double ticks, double step) {
    double n = step > 0 ? floor(ticks / step + 0.5) : 1;
    return n < 1 ? 1 : n > PP_MAX_STEPS ? PP_MAX_STEPS : n;
}

static void find_intervals(const pp_failure_costs *given, pp_failure *out) {
    const double d = given->checkpoint, m = given->mtbf, step = out->step;
    if (m <= 0 || step <= 0) return;
    out->best_every = find_best(step, given);
    out->young = sqrt(2 * d * m);
    out->daly = d < 2 * m ? out->young * (1 + sqrt(d / (2 * m)) / 3 + d / (18 * m)) - d : m;
    out->young_every = whole_steps(out->young, step);
    out->daly_every = whole_steps(out->daly, step);
    if (out->every == 0) out->every = out->best_every;
    out->best_goodput = expected_goodput(step, out->best_every, d, given);
    out->young_goodput = expected_goodput(step, out->young_every, d, given);
    out->daly_goodput = expected_goodput(step, out->daly_every, d, given);
    out->goodput = expected_goodput(step, out->every, d, given);
    out->restart_goodput = expected_goodput(step, 1, 0, given);
}

/* ---- what is lost ---- */

static int32_t is_lost(const pp_schedule *s, const pp_timeline *line, int32_t policy, int32_t i, double time) {
    if (line->start[i] >= time) return 0;
    return policy != PP_POLICY_SPARE || s->trains || line->finish[i] > time;
}

int32_t pp_failure_lost(const pp_schedule *s, const pp_timeline *line, int32_t policy, int32_t rank, double time,
                        int32_t *out, int32_t capacity) {
    int32_t one = policy == PP_POLICY_SPARE, count = 0;
    for (int32_t r = one ? rank : 0; r < (one ? rank + 1 : s->ranks); r++) {
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i++) {
            if (!is_lost(s, line, policy, i, time)) continue;
            if (count < capacity) out[count] = i;
            count++;
        }
    }
    return count;
}

/* Busy ticks up to `time` of what is lost; the halves of a slot count once. */
static double lost_work(const pp_schedule *s, const pp_timeline *line, int32_t policy, int32_t rank, double time) {
    int32_t one = policy == PP_POLICY_SPARE;
    double work = 0;
    for (int32_t r = one ? rank : 0; r < (one ? rank + 1 : s->ranks); r++) {
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i++) {
            if (!is_lost(s, line, policy, i, time) || s->actions[i].fused) continue;
            work += (line->finish[i] < time ? line->finish[i] : time) - line->start[i];
        }
    }
    return work;
}

/* ---- the spare ---- */

typedef struct replay {
    const pp_schedule *s;
    const double *costs;
    const pp_timeline *line;
    int32_t rank;
    double time, back; /* it fails; its place is taken */
    double *start, *finish;
} replay;

static int stays(const replay *p, int32_t i, int32_t rank) {
    if (rank == p->rank && is_lost(p->s, p->line, PP_POLICY_SPARE, i, p->time)) return 0;
    return p->line->start[i] < p->time;
}

static double arrival(const replay *p, int32_t i, int32_t rank) {
    int32_t x = p->line->input[i];
    if (x < 0) return 0;
    int32_t from = pp_rank_of_action(p->s, x);
    int sent = from == p->rank && rank != p->rank && p->line->finish[x] <= p->time;
    return (sent ? p->line->finish[x] : p->finish[x]) + pp_latency_of(p->s, p->costs, p->line, i);
}

static double later(double a, double b) { return a > b ? a : b; }

/* Fills start and finish; the makespan of the step. */
static double run_again(const replay *p) {
    const pp_schedule *s = p->s;
    const pp_timeline *line = p->line;
    int sender = line->transfer == PP_TRANSFER_SENDER;
    double end = 0;
    for (int32_t n = 0; n < line->run_count; n++) {
        uint32_t run = line->runs[n];
        int32_t i = pp_run_first(run), stop = i + pp_run_length(run), rank = pp_rank_of_action(s, i), last;
        for (; i < stop; i = last + 1) {
            last = s->actions[i].fused ? i + 1 : i;
            double at = rank == p->rank ? p->back : 0;
            if (i > s->rank_begin[rank])
                at = later(at, p->finish[i - 1] + (sender ? pp_occupied(s, p->costs, i - 1) : 0));
            for (int32_t j = i; j <= last; j++) at = later(at, arrival(p, j, rank));
            if (stays(p, i, rank)) at = line->start[i];
            for (int32_t j = i; j <= last; j++) {
                p->start[j] = at;
                p->finish[j] = at == line->start[i] ? line->finish[i] : at + pp_cost_of(s, p->costs, i);
            }
            end = later(end, p->finish[last]);
        }
    }
    return end;
}

/* ---- the report ---- */

int32_t pp_failure_report(const pp_schedule *schedule, const pp_config *config, const double *costs,
                          const pp_timeline *timeline, double step, const pp_failure_costs *given, double *start,
                          double *finish, pp_failure *out, pp_policy *policies, pp_fault *fault) {
    pp_fault scratch;
    const int32_t rank = config->fail_rank;
    const double time = given->time >= 0 ? given->time : step / 2;
    *out = (pp_failure){.step = step, .time = time, .horizon = config->horizon, .every = config->checkpoint_every};
    if (out->horizon == 0) out->horizon = config->fail_step < 100 ? 100 : config->fail_step + 1.0;
    find_intervals(given, out);
    for (int32_t n = 0; n < PP_POLICY_COUNT; n++) policies[n] = (pp_policy){0};
    memcpy(start, timeline->start, (size_t)schedule->action_count * sizeof(double));
    memcpy(finish, timeline->finish, (size_t)schedule->action_count * sizeof(double));
    if (rank < 0) return PP_OK;
    if (time > step) {
        fault = pp_fault_start(fault, &scratch, PP_ERR_FAIL_TIME);
        fault->option = PP_OPT_FAIL_TIME;
        pp_fault_seen_number(fault, time);
        pp_fault_fix_number(fault, PP_OPT_FAIL_TIME, step);
        return PP_ERR_FAIL_TIME;
    }
    const int worked_out = timeline->transfer != PP_TRANSFER_RENDEZVOUS && timeline->arrive == NULL;
    double work = 0, end = 0, again = 0;
    for (int32_t i = 0; i < schedule->action_count; i++) {
        if (!schedule->actions[i].fused) work += pp_cost_of(schedule, costs, i);
        end = later(end, timeline->finish[i]);
    }
    if (worked_out) {
        const replay p = {schedule, costs, timeline, rank, time, time + given->spare, start, finish};
        again = run_again(&p);
    }
    for (int32_t n = 0; n < PP_POLICY_COUNT; n++) {
        pp_policy *policy = &policies[n];
        double overhead = 0, whole = out->horizon * step;
        policy->known = n == PP_POLICY_RESTART || (n == PP_POLICY_SPARE ? worked_out : out->every > 0);
        if (!policy->known) continue;
        policy->time_lost = n == PP_POLICY_SPARE ? again - end : time + given->restart;
        policy->work_redone = lost_work(schedule, timeline, n, rank, time);
        policy->actions_lost = pp_failure_lost(schedule, timeline, n, rank, time, NULL, 0);
        if (n == PP_POLICY_CHECKPOINT) {
            policy->steps_redone = fmod(config->fail_step, out->every);
            policy->time_lost += policy->steps_redone * step;
            policy->work_redone += policy->steps_redone * work;
            overhead = floor(out->horizon / out->every) * given->checkpoint;
        }
        policy->goodput = whole > 0 ? whole / (whole + overhead + policy->time_lost) : 0;
    }
    return PP_OK;
}
