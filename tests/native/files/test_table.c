/* Files in and out: PyTorch's table, our CSV and JSON, lowering, and the times of lowered tables. */
#include <stdio.h>

#include "check.h"
#include "files.h"

static int32_t read_with(filed *f, const char *text, const char *request, int32_t receive) {
    return filed_make(f, text, (int32_t)strlen(text), PP_LETTERS_TODAY, request, receive);
}

static int32_t read_text(filed *f, const char *text) { return read_with(f, text, "", PP_RECEIVE_POST); }

static void message_is_clean(const pp_fault *fault) {
    char message[600];
    for (int32_t lang = 0; lang < 2; lang++) {
        CHECK(pp_fault_message(fault, lang, message, sizeof message) > 10);
        CHECK_MSG(strchr(message, '%') == NULL && strstr(message, " -1") == NULL, "%s", message);
    }
}

/* Read and written again. */
static void same(const char *text, const char *want) {
    filed f;
    CHECK_EQ_INT(read_text(&f, text), PP_OK);
    char *out = table_text(f.table, &f.plan, 0, PP_LETTERS_TODAY, NULL);
    CHECK_EQ_TEXT(out, want);
    free(out);
    filed_free(&f);
}

static void round_trips(void) {
    /* CSV-01: same cells, same empties */
    const char *cells = "0F0,0F1,,0B0,,0B1\n,1F0,1B0,1F1,1B1\n";
    same(cells, cells);
    same("0F0,0F1,,0B0,,0B1\n,1F0,1B0,1F1,1B1", cells);
    same("0F0 ,\t0F1, ,0B0,  ,0B1\r\n,1F0,1B0 ,1F1,1B1 \r\n", cells);
    same("\xEF\xBB\xBF\"0F0\",0F1,\"\",0B0,,0B1\n,1F0,1B0,01F1,1B001\n\n  \r\n", cells);
    same("0F0,,,\n,1F0,\n", "0F0,,,\n,1F0,\n"); /* a forward pass, blanks at the end kept */
    same("0F0,( 0F1 ; 0B0 )OVERLAP_F_B ,0B1", "0F0,(0F1;0B0)OVERLAP_F_B,0B1\n");
    same("0F0\n\n1F0\n", "0F0\n\n1F0\n"); /* a rank without actions */
}

/* The same cells with the letters of before 2.6. */
static void old_letters(void) {
    filed f;
    const char *old = "0F0,0B0,0W0,0F1,0BW1\n", *today = "0F0,0I0,0W0,0F1,0B1\n";
    CHECK_EQ_INT(filed_make(&f, old, (int32_t)strlen(old), PP_LETTERS_OLD, "", 0), PP_OK);
    char *out = table_text(f.table, &f.plan, 0, PP_LETTERS_TODAY, NULL);
    CHECK_EQ_TEXT(out, today);
    free(out);
    out = table_text(f.table, &f.plan, 0, PP_LETTERS_OLD, NULL);
    CHECK_EQ_TEXT(out, old);
    free(out);
    filed_free(&f);
    CHECK_EQ_INT(read_text(&f, old), PP_ERR_SYNTAX);
    CHECK_EQ_INT(f.plan.fault.fix_option, PP_FILE_LETTERS);
    message_is_clean(&f.plan.fault);
    filed_free(&f);
}

static void fault(const char *text, int32_t status, int32_t row, int32_t column) {
    filed f;
    int32_t got = read_text(&f, text);
    CHECK_MSG(got == status, "\"%s\": %s, wanted %s", text, pp_status_name(got), pp_status_name(status));
    CHECK_MSG(f.plan.fault.rank == row && f.plan.fault.column == column, "\"%s\": row %d, column %d", text,
              f.plan.fault.rank, f.plan.fault.column);
    message_is_clean(&f.plan.fault);
    filed_free(&f);
}

