/* Issue 4, "asynchronous ones with weight versions": PipeDream and PipeDream-2BW as streams without a flush. Weights against
 * two yardsticks without a pipeline (pp_delayed_step, and the papers' formulas written out here over pp_reference_step),
 * versions and staleness as measured against the simulated ones, live bytes, and what is refused. */
#include "check.h"
#include "network/tensor.h"
#include "run/runtime.h"
#include "toy.h"

enum { STEPS = 20 };

static const char *const schedules[] = {"pipedream", "2bw"};

typedef struct late {
    void *memory;
    size_t bytes;
} late;

static late late_make(toy *t, pp_network *network, int32_t delays) {
    late made = {NULL, pp_delayed_bytes(&t->plan.config, network, &t->training)};
    made.memory = malloc(made.bytes);
    memset(made.memory, 0xA5, made.bytes);
    CHECK_EQ_INT(pp_delayed_init(&t->plan.config, network, &t->training, delays, made.memory, made.bytes), PP_OK);
    CHECK_EQ_INT(pp_delayed_init(&t->plan.config, network, &t->training, delays, made.memory, made.bytes - 1),
                 PP_ERR_CAPACITY);
    return made;
}

/* A network like the toy's, with the weights it begins with. */
static pp_network *network_like(const toy *t) {
    int32_t *widths = malloc(((size_t)t->training.depth + 1) * sizeof(int32_t));
    pp_training_widths(&t->training, widths);
    const int32_t kind = pp_training_kind(&t->training);
    const size_t bytes = pp_network_bytes(widths, t->training.depth, t->schedule->stages, kind);
    pp_network *made = malloc(bytes);
    CHECK_EQ_INT(
        pp_network_init(widths, t->training.depth, t->schedule->stages, NULL, kind, t->training.loss, made, bytes),
        PP_OK);
    pp_network_seed(made, t->training.init, t->training.seed);
    free(widths);
    return made;
}

/* Twenty steps of a request. */
static void stream(const char *request) {
    toy t;
    pp_fault fault;
    const int32_t status = toy_build(&t, request, &fault);
    CHECK_MSG(status == PP_OK, "status %d: %s", status, request);
    if (status != PP_OK) {
        toy_drop(&t);
        return;
    }
    pp_network *prompt = network_like(&t);
    late delayed = late_make(&t, t.twin, 1), at_once = late_make(&t, prompt, 0);
    int32_t lags = 0;
    CHECK_EQ_INT(pp_run_versions(t.run, 0), 1); /* no step yet */
    for (int32_t step = 0; step < STEPS; step++) {
        double loss = -1, other;
        CHECK_EQ_INT(pp_run_step(t.run), PP_OK);
        toy_bytes_equal(&t, request);
        CHECK_EQ_INT(pp_delayed_step(t.twin, t.data, &t.training, step, delayed.memory, delayed.bytes, &loss), PP_OK);
        CHECK_EQ_INT(pp_delayed_step(prompt, t.data, &t.training, step, at_once.memory, at_once.bytes, &other), PP_OK);
        CHECK_MSG(pp_run_loss(t.run) == loss, "step %d: loss %.17g, %.17g: %s", step, pp_run_loss(t.run), loss,
                  request);
        CHECK_MSG(pp_weight_difference(t.network, t.twin) == 0 && pp_gradient_difference(t.network, t.twin) == 0,
                  "step %d: weights differ by %g: %s", step, pp_weight_difference(t.network, t.twin), request);
    }
    for (int32_t r = 0; r < t.schedule->ranks; r++) {
        const int32_t lag = pp_weight_lag(&t.plan.config, r);
        lags += lag;
        CHECK_MSG(pp_run_versions(t.run, r) == t.plan.ranks[r].weight_versions,
                  "rank %d: %d versions, %g simulated: %s", r, pp_run_versions(t.run, r),
                  t.plan.ranks[r].weight_versions, request);
        CHECK_MSG(pp_run_lag(t.run, r) == lag, "rank %d: %d updates late, not %d: %s", r, pp_run_lag(t.run, r), lag,
                  request);
        CHECK_MSG(pp_run_peak(t.run, r) == t.plan.ranks[r].peak_activations, "rank %d: %s", r, request);
        CHECK_EQ_INT(pp_run_slots(t.run, r), pp_run_peak(t.run, r));
        /* No flush: what the next step has begun stays. */
        CHECK_EQ_INT(pp_run_in_flight(t.run, r), pp_run_slots(t.run, r) - 1);
    }
    CHECK_MSG((pp_weight_difference(t.network, prompt) != 0) == (lags > 0), "difference to the synchronous run %g: %s",
              pp_weight_difference(t.network, prompt), request);
    free(delayed.memory), free(at_once.memory), free(prompt);
    toy_drop(&t);
}

