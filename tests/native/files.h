/* A file taken all the way to a timed step, each object in memory of exactly the size it asked for. */
#ifndef PP_TEST_FILES_H
#define PP_TEST_FILES_H

#include "plan.h"

typedef struct filed {
    pp_table *table;
    plan plan; /* schedule, costs, timeline, summary, fault */
    void *scratch;
} filed;

static inline void filed_free(filed *f) {
    free(f->table);
    free(f->scratch);
    plan_free(&f->plan);
    memset(f, 0, sizeof *f);
}

/* Up to the schedule, not yet checked. */
static inline int32_t filed_schedule(filed *f, const char *text, int32_t length, int32_t letters) {
    memset(f, 0, sizeof *f);
    char *exact = malloc((size_t)length + (length == 0)); /* no closing zero to lean on */
    memcpy(exact, text, (size_t)length);
    size_t bytes = pp_table_parse_bytes(exact, length);
    f->table = malloc(bytes);
    int32_t status = pp_table_parse(exact, length, letters, f->table, bytes, &f->plan.fault);
    free(exact);
    if (status != PP_OK) return status;
    bytes = pp_table_schedule_bytes(f->table);
    f->plan.schedule = malloc(bytes);
    return pp_table_schedule(f->table, f->plan.schedule, bytes, &f->plan.fault);
}

/* All of it. request: costs and the like; receive: PP_RECEIVE_... */
static inline int32_t filed_make(filed *f, const char *text, int32_t length, int32_t letters, const char *request,
                                 int32_t receive) {
    int32_t status = filed_schedule(f, text, length, letters);
    plan *p = &f->plan;
    if (status != PP_OK) return status;
    pp_schedule *s = p->schedule;
    pp_request beside;
    status = pp_request_parse(request, (int32_t)strlen(request), &beside, &p->fault);
    if (status == PP_OK) status = pp_config_of_file(&beside, s, &p->config, &p->fault);
    if (status != PP_OK) return status;
    p->costs = malloc((size_t)pp_costs_bytes(&p->config));
    status = pp_costs_read(&beside, &p->config, p->costs, &p->fault);
    if (status != PP_OK) return status;
    size_t bytes = pp_timeline_bytes(s);
    p->timeline = malloc(bytes);
    p->ranks = malloc(sizeof(pp_rank_report) * (size_t)s->ranks);
    p->blocked = malloc(sizeof(int32_t) * (size_t)s->ranks);
    status = pp_check(s, p->timeline, bytes, p->blocked, &p->fault);
    if (status != PP_OK) {
        pp_table_locate(f->table, &p->fault);
        return status;
    }
    f->scratch = malloc(pp_table_scratch_bytes(f->table, s));
    if (f->table->lowered)
        status = pp_table_simulate(f->table, s, p->costs, p->config.transfer, receive, f->scratch, p->timeline,
                                   p->blocked, &p->fault);
    else
        status = pp_simulate(s, p->costs, p->config.transfer, p->timeline, &p->fault);
    if (status != PP_OK) return status;
    void *scratch = malloc(pp_report_scratch_bytes(s) + 1);
    pp_report(s, &p->config, p->costs, p->timeline, scratch, &p->summary, p->ranks);
    free(scratch);
    return PP_OK;
}

/* The text of a table after passes, from malloc. table: the plan's own, or NULL to make one. */
static inline char *table_text(const pp_table *table, plan *p, int32_t passes, int32_t letters, pp_fault *fault) {
    pp_table *made = NULL;
    if (table == NULL) {
        size_t bytes = pp_table_make_bytes(p->schedule);
        made = malloc(bytes);
        if (pp_table_make(p->schedule, p->timeline, made, bytes, fault) != PP_OK) {
            free(made);
            return NULL;
        }
        table = made;
    }
    size_t bytes = pp_table_lower_bytes(table, p->schedule);
    pp_table *lowered = malloc(bytes);
    pp_table_lower(table, p->schedule, passes, lowered, bytes, fault);
    int32_t length = pp_table_print(lowered, letters, NULL, 0);
    char *out = malloc((size_t)length + 1);
    pp_table_print(lowered, letters, out, length + 1);
    free(lowered);
    free(made);
    return out;
}

#endif
