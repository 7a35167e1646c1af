/* What faults of files say, in English and Russian. Placeholders as in fault_words.c. */
#include "files/table.h"
#include "words/templates.h"

static const pp_words option_words[] = {
    [PP_FILE_LETTERS - PP_FILE_LETTERS] = {"letters", "обозначения в файле (letters)"},
    [PP_FILE_RECEIVE - PP_FILE_LETTERS] = {"receive", "что делает RECV (receive)"},
    [PP_FILE_TIMES - PP_FILE_LETTERS] = {"times", "откуда времена (times)"},
    [PP_FILE_COMMS - PP_FILE_LETTERS] = {"comms", "что писать о передачах (comms)"},
    [PP_FILE_MERGE - PP_FILE_LETTERS] = {"merge", "слияние I и W (merge)"},
    [PP_FILE_SCALE - PP_FILE_LETTERS] = {"scale", "микросекунд в такте (scale)"},
};

static const pp_words templates[PP_STATUS_COUNT] = {
    [PP_ERR_SYNTAX] = {"%p: %s is not an action; an action is stage, op, micro-batch, such as 2F0.",
                       "%p: %s — не операция; операция пишется как стадия, буква, микробатч, например 2F0."},
    [PP_ERR_CELL_GROUP] = {"%p: %s is not a group; a group is one F and one B that share a slot, such as "
                           "(2F1;3B0)OVERLAP_F_B.",
                           "%p: %s — не группа; в группе одна F и одна B в общем слоте, например "
                           "(2F1;3B0)OVERLAP_F_B."},
    [PP_ERR_RECORD] = {"%p%f.", "%p%f."},
    [PP_ERR_TRANSFER] = {"%p: %x is a transfer that no action needs.", "%p: %x — передача, которая никому не нужна."},
    [PP_ERR_SHAPE] = {"%o = %s: the file has %a.", "%o = %s: в файле %a."},
    [PP_ERR_PROFILE] = {"No costs from this file: %f.", "Длительностей из этого файла не получить: %f."},
    [PP_ERR_INEXPRESSIBLE] = {"PyTorch's table cannot say this: %f.", "В таблице PyTorch этого не записать: %f."},
    [PP_NOTE_STEPS] = {"%a steps stand in this trace; the last one is shown: the first ones warm up.",
                       "В этой трассировке шагов: %a; показан последний, потому что первые — разогрев."},
    [PP_NOTE_EARLY] = {"%p: %x stands no later than %y%u, which it needs%z. The cells are an order, not times: %x is "
                       "run when its input is there.",
                       "%p: %x стоит не позже нужной ей %y%u%z. Клетки задают порядок, а не время: %x начнётся, "
                       "когда придёт её вход."},
};
/* The same status for a file, and for what no rank is known to lack. */
static const pp_words too_large = {
    "%p: %s: more than 33554432 actions, 4096 ranks, 16384 stages or 1048576 micro-batches.",
    "%p: %s — больше 33554432 операций, 4096 устройств, 16384 стадий или 1048576 "
    "микробатчей."};
static const pp_words too_wide = {"The table would have more than %b cells, blanks included.",
                                  "В таблице вышло бы больше %b клеток вместе с пустыми."};
static const pp_words missing_anywhere = {"%x is missing.", "Нет операции %x."};

