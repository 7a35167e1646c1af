/* The network against a plain double version of itself, its stages against the whole, and the data. Linked without any
 * schedule: a network does not need one. */
#include "check.h"
#include "network/data.h"
#include "network/model.h"
#include "network/tensor.h"

#include <stdlib.h>

/* ---- a network on the heap, each array with its own memory ---- */

static pp_network *make_network(const int32_t *widths, int32_t layers, int32_t stages, const int32_t *cuts,
                                int32_t activation, int32_t loss) {
    const size_t bytes = pp_network_bytes(widths, layers, stages, activation);
    void *memory = malloc(bytes);
    CHECK_EQ_INT(pp_network_init(widths, layers, stages, cuts, activation, loss, memory, bytes), PP_OK);
    return memory;
}

static pp_data *make_data(int32_t kind, int32_t seed, int32_t init) {
    const pp_training training = {.data = kind, .seed = seed, .init = init};
    const size_t bytes = pp_data_bytes(&training);
    void *memory = malloc(bytes);
    CHECK_EQ_INT(pp_data_init(&training, memory, bytes), PP_OK);
    return memory;
}

/* ---- the same network in doubles, written from its definition ---- */

enum { WIDEST = 64 };

static double plain_loss(const pp_network *network, const double *parameters, const float *features,
                         const int32_t *labels, int32_t rows) {
    const int32_t outputs = network->widths[network->layers];
    double total = 0;
    int32_t counted = 0;
    for (int32_t r = 0; r < rows; r++) {
        if (labels[r] < 0) continue;
        double x[WIDEST], y[WIDEST];
        for (int32_t i = 0; i < network->widths[0]; i++) x[i] = features[r * network->widths[0] + i];
        const double *w = parameters;
        for (int32_t l = 0; l < network->layers; l++) {
            const int32_t in = network->widths[l], out = network->widths[l + 1];
            for (int32_t o = 0; o < out; o++) {
                y[o] = w[in * out + o];
                for (int32_t i = 0; i < in; i++) y[o] += x[i] * w[i * out + o];
                if (l < network->layers - 1 && network->activation == PP_ACTIVATION_TANH) y[o] = tanh(y[o]);
                if (l < network->layers - 1 && network->activation == PP_ACTIVATION_RELU) y[o] = fmax(y[o], 0);
            }
            w += (in + 1) * out;
            memcpy(x, y, sizeof x);
        }
        counted++;
        if (network->loss == PP_LOSS_CROSS_ENTROPY) {
            double sum = 0;
            for (int32_t o = 0; o < outputs; o++) sum += exp(x[o]);
            total += log(sum) - x[labels[r]];
        } else {
            for (int32_t o = 0; o < outputs; o++) {
                const double target = outputs == 1 ? (labels[r] ? 1 : -1) : labels[r] == o;
                total += (x[o] - target) * (x[o] - target);
            }
        }
    }
    return total / counted;
}

static void test_gradients(int32_t activation, int32_t loss, const int32_t *widths, int32_t layers) {
    enum { BATCH = 11 };
    pp_network *network = make_network(widths, layers, 1, NULL, activation, loss);
    const int32_t kind = widths[0] == 4 ? PP_DATA_IRIS : PP_DATA_SPIRALS, count = network->parameter_count;
    pp_data *data = make_data(kind, 3, PP_INIT_RANDOM);
    if (kind == PP_DATA_IRIS)
        for (int32_t n = 0; n < data->samples; n++) {
            data->labels[n] = n % 3;
            for (int32_t i = 0; i < 4; i++) data->features[4 * n + i] = (float)sin(n * 1.7 + i * i);
        }
    data->labels[4] = -1; /* somewhere in the batches is a sample without a label */
    pp_network_seed(network, PP_INIT_RANDOM, 7);
    for (int32_t i = 0; i < count; i++) network->parameters[i] += 0.05f * (float)sin(i * 2.3); /* biases, too */

    double *parameters = malloc((size_t)count * sizeof(double));
    for (int32_t i = 0; i < count; i++) parameters[i] = network->parameters[i];
    const pp_training training = {.batch = BATCH, .rate = 0.25};
    const size_t bytes = pp_reference_bytes(network, &training);
    void *memory = malloc(bytes);
    float features[BATCH * 4];
    int32_t labels[BATCH];
    double mean, largest = 0, worst = 0;
    pp_data_batch(data, 5, BATCH, features, labels);
    CHECK_EQ_INT(pp_reference_step(network, data, &training, 5, memory, bytes, &mean), PP_OK);
    CHECK_NEAR(mean, plain_loss(network, parameters, features, labels, BATCH), 1e-6 * fmax(1, mean));
    for (int32_t i = 0; i < count; i++) largest = fmax(largest, fabs((double)network->gradients[i]));
    CHECK(largest > 1e-3);
    for (int32_t i = 0; i < count; i++) {
        const double h = 1e-6, at = parameters[i];
        parameters[i] = at + h;
        const double above = plain_loss(network, parameters, features, labels, BATCH);
        parameters[i] = at - h;
        const double below = plain_loss(network, parameters, features, labels, BATCH);
        parameters[i] = at;
        worst = fmax(worst, fabs((double)network->gradients[i] - (above - below) / (2 * h)));
        CHECK_NEAR(network->parameters[i], at - 0.25 * network->gradients[i], 1e-6); /* the step was taken */
    }
    CHECK_MSG(worst <= 1e-4 * largest, "activation %d loss %d: off by %g of %g", activation, loss, worst, largest);
    free(memory), free(parameters), free(data), free(network);
}

