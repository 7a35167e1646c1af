/* Schedules executed: every one of the table must give the gradients of the whole batch, keep what the simulation
 * counts and nothing more, and learn. */
#include "check.h"
#include "toy.h"

/* ---- requests ---- */

static int32_t must_build(toy *t, const char *request) {
    pp_fault fault;
    char message[512] = "";
    const int32_t status = toy_build(t, request, &fault);
    if (status != PP_OK) pp_fault_message(&fault, PP_LANG_EN, message, sizeof message);
    CHECK_MSG(status == PP_OK, "%s -- %s", request, message);
    return status == PP_OK;
}

/* Runs f for every schedule of the table that trains or not, at every legal shape. Returns how many there were. */
static int sweep(int32_t largest_p, const char *more, void (*f)(toy *t, const char *request)) {
    static const int32_t ms[] = {1, 2, 4, 8};
    int ran = 0;
    for (int32_t id = 0; id < pp_schedule_count(); id++) {
        int before = ran;
        for (int32_t p = 1; p <= largest_p; p++) {
            for (size_t k = 0; k < sizeof ms / sizeof ms[0]; k++) {
                for (int32_t v = 1; v <= 2; v++) {
                    char request[512];
                    pp_fault fault;
                    toy t;
                    /* the toy network has no sequence to slice */
                    const char *whole = pp_schedule_option_used(id, PP_OPT_SLICES) ? "slices=1\n" : "";
                    snprintf(request, sizeof request, "schedule=%s\nranks=%d\nmicrobatches=%d\nchunks=%d\n%s%s",
                             pp_schedule_name(id), p, ms[k], v, whole, more);
                    const int32_t status = toy_build(&t, request, &fault);
                    if (status == PP_OK) {
                        f(&t, request);
                        ran++;
                    } else { /* a shape this schedule refuses; nothing of the network may be at fault */
                        CHECK_MSG(status != PP_ERR_BATCH && status != PP_ERR_LAYERS && status != PP_ERR_CAPACITY &&
                                      status != PP_ERR_DEADLOCK && status != PP_ERR_SYNTAX &&
                                      status != PP_ERR_OPTION_UNKNOWN && status != PP_ERR_NAME_UNKNOWN,
                                  "%s: %s", pp_status_name(status), request);
                    }
                    toy_drop(&t);
                }
            }
        }
        CHECK_MSG(ran - before >= 1, "%s ran nowhere with %s", pp_schedule_name(id), more);
    }
    return ran;
}

/* ---- whole numbers: bit for bit ---- */

static int dead; /* runs whose gradients were all zero */

static void exact_step(toy *t, const char *request) {
    double loss;
    if (!t->schedule->trains) return;
    if (t->schedule->update_every > 0) return; /* several updates, of which only the first is of whole numbers */
    CHECK_EQ_INT(pp_run_step(t->run), PP_OK);
    CHECK_EQ_INT(toy_reference(t, 0, &loss), PP_OK);
    CHECK_MSG(pp_gradient_difference(t->network, t->twin) == 0, "gradients differ by %g: %s",
              pp_gradient_difference(t->network, t->twin), request);
    CHECK_MSG(pp_weight_difference(t->network, t->twin) == 0, "weights differ: %s", request);
    CHECK_EQ_DOUBLE(pp_run_loss(t->run), loss);
    double largest = 0;
    const float *gradients = pp_network_gradients(t->network);
    for (int32_t i = 0; i < pp_network_parameter_count(t->network); i++) {
        /* Whole, and far below 2^24 even before the division by the batch of 16: then no sum was ever rounded. */
        const double sum = 16.0 * gradients[i];
        CHECK_MSG(sum == floor(sum) && fabs(sum) < 2097152, "not exact: %g: %s", sum, request);
        largest = fmax(largest, fabs(sum));
    }
    dead += largest == 0;
}

static void test_exact(void) {
    int ran = 0;
    dead = 0;
    const char *common = "init=whole\nloss=squared-error\nbatch=16\nrate=0.5\nwidth=8\n";
    char relu[256], identity[256];
    snprintf(relu, sizeof relu, "%sactivation=relu\ndata=xor\n", common);
    snprintf(identity, sizeof identity, "%sactivation=identity\n", common);
    ran += sweep(4, relu, exact_step);
    ran += sweep(4, identity, exact_step);
    printf("whole numbers: %d runs, %d of them without gradient\n", ran, dead);
    CHECK(ran >= 150);
    CHECK(dead < ran / 3);
}

/* ---- any numbers: bit for bit where sums are in order, to rounding elsewhere ---- */

static int in_order, out_of_order;

