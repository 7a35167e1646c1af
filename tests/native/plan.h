/* A request taken all the way to a timed step, with memory from malloc: what the native tests stand on. */
#ifndef PP_TEST_PLAN_H
#define PP_TEST_PLAN_H

#include <stdlib.h>
#include <string.h>

#include "pipeline.h"
#include "requests.h"

typedef struct plan {
    pp_config config;
    double *costs;
    pp_schedule *schedule;
    pp_timeline *timeline;
    pp_summary summary;
    pp_rank_report *ranks;
    int32_t *blocked;
    int32_t edited; /* the order was changed: no closed form */
    pp_fault fault;
} plan;

static inline void plan_free(plan *p) {
    free(p->costs);
    free(p->schedule);
    free(p->timeline);
    free(p->ranks);
    free(p->blocked);
    memset(p, 0, sizeof *p);
}

/* Times what is in p->schedule. */
static inline int32_t plan_time(plan *p) {
    size_t bytes = pp_timeline_bytes(p->schedule);
    p->timeline = malloc(bytes);
    p->ranks = malloc(sizeof(pp_rank_report) * (size_t)p->schedule->ranks);
    p->blocked = malloc(sizeof(int32_t) * (size_t)p->schedule->ranks);
    int32_t status = pp_check(p->schedule, p->timeline, bytes, p->blocked, &p->fault);
    if (status == PP_OK) status = pp_simulate(p->schedule, p->costs, p->config.transfer, p->timeline, &p->fault);
    if (status != PP_OK) return status;
    void *scratch = malloc(pp_report_scratch_bytes(p->schedule) + 1);
    pp_report(p->schedule, p->edited ? NULL : &p->config, p->costs, p->timeline, scratch, &p->summary, p->ranks);
    free(scratch);
    return PP_OK;
}

/* Everything up to a timed step, or the first refusal. Free with plan_free in either case. */
static inline int32_t plan_make(plan *p, const char *text) {
    memset(p, 0, sizeof *p);
    pp_request request;
    int32_t status = pp_request_parse(text, (int32_t)strlen(text), &request, &p->fault);
    if (status == PP_OK) status = pp_config_read(&request, &p->config, &p->fault);
    if (status != PP_OK) return status;
    p->costs = malloc((size_t)pp_costs_bytes(&p->config));
    status = pp_costs_read(&request, &p->config, p->costs, &p->fault);
    if (status != PP_OK) return status;
    size_t bytes = pp_schedule_bytes(&p->config);
    p->schedule = malloc(bytes);
    status = pp_schedule_make(&p->config, p->costs, p->schedule, bytes, &p->fault);
    if (status == PP_OK) status = pp_moves_apply(&request, p->schedule, &p->fault);
    p->edited = strstr(text, "moves=") != NULL;
    return status != PP_OK ? status : plan_time(p);
}

#endif
