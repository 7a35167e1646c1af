/* Ranks in memories of their own, joined by messages alone, against the run of all ranks in one: weights equal to the last
 * bit, whatever the order in which messages come; and a rank that is lost, at any of its actions. */
#include "check.h"
#include "network/model.h"
#include "toy.h"

typedef struct letter {
    int32_t to, step;
    pp_message head;
    float *floats;
} letter;

/* The rank in whose list an action stands. */
static int32_t rank_at(const pp_schedule *schedule, int32_t action) {
    int32_t rank = 0;
    while (schedule->rank_begin[rank + 1] <= action) rank++;
    return rank;
}

enum { MOST_LETTERS = 4096 };

typedef struct cluster {
    toy *t;
    int32_t ranks;
    pp_network **networks;
    pp_data **data;
    pp_run **runs;
    letter letters[MOST_LETTERS];
    int32_t waiting;
    uint32_t random;
    int performed;
    int32_t poisoned; /* rank whose first gradient is Infinity at the end of step 1, -1 for none */
} cluster;

static uint32_t draw(cluster *c) { return (c->random = c->random * 1664525u + 1013904223u) >> 8; }

static void start_rank(cluster *c, int32_t r) {
    toy *t = c->t;
    int32_t *widths = malloc(((size_t)t->training.depth + 1) * sizeof(int32_t));
    pp_training_widths(&t->training, widths);
    size_t bytes = pp_rank_network_bytes(t->schedule, r, widths, t->training.depth, pp_training_kind(&t->training));
    c->networks[r] = malloc(bytes);
    CHECK_EQ_INT(pp_rank_network_init(t->schedule, r, widths, t->training.depth, pp_training_kind(&t->training),
                                      t->training.loss, c->networks[r], bytes),
                 PP_OK);
    CHECK_EQ_INT(pp_rank_network_init(t->schedule, r, widths, t->training.depth, pp_training_kind(&t->training),
                                      t->training.loss, c->networks[r], bytes - 1),
                 PP_ERR_CAPACITY);
    free(widths);
    bytes = pp_data_bytes(&t->training);
    c->data[r] = malloc(bytes);
    pp_data_init(&t->training, c->data[r], bytes);
    bytes = pp_rank_bytes(t->schedule, c->networks[r], &t->training, r);
    c->runs[r] = malloc(bytes);
    memset(c->runs[r], 0xA5, bytes);
    CHECK_EQ_INT(
        pp_rank_init(t->schedule, t->timeline, c->networks[r], c->data[r], &t->training, r, c->runs[r], bytes, NULL),
        PP_OK);
}

static void stop_rank(cluster *c, int32_t r) { free(c->networks[r]), free(c->data[r]), free(c->runs[r]); }

/* What a rank's stages start a step from, from or into a whole network. */
static void copy_stages(cluster *c, int32_t r, pp_network *whole, int into_rank) {
    int32_t stage;
    for (int32_t n = 0; (stage = pp_rank_stage(c->runs[r], n)) >= 0; n++) {
        const size_t bytes = pp_stage_save(whole, stage, NULL);
        CHECK_EQ_INT(pp_stage_save(c->networks[r], stage, NULL), bytes);
        void *saved = malloc(bytes);
        pp_stage_save(into_rank ? whole : c->networks[r], stage, saved);
        pp_stage_load(into_rank ? c->networks[r] : whole, stage, saved);
        free(saved);
    }
}

/* Weights, what the update keeps, steps taken and scale: to the last bit. */
static int equal_stages(const pp_network *a, const pp_network *b) {
    int equal = 1;
    for (int32_t s = 0; s < pp_network_stages(a); s++) {
        const size_t bytes = pp_stage_save(a, s, NULL);
        char *saved[] = {malloc(bytes), malloc(bytes)};
        pp_stage_save(a, s, saved[0]);
        pp_stage_save(b, s, saved[1]);
        equal &= memcmp(saved[0], saved[1], bytes) == 0;
        free(saved[0]), free(saved[1]);
    }
    return equal;
}

