/* What an asynchronous schedule learns, without a pipeline: one micro-batch after the other through the whole network, every
 * stage with the version of its weights that the papers give it. Micro-batch x belongs to batch t = x div N, N micro-batches
 * to an update; stage s takes version max(0, t - d(s)), and the update number t + 1 of each stage adds the mean gradient of
 * batch t to its newest version. PipeDream: N = 1, d(s) = p - 1 - s, or m - 1 where that is less (Narayanan et al. 2019,
 * section 3.3, w1(t - n + 1) .. wn(t)); PipeDream-2BW: d = 1 (Narayanan et al. 2021, section 3.1). Nothing here walks a
 * schedule: which version it is follows from the numbers alone. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "network/reference.h"
#include "network/tensor.h"
#include "request/request.h"
#include "run/runtime.h"

/* At the head of the caller's memory; behind it floats, and labels, which are as long. Version v of all weights is in slot
 * v % kept. */
typedef struct delayed {
    const pp_config *config;
    int64_t passed;  /* micro-batches */
    int32_t samples; /* with a label, of the update under way */
    int32_t kept, every, late;
} delayed;

/* Stage 0 has the longest delay. */
static size_t version_floats(const pp_config *config, const pp_network *network) {
    return ((size_t)pp_weight_lag(config, 0) + 1) * (size_t)network->parameter_count;
}

size_t pp_delayed_bytes(const pp_config *config, const pp_network *network, const pp_training *training) {
    return sizeof(delayed) + version_floats(config, network) * sizeof(float) + pp_reference_bytes(network, training);
}

static float *version(const delayed *d, const pp_network *network, int64_t v) {
    return (float *)(d + 1) + (size_t)(v % d->kept) * (size_t)network->parameter_count;
}

int32_t pp_delayed_init(const pp_config *config, pp_network *network, const pp_training *training, int32_t late,
                        void *memory, size_t bytes) {
    delayed *d = memory;
    assert(memory != NULL && ((uintptr_t)memory & 7) == 0 && pp_update_every(config) > 0);
    if (bytes < pp_delayed_bytes(config, network, training)) return PP_ERR_CAPACITY;
    pp_network_options(network, training);
    *d = (delayed){config, 0, 0, pp_weight_lag(config, 0) + 1, pp_update_every(config), late};
    memcpy(d + 1, network->parameters, (size_t)network->parameter_count * sizeof(float));
    return PP_OK;
}

int32_t pp_delayed_step(pp_network *network, pp_data *data, const pp_training *training, int32_t step, void *memory,
                        size_t bytes, double *loss) {
    delayed *d = memory;
    const int32_t m = training->microbatches;
    const size_t all = (size_t)network->parameter_count * sizeof(float);
    float *const whole = (float *)(d + 1) + version_floats(d->config, network), *losses;
    int32_t *labels;
    int finite = 1;
    (void)bytes;
    pp_reference_load(network, data, step, whole, &labels, &losses);
    for (int32_t k = 0; k < m; k++) {
        const int32_t row = pp_microbatch_row(training->split, training->batch, m, k);
        const int64_t t = d->passed / d->every;
        if (d->passed++ % d->every == 0) pp_zero(network->gradients, network->parameter_count);
        for (int32_t s = 0; s < network->stages; s++) {
            const int64_t v = t - (d->late ? pp_weight_lag(d->config, s) : 0);
            float *const w = pp_stage_parameters(network, s);
            memcpy(w, version(d, network, v > 0 ? v : 0) + (w - network->parameters),
                   (size_t)pp_stage_parameter_count(network, s) * sizeof(float));
        }
        pp_reference_microbatch(network, whole, k);
        d->samples += pp_with_label(labels + row, pp_microbatch_row(training->split, training->batch, m, k + 1) - row);
        memcpy(network->parameters, version(d, network, t), all);
        if (d->passed % d->every != 0) continue;
        for (int32_t s = 0; s < network->stages; s++) finite &= pp_stage_update(network, s, d->samples, t + 1);
        memcpy(version(d, network, t + 1), network->parameters, all);
        d->samples = 0;
    }
    const double mean = pp_mean_loss(training->batch, labels, losses);
    if (loss != NULL) *loss = mean;
    return finite && isfinite(mean) ? PP_OK : PP_ERR_DIVERGED;
}