/* Rules, by fault->a. */
static const pp_words record_rules[] = {
    [PP_RECORD_WHOLE] = {"%s is not a whole number from 0 to %b", "%s — не целое число от 0 до %b"},
    [PP_RECORD_NUMBER] = {"%s is not a number", "%s — не число"},
    [PP_RECORD_OP] = {"%s is not an op; ops are F, B, I, W and R", "%s — не операция; бывают F, B, I, W и R"},
    [PP_RECORD_FIELD] = {"%s is missing", "нет поля %s"},
    [PP_RECORD_JSON] = {"%s is not JSON as it is wanted here", "%s — не тот JSON, который здесь нужен"},
    [PP_RECORD_SLOT] = {"a slot holds one action, or one F and one B or I",
                        "в слоте бывает одна операция либо F вместе с "
                        "B или I"},
    [PP_RECORD_FINISH] = {"it finishes before it starts", "конец раньше начала"},
    [PP_RECORD_RANK] = {"rank %b has no actions", "у устройства %b нет операций"},
    [PP_RECORD_OVERLAP] = {"it starts before the one before it on its rank has finished",
                           "начало раньше, чем кончилась предыдущая операция этого устройства"},
    [PP_RECORD_OPS] = {"The file does not say what ran, only when", "В файле сказано, когда, но не сказано, что"},
    [PP_RECORD_TIMES] = {"The file has no times", "В файле нет времён"},
    [PP_RECORD_TWICE] = {"%s is named a second time; a row of costs is named once",
                         "%s названо второй раз, а называть строку длительностей можно один раз"},
    [PP_RECORD_STEPS] =
        {"this action stands there another number of times than the first one, %b; the trace must begin and "
         "end between two steps",
         "эта операция встречается другое число раз, чем первая (%b); трассировка должна начинаться и "
         "кончаться между шагами"},
};
static const pp_words profile_rules[] = {
    [PP_PROFILE_NONE] = {"it tells none", "в нём их нет"},
    [PP_PROFILE_STAGE] = {"it has no time of %o for stage %b", "в нём нет времени «%o» для стадии %b"},
    [PP_PROFILE_SHAPE] =
        {"a timer dump tells times of a whole step; ranks, microbatches and chunks are needed to divide them",
         "в выводе таймеров времена целого шага; чтобы их разделить, нужны ranks, microbatches и "
         "chunks"},
    [PP_PROFILE_RANKS] = {"it has times of %b ranks, which is no multiple of %c pipeline ranks",
                          "в нём времена %b процессов, а это не кратно %c устройствам конвейера"},
    [PP_PROFILE_LAYER] = {"it has no time of %o for layer %b", "в нём нет времени «%o» для слоя %b"},
    [PP_PROFILE_SIZES] = {"%b stages with %c layers in all do not fit the stages or the layers that it has",
                          "%b стадий, в которых всего %c слоёв, не подходят к стадиям или слоям этого файла"},
    [PP_PROFILE_COST] = {"times must be 0 or more, and not all of them 0",
                         "времена должны быть не меньше 0, и не все равны 0"},
    [PP_PROFILE_COUNT] = {"%o has %b numbers where another row has %c; a row has one number, or one per stage",
                          "для «%o» чисел %b, а в другой строке их %c; чисел бывает одно или по одному на стадию"},
};
static const pp_words torch_rules[] = {
    [PP_TORCH_RECOMPUTE] = {"no action recomputes", "операции пересчёта там нет"},
    [PP_TORCH_SLICES] = {"a micro-batch has no slices", "кусков микробатча там нет"},
    [PP_TORCH_PIPES] = {"a stage lies on one rank only", "стадия там лежит только на одном устройстве"},
    [PP_TORCH_VERSIONS] = {"weights change only between steps", "веса там меняются только между шагами"},
};

const pp_words *pp_file_words(const pp_fault *fault) {
    if (fault->code == PP_ERR_TOO_LARGE && fault->option < 0) return fault->rank < 0 ? &too_wide : &too_large;
    if (fault->code == PP_ERR_MISSING && fault->rank < 0) return &missing_anywhere;
    int known = fault->code >= 0 && fault->code < PP_STATUS_COUNT;
    return known && templates[fault->code].en != NULL ? &templates[fault->code] : NULL;
}

const pp_words *pp_file_rule(const pp_fault *fault) {
    switch (fault->code) {
    case PP_ERR_RECORD: return &record_rules[fault->a];
    case PP_ERR_PROFILE: return &profile_rules[fault->a];
    case PP_ERR_INEXPRESSIBLE: return &torch_rules[fault->a];
    default: return NULL;
    }
}

const pp_words *pp_file_option_words(int32_t option) {
    return option >= PP_FILE_LETTERS && option < PP_FILE_END ? &option_words[option - PP_FILE_LETTERS] : NULL;
}
