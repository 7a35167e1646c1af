"""The orders that PyTorch itself makes, as tables: for each line "NAME RANKS MICROBATCHES CHUNKS" of standard input a JSON
string with a row per rank. Its classes ask little of a stage, so stubs do; gpipe and 1f1b have no table in release 2.6,
there the calls that a rank's stage gets are noted down."""

import json
import sys
from types import SimpleNamespace

from torch.distributed.pipelining import schedules

CLASSES = {
    "gpipe": "GPipe",
    "1f1b": "1F1B",
    "interleaved": "Interleaved1F1B",
    "bfs": "LoopedBFS",
    "interleaved-zb": "InterleavedZeroBubble",
    "zb-v": "ZBVZeroBubble",
}


class Stage(SimpleNamespace):
    """Notes what is asked of it; sends and receives nothing."""

    def note(self, op, microbatch):
        self.row.append(f"{self.stage_index}{op}{microbatch}")

    def forward_one_chunk(self, microbatch, *_args, **_named):
        self.note("F", microbatch)

    def backward_one_chunk(self, microbatch, *_args, **_named):
        self.note("B", microbatch)

    def clear_runtime_states(self):
        pass

    def _nothing(self, *_args, **_named):
        return []

    get_fwd_recv_ops = get_fwd_send_ops = get_bwd_recv_ops = get_bwd_send_ops = _nothing


def stages_of(rank, ranks, chunks, row):
    count = ranks * chunks
    return [
        Stage(stage_index=rank + ranks * chunk, num_stages=count, group_size=ranks, group_rank=rank, row=row,
              is_first=rank + chunk == 0, is_last=rank + ranks * chunk == count - 1, has_backward=True, device="cpu",
              stage_index_to_group_rank={stage: stage % ranks for stage in range(count)}, submod=None, group=None)
        for chunk in range(chunks)
    ]


def rows_of(name, ranks, microbatches, chunks):
    made = schedules.get_schedule_class(CLASSES[name])
    loss = lambda *_: 0
    rows = []
    if issubclass(made, schedules.PipelineScheduleSingle):
        for rank in range(ranks):
            row = []
            (stage,) = stages_of(rank, ranks, 1, row)
            schedule = made(stage, microbatches, loss_fn=loss)
            for flag in ("_stage_initialized", "_stage_forward_initialized", "_stage_backward_initialized"):
                setattr(schedule, flag, True)
            schedule._step_microbatches([()] * microbatches, [{}] * microbatches, [None] * microbatches, [])
            rows.append(row)
        return rows
    order = made(stages_of(0, ranks, chunks, []), microbatches, loss_fn=loss).pipeline_order
    return [["" if action is None else str(action) for action in order[rank]] for rank in range(ranks)]


for line in sys.stdin:
    name, *numbers = line.split()
    print(json.dumps(rows_of(name, *map(int, numbers))), flush=True)
