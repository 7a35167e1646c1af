/* The tables of options: what a request about a schedule, a training or a file may name, and which values have names. */
#include "request/options.h"

#include <stddef.h>

#include "schedules/schedule.h"

/* The name of a value in a list that ends with an empty name; "" outside. */
static const char *name_at(const char *const *names, int32_t value) {
    for (int32_t i = 0; names[i][0] != 0; i++)
        if (i == value) return names[i];
    return "";
}

/* ---- options of a schedule ---- */

static const struct {
    const char *name;
    char letter, kind;
} option_table[PP_OPT_COUNT] = {
#define OPTION_ROW(id, name, letter, kind) [id] = {name, letter, kind},
    PP_OPTIONS(OPTION_ROW)
#undef OPTION_ROW
};

static const char *const dialects[] = {"megatron", "pytorch", "free", ""};
static const char *const backward_orders[] = {"ascending", "descending", ""};
static const char *const recomputes[] = {"none", "late", "early", "late-except-last", "early-except-last", ""};
static const char *const placements[] = {"loop", "v", ""};
static const char *const transfers[] = {"overlap", "sender", "rendezvous", ""};
static const char *const costs_ofs[] = {"chunk", "device", "batch", ""};
static const char *const partitions[] = {"cost", "equal", "makespan", ""};
static const char *const reduce_whens[] = {"beside", "behind", ""};
static const char *const orders[] = {"given", "falling", "best", ""};
static const char *const optimizer_waits[] = {"own", "all", ""};

/* The option a name or letter means, -1 for none. */
int32_t pp_option_of(pp_text name) {
    for (int32_t o = 0; o < PP_OPT_COUNT; o++) {
        if (pp_name_equal(name, option_table[o].name)) return o;
        if (name.length == 1 && option_table[o].letter != 0 && name.begin[0] == option_table[o].letter) return o;
    }
    return -1;
}

int32_t pp_option_count(void) { return PP_OPT_COUNT; }

static int option_valid(int32_t o) { return o >= 0 && o < PP_OPT_COUNT; }

const char *pp_option_name(int32_t option) { return option_valid(option) ? option_table[option].name : ""; }
int32_t pp_option_letter(int32_t option) { return option_valid(option) ? option_table[option].letter : 0; }
int32_t pp_option_kind(int32_t option) { return option_valid(option) ? option_table[option].kind : 0; }

const char *pp_option_value_name(int32_t option, int32_t value) {
    const char *const *names;
    switch (option) {
    case PP_OPT_SCHEDULE: return pp_schedule_name(value);
    case PP_OPT_PARTITION: names = partitions; break;
    case PP_OPT_REDUCE_WHEN: names = reduce_whens; break;
    case PP_OPT_OPTIMIZER_WAITS: names = optimizer_waits; break;
    case PP_OPT_DIALECT: names = dialects; break;
    case PP_OPT_BACKWARD_ORDER: names = backward_orders; break;
    case PP_OPT_RECOMPUTE: names = recomputes; break;
    case PP_OPT_TRANSFER: names = transfers; break;
    case PP_OPT_PLACEMENT: names = placements; break;
    case PP_OPT_COSTS_OF: names = costs_ofs; break;
    case PP_OPT_ORDER: names = orders; break;
    default: return "";
    }
    return name_at(names, value);
}

int32_t pp_option_min(int32_t option) {
    switch (option) {
    case PP_OPT_EXTRA_WARMUP:
    case PP_OPT_MEMORY_LIMIT:
    case PP_OPT_RECEIVE_BUFFERS:
    case PP_OPT_FAIL_RANK:
    case PP_OPT_FAIL_STEP: return 0;
    default: return 1;
    }
}

int32_t pp_option_max(int32_t option) {
    switch (option) {
    case PP_OPT_RANKS: return PP_MAX_RANKS;
    case PP_OPT_GLOBAL_BATCH: return PP_MAX_BATCH;
    case PP_OPT_MICROBATCH_SIZE: return PP_MAX_MICROBATCH_SIZE;
    case PP_OPT_FAIL_RANK: return PP_MAX_RANKS - 1;
    case PP_OPT_FAIL_STEP:
    case PP_OPT_CHECKPOINT_EVERY:
    case PP_OPT_HORIZON: return PP_MAX_STEPS;
    case PP_OPT_MICROBATCHES: return PP_MAX_MICROBATCHES;
    case PP_OPT_CHUNKS: return PP_MAX_CHUNKS;
    case PP_OPT_GROUP: return PP_MAX_MICROBATCHES;
    case PP_OPT_RECEIVE_BUFFERS: return PP_MAX_MICROBATCHES;
    case PP_OPT_GATHER_KEEP: return PP_MAX_STAGES;
    case PP_OPT_PIPES: return PP_MAX_RANKS;
    case PP_OPT_SLICES: return PP_MAX_SLICES;
    case PP_OPT_MEMORY_LIMIT: return PP_MAX_MICROBATCHES;
    case PP_OPT_EXTRA_WARMUP: return PP_MAX_MICROBATCHES;
    case PP_OPT_WARMUP_FACTOR: return 2;
    default: return 0;
    }
}

/* ---- options of a training ---- */

