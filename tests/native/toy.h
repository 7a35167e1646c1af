/* A request and all that follows from it, each object in memory of exactly the size it asked for, so that an overrun is
 * seen by the sanitizer. */
#ifndef PP_TOY_H
#define PP_TOY_H

#include "check.h"
#include "plan.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct toy {
    plan plan;
    pp_schedule *schedule; /* of the plan, as is the timeline */
    pp_timeline *timeline;
    pp_training training;
    pp_data *data;
    pp_network *network, *twin; /* of the run, and of the reference */
    pp_run *run;
    void *workspace;
    size_t workspace_bytes;
} toy;

/* The request without its training options, which pp_config_read does not know. out: as long as the request. */
static inline void toy_split(const char *request, char *out) {
    for (const char *line = request; *line != 0;) {
        const char *end = strchr(line, '\n');
        const size_t length = end != NULL ? (size_t)(end - line) + 1 : strlen(line);
        int training = 0;
        for (int32_t o = 0; o < pp_training_option_count(); o++) {
            const char *name = pp_option_name(pp_training_option_first() + o);
            training |= strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == '=';
        }
        if (!training) {
            memcpy(out, line, length);
            out += length;
        }
        line += length;
    }
    *out = 0;
}

/* Up to the times. Returns the first status that is not PP_OK. */
static inline int32_t toy_simulate(toy *t, const char *request, pp_fault *fault) {
    memset(t, 0, sizeof *t);
    char *half = malloc(strlen(request) + 1);
    toy_split(request, half);
    const int32_t status = plan_make(&t->plan, half);
    free(half);
    if (fault != NULL) *fault = t->plan.fault;
    t->schedule = t->plan.schedule;
    t->timeline = t->plan.timeline;
    return status;
}

/* All of it, up to a run before its first step. */
static inline int32_t toy_build(toy *t, const char *request, pp_fault *fault) {
    int32_t status = toy_simulate(t, request, fault);
    if (status != PP_OK) return status;
    status = pp_training_parse(request, (int32_t)strlen(request), &t->training, fault);
    if (status != PP_OK) return status;
    status = pp_training_fit(&t->training, t->schedule->stages, t->schedule->microbatches, fault);
    if (status != PP_OK) return status;

    size_t bytes = pp_data_bytes(&t->training);
    t->data = malloc(bytes);
    status = pp_data_init(&t->training, t->data, bytes);
    if (status != PP_OK) return status;
    int32_t *widths = malloc(((size_t)t->training.depth + 1) * sizeof(int32_t));
    pp_training_widths(&t->training, widths);
    bytes = pp_network_bytes(widths, t->training.depth, t->schedule->stages, pp_training_kind(&t->training));
    t->network = malloc(bytes);
    t->twin = malloc(bytes);
    for (int copy = 0; copy < 2 && status == PP_OK; copy++) {
        pp_network *network = copy ? t->twin : t->network;
        status = pp_network_init(widths, t->training.depth, t->schedule->stages, NULL, pp_training_kind(&t->training),
                                 t->training.loss, network, bytes);
        pp_network_seed(network, t->training.init, t->training.seed);
    }
    free(widths);
    if (status != PP_OK) return status;
    t->workspace_bytes = pp_update_every(&t->plan.config) > 0 ? pp_delayed_bytes(&t->plan.config, t->twin, &t->training)
                                                              : pp_reference_bytes(t->twin, &t->training);
    t->workspace = malloc(t->workspace_bytes);
    bytes = pp_run_bytes(t->schedule, t->network, &t->training);
    t->run = malloc(bytes);
    memset(t->run, 0xA5, bytes); /* nothing may rely on zeros */
    return pp_run_init(t->schedule, t->timeline, t->network, t->data, &t->training, t->run, bytes, fault);
}

/* A step of the twin without a pipeline; of an asynchronous schedule, with the same delays, and from step 0 on. */
static inline int32_t toy_reference(toy *t, int32_t step, double *loss) {
    const int late = pp_update_every(&t->plan.config) > 0;
    if (late && step == 0) pp_delayed_init(&t->plan.config, t->twin, &t->training, 1, t->workspace, t->workspace_bytes);
    return (late ? pp_delayed_step : pp_reference_step)(t->twin, t->data, &t->training, step, t->workspace,
                                                        t->workspace_bytes, loss);
}

static inline void toy_drop(toy *t) {
    plan_free(&t->plan);
    free(t->data), free(t->network), free(t->twin), free(t->workspace), free(t->run);
}

/* Measured bytes of live activations against pp_memory_peaks of the same network. */
static inline void toy_bytes_equal(toy *t, const char *request) {
    const size_t n = (size_t)t->schedule->stages, p = (size_t)t->schedule->ranks;
    double *table = malloc(PP_MEMORY_ROWS * n * sizeof(double)), *peaks = malloc(p * sizeof *peaks);
    void *scratch = malloc(pp_memory_scratch_bytes(t->schedule));
    pp_run_memory(t->run, table);
    pp_memory_peaks(t->schedule, table, pp_run_microbatch_begin(t->run), scratch, peaks);
    for (size_t r = 0; r < p; r++) {
        const double measured = pp_run_peak_bytes(t->run, (int32_t)r);
        CHECK_MSG(measured == peaks[r], "rank %d: %g bytes measured, %g simulated: %s", (int)r, measured, peaks[r],
                  request);
    }
    free(table), free(peaks), free(scratch);
}

#endif
