"""One epoch of private training: ours, Opacus by hooks and by ghost clipping, and without privacy.

Run: python -m benchmarks.deep [--json] [--device cuda].

All train the same network on the same records, in batches of the same (expected) size; the plain
epoch is the floor. Opacus is handed its batches as cheaply as the plain epoch, except where it is
run as its manual says: `PrivacyEngine.make_private` with its own loader of Poisson batches. Ours
draws its Poisson batches in either case. Epochs alternate, and medians are compared, because the
fastest of a few is a matter of luck where others use the machine: its load stands beside them.

Memory is what one step takes beyond the network and the records, each in a process of its own; it
is measured on the CPU only.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import nn

from dpcore.deep.config import TrainingConfig
from dpcore.deep.networks import perceptron, small_cnn
from dpcore.deep.training import TrainingRun

BATCH, CLIP, SIGMA, RATE = 512, 1.0, 1.0, 0.1
ROUNDS = 15
WIDE, BATCHES = 256, (128, 512, 2048)
"""Of the network whose memory is measured: 203,530 parameters, 0.8 MB."""


def plain(
    network: nn.Module, inputs: torch.Tensor, targets: torch.Tensor, batch: int = BATCH
) -> Callable[[], None]:
    """An epoch without privacy."""
    optimizer = torch.optim.SGD(network.parameters(), lr=RATE)

    def epoch() -> None:
        for part in torch.randperm(len(inputs), device=inputs.device).split(batch):
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(inputs[part]), targets[part]).backward()
            optimizer.step()

    return epoch


def ours(kind: str, inputs: torch.Tensor, targets: torch.Tensor) -> Callable[[], None]:
    """An epoch of `dpcore.deep`, Poisson batches included."""
    config = TrainingConfig(
        network=kind,
        widths=(128,),
        activation="relu" if kind == "perceptron" else "tanh",
        epochs=10**5,
        batch=BATCH,
        learning_rate=RATE,
        clip=CLIP,
        sigma=SIGMA,
    )
    run = TrainingRun(
        config, inputs.numpy(force=True), targets.numpy(force=True), 10, device=inputs.device.type
    )
    return lambda: run.advance(run.steps_an_epoch) and None


def opacus(
    network: nn.Module,
    inputs: torch.Tensor,
    targets: torch.Tensor,
    mode: str,
    batch: int = BATCH,
) -> Callable[[], None]:
    """An epoch of Opacus, batches drawn as in `plain` (its own loader would cost it more)."""
    from opacus import GradSampleModule
    from opacus.grad_sample import GradSampleModuleFastGradientClipping
    from opacus.optimizers import DPOptimizer, DPOptimizerFastGradientClipping
    from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping

    inner = torch.optim.SGD(network.parameters(), lr=RATE)
    settings = {"noise_multiplier": SIGMA, "max_grad_norm": CLIP, "expected_batch_size": batch}
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
        for part in torch.randperm(len(inputs), device=inputs.device).split(batch):
            optimizer.zero_grad()
            loss(module(inputs[part]), targets[part]).backward()
            optimizer.step()

    return epoch


def as_documented(
    network: nn.Module, inputs: torch.Tensor, targets: torch.Tensor
) -> Callable[[], None]:
    """An epoch of Opacus by ghost clipping, set up by its `PrivacyEngine` with Poisson batches."""
    from opacus import PrivacyEngine
    from torch.utils.data import DataLoader, TensorDataset

    module, optimizer, loss, loader = PrivacyEngine().make_private(
        module=network,
        optimizer=torch.optim.SGD(network.parameters(), lr=RATE),
        criterion=nn.CrossEntropyLoss(),
        data_loader=DataLoader(TensorDataset(inputs, targets), batch_size=BATCH),
        noise_multiplier=SIGMA,
        max_grad_norm=CLIP,
        grad_sample_mode="ghost",
    )

    def epoch() -> None:
        for batch, labels in loader:
            optimizer.zero_grad()
            loss(module(batch), labels).backward()
            optimizer.step()

    return epoch


def compared(epochs: dict[str, Callable[[], None]]) -> dict[str, dict[str, float]]:
    """Medians over epochs taken in turn: seconds, processor seconds, and their ratios to plain."""
    times_by_name: dict[str, list[tuple[float, float]]] = {name: [] for name in epochs}
    for epoch in epochs.values():
        epoch()
    for _ in range(ROUNDS):
        for name, epoch in epochs.items():
            finish()
            wall, processor = time.perf_counter(), time.process_time()
            epoch()
            finish()
            times_by_name[name].append(
                (time.perf_counter() - wall, time.process_time() - processor)
            )
    table = {name: np.array(times) for name, times in times_by_name.items()}
    return {
        name: {
            "seconds": float(np.median(times[:, 0])),
            "processor": float(np.median(times[:, 1])),
            # Round by round, so that what else the machine does falls out.
            "plain": float(np.median(times[:, 0] / table["plain"][:, 0])),
            "ours": float(np.median(times[:, 0] / table["ours"][:, 0])),
            "processor_plain": float(np.median(times[:, 1] / table["plain"][:, 1])),
            "processor_ours": float(np.median(times[:, 1] / table["ours"][:, 1])),
        }
        for name, times in table.items()
    }


def finish() -> None:
    """Wait for what a GPU, where there is one, has been asked to do."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def measure(kind: str, records: int, device: str) -> dict[str, dict[str, float]]:
    """Times of each way of training, for one network."""
    torch.manual_seed(0)
    shape = (784,) if kind == "perceptron" else (1, 28, 28)
    inputs = torch.randn(records, *shape).to(device)
    targets = torch.randint(0, 10, (records,)).to(device)

    def network() -> nn.Module:
        model = perceptron(784, (128,), 10) if kind == "perceptron" else small_cnn(1, 28, 10)
        return model.to(device)

    return compared(
        {
            "plain": plain(network(), inputs, targets),
            "ours": ours(kind, inputs, targets),
            "opacus ghost": opacus(network(), inputs, targets, "ghost"),
            "opacus ghost, its loader": as_documented(network(), inputs, targets),
            "opacus hooks": opacus(network(), inputs, targets, "hooks"),
        }
    )


