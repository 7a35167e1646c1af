/* Times the core natively for npm run bench. Reads requests like dump.c does, blank line between two, and answers each
 * with "actions make check simulate", seconds of the fastest of as many rounds as the first argument says. */
#include <time.h>

#include "plan.h"

#include <stdio.h>

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void keep_least(double *least, double value) {
    if (*least == 0 || value < *least) *least = value;
}

static void answer(const char *text, int rounds) {
    plan p;
    double make = 0, check = 0, simulate = 0;
    if (plan_make(&p, text) != PP_OK) {
        puts("refused");
        plan_free(&p);
        return;
    }
    size_t bytes = pp_schedule_bytes(&p.config), line = pp_timeline_bytes(p.schedule);
    for (int n = 0; n < rounds; n++) {
        double t0 = now();
        pp_schedule_make(&p.config, p.costs, p.schedule, bytes, NULL);
        double t1 = now();
        pp_check(p.schedule, p.timeline, line, NULL, NULL);
        double t2 = now();
        pp_simulate(p.schedule, p.costs, p.config.transfer, p.timeline, NULL);
        keep_least(&make, t1 - t0);
        keep_least(&check, t2 - t1);
        keep_least(&simulate, now() - t2);
    }
    printf("%d %.9f %.9f %.9f\n", p.schedule->action_count, make, check, simulate);
    fflush(stdout);
    plan_free(&p);
}

int main(int argc, char **argv) {
    char text[4096] = "", line[1024];
    int rounds = argc > 1 ? atoi(argv[1]) : 5;
    for (;;) {
        int more = fgets(line, sizeof line, stdin) != NULL;
        if (more && line[0] != '\n' && strlen(text) + strlen(line) < sizeof text) {
            strcat(text, line);
            continue;
        }
        if (text[0] != 0) answer(text, rounds);
        text[0] = 0;
        if (!more) return 0;
    }
}
