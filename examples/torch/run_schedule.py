#!/usr/bin/env python3
"""Runs schedules of pipeline-figure on torch.distributed.pipelining, beside our own run of the same training, and
measures every action.

    node web/cli.js simulate -s 1f1b -p 2 -m 4 --format torch -o 1f1b.csv
    node web/cli.js train -s 1f1b -p 2 -m 4 --steps 10 --format torch -o task.json
    python3 run_schedule.py 1f1b.csv --task task.json --out run.json
    node web/cli.js check run.json --times measured
    node web/cli.js plan run.json

The schedule is what --format torch writes (computing alone, or with --comms transfers), or the JSON of "plan", which
also says how many layers each stage has. Several may be given: they run one after the other in the same processes, and
--out is then a folder. The task is a network, its first weights, the batches of each step, and the losses, gradients
and weights that our run came to. Nothing else is needed: no Node, no network.

One process per row of the schedule. Started alone, this program starts them itself; under torchrun
(torchrun --nproc-per-node 2 run_schedule.py ...), or with RANK, WORLD_SIZE and --store in the environment of each, it is
one of them. PyTorch 2.6 or newer; gloo on CPUs, nccl where each process has a GPU.

Gradients are sums over micro-batches of the loss divided by the samples of the whole batch: that is their mean. PyTorch
2.6 does not divide a schedule that it has loaded by the number of micro-batches, later releases do unless told not to;
here nothing is left to divide.

Exit status: 0, 1 (losses, gradients or weights differ by more than --tolerance, or a process failed), 2 (wrong use).
"""

import argparse
import base64
import csv
import datetime
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

OLDEST = (2, 6)
OPS = {"F": "forward", "I": "input", "W": "weight"}


class Refusal(Exception):
    """Wrong use: one line for the user."""


def options():
    parser = argparse.ArgumentParser(description="Runs a schedule of pipeline-figure on PyTorch and measures it.")
    parser.add_argument("schedules", nargs="+", metavar="SCHEDULE", help="a CSV of --format torch, or a plan's JSON")
    parser.add_argument("--task", required=True, help="what `train --format torch` wrote")
    parser.add_argument("--out", help="JSON of the measured run; a folder where several schedules are given")
    parser.add_argument("--cuts", help="layers of each stage, such as 3,5 (default: the plan's, or as even as can be)")
    parser.add_argument("--steps", type=int, help="steps to run (default: those of the task; more go round its batches)")
    parser.add_argument("--warmup", type=int, default=2, help="first steps that are not measured (default 2)")
    parser.add_argument("--pace", help="JSON of layer times in ms: each action then takes at least as long as there, "
                        "so that a schedule can be rehearsed where the devices are not")
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.add_argument("--timeout", type=float, default=120, help="seconds after which a wait is given up (default 120)")
    parser.add_argument("--store", default=os.environ.get("PIPELINE_STORE"), help="file through which processes started "
                        "by hand find each other")
    return parser.parse_args()


# ---- files ----


def read_text(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise Refusal(f"{path}: cannot be read ({error.strerror}).") from None


def read_json(path):
    try:
        return json.loads(read_text(path))
    except ValueError:
        raise Refusal(f"{path}: not JSON.") from None


def read_schedule(path):
    """The rows of cells, and the layers of each stage where the file tells (else None)."""
    text = read_text(path)
    sizes = None
    if text.lstrip().startswith("{"):
        plan = read_json(path).get("best") or {}
        text, sizes = plan.get("table"), plan.get("sizes")
        if not isinstance(text, str):
            raise Refusal(f"{path}: neither a table of PyTorch nor what `plan --format json` writes.")
    elif os.path.exists(f"{path}.cut.json"):  # beside a table that `plan --format torch -o` wrote
        sizes = read_json(f"{path}.cut.json").get("sizes")
    rows = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines())]
    return [row for row in rows if row], sizes


def read_task(path):
    task = read_json(path)
    if not isinstance(task, dict) or task.get("kind") != "pipeline-figure task":
        raise Refusal(f"{path}: not what `train --format torch` writes.")
    return task


