/* The words of refusals, in English and Russian.
 * A message is one sentence of fault, one of rule, and the nearest legal choice. Templates are filled by letters:
 *   %o option  %s text seen  %a %b %c numbers of the rule  %n schedule  %x action at fault  %y action awaited
 *   %r rank  %w rank awaited  %p rank and place in its list, or row and column of a file  %t %u the columns of %x and %y
 *   where there are  %z what the backward awaited comes from  %k ranks in the circle  %l list of legal names
 *   %q option number b  %f which rule of a file */
#include "core/fault.h"

#include <assert.h>
#include <string.h>

#include "core/number.h"
#include "request/options.h"
#include "words/templates.h"
#include "words/words.h"

/* How a reader knows an option. */
static const pp_words option_words[PP_TRAIN_END] = {
    [PP_OPT_SCHEDULE] = {"schedule (-s)", "расписание (schedule)"},
    [PP_OPT_RANKS] = {"ranks (p)", "число устройств p (ranks)"},
    [PP_OPT_MICROBATCHES] = {"microbatches (m)", "число микробатчей m (microbatches)"},
    [PP_OPT_CHUNKS] = {"chunks (v)", "число стадий на устройстве v (chunks)"},
    [PP_OPT_GROUP] = {"group (N)", "размер группы N (group)"},
    [PP_OPT_DIALECT] = {"dialect", "правила чередования (dialect)"},
    [PP_OPT_BACKWARD_ORDER] = {"backward-order", "порядок обратных проходов (backward-order)"},
    [PP_OPT_RECOMPUTE] = {"recompute", "пересчёт активаций (recompute)"},
    [PP_OPT_TRANSFER] = {"transfer", "модель передачи (transfer)"},
    [PP_OPT_PIPES] = {"pipes", "число встречных конвейеров (pipes)"},
    [PP_OPT_SLICES] = {"slices", "число кусков последовательности (slices)"},
    [PP_OPT_MEMORY_LIMIT] = {"memory-limit", "предел памяти (memory-limit)"},
    [PP_OPT_EXTRA_WARMUP] = {"extra-warmup", "добавка к разогреву (extra-warmup)"},
    [PP_OPT_WARMUP_FACTOR] = {"warmup-factor", "множитель разогрева (warmup-factor)"},
    [PP_OPT_PLACEMENT] = {"placement", "размещение стадий (placement)"},
    [PP_OPT_FORWARD] = {"forward", "время прямого прохода (forward)"},
    [PP_OPT_BACKWARD] = {"backward", "время обратного прохода (backward)"},
    [PP_OPT_INPUT_GRADIENT] = {"input-gradient", "время градиента по входу (input-gradient)"},
    [PP_OPT_WEIGHT_GRADIENT] = {"weight-gradient", "время градиента по весам (weight-gradient)"},
    [PP_OPT_RECOMPUTE_COST] = {"recompute-cost", "время пересчёта (recompute-cost)"},
    [PP_OPT_OVERLAP_COST] = {"overlap-cost", "время совмещённого F и B (overlap-cost)"},
    [PP_OPT_KEPT_SHARE] = {"kept-share", "доля активаций, которую I оставляет для W (kept-share)"},
    [PP_OPT_LATENCY] = {"latency", "задержка передачи (latency)"},
    [PP_OPT_COSTS_OF] = {"costs-of", "чью работу дают времена (costs-of)"},
    [PP_OPT_LAYERS] = {"layers", "слои (layers)"},
    [PP_OPT_PARTITION] = {"partition", "способ разбиения (partition)"},
    [PP_OPT_CUTS] = {"cuts", "слоёв в стадиях (cuts)"},
    [PP_OPT_LAYOUT] = {"layout", "раскладка слоёв (layout)"},
    [PP_OPT_EMBEDDING] = {"embedding", "стоимость эмбеддинга (embedding)"},
    [PP_OPT_HEAD] = {"head", "стоимость выходного слоя (head)"},
    [PP_OPT_LAYER_FORWARD] = {"layer-forward", "время прямого прохода слоёв (layer-forward)"},
    [PP_OPT_LAYER_INPUT_GRADIENT] = {"layer-input-gradient", "время градиента по входу слоёв (layer-input-gradient)"},
    [PP_OPT_LAYER_WEIGHT_GRADIENT] = {"layer-weight-gradient",
                                      "время градиента по весам слоёв (layer-weight-gradient)"},
    [PP_OPT_GLOBAL_BATCH] = {"global-batch (G)", "примеров в шаге G (global-batch)"},
    [PP_OPT_MICROBATCH_SIZE] = {"microbatch-size (b)", "примеров в микробатче b (microbatch-size)"},
    [PP_OPT_BYTES] = {"bytes", "размер сообщения (bytes)"},
    [PP_OPT_BANDWIDTH] = {"bandwidth", "пропускная способность (bandwidth)"},
    [PP_OPT_REDUCE] = {"reduce", "время сложения градиентов (reduce)"},
    [PP_OPT_REDUCE_WHEN] = {"reduce-when", "когда складывать градиенты (reduce-when)"},
    [PP_OPT_OPTIMIZER] = {"optimizer", "время оптимизатора (optimizer)"},
    [PP_OPT_OPTIMIZER_WAITS] = {"optimizer-waits", "чего ждёт оптимизатор (optimizer-waits)"},
    [PP_OPT_MEMORY_WEIGHTS] = {"memory-weights", "память под веса (memory-weights)"},
    [PP_OPT_MEMORY_GRADIENTS] = {"memory-gradients", "память под градиенты (memory-gradients)"},
    [PP_OPT_MEMORY_OPTIMIZER] = {"memory-optimizer", "память оптимизатора (memory-optimizer)"},
    [PP_OPT_MEMORY_ACTIVATIONS] = {"memory-activations", "память под активации (memory-activations)"},
    [PP_OPT_MEMORY_KEPT] = {"memory-kept", "память от I до W (memory-kept)"},
    [PP_OPT_MEMORY_INPUTS] = {"memory-inputs", "память под вход стадии (memory-inputs)"},
    [PP_OPT_MEMORY_EMBEDDING] = {"memory-embedding", "память эмбеддинга (memory-embedding)"},
    [PP_OPT_MEMORY_HEAD] = {"memory-head", "память выходного слоя (memory-head)"},
    [PP_OPT_MEMORY_CAPACITY] = {"memory-capacity", "память устройства (memory-capacity)"},
    [PP_OPT_FAIL_RANK] = {"fail-rank", "отказавшее устройство (fail-rank)"},
    [PP_OPT_FAIL_TIME] = {"fail-time", "время отказа (fail-time)"},
    [PP_OPT_FAIL_STEP] = {"fail-step", "шагов до отказа (fail-step)"},
    [PP_OPT_RESTART_COST] = {"restart-cost", "время перезапуска (restart-cost)"},
    [PP_OPT_SPARE_DELAY] = {"spare-delay", "ожидание запасного устройства (spare-delay)"},
    [PP_OPT_CHECKPOINT_COST] = {"checkpoint-cost", "время записи копии (checkpoint-cost)"},
    [PP_OPT_CHECKPOINT_EVERY] = {"checkpoint-every", "шагов между копиями (checkpoint-every)"},
    [PP_OPT_MTBF] = {"mtbf", "среднее время между отказами (mtbf)"},
    [PP_OPT_HORIZON] = {"horizon", "шагов в обучении (horizon)"},
    [PP_OPT_MOVES] = {"moves", "перестановки (moves)"},
    [PP_OPT_MICROBATCH_COSTS] = {"microbatch-costs", "стоимость микробатчей (microbatch-costs)"},
    [PP_OPT_ORDER] = {"order", "порядок микробатчей (order)"},
    [PP_OPT_RECEIVE_BUFFERS] = {"receive-buffers", "место для сообщений (receive-buffers)"},
    [PP_OPT_GATHER] = {"gather", "время сбора весов (gather)"},
    [PP_OPT_GATHER_KEEP] = {"gather-keep", "сколько стадий держать собранными (gather-keep)"},
    [PP_TRAIN_DATA] = {"data", "данные (data)"},
    [PP_TRAIN_WIDTH] = {"width", "ширина скрытого слоя (width)"},
    [PP_TRAIN_DEPTH] = {"depth (layers)", "число слоёв (depth)"},
    [PP_TRAIN_ACTIVATION] = {"activation", "функция активации (activation)"},
    [PP_TRAIN_LOSS] = {"loss", "функция потерь (loss)"},
    [PP_TRAIN_BATCH] = {"batch", "размер пакета (batch)"},
    [PP_TRAIN_STEPS] = {"steps", "число шагов (steps)"},
    [PP_TRAIN_SEED] = {"seed", "начальное число генератора (seed)"},
    [PP_TRAIN_RATE] = {"rate", "скорость обучения (rate)"},
    [PP_TRAIN_INIT] = {"init", "начальные веса (init)"},
    [PP_TRAIN_NORM] = {"norm", "нормализация (norm)"},
    [PP_TRAIN_STATISTICS] = {"norm-statistics", "статистики нормализации (norm-statistics)"},
    [PP_TRAIN_DROPOUT] = {"dropout", "доля прореживания (dropout)"},
    [PP_TRAIN_TIED] = {"tied", "общие веса (tied)"},
    [PP_TRAIN_SPLIT] = {"split", "деление пакета (split)"},
    [PP_TRAIN_MEAN] = {"mean", "усреднение (mean)"},
    [PP_TRAIN_UPDATE] = {"update", "способ обновления весов (update)"},
    [PP_TRAIN_MOMENTUM] = {"momentum", "коэффициент инерции (momentum)"},
    [PP_TRAIN_BETA1] = {"beta1", "затухание первого момента (beta1)"},
    [PP_TRAIN_BETA2] = {"beta2", "затухание второго момента (beta2)"},
    [PP_TRAIN_EPSILON] = {"epsilon", "добавка в знаменателе (epsilon)"},
    [PP_TRAIN_CLIP] = {"clip", "предел нормы градиента (clip)"},
    [PP_TRAIN_LOSS_SCALE] = {"loss-scale", "масштаб потерь (loss-scale)"},
    [PP_TRAIN_SCALE_GROWTH] = {"scale-growth", "шагов до удвоения масштаба (scale-growth)"},
};

