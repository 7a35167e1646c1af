/* Costs of layers from measured stages, stages of any cut from them, what messages took, how far a prediction was off; and
 * texts nobody meant to write. */
#include <stdlib.h>

#include "check.h"
#include "pipeline.h"

/* A plan in memory of exactly the size it asked for, as its profile. NULL where it is refused. */
static void *made(const char *text, int32_t length, const int32_t *sizes, int32_t count, pp_fault *fault) {
    char *exact = malloc((size_t)length + 1);
    memcpy(exact, text, (size_t)length);
    size_t bytes = pp_profile_bytes(exact, length, NULL);
    pp_profile *profile = malloc(bytes);
    int told = pp_profile_parse(exact, length, NULL, profile, bytes, fault) == PP_OK;
    bytes = pp_plan_bytes(exact, length, told ? profile : NULL, sizes, count);
    void *plan = malloc(bytes);
    int32_t status = pp_plan_parse(exact, length, told ? profile : NULL, sizes, count, plan, bytes, fault);
    free(profile);
    free(exact);
    if (status == PP_OK) return plan;
    char words[512];
    for (int32_t lang = 0; lang < 2; lang++) CHECK(pp_fault_message(fault, lang, words, sizeof words) > 20);
    free(plan);
    return NULL;
}

static void check_row(const double *seen, const double *wanted, int32_t count) {
    for (int32_t i = 0; i < count; i++) CHECK_MSG(seen[i] == wanted[i], "%d: %g, not %g", i, seen[i], wanted[i]);
}

static void *made_of(const char *text, const int32_t *sizes, int32_t count) {
    pp_fault fault;
    void *plan = made(text, (int32_t)strlen(text), sizes, count, &fault);
    CHECK_MSG(plan != NULL, "%s", text);
    return plan;
}

static void layers_share_stages(void) {
    static const int32_t two_one[] = {2, 1};
    /* alike within a stage, halves of a backward */
    pp_plan *plan = made_of("{\"forward\":[4,3],\"backward\":[8,6]}", two_one, 2);
    if (plan == NULL) return;
    CHECK_EQ_INT(pp_plan_layers(plan), 3);
    CHECK_EQ_INT(pp_plan_stages(plan), 2);
    CHECK_EQ_INT(pp_plan_split(plan), 0);
    check_row(pp_plan_costs(plan), (double[]){2, 2, 3, 2, 2, 3, 2, 2, 3}, 9);
    check_row(pp_plan_weights(plan), (double[]){6, 6, 9}, 3);
    double units[3], costs[6];
    pp_plan_units(plan, units);
    CHECK(fabs(units[0] + units[1] + units[2] - 1) < 1e-15);
    pp_plan_stage_costs(plan, (int32_t[]){1, 2}, 2, costs);
    check_row(costs, (double[]){2, 5, 2, 5, 2, 5}, 6);
    free(plan);
    /* by their own times, made to add up to the stage */
    plan = made_of("{\"forward\":[8,4],\"I\":[4,1],\"W\":[8,2],\"sizes\":[2,1],\"layers\":[{\"F\":1,\"B\":1},"
                   "{\"F\":3,\"B\":5},{\"F\":9,\"I\":1,\"W\":2}]}",
                   NULL, 0);
    if (plan == NULL) return;
    CHECK_EQ_INT(pp_plan_split(plan), 1);
    check_row(pp_plan_costs(plan), (double[]){2, 6, 4, 1, 5, 1, 1, 5, 2}, 9);
    CHECK_EQ_INT(pp_plan_sizes(plan)[0], 2);
    free(plan);
    /* layers alone; a stage for each where nothing is said of layers */
    plan = made_of("{\"layers\":[{\"forward\":1,\"backward\":4},{\"forward\":2,\"backward\":6}]}", NULL, 0);
    if (plan == NULL) return;
    CHECK_EQ_INT(pp_plan_stages(plan), 0);
    check_row(pp_plan_costs(plan), (double[]){1, 2, 2, 3, 2, 3}, 6);
    free(plan);
    plan = made_of("{\"forward\":[4,3]}", NULL, 0);
    if (plan == NULL) return;
    CHECK_EQ_INT(pp_plan_layers(plan), 2);
    free(plan);
}