static void twenty_steps(toy *t, const char *request) {
    const int ordered = pp_run_sums_in_order(t->run);
    if (!t->schedule->trains) return;
    for (int32_t step = 0; step < 20; step++) {
        double loss;
        CHECK_EQ_INT(pp_run_step(t->run), PP_OK);
        CHECK_EQ_INT(toy_reference(t, step, &loss), PP_OK);
        const double gradients = pp_gradient_difference(t->network, t->twin);
        const double weights = pp_weight_difference(t->network, t->twin);
        CHECK_MSG(gradients <= (ordered ? 0 : 1e-5), "step %d gradients differ by %g: %s", step, gradients, request);
        CHECK_MSG(weights <= (ordered ? 0 : 1e-5), "step %d weights differ by %g: %s", step, weights, request);
        CHECK_NEAR(pp_run_loss(t->run), loss, ordered ? 0 : 1e-5);
    }
    CHECK_EQ_INT(pp_run_steps(t->run), 20);
    in_order += ordered;
    out_of_order += !ordered;
}

static void test_equal(void) {
    in_order = out_of_order = 0;
    int ran = sweep(4, "batch=16\nwidth=8\n", twenty_steps);
    ran += sweep(2, "batch=13\nwidth=8\nactivation=relu\ndata=xor\nloss=squared-error\n", twenty_steps);
    for (int32_t p = 1; p <= 4; p++) {
        char request[256];
        toy t;
        snprintf(request, sizeof request, "schedule=gpipe\np=%d\nm=8\nbackward-order=descending\nwidth=8\n", p);
        if (must_build(&t, request)) {
            CHECK(!pp_run_sums_in_order(t.run));
            twenty_steps(&t, request);
        }
        toy_drop(&t);
    }
    printf("twenty steps: %d runs, %d in order, %d not\n", ran, in_order, out_of_order);
    CHECK(ran >= 100);
    CHECK(in_order >= 80 && out_of_order >= 4);
}

/* ---- memory: measured = counted ---- */

static void peaks(toy *t, const char *request) {
    const pp_rank_report *ranks = t->plan.ranks;
    CHECK_EQ_INT(pp_run_step(t->run), PP_OK);
    for (int32_t r = 0; r < t->schedule->ranks; r++) {
        CHECK_MSG(pp_run_peak(t->run, r) == (int32_t)ranks[r].peak_activations, "rank %d: %d in use, %g counted: %s", r,
                  pp_run_peak(t->run, r), ranks[r].peak_activations, request);
        CHECK_EQ_INT(pp_run_slots(t->run, r), pp_run_peak(t->run, r));
        /* A stream is not emptied between steps. */
        CHECK_EQ_INT(pp_run_in_flight(t->run, r), t->schedule->update_every > 0 ? pp_run_slots(t->run, r) - 1 : 0);
    }
}

static void test_peaks(void) {
    CHECK(sweep(4, "width=4\n", peaks) > 50);
    static const int32_t gpipe[] = {8, 8, 8, 8}, one[] = {4, 3, 2, 1}, interleaved[] = {11, 9, 7, 5};
    const struct {
        const char *request;
        const int32_t *peak;
    } rows[] = {{"schedule=gpipe\np=4\nm=8\nwidth=4\n", gpipe},
                {"schedule=1f1b\np=4\nm=8\nwidth=4\n", one},
                {"schedule=interleaved\np=4\nm=8\nv=2\nwidth=4\n", interleaved},
                {"schedule=gpipe\np=4\nm=8\nrecompute=late\nwidth=4\n", gpipe}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        toy t;
        if (must_build(&t, rows[i].request)) {
            CHECK_EQ_INT(pp_run_step(t.run), PP_OK);
            for (int32_t r = 0; r < 4; r++) CHECK_EQ_INT(pp_run_peak(t.run, r), rows[i].peak[r]);
        }
        toy_drop(&t);
    }
}

/* ---- the order of actions ---- */

/* Each action once; starts never go back while every action takes time; the end of the step is a status of its own. */
static void action_order(toy *t, const char *request) {
    if (t->schedule->update_every > 0) return; /* the next step begins before: test_async.c */
    const int32_t count = pp_schedule_action_count(t->schedule);
    const double *start = pp_timeline_start(t->timeline);
    int32_t action, previous = -1;
    char *done = calloc((size_t)count, 1);
    for (int32_t n = 0; n < count; n++) {
        CHECK_EQ_INT(pp_run_position(t->run), n);
        if (pp_run_next(t->run, &action) != PP_OK) {
            CHECK_MSG(0, "stopped at %d of %d: %s", n, count, request);
            break;
        }
        CHECK(action >= 0 && action < count && !done[action]);
        done[action] = 1;
        if (previous >= 0) CHECK_MSG(start[action] >= start[previous], "time went back: %s", request);
        /* equal starts: ranks ascending, which is the order of their lists */
        if (previous >= 0 && start[action] == start[previous]) CHECK_MSG(action > previous, "tie: %s", request);
        previous = action;
    }
    CHECK_EQ_INT(pp_run_steps(t->run), 0);
    CHECK_EQ_INT(pp_run_next(t->run, &action), PP_STEP_DONE);
    CHECK_EQ_INT(action, -1);
    CHECK_EQ_INT(pp_run_steps(t->run), 1);
    CHECK_EQ_INT(pp_run_next(t->run, &action), PP_OK); /* the next step begins */
    CHECK_EQ_INT(pp_run_step(t->run), PP_OK);          /* and is finished from where it stands */
    CHECK_EQ_INT(pp_run_steps(t->run), 2);
    free(done);
}