def a_step(mode: str, batch: int) -> None:
    """Take one step of a wide network, and print how far memory rose above what was there, in MB.

    For a process of its own: its peak can't be taken back.
    """
    torch.manual_seed(0)
    inputs, targets = torch.randn(batch, 784), torch.randint(0, 10, (batch,))
    if mode == "ours":
        config = TrainingConfig(
            widths=(WIDE,), epochs=1, batch=batch, learning_rate=RATE, clip=CLIP, sigma=SIGMA
        )
        run = TrainingRun(config, inputs.numpy(), targets.numpy(), 10)

        def step() -> None:
            run.advance(1)

    else:
        network = perceptron(784, (WIDE,), 10)
        step = (
            plain(network, inputs, targets, batch)
            if mode == "plain"
            else opacus(network, inputs, targets, mode.removeprefix("opacus "), batch)
        )
    before = peak()
    step()
    print(peak() - before)


def peak() -> float:
    """The most memory this process has had so far, in MB.

    Read from Linux: the value of `resource` starts from the peak of the process that started it.
    """
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith("VmHWM:")]
    return float(line.split()[1]) / 1024.0


def memory() -> dict[str, dict[int, float]]:
    """MB that one step of each takes, by batch size."""
    used: dict[str, dict[int, float]] = {}
    for mode in ("plain", "ours", "opacus ghost", "opacus hooks"):
        for batch in BATCHES:
            code = f"from benchmarks.deep import a_step; a_step({mode!r}, {batch})"
            process = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", code],
                capture_output=True,
                text=True,
                check=True,
            )
            used.setdefault(mode, {})[batch] = float(process.stdout)
    return used


def main() -> None:
    """Print times, ratios and memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message="Full backward hook")
    speeds = {
        "784-128-10": measure("perceptron", 4096, options.device),
        "CNN": measure("cnn", 2048, options.device),
    }
    used, load = memory() if options.device == "cpu" else {}, os.getloadavg()[0]
    if options.json:
        print(json.dumps({"speed": speeds, "memory": used, "load": load}))
        return
    for network, rows in speeds.items():
        threads = torch.get_num_threads()
        print(f"{network}, one epoch in batches of {BATCH}, {options.device}, {threads} threads")
        for name, row in rows.items():
            print(
                f"  {name:24} {row['seconds'] * 1e3:9.1f} ms  {row['plain']:6.2f} x plain "
                f"{row['ours']:6.2f} x ours   processor {row['processor'] * 1e3:9.1f} ms "
                f"{row['processor_plain']:6.2f} x plain {row['processor_ours']:6.2f} x ours"
            )
    if used:
        print(f"784-{WIDE}-10, memory of one step")
    for name, by_batch in used.items():
        figures = "  ".join(
            f"{batch:,} records {megabytes:8.1f} MB" for batch, megabytes in by_batch.items()
        )
        print(f"  {name:14} {figures}")
    print(f"load of the machine: {load:.1f} ({os.cpu_count()} processors)")


if __name__ == "__main__":
    main()
