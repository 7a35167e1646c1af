/* Schedules that are wrong, each in one way, and what pp_check says of them. */
#include "check.h"
#include "plan.h"

/* Lists as text: "0F0 0F1 | 1F0 1F1", '&' after an action puts it into one slot with the next. */
static int32_t check_lists(plan *p, int32_t stages, int32_t microbatches, const int32_t *stage_rank, const char *text) {
    static const char letters[] = "FBIWR";
    memset(p, 0, sizeof *p);
    pp_schedule *s = calloc(1, sizeof *s + 65536);
    int32_t *ints = (int32_t *)(s + 1);
    p->schedule = s;
    *s = (pp_schedule){.schedule = -1, .stages = stages, .microbatches = microbatches, .slices = 1, .pipes = 1};
    s->rank_begin = ints;
    s->stage_rank = ints + 16;
    s->actions = (pp_action *)(ints + 64);
    memcpy(s->stage_rank, stage_rank, sizeof(int32_t) * (size_t)stages);
    s->ranks = 1;
    for (; *text != 0; text++) {
        if (*text == '|') s->rank_begin[s->ranks++] = s->action_count;
        if (*text == '&') s->actions[s->action_count - 1].fused = 1;
        if (*text < '0' || *text > '9') continue;
        pp_action *a = &s->actions[s->action_count++];
        a->stage = (uint16_t)(*text++ - '0');
        a->op = (uint8_t)(strchr(letters, *text++) - letters);
        char *end;
        a->microbatch = (int32_t)strtol(text, &end, 10);
        text = end - 1;
        s->trains |= a->op != PP_F;
    }
    s->rank_begin[s->ranks] = s->action_count;
    p->costs = malloc(sizeof(double) * PP_COST_ROWS * (size_t)stages);
    for (int32_t row = 0; row < PP_COST_ROWS; row++)
        for (int32_t stage = 0; stage < stages; stage++)
            p->costs[row * stages + stage] = row == PP_COST_BACKWARD  ? 2
                                             : row == PP_COST_OVERLAP ? -1
                                             : row == PP_COST_LATENCY ? 0
                                                                      : 1;
    return plan_time(p);
}

static const int32_t two[] = {0, 1}, fold[] = {0, 1, 1, 0};

static void expect(const char *text, int32_t status, int32_t rank, int32_t index) {
    plan p;
    int32_t got = check_lists(&p, 2, 2, two, text);
    CHECK_MSG(got == status, "\"%s\": %s, wanted %s", text, pp_status_name(got), pp_status_name(status));
    if (got != PP_OK) {
        CHECK_EQ_INT(p.fault.code, status);
        CHECK_EQ_INT(p.fault.rank, rank);
        if (index >= 0) CHECK_EQ_INT(p.fault.index, index);
        char message[300];
        for (int32_t lang = 0; lang < 2; lang++) {
            CHECK(pp_fault_message(&p.fault, lang, message, sizeof message) > 10);
            CHECK_MSG(strchr(message, '%') == NULL, "%s", message);
        }
    }
    plan_free(&p);
}

static void deadlock(void) {
    /* SCH-25: a hand-written order that waits for itself */
    plan p;
    CHECK_EQ_INT(check_lists(&p, 2, 2, two, "0F0 0B0 0F1 0B1 | 1F1 1B1 1F0 1B0"), PP_ERR_DEADLOCK);
    CHECK_EQ_INT(p.fault.rank, 0);
    CHECK_EQ_INT(p.fault.op, PP_B);
    CHECK_EQ_INT(p.fault.microbatch, 0);
    CHECK_EQ_INT(p.fault.wait_rank, 1);
    CHECK_EQ_INT(p.fault.cycle, 2);
    CHECK_EQ_INT(p.blocked[0], 1);
    CHECK_EQ_INT(p.blocked[1], 4);
    plan_free(&p);
    /* a rank that waits for itself: the fold of a V placement in the wrong order */
    CHECK_EQ_INT(check_lists(&p, 4, 1, fold, "0F0 3F0 | 2F0 1F0"), PP_ERR_DEADLOCK);
    CHECK_EQ_INT(p.fault.rank, 1);
    CHECK_EQ_INT(p.fault.wait_rank, 1);
    CHECK_EQ_INT(p.fault.cycle, 1);
    plan_free(&p);
    /* one rank finished, the other two in a circle: the finished one is not blocked */
    CHECK_EQ_INT(check_lists(&p, 4, 1, fold, "0F0 3F0 | 1F0 2F0"), PP_OK);
    plan_free(&p);
}