static const pp_words templates[PP_STATUS_COUNT] = {
    [PP_OK] = {"No fault.", "Ошибок нет."},
    [PP_ERR_OPTION_UNKNOWN] = {"%s: there is no such option.", "%s: такого параметра нет."},
    [PP_ERR_OPTION_TWICE] = {"%o is given twice, the second time as %s; give it once.",
                             "%o: значение задано дважды, второй раз — %s; оставьте одно."},
    [PP_ERR_NOT_A_NUMBER] = {"%o = %s: a number is needed, such as 2 or 0.5.",
                             "%o = %s: нужно число, например 2 или 0,5."},
    [PP_ERR_NOT_WHOLE] = {"%o = %s: a whole number from %a to %b is needed.",
                          "%o = %s: нужно целое число от %a до %b."},
    [PP_ERR_RANGE] = {"%o = %s: it must be from %a to %b.", "%o = %s: допустимы значения от %a до %b."},
    [PP_ERR_NAME_UNKNOWN] = {"%o = %s: no such name; the names are %l.", "%o = %s: такого названия нет; есть %l."},
    [PP_ERR_LIST_LENGTH] = {"%o = %s: %b numbers are given; give one for all stages, or one for each of the %a stages.",
                            "%o = %s: дано чисел: %b, а нужно одно или %a, по числу стадий."},
    [PP_ERR_LAYER_LENGTH] =
        {"%o = %s: %b numbers are given; give one for all layers, or one for each of the %a layers.",
         "%o = %s: дано чисел: %b; нужно одно на все слои или по одному на каждый, всего %a."},
    [PP_ERR_COST_SPLIT] =
        {"%o = %s: the whole backward must be the sum of input-gradient and weight-gradient, each 0 or "
         "more.",
         "%o = %s: полный обратный проход — это сумма input-gradient и weight-gradient, и обе части "
         "не меньше нуля."},
    [PP_ERR_COST_OVERLAP] = {"%o = %s: a slot that runs F and B together cannot be shorter than the longer of the two.",
                             "%o = %s: совмещённые F и B не могут длиться меньше, чем дольший из них."},
    [PP_ERR_TOO_LARGE] = {"%o = %s: the schedule would have more than 33554432 actions or 16384 stages.",
                          "%o = %s: в расписании вышло бы больше 33554432 операций или 16384 стадий."},
    [PP_ERR_OPTION_MEANINGLESS] = {"%o = %s has no meaning for the schedule %n.",
                                   "%o = %s: у расписания %n такого параметра нет."},
    [PP_ERR_CHUNKS] = {"%o = %s: %n has %h.", "%o = %s: у расписания %n %h."},
    [PP_ERR_CHUNKS_EVEN] = {"%o = %s: %n needs an even number of stages per rank, two for each wave.",
                            "%o = %s: для %n число стадий на устройстве чётное: по две на каждую волну."},
    [PP_ERR_GROUP] = {"%o = %s: %n by Megatron's rule needs p <= N <= m; here p = %a, N = %c, m = %b.",
                      "%o = %s: по правилу Megatron для %n нужно p ≤ N ≤ m; здесь p = %a, N = %c, m = %b."},
    [PP_ERR_GROUP_REMAINDER] =
        {"%o = %s: %n by Megatron's rule needs m mod N = 0 or m mod N >= p; here p = %a, N = %c, "
         "m = %b, and a shorter last group can wait for itself.",
         "%o = %s: по правилу Megatron для %n остаток m mod N должен быть 0 или не меньше p; "
         "здесь p = %a, N = %c, m = %b, а слишком короткая последняя группа может ждать саму "
         "себя."},
    [PP_ERR_GROUP_HALF] =
        {"%o = %s: %n needs p/2 <= N <= p, here %a to %b; with smaller groups ranks wait in a circle, "
         "larger ones are plain interleaving.",
         "%o = %s: для %n нужно p/2 ≤ N ≤ p, здесь от %a до %b; при меньших группах устройства ждут "
         "друг друга по кругу, большие — это обычное чередование."},
    [PP_ERR_GROUP_UPDATE] =
        {"%o = %s: %n updates the weights every N micro-batches; two versions of them are enough only "
         "if N >= p, here %a.",
         "%o = %s: %n обновляет веса через каждые N микробатчей; двух версий весов хватает, только "
         "если N ≥ p, здесь %a."},
    [PP_ERR_ROUNDS] = {"%o = %s: %n by PyTorch's rule runs max(1, m div p) rounds of equal size; here p = %a, m = %b.",
                       "%o = %s: по правилу PyTorch для %n микробатчи идут раундами по p, и m должно делиться на число "
                       "раундов; здесь p = "
                       "%a, m = %b."},
    [PP_ERR_RANKS_EVEN] = {"%o = %s: %n needs an even number of ranks.", "%o = %s: для %n число устройств чётное."},
    [PP_ERR_MICROBATCHES_EVEN] = {"%o = %s: %n needs an even number of micro-batches, half for each direction.",
                                  "%o = %s: для %n число микробатчей чётное: по половине в каждую сторону."},
    [PP_ERR_MICROBATCHES_FEW] = {"%o = %s: %n needs at least %a micro-batches.",
                                 "%o = %s: для %n нужно не меньше %a микробатчей."},
    [PP_ERR_MICROBATCHES_MULTIPLE] = {"%o = %s: %n needs a multiple of %a micro-batches.",
                                      "%o = %s: для %n число микробатчей кратно %a."},
    [PP_ERR_PIPES] =
        {"%o = %s: %n needs an even number of pipes whose half divides half the ranks; here p = %a.",
         "%o = %s: для %n число конвейеров чётное, и его половина делит половину устройств; здесь p = %a."},
    [PP_ERR_MEMORY_LIMIT] = {"%o = %s: %n cannot run with less than %a micro-batches in flight.",
                             "%o = %s: расписанию %n нужно хранить не меньше %a микробатчей."},
    [PP_ERR_OPTION_NEEDS] = {"%o = %s: it has a meaning only together with %q.",
                             "%o = %s: имеет смысл только вместе с параметром %q."},
    [PP_ERR_OPTION_BESIDE] = {"%o = %s: it cannot stand beside %q, which says the same; leave one of them out.",
                              "%o = %s: вместе с %q не задаётся — они об одном и том же; уберите одно из двух."},
    [PP_ERR_BATCH_SPLIT] =
        {"%o = %s: a step of G samples is m micro-batches of b samples, G = m b; here G = %a, m = %b, b = "
         "%c.",
         "%o = %s: шаг из G примеров — это m микробатчей по b примеров, G = m·b; здесь G = %a, m = %b, "
         "b = %c."},
    [PP_ERR_LAYERS_HELD] = {"%o = %s: stages hold %a of %b layers; every layer must lie in exactly one stage.",
                            "%o = %s: в стадиях %a из %b слоёв, а каждый слой должен лежать ровно в одной стадии."},
    [PP_ERR_CUTS] = {"%o = %s: stages left free by * must stand together, numbers before and behind them.",
                     "%o = %s: свободные стадии (*) должны идти подряд, числа — до и после них."},
    [PP_ERR_LAYOUT] =
        {"%o = %s: at place %a it cannot go on so; a layout is E, then a t for each layer, then any m, then L, "
         "with | between stages and *N after a letter, a | or a (group), such as Et*3|(tt|)*29,m|L.",
         "%o = %s: с места %a так продолжать нельзя; раскладка — это E, затем t на каждый слой, затем m, "
         "если есть, затем L, между стадиями |, после буквы, | или (группы) можно *N, например "
         "Et*3|(tt|)*29,m|L."},
    [PP_ERR_LAYOUT_STAGES] = {"%o = %s: it has %a stages, the schedule %b.",
                              "%o = %s: в раскладке стадий %a, а в расписании %b."},
    [PP_ERR_MEMORY_ENDS] =
        {"%o = %s: %b numbers are given; give what is always there and, if you like, what a micro-batch takes.",
         "%o = %s: дано чисел: %b; нужно то, что занято всегда, и, если угодно, сколько занимает микробатч."},
    [PP_ERR_MEMORY_SHARE] = {"%o = %s: from I to W no more can be kept than there are activations.",
                             "%o = %s: от I до W нельзя хранить больше, чем занимают активации."},
    [PP_ERR_FAIL_TIME] = {"%o = %s: the step is over by then.", "%o = %s: шаг к этому времени уже закончен."},
    [PP_ERR_MOVES] =
        {"%o = %s: no such move here; a move is an action of the schedule and how many places of its rank's list "
         "it goes: 1F2-1 is one earlier, 0B3+2 two later.",
         "%o = %s: так переставить нельзя; перестановка — это операция расписания и число мест в списке её "
         "устройства: 1F2-1 — на одно раньше, 0B3+2 — на два позже."},
    [PP_ERR_EMPTY] = {"No schedule was found in it: there are no actions.",
                      "Расписания в нём не нашлось: нет ни одной операции."},
    [PP_ERR_STAGE_UNKNOWN] = {"%p: %x names a stage or micro-batch that the schedule does not have.",
                              "%p: %x — такой стадии или такого микробатча в расписании нет."},
    [PP_ERR_STAGE_TWO_RANKS] = {"%p: %x stands on rank %r, but its stage lies on rank %w.",
                                "%p: %x записана на устройстве %r, а её стадия лежит на устройстве %w."},
    [PP_ERR_MISSING] = {"%x is missing on rank %r.", "На устройстве %r нет операции %x."},
    [PP_ERR_DUPLICATE] = {"%p: %x stands twice.", "%p: %x записана дважды."},
    [PP_ERR_ORDER] = {"%p: %x stands before %y%u, which it needs.", "%p: %x стоит раньше, чем нужная ей %y%u."},
    [PP_ERR_SPLIT_MIX] = {"%p: %x does not fit; a backward is either one B, or one I and one W.",
                          "%p: %x лишняя: обратный проход — это либо одна B, либо по одной I и W."},
    [PP_ERR_DEADLOCK] =
        {"Deadlock: rank %r stands before %x%t and waits for rank %w: %x needs %y%u%z; ranks waiting in a "
         "circle: %k.",
         "Взаимная блокировка: устройство %r стоит перед %x%t и ждёт устройство %w: для %x нужна %y%u%z; "
         "устройств в круге ожидания: %k."},
    [PP_ERR_OVERFLOW] = {"The times add up beyond what a number can hold; make the costs smaller.",
                         "Сумма времён не помещается в число; уменьшите длительности."},
    [PP_ERR_BATCH] = {"%o = %s: a batch must hold at least one sample for each of the %a micro-batches.",
                      "%o = %s: в пакете должен быть хотя бы один пример на каждый из микробатчей, всего %a."},
    [PP_ERR_NO_BACKWARD] = {"%o = %s: it has no backward, so nothing can be trained by it.",
                            "%o = %s: в нём нет обратного прохода, и обучать по нему нечего."},
    [PP_ERR_LAYERS] = {"%o = %s: every stage needs at least one layer; here are %a stages.",
                       "%o = %s: каждой стадии нужен хотя бы один слой; стадий здесь %a."},
    [PP_ERR_STATISTICS] =
        {"%o = %s: the statistics of a whole batch are known only when all its %a micro-batches have come, "
         "and the first ones cannot wait for that in a pipeline.",
         "%o = %s: статистики всего пакета известны, лишь когда пришли все его микробатчи (здесь их %a), а "
         "первые в конвейере этого ждать не могут."},
    [PP_ERR_BATCH_NORM] =
        {"%o = %s: one sample has no variance; each of the %a micro-batches needs at least two.",
         "%o = %s: у одного примера нет дисперсии; в каждом микробатче (их %a) нужно не меньше двух."},
    [PP_ERR_TIED] =
        {"%o = %s: the ends can share weights only in a network of two layers or more (here %c) with as many "
         "inputs as outputs (here %a and %b).",
         "%o = %s: у концов сети могут быть общие веса, только если слоёв не меньше двух (здесь %c), а входов "
         "столько же, сколько выходов (здесь %a и %b)."},
    [PP_ERR_SPLIT_EMPTY] = {"%o = %s: with split = last, %a micro-batches of %b would leave nothing for the last one.",
                            "%o = %s: при split = last в микробатчах по %b (всего %a) последнему ничего не останется."},
    [PP_ERR_ASYNC_OPTION] =
        {"%o = %s: without a flush each stage updates by itself, in the order of 1F1B; this needs all stages at once, "
         "or "
         "another order.",
         "%o = %s: без опустошения конвейера каждая стадия обновляет веса сама, в порядке 1F1B, а здесь нужны все "
         "стадии сразу или другой порядок."},
    [PP_ERR_DIVERGED] = {"The training left the range of numbers; take a smaller rate.",
                         "Обучение разошлось: значения вышли за пределы чисел; уменьшите скорость обучения."},
    [PP_STEP_DONE] = {"The step is finished.", "Шаг закончен."},
    [PP_ERR_CAPACITY] = {"The memory given is too small.", "Переданной памяти не хватает."},
};

