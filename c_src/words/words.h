/* Words: the sentences of a fault, in English and Russian. */
#ifndef PP_ROOM_WORDS_H
#define PP_ROOM_WORDS_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PP_LANG_EN = 0, PP_LANG_RU = 1 };
/* Added to a language: without the names of options that only authors use, and without the nearest legal choice. */
enum { PP_FOR_READERS = 2 };
/* One sentence or two: the option, the value seen, the rule, the nearest legal choice. Writes at most capacity bytes
 * with the closing zero (UTF-8, never cut inside a character) and returns the length the whole text needs. */
PP_EXPORT(pp_fault_message)
int32_t pp_fault_message(const pp_fault *fault, int32_t lang, char *out, int32_t capacity);

#ifdef __cplusplus
}
#endif
#endif