static cluster *cluster_start(toy *t) {
    cluster *c = calloc(1, sizeof *c);
    c->t = t;
    c->ranks = t->schedule->ranks;
    c->random = 11;
    c->poisoned = -1;
    c->networks = calloc((size_t)c->ranks, sizeof(void *));
    c->data = calloc((size_t)c->ranks, sizeof(void *));
    c->runs = calloc((size_t)c->ranks, sizeof(void *));
    for (int32_t r = 0; r < c->ranks; r++) {
        start_rank(c, r);
        copy_stages(c, r, t->network, 1);
    }
    return c;
}

static void cluster_stop(cluster *c) {
    for (int32_t r = 0; r < c->ranks; r++) stop_rank(c, r);
    for (int32_t i = 0; i < c->waiting; i++) free(c->letters[i].floats);
    free(c->networks), free(c->data), free(c->runs), free(c);
}

static void collect(cluster *c, int32_t r) {
    pp_message head;
    const float *floats;
    while ((floats = pp_rank_post(c->runs[r], &head)) != NULL) {
        CHECK(head.to != r && head.to >= 0 && head.to < c->ranks && head.count > 0);
        if (c->waiting == MOST_LETTERS) return;
        letter *l = &c->letters[c->waiting++];
        *l = (letter){head.to, pp_run_steps(c->runs[r]), head, malloc((size_t)head.count * sizeof(float))};
        memcpy(l->floats, floats, (size_t)head.count * sizeof(float));
    }
}

/* Steps of each rank until all have done `steps`; stops before `kill_action` of step `kill_step`, if that is not -1, and
 * then returns 0. Ranks and letters take turns at random; letters are slow, so that one is often the last to come. */
static int cluster_run(cluster *c, int32_t steps, int32_t kill_step, int32_t kill_action, int32_t *status) {
    const int32_t kill_rank = kill_action < 0 ? -1 : rank_at(c->t->schedule, kill_action);
    for (int64_t turn = 0; turn < 10000000; turn++) {
        int done = 0;
        for (int32_t r = 0; r < c->ranks; r++) done += pp_run_steps(c->runs[r]) >= steps;
        if (done == c->ranks) return 1;
        if (c->waiting > 0 && draw(c) % 8 == 0) {
            const int32_t i = (int32_t)(draw(c) % (uint32_t)c->waiting);
            letter l = c->letters[i];
            pp_run *to = c->runs[l.to];
            if (l.step > pp_run_steps(to)) continue; /* of a step it has not begun */
            float *place = pp_rank_place(to, l.head.key, l.head.count);
            if (place == NULL) continue; /* between steps */
            CHECK(pp_rank_place(to, l.head.key, l.head.count + 1) == NULL);
            memcpy(place, l.floats, (size_t)l.head.count * sizeof(float));
            pp_rank_arrived(to, l.head.key);
            free(l.floats);
            c->letters[i] = c->letters[--c->waiting];
            continue;
        }
        const int32_t r = (int32_t)(draw(c) % (uint32_t)c->ranks);
        int32_t action;
        if (pp_run_steps(c->runs[r]) >= steps) continue;
        if (r == kill_rank && pp_run_steps(c->runs[r]) == kill_step && pp_rank_next(c->runs[r]) == kill_action)
            return 0;
        const int32_t got = pp_rank_go(c->runs[r], &action);
        if (got == PP_ERR_DIVERGED && status != NULL) *status = got;
        c->performed += action >= 0;
        if (r == c->poisoned && action >= 0 && pp_rank_next(c->runs[r]) < 0 && pp_run_steps(c->runs[r]) == 1)
            pp_network_gradients(c->networks[r])[0] = INFINITY;
        collect(c, r);
    }
    CHECK_MSG(0, "stuck");
    return 0;
}