typedef struct sink {
    char *out;
    int32_t capacity, length;
    int reader; /* 1: the words are for a reader of a figure, who has buttons for the nearest legal choice */
} sink;

static void put(sink *s, const char *text) {
    for (; *text != 0; text++, s->length++)
        if (s->length < s->capacity - 1) s->out[s->length] = *text;
}

static void put_number(sink *s, double value) {
    char digits[32];
    pp_number_write(value, digits);
    put(s, digits);
}

static void put_action(sink *s, int32_t stage, int32_t op, int32_t microbatch) {
    put_number(s, stage);
    put(s, pp_op_name(op));
    if (microbatch >= 0) put_number(s, microbatch); /* a file's UNSHARD and the like have none */
}

static void put_names(sink *s, int32_t option) {
    const char *name;
    for (int32_t i = 0; (name = pp_option_choice(option, i))[0] != 0; i++) {
        if (i > 0) put(s, ", ");
        put(s, name);
    }
}

static void put_chunks_rule(sink *s, const pp_fault *fault, int ru) {
    if (fault->b == 1) {
        put(s, ru ? "одна стадия на устройство" : "one stage per rank");
    } else if (fault->a == fault->b) {
        put(s, ru ? "ровно столько стадий на устройство: " : "exactly this many stages per rank: ");
        put_number(s, fault->a);
    } else {
        put_number(s, fault->a);
        put(s, ru ? "–" : " to ");
        put_number(s, fault->b);
        put(s, ru ? " стадий на устройство" : " stages per rank");
    }
}