static void faults(void) {
    fault("0F0,0X0\n", PP_ERR_SYNTAX, 0, 1);
    fault("0F0,,0F\n", PP_ERR_SYNTAX, 0, 2);
    fault("0F0\n1F0,,1F0x\n", PP_ERR_SYNTAX, 1, 2);
    fault("0F0,F0\n", PP_ERR_SYNTAX, 0, 1);
    fault("0f0\n", PP_ERR_SYNTAX, 0, 0);
    fault("hello\n", PP_ERR_SYNTAX, 0, 0);
    fault("0UNSHARD3\n", PP_ERR_SYNTAX, 0, 0);
    fault("0F0,0R0,0B0\n", PP_ERR_SYNTAX, 0, 1);
    fault("0F0,(0F1;0B0)\n", PP_ERR_SYNTAX, 0, 1);
    fault("0F0,(0F1;0B0)OVERLAP_B_F\n", PP_ERR_SYNTAX, 0, 1);
    fault("0F0,(0F1,0B0)OVERLAP_F_B\n", PP_ERR_SYNTAX, 0, 1);
    fault("0F0,(0F1;0F2)OVERLAP_F_B\n", PP_ERR_CELL_GROUP, 0, 1);
    fault("0F0,(0F1)OVERLAP_F_B\n", PP_ERR_CELL_GROUP, 0, 1);
    fault("0F0,(0F1;0B0;0F2)OVERLAP_F_B\n", PP_ERR_CELL_GROUP, 0, 1);
    fault("", PP_ERR_EMPTY, -1, -1);
    fault("\n\n", PP_ERR_EMPTY, -1, -1);
    fault(",,\n,\n", PP_ERR_EMPTY, -1, -1);
    fault("0F0,0F1048576\n", PP_ERR_TOO_LARGE, 0, 1);
    fault("16384F0\n", PP_ERR_TOO_LARGE, 0, 0);
    fault("99999999999999999999F0\n", PP_ERR_TOO_LARGE, 0, 0);
    fault("0F0,0F1,0B0,0B1\n,1F0,1B0,1F1,1B3\n", PP_ERR_STAGE_UNKNOWN, 1, 4);
    fault("0F0,0F1,0B0,0B1\n,1F0,1B0,1F1,2B1\n", PP_ERR_STAGE_UNKNOWN, 1, 4);
    fault("0F0,0F1,0B0,0B1\n,1F0,1B0,1F1,0B1\n", PP_ERR_STAGE_TWO_RANKS, 1, 4);
    fault("0F0,,0F1,0F1,0B0,0B1\n,1F0,1B0,1F1,1B1\n", PP_ERR_DUPLICATE, 0, 3);
    fault("0F0,,0F1,0B0,0I0,0B1\n,1F0,1B0,1F1,1B1\n", PP_ERR_SPLIT_MIX, 0, 4);
    fault("0F0,0F1,0W0,0I0,0B1\n,1F0,1B0,1F1,1B1\n", PP_ERR_ORDER, 0, 2);
    fault("0F0,0F1,0B0\n,1F0,1B0,1F1,1B1\n", PP_ERR_MISSING, 0, -1);
    /* what the highest numbers promise, found missing without memory for the promise */
    fault("16383F1048575\n", PP_ERR_MISSING, -1, -1);
    fault("0F0,0F1048575\n", PP_ERR_MISSING, 0, -1);
    fault("0F0,2F0\n", PP_ERR_MISSING, -1, -1);
    /* a group's half may not need the other */
    fault("0F0,(0F1;0B0)OVERLAP_F_B,0B1\n1F0,1F1,1B0,(1B1;1F2)OVERLAP_F_B,1B2\n", PP_ERR_MISSING, 0, -1);
}

/* CSV-04: placement is read from the file, and a stage lies on one rank. */
static void placement(void) {
    filed f;
    CHECK_EQ_INT(read_text(&f, "0F0,,,3F0,3B0,,,0B0\n,1F0,2F0,,,2B0,1B0\n"), PP_OK);
    CHECK_EQ_INT(f.plan.schedule->placement, PP_PLACE_FREE);
    static const int32_t want[] = {0, 1, 1, 0};
    CHECK(memcmp(f.plan.schedule->stage_rank, want, sizeof want) == 0);
    CHECK_EQ_INT(f.plan.config.chunks, 2);
    filed_free(&f);
    fault("0F0,,,3F0,3B0,,,\n,1F0,2F0,,,2B0,1B0,0B0\n", PP_ERR_STAGE_TWO_RANKS, 1, 7);
}

/* SCH-25 and SIM-06: who waits for whom, and where these cells are. */
static void deadlocks(void) {
    filed f;
    CHECK_EQ_INT(read_text(&f, "0F0,0B0,,0F1,0B1\n1F1,1B1,1F0,1B0\n"), PP_ERR_DEADLOCK);
    CHECK_EQ_INT(f.plan.fault.rank, 0);
    CHECK_EQ_INT(f.plan.fault.column, 1);
    CHECK_EQ_INT(f.plan.fault.wait_rank, 1);
    CHECK_EQ_INT(f.plan.fault.wait_column, 3);
    CHECK_EQ_INT(f.plan.fault.cycle, 2);
    message_is_clean(&f.plan.fault);
    filed_free(&f);
}

