#!/usr/bin/env python3
"""A small transformer, cut unevenly, by a schedule of `plan` or `simulate --format torch`: next to the network of layers
that run_schedule.py trains, one with an embedding, blocks and a head of its own.

    python3 transformer.py layers > layers.json                         what each of its blocks takes, for `plan`
    pipeline-figure plan layers.json -p 2 -m 4 --format torch -o table.csv
    python3 transformer.py run table.csv --out out.json                  trains a step by it, a process a rank

The embedding counts as the first layer and the head as the last one. How many layers each stage has stands in
table.csv.cut.json, which `plan` writes beside its table; without it they are as even as can be. The gradients of the step
are compared with those of the same network on one device, and the exit status is 1 where they differ.
"""
import argparse
import csv
import json
import os
import sys
import tempfile

import torch
import torch.multiprocessing as processes
from torch import nn

from stage_timer import time_stages

WORDS, WIDTH, HEADS, BLOCKS, LENGTH = 97, 32, 4, 6, 16
BATCH, MICROBATCHES = 16, 4


class Embedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Parameter(torch.randn(LENGTH, WIDTH) / 10)

    def forward(self, tokens):
        return self.words(tokens) + self.places


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.register_buffer("later", torch.triu(torch.ones(LENGTH, LENGTH, dtype=torch.bool), 1))

    def forward(self, x):
        y = self.first(x)
        x = x + self.attention(y, y, y, attn_mask=self.later, need_weights=False)[0]
        return x + self.narrow(nn.functional.gelu(self.wide(self.second(x))))


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.words = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)

    def forward(self, x):
        return self.words(self.norm(x)).clone()  # release 2.6 cannot detach a view in place, which a linear layer's output is


def layers():
    torch.manual_seed(7)
    return [Embedding(), *(Block() for _ in range(BLOCKS)), Head()]


def batch():
    generator = torch.Generator().manual_seed(11)
    tokens = torch.randint(0, WORDS, (BATCH, LENGTH + 1), generator=generator)
    return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()


def loss(output, target):
    """A sum over the micro-batch, divided by the whole batch: right whether gradients are divided afterwards or not."""
    total = nn.functional.cross_entropy(output.reshape(-1, WORDS), target.reshape(-1), reduction="sum")
    return total / (BATCH * LENGTH)


def read_table(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    place = {int(cell.split("F")[0]): rank for rank, row in enumerate(rows) for cell in row if "F" in cell and "_" not in cell}
    count, stages = BLOCKS + 2, len(place)
    sizes = [count // stages + (stage < count % stages) for stage in range(stages)]
    if os.path.exists(f"{path}.cut.json"):
        with open(f"{path}.cut.json", encoding="utf-8") as file:
            sizes = json.load(file)["sizes"]
    if len(sizes) != stages or sum(sizes) != count:
        sys.exit(f"{path}: layers {sizes} are not those of {stages} stages with {count} layers.")
    return rows, place, sizes


def rank_main(rank, path, store, out):
    from torch.distributed.pipelining import PipelineStage
    from torch.distributed.pipelining.schedules import _PipelineScheduleRuntime

    torch.set_num_threads(1)
    rows, place, sizes = read_table(path)
    torch.distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=len(rows))
    everything, begins = layers(), [sum(sizes[:stage]) for stage in range(len(sizes) + 1)]
    tokens, target = batch()
    each = BATCH // MICROBATCHES
    shape = [torch.empty(each, LENGTH, dtype=torch.long, device="meta")] + \
        [torch.empty(each, LENGTH, WIDTH, device="meta")] * (len(sizes) - 1) + \
        [torch.empty(each, LENGTH, WORDS, device="meta")]
    stages = [PipelineStage(nn.Sequential(*everything[begins[s]:begins[s + 1]]), s, len(sizes), torch.device("cpu"),
                            input_args=(shape[s],), output_args=(shape[s + 1],))
              for s in sorted(place) if place[s] == rank]
    more = {"stage_index_to_group_rank": place, "scale_grads": False}
    known = _PipelineScheduleRuntime.__init__.__code__.co_varnames
    schedule = _PipelineScheduleRuntime(stages, MICROBATCHES, loss_fn=loss,
                                        **{name: value for name, value in more.items() if name in known})
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as file:
        csv.writer(file).writerows(rows)
        file.flush()
        schedule._load_csv(file.name, format="compute_only")
    first, last = place[0] == rank, place[len(sizes) - 1] == rank
    losses = []
    schedule.step(*([tokens] if first else []), **({"target": target, "losses": losses} if last else {}))

    # The same step on one device.
    whole = nn.Sequential(*layers())
    expected = loss(whole(tokens), target)
    expected.backward()
    worst = largest = 0.0
    for stage in stages:
        mine = nn.Sequential(*everything[begins[stage.stage_index]:begins[stage.stage_index + 1]])
        same = nn.Sequential(*list(whole)[begins[stage.stage_index]:begins[stage.stage_index + 1]])
        for got, want in zip(mine.parameters(), same.parameters()):
            worst = max(worst, float((got.grad - want.grad).abs().max()))
            largest = max(largest, float(want.grad.abs().max()))
    found = [None] * len(rows)
    total = float(sum(part.detach() for part in losses)) if last else None
    torch.distributed.all_gather_object(found, (worst, largest, total))
    if rank == 0:
        worst, largest = max(item[0] for item in found), max(item[1] for item in found)
        reached = next(item[2] for item in found if item[2] is not None)
        report = {"sizes": sizes, "loss": reached, "expected_loss": float(expected.detach()),
                  "gradient_difference": worst, "largest_gradient": largest}
        with open(out, "w", encoding="utf-8") as file:
            json.dump(report, file)
        print(json.dumps(report))
    torch.distributed.destroy_process_group()
    # Ends at once: threads that gloo still has while the interpreter takes itself down may abort the process.
    sys.stdout.flush()
    os._exit(1 if max(item[0] for item in found) > 1e-4 * max(item[1] for item in found) else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["layers", "run"])
    parser.add_argument("table", nargs="?")
    parser.add_argument("--out", default="transformer.json")
    args = parser.parse_args()
    if args.what == "layers":
        torch.set_num_threads(1)
        tokens, target = batch()
        each = BATCH // MICROBATCHES
        times = time_stages(layers(), tokens[:each], lambda y: loss(y, target[:each]))
        rows = [dict(zip(times, row)) for row in zip(*times.values())]
        print(json.dumps({"layers": rows}))
        return
    if args.table is None:
        parser.error("the table to run by must follow")
    ranks = len(read_table(args.table)[0])
    with tempfile.TemporaryDirectory() as folder:
        processes.spawn(rank_main, (args.table, os.path.join(folder, "store"), args.out), nprocs=ranks)


if __name__ == "__main__":
    main()
