/* The training half of a request: what to learn, with which network, for how long. Numbers and names only; no tensors.
 * Ranges are those of a toy: large enough for every figure, small enough that nothing below can overflow. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "config.h"
#include "fault.h"
#include "number.h"

enum {
    WIDTH_MAX = 1024,
    DEPTH_MAX = 16384, /* as many as there can be stages */
    BATCH_MAX = 65536,
    STEPS_MAX = 1000000,
    SEED_MAX = 2147483647,
    RATE_MAX = 1000,
    BATCH_DEFAULT = 32,
    FLOATS_MAX = 1 << 27 /* 512 MiB */
};

static const char *const data_names[] = {
#define DATA_NAME(id, name, samples, features, classes) name,
    PP_DATA_KINDS(DATA_NAME)
#undef DATA_NAME
        "",
};
static const char *const activation_names[] = {"tanh", "relu", "identity", ""};
static const char *const loss_names[] = {"cross-entropy", "squared-error", ""};
static const char *const init_names[] = {"random", "whole", ""};

static const struct {
    const char *name;
    char kind;
} option_table[] = {
#define OPTION_ROW(id, name, kind) {name, kind},
    PP_TRAINING_OPTIONS(OPTION_ROW)
#undef OPTION_ROW
};

int32_t pp_training_option_first(void) { return PP_TRAIN_DATA; }
int32_t pp_training_option_count(void) { return PP_TRAIN_END - PP_TRAIN_DATA; }

static int option_valid(int32_t o) { return o >= PP_TRAIN_DATA && o < PP_TRAIN_END; }

const char *pp_training_option_name(int32_t option) {
    return option_valid(option) ? option_table[option - PP_TRAIN_DATA].name : "";
}

int32_t pp_training_option_kind(int32_t option) {
    return option_valid(option) ? option_table[option - PP_TRAIN_DATA].kind : 0;
}

const char *pp_training_option_value_name(int32_t option, int32_t value) {
    const char *const *names;
    switch (option) {
    case PP_TRAIN_DATA: names = data_names; break;
    case PP_TRAIN_ACTIVATION: names = activation_names; break;
    case PP_TRAIN_LOSS: names = loss_names; break;
    case PP_TRAIN_INIT: names = init_names; break;
    default: return "";
    }
    for (int32_t i = 0; names[i][0] != 0; i++)
        if (i == value) return names[i];
    return "";
}

double pp_training_option_min(int32_t option) {
    return option == PP_TRAIN_WIDTH || option == PP_TRAIN_STEPS ? 1.0 : 0.0;
}

double pp_training_option_max(int32_t option) {
    switch (option) {
    case PP_TRAIN_WIDTH: return WIDTH_MAX;
    case PP_TRAIN_DEPTH: return DEPTH_MAX;
    case PP_TRAIN_BATCH: return BATCH_MAX;
    case PP_TRAIN_STEPS: return STEPS_MAX;
    case PP_TRAIN_SEED: return SEED_MAX;
    case PP_TRAIN_RATE: return RATE_MAX;
    default: return 0.0;
    }
}

/* ---- the struct, for callers that do not see it ---- */

static const char *const field_names[] = {
#define FIELD_NAME(type, field) #field,
    PP_TRAINING_FIELDS(FIELD_NAME)
#undef FIELD_NAME
};

int32_t pp_training_bytes(void) { return (int32_t)sizeof(pp_training); }
int32_t pp_training_field_count(void) { return (int32_t)(sizeof field_names / sizeof field_names[0]); }

const char *pp_training_field_name(int32_t field) {
    return field >= 0 && field < pp_training_field_count() ? field_names[field] : "";
}

double pp_training_field(const pp_training *training, int32_t field) {
    const double values[] = {
#define FIELD_VALUE(type, field) (double)training->field,
        PP_TRAINING_FIELDS(FIELD_VALUE)
#undef FIELD_VALUE
    };
    assert(field >= 0 && field < pp_training_field_count());
    return values[field];
}

/* ---- reading ---- */

static int32_t option_of(pp_text name) {
    for (int32_t o = PP_TRAIN_DATA; o < PP_TRAIN_END; o++)
        if (pp_name_equal(name, pp_training_option_name(o))) return o;
    return -1;
}

static int is_schedule_option(pp_text name) {
    for (int32_t o = 0; o < pp_option_count(); o++) {
        if (pp_name_equal(name, pp_option_name(o))) return 1;
        if (name.length == 1 && pp_option_letter(o) != 0 && name.begin[0] == (char)pp_option_letter(o)) return 1;
    }
    return 0;
}

static int32_t refuse_unknown(pp_text name, pp_fault *fault) {
    pp_fault scratch;
    int32_t nearest = PP_TRAIN_DATA;
    for (int32_t o = nearest + 1; o < PP_TRAIN_END; o++)
        if (pp_name_distance(name, pp_training_option_name(o)) <
            pp_name_distance(name, pp_training_option_name(nearest)))
            nearest = o;
    fault = pp_fault_start(fault, &scratch, PP_ERR_OPTION_UNKNOWN);
    pp_fault_seen(fault, name.begin, name.length);
    pp_fault_fix_text(fault, nearest, "");
    return PP_ERR_OPTION_UNKNOWN;
}