/* Read as a grid of steps, a cell that stands before what it needs; as an order, fine. */
static void early(void) {
    filed f;
    pp_fault note;
    CHECK_EQ_INT(read_text(&f, "0F0,0F1,0B1,,0B0\n,1F0,1F1,1B1,1B0\n"), PP_OK);
    pp_check(f.plan.schedule, f.plan.timeline, pp_timeline_bytes(f.plan.schedule), NULL, NULL);
    CHECK_EQ_INT(pp_table_early(f.table, f.plan.schedule, f.plan.timeline, &note), 1);
    CHECK_EQ_INT(note.code, PP_NOTE_EARLY);
    CHECK_EQ_INT(note.column, 2);
    CHECK_EQ_INT(note.wait_column, 3);
    message_is_clean(&note);
    filed_free(&f);
    CHECK_EQ_INT(read_text(&f, "0F0,0F1,,,0B1,0B0\n,1F0,1F1,1B1,1B0\n"), PP_OK);
    pp_check(f.plan.schedule, f.plan.timeline, pp_timeline_bytes(f.plan.schedule), NULL, NULL);
    CHECK_EQ_INT(pp_table_early(f.table, f.plan.schedule, f.plan.timeline, &note), 0);
    filed_free(&f);
}

/* The passes one by one: test vectors of PyTorch's own tests of them. */
static void lower(const char *text, int32_t letters, int32_t passes, const char *want, int32_t steps) {
    filed f;
    CHECK_EQ_INT(filed_make(&f, text, (int32_t)strlen(text), letters, "", 0), PP_OK);
    char *out = table_text(f.table, &f.plan, passes, letters, NULL);
    CHECK_EQ_TEXT(out, want);
    filed_free(&f);
    if (steps > 0) {
        CHECK_EQ_INT(filed_make(&f, out, (int32_t)strlen(out), letters, "", 0), PP_OK);
        CHECK_EQ_INT(pp_table_steps(f.table, f.plan.schedule, f.scratch), steps);
        filed_free(&f);
    }
    free(out);
}

static void passes(void) {
    const char *one = "0F0,0F1,   ,0B0,0B1\n", *two = "0F0,0F1,1F0,1F1,1B0,1B1,0B0,0B1\n";
    lower(one, 0, PP_LOWER_SHARD, "0UNSHARD,0F0,0F1,0B0,0B1,0RESHARD\n", 0);
    lower(two, 0, PP_LOWER_SHARD, "0UNSHARD,1UNSHARD,0F0,0F1,1F0,1F1,1B0,1B1,1RESHARD,0B0,0B1,0RESHARD\n", 0);
    lower(one, 0, PP_LOWER_REDUCE, "0F0,0F1,0B0,0B1,0REDUCE_GRAD\n", 0);
    lower(two, 0, PP_LOWER_REDUCE, "0F0,0F1,1F0,1F1,1B0,1B1,1REDUCE_GRAD,0B0,0B1,0REDUCE_GRAD\n", 0);
    lower("0F0,0F1,0F2,0I0,0I1,0W0,0I2,0W2,0W1\n", 0, PP_LOWER_MERGE, "0F0,0F1,0F2,0I0,0I1,0W0,0B2,0W1\n", 0);
    lower("0F0,0F1,   ,0B0,   ,0B1\n   ,1F0,1B0,1F1,1B1,   \n", 0, PP_LOWER_TRANSFER,
          "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
          "1RECV_F0,1RECV_F1,1F0,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n",
          11);
    lower("0F0,0F1,   ,3F0,3B0,3F1,3B1,0B0,3W0,0B1,3W1,0W0,0W1\n"
          "   ,1F0,2F0,1F1,2F1,2B0,1B0,2B1,1B1,2W0,2W1,1W0,1W1\n",
          PP_LETTERS_OLD, PP_LOWER_TRANSFER,
          "0F0,0SEND_F0,0F1,0SEND_F1,3RECV_F0,3F0,3B0,3SEND_B0,3RECV_F1,3F1,3B1,3SEND_B1,0RECV_B0,0B0,3W0,0RECV_B1,"
          "0B1,3W1,0W0,0W1\n"
          "1RECV_F0,1RECV_F1,1F0,2F0,2SEND_F0,1F1,2RECV_B0,2F1,2SEND_F1,2B0,2RECV_B1,1B0,1SEND_B0,2B1,1B1,1SEND_B1,"
          "2W0,2W1,1W0,1W1\n",
          24);
    /* a group sends what both halves made; a rank holds its stages' weights while it needs them */
    lower("0F0,0F1,(0F2;0B0)OVERLAP_F_B,0B1,0B2\n1F0,1B0,1F1,1B1,1F2,1B2\n", 0,
          PP_LOWER_COMPUTE | PP_LOWER_SHARD | PP_LOWER_REDUCE | PP_LOWER_TRANSFER,
          "0UNSHARD,0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,(0F2;0B0)OVERLAP_F_B,0SEND_F2,0RECV_B1,0B1,0RECV_B2,0B2,"
          "0REDUCE_GRAD,0RESHARD\n"
          "1UNSHARD,1RECV_F0,1F0,1RECV_F1,1B0,1SEND_B0,1RECV_F2,1F1,1B1,1SEND_B1,1F2,1B2,1SEND_B2,1REDUCE_GRAD,"
          "1RESHARD\n",
          0);
}

