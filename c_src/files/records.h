/* Records of actions, as the readers of CSV, JSON and traces fill them before they become a table. */
#ifndef PP_RECORDS_H
#define PP_RECORDS_H

#include "files/json.h"
#include "files/table.h"

enum {
    PP_FIELD_RANK,
    PP_FIELD_INDEX,
    PP_FIELD_OP,
    PP_FIELD_STAGE,
    PP_FIELD_MICROBATCH,
    PP_FIELD_SLICE,
    PP_FIELD_START,
    PP_FIELD_FINISH,
    PP_FIELD_COUNT
};

typedef struct pp_record {
    double start, finish;
    int32_t rank, index, slice, microbatch;
    int32_t row, column; /* where it begins in the text, from 0 */
    uint16_t stage;
    uint8_t op, given; /* given: bits of fields */
} pp_record;

typedef struct pp_records {
    pp_text text; /* the whole file */
    pp_record *records;
    int32_t count;
    pp_fault *fault;
    int32_t line, row; /* rows are counted up to the one that begins here */
    char separator;    /* between cells of CSV */
    int32_t recompute;
    int32_t steps;          /* of a trace: training steps in it, of which the last is taken */
    int32_t *order, *other; /* room for the order of all records, twice */
} pp_records;

/* Notes where a record begins; each call looks further on than the one before. */
void pp_record_locate(pp_records *r, const char *at, pp_record *record);
/* Each fills the fault with PP_ERR_RECORD and a rule (PP_RECORD_...), and returns it: at a place in the text, which of CSV is
 * a cell; of a whole record; of text that is no JSON. */
int32_t pp_record_refuse_at(const pp_records *r, int csv, int32_t rule, int32_t b, pp_text seen);
int32_t pp_record_refuse(const pp_records *r, const pp_record *at, int32_t rule, int32_t b, const char *seen);
int32_t pp_record_refuse_json(const pp_records *r, const pp_json *json);

/* The numbers 0..count-1 in the order that in_order tells (1: a stands before b, or as well), equals as they are. order, other:
 * count numbers each; returns the one of the two that holds the result. */
int32_t *pp_records_sort(int (*in_order)(const void *keys, int32_t a, int32_t b), const void *keys, int32_t count,
                         int32_t *order, int32_t *other);

/* Chrome's trace events (trace.c). pp_is_trace: an array whose first object has a "ph". pp_trace_records: the array of events
 * becomes records of one step. */
int pp_is_trace(pp_json json);
int32_t pp_trace_records(pp_records *r, pp_json *json);

#endif
