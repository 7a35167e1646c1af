/* Refusals offer the nearest legal choice. Whatever a random request is refused for, each choice that is offered is applied,
 * and the request must then be accepted, and its schedule must run. How many refusals is the first argument, the seed the
 * second. */
#include "check.h"
#include "plan.h"
#include "random_request.h"

/* The request with an option set, or left out where value is "". */
static void with_option(char *out, size_t size, const char *text, const char *name, const char *value) {
    size_t used = 0;
    for (const char *line = text; *line != 0;) {
        const char *end = strchr(line, '\n');
        size_t length = end != NULL ? (size_t)(end - line) : strlen(line), n = strlen(name);
        int same = length > n && strncmp(line, name, n) == 0 && line[n] == '=';
        if (!same) used += (size_t)snprintf(out + used, size - used, "%.*s\n", (int)length, line);
        line += length + (end != NULL);
    }
    if (value[0] != 0) snprintf(out + used, size - used, "%s=%s\n", name, value);
}

static void random_shape(char *text, size_t size) {
    random_text out = {text, size};
    int32_t id = (int32_t)random_below((uint32_t)pp_schedule_count());
    int used = snprintf(out.at, out.left, "schedule=%s", pp_schedule_name(id));
    out.at += used;
    out.left -= (size_t)used;
    random_number(&out, "ranks", random_below(9) + 1);
    if (random_below(8) > 0) random_number(&out, "microbatches", random_below(24) + 1);
    if (random_below(2)) random_number(&out, "chunks", random_below(4) + 1);
    if (random_below(10) == 0) random_number(&out, "global-batch", random_below(40) + 1);
    if (random_below(10) == 0) random_number(&out, "microbatch-size", random_below(6) + 1);
    if (random_below(12) == 0) random_number(&out, "layers", random_below(30) + 1);
    for (int32_t o = PP_OPT_SCHEDULE + 1; o <= PP_OPT_PLACEMENT; o++) {
        if ((!pp_schedule_option_used(id, o) && random_below(40) > 0) || random_below(3) > 0) continue;
        if (o == PP_OPT_RANKS || o == PP_OPT_MICROBATCHES || o == PP_OPT_CHUNKS) continue;
        int32_t names = 0;
        while (pp_option_kind(o) == 'E' && pp_option_choice(o, names)[0] != 0) names++;
        if (o == PP_OPT_DIALECT) names = 2;  /* free: what is asked for may wait for itself */
        if (o == PP_OPT_TRANSFER) names = 2; /* and so may blocking messages */
        if (names > 0)
            random_say(&out, pp_option_name(o), pp_option_choice(o, (int32_t)random_below((uint32_t)names)));
        else
            random_number(&out, pp_option_name(o), random_below(o == PP_OPT_WARMUP_FACTOR ? 2 : 12) + 1);
    }
}

static int32_t runs(const char *text) {
    plan p;
    int32_t status = plan_make(&p, text);
    plan_free(&p);
    return status;
}

static int32_t refused(const char *text, pp_fault *fault) {
    pp_config config;
    return config_of(text, (int32_t)strlen(text), &config, fault);
}

static void named_values(void) {
    static const struct {
        const char *text, *option, *value;
    } wanted[] = {
        {"schedule=interleaved\nranks=2\nchunks=2\nmicrobatches=5", "group", "3"},
        {"schedule=1f1b\nglobal-batch=10\nmicrobatches=4", "microbatches", "5"},
        {"schedule=interleaved\nranks=6\nchunks=2\nmicrobatches=3", "microbatches", "6"},
        {"schedule=interleaved\nranks=4\nchunks=2\nmicrobatches=8\ngroup=2", "group", "4"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        pp_fault fault;
        CHECK(refused(wanted[i].text, &fault) != PP_OK);
        int first = fault.fix_option >= 0 && strcmp(pp_option_name(fault.fix_option), wanted[i].option) == 0;
        int second = fault.fix2_option >= 0 && strcmp(pp_option_name(fault.fix2_option), wanted[i].option) == 0;
        CHECK_MSG(first || second, "%s", wanted[i].text);
        CHECK_EQ_TEXT(pp_fault_fix_value(&fault, !first), wanted[i].value);
    }
}

/* Applies a choice; where more than one option is wrong, also the first choice of the refusals that follow. */
static int32_t settled(const char *text, int32_t option, const char *value, int rounds) {
    char now[1400], next[1400];
    pp_fault fault;
    with_option(now, sizeof now, text, pp_option_name(option), value);
    while (rounds-- > 0 && refused(now, &fault) != PP_OK && fault.fix_option >= 0) {
        with_option(next, sizeof next, now, pp_option_name(fault.fix_option), pp_fault_fix_value(&fault, 0));
        memcpy(now, next, sizeof now);
    }
    return runs(now);
}

/* One refusal; 1 if there was one. alone: only one option is wrong. */
static int one(const char *text, int alone, int64_t *offered, int64_t *none) {
    pp_fault fault;
    if (refused(text, &fault) == PP_OK) return 0;
    *none += fault.fix_option < 0;
    for (int n = 0; n < 2; n++) {
        int32_t option = n == 0 ? fault.fix_option : fault.fix2_option;
        if (option < 0) continue;
        ++*offered;
        int32_t status = settled(text, option, pp_fault_fix_value(&fault, n), alone ? 0 : 6);
        CHECK_MSG(status == PP_OK, "%s\n-> %s=%s: %s", text, pp_option_name(option), pp_fault_fix_value(&fault, n),
                  pp_status_name(status));
    }
    return 1;
}

int main(int argc, char **argv) {
    int64_t wanted = argc > 1 ? atoll(argv[1]) : 4000, seen = 0, alone = 0, none = 0, offered = 0;
    random_start(argc > 2 ? (uint64_t)atoll(argv[2]) : 1);
    named_values();
    while (seen < wanted) {
        static const char *const names[] = {"ranks", "microbatches", "chunks", "group", "pipes", "global-batch"};
        char text[1024], broken[1200], value[16];
        pp_fault fault;
        random_shape(text, sizeof text);
        if (refused(text, &fault) != PP_OK) {
            seen += one(text, 0, &offered, &none);
            continue;
        }
        snprintf(value, sizeof value, "%u", random_below(26));
        with_option(broken, sizeof broken, text, names[random_below(6)], value);
        int refusal = one(broken, 1, &offered, &none);
        alone += refusal;
        seen += refusal;
    }
    printf("fixes: %lld refusals, of which %lld of one option alone; %lld choices offered, %lld refusals without one\n",
           (long long)seen, (long long)alone, (long long)offered, (long long)none);
    CHECK(none * 100 < seen);
    return check_report("config_fixes");
}