static void check_every_shape(void) {
    static const char *const more[] = {"", "recompute=late\n", "recompute=early\n", "recompute=late-except-last\n"};
    for (int32_t i = 0; i < 2; i++)
        for (int32_t p = 1; p <= 4; p++)
            for (int32_t m = i == 0 ? 1 : p; m <= 8; m++)
                for (int32_t r = 0; r < 4; r++) {
                    char request[256];
                    snprintf(request, sizeof request, "schedule=%s\nranks=%d\nmicrobatches=%d\nbatch=%d\nwidth=6\n%s",
                             schedules[i], p, m, 3 * m + r % 2, more[r]);
                    stream(request);
                }
}

static void check_settings(void) {
    static const char *const settings[] = {
        "update=momentum",
        "update=adam",
        "norm=layer",
        "dropout=0.3\nactivation=gelu",
        "batch=13",
        "batch=13\nsplit=last",
        "loss=squared-error\nactivation=relu",
        "backward=3 1 2\nforward=1 2 5",
        "latency=4",
        "data=iris\nbatch=17",
    };
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++)
        for (int32_t i = 0; i < 2; i++) {
            char request[256];
            snprintf(request, sizeof request, "schedule=%s\nranks=3\nmicrobatches=4\n%s\n", schedules[i], settings[k]);
            stream(request);
        }
    /* Updates that do not end with the steps. */
    stream("schedule=2bw\nranks=3\nmicrobatches=4\ngroup=3\nbatch=12");
    stream("schedule=2bw\nranks=2\nmicrobatches=2\ngroup=5\nbatch=12");
    stream("schedule=2bw\nranks=3\nmicrobatches=8\ngroup=4\nbatch=13");
}

/* ---- the formulas of the papers over the unpipelined step ---- */

/* Gradient of batch number t, of n samples, at the network's weights; they stay. */
static void gradient_at(pp_network *network, const toy *t, int32_t n, int32_t number) {
    pp_training training = t->training;
    training.batch = n;
    training.microbatches = 1;
    training.rate = 0;
    const size_t bytes = pp_reference_bytes(network, &training);
    void *memory = malloc(bytes);
    CHECK_EQ_INT(pp_reference_step(network, t->data, &training, number, memory, bytes, NULL), PP_OK);
    free(memory);
}

/* W(t + 1) = W(t) - rate * gradient of batch t at W of lag(s) updates before, on every stage s. */
static void check_formula(const char *schedule, int32_t p, int32_t m, int32_t updates_a_step) {
    char request[256];
    toy t;
    snprintf(request, sizeof request, "schedule=%s\nranks=%d\nmicrobatches=%d\nbatch=%d\nwidth=7\n%s", schedule, p, m,
             4 * m, strcmp(schedule, "2bw") == 0 ? "group=0\n" : "");
    if (strcmp(schedule, "2bw") == 0) snprintf(request + strlen(request) - 2, 16, "%d\n", m / updates_a_step);
    CHECK_EQ_INT(toy_build(&t, request, NULL), PP_OK);
    const int32_t updates = STEPS * updates_a_step, n = 4 * m / updates_a_step,
                  count = pp_network_parameter_count(t.network);
    const size_t size = (size_t)count;
    float *w = malloc(((size_t)updates + 1) * size * sizeof(float));
    pp_network *net = network_like(&t);
    memcpy(w, pp_network_parameters(net), size * sizeof(float));
    for (int32_t u = 0; u < updates; u++) {
        for (int32_t s = 0; s < p; s++) {
            const int32_t under_way = p - s < m ? p - s : m, lag = strcmp(schedule, "2bw") == 0 ? 1 : under_way - 1;
            const size_t begin = (size_t)(pp_stage_parameters(net, s) - pp_network_parameters(net));
            memcpy(pp_stage_parameters(net, s), w + (size_t)(u > lag ? u - lag : 0) * size + begin,
                   (size_t)pp_stage_parameter_count(net, s) * sizeof(float));
        }
        gradient_at(net, &t, n, u);
        memcpy(w + ((size_t)u + 1) * size, w + (size_t)u * size, size * sizeof(float));
        pp_sgd(w + ((size_t)u + 1) * size, pp_network_gradients(net), (float)t.training.rate, count);
    }
    for (int32_t step = 0; step < STEPS; step++) {
        CHECK_EQ_INT(pp_run_step(t.run), PP_OK);
        const float *expected = w + (size_t)((step + 1) * updates_a_step) * size;
        const float difference = pp_largest_difference(pp_network_parameters(t.network), expected, count);
        CHECK_MSG(difference == 0, "step %d: %g off the formula: %s", step, (double)difference, request);
    }
    free(w), free(net);
    toy_drop(&t);
}