static int32_t name_read(pp_text text, int32_t option, int32_t *value, pp_fault *fault) {
    pp_fault scratch;
    int32_t nearest = 0, least = INT32_MAX;
    const char *name;
    for (int32_t i = 0; (name = pp_training_option_value_name(option, i))[0] != 0; i++) {
        const int32_t distance = pp_name_distance(text, name);
        if (distance == 0) {
            *value = i;
            return PP_OK;
        }
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    fault = pp_fault_start(fault, &scratch, PP_ERR_NAME_UNKNOWN);
    fault->option = option;
    pp_fault_seen(fault, text.begin, text.length);
    pp_fault_fix_text(fault, option, pp_training_option_value_name(option, nearest));
    return PP_ERR_NAME_UNKNOWN;
}

static int32_t rate_read(pp_text text, double *value, pp_fault *fault) {
    pp_fault scratch;
    const int32_t used = pp_number_read(text.begin, text.length, 1, value);
    int32_t status = PP_OK;
    if (used == 0 || used != text.length || isnan(*value))
        status = PP_ERR_NOT_A_NUMBER;
    else if (*value < 0.0 || *value > RATE_MAX)
        status = PP_ERR_RANGE;
    if (status == PP_OK) return PP_OK;
    fault = pp_fault_start(fault, &scratch, status);
    fault->option = PP_TRAIN_RATE;
    fault->a = 0;
    fault->b = RATE_MAX;
    pp_fault_seen(fault, text.begin, text.length);
    if (status == PP_ERR_RANGE) pp_fault_fix_number(fault, PP_TRAIN_RATE, *value < 0.0 ? 0.0 : RATE_MAX);
    return status;
}

/* What follows from the choices: the shape of the data, and of the outputs that the loss wants. */
static void derive(pp_training *training) {
    static const struct {
        int32_t samples, inputs, classes;
    } shapes[] = {
#define SHAPE(id, name, samples, features, classes) {samples, features, classes},
        PP_DATA_KINDS(SHAPE)
#undef SHAPE
    };
    training->samples = shapes[training->data].samples;
    training->inputs = shapes[training->data].inputs;
    training->outputs = shapes[training->data].classes;
    if (training->loss == PP_LOSS_SQUARED_ERROR && training->outputs == 2) training->outputs = 1; /* -1 or 1 */
}

int32_t pp_training_parse(const char *text, int32_t length, pp_training *training, pp_fault *fault) {
    pp_fault scratch;
    pp_text given[PP_TRAIN_END - PP_TRAIN_DATA], name, value;
    int32_t at = 0;
    memset(given, 0, sizeof given);
    while (pp_line_next(text, length, &at, &name, &value)) {
        const int32_t option = option_of(name);
        if (option < 0 && is_schedule_option(name)) continue;
        if (option < 0) return refuse_unknown(name, fault);
        if (value.length == 0) continue;
        if (given[option - PP_TRAIN_DATA].begin != NULL) {
            fault = pp_fault_start(fault, &scratch, PP_ERR_OPTION_TWICE);
            fault->option = option;
            pp_fault_seen(fault, value.begin, value.length);
            return PP_ERR_OPTION_TWICE;
        }
        given[option - PP_TRAIN_DATA] = value;
    }

    *training = (pp_training){.data = PP_DATA_SPIRALS, .width = 16, .steps = 200, .seed = 1, .rate = -1.0, .loss = -1};
    int32_t *const fields[] = {[PP_TRAIN_DATA - PP_TRAIN_DATA] = &training->data,
                               [PP_TRAIN_WIDTH - PP_TRAIN_DATA] = &training->width,
                               [PP_TRAIN_DEPTH - PP_TRAIN_DATA] = &training->depth,
                               [PP_TRAIN_ACTIVATION - PP_TRAIN_DATA] = &training->activation,
                               [PP_TRAIN_LOSS - PP_TRAIN_DATA] = &training->loss,
                               [PP_TRAIN_BATCH - PP_TRAIN_DATA] = &training->batch,
                               [PP_TRAIN_STEPS - PP_TRAIN_DATA] = &training->steps,
                               [PP_TRAIN_SEED - PP_TRAIN_DATA] = &training->seed,
                               [PP_TRAIN_INIT - PP_TRAIN_DATA] = &training->init};
    for (int32_t o = PP_TRAIN_DATA; o < PP_TRAIN_END; o++) {
        const pp_text seen = given[o - PP_TRAIN_DATA];
        int32_t status;
        if (seen.begin == NULL) continue;
        if (pp_training_option_kind(o) == 'E')
            status = name_read(seen, o, fields[o - PP_TRAIN_DATA], fault);
        else if (pp_training_option_kind(o) == 'R')
            status = rate_read(seen, &training->rate, fault);
        else
            status = pp_whole_read(seen, o, (int32_t)pp_training_option_min(o), (int32_t)pp_training_option_max(o),
                                   fields[o - PP_TRAIN_DATA], fault);
        if (status != PP_OK) return status;
    }
    if (training->loss < 0) training->loss = PP_LOSS_CROSS_ENTROPY;
    derive(training);
    return PP_OK;
}

/* ---- fitting it to a schedule ---- */

int32_t pp_network_default_layers(int32_t stages) {
    int32_t layers = stages;
    while (layers < 4) layers += stages;
    return layers;
}

/* Parameters and gradients, of run and reference; samples, messages, activations and their gradients. */
static int fits_memory(const pp_training *training) {
    const int64_t width = training->width, depth = training->depth, batch = training->batch;
    return depth * width * (4 * width + 8 * batch) <= FLOATS_MAX;
}

static int32_t refuse_layers(const pp_training *training, int32_t stages, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, PP_ERR_LAYERS);
    fault->option = PP_TRAIN_DEPTH;
    fault->a = stages;
    pp_fault_seen_number(fault, training->depth);
    pp_fault_fix_number(fault, PP_TRAIN_DEPTH, stages);
    return PP_ERR_LAYERS;
}

