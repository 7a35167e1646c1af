/* Schedules that are wrong, each in one way, and what pp_check says of them. */
#include "check.h"
#include "plan.h"

/* Lists as text: "0F0 0F1 | 1F0 1F1", '&' after an action puts it into one slot with the next. */
static int32_t check_lists(plan *p, int32_t stages, int32_t microbatches, const int32_t *stage_rank, const char *text) {
    static const char letters[] = "FBIWR";
    memset(p, 0, sizeof *p);
    pp_schedule *s = calloc(1, sizeof *s + 4096);
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
        a->microbatch = *text - '0';
        s->trains |= a->op != PP_F;
    }
    s->rank_begin[s->ranks] = s->action_count;
    p->costs = malloc(sizeof(double) * PP_COST_ROWS * (size_t)stages);
    for (int32_t row = 0; row < PP_COST_ROWS; row++)
        for (int32_t stage = 0; stage < stages; stage++)
            p->costs[row * stages + stage] = row == PP_COST_BACKWARD ? 2 : row == PP_COST_OVERLAP ? -1
                                             : row == PP_COST_LATENCY ? 0 : 1;
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
    return check_report("check");
}
