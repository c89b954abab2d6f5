"""One epoch of private training: ours, Opacus by hooks and by ghost clipping, and without privacy.

Run: python -m benchmarks.deep [--json]. All four train the same network on the same records in the
same batches; the plain epoch is the floor. Runs alternate, and the fastest of each is compared.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable

import torch
from torch import nn

from dpcore.deep.networks import perceptron, small_cnn
from dpcore.deep.recipe import Recipe
from dpcore.deep.training import Run

BATCH, CLIP, SIGMA, RATE = 512, 1.0, 1.0, 0.1
ROUNDS = 7


def plain(network: nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> Callable[[], None]:
    """An epoch without privacy."""
    optimizer = torch.optim.SGD(network.parameters(), lr=RATE)

    def epoch() -> None:
        for part in torch.randperm(len(inputs)).split(BATCH):
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(inputs[part]), targets[part]).backward()
            optimizer.step()

    return epoch


def ours(kind: str, inputs: torch.Tensor, targets: torch.Tensor) -> Callable[[], None]:
    """An epoch of `dpcore.deep`, Poisson batches included."""
    recipe = Recipe(
        network=kind,
        widths=(128,),
        activation="relu" if kind == "perceptron" else "tanh",
        epochs=10**5,
        batch=BATCH,
        learning_rate=RATE,
        clip=CLIP,
        sigma=SIGMA,
    )
    run = Run(recipe, inputs.numpy(), targets.numpy(), 10)
    return lambda: run.advance(run.steps_an_epoch) and None


def opacus(
    network: nn.Module, inputs: torch.Tensor, targets: torch.Tensor, mode: str
) -> Callable[[], None]:
    """An epoch of Opacus, batches drawn as in `plain` (its own loader would cost it more)."""
    from opacus import GradSampleModule
    from opacus.grad_sample import GradSampleModuleFastGradientClipping
    from opacus.optimizers import DPOptimizer, DPOptimizerFastGradientClipping
    from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping

    inner = torch.optim.SGD(network.parameters(), lr=RATE)
    settings = {"noise_multiplier": SIGMA, "max_grad_norm": CLIP, "expected_batch_size": BATCH}
    if mode == "hooks":
        module = GradSampleModule(network)
        optimizer = DPOptimizer(inner, **settings)
        loss = nn.functional.cross_entropy
    else:
        module = GradSampleModuleFastGradientClipping(
            network, max_grad_norm=CLIP, use_ghost_clipping=True
        )
        optimizer = DPOptimizerFastGradientClipping(inner, **settings)
        loss = DPLossFastGradientClipping(module, optimizer, nn.CrossEntropyLoss(), "mean")

    def epoch() -> None:
        for part in torch.randperm(len(inputs)).split(BATCH):
            optimizer.zero_grad()
            loss(module(inputs[part]), targets[part]).backward()
            optimizer.step()

    return epoch


def compared(epochs: dict[str, Callable[[], None]]) -> dict[str, float]:
    """Seconds of the fastest epoch of each, taken in turn."""
    taken: dict[str, list[float]] = {name: [] for name in epochs}
    for epoch in epochs.values():
        epoch()
    for _ in range(ROUNDS):
        for name, epoch in epochs.items():
            started = time.perf_counter()
            epoch()
            taken[name].append(time.perf_counter() - started)
    return {name: min(times) for name, times in taken.items()}


def measure(kind: str, records: int) -> dict[str, float]:
    """Seconds of each, for one network."""
    torch.manual_seed(0)
    shape = (784,) if kind == "perceptron" else (1, 28, 28)
    inputs, targets = torch.randn(records, *shape), torch.randint(0, 10, (records,))

    def network() -> nn.Module:
        return perceptron(784, (128,), 10) if kind == "perceptron" else small_cnn(1, 28, 10)

    return compared(
        {
            "plain": plain(network(), inputs, targets),
            "ours": ours(kind, inputs, targets),
            "opacus ghost": opacus(network(), inputs, targets, "ghost"),
            "opacus hooks": opacus(network(), inputs, targets, "hooks"),
        }
    )


def main() -> None:
    """Print seconds and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message="Full backward hook")
    found = {"784-128-10": measure("perceptron", 4096), "CNN": measure("cnn", 2048)}
    if options.json:
        print(json.dumps(found))
        return
    for network, seconds in found.items():
        print(f"{network}, one epoch in batches of {BATCH}, {torch.get_num_threads()} threads")
        for name, taken in seconds.items():
            print(
                f"  {name:14} {taken * 1e3:9.1f} ms   {taken / seconds['plain']:6.2f} x plain"
                f"   {taken / seconds['ours']:6.2f} x ours"
            )


if __name__ == "__main__":
    main()