static void test_all_gradients(void) {
    const int32_t one[] = {2, 12, 12, 12, 1}, two[] = {2, 10, 7, 2}, deep[] = {2, 8, 8, 8, 8, 8, 8, 8, 2};
    const int32_t three[] = {4, 9, 5, 3}, line[] = {2, 1};
    for (int32_t activation = 0; activation < 3; activation++) {
        for (int32_t loss = 0; loss < 2; loss++) {
            test_gradients(activation, loss, two, 3);
            test_gradients(activation, loss, deep, 8);
            test_gradients(activation, loss, three, 3);
        }
        test_gradients(activation, PP_LOSS_SQUARED_ERROR, one, 4);
        test_gradients(activation, PP_LOSS_SQUARED_ERROR, line, 1);
    }
}

/* ---- cuts ---- */

static void test_cuts(void) {
    const int32_t widths[] = {2, 3, 4, 5, 6, 7, 8, 1};
    pp_network *network = make_network(widths, 7, 3, NULL, PP_ACTIVATION_TANH, PP_LOSS_SQUARED_ERROR);
    const int32_t even[] = {0, 3, 5, 7}; /* 7 layers in 3 stages: 3, 2, 2 */
    for (int32_t s = 0; s < 4; s++) CHECK_EQ_INT(network->cuts[s], even[s]);
    CHECK_EQ_INT(pp_stage_input_width(network, 1), 5);
    CHECK_EQ_INT(pp_stage_output_width(network, 1), 7);
    CHECK_EQ_INT(pp_stage_width(network, 1), 13);
    CHECK_EQ_INT(network->parameter_count, 3 * 3 + 4 * 4 + 5 * 5 + 6 * 6 + 7 * 7 + 8 * 8 + 9);
    const size_t bytes = pp_network_bytes(widths, 7, 3, 0);
    const int32_t good[] = {0, 1, 6, 7}, gap[] = {0, 3, 3, 7}, late[] = {1, 3, 5, 7}, early[] = {0, 3, 5, 6};
    CHECK_EQ_INT(pp_network_init(widths, 7, 3, good, 0, 0, network, bytes), PP_OK);
    CHECK_EQ_INT(network->cuts[2], 6);
    CHECK_EQ_INT(pp_network_init(widths, 7, 3, gap, 0, 0, network, bytes), PP_ERR_LAYERS);
    CHECK_EQ_INT(pp_network_init(widths, 7, 3, late, 0, 0, network, bytes), PP_ERR_LAYERS);
    CHECK_EQ_INT(pp_network_init(widths, 7, 3, early, 0, 0, network, bytes), PP_ERR_LAYERS);
    CHECK_EQ_INT(pp_network_init(widths, 7, 3, NULL, 0, 0, network, bytes - 1), PP_ERR_CAPACITY);
    free(network);
    void *memory = malloc(pp_network_bytes(widths, 2, 3, 0));
    CHECK_EQ_INT(pp_network_init(widths, 2, 3, NULL, 0, 0, memory, pp_network_bytes(widths, 2, 3, 0)), PP_ERR_LAYERS);
    free(memory);
}