static void what_is_refused(void) {
    static const struct {
        const char *text, *words;
        int32_t sizes[3], count;
    } cases[] = {
        {"{}", "it tells none", {0}, 0},
        {"hello", "it tells none", {0}, 0},
        {"{\"forward\":[1,1]}", "3 stages with 3 layers in all do not fit", {1, 1, 1}, 3},
        {"{\"forward\":[1,1]}", "2 stages with 0 layers", {2, 0}, 2},
        {"{\"forward\":[1,1],\"sizes\":[1]}", "1 stages with 1 layers", {0}, 0},
        {"{\"forward\":[1,1],\"sizes\":[1,-1]}", "do not fit", {0}, 0},
        {"{\"forward\":[1,1],\"sizes\":[65536,65536]}", "do not fit", {0}, 0},
        {"{\"layers\":[{\"F\":1,\"B\":1}],\"sizes\":[2]}", "1 stages with 2 layers", {0}, 0},
        {"{\"layers\":[{\"B\":1}]}", "no time of forward for layer 0", {0}, 0},
        {"{\"layers\":[{\"F\":1,\"B\":1},{\"F\":1,\"I\":1}]}", "no time of backward for layer 1", {0}, 0},
        {"{\"layers\":[{\"F\":0,\"B\":0}]}", "0 or more", {0}, 0},
        {"{\"forward\":[-1,2]}", "0 or more", {0}, 0},
        {"{\"layers\":[3]}", "not JSON", {0}, 0},
        {"{\"sizes\":[\"x\"]}", "not JSON", {0}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pp_fault fault;
        char words[512];
        const int32_t *sizes = cases[i].count > 0 ? cases[i].sizes : NULL;
        void *plan = made(cases[i].text, (int32_t)strlen(cases[i].text), sizes, cases[i].count, &fault);
        CHECK_MSG(plan == NULL, "%s", cases[i].text);
        free(plan);
        if (plan != NULL) continue;
        pp_fault_message(&fault, PP_LANG_EN, words, sizeof words);
        CHECK_MSG(strstr(words, cases[i].words) != NULL, "%s: %s", cases[i].text, words);
    }
}

static void outcomes(void) {
    pp_plan *plan = made_of("{\"forward\":[1],\"makespans\":[12,9,11,10]}", NULL, 0);
    pp_outcome out;
    if (plan == NULL) return;
    pp_plan_outcome(plan, 8, 100, 16, 20, &out);
    check_row(&out.predicted, (double[]){8, 10, 9, 12, 1.25, 0.3, 0.5, 0.5}, 8);
    free(plan);
    plan = made_of("{\"forward\":[1]}", NULL, 0);
    if (plan == NULL) return;
    pp_plan_outcome(plan, 8, 10, 0, 0, &out);
    check_row(&out.predicted, (double[]){8, 10, 10, 10, 1.25, 0}, 6);
    CHECK(isnan(out.gain) && isnan(out.gain_measured) && isnan(pp_plan_gain(0, 1)));
    CHECK(strcmp(pp_outcome_field_name(0), "predicted") == 0 && pp_outcome_field_name(8)[0] == 0);
    free(plan);
}

static void messages(void) {
    /* rank 0: a, d; rank 1: b waits for a, c was busy when its message came; d waits for c */
    const int32_t rank[] = {0, 0, 1, 1}, input[] = {-1, 3, 0, 0};
    const double start[] = {0, 9, 1.5, 4}, finish[] = {1, 10, 4, 8};
    CHECK(pp_measured_latency(4, rank, input, start, finish) == 0.75); /* of 0.5 and 1 */
    CHECK(pp_measured_latency(0, rank, input, start, finish) == 0);
    /* the mean of the two in the middle, and of an odd number the one: a message that took long does not count */
    const int32_t four[] = {0, 1, 2, 3}, line[] = {-1, 0, 0, 0};
    const double begun[] = {0, 1.5, 2, 100}, over[] = {1, 2, 3, 101};
    CHECK(pp_measured_latency(4, four, line, begun, over) == 1);
    const int32_t three[] = {0, 1, 1, 2}, from[] = {-1, 0, -1, 1};
    const double begin[] = {0, 1.5, 3, 12}, end[] = {1, 2, 4, 13};
    CHECK(pp_measured_latency(4, three, from, begin, end) == (0.5 + 10) / 2);
    const int32_t none[] = {-1, -1, -1, -1};
    CHECK(pp_measured_latency(4, rank, none, start, finish) == 0);
}

static void hostile(void) {
    static const char seed[] = "{\"forward\":[8,4],\"I\":[4,1],\"W\":[8,2],\"sizes\":[2,1],\"makespans\":[3,1.5,2],"
                               "\"layers\":[{\"F\":1,\"B\":1},{\"F\":3,\"B\":5},{\"F\":9,\"I\":1,\"W\":2}]}";
    static const char letters[] = "{}[]\",:0919-e.\\ FBIWslmx";
    uint64_t state = 77;
    int32_t accepted = 0;
    for (int32_t round = 0; round < 40000; round++) {
        char text[sizeof seed + 8];
        int32_t length = (int32_t)sizeof seed - 1;
        memcpy(text, seed, sizeof seed);
        for (int32_t edits = 1 + round % 3; edits > 0; edits--) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            int32_t at = (int32_t)(state >> 33) % length, how = (int32_t)(state >> 20) % 3;
            char letter = letters[(state >> 40) % (sizeof letters - 1)];
            if (how == 0) {
                text[at] = letter;
            } else if (how == 1) {
                memmove(text + at, text + at + 1, (size_t)(length - at - 1));
                length--;
            } else if (length < (int32_t)sizeof text) {
                memmove(text + at + 1, text + at, (size_t)(length - at));
                text[at] = letter;
                length++;
            }
        }
        pp_fault fault;
        pp_plan *plan = made(text, length, NULL, 0, &fault);
        if (plan == NULL) continue;
        double sum = 0;
        for (int32_t l = 0; l < plan->layers; l++) sum += plan->weight[l];
        CHECK(sum > 0 && plan->layers <= length);
        accepted++;
        free(plan);
    }
    CHECK_MSG(accepted > 1000, "%d", accepted);
}

int main(void) {
    layers_share_stages();
    what_is_refused();
    outcomes();
    messages();
    hostile();
    return check_report("plan");
}
