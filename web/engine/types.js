// What goes into the core and what comes out of it, as types: nothing runs here.

/**
 * @typedef {string | number | ArrayLike<number> | null | undefined} OptionValue
 * @typedef {Record<string, OptionValue> | [string, OptionValue][]} Options
 *     Names and values of the command line ("ranks", "inputGradient" or "input-gradient", …). A list is one number, an
 *     array with one number per stage, or text as a person types it. As pairs where a name may stand twice.
 *
 * @typedef {{ option: string, value: string }} Fix  the nearest legal choice
 *
 * @typedef {(bytes: number) => number} Alloc  memory that its owner releases
 * @typedef {{ config: number, costs: number, schedule: number, timeline: number, fault: number, text: number,
 *             length: number, request: number, named: Record<string, any>, order?: Record<string, number>, table?: number, measured?: number }} Timed  a timed step in the
 *     core's memory, with its request; table: the file it was read from, measured: the same where the times are its own
 *
 * @typedef {object} Actions  equal-length columns, one entry per action, ranks end to end
 * @property {number} count
 * @property {Int32Array} rank
 * @property {Int32Array} index  slot in the rank's list; the halves of a fused slot share it
 * @property {Int32Array} op  0 F, 1 B, 2 I, 3 W, 4 R
 * @property {Int32Array} stage
 * @property {Int32Array} microbatch
 * @property {Int32Array} slice
 * @property {Float64Array} start  ticks
 * @property {Float64Array} finish
 * @property {Int32Array} input  the action whose output it waits for, -1 for none
 * @property {Float64Array} [arrive]  when its output is there, where more than the latency of the hop decides
 * @property {Int32Array} [version]  asynchronous schedules: updates the weights have seen that the action uses
 * @property {Int32Array} [delay]  and by how many updates they lag behind
 *
 * @typedef {object} Idle  intervals, equal-length columns, ranks end to end
 * @property {number} count
 * @property {Int32Array} rank
 * @property {Float64Array} start  ticks
 * @property {Float64Array} finish
 * @property {Int32Array} reason  0 filling, 1 waits for input, 2 transfer on its way, 3 draining, 4 gathers weights
 * @property {Int32Array} before  the action that ends the wait, -1 for none
 * @property {Int32Array} waits_for  the action whose output is awaited, -1 for none
 * @property {Int32Array} early  the rank's next F, where it could begin with the interval and end with the wait; -1 for none
 * @property {Int32Array} held  activations that the rank would hold with it
 *
 * @typedef {import('./studies.js').Ask} Ask
 * @typedef {StepReport & import('./studies.js').Studies & import('./step.js').Step} Simulation
 *
 * @typedef {object} Conditions  what differs by micro-batch, and what a rank does beside computing
 * @property {Float64Array[]} [factors]  rows, one or one per stage, of the factor of each micro-batch (or slice) in the order shown
 * @property {Int32Array} [places]  of each micro-batch shown: its number as given
 * @property {boolean} [proved]  order=best: every order was tried
 * @property {Int32Array} [waiting]  per rank: most messages that had arrived and waited
 * @property {Int32Array} [gathers]  per rank: how often the weights of a stage were gathered
 *
 * @typedef {object} StepReport
 * @property {Conditions} [conditions]
 * @property {Record<string, any>} config  the request as understood: schedule, ranks, microbatches, chunks, stages, …
 * @property {Record<string, Float64Array>} costs  per stage: forward, backward, input, weight, recompute, overlap, latency
 * @property {Actions} actions
 * @property {Int32Array} stageRank  rank of each stage; pipes end to end for bidirectional schedules
 * @property {Record<string, number>} summary  pp_summary
 * @property {Record<string, number>[]} perRank  pp_rank_report
 * @property {{ updateEvery: number, late: number[] }} [stream]  of a schedule without a flush: micro-batches of an update; by rank, how
 *     many updates late its gradients come once the pipeline is full
 * @property {Idle} idle
 * @property {Int32Array} criticalPath  indices into actions
 * @property {Int32Array} rankBegin  ranks + 1 offsets into actions
 * @property {number} kinds  what a chart of it shows: bits 1 << op, and KINDS of step.js
 * @property {FileFacts} [file]  of one that was read
 *
 * @typedef {StepReport & { halt: number, circle: Int32Array }} Stall  drawn like a simulation, but nothing in it has been
 *     reported on: actions from halt on do not run. circle: pairs of an action and the one that has to run before it, each
 *     further on in the list of the next pair's rank; one pair where a rank waits for itself
 *
 * @typedef {object} FileFacts
 * @property {'torch' | 'csv' | 'json'} format
 * @property {boolean} timed  the file has times of its own
 * @property {boolean} measured  and they are the ones shown
 * @property {boolean} lowered  it has sends and receives, whose order was kept
 * @property {number | null} steps  of a lowered table by PyTorch's count, where every cell is one
 * @property {string | null} note  what to know about its cells
 *
 * @typedef {object} Others  simulations beside the one shown
 * @property {Simulation | null} [compare]  another schedule of the same setting (GPipe beside 1F1B, 1F1B beside interleaved)
 * @property {Simulation | null} [without]  the same without recomputation
 * @property {{ full: number, inputs: number }} [kept]  with recomputation: micro-batches whose activations a device holds
 *     at most, and those of which it holds the input
 * @property {Simulation['failure'] | null} [failure]  a device fails in this step
 *
 * @typedef {StepReport} MeasuredStep  of times that were measured: fractions are not exact, costs are means
 *
 * @typedef {object} Measured  figures of times alone, whatever ran; summary and perRank have NaN where more would be needed
 * @property {number} ranks
 * @property {boolean} named  the file also says what ran
 * @property {{ count: number, rank: Int32Array, start: Float64Array, finish: Float64Array }} intervals
 * @property {Record<string, number>} summary
 * @property {Record<string, number>[]} perRank
 */

export {};
