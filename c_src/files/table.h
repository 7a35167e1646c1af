/* What the readers and writers of files share. */
#ifndef PP_TABLE_H
#define PP_TABLE_H

#include "core/fault.h"
#include "core/text.h"
#include "files/files.h"
#include "schedules/schedule.h"

/* Columns of a table that is written, all ranks together: blanks cost no memory here, but a byte each in the text. */
#define PP_MAX_COLUMNS (INT64_C(1) << 28)

static inline size_t pp_align8(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

static inline int pp_is_action(const pp_action *cell) { return cell->op < PP_OP_COUNT; }

/* Fills fault with a place in a file and the text there. Returns code. */
int32_t pp_refuse_text(int32_t code, int32_t row, int32_t column, pp_text seen, pp_fault *fault);

/* Which rule of a record is broken: fault->a of PP_ERR_RECORD. */
enum {
    PP_RECORD_WHOLE,   /* a whole number from 0 to b */
    PP_RECORD_NUMBER,  /* a finite number */
    PP_RECORD_OP,      /* F, B, I, W or R */
    PP_RECORD_FIELD,   /* a field that others have is missing, its name is seen */
    PP_RECORD_JSON,    /* not JSON */
    PP_RECORD_SLOT,    /* more in one slot than one F beside one B or I */
    PP_RECORD_FINISH,  /* finish before start */
    PP_RECORD_RANK,    /* no record of rank b */
    PP_RECORD_OVERLAP, /* starts before the one before it has finished */
    PP_RECORD_OPS,     /* no ops in the file */
    PP_RECORD_TIMES,   /* no times in the file */
    PP_RECORD_TWICE,   /* a name that stood before */
    PP_RECORD_STEPS    /* of a trace: this action does not stand there b times, as the first one does */
};

/* Why costs cannot be had from a file: fault->a of PP_ERR_PROFILE. */
enum {
    PP_PROFILE_NONE,  /* no costs in it */
    PP_PROFILE_STAGE, /* none for op of stage */
    PP_PROFILE_SHAPE, /* how many ranks and micro-batches there were is not known */
    PP_PROFILE_RANKS, /* b ranks in the dump, no multiple of c */
    PP_PROFILE_LAYER, /* none for op of layer b */
    PP_PROFILE_SIZES, /* sizes of b stages with c layers fit neither the stages nor the layers of the file */
    PP_PROFILE_COST,  /* a time below 0, or none above it */
    PP_PROFILE_COUNT  /* b times of op, where another row has c; each row has one, or one per stage */
};

/* Fills fault with PP_ERR_PROFILE and one of these; returns it. option, b, c: -1 where the reason has no use for them. */
int32_t pp_refuse_profile(int32_t reason, int32_t option, int32_t b, int32_t c, pp_fault *fault);

/* The row of costs that a file calls so, -1 for none. */
int32_t pp_profile_row(pp_text name);

/* Why PyTorch's actions cannot say it: fault->a of PP_ERR_INEXPRESSIBLE. */
enum { PP_TORCH_RECOMPUTE, PP_TORCH_SLICES, PP_TORCH_PIPES, PP_TORCH_VERSIONS };

/* Where the line that begins at `at` ends: at a LF, at a CR that no LF follows (old Macintosh files), or with the text. */
int32_t pp_line_end(pp_text text, int32_t at);
/* What stands between the cells of a CSV with a header: ',' if the first line has one, else ';' or a tab if it has one, as
 * spreadsheets write it where ',' is the decimal sign. */
char pp_separator(pp_text text);

/* A text without its byte-order mark, and what form it has by how it begins. */
pp_text pp_file_text(const char *text, int32_t length);
int32_t pp_file_format(pp_text text);

/* pp_table_parse_bytes and pp_table_parse for our CSV and JSON. */
size_t pp_records_bytes(pp_text text, int32_t format);
int32_t pp_records_parse(pp_text text, int32_t format, void *memory, pp_fault *fault);

/* Room for a table of so many ranks and cells in memory; returns what comes behind it. */
void *pp_table_place(void *memory, int32_t format, int32_t ranks, size_t cells, int timed);
size_t pp_table_room(int32_t ranks, size_t cells, int timed);

/* 1 if the cells from i on are a slot that can be: one action, or an F beside a B or I. */
int pp_slot_legal(const pp_action *cells, int32_t i, int32_t end);

#endif
