/* Names of the doubles in the results of the studies, for callers that read them as columns. */
#include "studies/studies.h"

#define NAME(field) #field,
#define NAMES(id, fields) static const char *const names_##id[] = {fields(NAME) ""};
PP_RECORDS(NAMES)
#undef NAMES

const char *pp_record_field_name(int32_t record, int32_t field) {
    static const struct {
        const char *const *names;
        int32_t count;
    } records[] = {
#define ROW(id, fields) {names_##id, (int32_t)(sizeof names_##id / sizeof names_##id[0])},
        PP_RECORDS(ROW)
#undef ROW
    };
    if (record < 0 || record >= (int32_t)(sizeof records / sizeof records[0])) return "";
    return field >= 0 && field < records[record].count ? records[record].names[field] : "";
}
