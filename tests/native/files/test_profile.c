/* Costs of stages from files: what is read from each form, and what is refused with its place and reason. */
#include <stdlib.h>

#include "check.h"
#include "files/table.h"
#include "pipeline.h"

/* The profile of a text in memory of exactly the size it asks for. NULL where it is refused. */
static pp_profile *read(const char *text, pp_fault *fault) {
    int32_t length = (int32_t)strlen(text);
    char *exact = malloc((size_t)length + 1); /* no NUL behind it, so that reading on is noticed */
    memcpy(exact, text, (size_t)length);
    size_t bytes = pp_profile_bytes(exact, length, NULL);
    pp_profile *profile = malloc(bytes);
    int32_t status = pp_profile_parse(exact, length, NULL, profile, bytes, fault);
    free(exact);
    if (status == PP_OK) return profile;
    CHECK_EQ_INT(fault->code, status);
    free(profile);
    return NULL;
}

static void check_row(const pp_profile *profile, int32_t row, int32_t count, const double *wanted) {
    CHECK_EQ_INT(pp_profile_count(profile, row), count);
    for (int32_t i = 0; i < count && i < pp_profile_count(profile, row); i++)
        CHECK_MSG(pp_profile_values(profile, row)[i] == wanted[i], "row %d, stage %d: %g, not %g", row, i,
                  pp_profile_values(profile, row)[i], wanted[i]);
}

static void lists_are_read(void) {
    static const char *const forms[] = {
        "stage,F,backward\n0,1,4\n1,2,5\n2,3,6\n",
        "{\"forward\": [1, 2, 3], \"B\": [4, 5, 6]}",
        "{\"stages\": [{\"F\": 1, \"B\": 4}, {\"F\": 2, \"B\": 5}, {\"F\": 3, \"B\": 6}]}",
    };
    pp_fault fault;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        pp_profile *profile = read(forms[i], &fault);
        CHECK_MSG(profile != NULL, "%s", forms[i]);
        if (profile == NULL) continue;
        check_row(profile, PP_COST_FORWARD, 3, (double[]){1, 2, 3});
        check_row(profile, PP_COST_BACKWARD, 3, (double[]){4, 5, 6});
        free(profile);
    }
    /* one number stands for all stages, in every form */
    pp_profile *profile = read("F,B,latency\n1,2,7\n3,,\n", &fault);
    CHECK(profile != NULL);
    if (profile == NULL) return;
    check_row(profile, PP_COST_FORWARD, 2, (double[]){1, 3});
    check_row(profile, PP_COST_BACKWARD, 1, (double[]){2});
    check_row(profile, PP_COST_LATENCY, 1, (double[]){7});
    free(profile);
}

/* The mean of what ran, op by op and stage by stage. */
static void actions_are_averaged(void) {
    pp_fault fault;
    pp_profile *profile = read("device,op,stage,microbatch,start,end\n"
                               "0,F,0,0,0,2\n0,F,0,1,2,6\n0,B,0,0,6,12\n0,B,0,1,12,16\n"
                               "1,F,1,0,2,3\n1,F,1,1,6,7\n1,B,1,0,7,9\n1,B,1,1,9,11\n",
                               &fault);
    CHECK(profile != NULL);
    if (profile == NULL) return;
    check_row(profile, PP_COST_FORWARD, 2, (double[]){3, 1});
    check_row(profile, PP_COST_BACKWARD, 2, (double[]){5, 2});
    check_row(profile, PP_COST_INPUT, 0, NULL);
    free(profile);
}

static void a_row_is_named_once(void) {
    static const char *const twice[] = {
        "F,F,F\n1,2,3\n4,5,6\n",
        "F,forward\n1,2\n",
        "stage,F,stage\n0,1,0\n",
        "{\"forward\": 1, \"F\": 2}",
        "{\"forward\": 1, \"stages\": [{\"F\": 2}]}",
        "{\"stages\": [{\"F\": 2, \"forward\": [1, 2]}]}",
    };
    pp_fault fault;
    char words[512];
    for (size_t i = 0; i < sizeof twice / sizeof twice[0]; i++) {
        CHECK_MSG(read(twice[i], &fault) == NULL, "%s", twice[i]);
        CHECK_EQ_INT(fault.code, PP_ERR_RECORD);
        CHECK_EQ_INT(fault.a, PP_RECORD_TWICE);
        for (int32_t lang = 0; lang < 2; lang++) CHECK(pp_fault_message(&fault, lang, words, sizeof words) > 20);
    }
    /* as many columns as are looked at, all of one name */
    char wide[64 * 2 + 64 * 2 * 3 + 1] = "";
    for (int32_t line = 0; line < 4; line++)
        for (int32_t c = 0; c < 64; c++) strcat(wide, line == 0 ? (c < 63 ? "F," : "F\n") : (c < 63 ? "1," : "1\n"));
    CHECK(read(wide, &fault) == NULL && fault.a == PP_RECORD_TWICE);
}

static void rows_have_a_number_for_every_stage(void) {
    static const struct {
        const char *text;
        int32_t reason, option, b, c;
    } cases[] = {
        {"{\"forward\":[1,2,3],\"backward\":[4,5]}", PP_PROFILE_COUNT, PP_OPT_BACKWARD, 2, 3},
        {"{\"forward\":[1,2],\"backward\":[4,5,6]}", PP_PROFILE_COUNT, PP_OPT_FORWARD, 2, 3},
        {"F,B\n1,4\n2,5\n3,\n", PP_PROFILE_COUNT, PP_OPT_BACKWARD, 2, 3},
        {"F,B\n1,\n2,3\n", PP_PROFILE_STAGE, PP_OPT_BACKWARD, 0, -1},
        {"F,B\n1,4\n2,\n3,6\n", PP_PROFILE_STAGE, PP_OPT_BACKWARD, 1, -1},
        {"{\"stages\":[{\"F\":1,\"B\":2},{\"F\":1},{\"F\":1,\"B\":3}]}", PP_PROFILE_STAGE, PP_OPT_BACKWARD, 1, -1},
        {"{\"stages\":[{\"F\":1},{\"F\":1,\"B\":3}]}", PP_PROFILE_STAGE, PP_OPT_BACKWARD, 0, -1},
    };
    pp_fault fault;
    char words[512];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_MSG(read(cases[i].text, &fault) == NULL, "%s", cases[i].text);
        CHECK_EQ_INT(fault.code, PP_ERR_PROFILE);
        CHECK_EQ_INT(fault.a, cases[i].reason);
        CHECK_EQ_INT(fault.option, cases[i].option);
        CHECK_EQ_INT(fault.b, cases[i].b);
        CHECK_EQ_INT(fault.c, cases[i].c);
        for (int32_t lang = 0; lang < 2; lang++) CHECK(pp_fault_message(&fault, lang, words, sizeof words) > 20);
    }
}

int main(void) {
    lists_are_read();
    actions_are_averaged();
    a_row_is_named_once();
    rows_have_a_number_for_every_stage();
    return check_report("profile");
}
