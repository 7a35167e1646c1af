/* The table of schedules, placement, and making a schedule in the caller's slab. */
#include "schedules/schedule.h"

#include <assert.h>
#include <string.h>

#include "core/fault.h"

/* The one list. The order is the order in which the names are shown; the numbers are not stable across versions. */
#define GENERATORS(X)                                                                                                  \
    X(forward)                                                                                                         \
    X(naive)                                                                                                           \
    X(gpipe)                                                                                                           \
    X(1f1b)                                                                                                            \
    X(eager_1f1b)                                                                                                      \
    X(1f1b_overlap)                                                                                                    \
    X(interleaved)                                                                                                     \
    X(interleaved_overlap)                                                                                             \
    X(bfs)                                                                                                             \
    X(gis)                                                                                                             \
    X(interleaved_zb)                                                                                                  \
    X(zb_h1)                                                                                                           \
    X(zb_h2)                                                                                                           \
    X(zb_auto)                                                                                                         \
    X(v_half)                                                                                                          \
    X(v_min)                                                                                                           \
    X(1f1b_v)                                                                                                          \
    X(zb_v)                                                                                                            \
    X(dualpipe)                                                                                                        \
    X(dualpipe_v)                                                                                                      \
    X(chimera)                                                                                                         \
    X(hanayo)                                                                                                          \
    X(pipedream)                                                                                                       \
    X(2bw)                                                                                                             \
    X(seq1f1b)

#define GENERATOR_DECLARE(name) extern const pp_generator pp_generator_##name;
GENERATORS(GENERATOR_DECLARE)
#undef GENERATOR_DECLARE

static const pp_generator *const generators[] = {
#define GENERATOR_ROW(name) &pp_generator_##name,
    GENERATORS(GENERATOR_ROW)
#undef GENERATOR_ROW
};

int32_t pp_schedule_count(void) { return (int32_t)(sizeof generators / sizeof generators[0]); }

static int valid(int32_t id) { return id >= 0 && id < pp_schedule_count(); }

const pp_generator *pp_generator_of(int32_t id) { return valid(id) ? generators[id] : NULL; }

const char *pp_schedule_name(int32_t id) { return valid(id) ? generators[id]->name : ""; }
int32_t pp_schedule_chunks_min(int32_t id) { return valid(id) ? generators[id]->chunks_min : 0; }
int32_t pp_schedule_chunks_max(int32_t id) { return valid(id) ? generators[id]->chunks_max : 0; }
int32_t pp_schedule_chunks_default(int32_t id) { return valid(id) ? generators[id]->chunks_default : 0; }
int32_t pp_schedule_trains(int32_t id) { return valid(id) ? generators[id]->trains : 0; }
int32_t pp_schedule_by_costs(int32_t id) { return valid(id) && generators[id]->by_costs; }
int32_t pp_schedule_asynchronous(int32_t id) { return valid(id) && generators[id]->update_every != NULL; }
const char *pp_schedule_formula(int32_t id) { return valid(id) ? generators[id]->formula : ""; }

int32_t pp_option_common(int32_t option) {
    if (option > PP_OPT_LATENCY && option < PP_OPT_COUNT) return 1; /* layers, transfers, memory ..: of any schedule */
    switch (option) {
    case PP_OPT_SCHEDULE:
    case PP_OPT_RANKS:
    case PP_OPT_MICROBATCHES:
    case PP_OPT_CHUNKS:  /* every schedule has chunks; how many is refused in words of its own */
    case PP_OPT_DIALECT: /* a page-wide setting: harmless where the dialects agree */
    case PP_OPT_TRANSFER:
    case PP_OPT_FORWARD:
    case PP_OPT_BACKWARD: /* costs of ops a schedule does not use may stand: a figure keeps them across schedules */
    case PP_OPT_INPUT_GRADIENT:
    case PP_OPT_WEIGHT_GRADIENT:
    case PP_OPT_RECOMPUTE_COST:
    case PP_OPT_OVERLAP_COST:
    case PP_OPT_LATENCY: return 1;
    default: return 0;
    }
}

