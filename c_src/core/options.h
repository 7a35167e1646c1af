/* Everything that a request may name: the options of a schedule, of a training and about a file, in one numbering, so that a
 * fault can name any of them. What they are called and which values they take is asked of request/request.h. */
#ifndef PP_CORE_OPTIONS_H
#define PP_CORE_OPTIONS_H

/* ---- of a schedule ---- */

/* The tables of options: everything that is known of one stands in its row.
 * X(id, name, letter, kind, least, most, standard, choices). Letter: the short form on a command line and in a request, 0 for
 * none. Least and most: of a whole number, whatever the other options say; of a real one of a training or about a file, too.
 * Standard: the value where it is not given, the number of a choice for kind E; -1 where it follows from others. Choices: the
 * names of kind E in their order, each ended by a NUL; NULL for those of schedules, which schedules.h has.
 * Kinds: N whole number, E one of a list of names, L one cost or one per stage, A another amount likewise, M micro-
 * batches with optional "p", R a number that may have decimals, S a text with a grammar of its own. Those that only
 * some schedules know come first, because a pp_generator names them by bits. */
#define PP_OPTIONS(X)                                                                                                  \
    X(PP_OPT_SCHEDULE, "schedule", 's', 'E', 0, 0, 0, NULL)                                                            \
    X(PP_OPT_RANKS, "ranks", 'p', 'N', 1, PP_MAX_RANKS, 3, NULL)                                                       \
    X(PP_OPT_MICROBATCHES, "microbatches", 'm', 'N', 1, PP_MAX_MICROBATCHES, 4, NULL)                                  \
    X(PP_OPT_CHUNKS, "chunks", 'v', 'N', 1, PP_MAX_CHUNKS, 0, NULL)                                                    \
    X(PP_OPT_GROUP, "group", 0, 'N', 1, PP_MAX_MICROBATCHES, 0, NULL)                                                  \
    X(PP_OPT_DIALECT, "dialect", 0, 'E', 0, 0, 0, "megatron\0pytorch\0free\0")                                         \
    X(PP_OPT_BACKWARD_ORDER, "backward-order", 0, 'E', 0, 0, 0, "ascending\0descending\0")                             \
    X(PP_OPT_RECOMPUTE, "recompute", 0, 'E', 0, 0, 0, "none\0late\0early\0late-except-last\0early-except-last\0")      \
    X(PP_OPT_TRANSFER, "transfer", 0, 'E', 0, 0, 0, "overlap\0sender\0rendezvous\0")                                   \
    X(PP_OPT_PIPES, "pipes", 0, 'N', 1, PP_MAX_RANKS, 2, NULL)                                                         \
    X(PP_OPT_SLICES, "slices", 0, 'N', 1, PP_MAX_SLICES, 1, NULL)                                                      \
    X(PP_OPT_MEMORY_LIMIT, "memory-limit", 0, 'M', 0, PP_MAX_MICROBATCHES, 0, NULL)                                    \
    X(PP_OPT_EXTRA_WARMUP, "extra-warmup", 0, 'N', 0, PP_MAX_MICROBATCHES, 0, NULL)                                    \
    X(PP_OPT_WARMUP_FACTOR, "warmup-factor", 0, 'N', 1, 2, 2, NULL)                                                    \
    X(PP_OPT_PLACEMENT, "placement", 0, 'E', 0, 0, 0, "loop\0v\0")                                                     \
    X(PP_OPT_FORWARD, "forward", 0, 'L', 0, 0, 1, NULL)                                                                \
    X(PP_OPT_BACKWARD, "backward", 0, 'L', 0, 0, 2, NULL)                                                              \
    X(PP_OPT_INPUT_GRADIENT, "input-gradient", 0, 'L', 0, 0, 1, NULL)                                                  \
    X(PP_OPT_WEIGHT_GRADIENT, "weight-gradient", 0, 'L', 0, 0, 1, NULL)                                                \
    X(PP_OPT_RECOMPUTE_COST, "recompute-cost", 0, 'L', 0, 0, -1, NULL)                                                 \
    X(PP_OPT_OVERLAP_COST, "overlap-cost", 0, 'L', 0, 0, -1, NULL)                                                     \
    X(PP_OPT_KEPT_SHARE, "kept-share", 0, 'L', 0, 0, 1, NULL)                                                          \
    X(PP_OPT_LATENCY, "latency", 0, 'L', 0, 0, 0, NULL)                                                                \
    X(PP_OPT_COSTS_OF, "costs-of", 0, 'E', 0, 0, 0, "chunk\0device\0batch\0")                                          \
    /* layers and samples, instead of stages and micro-batches */                                                      \
    X(PP_OPT_LAYERS, "layers", 0, 'S', 0, 0, 0, NULL)                                                                  \
    X(PP_OPT_PARTITION, "partition", 0, 'E', 0, 0, 0, "cost\0equal\0makespan\0")                                       \
    X(PP_OPT_CUTS, "cuts", 0, 'S', 0, 0, 0, NULL)                                                                      \
    X(PP_OPT_LAYOUT, "layout", 0, 'S', 0, 0, 0, NULL)                                                                  \
    X(PP_OPT_EMBEDDING, "embedding", 0, 'R', 0, 0, 0, NULL)                                                            \
    X(PP_OPT_HEAD, "head", 0, 'R', 0, 0, 0, NULL)                                                                      \
    X(PP_OPT_LAYER_FORWARD, "layer-forward", 0, 'S', 0, 0, 0, NULL)                                                    \
    X(PP_OPT_LAYER_INPUT_GRADIENT, "layer-input-gradient", 0, 'S', 0, 0, 0, NULL)                                      \
    X(PP_OPT_LAYER_WEIGHT_GRADIENT, "layer-weight-gradient", 0, 'S', 0, 0, 0, NULL)                                    \
    X(PP_OPT_GLOBAL_BATCH, "global-batch", 0, 'N', 1, PP_MAX_BATCH, 0, NULL)                                           \
    X(PP_OPT_MICROBATCH_SIZE, "microbatch-size", 0, 'N', 1, PP_MAX_MICROBATCH_SIZE, 0, NULL)                           \
    /* transfers by size */                                                                                            \
    X(PP_OPT_BYTES, "bytes", 0, 'A', 0, 0, 0, NULL)                                                                    \
    X(PP_OPT_BANDWIDTH, "bandwidth", 0, 'A', 0, 0, 0, NULL)                                                            \
    /* the end of the step */                                                                                          \
    X(PP_OPT_REDUCE, "reduce", 0, 'A', 0, 0, 0, NULL)                                                                  \
    X(PP_OPT_REDUCE_WHEN, "reduce-when", 0, 'E', 0, 0, 0, "beside\0behind\0")                                          \
    X(PP_OPT_OPTIMIZER, "optimizer", 0, 'A', 0, 0, 0, NULL)                                                            \
    X(PP_OPT_OPTIMIZER_WAITS, "optimizer-waits", 0, 'E', 0, 0, 0, "own\0all\0")                                        \
    /* memory */                                                                                                       \
    X(PP_OPT_MEMORY_WEIGHTS, "memory-weights", 0, 'A', 0, 0, 0, NULL)                                                  \
    X(PP_OPT_MEMORY_GRADIENTS, "memory-gradients", 0, 'A', 0, 0, 0, NULL)                                              \
    X(PP_OPT_MEMORY_OPTIMIZER, "memory-optimizer", 0, 'A', 0, 0, 0, NULL)                                              \
    X(PP_OPT_MEMORY_ACTIVATIONS, "memory-activations", 0, 'A', 0, 0, 0, NULL)                                          \
    X(PP_OPT_MEMORY_KEPT, "memory-kept", 0, 'A', 0, 0, 0, NULL)                                                        \
    X(PP_OPT_MEMORY_INPUTS, "memory-inputs", 0, 'A', 0, 0, 0, NULL)                                                    \
    X(PP_OPT_MEMORY_EMBEDDING, "memory-embedding", 0, 'S', 0, 0, 0, NULL)                                              \
    X(PP_OPT_MEMORY_HEAD, "memory-head", 0, 'S', 0, 0, 0, NULL)                                                        \
    X(PP_OPT_MEMORY_CAPACITY, "memory-capacity", 0, 'R', 0, 0, 0, NULL)                                                \
    /* a device fails */                                                                                               \
    X(PP_OPT_FAIL_RANK, "fail-rank", 0, 'N', 0, PP_MAX_RANKS - 1, 0, NULL)                                             \
    X(PP_OPT_FAIL_TIME, "fail-time", 0, 'R', 0, 0, 0, NULL)                                                            \
    X(PP_OPT_FAIL_STEP, "fail-step", 0, 'N', 0, PP_MAX_STEPS, 0, NULL)                                                 \
    X(PP_OPT_RESTART_COST, "restart-cost", 0, 'R', 0, 0, 0, NULL)                                                      \
    X(PP_OPT_SPARE_DELAY, "spare-delay", 0, 'R', 0, 0, 0, NULL)                                                        \
    X(PP_OPT_CHECKPOINT_COST, "checkpoint-cost", 0, 'R', 0, 0, 0, NULL)                                                \
    X(PP_OPT_CHECKPOINT_EVERY, "checkpoint-every", 0, 'N', 1, PP_MAX_STEPS, 0, NULL)                                   \
    X(PP_OPT_MTBF, "mtbf", 0, 'R', 0, 0, 0, NULL)                                                                      \
    X(PP_OPT_HORIZON, "horizon", 0, 'N', 1, PP_MAX_STEPS, 0, NULL)                                                     \
    /* the order, changed by hand: see pp_moves_apply */                                                               \
    X(PP_OPT_MOVES, "moves", 0, 'S', 0, 0, 0, NULL)                                                                    \
    /* what differs by micro-batch, and what else takes time or room: see pp_conditions */                             \
    X(PP_OPT_MICROBATCH_COSTS, "microbatch-costs", 0, 'S', 0, 0, 0, NULL)                                              \
    X(PP_OPT_ORDER, "order", 0, 'E', 0, 0, 0, "given\0falling\0best\0")                                                \
    X(PP_OPT_RECEIVE_BUFFERS, "receive-buffers", 0, 'N', 0, PP_MAX_MICROBATCHES, -1, NULL)                             \
    X(PP_OPT_GATHER, "gather", 0, 'A', 0, 0, 0, NULL)                                                                  \
    X(PP_OPT_GATHER_KEEP, "gather-keep", 0, 'N', 1, PP_MAX_STAGES, 0, NULL)

