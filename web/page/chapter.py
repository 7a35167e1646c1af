"""The numbers of chapter 19.4, recomputed with the standard library alone.

    python3 chapter.py

A schedule is, for each device, an ordered list of actions (op, stage, micro-batch); idle time is not part of it but
comes out of timing it. Everything is numbered from 0 here, from 1 on the page. The parts between marker lines
are printed in the chapter word for word; what follows them checks the other tables of the chapter.
"""

# listing 1: begin
from fractions import Fraction

p, m = 3, 4
ticks = m + p - 1
utilization = Fraction(m, ticks)
bubble_fraction = 1 - utilization
bubble_ratio = Fraction(p - 1, m)
assert ticks == 6 and utilization == Fraction(2, 3)
assert (bubble_fraction, bubble_ratio) == (Fraction(1, 3), Fraction(1, 2))
# listing 1: end


# listing 2: begin
from itertools import accumulate


def one_way(p, m):
    return [[("F", d, k) for k in range(m)] for d in range(p)]


def gpipe(p, m):
    return [[(op, d, k) for op in "FB" for k in range(m)] for d in range(p)]


def one_f_one_b(p, m):
    schedule = []
    for d in range(p):
        ahead = min(m, p - d)
        actions = [("F", d, k) for k in range(ahead)]
        for k in range(m):
            actions.append(("B", d, k))
            if ahead + k < m:
                actions.append(("F", d, ahead + k))
        schedule.append(actions)
    return schedule


def simulate(schedule, cost, latency=0):
    home = {s: d for d, todo in enumerate(schedule) for _, s, _ in todo}
    finish, free, done = {}, [0] * len(schedule), [0] * len(schedule)
    while any(n < len(todo) for n, todo in zip(done, schedule)):
        before = sum(done)
        for d, todo in enumerate(schedule):
            while done[d] < len(todo):
                op, stage, k = todo[done[d]]
                source = stage - 1 if op == "F" else stage + 1
                arrival = 0
                if source in home:
                    if (op, source, k) not in finish:
                        break
                    on_the_way = latency if home[source] != d else 0
                    arrival = finish[op, source, k] + on_the_way
                free[d] = max(free[d], arrival) + cost[op][stage]
                finish[op, stage, k] = free[d]
                done[d] += 1
        assert sum(done) > before, "deadlock: every device waits"
    return max(free)


def peaks(schedule):
    result = []
    for todo in schedule:
        steps = (1 if op == "F" else -1 for op, _, _ in todo)
        result.append(max(accumulate(steps)))
    return result


assert simulate(one_way(3, 4), {"F": [1, 1, 1]}) == 6

p, m = 4, 8
cost = {"F": [1] * p, "B": [2] * p}
for schedule in gpipe(p, m), one_f_one_b(p, m):
    total = simulate(schedule, cost)
    busy = sum(cost[op][s] for todo in schedule for op, s, _ in todo)
    assert total == 33
    assert Fraction(p * total - busy, p * total) == Fraction(3, 11)
    assert Fraction(p * total - busy, busy) == Fraction(3, 8)
assert peaks(gpipe(p, m)) == [8, 8, 8, 8]
assert peaks(one_f_one_b(p, m)) == [4, 3, 2, 1]
# listing 2: end


def interleaved(p, m, v):
    """v stages on each device, stage s on device s mod p; p divides m. Micro-batches go in groups of p."""
    table = [(k, c) for first in range(0, m, p) for c in range(v) for k in range(first, first + p)]
    schedule = []
    for d in range(p):
        forward = [("F", c * p + d, k) for k, c in table]
        backward = [("B", (v - 1 - c) * p + d, k) for k, c in table]
        ahead = min(m * v, 2 * (p - 1 - d) + (v - 1) * p)
        steady = [action for pair in zip(forward[ahead:], backward) for action in pair]
        schedule.append(forward[:ahead] + steady + backward[m * v - ahead:])
    return schedule


def check_chapter():
    half, p, m = Fraction(1, 2), 4, 8
    whole = {"F": [1] * p, "B": [2] * p}
    split = {"F": [half] * (2 * p), "B": [1] * (2 * p)}

    # p = 3: micro-batches, ticks, utilization, bubble ratio
    for count, used in (1, (1, 3)), (2, (1, 2)), (4, (2, 3)), (8, (4, 5)), (16, (8, 9)), (32, (16, 17)):
        total = simulate(one_way(3, count), {"F": [1] * 3})
        assert total == count + 2 and Fraction(count, total) == Fraction(*used)
        assert Fraction(2, count) == Fraction(3 * total - 3 * count, 3 * count)

    # unequal stages; six layers of cost 2 1 1 1 1 2 cut by their number and by their cost
    for stages, total in ((1, 1, 2, 1), 19), ((3, 2, 1, 2), 29), ((2, 2, 2, 2), 22), ((1, 1, 1, 2), 19):
        assert simulate(one_way(p, m), {"F": stages}) == total == sum(stages) + (m - 1) * max(stages)

    # recomputation just before each backward
    assert simulate(gpipe(p, m), {"F": [1] * p, "B": [3] * p}) == 44

    # interleaving: time, bubble, what is held; messages one way
    assert simulate(interleaved(p, m, 2), split) == 28.5
    assert Fraction(57 - m * 6, m * 6) == Fraction(3, 16)
    assert peaks(interleaved(p, m, 2)) == [11, 9, 7, 5]
    assert ((p - 1) * m, (2 * p - 1) * m) == (24, 56)

    # transfers: GPipe, 1F1B, interleaved
    for latency, times in (0, (33, 33, 28.5)), (half, (36, 41, 35.5)), (1, (39, 49, 46)), (2, (45, 65, 70)):
        assert simulate(gpipe(p, m), whole, latency) == times[0]
        assert simulate(one_f_one_b(p, m), whole, latency) == times[1]
        assert simulate(interleaved(p, m, 2), split, latency) == times[2]

    # the questions at the end
    assert simulate(one_way(5, 9), {"F": [1] * 5}) == 13
    assert Fraction(7, 63 + 7) == Fraction(1, 10) and Fraction(7, 62 + 7) > Fraction(1, 10)


if __name__ == "__main__":
    check_chapter()
    print("forward  p=3 m=4: 6 ticks, utilization 2/3")
    print("GPipe    p=4 m=8: 33 ticks, bubble fraction 3/11, held 8 8 8 8")
    print("1F1B     p=4 m=8: 33 ticks, bubble fraction 3/11, held 4 3 2 1")
