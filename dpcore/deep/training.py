"""Training with noise: the loop, one run at a time or many small ones side by side.

Noise of standard deviation σ_t is added to the clipped sum, which the optimizer sees divided by the
*expected* batch size (Abadi et al. 2016; paper 003, algorithm 1, with its noise on the sum). A run
is for exploration, with a seed and in single precision, or for keeping (`system`): the system's
entropy and double precision, so that rounding stays within clipping's slack (docs/guarantee.md).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call

from dpcore.datasets.images.examples import NULL_CLASS
from dpcore.deep import networks, randomness
from dpcore.deep.clipping import PerExample
from dpcore.deep.config import Assurance, TrainingConfig, guarantee
from dpcore.deep.device import Memory, exact_arithmetic, keep_what_is_freed
from dpcore.deep.layers import Scales
from dpcore.deep.networks import class_loss, label_loss
from dpcore.deep.randomness import Randomness, SeededRandomness, SystemRandomness
from dpcore.deep.shapes import ExampleGradients, ShapeInputs, build
from dpcore.errors import Cancelled, InvalidInput, one_of, whole
from dpcore.words import spaced

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOMENTUM = 0.9
TASKS = ("classes", "labels")
IMAGES_AT_A_TIME = 512
"""Approximate images at a time in a convolutional step without a GPU: memory for more would be
allocated anew at every step, which takes as long as the arithmetic."""
MAX_SUMMED = 100_000
"""Limit on (expected) records a step for keeping: the rounding error of their sum in double
precision, at most 2γmC with γ about m · 1.1e-16, is then far below clipping's slack."""
MAX_TIMES_EXPECTED = 4
"""Limit, as a multiple of `MAX_SUMMED`, where there are more records than their public size: the
error is then at most a third of the slack."""
FILLED = 32
"""On a GPU a batch of images is padded to a multiple of it with records of weight 0: a convolution
is planned anew for every new batch size, which takes longer than the convolution."""


