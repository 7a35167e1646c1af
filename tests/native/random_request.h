/* Random requests of all schedules, legal and not, for tests that hold of every one. */
#ifndef PP_TEST_RANDOM_REQUEST_H
#define PP_TEST_RANDOM_REQUEST_H

#include <stdint.h>
#include <stdio.h>

#include "pipeline.h"

static uint64_t random_state = 1;

static inline void random_start(uint64_t seed) { random_state = UINT64_C(0x9E3779B97F4A7C15) ^ seed; }

static inline uint32_t random_below(uint32_t n) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % n;
}

/* A text that is written piece by piece. */
typedef struct random_text {
    char *at;
    size_t left;
} random_text;

static inline void random_say(random_text *out, const char *name, const char *value) {
    int used = snprintf(out->at, out->left, "\n%s=%s", name, value);
    out->at += used;
    out->left -= (size_t)used;
}

static inline void random_number(random_text *out, const char *name, uint32_t value) {
    char digits[16];
    snprintf(digits, sizeof digits, "%u", value);
    random_say(out, name, digits);
}

/* One number or `count` of them, quarters so that sums are exact; from `least` quarters on. */
static inline void random_list(random_text *out, const char *name, int32_t count, uint32_t least, uint32_t quarters) {
    char list[2048];
    int used = 0, numbers = random_below(2) ? 1 : count;
    for (int32_t s = 0; s < numbers; s++) {
        uint32_t value = random_below(quarters) + least;
        used += snprintf(list + used, sizeof list - (size_t)used, s > 0 ? " %u.%02u" : "%u.%02u", value / 4,
                         value % 4 * 25);
    }
    random_say(out, name, list);
}

/* Schedule, shape, its own options, costs. */
static inline void random_request_of(random_text *out, int32_t id, int32_t p, int32_t m, int32_t v) {
    int used = snprintf(out->at, out->left, "schedule=%s", pp_schedule_name(id));
    out->at += used;
    out->left -= (size_t)used;
    random_number(out, "ranks", (uint32_t)p);
    random_number(out, "microbatches", (uint32_t)m);
    random_number(out, "chunks", (uint32_t)v);
    for (int32_t o = PP_OPT_SCHEDULE + 1; o <= PP_OPT_PLACEMENT; o++) {
        if (!pp_schedule_option_used(id, o) || random_below(3) > 0) continue;
        int32_t names = 0;
        while (pp_option_kind(o) == 'E' && pp_option_choice(o, names)[0] != 0) names++;
        if (names > 0)
            random_say(out, pp_option_name(o), pp_option_choice(o, (int32_t)random_below((uint32_t)names)));
        else if (o == PP_OPT_GROUP)
            random_number(out, "group", (uint32_t)(p + 1) / 2 + random_below((uint32_t)p / 2 + 4));
        else if (o == PP_OPT_PIPES || o == PP_OPT_WARMUP_FACTOR)
            random_number(out, pp_option_name(o), (o == PP_OPT_PIPES ? 2 : 1) * (random_below(2) + 1));
        else if (o == PP_OPT_EXTRA_WARMUP || o == PP_OPT_SLICES)
            random_number(out, pp_option_name(o), random_below(3) + 1);
    }
    int32_t stages = p * v;
    random_list(out, "forward", stages, 1, 12);
    random_list(out, "input-gradient", stages, 1, 12);
    random_list(out, "weight-gradient", stages, 1, 12);
    /* not below the longest F and the longest B that the lists above can hold */
    if (random_below(2)) random_number(out, "overlap-cost", 6 + random_below(3));
    if (random_below(2)) random_list(out, "latency", stages, 0, 8);
}

/* Any schedule of up to 16 ranks. */
static inline void random_request(char *text, size_t size) {
    random_text out = {text, size};
    int32_t id = (int32_t)random_below((uint32_t)pp_schedule_count());
    int32_t p = (int32_t)random_below(random_below(8) == 0 ? 16 : 6) + 1;
    int32_t m = (int32_t)random_below(random_below(8) == 0 ? 40 : 12) + 1;
    if (random_below(2)) m *= p; /* many rules want a multiple */
    int32_t low = pp_schedule_chunks_min(id), high = pp_schedule_chunks_max(id);
    int32_t v = low + (int32_t)random_below((uint32_t)((high < 3 ? high : 3) - low + 1));
    random_request_of(&out, id, p, m, v);
}

/* The same, small enough for a slow simulator. */
static inline void random_small_request(char *text, size_t size) {
    random_text out = {text, size};
    int32_t id = (int32_t)random_below((uint32_t)pp_schedule_count());
    int32_t p = (int32_t)random_below(6) + 1, m = (int32_t)random_below(9) + 1;
    if (random_below(2)) m = m * p > 24 ? p : m * p;
    int32_t low = pp_schedule_chunks_min(id), high = pp_schedule_chunks_max(id);
    int32_t v = low + (int32_t)random_below((uint32_t)((high < 3 ? high : 3) - low + 1));
    random_request_of(&out, id, p, m, v);
}

#endif
