/* What the tables of options tell (core/options.h): names, kinds, limits, standard values and choices, of a schedule, of a
 * training and about a file alike. */
#include "request/options.h"

#include <stddef.h>
#include <string.h>

#include "schedules/schedule.h"

static const char data_names[] =
#define DATA_NAME(id, name, samples, features, classes) name "\0"
    PP_DATA_KINDS(DATA_NAME)
#undef DATA_NAME
    ;

static const struct {
    const char *name, *choices;
    double least, most, standard;
    char letter, kind;
} table[PP_FILE_END] = {
#define ROW(id, name, letter, kind, least, most, standard, choices)                                                    \
    [id] = {name, choices, least, most, standard, letter, kind},
    PP_OPTIONS(ROW) PP_TRAINING_OPTIONS(ROW)
#define FILE_ROW(id, member, name, letter, kind, least, most, standard, choices, type)                                 \
    ROW(id, name, letter, kind, least, most, standard, choices)
        PP_FILE_OPTIONS(FILE_ROW)
#undef FILE_ROW
#undef ROW
};

int32_t pp_option_count(void) { return PP_OPT_COUNT; }
int32_t pp_training_option_first(void) { return PP_TRAIN_DATA; }
int32_t pp_training_option_count(void) { return PP_TRAIN_END - PP_TRAIN_DATA; }
int32_t pp_file_option_first(void) { return PP_FILE_LETTERS; }
int32_t pp_file_option_count(void) { return PP_FILE_END - PP_FILE_LETTERS; }

static int known(int32_t option) { return option >= 0 && option < PP_FILE_END; }

const char *pp_option_name(int32_t option) { return known(option) ? table[option].name : ""; }
int32_t pp_option_letter(int32_t option) { return known(option) ? table[option].letter : 0; }
int32_t pp_option_kind(int32_t option) { return known(option) ? table[option].kind : 0; }
double pp_option_least(int32_t option) { return known(option) ? table[option].least : 0; }
double pp_option_most(int32_t option) { return known(option) ? table[option].most : 0; }
double pp_option_standard(int32_t option) { return known(option) ? table[option].standard : 0; }

const char *pp_option_choice(int32_t option, int32_t number) {
    if (option == PP_OPT_SCHEDULE) return pp_schedule_name(number);
    const char *name = known(option) ? table[option].choices : NULL;
    if (name == NULL || number < 0) return "";
    for (int32_t i = 0; i < number && name[0] != 0; i++) name += strlen(name) + 1;
    return name;
}

int32_t pp_option_of(pp_text name) {
    for (int32_t o = 0; o < PP_OPT_COUNT; o++) {
        if (pp_name_equal(name, table[o].name)) return o;
        if (name.length == 1 && table[o].letter != 0 && name.begin[0] == table[o].letter) return o;
    }
    return -1;
}
