/* What a user may type, and what is said of it. */
#include <stdio.h>

#include "check.h"
#include "core/number.h"
#include "plan.h"

static void expect(const char *text, int32_t status, int32_t option, const char *fix) {
    plan p;
    int32_t got = plan_make(&p, text);
    CHECK_MSG(got == status, "%s: %s, wanted %s", text, pp_status_name(got), pp_status_name(status));
    if (got != PP_OK && got == status) {
        CHECK_EQ_INT(p.fault.option, option);
        if (fix != NULL) CHECK_EQ_TEXT(p.fault.fix_value, fix);
        char message[500];
        for (int32_t lang = 0; lang < 2; lang++) {
            int32_t length = pp_fault_message(&p.fault, lang, message, sizeof message);
            CHECK(length > 20 && length < 500);
            CHECK_MSG(strchr(message, '%') == NULL && strchr(message, '\n') == NULL, "%s", message);
            if (option >= 0) CHECK_MSG(strstr(message, pp_option_name(option)) != NULL, "%s", message);
            if (fix != NULL) CHECK_MSG(strstr(message, fix) != NULL, "%s lacks %s", message, fix);
            CHECK_MSG(strstr(message, p.fault.seen) != NULL, "%s lacks %s", message, p.fault.seen);
        }
    }
    plan_free(&p);
}

/* A NUL in a request ends neither a name nor the text. */
static void zeros(void) {
    static const char name[] = "ranks\0zzz=5", value[] = "ranks=5\0zzz";
    pp_config config;
    pp_fault fault;
    CHECK_EQ_INT(config_of(name, sizeof name - 1, &config, &fault), PP_ERR_OPTION_UNKNOWN);
    CHECK_EQ_INT(config_of(value, sizeof value - 1, &config, &fault), PP_ERR_NOT_A_NUMBER);
}

static void refusals(void) {
    zeros();
    /* SCH-20 */
    expect("ranks=0", PP_ERR_RANGE, PP_OPT_RANKS, "1");
    expect("microbatches=0", PP_ERR_RANGE, PP_OPT_MICROBATCHES, "1");
    expect("microbatches=-1", PP_ERR_RANGE, PP_OPT_MICROBATCHES, "1");
    expect("microbatches=\xE2\x88\x92"
           "1",
           PP_ERR_RANGE, PP_OPT_MICROBATCHES, "1");
    expect("microbatches=2.5", PP_ERR_NOT_WHOLE, PP_OPT_MICROBATCHES, "3");
    expect("ranks=NaN", PP_ERR_NOT_A_NUMBER, PP_OPT_RANKS, NULL);
    expect("ranks=three", PP_ERR_NOT_A_NUMBER, PP_OPT_RANKS, NULL);
    expect("ranks=1e9", PP_ERR_RANGE, PP_OPT_RANKS, "4096");
    expect("ranks=99999999999999999999", PP_ERR_RANGE, PP_OPT_RANKS, "4096");
    expect("forward=-1", PP_ERR_RANGE, PP_OPT_FORWARD, "0");
    expect("forward=Infinity", PP_ERR_RANGE, PP_OPT_FORWARD, "1000000000000");
    expect("forward=NaN", PP_ERR_NOT_A_NUMBER, PP_OPT_FORWARD, NULL);
    expect("s=gpipe\np=4096\nm=1048576", PP_ERR_TOO_LARGE, PP_OPT_MICROBATCHES, "4096");
    expect("s=interleaved\np=4096\nv=64", PP_ERR_TOO_LARGE, PP_OPT_CHUNKS, "1");
    /* SCH-14 */
    expect("schedule=interlaeved1f1b", PP_ERR_NAME_UNKNOWN, PP_OPT_SCHEDULE, "interleaved");
    expect("schedule=\xD1\x8F", PP_ERR_NAME_UNKNOWN, PP_OPT_SCHEDULE, NULL);
    expect("schedule=1F1B", PP_OK, -1, NULL);
    expect("schedule=G_Pipe", PP_OK, -1, NULL);
    /* SCH-13 */
    expect("s=1f1b\nv=2", PP_ERR_CHUNKS, PP_OPT_CHUNKS, "1");
    expect("s=gpipe\nv=2", PP_ERR_CHUNKS, PP_OPT_CHUNKS, "1");
    /* SCH-03, 04, 05, 09 */
    expect("s=interleaved\np=6\nv=2\nm=3", PP_ERR_GROUP, PP_OPT_MICROBATCHES, "6");
    expect("s=interleaved\np=4\nv=2\nm=8\ngroup=2", PP_ERR_GROUP, PP_OPT_GROUP, "4");
    expect("s=interleaved\np=4\nv=2\nm=8\ngroup=9", PP_ERR_GROUP, PP_OPT_GROUP, "8");
    expect("s=interleaved\np=4\nv=2\nm=6", PP_ERR_GROUP_REMAINDER, PP_OPT_MICROBATCHES, "8");
    expect("s=interleaved\np=4\nv=2\nm=13\ndialect=pytorch", PP_ERR_ROUNDS, PP_OPT_MICROBATCHES, "12");
    expect("s=interleaved\np=4\nv=2\nm=8\ndialect=pytorch\ngroup=8", PP_ERR_ROUNDS, PP_OPT_GROUP, "4");
    /* the request itself */
    expect("speed=3", PP_ERR_OPTION_UNKNOWN, -1, NULL);
    expect("p=3\nranks=4", PP_ERR_OPTION_TWICE, PP_OPT_RANKS, NULL);
    expect("s=gpipe\ngroup=4", PP_ERR_OPTION_MEANINGLESS, PP_OPT_GROUP, "");
    expect("s=forward\nrecompute=late", PP_ERR_OPTION_MEANINGLESS, PP_OPT_RECOMPUTE, "");
    expect("s=interleaved\np=4\nv=2\ncosts-of=device\nforward=1 1 1", PP_ERR_LIST_LENGTH, PP_OPT_FORWARD, NULL);
    expect("costs-of=rank", PP_ERR_NAME_UNKNOWN, PP_OPT_COSTS_OF, NULL);
    expect("dialect=tensorflow", PP_ERR_NAME_UNKNOWN, PP_OPT_DIALECT, NULL);
    /* cost lists */
    expect("forward=1 2", PP_ERR_LIST_LENGTH, PP_OPT_FORWARD, NULL);
    expect("forward=1,2,", PP_ERR_NOT_A_NUMBER, PP_OPT_FORWARD, NULL);
    expect("forward=1,x,3", PP_ERR_NOT_A_NUMBER, PP_OPT_FORWARD, NULL);
    expect("forward=1e", PP_ERR_NOT_A_NUMBER, PP_OPT_FORWARD, NULL);
    expect("s=1f1b\nbackward=2\ninput-gradient=3", PP_ERR_COST_SPLIT, PP_OPT_BACKWARD, "2");
    expect("s=1f1b\nbackward=2\ninput-gradient=1\nweight-gradient=3", PP_ERR_COST_SPLIT, PP_OPT_BACKWARD, "4");
    /* The nearest legal number is one for all stages. */
    expect("s=1f1b\np=3\nbackward=1 2 0.5\ninput-gradient=2", PP_ERR_COST_SPLIT, PP_OPT_BACKWARD, "0.5");
    expect("s=1f1b\np=2\nbackward=2\ninput-gradient=1 2\nweight-gradient=3", PP_ERR_COST_SPLIT, PP_OPT_BACKWARD, "");
    expect("s=1f1b\np=2\nforward=1 5\noverlap-cost=1", PP_ERR_COST_OVERLAP, PP_OPT_OVERLAP_COST, "5");
    expect("s=interleaved\np=7\nm=4\nv=2\ngroup=1", PP_ERR_GROUP, PP_OPT_GROUP, "1");
    expect("s=1f1b\noverlap-cost=1", PP_ERR_COST_OVERLAP, PP_OPT_OVERLAP_COST, "2");
}

