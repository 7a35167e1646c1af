/* An order changed by hand: actions of a generated schedule taken some places earlier or later in their rank's list. Nothing
 * is checked but that the action is there and the list long enough; whether the new order runs is pp_check's business. */
#include <string.h>

#include "core/fault.h"
#include "request/read.h"
#include "schedules/schedule.h"

static int digits(pp_text word, int32_t *at, int32_t *value) {
    int32_t begin = *at;
    *value = 0;
    for (; *at < word.length && word.begin[*at] >= '0' && word.begin[*at] <= '9'; ++*at) {
        if (*value > INT32_MAX / 10 - 1) return 0;
        *value = *value * 10 + (word.begin[*at] - '0');
    }
    return *at > begin;
}

/* Stage, op, micro-batch (with slices ".slice"), sign and places; 0 where the word is none of that. */
static int read_move(const pp_schedule *s, pp_text word, pp_action *action, int32_t *places) {
    static const char letters[] = "FBIWR";
    int32_t at = 0, stage, microbatch, slice = 0;
    if (!digits(word, &at, &stage) || at == word.length) return 0;
    const char *op = memchr(letters, word.begin[at++] & ~0x20, PP_OP_COUNT);
    if (op == NULL || !digits(word, &at, &microbatch)) return 0;
    if (at < word.length && word.begin[at] == '.') {
        at++;
        if (!digits(word, &at, &slice) || slice >= s->slices) return 0;
    }
    if (at == word.length || (word.begin[at] != '+' && word.begin[at] != '-')) return 0;
    const int back = word.begin[at++] == '-';
    if (!digits(word, &at, places) || at < word.length || stage >= s->stages || microbatch >= s->microbatches) return 0;
    if (back) *places = -*places;
    *action = (pp_action){microbatch * s->slices + slice, (uint16_t)stage, (uint8_t)(op - letters), 0};
    return 1;
}

/* Swaps the slots a..b-1 and b..c-1. A slot has one or two actions. */
static void swap_slots(pp_action *actions, int32_t a, int32_t b, int32_t c) {
    pp_action held[2];
    memcpy(held, actions + a, (size_t)(b - a) * sizeof *held);
    memmove(actions + a, actions + b, (size_t)(c - b) * sizeof *held);
    memcpy(actions + a + (c - b), held, (size_t)(b - a) * sizeof *held);
}

static int32_t slot_begin(const pp_action *actions, int32_t first, int32_t i) {
    return i > first && actions[i - 1].fused ? i - 1 : i;
}

static int move(pp_schedule *s, pp_action wanted, int32_t places) {
    pp_action *actions = s->actions;
    const int32_t rank = pp_rank_of(s, wanted.stage, wanted.microbatch);
    const int32_t first = s->rank_begin[rank], end = s->rank_begin[rank + 1];
    int32_t at = first;
    while (at < end && (actions[at].stage != wanted.stage || actions[at].microbatch != wanted.microbatch ||
                        actions[at].op != wanted.op))
        at++;
    if (at == end) return 0;
    at = slot_begin(actions, first, at);
    for (; places < 0; places++) {
        if (at == first) return 0;
        int32_t before = slot_begin(actions, first, at - 1);
        swap_slots(actions, before, at, at + 1 + actions[at].fused);
        at = before;
    }
    for (; places > 0; places--) {
        int32_t next = at + 1 + actions[at].fused;
        if (next == end) return 0;
        int32_t after = next + 1 + actions[next].fused;
        swap_slots(actions, at, next, after);
        at += after - next;
    }
    return 1;
}

int32_t pp_moves_apply(const pp_request *request, pp_schedule *schedule, pp_fault *fault) {
    pp_text word;
    pp_fault scratch;
    pp_action action;
    int32_t at = 0, places;
    const pp_text moves = request->given[PP_OPT_MOVES];
    while (at < moves.length) {
        while (at < moves.length && memchr(" \t,;", moves.begin[at], 4) != NULL) at++;
        word.begin = moves.begin + at;
        while (at < moves.length && memchr(" \t,;", moves.begin[at], 4) == NULL) at++;
        word.length = (int32_t)(moves.begin + at - word.begin);
        if (word.length == 0) continue;
        if (read_move(schedule, word, &action, &places) && move(schedule, action, places)) {
            if (schedule->update_every > 0) schedule->update_every = -schedule->update_every;
            continue;
        }
        fault = pp_fault_start(fault, &scratch, PP_ERR_MOVES);
        fault->option = PP_OPT_MOVES;
        pp_fault_seen(fault, word.begin, word.length);
        return PP_ERR_MOVES;
    }
    return PP_OK;
}