typedef enum pp_option {
#define PP_OPTION_ENUM(id, ...) id,
    PP_OPTIONS(PP_OPTION_ENUM)
#undef PP_OPTION_ENUM
        PP_OPT_COUNT
} pp_option;

/* Whose rule an interleaved order must obey; free: none, the order is made as asked and pp_check says whether it runs. */
enum { PP_DIALECT_MEGATRON, PP_DIALECT_PYTORCH, PP_DIALECT_FREE };
enum { PP_BACKWARD_ASCENDING, PP_BACKWARD_DESCENDING };
/* When a forward is run again: late, once the gradient has arrived; early, as soon as the rank comes to it. The last
 * two spare the last micro-batch, whose activations would be dropped only to be made again at once (torchgpipe). */
enum {
    PP_RECOMPUTE_NONE,
    PP_RECOMPUTE_LATE,
    PP_RECOMPUTE_EARLY,
    PP_RECOMPUTE_LATE_EXCEPT_LAST,
    PP_RECOMPUTE_EARLY_EXCEPT_LAST
};
/* How the chunks of a forward-only pass lie: stage s on rank s mod p, or there and back. */
enum { PP_PLACEMENT_LOOP, PP_PLACEMENT_V };
/* How a message occupies the ranks: nobody; the sender until it has arrived; both, from when both are ready. */
enum { PP_TRANSFER_OVERLAP, PP_TRANSFER_SENDER, PP_TRANSFER_RENDEZVOUS };