/* Where the action at fault stands. Rows and columns of a file are counted as people and their editors count them. */
static void put_place(sink *s, const pp_fault *fault, int ru) {
    int in_file = fault->column >= 0;
    if (fault->rank < 0) return;
    put(s, in_file ? (ru ? "Строка " : "Row ") : (ru ? "Устройство " : "Rank "));
    put_number(s, fault->rank + in_file);
    put(s, in_file ? (ru ? ", столбец " : ", column ") : (ru ? ", место " : ", slot "));
    put_number(s, in_file ? fault->column + 1 : fault->index);
    if (fault->code == PP_ERR_RECORD) put(s, ": ");
}

static void put_column(sink *s, int32_t row, int32_t column, int ru) {
    if (column < 0) return;
    put(s, ru ? " (строка " : " (row ");
    put_number(s, row + 1);
    put(s, ru ? ", столбец " : ", column ");
    put_number(s, column + 1);
    put(s, ")");
}

static void put_root(sink *s, const pp_fault *fault, int ru) {
    if (fault->root_stage < 0) return;
    put(s, ru ? ", а для неё " : ", which needs ");
    put_action(s, fault->root_stage, PP_F, fault->wait_microbatch);
}

static void put_template(sink *s, const pp_fault *fault, const char *text, int ru);