int32_t pp_schedule_option_used(int32_t id, int32_t option) {
    if (!valid(id) || option < 0 || option >= PP_OPT_COUNT) return 0;
    return pp_option_common(option) || (generators[id]->options >> option & 1u);
}

int64_t pp_config_actions(const pp_config *config) { return pp_generator_of(config->schedule)->action_count(config); }

int32_t pp_weight_versions(const pp_config *config, int32_t rank) {
    const pp_generator *row = pp_generator_of(config->schedule);
    return row->weight_versions != NULL ? row->weight_versions(config, rank) : 1;
}

int32_t pp_weight_version(const pp_config *config, int32_t rank, int32_t microbatch) {
    const pp_generator *row = pp_generator_of(config->schedule);
    return row->weight_version != NULL ? row->weight_version(config, rank, microbatch) : 0;
}

int32_t pp_weight_delay(const pp_config *config, int32_t rank, int32_t microbatch) {
    const pp_generator *row = pp_generator_of(config->schedule);
    if (row->update_every == NULL) return 0;
    return microbatch / row->update_every(config) - pp_weight_version(config, rank, microbatch);
}

int32_t pp_update_every(const pp_config *config) {
    const pp_generator *row = pp_generator_of(config->schedule);
    return row->update_every != NULL ? row->update_every(config) : 0;
}

int32_t pp_weight_lag(const pp_config *config, int32_t rank) {
    const int32_t every = pp_update_every(config);
    return pp_weight_delay(config, rank, every > config->ranks ? every : config->ranks); /* by then it is full */
}

pp_fault *pp_refuse_shape(const pp_config *config, int32_t code, int32_t option, int32_t seen, int32_t a,
                          pp_fault *fault, pp_fault *scratch) {
    fault = pp_fault_start(fault, scratch, code);
    fault->option = option;
    fault->schedule = config->schedule;
    fault->a = a;
    pp_fault_seen_number(fault, seen);
    return fault;
}

/* Where the stages of this request lie: as the schedule has it, or as asked where it leaves the choice. */
static int32_t placement_of(const pp_config *config) {
    const pp_generator *row = pp_generator_of(config->schedule);
    int asked = row->options >> PP_OPT_PLACEMENT & 1u;
    return asked && config->placement == PP_PLACEMENT_V ? PP_PLACE_ZIGZAG : row->placement;
}

int32_t pp_recompute_when(int32_t recompute) {
    switch (recompute) {
    case PP_RECOMPUTE_LATE_EXCEPT_LAST: return PP_RECOMPUTE_LATE;
    case PP_RECOMPUTE_EARLY_EXCEPT_LAST: return PP_RECOMPUTE_EARLY;
    default: return recompute;
    }
}

int32_t pp_stage_count(const pp_config *config) {
    return pp_generator_of(config->schedule)->placement == PP_PLACE_BIDIRECTIONAL ? config->ranks
                                                                                  : config->ranks * config->chunks;
}

int32_t pp_costs_shared_by(const pp_config *config) {
    if (config->costs_of == PP_COSTS_OF_CHUNK) return 1;
    const int32_t parts = (config->layers > 0 ? 1 : config->chunks) * config->slices;
    return config->costs_of == PP_COSTS_OF_BATCH ? parts * config->microbatches : parts;
}

static int32_t pipe_count(const pp_config *config) {
    return pp_generator_of(config->schedule)->placement == PP_PLACE_BIDIRECTIONAL ? config->pipes : 1;
}