static void costs_are(const char *text, int32_t row, const double *want, int32_t count) {
    plan p;
    int32_t status = plan_make(&p, text);
    CHECK_MSG(status == PP_OK, "%s: %s", text, pp_status_name(status));
    if (status == PP_OK) {
        CHECK_EQ_INT(p.config.stages, count);
        for (int32_t s = 0; s < count; s++)
            CHECK_MSG(p.costs[row * count + s] == want[s], "%s: stage %d is %g", text, s, p.costs[row * count + s]);
    }
    plan_free(&p);
}

static void lists(void) {
    static const double half[] = {0.5, 0.5, 0.5}, mixed[] = {0.5, 1, 1}, pair[] = {1, 2}, halves[] = {0.5, 0.5};
    costs_are("forward=0.5", PP_COST_FORWARD, half, 3); /* VIE-03: all of these are one half */
    costs_are("forward=0,5", PP_COST_FORWARD, half, 3);
    costs_are("p=2\nforward=0,5", PP_COST_FORWARD, halves, 2);
    costs_are("p=2\nforward=1,2", PP_COST_FORWARD, pair, 2);
    costs_are("p=2\nforward=1, 2", PP_COST_FORWARD, pair, 2);
    costs_are("forward=0.5,1,1", PP_COST_FORWARD, mixed, 3); /* SCH-24 */
    costs_are("forward=[0.5,1,1]", PP_COST_FORWARD, mixed, 3);
    costs_are("forward=0.5 1 1", PP_COST_FORWARD, mixed, 3);
    costs_are("forward=0,5 1 1", PP_COST_FORWARD, mixed, 3);
    costs_are("forward=0,5; 1; 1", PP_COST_FORWARD, mixed, 3);
    costs_are("forward=0.5;1;1", PP_COST_FORWARD, mixed, 3);
    static const double hops[] = {1, 2, 0}, threes[] = {3, 3, 3}, split[] = {1.5, 1.5, 1.5}, rest[] = {2, 2, 2};
    costs_are("latency=1;2", PP_COST_LATENCY, hops, 3);
    costs_are("s=1f1b\nbackward=3", PP_COST_INPUT, split, 3);
    costs_are("s=1f1b\nbackward=3\ninput-gradient=1", PP_COST_WEIGHT, rest, 3);
    costs_are("s=1f1b\ninput-gradient=2", PP_COST_BACKWARD, threes, 3);
    costs_are("s=1f1b\nforward=3", PP_COST_RECOMPUTE, threes, 3);
}

