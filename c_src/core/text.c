/* Texts of a known length: lines of a request, and names in which case and dashes do not matter. */
#include "core/text.h"

#include <string.h>

enum { NAME_LIMIT = 40 };

/* The next character that counts, 0 at the end. A NUL inside the text is not its end: it is a character that no name has. */
static int name_char(const char **at, const char *end) {
    while (*at < end && (**at == '-' || **at == '_' || **at == ' ')) ++*at;
    if (*at >= end) return 0;
    char c = *(*at)++;
    if (c == 0) return 256;
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

int pp_name_equal(pp_text text, const char *name) {
    const char *a = text.begin, *a_end = text.begin + text.length;
    const char *b = name, *b_end = name + strlen(name);
    int c;
    do {
        c = name_char(&a, a_end);
        if (c != name_char(&b, b_end)) return 0;
    } while (c != 0);
    return 1;
}

/* Edit distance (Wagner and Fischer 1974) with one row. */
int32_t pp_name_distance(pp_text text, const char *name) {
    int x[NAME_LIMIT], y[NAME_LIMIT], nx = 0, ny = 0, c;
    const char *a = text.begin, *b = name;
    while ((c = name_char(&a, text.begin + text.length)) != 0) {
        if (nx == NAME_LIMIT) return 1000;
        x[nx++] = c;
    }
    while ((c = name_char(&b, name + strlen(name))) != 0) {
        if (ny == NAME_LIMIT) return 1000;
        y[ny++] = c;
    }
    int32_t row[NAME_LIMIT + 1];
    for (int j = 0; j <= ny; j++) row[j] = j;
    for (int i = 1; i <= nx; i++) {
        int32_t diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= ny; j++) {
            int32_t up = row[j], best = diagonal + (x[i - 1] != y[j - 1]);
            if (up + 1 < best) best = up + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            diagonal = up;
        }
    }
    return row[ny];
}

pp_text pp_trim(const char *begin, const char *end) {
    while (begin < end && (*begin == ' ' || *begin == '\t' || *begin == '\r')) begin++;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    return (pp_text){begin, (int32_t)(end - begin)};
}

int pp_line_next(const char *text, int32_t length, int32_t *at, pp_text *name, pp_text *value) {
    while (*at < length) {
        const char *begin = text + *at, *end = begin, *equals = NULL;
        for (; end < text + length && *end != '\n'; end++)
            if (*end == '=' && equals == NULL) equals = end;
        *at = (int32_t)(end - text) + 1;
        *name = pp_trim(begin, equals != NULL ? equals : end);
        *value = equals != NULL ? pp_trim(equals + 1, end) : (pp_text){end, 0};
        if (name->length > 0 || value->length > 0) return 1;
    }
    return 0;
}
