"""A list simulation of 1F1B in plain Python, the way most course notes write it: the yardstick of npm run bench.

Reads lines "ranks microbatches" and answers each with "makespan seconds".
"""

import sys
import time


def one_f_one_b(ranks, microbatches):
    lists = []
    for rank in range(ranks):
        warmup = min(microbatches, ranks - 1 - rank)
        actions = [("F", k) for k in range(warmup)]
        for k in range(microbatches - warmup):
            actions += [("F", warmup + k), ("B", k)]
        lists.append(actions + [("B", k) for k in range(microbatches - warmup, microbatches)])
    return lists


def simulate(lists, forward=1.0, backward=2.0):
    ranks = len(lists)
    finish, head, free = {}, [0] * ranks, [0.0] * ranks
    moved = True
    while moved:
        moved = False
        for rank in range(ranks):
            while head[rank] < len(lists[rank]):
                op, k = lists[rank][head[rank]]
                needs = ("F", rank - 1, k) if op == "F" else ("B", rank + 1, k)
                if 0 <= needs[1] < ranks and needs not in finish:
                    break
                start = max(free[rank], finish.get(needs, 0.0))
                free[rank] = finish[op, rank, k] = start + (forward if op == "F" else backward)
                head[rank] += 1
                moved = True
    return max(free)


for line in sys.stdin:
    ranks, microbatches = map(int, line.split())
    started = time.perf_counter()
    makespan = simulate(one_f_one_b(ranks, microbatches))
    print(makespan, time.perf_counter() - started, flush=True)