/* Whose work the lists of costs give: of one action, so that a rank with v chunks does v times as much; of one micro-batch on
 * one rank, which v chunks share; of the whole batch on one rank, which v chunks and m micro-batches share. With the last two
 * all schedules do equal work, and can be compared. */
enum { PP_COSTS_OF_CHUNK, PP_COSTS_OF_DEVICE, PP_COSTS_OF_BATCH };

/* By what layers are cut into stages: the largest stage is least; as even a number of layers as can be; the simulated
 * makespan is least (pp_partition_search). */
enum { PP_PARTITION_COST, PP_PARTITION_EQUAL, PP_PARTITION_MAKESPAN };
/* When gradients are reduced: beside the rank's work as soon as a stage's are whole, or after the rank's last action. */
enum { PP_REDUCE_BESIDE, PP_REDUCE_BEHIND };
/* Whose gradients an optimizer waits for: its own rank's, or those of all ranks. */
enum { PP_WAITS_OWN, PP_WAITS_ALL };

/* ---- of a training ---- */

/* X(id, name, kind): kinds as in PP_OPTIONS, and R, a number with decimals. Numbered after PP_OPTIONS, so that a fault
 * can name either. */
#define PP_TRAINING_OPTIONS(X)                                                                                         \
    X(PP_TRAIN_DATA, "data", 0, 'E', 0, 0, PP_DATA_SPIRALS, data_names)                                                \
    X(PP_TRAIN_WIDTH, "width", 0, 'N', 1, PP_TRAIN_MAX_WIDTH, 16, NULL) /* units of a hidden layer */                  \
    X(PP_TRAIN_DEPTH, "depth", 0, 'N', 0, PP_TRAIN_MAX_DEPTH, 0,                                                       \
      NULL) /* dense layers; 0 or none given: by the number of stages */                                               \
    X(PP_TRAIN_ACTIVATION, "activation", 0, 'E', 0, 0, 0, "tanh\0relu\0identity\0gelu\0")                              \
    X(PP_TRAIN_LOSS, "loss", 0, 'E', 0, 0, 0, "cross-entropy\0squared-error\0")                                        \
    X(PP_TRAIN_BATCH, "batch", 0, 'N', 0, PP_TRAIN_MAX_BATCH, 0,                                                       \
      NULL) /* samples a step; 0 or none given: 32, or one per micro-batch */                                          \
    X(PP_TRAIN_STEPS, "steps", 0, 'N', 1, PP_TRAIN_MAX_STEPS, 200, NULL)                                               \
    X(PP_TRAIN_SEED, "seed", 0, 'N', 0, PP_TRAIN_MAX_SEED, 1, NULL)                                                    \
    X(PP_TRAIN_RATE, "rate", 0, 'R', 0, PP_TRAIN_MAX_RATE, -1,                                                         \
      NULL) /* learning rate of plain gradient descent; none given: by depth */                                        \
    X(PP_TRAIN_INIT, "init", 0, 'E', 0, 0, 0, "random\0whole\0")                                                       \
    X(PP_TRAIN_NORM, "norm", 0, 'E', 0, 0, 0,                                                                          \
      "none\0layer\0batch\0") /* between sum and activation of every hidden layer */                                   \
    X(PP_TRAIN_STATISTICS, "norm-statistics", 0, 'E', 0, 0, 0, "microbatch\0deferred\0batch\0")                        \
    X(PP_TRAIN_DROPOUT, "dropout", 0, 'R', 0, PP_TRAIN_BELOW_ONE, 0,                                                   \
      NULL) /* share of a hidden layer's outputs that falls */                                                         \
    X(PP_TRAIN_TIED, "tied", 0, 'E', 0, 0, 0, "none\0ends\0")                                                          \
    X(PP_TRAIN_SPLIT, "split", 0, 'E', 0, 0, 0, "even\0last\0") /* a batch that m does not divide */                   \
    X(PP_TRAIN_MEAN, "mean", 0, 'E', 0, 0, 0, "samples\0microbatches\0undivided\0")                                    \
    X(PP_TRAIN_UPDATE, "update", 0, 'E', 0, 0, 0, "sgd\0momentum\0adam\0")                                             \
    X(PP_TRAIN_MOMENTUM, "momentum", 0, 'R', 0, PP_TRAIN_BELOW_ONE, 0.9, NULL)                                         \
    X(PP_TRAIN_BETA1, "beta1", 0, 'R', 0, PP_TRAIN_BELOW_ONE, 0.9, NULL)                                               \
    X(PP_TRAIN_BETA2, "beta2", 0, 'R', 0, PP_TRAIN_BELOW_ONE, 0.999, NULL)                                             \
    X(PP_TRAIN_EPSILON, "epsilon", 0, 'R', 0, 1, 1e-8, NULL)                                                           \
    X(PP_TRAIN_CLIP, "clip", 0, 'R', 0, 1e6, 0, NULL) /* largest global norm of the gradients; 0: any */               \
    X(PP_TRAIN_LOSS_SCALE, "loss-scale", 0, 'R', 1, PP_TRAIN_MAX_LOSS_SCALE, 1,                                        \
      NULL) /* factor of the loss, taken out before the update */                                                      \
    X(PP_TRAIN_SCALE_GROWTH, "scale-growth", 0, 'N', 0, PP_TRAIN_MAX_STEPS, 2000,                                      \
      NULL) /* steps without overflow until it doubles; 0: never */

