"""Reference values of the tensor kernels, from PyTorch: writes values.txt beside this file.

Each line: a name, how many numbers, the numbers. Inputs are float32, results are computed from them in float64, so that
what differs is the kernels' rounding alone. Run with a Python that has torch (Debian: python3-torch):

    python3 tests/golden/torch/make.py
"""

import pathlib

import torch
from torch.nn import functional

torch.manual_seed(19)
lines = [f"# torch {torch.__version__}, by make.py"]


def put(name, values):
    numbers = values.detach().double().flatten().tolist()
    lines.append(" ".join([name, str(len(numbers)), *(f"{x:.17g}" for x in numbers)]))


def given(name, *shape, scale=1.0):
    """An input: random, rounded to float32, written down."""
    values = (scale * torch.randn(*shape)).double()
    put(name, values)
    return values.requires_grad_()


rows, inputs, outputs = 9, 13, 10
x, w, bias = given("x", rows, inputs), given("w", inputs, outputs), given("bias", outputs)
g = given("g", rows, outputs)
gx = given("gx", rows, inputs)


def gradients(prefix, y, gradient, **wanted):
    put(f"{prefix}.y", y)
    for name, grad in zip(wanted, torch.autograd.grad(y, list(wanted.values()), gradient)):
        put(f"{prefix}.{name}", grad)


gradients("linear", x @ w + bias, g, dx=x, dw=w, dbias=bias)
for name, function in {
    "tanh": torch.tanh,
    "relu": functional.relu,
    "gelu": lambda v: functional.gelu(v, approximate="tanh"),
}.items():
    gradients(name, function(x), gx, dx=x)

labels = torch.randint(outputs, (rows,))
put("labels", labels)
scores = given("scores", rows, outputs, scale=4.0)
put("softmax.y", functional.softmax(scores, dim=1))
losses = functional.cross_entropy(scores, labels, reduction="none")
gradients("cross_entropy", losses, torch.ones(rows).double(), dx=scores)
losses = functional.mse_loss(scores, g.detach(), reduction="none").sum(dim=1)
gradients("squared_error", losses, torch.ones(rows).double(), dx=scores)

gain, shift = given("gain", inputs), given("shift", inputs)
gradients("layer_norm", functional.layer_norm(x, (inputs,), gain, shift, 1e-5), gx, dx=x, dgain=gain, dshift=shift)
running_mean, running_variance = torch.zeros(inputs).double(), torch.ones(inputs).double()
y = functional.batch_norm(x, running_mean, running_variance, gain, shift, training=True, momentum=0.1, eps=1e-5)
gradients("batch_norm", y, gx, dx=x, dgain=gain, dshift=shift)
put("batch_norm.mean", running_mean)
put("batch_norm.variance", running_variance)
put("batch_norm.evaluated", functional.batch_norm(x, running_mean, running_variance, gain, shift, eps=1e-5))

steps = 6
pushes = given("pushes", steps, inputs)
for name, optimiser in {
    "sgd": lambda p: torch.optim.SGD([p], lr=0.05),
    "momentum": lambda p: torch.optim.SGD([p], lr=0.05, momentum=0.9),
    "adam": lambda p: torch.optim.Adam([p], lr=0.01, betas=(0.9, 0.999), eps=1e-8),
}.items():
    weights = torch.nn.Parameter(gain.detach().clone())
    chosen = optimiser(weights)
    for step in range(steps):
        weights.grad = pushes[step].detach().clone()
        chosen.step()
    put(name, weights)

pathlib.Path(__file__).with_name("values.txt").write_text("\n".join(lines) + "\n")
