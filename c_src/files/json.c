#include "files/json.h"

#include <math.h>
#include <string.h>

#include "core/number.h"

enum { DEPTH = 64 };

char pp_json_peek(pp_json *json) {
    while (json->at < json->length && strchr(" \t\r\n", json->text[json->at]) != NULL && json->text[json->at] != 0)
        json->at++;
    return json->at < json->length ? json->text[json->at] : 0;
}

int pp_json_enter(pp_json *json, char bracket) {
    if (pp_json_peek(json) != bracket) return 0;
    json->at++;
    return 1;
}

/* Steps over the closing bracket (0), or over the comma before the next item (1); -1 for neither. */
static int next(pp_json *json, int *first, char close) {
    char c = pp_json_peek(json);
    if (c == close) {
        json->at++;
        return 0;
    }
    if (!*first) {
        if (c != ',') return -1;
        json->at++;
        c = pp_json_peek(json);
        if (c == close) return -1;
    }
    *first = 0;
    return c != 0 ? 1 : -1;
}

int pp_json_member(pp_json *json, int *first, pp_text *key) {
    int found = next(json, first, '}');
    if (found != 1) return found;
    if (!pp_json_string(json, key) || pp_json_peek(json) != ':') return -1;
    json->at++;
    return 1;
}

int pp_json_element(pp_json *json, int *first) { return next(json, first, ']'); }

int pp_json_string(pp_json *json, pp_text *value) {
    if (pp_json_peek(json) != '"') return 0;
    int32_t begin = ++json->at;
    while (json->at < json->length && json->text[json->at] != '"') {
        if (json->text[json->at] == '\n') return 0;
        json->at += json->text[json->at] == '\\' && json->at + 1 < json->length ? 2 : 1;
    }
    if (json->at >= json->length) return 0;
    *value = (pp_text){json->text + begin, json->at - begin};
    json->at++;
    return 1;
}

int pp_json_number(pp_json *json, pp_text *text, double *value) {
    char c = pp_json_peek(json);
    if (c != '-' && (c < '0' || c > '9')) return 0;
    int32_t used = pp_number_read(json->text + json->at, json->length - json->at, 0, value);
    if (used == 0 || !isfinite(*value)) return 0;
    *text = (pp_text){json->text + json->at, used};
    json->at += used;
    return 1;
}

static int word(pp_json *json, const char *name) {
    int32_t length = (int32_t)strlen(name);
    if (json->length - json->at < length || memcmp(json->text + json->at, name, (size_t)length) != 0) return 0;
    json->at += length;
    return 1;
}

/* Brackets are matched and strings are passed over; commas and colons between are not looked at. */
int pp_json_skip(pp_json *json) {
    char open[DEPTH];
    int depth = 0;
    pp_text text;
    double value;
    do {
        char c = pp_json_peek(json);
        if (c == '{' || c == '[') {
            if (depth == DEPTH) return 0;
            open[depth++] = c;
            json->at++;
        } else if (c == '}' || c == ']') {
            if (depth == 0 || open[depth - 1] != (c == '}' ? '{' : '[')) return 0;
            depth--;
            json->at++;
        } else if (depth > 0 && (c == ',' || c == ':')) {
            json->at++;
        } else if (!pp_json_string(json, &text) && !pp_json_number(json, &text, &value) && !word(json, "true") &&
                   !word(json, "false") && !word(json, "null")) {
            return 0;
        }
    } while (depth > 0);
    return 1;
}

int pp_json_end(pp_json *json) { return pp_json_peek(json) == 0 && json->at == json->length; }