static size_t align8(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

/* Slab: struct, rank_begin, stage_rank, unit_pipe, actions, scratch of the generator. */
size_t pp_schedule_bytes(const pp_config *config) {
    const pp_generator *row = pp_generator_of(config->schedule);
    size_t pipes = (size_t)pipe_count(config), units = (size_t)config->microbatches * (size_t)config->slices;
    size_t ints = (size_t)config->ranks + 1 + pipes * (size_t)config->stages + (pipes > 1 ? units : 0);
    return align8(sizeof(pp_schedule)) + align8(ints * sizeof(int32_t)) +
           (size_t)row->action_count(config) * sizeof(pp_action) +
           (row->scratch_bytes != NULL ? align8(row->scratch_bytes(config)) : 0);
}

/* Stage to rank for one pipe; see PP_PLACE_... in pipeline.h. */
static void place_by_rule(const pp_config *config, int32_t placement, int32_t *stage_rank) {
    int32_t p = config->ranks;
    for (int32_t s = 0; s < config->stages; s++) {
        int32_t back = placement == PP_PLACE_ZIGZAG && s / p % 2 == 1;
        stage_rank[s] = back ? p - 1 - s % p : s % p;
    }
}

uint32_t pp_costs_mark(const double *costs, int32_t stages) {
    uint32_t mark = 2166136261u; /* FNV-1a of the bytes */
    const unsigned char *bytes = (const unsigned char *)costs;
    for (size_t i = 0; i < PP_COST_ROWS * (size_t)stages * sizeof *costs; i++) mark = (mark ^ bytes[i]) * 16777619u;
    return mark;
}

int32_t pp_schedule_make(const pp_config *config, const double *costs, void *memory, size_t bytes, pp_fault *fault) {
    pp_fault scratch;
    const pp_generator *row = pp_generator_of(config->schedule);
    assert(row != NULL && memory != NULL && ((uintptr_t)memory & 7) == 0);
    if (bytes < pp_schedule_bytes(config)) {
        pp_fault_start(fault, &scratch, PP_ERR_CAPACITY);
        return PP_ERR_CAPACITY;
    }
    pp_schedule *schedule = memory;
    int32_t pipes = pipe_count(config), units = config->microbatches * config->slices;
    *schedule = (pp_schedule){.schedule = config->schedule,
                              .ranks = config->ranks,
                              .stages = config->stages,
                              .microbatches = config->microbatches,
                              .slices = config->slices,
                              .pipes = pipes,
                              .placement = placement_of(config),
                              .recompute = pp_recompute_when(config->recompute),
                              .trains = row->trains,
                              .update_every = pp_update_every(config),
                              .kept_back = row->kept_back};
    int32_t *ints = (int32_t *)((char *)memory + align8(sizeof(pp_schedule)));
    schedule->rank_begin = ints;
    schedule->stage_rank = ints + config->ranks + 1;
    schedule->unit_pipe = pipes > 1 ? schedule->stage_rank + pipes * config->stages : NULL;
    size_t count = (size_t)config->ranks + 1 + (size_t)pipes * (size_t)config->stages + (pipes > 1 ? (size_t)units : 0);
    schedule->actions = (pp_action *)((char *)ints + align8(count * sizeof(int32_t)));
    if (row->place != NULL)
        row->place(config, schedule->stage_rank, schedule->unit_pipe);
    else
        place_by_rule(config, schedule->placement, schedule->stage_rank);

    pp_writer writer = {.actions = schedule->actions,
                        .rank_begin = schedule->rank_begin,
                        .recompute_end = pp_recompute_end(config),
                        .costs = costs,
                        .scratch = schedule->actions + row->action_count(config)};
    if (costs != NULL) pp_conditions_attach(schedule, config, costs);
    writer.conditions = schedule->conditions;
    row->generate(config, &writer);
    schedule->rank_begin[config->ranks] = schedule->action_count = writer.count;
    assert(writer.count == row->action_count(config));
    schedule->bound =
        costs != NULL && !pp_uneven(schedule) ? writer.bound : 0; /* said of micro-batches that are alike */
    schedule->bound_costs = costs != NULL ? pp_costs_mark(costs, config->stages) : 0;
    return PP_OK;
}

int32_t pp_schedule_ranks(const pp_schedule *schedule) { return schedule->ranks; }
int32_t pp_schedule_stages(const pp_schedule *schedule) { return schedule->stages; }
int32_t pp_schedule_microbatches(const pp_schedule *schedule) { return schedule->microbatches; }
int32_t pp_schedule_pipes(const pp_schedule *schedule) { return schedule->pipes; }
int32_t pp_schedule_action_count(const pp_schedule *schedule) { return schedule->action_count; }
const int32_t *pp_schedule_rank_begin(const pp_schedule *schedule) { return schedule->rank_begin; }
const int32_t *pp_schedule_stage_rank(const pp_schedule *schedule) { return schedule->stage_rank; }

void pp_schedule_columns(const pp_schedule *schedule, int32_t *rank, int32_t *index, int32_t *op, int32_t *stage,
                         int32_t *microbatch, int32_t *slice) {
    for (int32_t r = 0; r < schedule->ranks; r++) {
        int32_t slot = 0;
        for (int32_t i = schedule->rank_begin[r]; i < schedule->rank_begin[r + 1]; i++) {
            const pp_action *a = &schedule->actions[i];
            if (rank != NULL) rank[i] = r;
            if (index != NULL) index[i] = slot;
            if (op != NULL) op[i] = a->op;
            if (stage != NULL) stage[i] = a->stage;
            if (microbatch != NULL) microbatch[i] = a->microbatch / schedule->slices;
            if (slice != NULL) slice[i] = a->microbatch % schedule->slices;
            slot += !a->fused;
        }
    }
}

const char *pp_op_name(int32_t op) {
    static const char *const names[PP_CELL_OP_COUNT] = {
        "F", "B", "I", "W", "R", "UNSHARD", "RESHARD", "REDUCE_GRAD", "SEND_F", "RECV_F", "SEND_B", "RECV_B", ""};
    return op >= 0 && op < PP_CELL_OP_COUNT ? names[op] : "";
}

/* ---- conditions ---- */

static size_t unit_count(const pp_config *config) { return (size_t)config->microbatches * (size_t)config->slices; }

int32_t pp_conditions_bytes(const pp_config *config) {
    if (config->with == 0) return 0;
    const size_t stages = (size_t)config->stages, hops = 2 * (size_t)config->pipes * stages;
    const size_t factors = (size_t)config->unit_rows * unit_count(config); /* as ordered, and as given */
    const size_t doubles = 2 * factors + stages + (size_t)config->microbatches;
    const size_t ints = (size_t)config->microbatches + 3 * hops + (size_t)config->ranks;
    return (int32_t)(align8(sizeof(pp_conditions)) + doubles * sizeof(double) + align8(ints * sizeof(int32_t)));
}

/* Links are numbered through by the rank they come from and the rank they go to. known: 2 * hops + ranks entries. */
static void number_links(const pp_schedule *s, pp_conditions *c, int32_t *known) {
    const int32_t hops = 2 * s->pipes * s->stages;
    int32_t *to = known, *next = to + hops, *first = next + hops;
    for (int32_t r = 0; r < s->ranks; r++) first[r] = -1;
    c->link_count = 0;
    for (int32_t i = 0; i < hops; i++) {
        const int32_t hop = i % s->stages, down = i / s->stages % 2,
                      *rank = s->stage_rank + i / (2 * s->stages) * s->stages;
        c->link[i] = -1;
        if (hop + 1 == s->stages || rank[hop] == rank[hop + 1]) continue;
        const int32_t from = rank[hop + down], goal = rank[hop + 1 - down];
        int32_t link = first[from];
        while (link >= 0 && to[link] != goal) link = next[link];
        if (link < 0) {
            link = c->link_count++;
            to[link] = goal;
            next[link] = first[from];
            first[from] = link;
        }
        c->link[i] = link;
    }
}

void pp_conditions_attach(pp_schedule *schedule, const pp_config *config, const double *costs) {
    schedule->conditions = NULL;
    if (config->with == 0) return;
    pp_conditions *c = pp_conditions_at((double *)costs, config->stages);
    schedule->conditions = c;
    if (c->unit != NULL) schedule->bound = 0;
    if (c->link != NULL) number_links(schedule, c, c->link + 2 * config->pipes * config->stages);
}

const double *pp_conditions_units(const pp_schedule *schedule) {
    return schedule->conditions != NULL ? schedule->conditions->unit : NULL;
}

const int32_t *pp_conditions_places(const pp_schedule *schedule) {
    return schedule->conditions != NULL && schedule->conditions->unit != NULL ? schedule->conditions->place : NULL;
}