/* Each rank's stages in turn: copies of a stage must agree, too. */
static void compare(cluster *c, const char *request) {
    toy *t = c->t;
    pp_network_copy(t->twin, t->network);
    for (int32_t r = 0; r < c->ranks; r++) {
        copy_stages(c, r, t->twin, 0);
        CHECK_MSG(equal_stages(t->network, t->twin), "stages of rank %d, weights differ by %g: %s", r,
                  pp_weight_difference(t->network, t->twin), request);
        if (r == 0 || t->schedule->update_every <= 0) /* of a stream the root alone tells */
            CHECK_EQ_INT(pp_run_skipped(c->runs[r]), pp_run_skipped(t->run));
        CHECK_MSG(pp_run_peak_bytes(c->runs[r], r) == pp_run_peak_bytes(t->run, r), "bytes of rank %d: %s", r, request);
    }
    const double loss = pp_run_loss(t->run);
    CHECK_MSG(pp_run_loss(c->runs[0]) == loss || isnan(loss), "loss: %s", request);
}

enum { STEPS = 4 };

static void same_weights(toy *t, const char *request) {
    cluster *c = cluster_start(t);
    CHECK(cluster_run(c, STEPS, -1, -1, NULL));
    int32_t ahead = 0; /* forwards that a stream has begun of the next step; their messages may be on the way */
    for (int32_t r = 0; t->schedule->update_every > 0 && r < c->ranks; r++) ahead += pp_run_slots(c->runs[r], r) - 1;
    CHECK_EQ_INT(c->performed, STEPS * t->schedule->action_count + ahead);
    CHECK(c->waiting <= ahead);
    for (int step = 0; step < STEPS; step++) pp_run_step(t->run);
    compare(c, request);
    cluster_stop(c);
}

static void test_every(void) {
    int ran = 0;
    for (int32_t id = 0; id < pp_schedule_count(); id++) {
        const int before = ran;
        if (!pp_schedule_trains(id)) continue;
        for (int32_t p = 1; p <= 4; p++)
            for (int32_t v = 1; v <= 2; v++)
                for (int32_t m = 1; m <= 8; m++) {
                    char request[256];
                    toy t;
                    snprintf(request, sizeof request,
                             "schedule=%s\nranks=%d\nchunks=%d\nmicrobatches=%d\nbatch=%d\nwidth=5\n%s",
                             pp_schedule_name(id), p, v, m, 2 * m + 1,
                             pp_schedule_option_used(id, PP_OPT_SLICES) ? "slices=1\n" : "");
                    if (toy_build(&t, request, NULL) == PP_OK) same_weights(&t, request), ran++;
                    toy_drop(&t);
                }
        CHECK_MSG(ran > before, "%s ran nowhere", pp_schedule_name(id));
    }
    /* more than two copies, and a rank with two copies of one stage or more */
    const char *const more[] = {"schedule=chimera\nranks=4\nmicrobatches=8\npipes=4\nwidth=5\n",
                                "schedule=chimera\nranks=8\nmicrobatches=8\npipes=8\nwidth=5\n",
                                "schedule=dualpipe\nranks=6\nmicrobatches=12\nwidth=5\n",
                                "schedule=1f1b\nranks=8\nmicrobatches=16\nrecompute=late\nwidth=5\n"};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        toy t;
        const int32_t status = toy_build(&t, more[i], NULL);
        CHECK_MSG(status == PP_OK, "%s: %s", more[i], pp_status_name(status));
        if (status == PP_OK) same_weights(&t, more[i]), ran++;
        toy_drop(&t);
    }
    printf("ranks by themselves: %d runs\n", ran);
}

