/* Files nobody meant to write: mutated tables, records, profiles and timer dumps. Nothing is read outside the text,
 * memory stays in proportion to it, every refusal has words, and what is accepted comes back the same when written and
 * read again. How many is the first argument, the seed the second. */
#include <stdio.h>

#include "check.h"
#include "files.h"

static uint64_t state;

static uint32_t below(uint32_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % n;
}

static const char *const seeds[] = {
    "0F0,0F1,,0B0,,0B1\n,1F0,1B0,1F1,1B1\n",
    "0F0,0F1,,3F0,3I0,3F1,3I1,0I0,3W0,0I1,3W1,0W0,0W1\n,1F0,2F0,1F1,2F1,2I0,1I0,2I1,1I1,2W0,2W1,1W0,1W1\n",
    "0F0,0F1,(0F2;0B0)OVERLAP_F_B,0B1,0B2\n1F0,1B0,1F1,1B1,1F2,1B2\n",
    "0UNSHARD,0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1,0REDUCE_GRAD,0RESHARD\n"
    "1RECV_F0,1RECV_F1,1F0,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n",
    "device,index,op,stage,microbatch,start,end\n0,0,F,0,0,0,1\n0,1,B,0,0,3,4\n1,0,F,1,0,1,2\n1,1,B,1,0,2,3\n",
    "device,index,op,stage,microbatch,seq\n0,0,F,0,0,0\n0,1,F,0,0,1\n0,2,B,0,0,1\n0,3,B,0,0,0\n",
    "rank,start,finish\n0,0,1\n0,3.5,4\n1,1,2\n",
    "{\"schedule\":\"1f1b\",\"ranks\":1,\"actions\":[{\"rank\":0,\"index\":0,\"op\":\"F\",\"stage\":0,\"microbatch\":0,"
    "\"start\":0,\"finish\":1},{\"rank\":0,\"index\":1,\"op\":\"B\",\"stage\":0,\"microbatch\":0,\"start\":1,"
    "\"finish\":"
    "3}],\"critical_path\":[0,1]}\n",
    "{\"forward\":[1,2.5],\"backward\":2,\"stages\":[{\"F\":1,\"B\":2},{\"F\":1,\"B\":3}]}",
    "stage,forward,backward\n0,1,2\n1,1.5,3\n",
    "(min, max) time across ranks (ms):\n    forward-compute ................: (120.00, 240.00)\n"
    "    backward-compute ...............: (250.5, 480)\n",
    "times across ranks (ms):\n  forward-compute:\n     rank  0: 12.00\n     rank  1: 24.00\n  backward-compute:\n"
    "     rank  0: 24.00\n     rank  1: 50.00\n",
};

static const char *const pieces[] = {",",           "\n",
                                     "\r\n",        ";",
                                     "(",           ")",
                                     "0",           "1F0",
                                     "9",           "F",
                                     "B",           "I",
                                     "W",           "R",
                                     "\"",          "{",
                                     "}",           "[",
                                     "]",           ":",
                                     "-1",          "1e308",
                                     "nan",         "e",
                                     ".",           "\xEF\xBB\xBF",
                                     " ",           "\t",
                                     "OVERLAP_F_B", "SEND_F",
                                     "RECV_F",      "UNSHARD",
                                     "16383",       "1048575",
                                     "4095",        "2147483648",
                                     "rank",        "stage",
                                     "\\",          "0F0,0F1"};

enum { LIMIT = 3000 };

static int32_t mutate(char *text) {
    const char *seed = seeds[below(sizeof seeds / sizeof seeds[0])];
    int32_t length = (int32_t)strlen(seed);
    memcpy(text, seed, (size_t)length);
    for (uint32_t edits = below(6); edits > 0; edits--) {
        int32_t at = (int32_t)below((uint32_t)length + 1), count = (int32_t)below(8), room = length - at;
        const char *piece = pieces[below(sizeof pieces / sizeof pieces[0])];
        int32_t size = (int32_t)strlen(piece);
        if (count > room) count = room;
        switch (below(5)) {
        case 0: /* another byte */
            if (room > 0) text[at] = (char)below(256);
            break;
        case 1: /* cut out */
            memmove(text + at, text + at + count, (size_t)(room - count));
            length -= count;
            break;
        case 2: /* say twice */
            if (length + count > LIMIT) break;
            memmove(text + at + count, text + at, (size_t)room);
            length += count;
            break;
        case 3: /* cut off */
            if (below(8) == 0) length = at;
            break;
        default: /* put in */
            if (length + size > LIMIT) break;
            memmove(text + at + size, text + at, (size_t)room);
            memcpy(text + at, piece, (size_t)size);
            length += size;
        }
    }
    return length;
}