static void test_order(void) {
    CHECK(sweep(4, "width=4\n", action_order) > 50);
    /* All start at tick 0: messages alone decide the order. */
    const char *nothing_costs = "forward=0\nbackward=0\ninit=whole\nactivation=relu\nloss=squared-error\nbatch=16\n"
                                "width=4\nrate=0.5\n";
    CHECK(sweep(3, nothing_costs, exact_step) > 30);
}

/* ---- recomputation ---- */

static void test_recompute(void) {
    const char *const schedules[] = {"naive", "gpipe", "1f1b"}, *const modes[] = {"late", "early"};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 2; j++) {
            char request[256];
            toy t;
            snprintf(request, sizeof request, "schedule=%s\nranks=3\nmicrobatches=5\nrecompute=%s\nwidth=8\n",
                     schedules[i], modes[j]);
            if (must_build(&t, request)) {
                int32_t recomputed = 0;
                for (int32_t a = 0; a < t.schedule->action_count; a++) recomputed += t.schedule->actions[a].op == PP_R;
                CHECK_EQ_INT(recomputed, 15);
                CHECK(pp_run_sums_in_order(t.run));
                twenty_steps(&t, request);
            }
            toy_drop(&t);
        }
    }
    /* Keeping inputs alone takes less memory where much is in flight. */
    toy plain, again;
    if (must_build(&plain, "schedule=gpipe\nranks=2\nmicrobatches=16\nbatch=64\nwidth=64\n") &&
        must_build(&again, "schedule=gpipe\nranks=2\nmicrobatches=16\nbatch=64\nwidth=64\nrecompute=late\n"))
        CHECK(pp_run_bytes(again.schedule, again.network, &again.training) + 65536 <
              pp_run_bytes(plain.schedule, plain.network, &plain.training));
    toy_drop(&plain), toy_drop(&again);
}

/* ---- batches ---- */

static void test_uneven(void) {
    toy t;
    /* TEN-01: 8 samples in 3 */
    if (must_build(&t, "schedule=1f1b\nranks=3\nmicrobatches=3\nbatch=8\nwidth=8\n")) {
        const int32_t *begin = pp_run_microbatch_begin(t.run);
        const int32_t wanted[] = {0, 3, 6, 8};
        for (int i = 0; i < 4; i++) CHECK_EQ_INT(begin[i], wanted[i]);
        CHECK_EQ_INT(pp_run_batch(t.run), 8);
        twenty_steps(&t, "8 in 3");
    }
    toy_drop(&t);
    /* One sample a micro-batch; and a batch larger than the data. */
    const char *const requests[] = {"schedule=gpipe\nranks=2\nmicrobatches=7\nbatch=7\n",
                                    "schedule=interleaved\nranks=2\nchunks=2\nmicrobatches=6\nbatch=300\n",
                                    "schedule=1f1b\nranks=4\nmicrobatches=40\n"};
    for (int i = 0; i < 3; i++) {
        if (must_build(&t, requests[i])) twenty_steps(&t, requests[i]);
        toy_drop(&t);
    }
    if (must_build(&t, requests[2])) CHECK_EQ_INT(pp_run_batch(t.run), 40); /* default: one per micro-batch at least */
    toy_drop(&t);
}

/* A run of t from the start, at rate 0, over its first batch; returns the loss. */
static double first_loss(toy *t) {
    const size_t bytes = pp_run_bytes(t->schedule, t->network, &t->training);
    t->training.rate = 0;
    CHECK_EQ_INT(pp_run_init(t->schedule, t->timeline, t->network, t->data, &t->training, t->run, bytes, NULL), PP_OK);
    CHECK_EQ_INT(pp_run_step(t->run), PP_OK);
    return pp_run_loss(t->run);
}