static void put_rule(sink *s, const pp_fault *fault, int ru) {
    const pp_words *rule = pp_file_rule(fault);
    if (rule != NULL) put_template(s, fault, ru ? rule->ru : rule->en, ru);
}

static void put_option(sink *s, int32_t option, int ru) {
    if (option < 0) return;
    const pp_words *name = option < PP_TRAIN_END ? &option_words[option] : pp_file_option_words(option);
    if (name == NULL) return;
    const char *text = ru ? name->ru : name->en, *aside = strstr(text, " (");
    /* "число устройств p (ranks)": a reader of a figure has no use for what authors write. A letter is a symbol of the
     * chapter, and stays. */
    const int cut = s->reader && aside != NULL && aside[2] >= 'a' && aside[2] <= 'z' && aside[3] != ')';
    for (; *text != 0 && !(cut && text == aside); text++) put(s, (char[]){*text, 0});
}

static void put_template(sink *s, const pp_fault *fault, const char *text, int ru) {
    for (; *text != 0; text++) {
        char one[2] = {*text, 0};
        if (*text != '%') {
            put(s, one);
            continue;
        }
        switch (*++text) {
        case 'o': put_option(s, fault->option, ru); break;
        case 's': put(s, fault->seen); break;
        case 'a': put_number(s, fault->a); break;
        case 'b': put_number(s, fault->b); break;
        case 'c': put_number(s, fault->c); break;
        case 'h': put_chunks_rule(s, fault, ru); break;
        case 'n':
            put(s, fault->schedule >= 0 ? pp_schedule_name(fault->schedule) : ru ? "из файла" : "of a file");
            break;
        case 'x': put_action(s, fault->stage, fault->op, fault->microbatch); break;
        case 'y': put_action(s, fault->wait_stage, fault->wait_op, fault->wait_microbatch); break;
        case 'r': put_number(s, fault->rank); break;
        case 'w': put_number(s, fault->wait_rank); break;
        case 'p': put_place(s, fault, ru); break;
        case 't': put_column(s, fault->rank, fault->column, ru); break;
        case 'u': put_column(s, fault->wait_rank, fault->wait_column, ru); break;
        case 'z': put_root(s, fault, ru); break;
        case 'f': put_rule(s, fault, ru); break;
        case 'k': put_number(s, fault->cycle); break;
        case 'l': put_names(s, fault->option); break;
        case 'q': put(s, fault->b >= 0 ? pp_option_name(fault->b) : ""); break;
        default: assert(0);
        }
    }
}

