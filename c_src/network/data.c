#include "network/data.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/random.h"
#include "network/tensor.h"

static const struct {
    int32_t samples, inputs;
} shapes[] = {
#define SHAPE(id, name, samples, features, classes) [id] = {samples, features},
    PP_DATA_KINDS(SHAPE)
#undef SHAPE
};

/* ---- the pictures ---- */

/* Roughly normal, standard deviation 1: the sum of 12 uniform draws, which needs no logarithm. */
static double noise(uint64_t *state) {
    double sum = -6.0;
    for (int32_t i = 0; i < 12; i++) sum += pp_random_unit(state);
    return sum;
}

/* Two arms, half a turn apart, each one turn long. */
static void spiral(uint64_t *state, int32_t label, double along, double *x, double *y) {
    double cosine, sine;
    const double radius = 0.1 + 0.85 * along;
    pp_turn(along + 0.5 * label, &cosine, &sine);
    *x = radius * cosine + 0.02 * noise(state);
    *y = radius * sine + 0.02 * noise(state);
}

/* A disc and a ring around it. */
static void circle(uint64_t *state, int32_t label, double *x, double *y) {
    double cosine, sine;
    const double unit = pp_random_unit(state);
    const double radius = label == 0 ? 0.45 * sqrt(unit) : 0.65 + 0.3 * unit;
    pp_turn(pp_random_unit(state), &cosine, &sine);
    *x = radius * cosine;
    *y = radius * sine;
}

/* Four squares; class 1 where the signs of x and y differ. */
static void quadrant(uint64_t *state, int32_t label, int32_t right, double *x, double *y) {
    *x = (right ? 1.0 : -1.0) * (0.08 + 0.87 * pp_random_unit(state));
    *y = (right != label ? 1.0 : -1.0) * (0.08 + 0.87 * pp_random_unit(state));
}

static float whole_number(double x) { return (float)(int32_t)(x < 0.0 ? x - 0.5 : x + 0.5); }

static void generate(pp_data *data) {
    uint64_t state = pp_random_key(data->seed, PP_RANDOM_DATA, data->kind);
    const int32_t per_class = data->samples / 2;
    for (int32_t i = 0; i < data->samples; i++) {
        const int32_t label = i % 2;
        double x = 0.0, y = 0.0;
        switch (data->kind) {
        case PP_DATA_SPIRALS: spiral(&state, label, (double)(i / 2) / (double)(per_class - 1), &x, &y); break;
        case PP_DATA_CIRCLES: circle(&state, label, &x, &y); break;
        default: quadrant(&state, label, i / 2 % 2, &x, &y); break;
        }
        data->features[2 * i] = data->whole ? whole_number(3.0 * x) : (float)x;
        data->features[2 * i + 1] = data->whole ? whole_number(3.0 * y) : (float)y;
        data->labels[i] = label;
    }
}

/* ---- the object ---- */

size_t pp_data_bytes(const pp_training *training) {
    const size_t samples = (size_t)shapes[training->data].samples, inputs = (size_t)shapes[training->data].inputs;
    return sizeof(pp_data) + samples * inputs * sizeof(float) + 2 * samples * sizeof(int32_t);
}

int32_t pp_data_init(const pp_training *training, void *memory, size_t bytes) {
    assert(memory != NULL && ((uintptr_t)memory & 7) == 0);
    if (bytes < pp_data_bytes(training)) return PP_ERR_CAPACITY;
    pp_data *data = memory;
    data->kind = training->data;
    data->samples = shapes[data->kind].samples;
    data->inputs = shapes[data->kind].inputs;
    data->seed = training->seed;
    data->whole = training->init == PP_INIT_WHOLE;
    data->epoch = -1;
    data->features = (float *)(data + 1);
    data->labels = (int32_t *)(data->features + (size_t)data->samples * (size_t)data->inputs);
    data->order = data->labels + data->samples;
    if (data->kind == PP_DATA_IRIS)
        memset(data->features, 0, pp_data_bytes(training) - sizeof *data);
    else
        generate(data);
    return PP_OK;
}

int32_t pp_data_samples(const pp_data *data) { return data->samples; }
int32_t pp_data_inputs(const pp_data *data) { return data->inputs; }
float *pp_data_features(pp_data *data) { return data->features; }
int32_t *pp_data_labels(pp_data *data) { return data->labels; }

void pp_data_normalize(pp_data *data) {
    const size_t inputs = (size_t)data->inputs;
    for (int32_t i = 0; i < data->inputs; i++) {
        float *column = data->features + i;
        double mean = 0.0, variance = 0.0;
        for (int32_t n = 0; n < data->samples; n++) mean += (double)column[(size_t)n * inputs];
        mean /= (double)data->samples;
        for (int32_t n = 0; n < data->samples; n++) {
            const double from_mean = (double)column[(size_t)n * inputs] - mean;
            variance += from_mean * from_mean;
        }
        variance /= (double)data->samples;
        const double scale = variance > 0.0 ? 1.0 / sqrt(variance) : 0.0;
        for (int32_t n = 0; n < data->samples; n++) {
            const double value = ((double)column[(size_t)n * inputs] - mean) * scale;
            column[(size_t)n * inputs] = data->whole ? whole_number(value) : (float)value;
        }
    }
}

/* ---- batches ---- */

static void shuffle(pp_data *data, int32_t epoch) {
    if (data->epoch == epoch) return;
    uint64_t state = pp_random_key(data->seed, PP_RANDOM_ORDER, epoch);
    for (int32_t n = 0; n < data->samples; n++) data->order[n] = n;
    for (int32_t n = data->samples - 1; n > 0; n--) { /* Fisher and Yates */
        const int32_t other = pp_random_below(&state, n + 1), kept = data->order[n];
        data->order[n] = data->order[other];
        data->order[other] = kept;
    }
    data->epoch = epoch;
}

void pp_data_batch(pp_data *data, int32_t step, int32_t batch, float *features, int32_t *labels) {
    pp_data_rows(data, (int64_t)step * batch, batch, features, labels);
}

void pp_data_rows(pp_data *data, int64_t first, int32_t rows, float *features, int32_t *labels) {
    const size_t inputs = (size_t)data->inputs;
    int32_t epoch = (int32_t)(first / data->samples), at = (int32_t)(first % data->samples);
    shuffle(data, epoch);
    for (int32_t n = 0; n < rows; n++, at++) {
        if (at == data->samples) shuffle(data, ++epoch), at = 0;
        const float *from = data->features + (size_t)data->order[at] * inputs;
        for (size_t i = 0; i < inputs; i++) *features++ = from[i]; /* a call would take longer */
        labels[n] = data->labels[data->order[at]];
    }
}

int32_t pp_microbatch_row(int32_t split, int32_t batch, int32_t m, int32_t k) {
    const int32_t each = batch / m, rest = batch % m, larger = each + (rest > 0);
    if (split == PP_SPLIT_LAST) return k < m ? k * larger : batch;
    return k * each + (k < rest ? k : rest);
}
