/* The end of a step: reducing gradients and stepping the optimizer, behind the actions or beside the last of them.
 * The gradients of a stage are whole when the last backward of every copy of it is done. Stages are taken in the order in
 * which they are whole (then by number), each on all ranks that hold it at once, when all of them have come to it. */
#include <string.h>

#include "request/read.h"
#include "schedules/schedule.h"
#include "studies/studies.h"
#include "time/timeline.h"

enum { ROW_REDUCE, ROW_OPTIMIZER, ROWS };

int32_t pp_end_bytes(const pp_config *config) { return ROWS * config->stages * (int32_t)sizeof(double); }

int32_t pp_end_read(const pp_request *request, const pp_config *config, double *ends, pp_fault *fault) {
    static const int32_t options[ROWS] = {PP_OPT_REDUCE, PP_OPT_OPTIMIZER};
    const pp_text *given = request->given;
    for (int32_t row = 0; row < ROWS; row++) {
        double *values = ends + row * config->stages;
        for (int32_t s = 0; s < config->stages; s++) values[s] = 0;
        if (given[options[row]].begin == NULL) continue;
        int32_t status = pp_list_read(given[options[row]], options[row], config->stages, values, fault);
        if (status != PP_OK) return status;
    }
    return PP_OK;
}

/* Per stage when its gradients are whole, -1 if there are none; per rank until when it reduces; the stages in order. */
size_t pp_end_scratch_bytes(const pp_schedule *schedule) {
    return ((size_t)schedule->stages + (size_t)schedule->ranks) * sizeof(double) +
           (size_t)schedule->stages * sizeof(int32_t);
}

static double later(double a, double b) { return a > b ? a : b; }

static double last_finish(const pp_schedule *s, const pp_timeline *line, int32_t rank) {
    return s->rank_begin[rank + 1] > s->rank_begin[rank] ? line->finish[s->rank_begin[rank + 1] - 1] : 0;
}

static void find_whole(const pp_schedule *s, const pp_timeline *line, int32_t reduce_when, double *whole) {
    int one = s->pipes * s->stages == s->ranks; /* a stage a rank: its last backward is the last of the list */
    for (int32_t stage = 0; stage < s->stages; stage++) {
        whole[stage] = -1;
        one = one && s->stage_rank[stage] == stage;
    }
    for (int32_t r = 0; r < s->ranks; r++) {
        for (int32_t i = s->rank_begin[r + 1] - 1; i >= s->rank_begin[r]; i--) {
            const pp_action *a = &s->actions[i];
            if (a->op != PP_B && a->op != PP_W) continue;
            const double when = reduce_when == PP_REDUCE_BEHIND ? last_finish(s, line, r) : line->finish[i];
            whole[a->stage] = later(whole[a->stage], when);
            if (one) break;
        }
    }
}

/* Shell's sort: no recursion, no memory, and there are few stages. */
static void sort_by(const double *whole, int32_t *order, int32_t count) {
    int32_t gap = 1;
    while (gap < count / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) {
        for (int32_t i = gap; i < count; i++) {
            int32_t stage = order[i], j = i;
            for (; j >= gap; j -= gap) {
                int32_t other = order[j - gap];
                if (whole[other] < whole[stage] || (whole[other] == whole[stage] && other < stage)) break;
                order[j] = other;
            }
            order[j] = stage;
        }
    }
}

static void reduce_all(const pp_schedule *s, const double *ticks, const double *whole, const int32_t *order,
                       double *until, pp_end_rank *ranks) {
    for (int32_t n = 0; n < s->stages; n++) {
        const int32_t stage = order[n], *rank = s->stage_rank + stage;
        double start = whole[stage], finish;
        if (ticks[stage] <= 0 || start < 0) continue;
        for (int32_t pipe = 0; pipe < s->pipes; pipe++) start = later(start, until[rank[pipe * s->stages]]);
        finish = start + ticks[stage];
        for (int32_t pipe = 0; pipe < s->pipes; pipe++) {
            int32_t r = rank[pipe * s->stages];
            if (ranks[r].reduce_start < 0) ranks[r].reduce_start = start;
            until[r] = finish;
        }
    }
}

void pp_end_report(const pp_schedule *s, const pp_config *config, const double *ends, const pp_timeline *line,
                   void *scratch, pp_end *out, pp_end_rank *ranks) {
    double *whole = scratch, *until = whole + s->stages, first = line->start[s->rank_begin[0]];
    int32_t *order = (int32_t *)(until + s->ranks);
    *out = (pp_end){0};
    for (int32_t r = 0; r < s->ranks; r++) {
        ranks[r] = (pp_end_rank){.reduce_start = -1};
        until[r] = 0;
        if (s->rank_begin[r + 1] > s->rank_begin[r] && line->start[s->rank_begin[r]] < first)
            first = line->start[s->rank_begin[r]];
    }
    for (int32_t stage = 0; stage < s->stages; stage++) order[stage] = stage;
    find_whole(s, line, config->reduce_when, whole);
    sort_by(whole, order, s->stages);
    reduce_all(s, ends + ROW_REDUCE * s->stages, whole, order, until, ranks);
    for (int32_t r = 0; r < s->ranks; r++) {
        double last = last_finish(s, line, r);
        if (ranks[r].reduce_start < 0) ranks[r].reduce_start = last;
        ranks[r].reduce_finish = ranks[r].optimizer_start = later(last, until[r]);
        out->makespan = later(out->makespan, last);
        out->reduced = later(out->reduced, ranks[r].reduce_finish);
    }
    for (int32_t r = 0; r < s->ranks; r++) {
        if (config->optimizer_waits == PP_WAITS_ALL) ranks[r].optimizer_start = out->reduced;
        ranks[r].optimizer_finish = ranks[r].optimizer_start;
    }
    for (int32_t i = 0; s->trains && i < s->pipes * s->stages; i++)
        ranks[s->stage_rank[i]].optimizer_finish += ends[ROW_OPTIMIZER * s->stages + i % s->stages];
    for (int32_t r = 0; r < s->ranks; r++) out->finish = later(out->finish, ranks[r].optimizer_finish);
    out->makespan -= first;
    out->finish -= first;
    out->reduced -= first;
    out->exposed = out->finish - out->makespan;
}
