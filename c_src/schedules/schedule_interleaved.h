/* What interleaved schedules share: the table of turns, and which shapes are legal. */
#ifndef PP_SCHEDULE_INTERLEAVED_H
#define PP_SCHEDULE_INTERLEAVED_H

#include "schedules/schedule.h"

/* One entry of the schedule table: the t-th forward of every rank is micro-batch k on chunk `chunk`. Groups of micro-
 * batches pass chunk 0, then chunk 1, ..., then the next group follows. The t-th backward has the same k, chunks
 * counted from the last. */
typedef struct pp_turn {
    int32_t group, chunks, microbatches;
    int32_t first, size; /* micro-batches of the group at hand */
    int32_t chunk, k;
} pp_turn;

/* Groups of p where the request names none, as is the case with one chunk. */
static inline pp_turn pp_turn_start(const pp_config *config) {
    int32_t m = config->microbatches, group = config->group > 0 ? config->group : config->ranks;
    return (pp_turn){.group = group, .chunks = config->chunks, .microbatches = m, .size = group < m ? group : m};
}

static inline void pp_turn_next(pp_turn *turn) {
    if (++turn->k < turn->first + turn->size) return;
    turn->k = turn->first;
    if (++turn->chunk < turn->chunks) return;
    turn->chunk = 0;
    turn->k = turn->first += turn->size;
    int32_t left = turn->microbatches - turn->first;
    turn->size = left < turn->group ? left : turn->group;
}

/* Emits the turn's action on rank and steps on. */
static inline void pp_turn_forward(pp_writer *writer, pp_turn *turn, int32_t ranks, int32_t rank) {
    pp_emit(writer, PP_F, turn->chunk * ranks + rank, turn->k);
    pp_turn_next(turn);
}

static inline void pp_turn_backward(pp_writer *writer, pp_turn *turn, int32_t op, int32_t ranks, int32_t rank) {
    pp_emit_backward(writer, op, (turn->chunks - 1 - turn->chunk) * ranks + rank, turn->k);
    pp_turn_next(turn);
}

static inline void pp_turn_weight(pp_writer *writer, pp_turn *turn, int32_t ranks, int32_t rank) {
    pp_emit(writer, PP_W, (turn->chunks - 1 - turn->chunk) * ranks + rank, turn->k);
    pp_turn_next(turn);
}

/* Megatron's, PyTorch's or no rule, by config->dialect; fills in group. See schedule_interleaved.c. */
int32_t pp_interleaved_legal(pp_config *config, pp_fault *fault);

/* PyTorch's rule alone, with one chunk, too. */
int32_t pp_interleaved_rounds_legal(pp_config *config, pp_fault *fault);

#endif