static double makespan_of(const char *text, const char *request, int32_t receive) {
    filed f;
    int32_t status = read_with(&f, text, request, receive);
    CHECK_MSG(status == PP_OK, "%s", pp_status_name(status));
    double makespan = status == PP_OK ? f.plan.summary.makespan : -1;
    filed_free(&f);
    return makespan;
}

static char *lowered_text(const char *request) {
    plan p;
    CHECK_EQ_INT(plan_make(&p, request), PP_OK);
    char *out = table_text(NULL, &p, PP_LOWER_COMPUTE | PP_LOWER_TRANSFER, PP_LETTERS_TODAY, NULL);
    plan_free(&p);
    return out;
}

/* What a receive that stands where it is written costs: CSV-06, pitfalls of lowered 1F1B. */
static void receives(void) {
    const char *rank1 = "1RECV_F0,1F0,1SEND_F0,1RECV_F1,1F1,1SEND_F1,3RECV_F0,3F0,3RECV_F1,3F1\n";
    char before[300], after[300];
    snprintf(before, sizeof before, "0F0,0SEND_F0,2RECV_F0,0F1,0SEND_F1,2RECV_F1,2F0,2SEND_F0,2F1,2SEND_F1\n%s", rank1);
    snprintf(after, sizeof after, "0F0,0SEND_F0,0F1,0SEND_F1,2RECV_F0,2F0,2SEND_F0,2RECV_F1,2F1,2SEND_F1\n%s", rank1);
    CHECK_EQ_DOUBLE(makespan_of(before, "", PP_RECEIVE_WAIT), 7);
    CHECK_EQ_DOUBLE(makespan_of(after, "", PP_RECEIVE_WAIT), 5);
    CHECK_EQ_DOUBLE(makespan_of(before, "", PP_RECEIVE_POST), 5);
    CHECK_EQ_DOUBLE(makespan_of(after, "", PP_RECEIVE_POST), 5);
    /* the first is what lowering makes of that order */
    filed f;
    CHECK_EQ_INT(read_text(&f, "0F0,0F1,2F0,2F1\n1F0,1F1,3F0,3F1\n"), PP_OK);
    char *out = table_text(f.table, &f.plan, PP_LOWER_TRANSFER, 0, NULL);
    CHECK_EQ_TEXT(out, before);
    free(out);
    filed_free(&f);

    char *small = lowered_text("schedule=1f1b\nranks=2\nmicrobatches=3");
    char *large = lowered_text("schedule=1f1b\nranks=4\nmicrobatches=8");
    CHECK_EQ_DOUBLE(makespan_of(small, "", PP_RECEIVE_POST), 12);
    CHECK_EQ_DOUBLE(makespan_of(small, "", PP_RECEIVE_WAIT), 14);
    CHECK_EQ_DOUBLE(makespan_of(large, "", PP_RECEIVE_POST), 33);
    CHECK_EQ_DOUBLE(makespan_of(large, "", PP_RECEIVE_WAIT), 45);
    CHECK_EQ_DOUBLE(makespan_of(large, "latency=0.5", PP_RECEIVE_POST), 41);
    free(small);
    free(large);

    /* compute, send, receive in program order: buffered sends run, blocking ones wait for each other */
    const char *program = "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0F2,0SEND_F2,0RECV_B1,0B1,0RECV_B2,0B2\n"
                          "1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1,1RECV_F2,1F2,1B2,1SEND_B2\n";
    CHECK_EQ_DOUBLE(makespan_of(program, "latency=0.5", PP_RECEIVE_WAIT), 14);
    CHECK_EQ_INT(read_with(&f, program, "latency=0.5\ntransfer=rendezvous", PP_RECEIVE_POST), PP_ERR_DEADLOCK);
    CHECK_EQ_INT(f.plan.fault.op, PP_SEND_F);
    CHECK_EQ_INT(f.plan.fault.microbatch, 1);
    CHECK_EQ_INT(f.plan.fault.column, 3);
    CHECK_EQ_INT(f.plan.fault.wait_op, PP_RECV_F);
    CHECK_EQ_INT(f.plan.fault.wait_column, 4);
    CHECK_EQ_INT(f.plan.fault.cycle, 2);
    CHECK_EQ_INT(f.plan.blocked[1], f.table->row_begin[1] + 3);
    message_is_clean(&f.plan.fault);
    filed_free(&f);
}

