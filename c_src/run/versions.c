/* Weights of an asynchronous run. Each stage updates by itself, as soon as the backwards of an update are done, while other
 * micro-batches are under way; what those have seen of the weights stays for them in slots.
 *
 * PipeDream (Narayanan et al. 2019, section 3.3, weight stashing): an F takes the newest weights of its stage, and what
 * follows it for the same micro-batch the same ones. An update in place first copies what is still used.
 * PipeDream-2BW (Narayanan et al. 2021, section 3.1, double-buffered weights): update t + 1 adds the gradient of batch t,
 * taken at version t - 1: W(t + 1) = W(t) - rate * gradient(W(t - 1)). The version before the newest is always kept.
 *
 * Micro-batches begin and end in order, so versions in use follow each other, and version v fits slot v % slots: as many
 * slots, and the newest, as the simulation counts versions. */
#include <assert.h>
#include <string.h>

#include "network/tensor.h"
#include "run/runtime.h"

void pp_versions_begin(pp_run *run) {
    run->flows = 1;
    run->origin = run->steps;
    memset(run->versions, 0, (size_t)run->schedule->stages * sizeof(pp_versions));
}

float *pp_versions_weights(const pp_run *run, const pp_versions *of, int64_t v) {
    assert(v <= of->made && v + run->slots >= of->made);
    return v == of->made ? run->network->parameters
                         : run->older + (size_t)(v % run->slots) * (size_t)run->network->parameter_count;
}

/* The version that micro-batch x, begun or next to begin, uses. */
static int64_t version_of(const pp_run *run, int32_t stage, int64_t x) {
    const pp_versions *of = &run->versions[stage];
    const int32_t m = run->schedule->microbatches, back = run->schedule->kept_back;
    if (x < of->begun) return run->version[stage * m + x % m];
    if (back == 0) return of->made;
    const int64_t v = x / run->schedule->update_every - back;
    return v > 0 ? v : 0;
}

int64_t pp_versions_oldest(const pp_run *run, int32_t stage) {
    return version_of(run, stage, run->versions[stage].ended);
}

/* From the oldest to the newest. */
static void count(const pp_run *run, int32_t stage) {
    pp_versions *of = &run->versions[stage];
    const int32_t there = (int32_t)(of->made - pp_versions_oldest(run, stage)) + 1;
    if (there > of->most) of->most = there;
}

void pp_versions_enter(pp_run *run, const pp_action *a) {
    pp_versions *of = &run->versions[a->stage];
    pp_network *network = run->network;
    const int64_t x = a->op == PP_F ? of->begun : of->ended, v = version_of(run, a->stage, x);
    network->pass.step = run->origin + (int32_t)(x / run->schedule->microbatches);
    network->parameters = pp_versions_weights(run, of, v);
    if (a->op == PP_F) {
        run->version[a->stage * run->schedule->microbatches + a->microbatch] = v;
        of->begun++;
        count(run, a->stage);
    } else if (of->ended % run->schedule->update_every == 0 && a->op == PP_B) {
        pp_zero(network->gradients + network->layer_begin[network->cuts[a->stage]],
                pp_stage_parameter_count(network, a->stage));
    }
}

void pp_versions_leave(pp_run *run, const pp_action *a) {
    const int32_t stage = a->stage, row = run->microbatch_begin[a->microbatch];
    pp_versions *of = &run->versions[stage];
    pp_network *network = run->network;
    const int32_t late = (int32_t)(of->made - pp_versions_oldest(run, stage));
    const int32_t samples = pp_with_label(run->labels + row, run->microbatch_begin[a->microbatch + 1] - row);
    if (run->only >= 0 || stage == network->stages - 1) run->labelled += samples;
    of->samples += samples;
    if (++of->ended % run->schedule->update_every != 0) return;
    if (late > of->late) of->late = late;
    /* Is the newest still to be used, or kept for the next batch? */
    if (run->schedule->kept_back > 0 || (of->begun > of->ended && version_of(run, stage, of->begun - 1) == of->made)) {
        float *const newest = pp_stage_parameters(network, stage);
        memcpy(run->older + (size_t)(of->made % run->slots) * (size_t)network->parameter_count +
                   (newest - network->parameters),
               newest, (size_t)pp_stage_parameter_count(network, stage) * sizeof(float));
    }
    run->diverged |= !pp_stage_update(network, stage, of->samples, ++of->made);
    of->samples = 0;
    count(run, stage);
}

int pp_stage_update(pp_network *network, int32_t stage, int32_t samples, int64_t step) {
    const int32_t begin = network->layer_begin[network->cuts[stage]], size = pp_stage_parameter_count(network, stage);
    if (!pp_divide(network->gradients + begin, (float)(samples > 0 ? samples : 1), size)) return 0;
    pp_descend(network, begin, size, step < INT32_MAX ? (int32_t)step : INT32_MAX);
    return 1;
}