static void number(const char *text, int comma, double want, int32_t used) {
    double got = 0;
    int32_t n = pp_number_read(text, (int32_t)strlen(text), comma, &got);
    CHECK_MSG(n == used, "%s: %d bytes", text, n);
    if (used > 0) CHECK_MSG(got == want, "%s: %.17g", text, got);
}

static void numbers(void) {
    number("0.1", 0, 0.1, 3);
    number("18.522", 0, 18.522, 6);
    number("1234567890.12345", 0, 1234567890.12345, 16);
    number("1e3", 0, 1000, 3);
    number("1E-3x", 0, 1e-3, 4);
    number("3,5", 1, 3.5, 3);
    number("3,5", 0, 3, 1);
    number("3,", 1, 3, 1);
    number("+7", 0, 7, 2);
    number(".5", 0, 0.5, 2);
    number("5.", 0, 5, 1);
    number("", 0, 0, 0);
    number("-", 0, 0, 0);
    number("e5", 0, 0, 0);
    number("9007199254740993", 0, 9007199254740992.0, 16);
    number("100000000000000000000000", 0, 1e23, 24);
    number("0.000000000000000000000000000001", 0, 1e-30, 32);
    number("1e400", 0, INFINITY, 5);
    number("1e-400", 0, 0, 6);
    char out[32];
    static const struct {
        double value;
        const char *text;
    } written[] = {{0, "0"},
                   {-1.5, "-1.5"},
                   {0.1, "0.1"},
                   {1e12, "1000000000000"},
                   {1.0 / 3, "0.333333"},
                   {0.9999999, "1"},
                   {INFINITY, "Infinity"},
                   {NAN, "NaN"},
                   {1e30, "1e30"},
                   {1e-7, "1e-7"},
                   {-2.5e38, "-2.5e38"},
                   {9.99e-7, "9.99e-7"},
                   {1e-300, "1e-300"}};
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        pp_number_write(written[i].value, out);
        CHECK_EQ_TEXT(out, written[i].text);
    }
}

/* A message cut short is still UTF-8 and still closed. */
static void short_messages(void) {
    pp_config config;
    pp_fault fault;
    CHECK_EQ_INT(config_of("p=0", 3, &config, &fault), PP_ERR_RANGE);
    char whole[400], part[400];
    int32_t length = pp_fault_message(&fault, PP_LANG_RU, whole, sizeof whole);
    CHECK_EQ_INT(length, strlen(whole));
    for (int32_t capacity = 1; capacity <= length + 1; capacity++) {
        memset(part, 'x', sizeof part);
        CHECK_EQ_INT(pp_fault_message(&fault, PP_LANG_RU, part, capacity), length);
        size_t kept = strlen(part);
        CHECK(kept < (size_t)capacity && memcmp(part, whole, kept) == 0);
        CHECK(((unsigned char)whole[kept] & 0xC0) != 0x80); /* the cut is between characters */
    }
}

/* Any bytes: a status, never a crash; and every name a config has can be asked for. */
static void noise(void) {
    uint32_t state = 1;
    static const char letters[] = "spmv=\n0123456789.,;- eNIFghoru\xD0\x90";
    for (int round = 0; round < 20000; round++) {
        char text[40];
        int32_t length = 0;
        while (length < 40 && (state = state * 1664525u + 1013904223u) >> 27 != 0)
            text[length++] = letters[(state >> 8) % (sizeof letters - 1)];
        pp_config config;
        pp_fault fault;
        int32_t status = config_of(text, length, &config, &fault);
        CHECK(status >= 0 && status < PP_STATUS_COUNT);
        if (status != PP_OK) {
            char message[64];
            CHECK(pp_fault_message(&fault, round & 1, message, sizeof message) > 0);
        } else if (config.stages <= 4096) {
            double *costs = malloc((size_t)pp_costs_bytes(&config));
            costs_of(text, length, &config, costs, &fault);
            free(costs);
        }
    }
    for (int32_t o = -1; o <= PP_OPT_COUNT; o++) CHECK(pp_option_name(o) != NULL && pp_option_choice(o, 1000) != NULL);
    CHECK_EQ_TEXT(pp_status_name(-1), "unknown");
    CHECK_EQ_TEXT(pp_status_name(PP_ERR_DEADLOCK), "deadlock");
}

int main(void) {
    refusals();
    lists();
    numbers();
    short_messages();
    noise();
    return check_report("config");
}