static void transfer_faults(void) {
    fault("0F0,0SEND_F0\n1RECV_F0,1F0,1RECV_F0\n", PP_ERR_DUPLICATE, 1, 2);
    fault("0F0\n1RECV_F0,1F0\n", PP_ERR_MISSING, 0, -1);
    fault("0F0,0SEND_F0\n1F0\n", PP_ERR_MISSING, 1, -1);
    fault("0SEND_F0,0F0\n1RECV_F0,1F0\n", PP_ERR_ORDER, 0, 0);
    fault("0F0,0SEND_F0\n1F0,1RECV_F0\n", PP_ERR_ORDER, 1, 0);
    fault("0F0,0SEND_F0\n1RECV_F0,1F0,1SEND_F0\n", PP_ERR_TRANSFER, 1, 2);
    fault("0F0,0SEND_F0,0RECV_F0\n1RECV_F0,1F0\n", PP_ERR_TRANSFER, 0, 2);
    fault("0F0,0SEND_F0,0RECV_B0\n1RECV_F0,1F0\n", PP_ERR_TRANSFER, 0, 2);
    fault("0F0,0SEND_F7\n1RECV_F0,1F0\n", PP_ERR_STAGE_UNKNOWN, 0, 1);
    fault("0F0,9UNSHARD,0SEND_F0\n1RECV_F0,1F0\n", PP_ERR_STAGE_UNKNOWN, 0, 1);
    fault("0F0,1UNSHARD,0SEND_F0\n1RECV_F0,1F0\n", PP_ERR_STAGE_TWO_RANKS, 0, 1);
}

static void records(void) {
    filed f;
    /* any order of columns and rows, other columns passed over */
    CHECK_EQ_INT(read_text(&f, "rank,op,stage,micro_batch,note,start,finish\r\n1,B,1,0,x,2,3\r\n0,F,0,0,,0,1\r\n"
                               "1,\"F\",1,0,,1,2\r\n0,B,0,0,,3,4\r\n"),
                 PP_OK);
    CHECK_EQ_INT(f.plan.schedule->action_count, 4);
    CHECK_EQ_INT(f.plan.schedule->actions[1].op, PP_B);
    CHECK_EQ_DOUBLE(f.plan.summary.makespan, 6);
    /* SIM-37: as measured */
    pp_table_measured(f.table, f.plan.schedule, f.plan.timeline);
    CHECK_EQ_INT(pp_table_report(f.table, &f.plan.summary, f.plan.ranks, NULL), PP_OK);
    CHECK_EQ_DOUBLE(f.plan.summary.makespan, 4);
    CHECK_EQ_DOUBLE(f.plan.summary.busy, 4);
    CHECK_EQ_DOUBLE(f.plan.summary.bubble_fraction_numerator, 1);
    CHECK_EQ_DOUBLE(f.plan.summary.bubble_fraction_denominator, 2);
    filed_free(&f);

    /* intervals of whatever ran */
    pp_summary summary;
    pp_rank_report ranks[2];
    CHECK_EQ_INT(read_text(&f, "device,start,end\n0,100,101\n0,103,104\n1,101,102\n1,102,103\n"), PP_ERR_RECORD);
    message_is_clean(&f.plan.fault);
    CHECK_EQ_INT(pp_table_report(f.table, &summary, ranks, NULL), PP_OK);
    CHECK_EQ_DOUBLE(summary.makespan, 4);
    CHECK_EQ_DOUBLE(summary.busy, 4);
    CHECK_EQ_DOUBLE(summary.span, 4);
    CHECK_EQ_DOUBLE(ranks[1].first, 1);
    CHECK_EQ_DOUBLE(ranks[1].idle, 2);
    filed_free(&f);
    CHECK_EQ_INT(read_text(&f, "device,start,end\n0,0,2\n0,1,3\n"), PP_ERR_RECORD);
    CHECK_EQ_INT(pp_table_report(f.table, &summary, ranks, &f.plan.fault), PP_ERR_RECORD);
    CHECK_EQ_INT(f.plan.fault.index, 1);
    message_is_clean(&f.plan.fault);
    filed_free(&f);

    /* JSON, with what we do not know passed over; a slot of two; two directions; slices */
    CHECK_EQ_INT(read_text(&f, "{\"schedule\":\"x\",\"a\":[1,{\"b\":null},[]],\"actions\":["
                               "{\"rank\":0,\"index\":0,\"op\":\"F\",\"stage\":0,\"microbatch\":0},"
                               "{\"rank\":0,\"index\":1,\"op\":\"F\",\"stage\":0,\"microbatch\":1,\"extra\":{}},"
                               "{\"rank\":0,\"index\":1,\"op\":\"B\",\"stage\":0,\"microbatch\":0},"
                               "{\"rank\":0,\"index\":2,\"op\":\"B\",\"stage\":0,\"microbatch\":1}],\"z\":1e3}"),
                 PP_OK);
    CHECK_EQ_INT(f.plan.schedule->actions[1].fused, 1);
    CHECK_EQ_DOUBLE(f.plan.summary.makespan, 6);
    filed_free(&f);
    CHECK_EQ_INT(read_text(&f, "device,index,op,stage,microbatch\n0,0,F,0,0\n1,1,F,1,0\n1,0,F,0,1\n0,1,F,1,1\n"),
                 PP_OK);
    CHECK_EQ_INT(f.plan.schedule->pipes, 2);
    CHECK_EQ_DOUBLE(f.plan.summary.makespan, 2);
    filed_free(&f);
    CHECK_EQ_INT(
        read_text(&f, "device,index,op,stage,microbatch,seq\n0,0,F,0,0,0\n0,1,F,0,0,1\n0,2,F,0,1,0\n0,3,F,0,1,1\n"),
        PP_OK);
    CHECK_EQ_INT(f.plan.schedule->slices, 2);
    CHECK_EQ_INT(f.plan.schedule->microbatches, 2);
    filed_free(&f);
}