static const char *const data_names[] = {
#define DATA_NAME(id, name, samples, features, classes) name,
    PP_DATA_KINDS(DATA_NAME)
#undef DATA_NAME
        "",
};
/* Names of the other choices, in the order of their numbers. */
static const char *const *training_values(int32_t option) {
    static const char *const activation[] = {"tanh", "relu", "identity", "gelu", ""};
    static const char *const loss[] = {"cross-entropy", "squared-error", ""}, *const init[] = {"random", "whole", ""};
    static const char *const norm[] = {"none", "layer", "batch", ""}, *const tied[] = {"none", "ends", ""};
    static const char *const statistics[] = {"microbatch", "deferred", "batch", ""};
    static const char *const split[] = {"even", "last", ""};
    static const char *const mean[] = {"samples", "microbatches", "undivided", ""};
    static const char *const update[] = {"sgd", "momentum", "adam", ""};
    switch (option) {
    case PP_TRAIN_DATA: return data_names;
    case PP_TRAIN_ACTIVATION: return activation;
    case PP_TRAIN_LOSS: return loss;
    case PP_TRAIN_INIT: return init;
    case PP_TRAIN_NORM: return norm;
    case PP_TRAIN_STATISTICS: return statistics;
    case PP_TRAIN_TIED: return tied;
    case PP_TRAIN_SPLIT: return split;
    case PP_TRAIN_MEAN: return mean;
    case PP_TRAIN_UPDATE: return update;
    default: return NULL;
    }
}

static const struct {
    const char *name;
    char kind;
} training_table[] = {
#define TRAINING_ROW(id, name, kind) {name, kind},
    PP_TRAINING_OPTIONS(TRAINING_ROW)
#undef TRAINING_ROW
};

int32_t pp_training_option_first(void) { return PP_TRAIN_DATA; }
int32_t pp_training_option_count(void) { return PP_TRAIN_END - PP_TRAIN_DATA; }

static int training_valid(int32_t o) { return o >= PP_TRAIN_DATA && o < PP_TRAIN_END; }

const char *pp_training_option_name(int32_t option) {
    return training_valid(option) ? training_table[option - PP_TRAIN_DATA].name : "";
}

int32_t pp_training_option_kind(int32_t option) {
    return training_valid(option) ? training_table[option - PP_TRAIN_DATA].kind : 0;
}

const char *pp_training_option_value_name(int32_t option, int32_t value) {
    const char *const *names = training_values(option);
    if (names == NULL) return "";
    return name_at(names, value);
}

double pp_training_option_min(int32_t option) {
    return option == PP_TRAIN_WIDTH || option == PP_TRAIN_STEPS || option == PP_TRAIN_LOSS_SCALE ? 1.0 : 0.0;
}

double pp_training_option_max(int32_t option) {
    switch (option) {
    case PP_TRAIN_WIDTH: return PP_TRAIN_MAX_WIDTH;
    case PP_TRAIN_DEPTH: return PP_TRAIN_MAX_DEPTH;
    case PP_TRAIN_BATCH: return PP_TRAIN_MAX_BATCH;
    case PP_TRAIN_STEPS:
    case PP_TRAIN_SCALE_GROWTH: return PP_TRAIN_MAX_STEPS;
    case PP_TRAIN_SEED: return PP_TRAIN_MAX_SEED;
    case PP_TRAIN_RATE: return PP_TRAIN_MAX_RATE;
    case PP_TRAIN_DROPOUT:
    case PP_TRAIN_MOMENTUM:
    case PP_TRAIN_BETA1:
    case PP_TRAIN_BETA2: return PP_TRAIN_BELOW_ONE;
    case PP_TRAIN_EPSILON: return 1.0;
    case PP_TRAIN_CLIP: return 1e6;
    case PP_TRAIN_LOSS_SCALE: return PP_TRAIN_MAX_LOSS_SCALE;
    default: return 0.0;
    }
}

/* ---- options about a file ---- */

static const char *const letters_names[] = {"today", "before-2.6", ""};
static const char *const receive_names[] = {"post", "wait", ""};
static const char *const times_names[] = {"simulated", "measured", ""};
static const char *const comms_names[] = {"keep", "compute-only", "compute-comms", "transfers", ""};
static const char *const merge_names[] = {"no", "yes", ""};

static const struct {
    const char *name;
    char kind;
} file_table[] = {
#define FILE_ROW(id, name, kind, type) {#name, kind},
    PP_FILE_OPTIONS(FILE_ROW)
#undef FILE_ROW
};

int32_t pp_file_option_first(void) { return PP_FILE_LETTERS; }
int32_t pp_file_option_count(void) { return PP_FILE_END - PP_FILE_LETTERS; }

static int file_valid(int32_t o) { return o >= PP_FILE_LETTERS && o < PP_FILE_END; }

const char *pp_file_option_name(int32_t option) {
    return file_valid(option) ? file_table[option - PP_FILE_LETTERS].name : "";
}

int32_t pp_file_option_kind(int32_t option) {
    return file_valid(option) ? file_table[option - PP_FILE_LETTERS].kind : 0;
}

const char *pp_file_option_value_name(int32_t option, int32_t value) {
    const char *const *names;
    switch (option) {
    case PP_FILE_LETTERS: names = letters_names; break;
    case PP_FILE_RECEIVE: names = receive_names; break;
    case PP_FILE_TIMES: names = times_names; break;
    case PP_FILE_COMMS: names = comms_names; break;
    case PP_FILE_MERGE: names = merge_names; break;
    default: return "";
    }
    return name_at(names, value);
}

/* ---- of any kind ---- */

const char *pp_any_option_name(int32_t option) {
    return option < PP_OPT_COUNT   ? pp_option_name(option)
           : option < PP_TRAIN_END ? pp_training_option_name(option)
                                   : pp_file_option_name(option);
}

const char *pp_any_value_name(int32_t option, int32_t value) {
    return option < PP_OPT_COUNT   ? pp_option_value_name(option, value)
           : option < PP_TRAIN_END ? pp_training_option_value_name(option, value)
                                   : pp_file_option_value_name(option, value);
}