CELL = re.compile(r"(\d+)([A-Z_]+?)(\d*)")


class Order:
    """What a table says, and whether this training can be run by it. Knows no PyTorch."""

    def __init__(self, path, task, cuts):
        self.path = path
        self.rows, planned = read_schedule(path)
        self.depth = len(task["widths"]) - 1
        self.read_cells()
        self.sizes = self.read_cuts(cuts or planned)
        self.begins = [sum(self.sizes[:stage]) for stage in range(self.stage_count + 1)]
        batch = task["settings"]["batch"]
        if batch % self.microbatches:
            raise Refusal(f"{path}: {self.microbatches} micro-batches do not divide a batch of {batch}; PyTorch's pipeline "
                          "has buffers of one size.")

    def read_cells(self):
        self.place, backwards, forwards = {}, 0, {}
        self.lowered = False
        for rank, row in enumerate(self.rows):
            for cell in filter(None, row):
                found = [match.groups() for match in CELL.finditer(cell)] if cell.startswith("(") else \
                    [match.groups() for match in [CELL.fullmatch(cell)] if match]
                if not found:
                    raise Refusal(f"{self.path}: {cell} is not an action; an action is stage, op, micro-batch, such as 2F0.")
                for stage, op, microbatch in found:
                    self.lowered |= op.startswith(("SEND", "RECV"))
                    backwards += op in ("B", "I")
                    if op == "F":
                        if self.place.setdefault(int(stage), rank) != rank:
                            raise Refusal(f"{self.path}: stage {stage} lies on two ranks.")
                        forwards.setdefault(int(stage), []).append(int(microbatch or 0))
        self.stage_count, self.microbatches = len(self.place), len(forwards.get(0, []))
        if not backwards:
            raise Refusal(f"{self.path}: no backward, so nothing to train.")
        for stage, order in forwards.items():
            if order != sorted(order):
                raise Refusal(f"{self.path}: the forwards of stage {stage} come in another order than their numbers; "
                              "PyTorch files outputs and losses by the order in which they are made.")

    def read_cuts(self, cuts):
        depth, stages = self.depth, self.stage_count
        if cuts is None:
            sizes = [depth // stages + (stage < depth % stages) for stage in range(stages)]
        else:
            try:
                sizes = [int(size) for size in (cuts.replace(",", " ").split() if isinstance(cuts, str) else cuts)]
            except ValueError:
                raise Refusal(f"cuts = {cuts}: whole numbers are needed, such as 3,5.") from None
        if len(sizes) != stages or sum(sizes) != depth or min(sizes) < 1:
            raise Refusal(f"{self.path}: cuts = {' '.join(map(str, sizes))}: {stages} stages must hold {depth} layers, "
                          "each at least one.")
        return sizes


def floats(torch, text):
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=torch.float32)


def whole_numbers(torch, text):
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=torch.int32).long()


# ---- starting the processes ----


def launch(args, count):
    """One process per rank, as torchrun would start them but over a file. Ends them all when one fails or time is up."""
    with tempfile.TemporaryDirectory() as folder:
        children = []
        try:
            for rank in range(count):
                env = dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(count),
                           PIPELINE_STORE=args.store or os.path.join(folder, "store"))
                env.setdefault("GLOO_SOCKET_IFNAME", "lo")  # all are on this machine
                children.append(subprocess.Popen([sys.executable, os.path.abspath(__file__), *sys.argv[1:]], env=env))
            until = time.monotonic() + 600 + args.timeout
            while True:
                states = [child.poll() for child in children]
                failed = [state for state in states if state]
                if failed or all(state == 0 for state in states):
                    # A refusal is everybody's; where one process failed, the others only waited for it.
                    return 2 if failed and set(failed) == {2} else int(bool(failed))
                if time.monotonic() > until:
                    print("run_schedule: the processes did not come to an end.", file=sys.stderr)
                    return 1
                time.sleep(0.02)
        finally:
            for child in children:
                if child.poll() is None:
                    child.terminate()
            for child in children:
                try:
                    child.wait(5)
                except subprocess.TimeoutExpired:
                    child.kill()