/* What asks for more messages than activations and gradients, or keeps more than weights, for every schedule. */
static void test_options(void) {
    static const char *const options[] = {
        "update=momentum\n",
        "update=adam\n",
        "tied=ends\n",
        "clip=0.05\n",
        "clip=1000\n", /* no step is clipped */
        "loss-scale=1024\nscale-growth=2\n",
        "loss-scale=1e38\nactivation=relu\nloss=squared-error\ninit=whole\n", /* steps are skipped */
        "norm=layer\nactivation=gelu\ndropout=0.3\n",
        "norm=batch\ndropout=0.1\n",
        "norm=batch\nnorm-statistics=deferred\n",
        "mean=microbatches\nsplit=last\n",
        "update=adam\ntied=ends\nclip=0.1\nloss-scale=1e38\nscale-growth=1\nnorm=batch\ndropout=0.2\nactivation=gelu\n",
    };
    int ran[sizeof options / sizeof options[0]] = {0}, skipped = 0, clipped = 0;
    for (int32_t id = 0; id < pp_schedule_count(); id++)
        for (int32_t p = 1; p <= 4 && pp_schedule_trains(id); p++)
            for (size_t n = 0; n < sizeof options / sizeof options[0]; n++)
                for (int32_t v = 1; v <= 2; v++) {
                    char request[512];
                    toy t;
                    snprintf(request, sizeof request,
                             "schedule=%s\nranks=%d\nchunks=%d\nmicrobatches=%d\nbatch=%d\nwidth=5\n%s%s",
                             pp_schedule_name(id), p, v, 2 * p, 6 * p - 2,
                             pp_schedule_option_used(id, PP_OPT_SLICES) ? "slices=1\n" : "", options[n]);
                    if (toy_build(&t, request, NULL) == PP_OK) {
                        same_weights(&t, request), ran[n]++;
                        skipped += pp_run_skipped(t.run) > 0;
                        clipped += t.training.clip > 0 && t.training.clip < 1 &&
                                   pp_global_norm(t.network, t.network->gradients) < 1.001 * t.training.clip;
                    }
                    toy_drop(&t);
                }
    for (size_t n = 0; n < sizeof options / sizeof options[0]; n++)
        CHECK_MSG(ran[n] > 60, "%d runs with %s", ran[n], options[n]);
    CHECK_MSG(skipped > 60 && clipped > 60, "%d with skipped steps, %d clipped", skipped, clipped);
    /* more than two copies; ends on one rank and on two, first and last stage by turns */
    static const char *const wide[] = {"schedule=chimera\nranks=4\nmicrobatches=8\npipes=4\nwidth=5\n",
                                       "schedule=chimera\nranks=8\nmicrobatches=8\npipes=8\nwidth=5\nbatch=17\n",
                                       "schedule=dualpipe\nranks=6\nmicrobatches=12\nwidth=5\n",
                                       "schedule=1f1b\nranks=3\nmicrobatches=4\nrecompute=late\nwidth=5\n"};
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        for (size_t n = 0; n < sizeof options / sizeof options[0]; n++) {
            char request[512];
            toy t;
            snprintf(request, sizeof request, "%s%s", wide[i], options[n]);
            const int32_t status = toy_build(&t, request, NULL);
            if (status == PP_OK) same_weights(&t, request);
            CHECK_MSG(status == PP_OK || status == PP_ERR_BATCH_NORM || status == PP_ERR_SPLIT_EMPTY, "%s: %s", request,
                      pp_status_name(status));
            toy_drop(&t);
        }
}

/* What all stages save, one after the other: of `whole`, a run of all ranks, or, if it is NULL, of the ranks by themselves. */
static void carry(cluster *c, pp_run *whole, char *saved, int load) {
    const int32_t stages = c->t->schedule->stages;
    int32_t stage;
    for (int32_t r = 0; whole == NULL && r < c->ranks; r++) {
        for (int32_t n = 0; (stage = pp_rank_stage(c->runs[r], n)) >= 0; n++) {
            size_t at = 0;
            for (int32_t s = 0; s < stage; s++) at += pp_run_save(c->t->run, s, NULL);
            CHECK_EQ_INT(pp_run_save(c->runs[r], stage, NULL), pp_run_save(c->t->run, stage, NULL));
            if (load)
                pp_run_load(c->runs[r], stage, saved + at);
            else
                pp_run_save(c->runs[r], stage, saved + at);
        }
    }
    for (int32_t s = 0; whole != NULL && s < stages; s++) {
        if (load) pp_run_load(whole, s, saved);
        saved += pp_run_save(whole, s, load ? NULL : saved);
    }
}

