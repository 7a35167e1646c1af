/* The training half of a request: what to learn, with which network, for how long. Numbers and names only; no tensors.
 * Ranges are those of a toy: large enough for every figure, small enough that nothing below can overflow. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/fault.h"
#include "core/number.h"
#include "request/config.h"
#include "request/options.h"
#include "request/read.h"

enum {
    BATCH_DEFAULT = 32,
    FLOATS_MAX = 1 << 27 /* 512 MiB */
};

/* ---- the struct, for callers that do not see it ---- */

static const char *const field_names[] = {
#define FIELD_NAME(type, field) #field,
    PP_TRAINING_FIELDS(FIELD_NAME)
#undef FIELD_NAME
};

/* Where a field lies, and whether it is a double. The first ones are those of the options, in the same order. */
static const struct {
    uint8_t at, real;
} fields[] = {
#define FIELD_PLACE(type, field) {offsetof(pp_training, field), sizeof(type) == sizeof(double)},
    PP_TRAINING_FIELDS(FIELD_PLACE)
#undef FIELD_PLACE
};
static_assert(sizeof(pp_training) < 256, "fields[] has a byte for each place");
static_assert(offsetof(pp_training, samples) == offsetof(pp_training, scale_growth) + sizeof(int32_t), "one an option");

int32_t pp_training_bytes(void) { return (int32_t)sizeof(pp_training); }
int32_t pp_training_field_count(void) { return (int32_t)(sizeof field_names / sizeof field_names[0]); }

const char *pp_training_field_name(int32_t field) {
    return field >= 0 && field < pp_training_field_count() ? field_names[field] : "";
}

double pp_training_field(const pp_training *training, int32_t field) {
    assert(field >= 0 && field < pp_training_field_count());
    const void *at = (const char *)training + fields[field].at;
    return fields[field].real ? *(const double *)at : (double)*(const int32_t *)at;
}

/* ---- reading ---- */

static int32_t option_of(pp_text name) {
    for (int32_t o = PP_TRAIN_DATA; o < PP_TRAIN_END; o++)
        if (pp_name_equal(name, pp_option_name(o))) return o;
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
        if (pp_name_distance(name, pp_option_name(o)) < pp_name_distance(name, pp_option_name(nearest))) nearest = o;
    fault = pp_fault_start(fault, &scratch, PP_ERR_OPTION_UNKNOWN);
    pp_fault_seen(fault, name.begin, name.length);
    pp_fault_fix_text(fault, nearest, "");
    return PP_ERR_OPTION_UNKNOWN;
}