/* Stages one after the other, with B = I then W, micro-batch by micro-batch in order: the floats of the reference. */
static void test_stages(int32_t stages, const int32_t *cuts) {
    enum { BATCH = 8, LAYERS = 5 };
    const int32_t widths[] = {2, 6, 5, 9, 4, 2};
    pp_network *network = make_network(widths, LAYERS, stages, cuts, PP_ACTIVATION_TANH, PP_LOSS_CROSS_ENTROPY);
    pp_network *other = make_network(widths, LAYERS, 1, NULL, PP_ACTIVATION_TANH, PP_LOSS_CROSS_ENTROPY);
    pp_data *data = make_data(PP_DATA_CIRCLES, 1, PP_INIT_RANDOM);
    pp_network_seed(network, PP_INIT_RANDOM, 1);
    pp_network_seed(other, PP_INIT_RANDOM, 1);
    CHECK_EQ_DOUBLE(pp_weight_difference(network, other), 0); /* whatever the stages */
    float features[BATCH * 2], losses[BATCH], targets[BATCH * 2];
    int32_t labels[BATCH];
    pp_data_batch(data, 0, BATCH, features, labels);
    pp_network_targets(network, labels, BATCH, targets);
    const int32_t sizes[] = {3, 3, 2};
    for (int32_t k = 0, row = 0; k < 3; row += sizes[k++]) {
        const int32_t rows = sizes[k];
        float *input[8], *activations[8], *deltas[8];
        for (int32_t s = 0; s < stages; s++) {
            input[s] = malloc((size_t)(rows * pp_stage_input_width(network, s)) * sizeof(float));
            activations[s] = malloc((size_t)(rows * pp_stage_width(network, s)) * sizeof(float));
            deltas[s] = malloc((size_t)(rows * pp_stage_width(network, s)) * sizeof(float));
            const float *from = s == 0 ? features + 2 * row : pp_stage_output(network, s - 1, rows, activations[s - 1]);
            memcpy(input[s], from, (size_t)(rows * pp_stage_input_width(network, s)) * sizeof(float));
            pp_stage_forward(network, s, rows, input[s], activations[s]);
        }
        float *gradient = malloc((size_t)rows * 2 * sizeof(float));
        const float *output = pp_stage_output(network, stages - 1, rows, activations[stages - 1]);
        pp_network_loss_forward(network, rows, output, labels + row, targets + 2 * row, losses + row);
        pp_network_loss_backward(network, rows, output, labels + row, targets + 2 * row, gradient);
        for (int32_t s = stages - 1; s >= 0; s--) {
            float *dx = s > 0 ? malloc((size_t)(rows * pp_stage_input_width(network, s)) * sizeof(float)) : NULL;
            pp_stage_backward_input(network, s, rows, activations[s], gradient, deltas[s], dx);
            free(gradient);
            gradient = dx;
        }
        for (int32_t s = 0; s < stages; s++) {
            pp_stage_backward_weight(network, s, rows, input[s], activations[s], deltas[s], network->gradients);
            free(input[s]), free(activations[s]), free(deltas[s]);
        }
    }
    double loss, reference_loss;
    const pp_training training = {.batch = BATCH, .rate = 0.1};
    const size_t bytes = pp_reference_bytes(other, &training);
    void *memory = malloc(bytes);
    network->options.rate = 0.1;
    CHECK_EQ_INT(pp_network_update(network, BATCH, labels, losses, &loss), PP_OK);
    CHECK_EQ_INT(pp_reference_step(other, data, &training, 0, memory, bytes, &reference_loss), PP_OK);
    CHECK_EQ_DOUBLE(loss, reference_loss);
    CHECK_EQ_DOUBLE(pp_gradient_difference(network, other), 0);
    CHECK_EQ_DOUBLE(pp_weight_difference(network, other), 0);
    other->parameters[3] += 0.5f;
    other->gradients[4] -= 2;
    CHECK_NEAR(pp_weight_difference(network, other), 0.5, 1e-6);
    CHECK_NEAR(pp_gradient_difference(network, other), 2, 1e-6);
    pp_network_copy(other, network);
    CHECK_EQ_DOUBLE(pp_weight_difference(network, other) + pp_gradient_difference(network, other), 0);
    free(memory), free(data), free(other), free(network);
}

