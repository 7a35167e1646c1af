/* A run from inside: what runtime.c, which performs actions, and rank.c, which joins ranks by messages, share. */
#ifndef PP_RUNTIME_H
#define PP_RUNTIME_H

#include "network/model.h"
#include "run/run.h"

/* The rank that counts the votes at the end of a step. */
enum { PP_ROOT_RANK = 0 };

/* Slots of one kind. Cells are (stage, micro-batch), numbered stage * microbatches + microbatch. */
typedef struct pp_pool {
    int32_t *begin; /* ranks + 1: slot numbers of each rank */
    int32_t *free;  /* free slot numbers of each rank, a stack from begin[rank] on */
    int32_t *used;  /* slots of each rank in use */
    int32_t *peak;  /* the most there were */
    int32_t *of;    /* slot of each cell, -1 for none */
    size_t *offset; /* where each slot's floats begin */
    float *floats;
} pp_pool;

/* Weights of a stage in an asynchronous run. Micro-batches are counted from the beginning of the stream. */
typedef struct pp_versions {
    int64_t begun, ended; /* micro-batches whose F, whose B is done */
    int64_t made;         /* updates; the newest version has this number and is in the network */
    int32_t samples;      /* with a label, whose gradients have come since the last update */
    int32_t most, late;   /* versions there were at once; updates by which a gradient came late: the most of each */
} pp_versions;

struct pp_run {
    const pp_schedule *schedule;
    const double *start;
    pp_network *network;
    pp_data *data;
    double loss;
    int32_t flows;  /* an asynchronous run that has begun: its pipeline is not empty between steps */
    int32_t origin; /* the step it began with */
    int32_t only;   /* the one rank this run executes, -1: all */
    int32_t batch;
    int32_t steps;
    int32_t skipped;
    int32_t position;   /* actions of the present step done, -1 between steps */
    int32_t recomputes; /* which F keep the input alone, until an R makes the activations again */
    int32_t in_order;
    int32_t labelled;                /* of an asynchronous step: samples with a label .. */
    int32_t diverged;                /* .. and whether an update was skipped */
    int32_t half_slot;               /* rank that has done the first half of a fused slot, -1 for none */
    const pp_action *release_action; /* whose slots are freed when that slot ends, NULL for none */
    double *live;                    /* bytes of activations of each rank .. */
    double *most;                    /* .. and the most there were in this step */
    int32_t *microbatch_begin;
    int32_t *head;           /* where each rank's next action is looked for; asynchronous: but for its F .. */
    int32_t *head_forward;   /* .. which may be ahead, in the next step */
    uint8_t *input_there;    /* of each cell: its input message has arrived .. */
    uint8_t *gradient_there; /* .. and that with the gradient of its output */
    uint8_t *remade;         /* of each cell: an R is to come; only where there are any */
    pp_pool inputs;          /* stage inputs, from F to B or W */
    pp_pool work;            /* activations, then deltas; from F, or R, to B or W */
    /* The whole batch: a row for each sample, so that any number of messages may be under way. */
    int32_t *labels;
    float *features;
    float *targets;
    float *losses;
    size_t *hop_begin; /* of each stage but the first: where the messages into it begin */
    float *input_messages;
    float *gradient_messages; /* on the hop into stage s+1: gradients of the outputs of stage s */
    /* Asynchronous. */
    pp_versions *versions; /* of each stage */
    int64_t *version;      /* of each cell: the one its F used */
    int32_t slots;         /* for older versions of all weights */
    float *older;          /* the slots, each laid out like the parameters */
    float *copies;         /* gradients of the second and further copies of the stages */
    float *scratch;        /* activations of a forward that keeps none */
    float *statistics;     /* of norms: pp_statistics_count */
    /* One rank: how far the end of the step is. */
    float *votes;    /* this rank's own or, on the root, of each rank: pp_rank_vote_floats */
    float *tied;     /* gradients of the other end's weights */
    int32_t phase;   /* PHASE_... of rank.c */
    int32_t sent;    /* places of this phase's messages already looked at */
    int32_t in[8];   /* messages of each kind that have come */
    int32_t verdict; /* 1: all take the step, 0: all skip it, -1: not yet known */
    float factor;    /* what clips the gradients */
    int32_t output;  /* the action whose output is to be sent, -1 for none */
    int32_t again;   /* messages of a checkpoint that are still to be sent anew */
};

/* Floats of a vote, at most. */
static inline uint64_t pp_rank_vote_floats(const pp_network *network, const pp_training *training) {
    return 1 + (training->clip > 0 ? 2 * (uint64_t)network->layers : 0) + (uint64_t)training->batch;
}

/* 1 if the run executes a rank that holds a copy of the stage. */
int pp_run_holds(const pp_run *run, const pp_schedule *schedule, int32_t stage);
/* Messages of one micro-batch on the hop into `stage`, stage >= 1. */
float *pp_run_message(const pp_run *run, float *messages, int32_t stage, int32_t microbatch);
/* The rank whose next action starts first; -1 if none can go on. */
int32_t pp_run_next_rank(const pp_run *run);
void pp_run_begin_step(pp_run *run);
void pp_run_perform(pp_run *run, int32_t rank, const pp_action *a);
/* The action a rank comes to next, -1 if it has none left in this step; and moves on. */
int32_t pp_run_head(const pp_run *run, int32_t rank);
int32_t pp_run_take(pp_run *run, int32_t rank);
/* Mean loss of a step of a stream, once its losses are there. */
double pp_run_stream_loss(const pp_run *run);
/* Forwards of the next step that a stage of a stream has done whenever a step has ended; 0 behind the last stage. */
int32_t pp_run_ahead(const pp_schedule *schedule, int32_t stage);
/* Of a micro-batch under way, for a checkpoint: its samples, and what a stage keeps of it in `pool`, opened if it is not yet. */
void pp_run_take_samples(pp_run *run, int32_t microbatch);
float *pp_run_kept(pp_run *run, pp_pool *pool, int32_t stage, int32_t microbatch);
/* A loaded stage goes on with the forward behind those ahead. */
void pp_run_resume(pp_run *run, int32_t stage);
/* Adds the gradients of the second and further copies of a stage to those of the first one, for all stages whose first copy the
 * run holds. */
void pp_run_add_copies(pp_run *run);
/* The step is over: counts it, and as skipped where it was not taken. Returns PP_STEP_DONE or DIVERGED. */
int32_t pp_run_end_step(pp_run *run, int taken);

/* ---- versions.c: weights of an asynchronous run ---- */

void pp_versions_begin(pp_run *run);
/* Before an action: the network gets the weights that it uses, and its pass the step. After a backward, with the newest
 * weights back in the network: the update, if this was the last one of it. */
void pp_versions_enter(pp_run *run, const pp_action *a);
void pp_versions_leave(pp_run *run, const pp_action *a);
/* Where version v of all weights is; the oldest version of a stage that is still to be used. */
float *pp_versions_weights(const pp_run *run, const pp_versions *of, int64_t v);
int64_t pp_versions_oldest(const pp_run *run, int32_t stage);
/* Mean gradient of a stage, then its update number `step`, from 1. 0: not finite, the weights stay. */
int pp_stage_update(pp_network *network, int32_t stage, int32_t samples, int64_t step);

#endif