static int32_t name_read(pp_text text, int32_t option, int32_t *value, pp_fault *fault) {
    pp_fault scratch;
    int32_t nearest = 0, least = INT32_MAX;
    const char *name;
    for (int32_t i = 0; (name = pp_option_choice(option, i))[0] != 0; i++) {
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
    pp_fault_fix_text(fault, option, pp_option_choice(option, nearest));
    return PP_ERR_NAME_UNKNOWN;
}

static int32_t real_read(pp_text text, int32_t option, double *value, pp_fault *fault) {
    pp_fault scratch;
    const int32_t used = pp_number_read(text.begin, text.length, 1, value);
    const double min = pp_option_least(option), max = pp_option_most(option);
    int32_t status = PP_OK;
    if (used == 0 || used != text.length || isnan(*value))
        status = PP_ERR_NOT_A_NUMBER;
    else if (*value < min || *value > max || (option == PP_TRAIN_EPSILON && *value == 0.0))
        status = PP_ERR_RANGE;
    if (status == PP_OK) return PP_OK;
    fault = pp_fault_start(fault, &scratch, status);
    fault->option = option;
    fault->a = (int32_t)min;
    if (max == floor(max) && max <= PP_TRAIN_MAX_STEPS && option != PP_TRAIN_EPSILON) fault->b = (int32_t)max;
    pp_fault_seen(fault, text.begin, text.length);
    if (status != PP_ERR_RANGE) return status;
    if (*value > max && option == PP_TRAIN_LOSS_SCALE)
        pp_fault_fix_text(fault, option, "1e38");
    else if (*value <= 0.0 && option == PP_TRAIN_EPSILON)
        pp_fault_fix_text(fault, option, "1e-8");
    else
        pp_fault_fix_number(fault, option, *value > max ? max : min);
    return status;
}

/* An option of an update, a norm or a scale that nobody asked for. */
static int32_t needs(const pp_training *training, int32_t option, pp_text seen, pp_fault *fault) {
    pp_fault scratch;
    int32_t other = -1;
    const char *value = "";
    switch (option) {
    case PP_TRAIN_STATISTICS:
        if (training->norm != PP_NORM_BATCH) other = PP_TRAIN_NORM, value = "batch";
        break;
    case PP_TRAIN_MOMENTUM:
        if (training->update != PP_UPDATE_MOMENTUM) other = PP_TRAIN_UPDATE, value = "momentum";
        break;
    case PP_TRAIN_BETA1:
    case PP_TRAIN_BETA2:
    case PP_TRAIN_EPSILON:
        if (training->update != PP_UPDATE_ADAM) other = PP_TRAIN_UPDATE, value = "adam";
        break;
    case PP_TRAIN_SCALE_GROWTH:
        if (training->loss_scale <= 1) other = PP_TRAIN_LOSS_SCALE, value = "65536";
        break;
    default: break;
    }
    if (other < 0) return PP_OK;
    fault = pp_fault_start(fault, &scratch, PP_ERR_OPTION_NEEDS);
    fault->option = option;
    fault->b = other;
    pp_fault_seen(fault, seen.begin, seen.length);
    pp_fault_fix_text(fault, other, value);
    pp_fault_fix_text(fault, option, "");
    return PP_ERR_OPTION_NEEDS;
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

    memset(training, 0, sizeof *training);
    for (int32_t o = PP_TRAIN_DATA; o < PP_TRAIN_END; o++) {
        void *const field = (char *)training + fields[o - PP_TRAIN_DATA].at;
        if (fields[o - PP_TRAIN_DATA].real)
            *(double *)field = pp_option_standard(o);
        else
            *(int32_t *)field = (int32_t)pp_option_standard(o);
    }
    for (int32_t o = PP_TRAIN_DATA; o < PP_TRAIN_END; o++) {
        const pp_text seen = given[o - PP_TRAIN_DATA];
        const int32_t kind = pp_option_kind(o);
        void *const field = (char *)training + fields[o - PP_TRAIN_DATA].at;
        int32_t status;
        if (seen.begin == NULL) continue;
        if (kind == 'E')
            status = name_read(seen, o, field, fault);
        else if (kind == 'R')
            status = real_read(seen, o, field, fault);
        else
            status = pp_whole_read(seen, o, (int32_t)pp_option_least(o), (int32_t)pp_option_most(o), field, fault);
        if (status != PP_OK) return status;
    }
    for (int32_t o = PP_TRAIN_STATISTICS; o < PP_TRAIN_END; o++) {
        const pp_text seen = given[o - PP_TRAIN_DATA];
        const int32_t status = seen.begin != NULL ? needs(training, o, seen, fault) : PP_OK;
        if (status != PP_OK) return status;
    }
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
    const int64_t blocks =
        1 + (training->norm != PP_NORM_NONE) + (training->activation == PP_ACTIVATION_GELU) + (training->dropout > 0);
    return depth * width * ((4 + 2 * training->update) * width + 8 * blocks * batch) <= FLOATS_MAX;
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
    if (microbatches <= PP_TRAIN_MAX_BATCH) pp_fault_fix_number(fault, PP_TRAIN_BATCH, microbatches);
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
static double default_rate(const pp_training *training) {
    const double depth = training->depth, rate = depth <= 11 ? 0.1 : 12.8 / (depth * depth);
    /* Momentum adds up 1 / (1 - momentum) gradients; Adam's steps are about the rate itself. */
    return training->update == PP_UPDATE_MOMENTUM ? rate * (1 - training->momentum)
           : training->update == PP_UPDATE_ADAM   ? rate / 10
                                                  : rate;
}

int32_t pp_training_kind(const pp_training *training) {
    return training->activation | training->norm << PP_KIND_NORM | (training->dropout > 0) << PP_KIND_DROPOUT |
           training->tied << PP_KIND_TIED | training->update << PP_KIND_UPDATE;
}

/* Samples of the smallest micro-batch; 0 or less: none are left for it. */
static int32_t smallest(const pp_training *t, int32_t batch, int32_t m) {
    return t->split == PP_SPLIT_LAST ? batch - (m - 1) * ((batch + m - 1) / m) : batch / m;
}

/* What batches, norms and ends must be to each other. */
static int32_t check_extended(const pp_training *t, int32_t m, pp_fault *fault) {
    pp_fault scratch;
    const int32_t larger = (t->batch + m - 1) / m;
    int32_t batch = t->batch, status = PP_OK, option = PP_TRAIN_NORM, a = m, b = -1;
    if (t->split == PP_SPLIT_LAST && (m - 1) * (int64_t)larger >= t->batch)
        status = PP_ERR_SPLIT_EMPTY, option = PP_TRAIN_BATCH, b = larger;
    else if (t->norm == PP_NORM_BATCH && t->norm_statistics == PP_STATISTICS_BATCH && m > 1)
        status = PP_ERR_STATISTICS, option = PP_TRAIN_STATISTICS;
    else if (t->norm == PP_NORM_BATCH && smallest(t, t->batch, m) < 2)
        status = PP_ERR_BATCH_NORM;
    else if (t->tied && (t->inputs != t->outputs || t->depth < 2))
        status = PP_ERR_TIED, option = PP_TRAIN_TIED, a = t->inputs, b = t->outputs;
    if (status == PP_OK) return PP_OK;
    fault = pp_fault_start(fault, &scratch, status);
    fault->option = option;
    fault->a = a;
    fault->b = b;
    fault->c = t->depth;
    switch (status) {
    case PP_ERR_SPLIT_EMPTY:
        pp_fault_seen_number(fault, t->batch);
        /* One sample more than full ones, or one less than the next size needs: whichever is nearer. */
        pp_fault_fix_number(fault, option, (m - 1) * larger + 1);
        pp_fault_fix_text(fault, PP_TRAIN_SPLIT, "even");
        break;
    case PP_ERR_STATISTICS:
        pp_fault_seen(fault, "batch", 5);
        pp_fault_fix_text(fault, option, "deferred");
        pp_fault_fix_number(fault, PP_OPT_MICROBATCHES, 1);
        break;
    case PP_ERR_BATCH_NORM:
        pp_fault_seen(fault, "batch", 5);
        while (smallest(t, batch, m) < 2) batch++; /* 2 m at the latest */
        pp_fault_fix_number(fault, PP_TRAIN_BATCH, batch);
        pp_fault_fix_text(fault, option, "layer");
        break;
    default:
        pp_fault_seen(fault, "ends", 4);
        pp_fault_fix_text(fault, option, "none");
        /* One change must be enough. */
        if (t->depth < 2 && t->inputs == t->outputs)
            pp_fault_fix_number(fault, PP_TRAIN_DEPTH, 2);
        else if (t->depth >= 2 && t->outputs == 1)
            pp_fault_fix_text(fault, PP_TRAIN_LOSS, "cross-entropy");
        else if (t->depth >= 2 && t->loss == PP_LOSS_CROSS_ENTROPY)
            pp_fault_fix_text(fault, PP_TRAIN_DATA, pp_option_choice(PP_TRAIN_DATA, PP_DATA_SPIRALS));
    }
    return status;
}

int32_t pp_training_fit(pp_training *training, int32_t stages, int32_t microbatches, pp_fault *fault) {
    if (training->depth == 0) training->depth = pp_network_default_layers(stages);
    if (training->rate < 0.0) training->rate = default_rate(training);
    if (training->batch == 0)
        training->batch = microbatches < BATCH_DEFAULT        ? BATCH_DEFAULT
                          : microbatches < PP_TRAIN_MAX_BATCH ? microbatches
                                                              : PP_TRAIN_MAX_BATCH;
    if (training->depth < stages) return refuse_layers(training, stages, fault);
    if (training->batch < microbatches) return refuse_batch(training, microbatches, fault);
    const int32_t status = check_extended(training, microbatches, fault);
    training->microbatches = microbatches;
    return status != PP_OK ? status : fits_memory(training) ? PP_OK : refuse_size(training, fault);
}

int32_t pp_stream_runs(const pp_training *training, pp_fault *fault) {
    const double values[] = {training->norm, training->loss_scale, training->tied, training->mean, training->clip};
    static const int32_t options[] = {PP_TRAIN_NORM, PP_TRAIN_LOSS_SCALE, PP_TRAIN_TIED, PP_TRAIN_MEAN, PP_TRAIN_CLIP};
    pp_fault scratch;
    int i = 0;
    while (i < 5 && values[i] <= (i < 2)) i++; /* layer norm and a scale of 1 may be */
    if (i == 5) return PP_OK;
    fault = pp_fault_start(fault, &scratch, PP_ERR_ASYNC_OPTION);
    fault->option = options[i];
    if (pp_option_kind(options[i]) == 'R') {
        pp_fault_seen_number(fault, values[i]);
        pp_fault_fix_number(fault, options[i], i < 2);
        return PP_ERR_ASYNC_OPTION;
    }
    const char *name = pp_option_choice(options[i], (int32_t)values[i]);
    pp_fault_seen(fault, name, (int32_t)strlen(name));
    pp_fault_fix_text(fault, options[i], pp_option_choice(options[i], i < 2));
    return PP_ERR_ASYNC_OPTION;
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