enum {
    PP_TRAIN_BEFORE_FIRST = PP_OPT_COUNT - 1,
#define PP_TRAINING_OPTION_ENUM(id, ...) id,
    PP_TRAINING_OPTIONS(PP_TRAINING_OPTION_ENUM)
#undef PP_TRAINING_OPTION_ENUM
        PP_TRAIN_END
};

/* ---- about a file ---- */

/* Options of files. X(id, member, and from the name on as above, and the type of the member): numbered after PP_TRAINING_OPTIONS, so that a fault can name either. */
#define PP_FILE_OPTIONS(X)                                                                                             \
    X(PP_FILE_LETTERS, letters, "letters", 0, 'E', 0, 0, 0, "today\0before-2.6\0",                                     \
      int32_t) /* of a file that is read: today, before-2.6 */                                                         \
    X(PP_FILE_RECEIVE, receive, "receive", 0, 'E', 0, 0, 0, "post\0wait\0", int32_t)    /* post, wait */               \
    X(PP_FILE_TIMES, times, "times", 0, 'E', 0, 0, 0, "simulated\0measured\0", int32_t) /* simulated, measured */      \
    X(PP_FILE_COMMS, comms, "comms", 0, 'E', 0, 0, 0, "keep\0compute-only\0compute-comms\0transfers\0",                \
      int32_t) /* keep, compute-only, compute-comms, transfers */                                                      \
    X(PP_FILE_MERGE, merge, "merge", 0, 'E', 0, 0, 0, "no\0yes\0",                                                     \
      int32_t) /* no, yes: an I before its W becomes a B */                                                            \
    X(PP_FILE_SCALE, scale, "scale", 0, 'R', 0, 1000000000, 1, NULL, double) /* microseconds a tick in a trace */

enum {
    PP_FILE_BEFORE_FIRST = PP_TRAIN_END - 1,
#define PP_FILE_OPTION_ENUM(id, ...) id,
    PP_FILE_OPTIONS(PP_FILE_OPTION_ENUM)
#undef PP_FILE_OPTION_ENUM
        PP_FILE_END
};

#endif