static void check_formulas(void) {
    for (int32_t p = 1; p <= 4; p++) {
        for (int32_t m = 1; m <= 8; m++) check_formula("pipedream", p, m, m);
        for (int32_t m = p; m <= 8; m++) check_formula("2bw", p, m, 1);
        check_formula("2bw", p, 8, 2);
    }
}

/* Without delays the second yardstick is the unpipelined step: of the batch, or of each micro-batch. */
static void check_prompt(void) {
    for (int32_t i = 0; i < 2; i++) {
        toy t;
        double one, other;
        char request[128];
        const int32_t m = 4, parts = i == 0 ? m : 1;
        snprintf(request, sizeof request, "schedule=%s\nranks=3\nmicrobatches=4\nbatch=20\nupdate=adam", schedules[i]);
        CHECK_EQ_INT(toy_build(&t, request, NULL), PP_OK);
        late at_once = late_make(&t, t.twin, 0);
        pp_network *plain = network_like(&t);
        pp_training training = t.training;
        training.batch /= parts;
        training.microbatches = 1;
        const size_t bytes = pp_reference_bytes(plain, &training);
        void *memory = malloc(bytes);
        for (int32_t step = 0; step < STEPS; step++) {
            pp_delayed_step(t.twin, t.data, &t.training, step, at_once.memory, at_once.bytes, &one);
            for (int32_t k = 0; k < parts; k++)
                pp_reference_step(plain, t.data, &training, step * parts + k, memory, bytes, &other);
            CHECK_MSG(pp_weight_difference(t.twin, plain) == 0, "%s, step %d", schedules[i], step);
            if (i == 1) CHECK_EQ_DOUBLE(one, other);
        }
        free(at_once.memory), free(plain), free(memory);
        toy_drop(&t);
    }
}

/* ---- the stream, action by action ---- */

static void check_actions(void) {
    for (int32_t i = 0; i < 2; i++) {
        toy t;
        char request[128];
        snprintf(request, sizeof request, "schedule=%s\nranks=4\nmicrobatches=8\nbatch=16", schedules[i]);
        CHECK_EQ_INT(toy_build(&t, request, NULL), PP_OK);
        int32_t begun[4] = {0}, ended[4] = {0}, action, seen = 0;
        for (int32_t step = 0; step < 5; step++) {
            while (pp_run_next(t.run, &action) == PP_OK) {
                const pp_action *a = &t.schedule->actions[action];
                const int32_t s = a->stage, cell = s * 8 + a->microbatch;
                const int32_t x = a->op == PP_F ? begun[s]++ : ended[s]++;
                CHECK_EQ_INT(a->microbatch, x % 8);
                CHECK_EQ_INT((int32_t)t.run->version[cell], pp_weight_version(&t.plan.config, s, x));
                CHECK(begun[s] - ended[s] <= 4 - s);
                seen++;
            }
            CHECK_EQ_INT(action, -1);
            CHECK_EQ_INT(pp_run_steps(t.run), step + 1);
            for (int32_t s = 0; s < 4; s++) CHECK_EQ_INT(ended[s], 8 * (step + 1));
            for (int32_t s = 0; s < 4; s++) CHECK_EQ_INT(begun[s], 8 * (step + 1) + 3 - s); /* not emptied */
        }
        CHECK_EQ_INT(seen, 5 * 64 + 3 + 2 + 1);
        toy_drop(&t);
    }
}