static int32_t refuse_batch(const pp_training *training, int32_t microbatches, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, PP_ERR_BATCH);
    fault->option = PP_TRAIN_BATCH;
    fault->a = microbatches;
    pp_fault_seen_number(fault, training->batch);
    if (microbatches <= BATCH_MAX) pp_fault_fix_number(fault, PP_TRAIN_BATCH, microbatches);
    pp_fault_fix_number(fault, PP_OPT_MICROBATCHES, training->batch);
    return PP_ERR_BATCH;
}

/* The fix is a narrower network or, where even one unit is too much, a smaller batch; none if that is not enough. */
static int32_t refuse_size(const pp_training *training, pp_fault *fault) {
    pp_fault scratch;
    pp_training narrow = *training, small = *training;
    while (narrow.width > 1 && !fits_memory(&narrow)) narrow.width--;
    while (small.batch > 1 && !fits_memory(&small)) small.batch /= 2;
    fault = pp_fault_start(fault, &scratch, PP_ERR_TOO_LARGE);
    fault->option = fits_memory(&narrow) || !fits_memory(&small) ? PP_TRAIN_WIDTH : PP_TRAIN_BATCH;
    fault->a = FLOATS_MAX / 262144;
    pp_fault_seen_number(fault, fault->option == PP_TRAIN_WIDTH ? training->width : training->batch);
    if (fits_memory(&narrow)) pp_fault_fix_number(fault, PP_TRAIN_WIDTH, narrow.width);
    if (fits_memory(&small)) pp_fault_fix_number(fault, PP_TRAIN_BATCH, small.batch);
    return PP_ERR_TOO_LARGE;
}

/* Long chains of layers need small steps; found by trying depths of 4 to 64. */
static double default_rate(int32_t depth) { return depth <= 11 ? 0.1 : 12.8 / ((double)depth * (double)depth); }

int32_t pp_training_fit(pp_training *training, int32_t stages, int32_t microbatches, pp_fault *fault) {
    if (training->depth == 0) training->depth = pp_network_default_layers(stages);
    if (training->rate < 0.0) training->rate = default_rate(training->depth);
    if (training->batch == 0)
        training->batch = microbatches < BATCH_DEFAULT ? BATCH_DEFAULT
                          : microbatches < BATCH_MAX   ? microbatches
                                                       : BATCH_MAX;
    if (training->depth < stages) return refuse_layers(training, stages, fault);
    if (training->batch < microbatches) return refuse_batch(training, microbatches, fault);
    return fits_memory(training) ? PP_OK : refuse_size(training, fault);
}

int32_t pp_training_needs_backward(const pp_schedule *schedule, pp_fault *fault) {
    pp_fault scratch;
    if (schedule->trains) return PP_OK;
    fault = pp_fault_start(fault, &scratch, PP_ERR_NO_BACKWARD);
    fault->option = PP_OPT_SCHEDULE;
    fault->schedule = schedule->schedule;
    const char *name = pp_schedule_name(schedule->schedule);
    pp_fault_seen(fault, name, (int32_t)strlen(name));
    for (int32_t id = 0; id < pp_schedule_count(); id++)
        if (strcmp(pp_schedule_name(id), "gpipe") == 0) pp_fault_fix_text(fault, PP_OPT_SCHEDULE, "gpipe");
    return PP_ERR_NO_BACKWARD;
}

void pp_training_widths(const pp_training *training, int32_t *widths) {
    widths[0] = training->inputs;
    for (int32_t l = 1; l < training->depth; l++) widths[l] = training->width;
    widths[training->depth] = training->outputs;
}
