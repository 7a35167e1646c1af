/* Prints what the core computes, for comparison with the WebAssembly build of the same sources.
 *     pp_dump < requests          schedules and times
 *     pp_dump train < requests    also trains each for its number of steps
 *     pp_dump fused < requests    the same with fused products
 * Standard input holds requests, lines "name=value", with an empty line between two. Each gives one line: the name of the
 * status, then the 64-bit FNV-1a hash in hexadecimal of, one after the other,
 *     simulate    start[], finish[], pp_summary, the pp_rank_report of each rank
 *     train       the weights; a second hash: the loss of the last step (a double), measured peaks (int32) of each rank
 * all as they lie in memory (little endian). Data that the caller has to give (iris) stay zero. */
#include "fused.h"
#include "toy.h"

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
    return hash;
}

static const uint64_t hash_start = UINT64_C(0xCBF29CE484222325);

static void print_times(const toy *t) {
    const size_t count = (size_t)t->schedule->action_count, ranks = (size_t)t->schedule->ranks;
    uint64_t hash = hash_bytes(hash_start, pp_timeline_start(t->timeline), count * sizeof(double));
    hash = hash_bytes(hash, pp_timeline_finish(t->timeline), count * sizeof(double));
    hash = hash_bytes(hash, &t->plan.summary, sizeof t->plan.summary);
    hash = hash_bytes(hash, t->plan.ranks, ranks * sizeof *t->plan.ranks);
    printf("ok %016llx\n", (unsigned long long)hash);
}

static void print_training(toy *t) {
    int32_t status = PP_OK;
    for (int32_t step = 0; step < t->training.steps && status == PP_OK; step++) status = pp_run_step(t->run);
    const size_t count = (size_t)pp_network_parameter_count(t->network);
    const uint64_t weights = hash_bytes(hash_start, pp_network_parameters(t->network), count * sizeof(float));
    const double loss = pp_run_loss(t->run);
    uint64_t rest = hash_bytes(hash_start, &loss, sizeof loss);
    for (int32_t r = 0; r < t->schedule->ranks; r++) {
        const int32_t peak = pp_run_peak(t->run, r);
        rest = hash_bytes(rest, &peak, sizeof peak);
    }
    printf("%s %016llx %016llx\n", pp_status_name(status), (unsigned long long)weights, (unsigned long long)rest);
}

static void answer(const char *request, int train, int fused) {
    toy t;
    const int32_t status = train ? toy_build(&t, request, NULL) : toy_simulate(&t, request, NULL);
    if (status == PP_OK && fused)
        pp_network_products(t.network, fused_matmul_forward, fused_matmul_backward_input, fused_matmul_backward_weight,
                            fused_matmul_begin_weight);
    if (status != PP_OK)
        printf("%s\n", pp_status_name(status));
    else if (train)
        print_training(&t);
    else
        print_times(&t);
    toy_drop(&t);
}

int main(int argc, char **argv) {
    static char request[65536];
    char line[4096];
    const int fused = argc > 1 && strcmp(argv[1], "fused") == 0;
    const int train = fused || (argc > 1 && strcmp(argv[1], "train") == 0);
    size_t used = 0;
    for (;;) {
        const int more = fgets(line, sizeof line, stdin) != NULL;
        const size_t length = more ? strlen(line) : 0;
        if (more && line[0] != '\n' && line[0] != '\r') {
            if (used + length + 1 > sizeof request) return fputs("request too long\n", stderr), 2;
            memcpy(request + used, line, length);
            used += length;
            continue;
        }
        request[used] = 0;
        if (used > 0) answer(request, train, fused);
        used = 0;
        if (!more) return 0;
    }
}