/* A cost's range is not that of a count: its lower end is 0 and its upper end a matter of arithmetic. */
static const pp_words share_range = {"%o = %s: a share is a number from 0 to 1.", "%o = %s: доля — число от 0 до 1."};
static const pp_words cost_range = {"%o = %s: a cost must be a finite number of ticks, 0 to 1000000000000.",
                                    "%o = %s: длительность — конечное число тактов от 0 до 1000000000000."};

/* Lists by micro-batch, which may stand by stage, too. */
static const pp_words unit_list = {
    "%o = %s: %b numbers are given; give one for each of the %a micro-batches (with slices, for each slice).",
    "%o = %s: дано чисел: %b; нужно по одному на микробатч, всего %a (или по одному на каждый кусок, если их режут)."};
static const pp_words unit_rows = {
    "%o = %s: %b rows are given; give one for all stages, or one for each of the %a stages, with | between them.",
    "%o = %s: дано строк: %b; нужна одна на все стадии или по одной на каждую, всего %a, через |."};

/* The same for what is no time: bytes, memory, samples. */
static const pp_words amount_range = {"%o = %s: a finite number from 0 to 1000000000000 is needed.",
                                      "%o = %s: нужно конечное число от 0 до 1000000000000."};
static const pp_words positive_range = {"%o = %s: a finite number above 0, up to 1000000000000, is needed.",
                                        "%o = %s: нужно конечное число больше 0, не больше 1000000000000."};