static void record_faults(void) {
    fault("device,op,stage,microbatch\n0,F,0,0\nx,F,0,1\n", PP_ERR_RECORD, 2, 0);
    fault("device,op,stage,microbatch\n0,F,0,0\n4096,F,0,1\n", PP_ERR_RECORD, 2, 0);
    fault("device,op,stage,microbatch\n0,F,0,0\n0,F,0,-2\n", PP_ERR_RECORD, 2, 3);
    fault("device,op,stage,microbatch\n0,F,0,0\n0,G,0,1\n", PP_ERR_RECORD, 2, 1);
    fault("device,op,stage,microbatch\n0,F,0,0\n0,F,0.5,1\n", PP_ERR_RECORD, 2, 2);
    fault("device,op,stage,microbatch\n0,F,0,0\n0,F,0\n", PP_ERR_RECORD, 2, 0);
    fault("device,op,stage\n0,F,0\n", PP_ERR_RECORD, 1, 0);
    fault("device,op,stage,microbatch,start,end\n0,F,0,0,1,0\n", PP_ERR_RECORD, 1, 0);
    fault("device,op,stage,microbatch,start,end\n0,F,0,0,nan,0\n", PP_ERR_RECORD, 1, 4);
    fault("device,op,stage,microbatch\n1,F,0,0\n", PP_ERR_RECORD, 1, 0);
    fault("device,index,op,stage,microbatch\n0,0,F,0,0\n0,0,F,0,1\n", PP_ERR_RECORD, 2, 0);
    fault("device,index,op,stage,microbatch\n", PP_ERR_EMPTY, -1, -1);
    fault("{\n \"actions\": [{\"rank\": 0, \"op\": }]}", PP_ERR_RECORD, 1, 31);
    fault("{\"actions\":[]}", PP_ERR_EMPTY, -1, -1);
    fault("[{\"rank\":0},", PP_ERR_RECORD, 0, 12);
    fault("[1]", PP_ERR_RECORD, 0, 1);
    fault("{\"actions\":[]}x", PP_ERR_RECORD, 0, 14);
}

/* ---- every schedule of the table ---- */

/* UNSHARD and RESHARD by the book: before each slot look ahead until three stages have been seen; what is held and not
 * among them goes, what is among them and not held comes. */