static size_t saved_bytes(const toy *t) {
    size_t bytes = 0;
    for (int32_t s = 0; s < t->schedule->stages; s++) bytes += pp_run_save(t->run, s, NULL);
    return bytes;
}

static const char *const lost[] = {
    "schedule=1f1b\nranks=3\nmicrobatches=4\nwidth=6\n",
    "schedule=interleaved\nranks=2\nchunks=2\nmicrobatches=4\nwidth=6\n",
    "schedule=zb-h1\nranks=3\nmicrobatches=3\nwidth=6\n",
    "schedule=chimera\nranks=2\nmicrobatches=4\nwidth=6\n",
    "schedule=1f1b\nranks=3\nmicrobatches=2\nwidth=6\nupdate=adam\ntied=ends\nclip=0.2\n"
    "loss-scale=1e38\nscale-growth=1\n",
    "schedule=chimera\nranks=2\nmicrobatches=2\nwidth=6\nupdate=momentum\nnorm=batch\n"
    "tied=ends\nclip=0.5\n",
    /* streams: more and fewer micro-batches than ranks, groups across steps, uneven micro-batches, recomputation */
    "schedule=pipedream\nranks=1\nmicrobatches=3\nwidth=6\n",
    "schedule=pipedream\nranks=2\nmicrobatches=4\nwidth=6\nupdate=momentum\n",
    "schedule=pipedream\nranks=3\nmicrobatches=4\nwidth=6\nupdate=adam\nbatch=14\n",
    "schedule=pipedream\nranks=4\nmicrobatches=2\nwidth=6\nrecompute=late\n",
    "schedule=pipedream\nranks=3\nmicrobatches=5\nwidth=6\nrecompute=late-except-last\nnorm=layer\ndropout=0.3\n",
    "schedule=2bw\nranks=2\nmicrobatches=4\nwidth=6\nupdate=adam\n",
    "schedule=2bw\nranks=3\nmicrobatches=4\ngroup=3\nwidth=6\nupdate=momentum\nbatch=14\nsplit=last\n",
    "schedule=2bw\nranks=3\nmicrobatches=3\ngroup=5\nwidth=6\nrecompute=early\nactivation=gelu\n",
    "schedule=pipedream\nranks=3\nmicrobatches=4\nwidth=6\nnorm=layer\n",
};
enum { LOST = sizeof lost / sizeof lost[0], LOST_STEPS = 6 };

/* Lost before each action in turn, of the first step, of one between two checkpoints and of one behind a checkpoint; resumed
 * from what was saved after every second step. All that a checkpoint holds equals what an undisturbed run would save. */
static void test_lost(void) {
    for (size_t n = 0; n < LOST; n++) {
        toy t;
        CHECK_EQ_INT(toy_build(&t, lost[n], NULL), PP_OK);
        const size_t bytes = saved_bytes(&t);
        char *const saved = malloc(bytes), *const other = malloc(bytes);
        for (int step = 0; step < LOST_STEPS; step++) pp_run_step(t.run);
        for (int32_t at = 0; at < 3 * t.schedule->action_count; at++) {
            static const int32_t steps[] = {0, 3, 4};
            const int32_t kill = at % t.schedule->action_count, step = steps[at / t.schedule->action_count];
            const int32_t from = step - step % 2;
            toy u;
            CHECK_EQ_INT(toy_build(&u, lost[n], NULL), PP_OK);
            cluster *c = cluster_start(&u);
            if (from > 0) CHECK(cluster_run(c, from, -1, -1, NULL));
            carry(c, NULL, saved, 0);
            CHECK_EQ_INT(cluster_run(c, LOST_STEPS, step, kill, NULL), 0);
            const int32_t rank = rank_at(u.schedule, kill);
            stop_rank(c, rank);
            start_rank(c, rank);
            while (c->waiting > 0) free(c->letters[--c->waiting].floats);
            for (int32_t r = 0; r < c->ranks; r++) pp_run_rewind(c->runs[r], from);
            carry(c, NULL, saved, 1);
            carry(c, NULL, other, 0);
            CHECK_MSG(memcmp(saved, other, bytes) == 0, "loaded and saved anew before %d: %s", kill, lost[n]);
            CHECK(cluster_run(c, LOST_STEPS, -1, -1, NULL));
            carry(c, NULL, saved, 0);
            carry(c, t.run, other, 0);
            CHECK_MSG(memcmp(saved, other, bytes) == 0, "lost before %d of step %d: %s", kill, step, lost[n]);
            cluster_stop(c);
            toy_drop(&u);
        }
        free(saved), free(other);
        toy_drop(&t);
    }
}