/* ---- learning ---- */

/* One step changes every parameter (tanh), a hundred lower the loss. */
static void test_learns(int32_t kind, int32_t loss, double below) {
    const int32_t outputs = loss == PP_LOSS_SQUARED_ERROR ? 1 : 2, widths[] = {2, 16, 16, 16, outputs};
    pp_network *network = make_network(widths, 4, 2, NULL, PP_ACTIVATION_TANH, loss);
    pp_data *data = make_data(kind, 1, PP_INIT_RANDOM);
    const pp_training training = {.batch = 32, .rate = 0.1};
    const size_t bytes = pp_reference_bytes(network, &training);
    void *memory = malloc(bytes);
    pp_network_seed(network, PP_INIT_RANDOM, 1);
    float *before = malloc((size_t)network->parameter_count * sizeof(float));
    memcpy(before, network->parameters, (size_t)network->parameter_count * sizeof(float));
    const double first = pp_network_loss(network, data);
    for (int32_t step = 0; step < 100; step++) {
        CHECK_EQ_INT(pp_reference_step(network, data, &training, step, memory, bytes, NULL), PP_OK);
        if (step > 0) continue;
        for (int32_t i = 0; i < network->parameter_count; i++) CHECK(network->parameters[i] != before[i]);
    }
    const double last = pp_network_loss(network, data);
    CHECK_MSG(last < below * first, "data %d loss %d: %g after %g", kind, loss, last, first);
    free(before), free(memory), free(data), free(network);
}

/* A rate far too large: the loss leaves the range, the status says so, the weights stay as they were. */
static void test_diverges(void) {
    const int32_t widths[] = {2, 8, 8, 1};
    pp_network *network = make_network(widths, 3, 1, NULL, PP_ACTIVATION_RELU, PP_LOSS_SQUARED_ERROR);
    pp_network *kept = make_network(widths, 3, 1, NULL, PP_ACTIVATION_RELU, PP_LOSS_SQUARED_ERROR);
    pp_data *data = make_data(PP_DATA_XOR, 1, PP_INIT_RANDOM);
    const pp_training training = {.batch = 16, .rate = 1000};
    const size_t bytes = pp_reference_bytes(network, &training);
    void *memory = malloc(bytes);
    int32_t status = PP_OK;
    pp_network_seed(network, PP_INIT_RANDOM, 1);
    for (int32_t step = 0; step < 100 && status == PP_OK; step++) {
        pp_network_copy(kept, network);
        status = pp_reference_step(network, data, &training, step, memory, bytes, NULL);
    }
    CHECK_EQ_INT(status, PP_ERR_DIVERGED);
    CHECK_EQ_DOUBLE(pp_weight_difference(network, kept), 0);
    CHECK_EQ_INT(pp_reference_step(network, data, &training, 0, memory, bytes - 1, NULL), PP_ERR_CAPACITY);
    free(memory), free(data), free(kept), free(network);
}

/* ---- evaluation ---- */

static void test_predict(void) {
    const int32_t widths[] = {2, 7, 2}, widths_one[] = {2, 7, 1};
    pp_network *network = make_network(widths, 2, 1, NULL, PP_ACTIVATION_TANH, PP_LOSS_CROSS_ENTROPY);
    pp_network *single = make_network(widths_one, 2, 1, NULL, PP_ACTIVATION_TANH, PP_LOSS_SQUARED_ERROR);
    pp_data *data = make_data(PP_DATA_SPIRALS, 2, PP_INIT_RANDOM);
    pp_network_seed(network, PP_INIT_RANDOM, 4);
    pp_network_seed(single, PP_INIT_RANDOM, 4);
    const int32_t n = data->samples;
    float *outputs = malloc((size_t)n * 2 * sizeof(float)), *raw = malloc((size_t)n * sizeof(float)), one[2];
    int32_t *classes = malloc((size_t)n * sizeof(int32_t)), right = 0;
    double *parameters = malloc((size_t)network->parameter_count * sizeof(double));
    for (int32_t i = 0; i < network->parameter_count; i++) parameters[i] = network->parameters[i];
    pp_network_predict(network, data->features, n, outputs, classes);
    double sum = 0;
    for (int32_t r = 0; r < n; r++) {
        CHECK_NEAR(outputs[2 * r] + outputs[2 * r + 1], 1, 1e-6);
        CHECK_EQ_INT(classes[r], outputs[2 * r + 1] > outputs[2 * r]);
        right += classes[r] == data->labels[r];
        sum -= log((double)outputs[2 * r + data->labels[r]]);
        pp_network_predict(network, data->features + 2 * r, 1, one, NULL); /* alone or among many */
        CHECK(memcmp(one, outputs + 2 * r, sizeof one) == 0);
    }
    CHECK_NEAR(pp_network_loss(network, data), sum / n, 1e-5);
    CHECK_NEAR(pp_network_loss(network, data), plain_loss(network, parameters, data->features, data->labels, n), 1e-6);
    CHECK_EQ_DOUBLE(pp_network_accuracy(network, data), (double)right / n);
    CHECK(right > 0 && right < n);
    pp_network_predict(single, data->features, n, raw, classes);
    for (int32_t r = 0; r < n; r++) CHECK_EQ_INT(classes[r], raw[r] > 0);
    free(parameters), free(classes), free(raw), free(outputs), free(data), free(single), free(network);
}

