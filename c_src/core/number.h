/* Numbers in text, the same on every machine and in every locale. */
#ifndef PP_NUMBER_H
#define PP_NUMBER_H

#include <stdint.h>

/* Reads one number at the start of text: optional sign ('-', '+' or U+2212), digits with '.' (and ',' where
 * comma_is_decimal), optional exponent; also "nan", "inf" and "infinity" in any case, which give that value.
 * Correctly rounded up to 19 digits with |exponent| <= 22, within one unit in the last place beyond.
 * Returns the bytes read, 0 if text does not start with a number. */
int32_t pp_number_read(const char *text, int32_t length, int comma_is_decimal, double *value);

/* Writes value with at most six decimals, trailing zeros cut, and a closing zero; very large and very small ones with an
 * exponent; out holds at least 32 bytes. */
void pp_number_write(double value, char *out);

#endif