/* SIM-13: neighbours on one rank need no transfer. */
static void fold_is_free(void) {
    static const int32_t loop[] = {0, 1, 0, 1};
    plan p;
    check_lists(&p, 4, 1, fold, "0F0 3F0 | 1F0 2F0");
    for (int32_t s = 0; s < 4; s++) p.costs[PP_COST_LATENCY * 4 + s] = 5;
    CHECK_EQ_INT(pp_simulate(p.schedule, p.costs, PP_TRANSFER_OVERLAP, p.timeline, &p.fault), PP_OK);
    CHECK_EQ_DOUBLE(p.timeline->finish[1], 14);
    plan_free(&p);
    check_lists(&p, 4, 1, loop, "0F0 2F0 | 1F0 3F0");
    for (int32_t s = 0; s < 4; s++) p.costs[PP_COST_LATENCY * 4 + s] = 5;
    CHECK_EQ_INT(pp_simulate(p.schedule, p.costs, PP_TRANSFER_OVERLAP, p.timeline, &p.fault), PP_OK);
    CHECK_EQ_DOUBLE(p.timeline->finish[3], 19);
    plan_free(&p);
}

static void fused_slots(void) {
    plan p;
    CHECK_EQ_INT(check_lists(&p, 2, 2, two, "0F0 0F1 0B0 0B1 | 1F0 1F1& 1B0 1B1"), PP_OK);
    CHECK_EQ_DOUBLE(p.timeline->start[5], 2); /* both halves wait for both inputs: F1 of rank 0 ends at 2 */
    CHECK_EQ_DOUBLE(p.timeline->start[6], 2);
    CHECK_EQ_DOUBLE(p.timeline->finish[6], 5);
    CHECK_EQ_DOUBLE(p.ranks[1].peak_activations, 2);
    plan_free(&p);
    /* a half may not need the other half */
    CHECK_EQ_INT(check_lists(&p, 2, 2, two, "0F0 0F1 0B0 0B1 | 1F0& 1B0 1F1 1B1"), PP_ERR_ORDER);
    plan_free(&p);
}

/* The definition of an input, looked for in the whole list. */
static int32_t input_by_definition(const pp_schedule *s, const pp_action *a) {
    int32_t from = a->op == PP_F ? a->stage - 1 : a->stage + 1;
    for (int32_t i = 0; i < s->action_count; i++)
        if (s->actions[i].op == a->op && s->actions[i].stage == from && s->actions[i].microbatch == a->microbatch)
            return i;
    return -1;
}

/* What is taken in order remembers only some outputs per stage. Far more than that lie between the makers and the takers
 * here, and in the last one a full memory would make rank 0 wait for rank 1 and rank 1 for rank 0. */
static void far_ahead(void) {
    static const int32_t zigzag[] = {0, 1, 0, 1};
    char text[8192] = "";
    size_t end = 0;
    for (int32_t stage = 0; stage < 4; stage += 2)
        for (int32_t k = 0; k < 200; k++) end += (size_t)sprintf(text + end, "%dF%d ", stage, k);
    end += (size_t)sprintf(text + end, "| ");
    for (int32_t k = 0; k < 200; k++) end += (size_t)sprintf(text + end, "1F%d 3F%d ", k, k);
    const char *requests[] = {"s=gpipe\np=3\nm=200",
                              "s=1f1b\np=5\nm=70",
                              "s=interleaved\np=4\nm=64\nv=2",
                              "s=bfs\np=2\nm=100\nv=3",
                              "s=eager-1f1b\np=40\nm=50",
                              "s=forward\np=2\nm=300",
                              NULL};
    for (int32_t n = 0; n < 7; n++) {
        plan p;
        int32_t status = requests[n] ? plan_make(&p, requests[n]) : check_lists(&p, 4, 200, zigzag, text);
        CHECK_MSG(status == PP_OK, "%d: %s", n, pp_status_name(status));
        for (int32_t i = 0; status == PP_OK && i < p.schedule->action_count; i++) {
            int32_t wanted = input_by_definition(p.schedule, &p.schedule->actions[i]);
            CHECK_MSG(pp_timeline_input(p.timeline)[i] == wanted, "%d: action %d waits for %d, not %d", n, i,
                      pp_timeline_input(p.timeline)[i], wanted);
        }
        plan_free(&p);
    }
}

