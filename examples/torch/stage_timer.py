#!/usr/bin/env python3
"""How long the stages of a network of yours take: a file of its own, to be copied; it needs PyTorch and nothing else.

    from stage_timer import time_stages
    print(json.dumps(time_stages(modules, example, loss)))

modules: the stages in order, each with one input and one output. example: a micro-batch of inputs. loss: takes the last
output and returns a number. The times are medians in milliseconds, in the form that `pipeline-figure plan` reads:
{"forward": [...], "input": [...], "weight": [...]}, a number a stage; "input" is the backward for what came in, "weight" that
for the stage's own weights. The loss belongs to the last stage.

By itself, `python3 stage_timer.py`, it times a small network, as an example of its use.
"""
import json
import time

import torch


def now(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def time_stage(module, x, finish, device):
    """Forward, backward for the input, backward for the weights, in seconds; and the output."""
    weights = [weight for weight in module.parameters() if weight.requires_grad]
    clock = [now(device)]
    y = module(x)
    ends = finish(y)
    clock.append(now(device))
    upstream = None if ends.dim() == 0 else torch.ones_like(ends)
    if x.requires_grad:
        torch.autograd.grad(ends, x, upstream, retain_graph=True, allow_unused=True)
    clock.append(now(device))
    if weights:
        torch.autograd.grad(ends, weights, upstream, allow_unused=True)
    clock.append(now(device))
    return [after - before for before, after in zip(clock, clock[1:])], y.detach()


def time_stages(modules, example, loss, tries=9, device=torch.device("cpu")):
    columns = {"forward": [], "input": [], "weight": []}
    x = example.to(device)
    for place, module in enumerate(modules):
        module = module.to(device)
        finish = loss if place == len(modules) - 1 else (lambda y: y)
        given = x.requires_grad_(True) if x.is_floating_point() else x
        times = []
        for _ in range(tries + 2):  # the first two warm up
            taken, y = time_stage(module, given, finish, device)
            times.append(taken)
        for name, column in zip(columns, zip(*times[2:])):
            columns[name].append(1e3 * sorted(column)[tries // 2])
        x = y
    return columns


if __name__ == "__main__":
    torch.manual_seed(1)
    torch.set_num_threads(1)
    net = [torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Tanh()) for _ in range(4)]
    print(json.dumps(time_stages(net, torch.randn(32, 64), lambda y: (y * y).mean())))