/* One layer of one output, y = x0 - 1, target -1: the loss of a sample is x0 squared. */
static void test_mean(void) {
    toy t;
    if (must_build(&t, "schedule=gpipe\nranks=1\nmicrobatches=2\nbatch=5\ndepth=1\nloss=squared-error\nrate=0.5\n")) {
        float *parameters = pp_network_parameters(t.network), *features = pp_data_features(t.data);
        const float *gradients = pp_network_gradients(t.network);
        int32_t *labels = pp_data_labels(t.data), order[5], found = 0;
        const int32_t samples = pp_data_samples(t.data);
        for (int32_t n = 0; n < samples; n++) features[2 * n] = 3, features[2 * n + 1] = 0, labels[n] = 0;
        parameters[0] = 1, parameters[1] = 0, parameters[2] = -1;
        CHECK_EQ_INT(pp_run_step(t.run), PP_OK);
        CHECK_EQ_DOUBLE(pp_run_loss(t.run), 9);
        CHECK_EQ_DOUBLE(gradients[0], 18); /* TEN-03: 2 * 3 * 3, not m or 5 times as much */
        CHECK_EQ_DOUBLE(gradients[2], 6);
        CHECK_EQ_DOUBLE(parameters[2], -4);

        /* Which five samples the first batch takes: give a label to one at a time. */
        parameters[0] = 1, parameters[1] = 0, parameters[2] = -1;
        for (int32_t n = 0; n < samples; n++) labels[n] = -1;
        for (int32_t n = 0; n < samples && found < 5; n++) {
            labels[n] = 0;
            if (first_loss(&t) != 0) order[found++] = n;
            labels[n] = -1;
        }
        CHECK_EQ_INT(found, 5);
        /* TEN-05: x = 1 .. 5 in micro-batches of 3 and 2, in whatever order the batch has them: 11, which a mean of the
         * two means would be only by chance. */
        for (int32_t i = 0; i < 5; i++) labels[order[i]] = 0, features[2 * order[i]] = (float)(i + 1);
        CHECK_EQ_DOUBLE(first_loss(&t), 11);
        CHECK_EQ_DOUBLE(gradients[0], 22);
        /* One sample without label: 1, 1, 1, 4 are averaged over four. */
        for (int32_t i = 0; i < 5; i++) features[2 * order[i]] = i < 3 ? 1 : 2;
        labels[order[4]] = -1;
        CHECK_EQ_DOUBLE(first_loss(&t), 1.75);
        CHECK_EQ_DOUBLE(gradients[0], 3.5);
    }
    toy_drop(&t);
}

/* ---- learning ---- */

static void learns(toy *t, const char *request) {
    const int32_t count = pp_network_parameter_count(t->network);
    float *before = malloc((size_t)count * sizeof(float));
    const double first = pp_network_loss(t->network, t->data);
    for (int32_t i = 0; i < count; i++) pp_network_gradients(t->network)[i] = 7; /* of no step: never to be used */
    for (int32_t step = 0; step < 100; step++) {
        memcpy(before, pp_network_parameters(t->network), (size_t)count * sizeof(float));
        CHECK_EQ_INT(pp_run_step(t->run), PP_OK);
        int32_t unmoved = 0;
        for (int32_t i = 0; i < count; i++) unmoved += pp_network_parameters(t->network)[i] == before[i];
        if (!t->schedule->trains) {
            CHECK_EQ_INT(unmoved, count); /* forward only: evaluates */
            CHECK_EQ_DOUBLE(pp_network_gradients(t->network)[0], 7);
            CHECK_NEAR(pp_run_loss(t->run), first, 0.3);
            if (step == 3) break;
        } else {
            /* a gradient may be below the last place of its weight, but hardly ever; the first step moves all */
            CHECK_MSG(unmoved <= (step == 0 ? 0 : count / 100), "step %d: %d unmoved: %s", step, unmoved, request);
        }
    }
    if (t->schedule->trains && t->schedule->update_every == 0) { /* old gradients want a smaller rate: test_async.c */
        const double last = pp_network_loss(t->network, t->data);
        CHECK_MSG(last < 0.97 * first, "loss %g after %g: %s", last, first, request);
    }
    free(before);
}

static void test_learns(void) {
    CHECK(sweep(3, "data=spirals\nloss=squared-error\n", learns) > 30);
    CHECK(sweep(2, "data=circles\n", learns) > 15);
}

/* Three clouds in four dimensions, as iris: the caller's data, normalised, learned by 1F1B. */
static void test_clouds(void) {
    toy t;
    if (must_build(&t, "schedule=1f1b\nranks=3\nmicrobatches=5\ndata=iris\nbatch=30\n")) {
        float *features = pp_data_features(t.data);
        int32_t *labels = pp_data_labels(t.data);
        uint32_t random = 7;
        CHECK_EQ_INT(pp_network_inputs(t.network), 4);
        CHECK_EQ_INT(pp_network_outputs(t.network), 3);
        for (int32_t n = 0; n < pp_data_samples(t.data); n++) {
            labels[n] = n / 50;
            for (int32_t i = 0; i < 4; i++) {
                random = random * 1664525u + 1013904223u;
                features[4 * n + i] = 3.0f + 0.5f * (float)((labels[n] + i) % 3) + (float)(random >> 8) / 33554432.0f;
            }
        }
        pp_data_normalize(t.data);
        for (int32_t step = 0; step < 150; step++) CHECK_EQ_INT(pp_run_step(t.run), PP_OK);
        CHECK_MSG(pp_network_accuracy(t.network, t.data) >= 0.95, "accuracy %g",
                  pp_network_accuracy(t.network, t.data));
    }
    toy_drop(&t);
}