/* Large enough to be taken in order, and wrong in one place. */
static void wrong_in_order(void) {
    enum { M = 60 };
    static const struct {
        const char *request;
        int32_t at, swap, status; /* action `at` of all: exchanged with the next one, or changed as below */
        pp_action change;
    } cases[] = {
        {"s=1f1b\np=2\nm=60", 2 * M, 1, PP_ERR_ORDER, {0}},          /* B of stage 1 before its F */
        {"s=1f1b\np=2\nm=60", 1, 0, PP_ERR_DUPLICATE, {.op = PP_F}}, /* F0 twice, F1 never */
        {"s=1f1b\np=2\nm=60", 2 * M - 2, 0, PP_ERR_DUPLICATE, {.op = PP_B, .microbatch = M - 3}},
        {"s=forward\np=2\nm=60", 2 * M - 1, 0, PP_ERR_STAGE_UNKNOWN, {.stage = 1, .microbatch = M}},
        {"s=forward\np=2\nm=60", M - 1, 0, PP_ERR_DUPLICATE, {.microbatch = M - 2}},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        plan p;
        CHECK_EQ_INT(plan_make(&p, cases[n].request), PP_OK);
        pp_action *a = &p.schedule->actions[cases[n].at], kept = *a;
        *a = cases[n].swap ? a[1] : cases[n].change;
        if (cases[n].swap) a[1] = kept;
        int32_t got = pp_check(p.schedule, p.timeline, pp_timeline_bytes(p.schedule), NULL, &p.fault);
        CHECK_MSG(got == cases[n].status, "case %d: %s", (int)n, pp_status_name(got));
        plan_free(&p);
    }
    plan p;
    char text[4096];
    size_t end = 0;
    /* Stage 0 on rank 1, stage 1 on rank 0 but for its last F, which rank 1 could run. */
    static const int32_t crossed[] = {1, 0};
    for (int32_t k = 0; k < 32; k++) end += (size_t)sprintf(text + end, "1F%d ", k);
    end += (size_t)sprintf(text + end, "| ");
    for (int32_t k = 0; k < 33; k++) end += (size_t)sprintf(text + end, "0F%d ", k);
    sprintf(text + end, "1F32");
    CHECK_EQ_INT(check_lists(&p, 2, 33, crossed, text), PP_ERR_STAGE_TWO_RANKS);
    plan_free(&p);
    /* The last forward, the last two backwards are not there at all, and the list ends like a whole one. */
    static const int32_t one[] = {0, 0};
    end = 0;
    for (int32_t k = 0; k < M; k++) end += (size_t)sprintf(text + end, k < M - 1 ? "0F%d 1F%d " : "0F%d ", k, k);
    CHECK_EQ_INT(check_lists(&p, 2, M, one, text), PP_ERR_MISSING);
    plan_free(&p);
    end = 0;
    for (int32_t k = 0; k < M; k++)
        end += (size_t)sprintf(text + end, k < M - 1 ? "0F%d 1F%d 1B%d 0B%d " : "0F%d 1F%d ", k, k, k, k);
    CHECK_EQ_INT(check_lists(&p, 2, M, one, text), PP_ERR_MISSING);
    plan_free(&p);
}

int main(void) {
    expect("0F0 0F1 0B0 0B1 | 1F0 1B0 1F1 1B1", PP_OK, 0, 0);
    expect("0F0 0F1 0I0 0I1 0W0 0W1 | 1F0 1I0 1W0 1F1 1I1 1W1", PP_OK, 0, 0);
    expect("0F0 0F1 0B0 | 1F0 1B0 1F1 1B1", PP_ERR_MISSING, 0, -1);
    expect("0F0 0B0 0B1 | 1F0 1B0 1F1 1B1", PP_ERR_MISSING, 0, -1);
    expect("0F0 0F1 0I0 0I1 0W0 | 1F0 1B0 1F1 1B1", PP_ERR_MISSING, 0, -1);
    expect("0F0 0F0 0B0 0B1 | 1F0 1B0 1F1 1B1", PP_ERR_DUPLICATE, 0, 1);
    expect("0F0 0F1 0B0 0I0 0B1 | 1F0 1B0 1F1 1B1", PP_ERR_SPLIT_MIX, 0, 3);
    expect("0F0 0F1 0B0 0W0 0B1 | 1F0 1B0 1F1 1B1", PP_ERR_SPLIT_MIX, 0, 3);
    expect("0F0 0B1 0F1 0B0 | 1F0 1B0 1F1 1B1", PP_ERR_ORDER, 0, 1);
    /* on the last stage no input holds a backward back: only its own forward does */
    expect("0F0 0F1 0B0 0B1 | 1F0 1B0 1B1 1F1", PP_ERR_ORDER, 1, 2);
    expect("0F0 0F1 0B0 0B1 | 1F0 1B0 1I1 1F1 1W1", PP_ERR_ORDER, 1, 2);
    expect("0F0 0F1 0W0 0I0 0B1 | 1F0 1B0 1F1 1B1", PP_ERR_ORDER, 0, 2);
    expect("0F0 0R0 0B0 0F1 0R1 0B1 | 1F0 1B0 1R1 1F1 1B1", PP_ERR_ORDER, 1, 2);
    expect("0F0 0F1 1B0 0B1 | 1F0 1B0 1F1 1B1", PP_ERR_STAGE_TWO_RANKS, 0, 2);
    expect("0F0 0F1 0B0 0B1 | 1F0 1B0 1F1 1B3", PP_ERR_STAGE_UNKNOWN, 1, 3);
    expect("0F0 0F1 0B0 0B1 | 1F0 1B0 1F1 2B1", PP_ERR_STAGE_UNKNOWN, 1, 3);
    expect("|", PP_ERR_EMPTY, -1, -1);
    deadlock();
    fold_is_free();
    fused_slots();
    far_ahead();
    wrong_in_order();
    return check_report("check");
}