static void has_words(const pp_fault *fault, int32_t status) {
    char message[400];
    CHECK_EQ_INT(fault->code, status);
    for (int32_t lang = 0; lang < 2; lang++) CHECK(pp_fault_message(fault, lang, message, sizeof message) > 10);
}

static long accepted, read_as_profile;

static void as_schedule(const char *text, int32_t length) {
    static const char *const requests[] = {"", "latency=0.5\nforward=2", "transfer=rendezvous\nlatency=1",
                                           "transfer=sender\nlatency=1"};
    filed f, again;
    int32_t letters = (int32_t)below(2), receive = (int32_t)below(2);
    const char *request = requests[below(4)];
    CHECK(pp_table_parse_bytes(text, length) <= 128 * (size_t)length + 32768);
    int32_t status = filed_make(&f, text, length, letters, request, receive);
    if (status != PP_OK) has_words(&f.plan.fault, status);
    if (f.plan.timeline != NULL) CHECK(pp_timeline_bytes(f.plan.schedule) <= 512 * (size_t)length + 65536);
    if (f.plan.schedule != NULL && !f.table->named) { /* read, but only times */
        pp_summary summary;
        pp_rank_report *ranks = malloc(sizeof *ranks * (size_t)f.table->ranks);
        pp_table_report(f.table, &summary, ranks, NULL);
        free(ranks);
    }
    if (status == PP_OK) {
        accepted++;
        pp_table_early(f.table, f.plan.schedule, f.plan.timeline, NULL);
        if (f.table->timed) pp_table_measured(f.table, f.plan.schedule, f.plan.timeline);
        if (f.table->timed) pp_table_report(f.table, &f.plan.summary, f.plan.ranks, NULL);
    }
    if (status == PP_OK && f.table->format == PP_FORMAT_TORCH) {
        char *out = table_text(f.table, &f.plan, 0, PP_LETTERS_TODAY, NULL);
        CHECK_EQ_INT(filed_make(&again, out, (int32_t)strlen(out), PP_LETTERS_TODAY, request, receive), PP_OK);
        CHECK(again.plan.summary.makespan == f.plan.summary.makespan);
        char *twice = table_text(again.table, &again.plan, 0, PP_LETTERS_TODAY, NULL);
        CHECK_EQ_TEXT(twice, out);
        filed_free(&again);
        free(twice);
        free(out);
        out = table_text(f.table, &f.plan, PP_LOWER_COMPUTE | (int32_t)below(16) * 2, PP_LETTERS_TODAY, NULL);
        CHECK_EQ_INT(filed_make(&again, out, (int32_t)strlen(out), PP_LETTERS_TODAY, "", PP_RECEIVE_POST), PP_OK);
        if (again.table->lowered) CHECK(pp_table_steps(again.table, again.plan.schedule, again.scratch) > 0);
        filed_free(&again);
        free(out);
    } else if (status == PP_OK) {
        pp_fault why;
        char *out = table_text(NULL, &f.plan, PP_LOWER_TRANSFER, PP_LETTERS_TODAY, &why);
        if (out == NULL) has_words(&why, PP_ERR_INEXPRESSIBLE);
        free(out);
    }
    filed_free(&f);
}

static void as_profile(const char *text, int32_t length) {
    pp_config config = {.ranks = 2, .chunks = 1, .microbatches = 4, .stages = 2};
    const pp_config *known = below(2) ? &config : NULL;
    pp_fault fault;
    size_t bytes = pp_profile_bytes(text, length, known);
    CHECK(bytes <= 1024 * (size_t)length + 65536);
    pp_profile *profile = malloc(bytes);
    int32_t status = pp_profile_parse(text, length, known, profile, bytes, &fault);
    if (status != PP_OK) has_words(&fault, status);
    for (int32_t row = 0; status == PP_OK && row < PP_COST_ROWS; row++)
        for (int32_t i = 0; i < pp_profile_count(profile, row); i++)
            CHECK(isfinite(pp_profile_values(profile, row)[i]));
    read_as_profile += status == PP_OK;
    free(profile);
}

int main(int argc, char **argv) {
    static char text[LIMIT];
    long count = argc > 1 ? atol(argv[1]) : 100000;
    state = argc > 2 ? (uint64_t)atoll(argv[2]) : UINT64_C(88172645463325252);
    for (long i = 0; i < count; i++) {
        int32_t length = mutate(text);
        char *exact = malloc((size_t)length + (length == 0)); /* flush against its end, so that overruns show */
        memcpy(exact, text, (size_t)length);
        as_schedule(exact, length);
        as_profile(exact, length);
        free(exact);
    }
    CHECK(accepted > count / 50);
    CHECK(read_as_profile > count / 50);
    return check_report("table_fuzz");
}