static char *shards_by_the_book(const pp_schedule *s) {
    size_t used = 0;
    char *out = malloc((size_t)s->action_count * 100 + (size_t)s->ranks * 200 + 1);
    uint8_t *held = malloc((size_t)s->stages);
    for (int32_t r = 0; r < s->ranks; r++) {
        memset(held, 0, (size_t)s->stages);
        size_t row = used;
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i++) {
            const pp_action *a = &s->actions[i];
            int second = i > s->rank_begin[r] && a[-1].fused;
            int32_t ahead[8], count = 0;
            for (int32_t j = i; !second && j < s->rank_begin[r + 1]; j++) {
                int32_t n = 0;
                while (n < count && ahead[n] != s->actions[j].stage) n++;
                if (n == count) ahead[count++] = s->actions[j].stage;
                if (count >= 3 && !s->actions[j].fused) break;
            }
            for (int32_t stage = 0; stage < s->stages && !second; stage++) {
                int32_t n = 0;
                while (n < count && ahead[n] != stage) n++;
                if (!held[stage] || n < count) continue;
                used += (size_t)sprintf(out + used, "%s%dRESHARD", used > row ? "," : "", stage);
                held[stage] = 0;
            }
            for (int32_t n = 0; n < count; n++) {
                if (held[ahead[n]]) continue;
                used += (size_t)sprintf(out + used, "%s%dUNSHARD", used > row ? "," : "", ahead[n]);
                held[ahead[n]] = 1;
            }
            used += (size_t)sprintf(out + used, "%s%s%d%s%d%s",
                                    second       ? ";"
                                    : used > row ? ","
                                                 : "",
                                    a->fused ? "(" : "", a->stage, pp_op_name(a->op), a->microbatch,
                                    second ? ")OVERLAP_F_B" : "");
        }
        for (int32_t stage = 0; stage < s->stages; stage++)
            if (held[stage]) used += (size_t)sprintf(out + used, ",%dRESHARD", stage);
        used += (size_t)sprintf(out + used, "\n");
    }
    free(held);
    return out;
}

static char *records_text(const plan *p) {
    const pp_schedule *s = p->schedule;
    size_t capacity = (size_t)s->action_count * 160 + 100, used;
    char *out = malloc(capacity);
    used = (size_t)sprintf(out, "device,index,op,stage,microbatch,seq,start,end\n");
    for (int32_t r = 0; r < s->ranks; r++) {
        int32_t slot = 0;
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i++) {
            const pp_action *a = &s->actions[i];
            used += (size_t)sprintf(out + used, "%d,%d,%s,%d,%d,%d,%.17g,%.17g\n", r, slot, pp_op_name(a->op), a->stage,
                                    a->microbatch / s->slices, a->microbatch % s->slices, p->timeline->start[i],
                                    p->timeline->finish[i]);
            slot += !a->fused;
        }
    }
    return out;
}

static void same_steps(const plan *a, const plan *b, const char *what) {
    const pp_schedule *s = a->schedule, *t = b->schedule;
    CHECK_MSG(s->action_count == t->action_count && s->ranks == t->ranks && s->stages == t->stages &&
                  s->microbatches == t->microbatches && s->slices == t->slices && s->pipes >= t->pipes &&
                  s->trains == t->trains,
              "%s", what);
    if (s->action_count != t->action_count) return;
    CHECK_MSG(memcmp(s->actions, t->actions, sizeof(pp_action) * (size_t)s->action_count) == 0, "%s", what);
    CHECK_MSG(memcmp(s->rank_begin, t->rank_begin, sizeof(int32_t) * ((size_t)s->ranks + 1)) == 0, "%s", what);
    size_t times = sizeof(double) * (size_t)s->action_count;
    CHECK_MSG(memcmp(a->timeline->start, b->timeline->start, times) == 0, "%s", what);
    CHECK_MSG(memcmp(a->timeline->finish, b->timeline->finish, times) == 0, "%s", what);
    pp_summary x = a->summary,
               y = b->summary; /* a file has no closed form, and knows no pipe that nothing goes through */
    x.formula = x.formula_holds = y.formula = y.formula_holds = 0;
    /* .. nor what is known of an order that was found by trying */
    if (s->pipes > t->pipes || s->bound > 0) x.lower_bound = y.lower_bound;
    CHECK_MSG(memcmp(&x, &y, sizeof x) == 0, "%s", what);
}

static long expressed, refused;