/* Of the training: shares that must leave something, and what is divided by. */
static const pp_words below_one = {"%o = %s: it must be 0 or more and below 1.",
                                   "%o = %s: нужно число не меньше 0 и меньше 1."};
static const pp_words up_to_one = {"%o = %s: it must be above 0 and at most 1.",
                                   "%o = %s: нужно число больше 0, не больше 1."};
static const pp_words scale_range = {"%o = %s: it must be from 1 to 1e38.",
                                     "%o = %s: допустимы значения от 1 до 10^38."};

/* Readers see devices counted from 1; the option counts from 0, which has to be said. */
static const pp_words rank_range = {"%o = %s: ranks are counted from 0 here; it must be from %a to %b.",
                                    "%o = %s: устройства здесь считаются с 0; допустимы номера от %a до %b."};

/* The same status for the size of a network. */
static const pp_words network_size = {"%o = %s: the training would need more than %a MiB.",
                                      "%o = %s: для обучения понадобилось бы больше %a МиБ памяти."};

/* Slices that a schedule has and the network has not. */
static const pp_words whole_samples = {
    "%o = %s: samples of the toy network are no sequences to be cut; it trains by whole micro-batches.",
    "%o = %s: примеры учебной сети — не последовательности, делить их нечего: она обучается целыми микробатчами."};

