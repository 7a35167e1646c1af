/* The end of a step: worked times of reductions and optimizers, with and without waiting for all. */
#include "study.h"

static void end_is(const char *text, double finish, const double (*want)[4]) {
    plan p;
    pp_end_rank ranks[8];
    plan_expect(&p, text, PP_OK);
    pp_end end = plan_end(&p, text, ranks);
    CHECK_EQ_DOUBLE(end.makespan, p.summary.makespan);
    CHECK_MSG(end.finish == finish, "%s: %g, wanted %g", text, end.finish, finish);
    CHECK_EQ_DOUBLE(end.exposed, end.finish - end.makespan);
    for (int32_t r = 0; want != NULL && r < p.schedule->ranks; r++) {
        const double got[] = {ranks[r].reduce_start, ranks[r].reduce_finish, ranks[r].optimizer_start,
                              ranks[r].optimizer_finish};
        for (int i = 0; i < 4; i++)
            CHECK_MSG(got[i] == want[r][i], "%s: rank %d, time %d is %g, wanted %g", text, r, i, got[i], want[r][i]);
    }
    plan_free(&p);
}

int main(void) {
    /* 1F1B p=2 m=2: rank 0 ends at 9, rank 1 at 7 */
    static const double plain[][4] = {{9, 9, 9, 9}, {7, 7, 7, 7}}, reduce[][4] = {{9, 13, 13, 13}, {7, 11, 11, 11}},
                        both[][4] = {{9, 13, 13, 14}, {7, 11, 11, 16}}, norm[][4] = {{9, 13, 13, 14}, {7, 11, 13, 18}};
    end_is("s=1f1b\np=2\nm=2", 9, plain);
    end_is("s=1f1b\np=2\nm=2\nreduce=4", 13, reduce);
    end_is("s=1f1b\np=2\nm=2\nreduce=4\nreduce-when=behind", 13, reduce);
    end_is("s=1f1b\np=2\nm=2\nreduce=4\noptimizer=1 5", 16, both);
    end_is("s=1f1b\np=2\nm=2\nreduce=4\noptimizer=1 5\noptimizer-waits=all", 18, norm);
    end_is("s=1f1b\np=2\nm=2\noptimizer-waits=all\noptimizer=1", 10, NULL);
    /* two chunks: the later stage of a rank is whole first and is reduced beside the backwards of the earlier one: 2B1 ends
     * at 11 and 0B1 at 15 on rank 0, 3B1 at 9 and 1B1 at 13 on rank 1 */
    static const double beside[][4] = {{11, 18, 18, 18}, {9, 16, 16, 16}},
                        behind[][4] = {{15, 21, 21, 21}, {13, 19, 19, 19}},
                        long_one[][4] = {{11, 21, 21, 21}, {9, 16, 16, 16}};
    end_is("s=interleaved\np=2\nv=2\nm=2\nreduce=3", 18, beside);
    end_is("s=interleaved\np=2\nv=2\nm=2\nreduce=3\nreduce-when=behind", 21, behind);
    end_is("s=interleaved\np=2\nv=2\nm=2\nreduce=3 3 7 3", 21, long_one); /* the second waits for the first */
    /* a forward pass has no gradients */
    static const double forward[][4] = {{4, 4, 4, 4}, {5, 5, 5, 5}, {6, 6, 6, 6}};
    end_is("reduce=4\noptimizer=3\noptimizer-waits=own", 6, forward);
    plan p;
    plan_expect(&p, "s=1f1b\np=2\nreduce=1 2 3", PP_ERR_LIST_LENGTH);
    plan_free(&p);
    plan_expect(&p, "s=1f1b\np=2\noptimizer-waits=none", PP_ERR_NAME_UNKNOWN);
    plan_free(&p);
    return check_report("end");
}