/* Rewound, a run is a new stream: from the first weights the same one. */
static void check_rewind(void) {
    for (int32_t i = 0; i < 2; i++) {
        toy t;
        char request[128];
        snprintf(request, sizeof request, "schedule=%s\nranks=3\nmicrobatches=6", schedules[i]);
        CHECK_EQ_INT(toy_build(&t, request, NULL), PP_OK);
        pp_network *kept = network_like(&t);
        for (int32_t step = 0; step < 7; step++) pp_run_step(t.run);
        pp_network_copy(kept, t.network);
        for (int32_t k = 0; k < 5; k++) pp_run_next(t.run, NULL); /* within a step */
        pp_network_seed(t.network, t.training.init, t.training.seed);
        pp_run_rewind(t.run, 0);
        for (int32_t step = 0; step < 7; step++) pp_run_step(t.run);
        CHECK_EQ_DOUBLE(pp_weight_difference(t.network, kept), 0);
        free(kept);
        toy_drop(&t);
    }
}

/* A gradient that is not finite is not taken, on that stage, by run and yardstick alike. */
static void check_divergence(void) {
    toy t;
    double loss;
    CHECK_EQ_INT(
        toy_build(&t, "schedule=pipedream\nranks=3\nmicrobatches=4\nrate=1000\nactivation=identity\nloss=squared-error",
                  NULL),
        PP_OK);
    late delayed = late_make(&t, t.twin, 1);
    int32_t skipped = 0;
    for (int32_t step = 0; step < STEPS; step++) {
        const int32_t status = pp_run_step(t.run);
        const int32_t expected =
            pp_delayed_step(t.twin, t.data, &t.training, step, delayed.memory, delayed.bytes, &loss);
        CHECK_EQ_INT(status, expected);
        skipped += status == PP_ERR_DIVERGED;
    }
    CHECK(skipped > 0);
    CHECK_EQ_INT(pp_run_skipped(t.run), skipped);
    CHECK(pp_all_finite(pp_network_parameters(t.network), pp_network_parameter_count(t.network)));
    CHECK_EQ_DOUBLE(pp_weight_difference(t.network, t.twin), 0);
    free(delayed.memory);
    toy_drop(&t);
}

static void check_learning(void) {
    for (int32_t i = 0; i < 2; i++) {
        toy t;
        char request[128];
        snprintf(request, sizeof request, "schedule=%s\nranks=3\nmicrobatches=8\nrate=0.03\nloss=squared-error",
                 schedules[i]);
        CHECK_EQ_INT(toy_build(&t, request, NULL), PP_OK);
        const double first = pp_network_loss(t.network, t.data);
        for (int32_t step = 0; step < 100; step++) CHECK_EQ_INT(pp_run_step(t.run), PP_OK);
        CHECK(pp_network_loss(t.network, t.data) < 0.9 * first);
        toy_drop(&t);
    }
}

/* ---- what a stream does not do ---- */

static void refuse(const char *more, const char *seen, const char *fix) {
    for (int32_t i = 0; i < 2; i++) {
        toy t;
        pp_fault fault;
        char request[256], text[512];
        snprintf(request, sizeof request, "schedule=%s\nranks=2\nmicrobatches=4\n%s\n", schedules[i], more);
        CHECK_EQ_INT(toy_build(&t, request, &fault), PP_ERR_ASYNC_OPTION);
        CHECK_EQ_TEXT(pp_fault_fix_value(&fault, 0), fix);
        for (int32_t lang = 0; lang < 2; lang++) {
            pp_fault_message(&fault, lang, text, sizeof text);
            CHECK_MSG(strstr(text, seen) != NULL, "%s", text);
        }
        toy_drop(&t);
    }
}

static void check_refusals(void) {
    refuse("norm=batch", " = batch", "layer");
    refuse("data=xor\ntied=ends\nloss=cross-entropy", " = ends", "none");
    refuse("mean=undivided", " = undivided", "samples");
    refuse("clip=0.5", " = 0.5", "0");
    refuse("loss-scale=1024", " = 1024", "1");
    refuse("moves=0F2-1", " moves", "");
    /* Synchronous ones may. */
    toy t;
    CHECK_EQ_INT(toy_build(&t, "schedule=1f1b\nranks=2\nmicrobatches=4\nclip=0.5", NULL), PP_OK);
    CHECK_EQ_INT(pp_run_versions(t.run, 0), 1);
    CHECK_EQ_INT(pp_run_lag(t.run, 0), 0);
    toy_drop(&t);
}

int main(void) {
    check_every_shape();
    check_settings();
    check_formulas();
    check_prompt();
    check_actions();
    check_rewind();
    check_divergence();
    check_learning();
    check_refusals();
    return check_report("test_async");
}
