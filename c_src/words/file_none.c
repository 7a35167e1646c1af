/* Stands for all that concerns files in a core that has none: the one inside the figure's script. */
#include "files/table.h"

const char *pp_file_option_name(int32_t option) {
    (void)option;
    return "";
}

const char *pp_file_option_value_name(int32_t option, int32_t value) {
    (void)option;
    (void)value;
    return "";
}

const pp_words *pp_file_words(const pp_fault *fault) { return pp_torch_words(fault); }

const pp_words *pp_file_rule(const pp_fault *fault) { return pp_torch_rule(fault); }

const pp_words *pp_file_option_words(int32_t option) {
    (void)option;
    return NULL;
}