# ---- one process ----


class Pace:
    """What each action has to last, in seconds, by the times of its layers."""

    def __init__(self, layers):
        self.layers = layers

    def of(self, op, begin, end):
        names = ("input", "weight") if op == "B" else (OPS[op],)
        return sum(layer[name] for layer in self.layers[begin:end] for name in names) / 1e3


def read_layers(path, count):
    """[{"forward": ms, "input": ms, "weight": ms}, ...]; a backward alone is halved."""
    layers = read_json(path)
    layers = layers.get("layers") if isinstance(layers, dict) else layers
    if not isinstance(layers, list) or len(layers) != count:
        raise Refusal(f"{path}: times of {count} layers are needed.")
    out = []
    for layer in layers:
        backward = layer.get("backward", 0)
        out.append({"forward": layer["forward"], "input": layer.get("input", backward / 2),
                    "weight": layer.get("weight", backward / 2)})
    return out


class Runner:
    """One rank: the network's layers, and what is common to all schedules."""

    def __init__(self, args):
        try:
            import torch
            import torch.distributed as dist
        except ImportError:
            raise Refusal("PyTorch is not here; on Debian 13: apt-get install python3-torch (and its own python3).")
        release = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
        if release < OLDEST:
            raise Refusal(f"PyTorch {torch.__version__} cannot load schedules; 2.6 or newer is needed.")
        self.torch, self.dist, self.args = torch, dist, args
        self.rank, self.world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        local = int(os.environ.get("LOCAL_RANK", self.rank))
        gpu = torch.cuda.is_available() and torch.cuda.device_count() > local
        self.device = torch.device(f"cuda:{local}" if gpu else "cpu")
        if gpu:
            torch.cuda.set_device(self.device)
        torch.set_num_threads(max(1, (os.cpu_count() or 1) // self.world))
        os.environ.setdefault("USE_LIBUV", "0")  # not every build has it, Debian's does not
        where = {"store": dist.FileStore(args.store, self.world)} if args.store else {"init_method": "env://"}
        dist.init_process_group("nccl" if gpu else "gloo", rank=self.rank, world_size=self.world,
                                timeout=datetime.timedelta(seconds=args.timeout), **where)
        self.load_task()

    def load_task(self):
        torch, task = self.torch, read_task(self.args.task)
        self.task, self.settings, self.widths = task, task["settings"], task["widths"]
        self.depth = len(self.widths) - 1
        self.first = self.split(floats(torch, task["parameters"]))
        self.gradients = self.split(floats(torch, task["gradients"]))
        self.trained = self.split(floats(torch, task["trained"]))
        batch = self.settings["batch"]
        self.batches = [(floats(torch, step["features"]).view(batch, -1).to(self.device),
                         whole_numbers(torch, step["labels"]).to(self.device)) for step in task["steps"]]
        self.steps = self.args.steps or len(self.batches)
        self.compared = min(self.steps, len(self.batches))
        self.pace = Pace(read_layers(self.args.pace, self.depth)) if self.args.pace else None

    def split(self, flat):
        """Weights [inputs][outputs] and biases of each layer, as they stand one after the other."""
        layers, at = [], 0
        for inputs, outputs in zip(self.widths, self.widths[1:]):
            weight = flat[at:at + inputs * outputs].view(inputs, outputs).t().contiguous()
            at += inputs * outputs
            layers.append((weight, flat[at:at + outputs].clone()))
            at += outputs
        return layers

    def module(self, begin, end):
        torch, parts = self.torch, []
        for index in range(begin, end):
            layer = torch.nn.Linear(self.widths[index], self.widths[index + 1])
            with torch.no_grad():
                layer.weight.copy_(self.first[index][0])
                layer.bias.copy_(self.first[index][1])
            parts.append(layer)
            if index + 1 < self.depth:
                parts.append({"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU, "identity": torch.nn.Identity}
                             [self.settings["activation"]]())
        return torch.nn.Sequential(*parts).to(self.device)

    def loss(self, output, target):
        """The share of these samples in the mean over the batch."""
        functional = self.torch.nn.functional
        if self.settings["loss"] == "cross-entropy":
            total = functional.cross_entropy(output, target, reduction="sum")
        else:
            wanted = (2 * (target > 0) - 1).unsqueeze(1) if output.shape[1] == 1 else \
                functional.one_hot(target, output.shape[1])
            total = functional.mse_loss(output, wanted.to(output.dtype), reduction="sum")
        return total / self.settings["batch"]

    def now(self):
        if self.device.type == "cuda":
            self.torch.cuda.synchronize()
        return time.monotonic()

    def run(self, path, out):
        run = Run(self, path)
        return run.report(out, run.steps())


class Run(Order):
    """One schedule, by one rank."""

    def __init__(self, runner, path):
        super().__init__(path, runner.task, runner.args.cuts)
        self.runner = runner
        if len(self.rows) != runner.world:
            raise Refusal(f"{path}: {len(self.rows)} ranks, but there are {runner.world} processes.")
        self.build()

    def build(self):
        from torch.distributed.pipelining import PipelineStage
        from torch.distributed.pipelining.schedules import _Action, _PipelineScheduleRuntime

        for cell in (cell for row in self.rows for cell in row if cell):
            try:
                known = str(_Action.from_str(cell)) == cell
            except Exception:  # what it raises differs from release to release
                known = False
            if not known:
                raise Refusal(f"{self.path}: this release of PyTorch has no action {cell}"
                              + ("; write the table with --comms transfers." if "REDUCE" in cell else "."))

        runner, torch = self.runner, self.runner.torch
        rows_each = runner.settings["batch"] // self.microbatches
        self.stages = []
        for stage in sorted(stage for stage, rank in self.place.items() if rank == runner.rank):
            begin, end = self.begins[stage], self.begins[stage + 1]
            # Shapes are told: asked of the stages, 2.6 takes the rank below for the stage below.
            shapes = [torch.empty(rows_each, runner.widths[at], device="meta") for at in (begin, end)]
            self.stages.append(PipelineStage(runner.module(begin, end), stage, self.stage_count, runner.device,
                                             input_args=(shapes[0],), output_args=(shapes[1],)))
        known = inspect.signature(_PipelineScheduleRuntime.__init__).parameters
        more = {"stage_index_to_group_rank": self.place, "scale_grads": False}
        self.schedule = _PipelineScheduleRuntime(self.stages, self.microbatches, loss_fn=runner.loss,
                                                 **{name: value for name, value in more.items() if name in known})
        with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as file:
            csv.writer(file).writerows(self.rows)
            file.flush()
            self.schedule._load_csv(file.name, format="compute_comms" if self.lowered else "compute_only")
        self.actions = []
        for stage in self.stages:
            self.measure(stage)
        compute = self.schedule._maybe_compute_loss

        def with_loss(stage, *rest):  # the loss belongs to the forward of the last stage
            compute(stage, *rest)
            if stage.is_last:
                self.actions[-1][4] = runner.now()

        self.schedule._maybe_compute_loss = with_loss

    def measure(self, stage):
        """Notes when each action of this stage starts and finishes: its input is there, its output is made."""
        begin, end = self.begins[stage.stage_index], self.begins[stage.stage_index + 1]

        def timed(function, op_of):
            def call(microbatch, *args, **named):
                op, start = op_of(named), self.runner.now()
                result = function(microbatch, *args, **named)
                if self.runner.pace:
                    rest = start + self.runner.pace.of(op, begin, end) - self.runner.now()
                    if rest > 0:
                        time.sleep(rest)
                self.actions.append([op, stage.stage_index, microbatch, start, self.runner.now()])
                return result

            return call

        stage.forward_one_chunk = timed(stage.forward_one_chunk, lambda named: "F")
        stage.backward_one_chunk = timed(stage.backward_one_chunk,
                                         lambda named: "B" if named.get("full_backward", True) else "I")
        stage.backward_weight_one_chunk = timed(stage.backward_weight_one_chunk, lambda named: "W")

    # -- training --

    def steps(self):
        runner, torch = self.runner, self.runner.torch
        first, last = self.place[0] == runner.rank, self.place[self.stage_count - 1] == runner.rank
        layers = self.layer_times()
        losses, taken, differences = [], [], {}
        for step in range(runner.steps):
            features, labels = runner.batches[step % len(runner.batches)]
            made = []
            self.actions.clear()
            runner.dist.barrier()
            left = runner.now()
            self.schedule.step(*([features] if first else []), **({"target": labels, "losses": made} if last else {}))
            taken.append((left, [list(action) for action in self.actions]))
            losses.append(float(sum(loss.detach() for loss in made)) if last else 0.0)
            if step + 1 == len(runner.batches):
                differences["gradient"] = self.difference(runner.gradients, lambda parameter: parameter.grad)
            with torch.no_grad():
                for stage in self.stages:
                    for parameter in stage.submod.parameters():
                        parameter -= runner.settings["rate"] * parameter.grad
                        parameter.grad = None
            if step + 1 == len(runner.batches):
                differences["weight"] = self.difference(runner.trained, lambda parameter: parameter)
        host = os.uname().nodename + read_text("/proc/sys/kernel/random/boot_id") if os.path.exists("/proc") else None
        return {"losses": losses, "taken": taken, "differences": differences, "layers": layers, "host": host}

    def difference(self, wanted, of):
        """The largest, over the layers of this rank; the largest of what is wanted beside it."""
        worst = largest = 0.0
        for stage in self.stages:
            linear = [part for part in stage.submod if hasattr(part, "weight")]
            for layer, part in enumerate(linear, self.begins[stage.stage_index]):
                for want, got in zip(wanted[layer], (part.weight, part.bias)):
                    worst = max(worst, float((of(got).detach().cpu() - want).abs().max()))
                    largest = max(largest, float(want.abs().max()))
        return worst, largest

    def layer_times(self):
        """What each layer of this rank takes alone, in ms: the shares of a stage's time that its layers have."""
        runner, torch = self.runner, self.runner.torch
        times = {}
        for stage in self.stages:
            begin = self.begins[stage.stage_index]
            parts = list(stage.submod)
            for number, at in enumerate(range(0, len(parts), 2)):
                layer = begin + number
                if runner.pace:
                    times[layer] = runner.pace.layers[layer]
                    continue
                piece = torch.nn.Sequential(*parts[at:at + 2])
                rows = runner.settings["batch"] // self.microbatches
                x = torch.zeros(rows, runner.widths[layer], device=runner.device, requires_grad=True)
                tries = []
                for _ in range(7):
                    clock = [runner.now()]
                    y = piece(x)
                    clock.append(runner.now())
                    torch.autograd.grad(y, x, torch.ones_like(y), retain_graph=True)
                    clock.append(runner.now())
                    torch.autograd.grad(y, list(piece.parameters()), torch.ones_like(y))
                    clock.append(runner.now())
                    tries.append([1e3 * (b - a) for a, b in zip(clock, clock[1:])])
                middle = [sorted(column)[len(tries) // 2] for column in zip(*tries)]
                times[layer] = dict(zip(("forward", "input", "weight"), middle))
        return times

    # -- what came of it --

    def report(self, out, mine):
        runner, dist = self.runner, self.runner.dist
        everyone = [None] * runner.world if runner.rank == 0 else None
        dist.gather_object(mine, everyone, dst=0)
        verdict = [self.write(out, everyone) if runner.rank == 0 else None]
        dist.broadcast_object_list(verdict, src=0)
        return verdict[0]

    def write(self, out, everyone):
        runner, task, dist = self.runner, self.runner.task, self.runner.dist
        # One clock on one machine; else each rank counts from where it left the barrier before the step.
        one_clock = len({mine["host"] for mine in everyone}) == 1 and everyone[0]["host"] is not None
        steps, makespans = [], []
        for step in range(runner.steps):
            actions = []
            for rank, mine in enumerate(everyone):
                left, taken = mine["taken"][step]
                zero = 0 if one_clock else left
                actions += [{"rank": rank, "index": index, "op": op, "stage": stage, "microbatch": microbatch,
                             "start": 1e3 * (start - zero), "finish": 1e3 * (finish - zero)}
                            for index, (op, stage, microbatch, start, finish) in enumerate(taken)]
            zero = min(action["start"] for action in actions)
            for action in actions:
                action["start"] -= zero
                action["finish"] -= zero
            steps.append(actions)
            makespans.append(max(action["finish"] for action in actions))
        measured = list(range(min(runner.args.warmup, runner.steps - 1), runner.steps))
        median = sorted(measured, key=lambda step: makespans[step])[(len(measured) - 1) // 2]
        losses = [sum(mine["losses"][step] for mine in everyone) for step in range(runner.steps)]
        references = [step["loss"] for step in task["steps"]][:runner.compared]
        loss_difference = max(abs(a - b) for a, b in zip(losses, references))
        # Ours are those of the last step of the task: nothing to compare with where fewer were run.
        differences = {name: [max(mine["differences"][name][n] for mine in everyone) for n in (0, 1)]
                       for name in everyone[0]["differences"]}
        layers = {layer: times for mine in everyone for layer, times in mine["layers"].items()}
        name = os.path.splitext(os.path.basename(self.path))[0]
        result = {
            "kind": "pipeline-figure run", "schedule": name, "ranks": runner.world,
            "chunks": self.stage_count // runner.world, "stages": self.stage_count,
            "microbatches": self.microbatches, "sizes": self.sizes, "layers": [layers[n] for n in range(runner.depth)],
            "makespans": [makespans[step] for step in measured], "step": median,
            "torch": runner.torch.__version__, "backend": dist.get_backend(), "clock": "one" if one_clock else "barrier",
            "paced": runner.pace is not None, "losses": losses, "references": references,
            "loss_difference": loss_difference,
            **{f"{name}_difference": worst for name, (worst, _) in differences.items()}, "actions": steps[median],
        }
        if out:
            with open(out, "w", encoding="utf-8") as file:
                json.dump(result, file)
                file.write("\n")
        fine = loss_difference <= runner.args.tolerance and all(
            worst <= runner.args.tolerance * max(1, largest) for worst, largest in differences.values())
        spread = result["makespans"]
        apart = "".join(f", of {name}s {worst:.1e}" for name, (worst, _) in differences.items())
        print(f"{name}: {runner.world} ranks, {self.stage_count} stages, {self.microbatches} micro-batches, "
              f"PyTorch {runner.torch.__version__}, {result['backend']}\n"
              f"  {runner.compared} steps beside ours: largest difference of losses {loss_difference:.1e}{apart}"
              f"{'' if fine else '   TOO MUCH'}\n"
              f"  a step takes {makespans[median]:.2f} ms (median of {len(spread)}; {min(spread):.2f} to {max(spread):.2f})",
              flush=True)
        return fine


def worker(args):
    runner = Runner(args)
    several, fine = len(args.schedules) > 1, True
    if several and args.out and runner.rank == 0:
        os.makedirs(args.out, exist_ok=True)
    for path in args.schedules:
        name = os.path.splitext(os.path.basename(path))[0]
        fine &= runner.run(path, os.path.join(args.out, f"{name}.json") if several and args.out else args.out)
    runner.dist.destroy_process_group()
    leave(0 if fine else 1)


def leave(status):
    """Ends this process at once. PyTorch 2.6 may still have threads of gloo while the interpreter takes itself down, and
    such a process then aborts ("terminate called without an active exception") although its work is done."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def main():
    args = options()
    try:
        if "RANK" in os.environ:
            return worker(args)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that launch() ends its children
        task = read_task(args.task)
        counts = [len(Order(path, task, args.cuts).rows) for path in args.schedules]
        if len(set(counts)) > 1:
            raise Refusal(f"schedules of {' and '.join(map(str, sorted(set(counts))))} ranks cannot share their processes.")
        return launch(args, counts[0])
    except Refusal as refusal:
        if int(os.environ.get("RANK", 0)) == 0:
            print(f"run_schedule: {refusal}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
