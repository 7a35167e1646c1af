/* A checkpoint of a run between two steps, stage by stage. With a flush it is what pp_stage_save tells: all else follows from
 * the number of the step. A stream is cut at the end of each rank's step, where every stage has done the same backwards and a
 * fixed number of forwards ahead (runtime.c). So no gradient crosses the cut, and the only messages that do are outputs of
 * forwards that the next stage has not begun. The cut of a stage holds, beside its weights: how far it is, the version that
 * each micro-batch under way uses, sums of gradients, older versions still in use, what these micro-batches keep for their
 * backward, and those messages, which the sender still has. Whatever is done after the cut depends on nothing else, so it
 * is done again to the last bit. (Chandy and Lamport 1985 call such a cut consistent.) */
#include <string.h>

#include "run/runtime.h"

typedef struct box {
    char *at; /* NULL while only counting */
    size_t used;
    int loads;
} box;

/* floats NULL: nothing is there; saved as zeros, so that equal states are equal bytes. */
static void carry(box *b, void *what, size_t bytes) {
    char *const at = b->at != NULL ? b->at + b->used : NULL;
    b->used += bytes;
    if (at == NULL || (what == NULL && b->loads)) return;
    if (what == NULL)
        memset(at, 0, bytes);
    else
        memcpy(b->loads ? what : at, b->loads ? at : what, bytes);
}

static void carry_floats(box *b, float *what, int32_t rows, int32_t width) {
    carry(b, what, (size_t)rows * (size_t)width * sizeof(float));
}

/* What layer norm found in the rows of a micro-batch: means, and behind those of the whole batch the scales. */
static void carry_norms(pp_run *run, int32_t stage, int32_t k, box *b) {
    const pp_network *network = run->network;
    const int32_t row = run->microbatch_begin[k], rows = run->microbatch_begin[k + 1] - row;
    for (int32_t l = network->cuts[stage]; l < network->cuts[stage + 1] && l < network->layers - 1; l++)
        for (int32_t n = 2 * l; network->norm == PP_NORM_LAYER && n < 2 * l + 2; n++)
            carry_floats(b, run->statistics + (size_t)n * (size_t)run->batch + row, 1, rows);
}

/* b->at NULL, or a run whose stream is under way, or is to be with what is loaded. */
static void carry_stream(pp_run *run, int32_t stage, box *b) {
    const pp_schedule *schedule = run->schedule;
    const pp_network *network = run->network;
    const int32_t m = schedule->microbatches, ahead = pp_run_ahead(schedule, stage), there = b->at != NULL;
    const int32_t older = schedule->kept_back > 0 ? schedule->kept_back : ahead;
    const int32_t size = pp_stage_parameter_count(network, stage);
    const size_t begin = (size_t)network->layer_begin[network->cuts[stage]];
    const pp_versions *of = &run->versions[stage];
    carry(b, &run->versions[stage], sizeof *of);
    carry(b, run->version + stage * m, (size_t)ahead * sizeof(int64_t));
    carry_floats(b, network->gradients + begin, 1, size);
    for (int32_t n = 1; n <= older; n++) {
        const int used = there && of->made - n >= pp_versions_oldest(run, stage);
        carry_floats(b, used ? pp_versions_weights(run, of, of->made - n) + begin : NULL, 1, size);
    }
    /* Those under way are the first of the next step. */
    for (int32_t k = 0; k < ahead; k++) {
        const int32_t rows = run->microbatch_begin[k + 1] - run->microbatch_begin[k];
        const int remade = run->recomputes && run->remade[stage * m + k];
        if (b->loads) pp_run_take_samples(run, k);
        carry_floats(b, there ? pp_run_kept(run, &run->inputs, stage, k) : NULL, rows,
                     pp_stage_input_width(network, stage));
        if (!remade) {
            carry_floats(b, there ? pp_run_kept(run, &run->work, stage, k) : NULL, rows,
                         pp_stage_width(network, stage));
            carry_norms(run, stage, k, b);
        }
        if (k < pp_run_ahead(schedule, stage + 1)) continue;
        carry_floats(b, pp_run_message(run, run->input_messages, stage + 1, k), rows,
                     pp_stage_output_width(network, stage));
        if (!b->loads) continue;
        if (run->only < 0)
            run->input_there[(stage + 1) * m + k] = 1;
        else
            run->again++;
    }
}

size_t pp_run_save(const pp_run *run, int32_t stage, void *memory) {
    const size_t own = pp_stage_save(run->network, stage, memory);
    if (run->schedule->update_every <= 0) return own;
    box count = {.used = own}, b = {.at = memory, .used = own};
    /* What saves changes nothing of the run. */
    carry_stream((pp_run *)run, stage, run->flows ? &b : &count);
    if (memory != NULL && !run->flows) memset((char *)memory + own, 0, count.used - own);
    return run->flows ? b.used : count.used;
}

void pp_run_load(pp_run *run, int32_t stage, const void *memory) {
    pp_versions then;
    pp_stage_load(run->network, stage, memory);
    if (run->schedule->update_every <= 0) return;
    box b = {.at = (char *)memory, .used = pp_stage_save(run->network, stage, NULL), .loads = 1};
    memcpy(&then, b.at + b.used, sizeof then);
    if (then.ended == 0) return; /* the stream had not begun */
    run->flows = 1;
    run->origin = run->steps - (int32_t)(then.ended / run->schedule->microbatches);
    carry_stream(run, stage, &b);
    pp_run_resume(run, stage);
}
