/* The end of the step, the memory and a failure of a plan: what the tests of the studies stand on. */
#ifndef PP_TEST_STUDY_H
#define PP_TEST_STUDY_H

#include "check.h"
#include "plan.h"

static inline void plan_expect(plan *p, const char *text, int32_t status) {
    int32_t got = plan_make(p, text);
    CHECK_MSG(got == status, "%s: %s, wanted %s", text, pp_status_name(got), pp_status_name(status));
}

/* Ends of a step; ranks: one entry per rank. */
static inline pp_end plan_end(const plan *p, const char *text, pp_end_rank *ranks) {
    pp_end end;
    double *ends = malloc((size_t)pp_end_bytes(&p->config));
    void *scratch = malloc(pp_end_scratch_bytes(p->schedule));
    const pp_request request = request_of(text);
    CHECK_EQ_INT(pp_end_read(&request, &p->config, ends, NULL), PP_OK);
    pp_end_report(p->schedule, &p->config, ends, p->timeline, scratch, &end, ranks);
    free(scratch);
    free(ends);
    return end;
}

/* Every schedule there is, in shapes 0 .. SHAPES-1 of it; 0 where its rule refuses the shape. more: further lines. */
enum { SHAPES = 9 };
static inline int plan_shape(plan *p, int32_t id, int shape, const char *more, char *text, size_t size) {
    static const int32_t ranks[] = {1, 2, 3, 4, 2, 3, 4, 4, 4}, microbatches[] = {3, 2, 6, 8, 4, 9, 12, 4, 20};
    snprintf(text, size, "schedule=%s\nranks=%d\nmicrobatches=%d\n%s", pp_schedule_name(id), ranks[shape],
             microbatches[shape], more);
    int32_t status = plan_make(p, text);
    if (status == PP_OK) return 1;
    CHECK_MSG(status >= PP_ERR_OPTION_MEANINGLESS && status <= PP_ERR_MEMORY_LIMIT, "%s: %s", text,
              pp_status_name(status));
    plan_free(p);
    return 0;
}

typedef struct memory {
    double *table, capacity;
    void *scratch;
    pp_memory sum;
    pp_memory_rank *ranks;
    int32_t given;
} memory;

static inline memory plan_memory(const plan *p, const char *text) {
    memory m = {0};
    m.table = malloc((size_t)pp_memory_bytes(&p->config));
    m.scratch = malloc(pp_memory_scratch_bytes(p->schedule));
    m.ranks = malloc(sizeof(pp_memory_rank) * (size_t)p->schedule->ranks);
    const pp_request request = request_of(text);
    CHECK_EQ_INT(pp_memory_read(&request, &p->config, p->costs, m.table, &m.capacity, &m.given, NULL), PP_OK);
    pp_memory_report(p->schedule, &p->config, m.table, m.capacity, p->timeline, m.scratch, &m.sum, m.ranks);
    return m;
}

static inline void memory_free(memory *m) {
    free(m->table);
    free(m->scratch);
    free(m->ranks);
}

#endif