static void one_schedule(const char *request, const char *costs) {
    char text[400];
    plan p;
    filed f;
    pp_fault why;
    snprintf(text, sizeof text, "%s\n%s", request, costs);
    if (plan_make(&p, text) != PP_OK) {
        plan_free(&p);
        return;
    }
    char recompute[100] = "";
    if (p.schedule->recompute != PP_RECOMPUTE_NONE)
        snprintf(recompute, sizeof recompute, "\nrecompute=%s",
                 pp_option_choice(PP_OPT_RECOMPUTE, p.schedule->recompute));
    char with[400];
    snprintf(with, sizeof with, "%s%s", costs, recompute);
    char *records = records_text(&p);
    CHECK_EQ_INT(read_with(&f, records, with, 0), PP_OK);
    same_steps(&p, &f.plan, text);
    pp_table_measured(f.table, f.plan.schedule, f.plan.timeline);
    same_steps(&p, &f.plan, text);
    filed_free(&f);
    free(records);

    char *table = table_text(NULL, &p, 0, PP_LETTERS_TODAY, &why);
    if (table == NULL) {
        CHECK_EQ_INT(why.code, PP_ERR_INEXPRESSIBLE);
        message_is_clean(&why);
        refused++;
    } else {
        CHECK_EQ_INT(read_with(&f, table, costs, 0), PP_OK);
        same_steps(&p, &f.plan, text);
        CHECK_MSG(pp_table_early(f.table, f.plan.schedule, f.plan.timeline, NULL) == 0, "%s", text);
        filed_free(&f);
        free(table);
        char *book = shards_by_the_book(p.schedule);
        char *shards = table_text(NULL, &p, PP_LOWER_SHARD, PP_LETTERS_TODAY, NULL);
        CHECK_MSG(strcmp(book, shards) == 0, "%s\n%s\n%s", text, book, shards);
        free(book);
        free(shards);
        static const int32_t chains[] = {PP_LOWER_TRANSFER, PP_LOWER_COMPUTE | PP_LOWER_TRANSFER,
                                         PP_LOWER_COMPUTE | PP_LOWER_SHARD | PP_LOWER_REDUCE | PP_LOWER_TRANSFER};
        for (int n = 0; n < 3; n++) {
            char *lowered = table_text(NULL, &p, chains[n], PP_LETTERS_TODAY, NULL);
            CHECK_EQ_INT(read_with(&f, lowered, costs, 0), PP_OK);
            same_steps(&p, &f.plan, text);
            CHECK(p.schedule->ranks == 1 || pp_table_steps(f.table, f.plan.schedule, f.scratch) > 0);
            filed_free(&f);
            free(lowered);
        }
        expressed++;
    }
    plan_free(&p);
}

static void all_schedules(void) {
    static const char *const costs[] = {"", "forward=0.1\nbackward=0.3\nlatency=0.7", "latency=1\nforward=3"};
    char request[200];
    for (int32_t id = 0; id < pp_schedule_count(); id++) {
        int before = (int)(expressed + refused);
        for (int32_t p = 1; p <= 8; p += p < 4 ? 1 : 2) {
            for (int32_t m = 1; m <= 24; m += m < 6 ? 1 : 5) {
                for (int32_t v = pp_schedule_chunks_min(id); v <= 4 && v <= pp_schedule_chunks_max(id); v++) {
                    for (int32_t k = 0; k < 3; k++) {
                        snprintf(request, sizeof request, "schedule=%s\nranks=%d\nmicrobatches=%d\nchunks=%d",
                                 pp_schedule_name(id), p, m, v);
                        one_schedule(request, costs[k]);
                    }
                    snprintf(request, sizeof request, "schedule=%s\nranks=%d\nmicrobatches=%d\nchunks=%d\nrecompute=%s",
                             pp_schedule_name(id), p, m, v, m % 2 ? "late" : "early");
                    if (m < 6 && pp_schedule_option_used(id, PP_OPT_RECOMPUTE)) one_schedule(request, "");
                }
            }
        }
        CHECK_MSG(expressed + refused > before, "%s was never made", pp_schedule_name(id));
    }
    CHECK(expressed > 300);
    CHECK(refused > 20);
}

static void shapes(void) {
    filed f;
    const char *text = "0F0,0F1,,0B0,,0B1\n,1F0,1B0,1F1,1B1\n";
    CHECK_EQ_INT(read_with(&f, text, "ranks=2\nmicrobatches=2\nchunks=1\nforward=2 3", 0), PP_OK);
    filed_free(&f);
    CHECK_EQ_INT(read_with(&f, text, "ranks=4", 0), PP_ERR_SHAPE);
    CHECK_EQ_TEXT(f.plan.fault.fix_value, "2");
    message_is_clean(&f.plan.fault);
    filed_free(&f);
    CHECK_EQ_INT(read_with(&f, text, "m=3", 0), PP_ERR_SHAPE);
    filed_free(&f);
    CHECK_EQ_INT(read_with(&f, text, "schedule=gpipe", 0), PP_ERR_OPTION_MEANINGLESS);
    message_is_clean(&f.plan.fault);
    filed_free(&f);
    CHECK_EQ_INT(read_with(&f, text, "recompute=late", 0), PP_ERR_OPTION_MEANINGLESS);
    filed_free(&f);
    CHECK_EQ_INT(read_with(&f, text, "forward=1 2 3", 0), PP_ERR_LIST_LENGTH);
    filed_free(&f);
}

int main(void) {
    round_trips();
    old_letters();
    faults();
    placement();
    deadlocks();
    early();
    passes();
    receives();
    transfer_faults();
    records();
    record_faults();
    shapes();
    all_schedules();
    return check_report("table");
}
