/* Pipeline Figure: pipeline-parallel schedules, generated, checked, timed, explained and executed.
 *
 * A network of layers is cut into S *stages*, numbered 0..S-1 in forward order. p *ranks* (devices, workers)
 * hold one stage each, or v stages each (then S = p*v and v is called *chunks*). A batch is cut into m
 * *micro-batches*, numbered 0..m-1, which follow each other through the stages.
 *
 * An *op* is one of
 *     F  forward                      I  backward for the inputs only
 *     B  backward, whole              W  backward for the weights only         (B = I then W)
 *     R  recomputation of a forward before its backward
 * The Zero Bubble papers write B for what is I here; PyTorch since 2.6, Megatron and DualPipe write B for the whole.
 *
 * An *action* is (stage, op, micro-batch), written 2F0: stage 2, forward, micro-batch 0. A *schedule* is, for each
 * rank, an ordered list of actions. Idle time is never part of a schedule; it results from timing it. Two actions
 * may share a *slot* ("fused F&B"): they start and finish together.
 *
 * Time is a double counted in *ticks*. Whole ticks are exact up to 2^53; sums run in a fixed order, so that native
 * code and WebAssembly agree bit for bit. A span is half open: [start, finish).
 *     makespan         last finish - first start, over all ranks
 *     span             largest (last finish - first start) of one rank
 *     bubble fraction  idle / (ranks * makespan)      GPipe's figure, 0..1
 *     bubble ratio     idle / busy                    Megatron's "bubble time fraction", may exceed 1
 *     bubble rate      (span - busy / ranks) / span   the Zero Bubble papers' figure
 *     in flight        chunks a rank has run F for and has not released; B releases, or W where the backward is
 *                      split (an I keeps them). A schedule without backward keeps nothing.
 *
 * How the calls follow each other (each takes memory from the caller, none allocates, none keeps a pointer that was
 * not said to be kept):
 *
 *     pp_request_parse     text "ranks=4\nmicrobatches=8\n..."  ->  pp_request, the values by option
 *     pp_config_read       pp_request                           ->  pp_config
 *     pp_costs_read        pp_request                           ->  costs per stage
 *     pp_schedule_make     pp_config + costs                    ->  pp_schedule
 *     pp_check             pp_schedule                          ->  pp_timeline (who waits for whom; or the deadlock)
 *     pp_simulate          pp_timeline + costs                  ->  start and finish of each action
 *     pp_report            pp_timeline                          ->  pp_summary, pp_rank_report
 *     pp_idle_fill, pp_critical_path, pp_reasons                ->  the reasons
 *     pp_partition_search, pp_end_report, pp_memory_report,
 *     pp_takeover_find, pp_failure_report                       ->  what else can be asked of a step
 *
 * Only the functions whose name ends in _parse, and those that read the values of a request, accept text of unknown origin; they never read
 * past its length. A request is refused before anything is allocated, a file costs memory in proportion to its length.
 * Passing a wrong pointer or a wrong size elsewhere is a fault of the caller and is caught by assert in debug builds.
 *
 * Each room of the library has a header of its own, which says what it promises. This one includes those that are public:
 *     core/core.h            statuses and faults
 *     schedules/schedules.h  configurations, schedules, actions
 *     request/request.h      reading what a user typed
 *     time/time.h            checking, timing, explaining
 *     studies/studies.h      memory, failures, the end of a step, what if
 *     files/files.h          schedules and costs in and out
 *     network/network.h      the toy network
 *     run/run.h              executing a schedule with it
 *     words/words.h          the sentences of a fault
 *     wasm/wasm.h            memory for JavaScript
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "core/core.h"
#include "files/files.h"
#include "network/network.h"
#include "request/request.h"
#include "run/run.h"
#include "schedules/schedules.h"
#include "studies/studies.h"
#include "time/time.h"
#include "wasm/wasm.h"
#include "words/words.h"

#endif
