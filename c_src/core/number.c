#include "core/number.h"

#include <math.h>
#include <stddef.h>

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int32_t word(const char *text, int32_t length, const char *lower) {
    int32_t n = 0;
    while (lower[n] != 0) {
        if (n >= length) return 0;
        char c = text[n];
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        if (c != lower[n]) return 0;
        n++;
    }
    return n;
}

static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* a * b = result + *rest exactly (Dekker 1971). */
static double product(double a, double b, double *rest) {
    const double split = 134217729.0; /* 2^27 + 1 */
    double x = a * split, y = b * split, a_high = x - (x - a), b_high = y - (y - b), a_low = a - a_high,
           b_low = b - b_high, result = a * b;
    *rest = ((a_high * b_high - result) + a_high * b_low + a_low * b_high) + a_low * b_low;
    return result;
}

/* The same for more digits than a double holds, |exponent| <= 22: what is cut off is carried along, so that a number
 * that was printed with 17 digits comes back as it was. */
static double scale_long(uint64_t mantissa, int32_t exponent) {
    double high = (double)(mantissa >> 32) * 4294967296.0, low = (double)(mantissa & 0xFFFFFFFF), rest;
    double head = high + low, tail = low - (head - high);
    if (exponent >= 0) {
        double value = product(head, power[exponent], &rest);
        return value + (rest + tail * power[exponent]);
    }
    double value = head / power[-exponent], back = product(value, power[-exponent], &rest);
    return value + ((head - back) - rest + tail) / power[-exponent];
}

/* value * 10^exponent; exact while both fit a double, which is the case for every number a person types. */
static double scale(double value, int32_t exponent) {
    while (exponent > 22 && value != 0 && isfinite(value)) value *= 1e22, exponent -= 22;
    while (exponent < -22 && value != 0) value /= 1e22, exponent += 22;
    if (value == 0 || !isfinite(value)) return value;
    return exponent < 0 ? value / power[-exponent] : value * power[exponent];
}

int32_t pp_number_read(const char *text, int32_t length, int comma_is_decimal, double *value) {
    int32_t at = 0, negative = 0, digits = 0, exponent = 0, used, found = 0;
    uint64_t mantissa = 0;
    if (at < length && (text[at] == '-' || text[at] == '+')) {
        negative = text[at] == '-';
        at++;
    } else if (length >= 3 && (unsigned char)text[0] == 0xE2 && (unsigned char)text[1] == 0x88 &&
               (unsigned char)text[2] == 0x92) {
        negative = 1;
        at = 3;
    }
    if ((used = word(text + at, length - at, "infinity")) != 0 || (used = word(text + at, length - at, "inf")) != 0) {
        *value = negative ? -INFINITY : INFINITY;
        return at + used;
    }
    if ((used = word(text + at, length - at, "nan")) != 0) {
        *value = NAN;
        return at + used;
    }
    for (int fraction = 0; at < length; at++) {
        char c = text[at];
        if (is_digit(c)) {
            found = 1;
            if (digits < 19) {
                mantissa = mantissa * 10 + (uint64_t)(c - '0');
                if (mantissa != 0) digits++;
                exponent -= fraction;
            } else {
                exponent += !fraction;
            }
        } else if (!fraction && (c == '.' || (comma_is_decimal && c == ',')) && found && at + 1 < length &&
                   is_digit(text[at + 1])) {
            fraction = 1;
        } else if (!fraction && c == '.' && at + 1 < length && is_digit(text[at + 1])) {
            fraction = 1; /* ".5" */
        } else {
            break;
        }
    }
    if (!found) return 0;
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        int32_t e = at + 1, sign = 1, power = 0, any = 0;
        if (e < length && (text[e] == '-' || text[e] == '+')) sign = text[e++] == '-' ? -1 : 1;
        for (; e < length && is_digit(text[e]); e++, any = 1)
            if (power < 10000) power = power * 10 + (text[e] - '0');
        if (any) {
            exponent += sign * power;
            at = e;
        }
    }
    while (mantissa > ((uint64_t)1 << 53) && mantissa % 10 == 0) mantissa /= 10, exponent++;
    double result = mantissa > (uint64_t)1 << 53 && exponent >= -22 && exponent <= 22
                        ? scale_long(mantissa, exponent)
                        : scale((double)mantissa, exponent);
    *value = negative ? -result : result;
    return at;
}

void pp_number_write(double value, char *out) {
    char *at = out;
    int32_t exponent = 0;
    if (isnan(value) || !isfinite(value)) {
        const char *name = isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity";
        while ((*at++ = *name++) != 0) {
        }
        return;
    }
    if (value < 0) *at++ = '-', value = -value;
    if (value >= 1e15 || (value < 1e-6 && value > 0)) {
        /* What six decimals round up to 10 or to 1 is taken for that. */
        for (; value >= 9.9999995; value /= 10) exponent++;
        for (; value < 0.9999995; value *= 10) exponent--;
    }
    uint64_t whole = (uint64_t)value;
    uint64_t millionths = (uint64_t)((value - (double)whole) * 1e6 + 0.5);
    if (millionths >= 1000000) whole++, millionths = 0;
    char digits[24];
    int count = 0;
    do digits[count++] = (char)('0' + whole % 10);
    while ((whole /= 10) != 0);
    while (count > 0) *at++ = digits[--count];
    if (millionths != 0) {
        *at++ = '.';
        for (uint64_t unit = 100000; millionths != 0; unit /= 10) {
            *at++ = (char)('0' + millionths / unit);
            millionths %= unit;
        }
    }
    *at = 0;
    if (exponent != 0) *at++ = 'e', pp_number_write(exponent, at);
}
