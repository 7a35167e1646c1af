/* The nearest legal choice that a refusal offers.
 * A rule proposes a choice by what it alone knows. Whether the whole request is then legal, and whether a nearer value would
 * do, is found out by asking. */
#include "request/config.h"

#include <string.h>

#include "core/fault.h"
#include "core/number.h"
#include "request/options.h"
#include "schedules/schedule.h"

/* 1 if the request is legal with this value of an option; "" leaves the option out. */
static int legal_with(const pp_text *given, int32_t option, const char *value) {
    pp_text changed[PP_OPT_COUNT];
    pp_config config;
    memcpy(changed, given, sizeof changed);
    changed[option] = value[0] != 0 ? (pp_text){value, (int32_t)strlen(value)} : (pp_text){NULL, 0};
    return pp_config_of_values(changed, &config, NULL) == PP_OK;
}

static int legal_number(const pp_text *given, int32_t option, double value, char *digits) {
    if (value < pp_option_least(option) || value > pp_option_most(option)) return 0;
    pp_number_write(value, digits);
    return legal_with(given, option, digits);
}

/* Finds the nearest legal number to `at`, of two the larger, no farther than `reach`. */
static int nearest_number(const pp_text *given, int32_t option, double at, double reach, char *digits) {
    for (double d = 0; d <= reach; d++)
        if (legal_number(given, option, at + d, digits) || legal_number(given, option, at - d, digits)) return 1;
    return 0;
}

/* The number an option has in a request, whether it was given or not; config as far as it was read. */
static double number_now(const pp_text *given, const pp_config *config, int32_t option) {
    double value;
    const pp_text text = given[option];
    if (text.begin != NULL && pp_number_read(text.begin, text.length, 1, &value) == text.length) return value;
    switch (option) {
    case PP_OPT_RANKS: return config->ranks;
    case PP_OPT_MICROBATCHES: return config->microbatches;
    case PP_OPT_CHUNKS: return config->chunks;
    case PP_OPT_GROUP: return config->group > 0 ? config->group : config->ranks;
    case PP_OPT_PIPES: return config->pipes;
    case PP_OPT_SLICES: return config->slices;
    case PP_OPT_GLOBAL_BATCH: return config->global_batch;
    case PP_OPT_MICROBATCH_SIZE: return config->microbatch_size;
    default: return pp_option_least(option);
    }
}

/* Puts a legal value in place of one that a rule proposed; 0 if there is none. */
static int settle_fix(const pp_text *given, const pp_config *config, int32_t option, char *value) {
    enum { REACH = 256 };
    char digits[32];
    double proposed;
    const int32_t length = (int32_t)strlen(value);
    if (option >= PP_OPT_COUNT) return 1;
    const int legal = legal_with(given, option, value);
    if (pp_option_kind(option) != 'N' || length == 0 || pp_number_read(value, length, 1, &proposed) != length)
        return legal;
    const double now = number_now(given, config, option), away = proposed > now ? proposed - now : now - proposed;
    if (!(away >= 0)) return legal;
    if (!nearest_number(given, option, now, !legal || away - 1 > REACH ? REACH : away - 1, digits)) {
        if (legal || !nearest_number(given, option, proposed, REACH, digits)) return legal;
    }
    memcpy(value, digits, sizeof digits);
    return 1;
}

void pp_fixes_settle(const pp_text *given, const pp_config *config, pp_fault *fault) {
    static const int32_t others[] = {PP_OPT_GLOBAL_BATCH, PP_OPT_MICROBATCHES, PP_OPT_GROUP,
                                     PP_OPT_CHUNKS,       PP_OPT_RANKS,        PP_OPT_PIPES};
    const int32_t first = fault->fix_option, second = fault->fix2_option;
    /* A rule that knows no choice: a list of the wrong length. And the name that a misspelt one was meant to be is the nearest,
     * whatever else has to change with it. */
    if (first < 0 || fault->code == PP_ERR_NAME_UNKNOWN) return;
    pp_fault settled = *fault;
    settled.fix_option = settled.fix2_option = -1;
    settled.fix_value[0] = settled.fix2_value[0] = 0;
    char value[32], value2[32];
    memcpy(value, fault->fix_value, sizeof value);
    memcpy(value2, fault->fix2_value, sizeof value2);
    if (settle_fix(given, config, first, value)) pp_fault_fix_text(&settled, first, value);
    const int alike = first == second && strcmp(value, value2) == 0;
    if (second >= 0 && !alike && settle_fix(given, config, second, value2)) pp_fault_fix_text(&settled, second, value2);
    for (size_t i = 0; i < sizeof others / sizeof others[0] && settled.fix_option < 0; i++) {
        enum { REACH = 64 };
        const int32_t o = others[i];
        if (!pp_schedule_option_used(config->schedule, o)) continue;
        if (o == PP_OPT_GLOBAL_BATCH && given[o].begin == NULL) continue; /* samples are not spoken of */
        if (nearest_number(given, o, number_now(given, config, o), REACH, value)) pp_fault_fix_text(&settled, o, value);
    }
    if (settled.fix_option < 0 && fault->option >= 0 && fault->option < PP_OPT_COUNT &&
        legal_with(given, fault->option, ""))
        pp_fault_fix_text(&settled, fault->option, "");
    if (settled.fix_option >= 0) *fault = settled; /* else more than one option is wrong: the rule's own word stands */
}