/* ---- data ---- */

static void test_data(void) {
    for (int32_t kind = PP_DATA_SPIRALS; kind <= PP_DATA_XOR; kind++) {
        pp_data *data = make_data(kind, 1, PP_INIT_RANDOM), *same = make_data(kind, 1, PP_INIT_RANDOM);
        pp_data *unlike = make_data(kind, 2, PP_INIT_RANDOM), *whole = make_data(kind, 1, PP_INIT_WHOLE);
        const size_t bytes = (size_t)(data->samples * 2) * sizeof(float);
        CHECK_EQ_INT(data->samples, 256);
        CHECK(memcmp(data->features, same->features, bytes) == 0);
        CHECK(memcmp(data->features, unlike->features, bytes) != 0);
        int32_t ones = 0;
        for (int32_t n = 0; n < data->samples; n++) {
            ones += data->labels[n] == 1;
            const float x = data->features[2 * n], y = data->features[2 * n + 1];
            CHECK(fabsf(x) < 1.1f && fabsf(y) < 1.1f);
            if (kind == PP_DATA_XOR) CHECK_EQ_INT(data->labels[n], (x > 0) != (y > 0));
            if (kind == PP_DATA_CIRCLES) CHECK_EQ_INT(data->labels[n], x * x + y * y > 0.3f);
            CHECK(whole->features[2 * n] == roundf(whole->features[2 * n]) && fabsf(whole->features[2 * n]) <= 3);
            CHECK_NEAR(whole->features[2 * n], 3 * x, 0.500001);
        }
        CHECK_EQ_INT(ones, 128);
        free(data), free(same), free(unlike), free(whole);
    }
    pp_data *iris = make_data(PP_DATA_IRIS, 1, PP_INIT_RANDOM);
    CHECK_EQ_INT(iris->samples, 150);
    CHECK_EQ_INT(pp_data_inputs(iris), 4);
    for (int32_t n = 0; n < 150; n++)
        for (int32_t i = 0; i < 4; i++)
            pp_data_features(iris)[4 * n + i] = i == 3 ? 5 : (float)(n % (7 + i)) * 0.1f + 40;
    pp_data_normalize(iris);
    for (int32_t i = 0; i < 4; i++) {
        double sum = 0, squares = 0;
        for (int32_t n = 0; n < 150; n++) sum += iris->features[4 * n + i];
        for (int32_t n = 0; n < 150; n++) squares += iris->features[4 * n + i] * (double)iris->features[4 * n + i];
        CHECK_NEAR(sum / 150, 0, 1e-5);
        CHECK_NEAR(squares / 150, i == 3 ? 0 : 1, 1e-5);
    }
    const pp_training training = {.data = PP_DATA_IRIS};
    CHECK_EQ_INT(pp_data_init(&training, iris, pp_data_bytes(&training) - 1), PP_ERR_CAPACITY);
    free(iris);
}