static void put_fix(sink *s, int32_t option, const char *value) {
    put(s, pp_option_name(option));
    if (value[0] == 0) return;
    put(s, "=");
    put(s, value);
}

int32_t pp_fault_message(const pp_fault *fault, int32_t lang, char *out, int32_t capacity) {
    sink s = {out, capacity, 0, lang >= PP_FOR_READERS};
    int ru = (lang & 1) == PP_LANG_RU;
    int32_t code = fault->code >= 0 && fault->code < PP_STATUS_COUNT ? fault->code : 0;
    pp_words text = templates[code];
    if (code == PP_ERR_RANGE && fault->b < 0) { /* no whole numbers to tell */
        int positive = fault->option == PP_OPT_BANDWIDTH || fault->option == PP_OPT_MTBF;
        text = fault->option == PP_OPT_KEPT_SHARE                              ? share_range
               : fault->option == PP_TRAIN_LOSS_SCALE                          ? scale_range
               : fault->option == PP_TRAIN_EPSILON                             ? up_to_one
               : fault->option >= PP_OPT_COUNT && fault->option < PP_TRAIN_END ? below_one
               : fault->option <= PP_OPT_LATENCY                               ? cost_range
               : positive                                                      ? positive_range
                                                                               : amount_range;
    }
    if (code == PP_ERR_RANGE && fault->option == PP_OPT_FAIL_RANK) text = rank_range;
    if (code == PP_ERR_NOT_A_NUMBER && fault->b > 0)
        text = templates[PP_ERR_NOT_WHOLE]; /* of a count no half is an example */
    if (fault->option >= PP_OPT_COUNT && code == PP_ERR_TOO_LARGE) text = network_size;
    if (fault->option == PP_OPT_MICROBATCH_COSTS && code == PP_ERR_LIST_LENGTH)
        text = fault->c >= 0 ? unit_rows : unit_list;
    if (code == PP_ERR_OPTION_MEANINGLESS && fault->fix_value[0] != 0) text = whole_samples;
    const pp_words *of_file = pp_file_words(fault);
    if (of_file != NULL) text = *of_file;
    put_template(&s, fault, ru ? text.ru : text.en, ru);
    if (fault->fix_option >= 0 && !s.reader) {
        int remove = fault->fix_value[0] == 0 && code != PP_ERR_OPTION_UNKNOWN;
        if (remove)
            put(&s, ru ? " Уберите " : " Leave out ");
        else
            put(&s, ru ? " Ближайшее допустимое: " : " Nearest legal: ");
        put_fix(&s, fault->fix_option, fault->fix_value);
        if (fault->fix2_option >= 0) {
            int also = fault->fix2_value[0] == 0;
            put(&s, remove ? (ru ? " или возьмите " : ", or take ")
                    : also ? (ru ? " или уберите " : ", or leave out ")
                           : (ru ? " или " : " or "));
            put_fix(&s, fault->fix2_option, fault->fix2_value);
        }
        put(&s, ".");
    }
    if (capacity > 0) {
        int32_t end = s.length < capacity - 1 ? s.length : capacity - 1;
        if (end < s.length)
            while (end > 0 && ((unsigned char)out[end - 1] & 0xC0) == 0x80) end--;
        if (end > 0 && end < s.length && ((unsigned char)out[end - 1] & 0xC0) == 0xC0) end--;
        out[end] = 0;
    }
    return s.length;
}
