/* Counting checks for the native tests. A test is a main() that ends in `return check_report("name");`. A failed check
 * prints where and what, and the test goes on, so that one run shows everything that is wrong. */
#ifndef PP_CHECK_H
#define PP_CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static long check_count;
static long check_failed;

/* After this many complaints further ones are only counted. */
enum { CHECK_LOUD = 40 };

static inline int check_note(int ok, const char *file, int line) {
    check_count++;
    if (ok) return 1;
    check_failed++;
    if (check_failed > CHECK_LOUD) return 0;
    fprintf(stderr, "%s:%d: ", file, line);
    return 0;
}

#define CHECK_SAY(...) (check_failed > CHECK_LOUD ? 0 : (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr)))

#define CHECK(condition) (check_note(!!(condition), __FILE__, __LINE__) ? 0 : CHECK_SAY("not true: %s", #condition))

/* The same with words of one's own after the condition, as for printf. */
#define CHECK_MSG(condition, ...)                                                                                      \
    (check_note(!!(condition), __FILE__, __LINE__) ? 0                                                                 \
                                                   : (CHECK_SAY("not true: %s", #condition), CHECK_SAY(__VA_ARGS__)))

#define CHECK_EQ_INT(seen, wanted)                                                                                     \
    do {                                                                                                               \
        const long long check_seen = (long long)(seen), check_wanted = (long long)(wanted);                            \
        if (!check_note(check_seen == check_wanted, __FILE__, __LINE__))                                               \
            CHECK_SAY("%s is %lld, wanted %lld (%s)", #seen, check_seen, check_wanted, #wanted);                       \
    } while (0)

/* Equal to the last bit, apart from the sign of zero. */
#define CHECK_EQ_DOUBLE(seen, wanted)                                                                                  \
    do {                                                                                                               \
        const double check_seen = (double)(seen), check_wanted = (double)(wanted);                                     \
        if (!check_note(check_seen == check_wanted, __FILE__, __LINE__))                                               \
            CHECK_SAY("%s is %.17g, wanted %.17g (%s)", #seen, check_seen, check_wanted, #wanted);                     \
    } while (0)

/* |seen - wanted| <= tolerance; false for NaN. */
#define CHECK_NEAR(seen, wanted, tolerance)                                                                            \
    do {                                                                                                               \
        const double check_seen = (double)(seen), check_wanted = (double)(wanted);                                     \
        if (!check_note(fabs(check_seen - check_wanted) <= (double)(tolerance), __FILE__, __LINE__))                   \
            CHECK_SAY("%s is %.9g, wanted %.9g +- %g (%s)", #seen, check_seen, check_wanted, (double)(tolerance),      \
                      #wanted);                                                                                        \
    } while (0)

#define CHECK_EQ_TEXT(seen, wanted)                                                                                    \
    do {                                                                                                               \
        const char *check_seen = (seen), *check_wanted = (wanted);                                                     \
        if (!check_note(strcmp(check_seen, check_wanted) == 0, __FILE__, __LINE__))                                    \
            CHECK_SAY("%s is \"%s\", wanted \"%s\"", #seen, check_seen, check_wanted);                                 \
    } while (0)

/* Says how many checks ran; the exit status of the test. A test that checked nothing has failed. */
static inline int check_report(const char *name) {
    printf("%s: %ld checks, %ld failed\n", name, check_count, check_failed);
    return check_failed == 0 && check_count > 0 ? 0 : 1;
}

#endif