/* The same steps by one run, then by ranks, then by one run again, each going on from what the other saved. */
static void test_handed_over(void) {
    for (size_t n = 0; n < LOST; n++) {
        toy t, u, w;
        CHECK_EQ_INT(toy_build(&t, lost[n], NULL), PP_OK);
        CHECK_EQ_INT(toy_build(&u, lost[n], NULL), PP_OK);
        CHECK_EQ_INT(toy_build(&w, lost[n], NULL), PP_OK);
        const size_t bytes = saved_bytes(&t);
        char *const saved = malloc(bytes), *const other = malloc(bytes);
        for (int step = 0; step < 7; step++) pp_run_step(t.run);
        for (int step = 0; step < 3; step++) pp_run_step(u.run);
        cluster *c = cluster_start(&u);
        carry(c, u.run, saved, 0);
        for (int32_t r = 0; r < c->ranks; r++) pp_run_rewind(c->runs[r], 3);
        carry(c, NULL, saved, 1);
        CHECK(cluster_run(c, 5, -1, -1, NULL));
        carry(c, NULL, saved, 0);
        for (int32_t k = 0; k < 3; k++) pp_run_next(w.run, NULL); /* within a step */
        pp_run_rewind(w.run, 5);
        carry(c, w.run, saved, 1);
        for (int step = 5; step < 7; step++) pp_run_step(w.run);
        carry(c, t.run, saved, 0);
        carry(c, w.run, other, 0);
        CHECK_MSG(memcmp(saved, other, bytes) == 0, "handed over: %s", lost[n]);
        CHECK(pp_run_loss(t.run) == pp_run_loss(w.run));
        for (int32_t r = 0; r < c->ranks; r++) {
            CHECK_EQ_INT(pp_run_versions(t.run, r), pp_run_versions(w.run, r));
            CHECK_EQ_INT(pp_run_lag(t.run, r), pp_run_lag(w.run, r));
            CHECK_EQ_DOUBLE(pp_run_peak_bytes(t.run, r), pp_run_peak_bytes(w.run, r));
        }
        cluster_stop(c);
        free(saved), free(other);
        toy_drop(&t), toy_drop(&u), toy_drop(&w);
    }
}

/* TEN-15: one rank's gradients leave the numbers; all skip the step, and no weight moves. */
static void test_skip(void) {
    toy t;
    CHECK_EQ_INT(
        toy_build(&t, "schedule=1f1b\nranks=3\nmicrobatches=4\nactivation=relu\nloss=squared-error\nrate=1000\n", NULL),
        PP_OK);
    cluster *c = cluster_start(&t);
    int32_t status = PP_OK, steps = 0;
    while (status == PP_OK && steps < 50) {
        status = pp_run_step(t.run);
        CHECK(cluster_run(c, ++steps, -1, -1, NULL));
    }
    CHECK_EQ_INT(status, PP_ERR_DIVERGED);
    for (int32_t r = 0; r < c->ranks; r++) {
        CHECK_EQ_INT(pp_run_skipped(c->runs[r]), 1);
        copy_stages(c, r, t.twin, 0);
    }
    CHECK_EQ_DOUBLE(pp_weight_difference(t.network, t.twin), 0);
    cluster_stop(c);
    toy_drop(&t);
}

