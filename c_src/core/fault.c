/* What went wrong, as numbers: the names of statuses and of a fault's fields, and filling a fault in. The sentences for
 * people stand in words/fault_words.c. */
#include "core/fault.h"

#include <assert.h>
#include <string.h>

#include "core/number.h"

int32_t pp_abi_version(void) { return PP_ABI; }

static const char *const status_names[PP_STATUS_COUNT] = {
#define STATUS_NAME(code, name) [code] = name,
    PP_STATUSES(STATUS_NAME)
#undef STATUS_NAME
};

const char *pp_status_name(int32_t status) {
    return status >= 0 && status < PP_STATUS_COUNT ? status_names[status] : "unknown";
}

/* ---- fields ---- */

static const char *const fault_names[] = {
#define FAULT_NAME(field) #field,
    PP_FAULT_FIELDS(FAULT_NAME)
#undef FAULT_NAME
};

int32_t pp_fault_bytes(void) { return (int32_t)sizeof(pp_fault); }
int32_t pp_fault_field_count(void) { return (int32_t)(sizeof fault_names / sizeof fault_names[0]); }

const char *pp_fault_field_name(int32_t field) {
    return field >= 0 && field < pp_fault_field_count() ? fault_names[field] : "";
}

int32_t pp_fault_field(const pp_fault *fault, int32_t field) {
    const int32_t *fields = &fault->code;
    assert(field >= 0 && field < pp_fault_field_count());
    return fields[field];
}

const char *pp_fault_fix_value(const pp_fault *fault, int32_t second) {
    return second ? fault->fix2_value : fault->fix_value;
}

pp_fault *pp_fault_start(pp_fault *fault, pp_fault *scratch, int32_t code) {
    if (fault == NULL) fault = scratch;
    int32_t *fields = &fault->code;
    for (int32_t i = 0; i < pp_fault_field_count(); i++) fields[i] = -1;
    fault->seen[0] = fault->fix_value[0] = fault->fix2_value[0] = 0;
    fault->code = code;
    return fault;
}

/* Cuts at a character's border. Control characters become '?', so that a message stays one line and does nothing to the terminal
 * that shows it: those of ASCII, and in UTF-8 those from U+0080 to U+009F, C2 80 to C2 9F. */
static void copy_text(char *out, int32_t capacity, const char *text, int32_t length) {
    int32_t n = length < capacity - 1 ? length : capacity - 1, filled = 0;
    if (n < length)
        while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) n--;
    for (int32_t i = 0; i < n; i++) {
        const unsigned char byte = (unsigned char)text[i];
        const int c1 = byte == 0xC2 && i + 1 < n && (unsigned char)text[i + 1] < 0xA0;
        out[filled++] = byte < ' ' || byte == 0x7F || c1 ? '?' : text[i];
        i += c1;
    }
    out[filled] = 0;
}

void pp_fault_seen(pp_fault *fault, const char *text, int32_t length) {
    copy_text(fault->seen, sizeof fault->seen, text, length);
}

void pp_fault_seen_number(pp_fault *fault, double value) {
    char digits[32];
    pp_number_write(value, digits);
    pp_fault_seen(fault, digits, (int32_t)strlen(digits));
}

void pp_fault_fix_text(pp_fault *fault, int32_t option, const char *value) {
    if (fault->fix_option < 0) {
        fault->fix_option = option;
        copy_text(fault->fix_value, sizeof fault->fix_value, value, (int32_t)strlen(value));
    } else if (fault->fix2_option < 0) {
        fault->fix2_option = option;
        copy_text(fault->fix2_value, sizeof fault->fix2_value, value, (int32_t)strlen(value));
    }
}

void pp_fault_fix_number(pp_fault *fault, int32_t option, double value) {
    char digits[32];
    pp_number_write(value, digits);
    pp_fault_fix_text(fault, option, digits);
}