def _part(images: int) -> int:
    """The number of images at a time: equal parts, because a small rest takes as long as a part."""
    return max(1, -(-images // max(1, round(images / IMAGES_AT_A_TIME))))


def _filled(batch: randomness.Batch) -> randomness.Batch:
    """The same batch of one run with a mask, padded to one of few sizes."""
    padding = -len(batch.records) % FILLED
    if not padding:
        return batch
    counted = torch.ones(len(batch.records), device=batch.records.device)
    return randomness.Batch(
        nn.functional.pad(batch.records, (0, padding)), nn.functional.pad(counted, (0, padding))
    )


class TrainingRun:
    """Train one network, or several that differ only in seed and σ, side by side.

    Several must be perceptrons or linear models. Targets are (records,) of int, or (records,
    labels) of 0, 1 or nan; a null record, which contributes nothing, has the class -1 or only
    labels of nan. `public` are inputs and targets of examples for noise whose weights are public.
    With `system`, batches and noise come from the operating system instead of the configurations'
    seeds.
    """

    def __init__(
        self,
        configs: TrainingConfig | Sequence[TrainingConfig],
        inputs: NDArray[Any],
        targets: NDArray[Any],
        outputs: int,
        *,
        task: str = "classes",
        device: torch.device | str = "cpu",
        public: tuple[NDArray[Any], NDArray[Any]] | None = None,
        system: bool = False,
    ) -> None:
        self.configs = (configs,) if isinstance(configs, TrainingConfig) else tuple(configs)
        self.config = _alike(self.configs)
        self.device = torch.device(device)
        self.dtype = torch.float64 if system else torch.float32
        self.task = one_of("task", task, TASKS)
        self.loss = class_loss if task == "classes" else label_loss
        private = self._examples(inputs, targets, outputs)
        self.inputs, self.targets = private.inputs, private.targets
        self.known = None if self.task == "labels" else self._known(targets)
        self.size = self.config.size(len(self.inputs))
        self.expected = self.size if self.config.sampling == "none" else self.config.batch
        whole("batch size", self.expected, at_least=1, at_most=self.size)
        if system:
            self._check_rounding()
        self.runs, self.step = len(self.configs), 0
        self.memory = Memory()
        keep_what_is_freed()
        self.network = _network(self.configs, self.inputs.shape[1:], outputs).to(
            self.device, self.dtype
        )
        self.per_example = PerExample(self.network)
        self.by_parts = self.config.convolutional and self.device.type == "cpu"
        self.fills = self.config.convolutional and self.device.type == "cuda" and not system
        self.optimizer = _optimizer(self.config, self.per_example.parameters)
        self.averages: dict[str, Tensor] | None = None
        self.randomness: Randomness = (
            SystemRandomness(self.device)
            if system
            else SeededRandomness(_stream(self.configs, 1), _stream(self.configs, 2), self.device)
        )
        self.steps_an_epoch = self.config.steps_an_epoch(len(self.inputs))
        shared = None if public is None else self._examples(*public, outputs)
        self.shape = build(self.config, ShapeInputs(self.per_example, private, shared))

    def _check_rounding(self) -> None:
        """Refuse steps whose sum could be rounded by more than clipping leaves."""
        whole("records a step, for keeping", self.expected, at_least=1, at_most=MAX_SUMMED)
        most = MAX_TIMES_EXPECTED * MAX_SUMMED
        # Under add-remove the number of records is private: it is not named.
        if self.expected * len(self.inputs) > most * self.size:
            raise InvalidInput(
                "The file has more records than can be kept: a step must sum at most "
                f"{spaced(most)} of them, so that rounding stays below what clipping leaves."
            )

    def _examples(
        self, inputs: NDArray[Any], targets: NDArray[Any], outputs: int
    ) -> ExampleGradients:
        features, classes = self._as_features(inputs), self.task == "classes"
        dtype = torch.int64 if classes else self.dtype
        labels = torch.as_tensor(targets, dtype=dtype).to(self.device)
        shape = (len(features),) if classes else (len(features), outputs)
        if labels.shape != shape:
            raise InvalidInput(f"targets have shape {tuple(labels.shape)}, but it must be {shape}.")
        if classes and len(features):
            whole("least class", int(labels.min()), at_least=NULL_CLASS)
            whole("largest class", int(labels.max()), at_least=NULL_CLASS, at_most=outputs - 1)
            labels = labels.clamp_min(0)
        return ExampleGradients(features, labels, self.loss)

    def _known(self, targets: NDArray[Any]) -> Tensor | None:
        """With classes, 1 for a record and 0 for a null one; ``None`` where no record is null."""
        is_record = torch.as_tensor(targets).to(self.device) > NULL_CLASS
        return None if bool(is_record.all()) else is_record.to(self.dtype)

    def _as_features(self, inputs: NDArray[Any]) -> Tensor:
        features = torch.as_tensor(inputs, dtype=self.dtype).to(self.device)
        return features if self.config.convolutional else features.flatten(1)

    @property
    def steps(self) -> int:
        return self.config.steps(len(self.inputs))

    def sigmas(self, step: int) -> list[float]:
        """σ_t of each run at a step, counted from 0."""
        config = self.config
        decays = step if config.decay_every == "step" else step // self.steps_an_epoch
        return [run_config.sigma * config.decay ** (0.5 * decays) for run_config in self.configs]

    def rate(self, step: int) -> float:
        """The learning rate at a step, counted from 0."""
        past = step / max(1, self.steps - 1)
        return self.config.learning_rate * (1.0 - past * (1.0 - self.config.final_rate))

    def advance(self, steps: int, cancelled: Callable[[], bool] = lambda: False) -> float:
        """Take up to `steps` more steps; return the mean loss of their records.

        Raises `Cancelled` as soon as `cancelled` returns true; `step` then counts the steps taken.
        """
        total, count = torch.zeros((), dtype=torch.float64, device=self.device), 0
        with exact_arithmetic():
            for _ in range(min(steps, self.steps - self.step)):
                if cancelled():
                    raise Cancelled
                self.shape.prepare(self.step)
                batch = randomness.draw(
                    self.config.sampling,
                    len(self.inputs),
                    self.expected,
                    self.randomness,
                    self.runs,
                    size=self.size,
                    device=self.device,
                )
                losses = self._one(batch)
                total += losses.sum()  # stays on the device: reading it would wait for the step
                count += losses.numel()
                self.step += 1
                if self.config.average:
                    self._average()
        return float(total) / count if count else float("nan")

    def _one(self, batch: randomness.Batch) -> Tensor:
        config, batch = self.config, _filled(batch) if self.fills else batch
        present = batch.present
        if self.known is not None:
            counted = self.known[batch.records]
            present = counted if present is None else counted * present
        inputs, targets = self._gathered(batch.records), self.targets[batch.records]
        clipped = self.per_example.clipped_sum(
            inputs,
            targets,
            self.loss,
            config.clip if config.clipped else float(torch.finfo(torch.float32).max),
            present=present,
            per_layer=config.per_layer,
            scales=self.shape.scales(),
            micro_batch=_part(batch.records.shape[-1]) if self.by_parts else None,
        )
        share, sigmas = self.shape.share, self.sigmas(self.step)
        sum_sigmas = [sigma / math.sqrt(1.0 - share) for sigma in sigmas]
        total = self._noisy(clipped.total, sum_sigmas, self.shape.spread())
        noisy = self._by_parameter(total)
        self.shape.observe(noisy, sum_sigmas[0])
        if share:
            error = sigmas[0] / (config.clip * math.sqrt(share))
            squares = clipped.squares.sum(1) / config.clip**2
            self.shape.learn(self._noisy([squares], [error]), error)
        total.div_(self.expected)
        for parameter, gradient in zip(self.per_example.parameters, noisy, strict=True):
            parameter.grad = gradient
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate(self.step)
        self.optimizer.step()
        return clipped.losses if present is None else clipped.losses[present > 0]

    def _gathered(self, records: Tensor) -> Tensor:
        """The inputs of some records; they are valid until the next step."""
        shape = self.inputs.shape[1:]
        buffer = self.memory.take("inputs", (records.numel(), *shape), self.inputs)
        gathered = torch.index_select(self.inputs, 0, records.flatten(), out=buffer)
        return gathered.view(*records.shape, *shape)

    def _noisy(
        self, totals: Sequence[Tensor], sigmas: list[float], spread: Scales = None
    ) -> Tensor:
        """The sums plus noise, as one vector: a few long operations instead of many short ones."""
        total = torch.cat([total.flatten() for total in totals])
        if not any(sigmas):
            return total
        noise = self.randomness.normal(self.memory.take("noise", total.shape, total))
        if spread is not None:
            for part, scale in zip(self._by_parameter(noise), spread, strict=True):
                part.mul_(scale)
        if self.runs == 1:
            return total.add_(noise, alpha=sigmas[0])
        run_sigmas = torch.tensor(sigmas, device=self.device, dtype=self.dtype)
        for part in self._by_parameter(noise):
            part.mul_(run_sigmas.view(-1, *(1,) * (part.dim() - 1)))
        return total.add_(noise)

    def _by_parameter(self, vector: Tensor) -> list[Tensor]:
        parameters = self.per_example.parameters
        parts = torch.split(vector, [parameter.numel() for parameter in parameters])
        return [part.view_as(like) for part, like in zip(parts, parameters, strict=True)]

    @torch.no_grad()
    def _average(self) -> None:
        """Add the last step's weights to the running average.

        Their weight is 1/(share · t), at most 1: step s then counts about s^(1/share - 1) (Shamir
        and Zhang 2013, polynomial-decay averaging).
        """
        parameters = dict(self.network.named_parameters())
        if self.averages is None:
            self.averages = {
                name: torch.zeros_like(parameter) for name, parameter in parameters.items()
            }
        latest = min(1.0, 1.0 / (self.config.average * self.step))
        for name, parameter in parameters.items():
            self.averages[name].lerp_(parameter, latest)

    def weights(self) -> dict[str, Tensor]:
        """The present parameters: the last step's, or the averages."""
        if self.averages is None:
            return {name: parameter.detach() for name, parameter in self.network.named_parameters()}
        return self.averages

    def guarantee(self, accountant: str = "pld") -> Assurance:
        """The guarantees of the whole run; of the first one, where several run side by side."""
        return guarantee(
            self.config,
            len(self.inputs),
            accountant=accountant,
            min_noise_ratio=self.shape.min_noise_ratio,
        )

    @torch.no_grad()
    def scores(self, inputs: NDArray[Any], at_a_time: int = 4096) -> NDArray[np.float32]:
        """Outputs of `weights` for each of `inputs`: (runs, records, outputs)."""
        self.network.eval()
        weights, parts = self.weights(), []
        for start in range(0, len(inputs), at_a_time):
            part = self._as_features(inputs[start : start + at_a_time])
            if self.runs > 1:
                part = part.expand(self.runs, *part.shape)
            parts.append(functional_call(self.network, weights, (part,)).float().cpu())
        self.network.train()
        outputs = torch.cat(parts, dim=-2).numpy()
        return outputs if self.runs > 1 else outputs[None]

    def state(self) -> dict[str, Any]:
        """The state to continue from here: weights, optimizer, random streams, steps."""
        return {
            # torch returns the tensors that it goes on training, so they are copied.
            "network": copy.deepcopy(self.network.state_dict()),
            "optimizer": copy.deepcopy(self.optimizer.state_dict()),
            "randomness": self.randomness.state(),
            "shape": self.shape.state(),
            "averages": copy.deepcopy(self.averages),
            "step": self.step,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a `state` of the same configuration."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(copy.deepcopy(state["optimizer"]))
        self.randomness.restore(state["randomness"])
        self.shape.restore(state["shape"])
        averages = state["averages"] if self.config.average else None
        self.averages = averages and {
            name: torch.zeros_like(parameter).copy_(averages[name])
            for name, parameter in self.network.named_parameters()
        }
        self.step = int(state["step"])


def _alike(configs: Sequence[TrainingConfig]) -> TrainingConfig:
    if not configs:
        raise InvalidInput("configurations are none, but there must be at least one.")
    first = configs[0]
    for other in configs[1:]:
        if replace(other, seed=first.seed, sigma=first.sigma) != first:
            raise InvalidInput("configurations side by side must differ in seed and σ only.")
    if len(configs) > 1 and first.noise != "isotropic":
        raise InvalidInput(
            f"noise is {first.noise}, but for several runs side by side it must be isotropic."
        )
    return first


def _network(configs: Sequence[TrainingConfig], shape: torch.Size, outputs: int) -> nn.Sequential:
    config = configs[0]
    if config.convolutional:
        if len(configs) > 1:
            raise InvalidInput(
                f"network is {config.network}, but several runs side by side need perceptrons."
            )
        if len(shape) != 3 or shape[1] != shape[2]:
            raise InvalidInput(
                f"network is {config.network} and records have shape {tuple(shape)}, but they must "
                "be square images (channels, side, side)."
            )
    with torch.random.fork_rng(devices=[]):
        if config.convolutional:
            torch.manual_seed(config.seed)
            build = networks.small_cnn if config.network == "cnn" else networks.lean_cnn
            return build(shape[0], shape[1], outputs, activation=config.activation)
        torch.manual_seed(_stream(configs, 0))
        widths = () if config.network == "linear" else config.widths
        return networks.perceptron(
            shape.numel(), widths, outputs, activation=config.activation, runs=len(configs)
        )


def _optimizer(config: TrainingConfig, parameters: list[nn.Parameter]) -> torch.optim.Optimizer:
    if config.optimizer == "adam":
        return torch.optim.Adam(parameters, lr=config.learning_rate, fused=True)
    momentum = MOMENTUM if config.optimizer == "momentum" else 0.0
    return torch.optim.SGD(parameters, lr=config.learning_rate, momentum=momentum, fused=True)


def _stream(configs: Sequence[TrainingConfig], purpose: int) -> int:
    """A seed for one purpose; different seeds and purposes give unrelated streams."""
    entropy = [purpose, *(config.seed for config in configs)]
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0] >> np.uint64(1))