/* The same with losses that are finite: Infinity in a gradient of one rank, in turn, and the next step goes on. */
static void test_overflow(void) {
    for (int32_t poisoned = 0; poisoned < 3; poisoned++) {
        toy t;
        CHECK_EQ_INT(toy_build(&t, "schedule=1f1b\nranks=3\nmicrobatches=4\n", NULL), PP_OK);
        cluster *c = cluster_start(&t);
        int32_t status = PP_OK;
        c->poisoned = poisoned;
        CHECK(cluster_run(c, 1, -1, -1, &status));
        for (int32_t r = 0; r < c->ranks; r++) copy_stages(c, r, t.twin, 0);
        CHECK_EQ_INT(status, PP_OK);
        CHECK(cluster_run(c, 2, -1, -1, &status));
        CHECK_EQ_INT(status, PP_ERR_DIVERGED);
        for (int32_t r = 0; r < c->ranks; r++) {
            CHECK_EQ_INT(pp_run_skipped(c->runs[r]), 1);
            copy_stages(c, r, t.network, 0);
        }
        CHECK_EQ_DOUBLE(pp_weight_difference(t.network, t.twin), 0);
        CHECK(cluster_run(c, 3, -1, -1, NULL));
        for (int32_t r = 0; r < c->ranks; r++) copy_stages(c, r, t.network, 0);
        CHECK(pp_weight_difference(t.network, t.twin) > 0);
        cluster_stop(c);
        toy_drop(&t);
    }
}

/* Keys that are none for this rank. */
static void test_keys(void) {
    toy t;
    CHECK_EQ_INT(toy_build(&t, "schedule=1f1b\nranks=2\nmicrobatches=2\nwidth=4\n", NULL), PP_OK);
    cluster *c = cluster_start(&t);
    int32_t action, places = 0;
    CHECK(pp_rank_place(c->runs[1], 0, 1) == NULL); /* before the step */
    CHECK_EQ_INT(pp_rank_next(c->runs[1]), t.schedule->rank_begin[1]);
    CHECK_EQ_INT(pp_rank_go(c->runs[1], &action), PP_OK);
    CHECK_EQ_INT(pp_rank_go(c->runs[1], &action), PP_RANK_WAITS);
    for (int32_t kind = 0; kind < 16; kind++)
        for (int32_t what = 0; what < 64; what++)
            places += pp_rank_place(c->runs[1], (int32_t)((uint32_t)kind << 27 | (uint32_t)what), 64) != NULL;
    CHECK_EQ_INT(places, 2); /* 16 samples of width 4: the two inputs of stage 1 */
    cluster_stop(c);
    toy_drop(&t);
}

/* Requests on standard input, with an empty line behind each (tests/fuzz-train.mjs prints some). */
static void test_given(void) {
    char request[16384], line[8192];
    size_t used = 0;
    int ran = 0, seen = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        const size_t length = strlen(line);
        if (line[0] != '\n') {
            CHECK(used + length < sizeof request);
            if (used + length >= sizeof request) return;
            memcpy(request + used, line, length + 1);
            used += length;
            continue;
        }
        toy t;
        if (toy_build(&t, request, NULL) == PP_OK) {
            same_weights(&t, request);
            toy_bytes_equal(&t, request);
            ran++;
        }
        toy_drop(&t);
        seen++;
        used = 0;
    }
    printf("ranks by themselves: %d runs of %d requests\n", ran, seen);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "-") == 0) {
        test_given();
        return check_report("test_rank");
    }
    test_every();
    test_options();
    test_lost();
    test_handed_over();
    test_skip();
    test_overflow();
    test_keys();
    return check_report("test_rank");
}