/* ---- refusals ---- */

static void test_requests(void) {
    const struct {
        const char *request;
        int32_t status, option;
        const char *fix;
    } rows[] = {
        {"depth=2", PP_ERR_LAYERS, PP_TRAIN_DEPTH, "3"},
        {"batch=3", PP_ERR_BATCH, PP_TRAIN_BATCH, "4"},
        {"width=0", PP_ERR_RANGE, PP_TRAIN_WIDTH, "1"},
        {"width=5000", PP_ERR_RANGE, PP_TRAIN_WIDTH, "1024"},
        {"width=many", PP_ERR_NOT_A_NUMBER, PP_TRAIN_WIDTH, ""},
        {"batch=8.5", PP_ERR_NOT_WHOLE, PP_TRAIN_BATCH, "9"},
        {"rate=-1", PP_ERR_RANGE, PP_TRAIN_RATE, "0"},
        {"rate=nan", PP_ERR_NOT_A_NUMBER, PP_TRAIN_RATE, ""},
        {"rate=inf", PP_ERR_RANGE, PP_TRAIN_RATE, "1000"},
        {"rate=0.1x", PP_ERR_NOT_A_NUMBER, PP_TRAIN_RATE, ""},
        {"data=spiral", PP_ERR_NAME_UNKNOWN, PP_TRAIN_DATA, "spirals"},
        {"activation=rely", PP_ERR_NAME_UNKNOWN, PP_TRAIN_ACTIVATION, "relu"},
        {"seed=1\nseed=2", PP_ERR_OPTION_TWICE, PP_TRAIN_SEED, ""},
        {"activation=gel", PP_ERR_NAME_UNKNOWN, PP_TRAIN_ACTIVATION, "gelu"},
        {"norm=layers", PP_ERR_NAME_UNKNOWN, PP_TRAIN_NORM, "layer"},
        {"norm=batch\nnorm-statistics=batch", PP_ERR_STATISTICS, PP_TRAIN_STATISTICS, "deferred"},
        {"norm=layer\nnorm-statistics=deferred", PP_ERR_OPTION_NEEDS, PP_TRAIN_STATISTICS, "batch"},
        {"norm=batch\nbatch=7", PP_ERR_BATCH_NORM, PP_TRAIN_NORM, "8"},
        {"norm=batch\nbatch=4\nsplit=last", PP_ERR_BATCH_NORM, PP_TRAIN_NORM, "8"},
        {"dropout=1", PP_ERR_RANGE, PP_TRAIN_DROPOUT, "0.9999"},
        {"dropout=-0.5", PP_ERR_RANGE, PP_TRAIN_DROPOUT, "0"},
        {"dropout=half", PP_ERR_NOT_A_NUMBER, PP_TRAIN_DROPOUT, ""},
        {"tied=ends\ndata=iris", PP_ERR_TIED, PP_TRAIN_TIED, "none"},
        {"tied=ends\nloss=squared-error", PP_ERR_TIED, PP_TRAIN_TIED, "none"},
        {"tied=ends\nloss=squared-error\nranks=1\ndepth=1", PP_ERR_TIED, PP_TRAIN_TIED, "none"},
        {"batch=9\nsplit=last", PP_ERR_SPLIT_EMPTY, PP_TRAIN_BATCH, "10"},
        {"split=lats", PP_ERR_NAME_UNKNOWN, PP_TRAIN_SPLIT, "last"},
        {"mean=sample", PP_ERR_NAME_UNKNOWN, PP_TRAIN_MEAN, "samples"},
        {"update=adams", PP_ERR_NAME_UNKNOWN, PP_TRAIN_UPDATE, "adam"},
        {"momentum=0.5", PP_ERR_OPTION_NEEDS, PP_TRAIN_MOMENTUM, "momentum"},
        {"update=momentum\nmomentum=1", PP_ERR_RANGE, PP_TRAIN_MOMENTUM, "0.9999"},
        {"update=momentum\nbeta1=0.5", PP_ERR_OPTION_NEEDS, PP_TRAIN_BETA1, "adam"},
        {"update=adam\nbeta2=2", PP_ERR_RANGE, PP_TRAIN_BETA2, "0.9999"},
        {"update=adam\nepsilon=0", PP_ERR_RANGE, PP_TRAIN_EPSILON, "1e-8"},
        {"clip=-1", PP_ERR_RANGE, PP_TRAIN_CLIP, "0"},
        {"loss-scale=1e39", PP_ERR_RANGE, PP_TRAIN_LOSS_SCALE, "1e38"},
        {"loss-scale=0.5", PP_ERR_RANGE, PP_TRAIN_LOSS_SCALE, "1"},
        {"scale-growth=5", PP_ERR_OPTION_NEEDS, PP_TRAIN_SCALE_GROWTH, "65536"},
        {"loss-scale=2\nscale-growth=1.5", PP_ERR_NOT_WHOLE, PP_TRAIN_SCALE_GROWTH, "2"},
        {"depth=16000\nwidth=1000\nbatch=65000", PP_ERR_TOO_LARGE, PP_TRAIN_WIDTH, ""},
        {"depth=16000\nwidth=1000", PP_ERR_TOO_LARGE, PP_TRAIN_WIDTH, "23"},
        {"depth=1000\nwidth=20\nbatch=65000", PP_ERR_TOO_LARGE, PP_TRAIN_BATCH, "507"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        toy t;
        pp_fault fault;
        char en[512], ru[512];
        memset(&fault, 0, sizeof fault);
        const int32_t status = toy_build(&t, rows[i].request, &fault);
        CHECK_MSG(status == rows[i].status, "%s: %s", rows[i].request, pp_status_name(status));
        CHECK_EQ_INT(fault.code, rows[i].status);
        CHECK_MSG(fault.option == rows[i].option, "%s: option %d", rows[i].request, fault.option);
        if (rows[i].fix[0] != 0) CHECK_EQ_TEXT(fault.fix_value, rows[i].fix);
        CHECK(pp_fault_message(&fault, PP_LANG_EN, en, sizeof en) < (int32_t)sizeof en);
        CHECK(pp_fault_message(&fault, PP_LANG_RU, ru, sizeof ru) < (int32_t)sizeof ru);
        CHECK(strlen(en) > 20 && strlen(ru) > 20);
        if (fault.option >= 0) CHECK_MSG(strstr(en, pp_option_name(fault.option)) != NULL, "%s", en);
        if (status == PP_ERR_TOO_LARGE && fault.fix_option >= 0) { /* the choice it names is legal */
            char again[600];
            snprintf(again, sizeof again, "%s\n", rows[i].request);
            pp_training training;
            pp_fault second;
            CHECK_EQ_INT(pp_training_parse(again, (int32_t)strlen(again), &training, &second), PP_OK);
            if (fault.fix_option == PP_TRAIN_WIDTH) training.width = atoi(fault.fix_value);
            if (fault.fix_option == PP_TRAIN_BATCH) training.batch = atoi(fault.fix_value);
            CHECK_EQ_INT(pp_training_fit(&training, 1, 1, &second), PP_OK);
        }
        toy_drop(&t);
    }
    pp_training training;
    pp_fault fault;
    const char *unknown = "p=3\nwidht=5\n";
    CHECK_EQ_INT(pp_training_parse(unknown, (int32_t)strlen(unknown), &training, &fault), PP_ERR_OPTION_UNKNOWN);
    CHECK_EQ_INT(fault.fix_option, PP_TRAIN_WIDTH);
    const char *letter = "s=x\n"; /* passed over: pp_config_read judges it */
    CHECK_EQ_INT(pp_training_parse(letter, (int32_t)strlen(letter), &training, NULL), PP_OK);
    const char *all = "Data=XOR\nwidth=20\ndepth=6\nactivation=ReLU\nloss=Squared_Error\nbatch=64\nsteps=500\nseed=42\n"
                      "rate=0,05\ninit=whole\nranks=9\n";
    CHECK_EQ_INT(pp_training_parse(all, (int32_t)strlen(all), &training, &fault), PP_OK);
    const double wanted[] = {PP_DATA_XOR, 20, 6,    PP_ACTIVATION_RELU, PP_LOSS_SQUARED_ERROR, 64,
                             500,         42, 0.05, PP_INIT_WHOLE};
    for (int32_t i = 0; i < 10; i++) CHECK_EQ_DOUBLE(pp_training_field(&training, i), wanted[i]);
    CHECK(training.samples == 256 && training.inputs == 2 && training.outputs == 1);
    CHECK_EQ_TEXT(pp_training_field_name(8), "rate");
    /* every length of text, so that nothing is read beyond it */
    for (int32_t n = 0; n <= (int32_t)strlen(all); n++) {
        char *exact = malloc((size_t)n + (n == 0));
        memcpy(exact, all, (size_t)n);
        pp_training_parse(exact, n, &training, &fault);
        free(exact);
    }
    /* fitted alone, before anything is allocated */
    pp_training few = {.width = 8, .depth = 4, .batch = 3, .rate = 0.1}, none = {.width = 8, .rate = -1};
    CHECK_EQ_INT(pp_training_fit(&few, 4, 4, &fault), PP_ERR_BATCH);
    CHECK_EQ_TEXT(fault.fix_value, "4");
    CHECK_EQ_INT(fault.fix2_option, PP_OPT_MICROBATCHES);
    CHECK_EQ_INT(pp_training_fit(&few, 5, 3, &fault), PP_ERR_LAYERS);
    CHECK_EQ_INT(pp_training_fit(&few, 4, 3, &fault), PP_OK);
    CHECK_EQ_INT(pp_training_fit(&none, 6, 48, &fault), PP_OK);
    CHECK(none.depth == 6 && none.batch == 48 && none.rate == 0.1);
    none.batch = 0;
    CHECK_EQ_INT(pp_training_fit(&none, 6, 1000000, &fault), PP_ERR_BATCH); /* more than any batch may hold */
    CHECK_EQ_INT(fault.fix_option, PP_OPT_MICROBATCHES);
    for (int32_t stages = 1; stages <= 64; stages++) {
        CHECK(pp_network_default_layers(stages) >= 4 && pp_network_default_layers(stages) % stages == 0);
        CHECK(pp_network_default_layers(stages) < stages + 4);
    }
}

/* What pp_run_init itself refuses. */
static void test_refusals(void) {
    toy t;
    pp_fault fault;
    if (must_build(&t, "schedule=1f1b\nranks=3\nmicrobatches=4\n")) {
        const size_t bytes = pp_run_bytes(t.schedule, t.network, &t.training);
        CHECK_EQ_INT(pp_run_init(t.schedule, t.timeline, t.network, t.data, &t.training, t.run, bytes - 1, &fault),
                     PP_ERR_CAPACITY);
        pp_training small = t.training;
        small.batch = 3;
        CHECK_EQ_INT(pp_run_init(t.schedule, t.timeline, t.network, t.data, &small, t.run, bytes, &fault),
                     PP_ERR_BATCH);
        CHECK_EQ_TEXT(fault.fix_value, "4");
        CHECK_EQ_TEXT(fault.fix2_value, "3");
        pp_schedule sliced = *t.schedule;
        sliced.slices = 2;
        CHECK_EQ_INT(pp_run_init(&sliced, t.timeline, t.network, t.data, &t.training, t.run, bytes, &fault),
                     PP_ERR_OPTION_MEANINGLESS);
        CHECK_EQ_INT(fault.option, PP_OPT_SLICES);
        pp_schedule longer = *t.schedule;
        longer.stages = 4;
        CHECK_EQ_INT(pp_run_init(&longer, t.timeline, t.network, t.data, &t.training, t.run, bytes, &fault),
                     PP_ERR_LAYERS);
    }
    toy_drop(&t);
}

/* A rate far too large: the step that leaves the numbers is skipped by every stage, and counted. */
static void test_diverges(void) {
    toy t;
    if (must_build(&t, "schedule=1f1b\nranks=2\nmicrobatches=4\nactivation=relu\nloss=squared-error\nrate=1000\n")) {
        int32_t status = PP_OK;
        for (int32_t step = 0; step < 100 && status == PP_OK; step++) {
            pp_network_copy(t.twin, t.network);
            status = pp_run_step(t.run);
        }
        CHECK_EQ_INT(status, PP_ERR_DIVERGED);
        CHECK_EQ_INT(pp_run_skipped(t.run), 1);
        CHECK_EQ_DOUBLE(pp_weight_difference(t.network, t.twin), 0);
    }
    toy_drop(&t);
}

/* ---- schedules made by hand: split backward, fused slots, two copies, wherever the table has none yet ---- */

static uint8_t op_number(char letter) {
    uint8_t op = 0;
    while (op < PP_OP_COUNT && pp_op_name(op)[0] != letter) op++;
    return op;
}

/* lists: one string per rank, actions separated by blanks, "a+b" for a fused slot. */
static void hand_run(const char *title, int32_t ranks, int32_t stages, int32_t microbatches, int32_t pipes,
                     int32_t *stage_rank, int32_t *unit_pipe, const char *const *lists, const int32_t *peak) {
    char request[256];
    toy t;
    pp_fault fault;
    pp_action actions[256];
    int32_t rank_begin[9], count = 0;
    for (int32_t r = 0; r < ranks; r++) {
        rank_begin[r] = count;
        for (const char *at = lists[r]; *at != 0;) {
            int stage, microbatch, used;
            char op;
            if (sscanf(at, "%d%c%d%n", &stage, &op, &microbatch, &used) != 3) break;
            at += used;
            actions[count++] = (pp_action){microbatch, (uint16_t)stage, op_number(op), *at == '+'};
            while (*at == ' ' || *at == '+') at++;
        }
    }
    rank_begin[ranks] = count;
    /* the network and the data of some schedule with as many stages */
    snprintf(request, sizeof request, "schedule=1f1b\nranks=%d\nmicrobatches=%d\nbatch=16\nwidth=8\n", stages,
             microbatches);
    if (!must_build(&t, request)) return;
    pp_schedule schedule = {.schedule = -1,
                            .ranks = ranks,
                            .stages = stages,
                            .microbatches = microbatches,
                            .slices = 1,
                            .pipes = pipes,
                            .placement = PP_PLACE_FREE,
                            .action_count = count,
                            .trains = 1,
                            .rank_begin = rank_begin,
                            .stage_rank = stage_rank,
                            .unit_pipe = unit_pipe,
                            .actions = actions};
    size_t bytes = pp_timeline_bytes(&schedule);
    pp_timeline *timeline = malloc(bytes);
    int32_t status = pp_check(&schedule, timeline, bytes, NULL, &fault);
    CHECK_MSG(status == PP_OK, "%s: %s", title, pp_status_name(status));
    if (status == PP_OK) status = pp_simulate(&schedule, t.plan.costs, PP_TRANSFER_OVERLAP, timeline, &fault);
    if (status == PP_OK) {
        bytes = pp_run_bytes(&schedule, t.network, &t.training);
        free(t.run);
        t.run = malloc(bytes);
        CHECK_EQ_INT(pp_run_init(&schedule, timeline, t.network, t.data, &t.training, t.run, bytes, &fault), PP_OK);
        twenty_steps(&t, title);
        for (int32_t r = 0; r < ranks; r++)
            CHECK_MSG(pp_run_peak(t.run, r) == peak[r], "%s: rank %d holds %d", title, r, pp_run_peak(t.run, r));
    }
    free(timeline);
    toy_drop(&t);
}

static void test_by_hand(void) {
    int32_t single[] = {0, 1}, zigzag[] = {0, 1, 1, 0}, both[] = {0, 1, 1, 0}, pipe[] = {0, 0, 1, 1};
    /* I long before its W, which comes out of order at stage 1 */
    const char *const split_lists[] = {"0F0 0F1 0F2 0I0 0I1 0W0 0I2 0W1 0W2", "1F0 1I0 1F1 1I1 1F2 1I2 1W2 1W1 1W0"};
    hand_run("split backward", 2, 2, 3, 1, single, NULL, split_lists, (const int32_t[]){3, 3});
    const char *const ordered[] = {"0F0 0F1 0F2 0I0 0I1 0W0 0I2 0W1 0W2", "1F0 1I0 1F1 1W0 1I1 1F2 1W1 1I2 1W2"};
    hand_run("split backward in order", 2, 2, 3, 1, single, NULL, ordered, (const int32_t[]){3, 2});
    /* a fused slot holds what it releases until it ends: 3, not 2 */
    const char *const fused[] = {"0F0 0F1 0F2+0B0 0F3+0B1 0B2 0B3", "1F0 1F1+1B0 1F2+1B1 1F3+1B2 1B3"};
    hand_run("fused slots", 2, 2, 4, 1, single, NULL, fused, (const int32_t[]){3, 2});
    const char *const backward_first[] = {"0F0 0F1 0B0+0F2 0B1+0F3 0B2 0B3", "1F0 1B0+1F1 1B1+1F2 1B2+1F3 1B3"};
    hand_run("fused slots, backward first", 2, 2, 4, 1, single, NULL, backward_first, (const int32_t[]){3, 2});
    /* a V: stages 1 and 2 on one rank */
    const char *const v[] = {"0F0 0F1 3F0 3B0 3F1 3B1 0B0 0B1", "1F0 2F0 1F1 2F1 2B0 1B0 2B1 1B1"};
    hand_run("zigzag", 2, 4, 2, 1, zigzag, NULL, v, (const int32_t[]){3, 4});
    /* two pipes that meet: micro-batches 2 and 3 start on rank 1 */
    const char *const meet[] = {"0F0 0F1 1F2 1B2 1F3 1B3 0B0 0B1", "0F2 0F3 1F0 1B0 1F1 1B1 0B2 0B3"};
    hand_run("two copies", 2, 2, 4, 2, both, pipe, meet, (const int32_t[]){3, 3});
}

int main(void) {
    test_exact();
    test_equal();
    test_peaks();
    test_order();
    test_recompute();
    test_uneven();
    test_mean();
    test_learns();
    test_clouds();
    test_requests();
    test_refusals();
    test_diverges();
    test_by_hand();
    return check_report("test_runtime");
}