/* Batches of any size walk through all samples once before any comes again, and depend on the step alone. */
static void test_batches(void) {
    enum { BATCH = 60 };
    pp_data *data = make_data(PP_DATA_SPIRALS, 5, PP_INIT_RANDOM);
    float features[2 * BATCH], again[2 * BATCH];
    int32_t labels[BATCH], seen[256] = {0}, taken = 0;
    for (int32_t step = 0; taken < 10 * 256; step++) {
        pp_data_batch(data, step, BATCH, features, labels);
        for (int32_t r = 0; r < BATCH && taken < 10 * 256; r++, taken++) {
            int32_t n = 0;
            while (memcmp(data->features + 2 * n, features + 2 * r, 2 * sizeof(float)) != 0) n++;
            CHECK_EQ_INT(seen[n], taken / 256);
            CHECK_EQ_INT(labels[r], data->labels[n]);
            seen[n]++;
        }
    }
    int32_t same = 0; /* each round has an order of its own */
    float first[2 * 256], second[2 * 256];
    int32_t all_labels[256];
    pp_data_batch(data, 0, 256, first, all_labels);
    pp_data_batch(data, 1, 256, second, all_labels);
    for (int32_t r = 0; r < 256; r++) same += first[2 * r] == second[2 * r];
    CHECK(same < 20);
    pp_data_batch(data, 3, BATCH, features, labels);
    pp_data_batch(data, 999999, BATCH, again, labels);
    CHECK(memcmp(features, again, sizeof features) != 0);
    pp_data_batch(data, 3, BATCH, again, labels);
    CHECK(memcmp(features, again, sizeof features) == 0);
    free(data);
}

/* Means over samples, not over micro-batches: cases.md TEN-05. */
static void test_mean(void) {
    const float squares[] = {1, 4, 9, 16, 25}, masked[] = {1, 1, 1, 0, 5, 0};
    const int32_t all[] = {0, 0, 0, 0, 0}, some[] = {0, 0, 0, -1, 0, -1};
    CHECK_EQ_DOUBLE(pp_mean_loss(5, all, squares), 11);
    CHECK_EQ_DOUBLE(pp_mean_loss(6, some, masked), 2);
    const int32_t none[] = {-1, -1};
    CHECK_EQ_DOUBLE(pp_mean_loss(2, none, masked + 3) * 0, 0); /* a number, not 0 / 0 */
}

static void test_seeds(void) {
    const int32_t widths[] = {4, 12, 12, 12, 3};
    pp_network *a = make_network(widths, 4, 1, NULL, PP_ACTIVATION_RELU, PP_LOSS_CROSS_ENTROPY);
    pp_network *b = make_network(widths, 4, 1, NULL, PP_ACTIVATION_RELU, PP_LOSS_CROSS_ENTROPY);
    pp_network_seed(a, PP_INIT_RANDOM, 1);
    pp_network_seed(b, PP_INIT_RANDOM, 2);
    CHECK(pp_weight_difference(a, b) > 0.1);
    /* square layers are orthogonal: rows of square length 2 (relu), at right angles */
    const float *w = a->parameters + a->layer_begin[1];
    for (int32_t i = 0; i < 12; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double dot = 0;
            for (int32_t k = 0; k < 12; k++) dot += (double)w[12 * i + k] * w[12 * j + k];
            CHECK_NEAR(dot, i == j ? 2 : 0, 1e-5);
        }
    }
    pp_network_seed(a, PP_INIT_WHOLE, 1);
    int32_t nonzero = 0;
    for (int32_t i = 0; i < a->parameter_count; i++) {
        CHECK(a->parameters[i] == 0 || fabsf(a->parameters[i]) == 1);
        nonzero += a->parameters[i] != 0;
    }
    CHECK(nonzero > a->parameter_count / 10);
    free(a), free(b);
}

int main(void) {
    const int32_t uneven[] = {0, 3, 4, 5};
    test_all_gradients();
    test_cuts();
    for (int32_t stages = 1; stages <= 5; stages++) test_stages(stages, NULL);
    test_stages(3, uneven);
    test_learns(PP_DATA_SPIRALS, PP_LOSS_CROSS_ENTROPY, 0.95);
    test_learns(PP_DATA_SPIRALS, PP_LOSS_SQUARED_ERROR, 0.8);
    test_learns(PP_DATA_CIRCLES, PP_LOSS_CROSS_ENTROPY, 0.6);
    test_learns(PP_DATA_XOR, PP_LOSS_SQUARED_ERROR, 0.3);
    test_diverges();
    test_predict();
    test_data();
    test_batches();
    test_mean();
    test_seeds();
    return check_report("test_model");
}
