"""Shapes of the noise: the noise of each weight, and the clipping that matches it.

Scaled. Clip ‖D⁻¹g‖ to C and add N(0, σ²D²), D = diag(d) > 0: in the coordinates D⁻¹g this is the
usual Gaussian mechanism, so privacy is the same for every D chosen without the private batch, and d
can be chosen for the model. Here it minimises Σ a_i d_i^r at a given clipping mass Σ s_i²/d_i² = Σ
s_i², s_i² = E g_i², under which C keeps its meaning.

By Lagrange, r a d^(r-1) = 2λ s² d⁻³, so d ∝ (s²/a)^(1/(r+2)). With M = Σ s² and
T = Σ a (s²/a)^(r/(r+2)) the cost is T^(r/2+1) / M^(r/2), by Hölder's inequality at most Σ a, the
cost of d = 1; there is no gain only where a is proportional to s². For groups of coordinates that
share one d, s² and a are the groups' sums.

A step releases Σ ĝ_i + N(0, σ²D²) with ‖D⁻¹ĝ_i‖ ≤ C. In the coordinates D⁻¹g that is isotropic
noise at multiplier σ/C, and D is a function of public examples or of earlier releases, as adaptive
composition allows: ε is exactly that of isotropic noise (`best_scales` chooses D).
Squares and weights come from one of three sources:

public examples
    s² = E ĝ_i², and a from their mean gradient or curvature; by coordinate or by layer.
released noisy sums
    By layer, as AdaCliP does by coordinate (Pichapati et al. 2019): the squared distance of each
    noisy sum from the moving average of earlier ones, less the noise's contribution.
a paid query
    The layers' shares q_i of ‖D⁻¹ĝ_i‖²/C², summed over the same batch. They are at least 0 and sum
    to at most 1, so ‖q_i‖₂ ≤ 1: adding or removing a record moves the answer by at most 1, and
    replacing one by at most √2, which is charged as 2. With gradient noise σ_g = σ/√(1-s) and noise
    σ_q = (σ/C)/√s on the shares, the two answers together are one Gaussian query of
    μ² = C²/σ_g² + 1/σ_q² = (C/σ)², so ε is again that of isotropic noise with σ.

Paper 004 as printed (Xiang et al., algorithm 1): large noise where the gradient w is small. Its
equation (11), solved exactly, gives every coordinate the same σ, because the constraint is to hold
for every Δ of norm α. Uneven noise comes from reading Δ_i = α/√d; then σ_i follows from w, the mean
gradient of *all* records at the current weights (`dpcore.accounting.paper_004.shares`). With the
private records' own w nothing is proved. With public w the multiplier is min σ_i/α.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from dpcore.accounting import paper_004
from dpcore.deep.clipping import PerExample
from dpcore.deep.config import TrainingConfig
from dpcore.deep.layers import ExampleLoss, Scales
from dpcore.errors import InvalidInput

AT_A_TIME = 512


@dataclass(frozen=True)
class ExampleGradients:
    """Records that a shape may compute weights from."""

    inputs: Tensor
    targets: Tensor
    loss: ExampleLoss

    def parts(self) -> list[ExampleGradients]:
        """The records in parts of a few hundred."""
        inputs, targets = (torch.split(part, AT_A_TIME) for part in (self.inputs, self.targets))
        return [ExampleGradients(*part, self.loss) for part in zip(inputs, targets, strict=True)]


@dataclass(frozen=True)
class ShapeInputs:
    """Describe the training that a shape belongs to."""

    per_example: PerExample
    private: ExampleGradients  # for a shape that is studied although it is not private
    public: ExampleGradients | None = None

    def public_examples(self) -> ExampleGradients:
        if self.public is None or len(self.public.inputs) == 0:
            raise InvalidInput("weights are public, but no public examples are given.")
        return self.public


class NoiseShape:
    """Isotropic noise, and the base class of other shapes.

    A step runs `prepare`, draws the batch, clips it with `scales`, adds noise with `spread`, and
    passes the released sums to `observe`. A shape that never uses private examples sees only
    released values, so all its work is post-processing.
    """

    share = 0.0  # part of the step's 1/σ² of a second query, for the layers' shares: `learn`
    # of noise over clipping in every direction, in multiples of σ/C, known before
    min_noise_ratio = 1.0

    def prepare(self, step: int) -> None:
        """Called before the batch of a step, counted from 0, is drawn."""

    def scales(self) -> Scales:
        """D for clipping."""
        return None

    def spread(self) -> Scales:
        """The noise's standard deviations in multiples of σ_t; D unless overridden."""
        return self.scales()

    def observe(self, noisy: Sequence[Tensor], sigma: float) -> None:
        """Called with the noisy sums, to which σ times `spread` was added."""

    def learn(self, noisy: Tensor, error: float) -> None:
        """Called with the second query's answer, (layers,), and its noise's standard deviation."""

    def state(self) -> dict[str, Any]:
        """The state that `restore` needs to continue from here."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a `state`."""


Build = Callable[[TrainingConfig, ShapeInputs], NoiseShape]


def split(vector: Tensor, like: Sequence[Tensor]) -> list[Tensor]:
    """A vector over all coordinates as tensors like the parameters."""
    parts = torch.split(vector, [parameter.numel() for parameter in like])
    return [
        part.reshape_as(parameter).to(parameter)
        for part, parameter in zip(parts, like, strict=True)
    ]


def flat(parts: Sequence[Tensor]) -> Tensor:
    """Tensors as one vector, in double precision."""
    return torch.cat([part.flatten() for part in parts]).double()


def due(step: int, refresh: int) -> bool:
    """Whether weights are recomputed before a step."""
    return step == 0 if refresh == 0 else step % refresh == 0


def _isotropic(config: TrainingConfig, inputs: ShapeInputs) -> NoiseShape:
    return NoiseShape()


UNCLIPPED = float(torch.finfo(torch.float32).max)


def mean_gradient(per_example: PerExample, examples: ExampleGradients) -> Tensor:
    """Mean gradient (1/n) Σ g_i over all coordinates; a record without a gradient counts as 0."""
    total = sum(
        flat(per_example.clipped_sum(part.inputs, part.targets, part.loss, UNCLIPPED).total)
        for part in examples.parts()
    )
    assert isinstance(total, Tensor)
    return total / len(examples.inputs)


def mean_squares(per_example: PerExample, examples: ExampleGradients, clip: float) -> Tensor:
    """E ĝ_i² over all coordinates, ĝ the gradients clipped to C in the plain norm."""
    total: Tensor | float = 0.0
    for part in examples.parts():
        layer_gradients, _ = per_example.gradients(part.inputs, part.targets, part.loss)
        norms = torch.stack([square.squared_norms() for square in layer_gradients]).sum(0)
        if not bool(norms.isfinite().all()):  # such records count as null, as in training
            layer_gradients, _ = per_example.gradients(
                part.inputs, part.targets, part.loss, norms.isfinite()
            )
        weights = (clip**2 / norms).clamp_max(1.0).nan_to_num(0.0)
        total = total + flat(
            [square for layer in layer_gradients for square in layer.squared_sum(weights)]
        )
    assert isinstance(total, Tensor)
    return total / len(examples.inputs)


def mean_curvature(per_example: PerExample, examples: ExampleGradients) -> Tensor:
    """Diagonal of the Fisher information: the loss's second derivatives, Gauss-Newton.

    E g_i² with labels drawn from the model itself instead of the data's (one draw for each record,
    from a separate stream); its mean for these losses is the Gauss-Newton diagonal. Integer targets
    are classes, others labels.
    """
    classes = not examples.targets.is_floating_point()
    stream = torch.Generator(examples.inputs.device).manual_seed(0)
    targets = []
    for part in examples.parts():
        with torch.no_grad():
            outputs = per_example.network(part.inputs)
        probabilities = outputs.softmax(-1) if classes else outputs.sigmoid()
        targets.append(
            torch.multinomial(probabilities, 1, generator=stream)[:, 0]
            if classes
            else torch.bernoulli(probabilities, generator=stream)
        )
    model = ExampleGradients(examples.inputs, torch.cat(targets), examples.loss)
    return mean_squares(per_example, model, UNCLIPPED)


POWERS = {"gradient": 1, "curvature": 2, "adaclip": 2}
"""r of each cost. "gradient": a = |w|, the mean gradient (paper 004's objective, with clipping that
makes it sound); "curvature": a = the loss's second derivatives, the true cost of zero-mean noise;
"adaclip": a = 1, plain noise power (Pichapati et al. 2019)."""

RATIO = 100.0
"""Largest d over smallest: no estimate is trusted beyond it."""


def best_scales(squares: Tensor, weights: Tensor, power: int, ratio: float = RATIO) -> Tensor:
    """The best d whose entries differ by at most a factor `ratio`.

    `squares` are s² and `weights` a, one a coordinate or group; `power` is r. Where the bound
    binds, d stays within √ratio of a common d, and the clipping mass is restored. All of d is 1
    where either is all 0.
    """
    squares, weights = squares.double(), weights.double()
    mass, total = squares.sum(), weights.sum()
    if not (bool(mass > 0.0) and bool(total > 0.0)):
        return torch.ones_like(squares)
    best = ((squares / mass) / (weights / total)) ** (1.0 / (power + 2))
    # 0/0: a coordinate with neither signal nor cost gets the common scale.
    best = best.nan_to_num(nan=1.0).clamp(ratio**-0.5, ratio**0.5)
    return best * ((squares / best.square()).sum() / mass).sqrt()


MEMORY_MEAN, MEMORY_SQUARES = 0.9, 0.99
"""Share of a moving average that stays at every step (AdaCliP's β₁; its β₂ made longer, because a
layer's squares change slowly and are mostly noise)."""


class Average:
    def __init__(self, memory: float) -> None:
        self.memory = memory
        self.weight = 0.0
        self.total = self.spread = torch.zeros((), dtype=torch.float64)

    def add(self, value: Tensor, variance: Tensor) -> None:
        new = 1.0 - self.memory
        self.weight = self.memory * self.weight + new
        self.total = self.memory * self.total.to(value) + new * value
        self.spread = self.memory**2 * self.spread.to(value) + new**2 * variance

    @property
    def value(self) -> Tensor:
        return self.total / max(self.weight, 1.0 - self.memory)

    @property
    def variance(self) -> Tensor:
        return self.spread / max(self.weight, 1.0 - self.memory) ** 2

    def state(self) -> dict[str, Any]:
        """Everything except the memory; tensors are replaced, never changed in place."""
        return {"weight": self.weight, "total": self.total, "spread": self.spread}

    def restore(self, state: dict[str, Any]) -> None:
        self.weight, self.total, self.spread = state["weight"], state["total"], state["spread"]


class FromExamples(NoiseShape):
    def __init__(self, config: TrainingConfig, inputs: ShapeInputs) -> None:
        self.config, self.inputs, self.examples = config, inputs, inputs.public_examples()
        self.scale: Scales = None

    def prepare(self, step: int) -> None:
        if not due(step, self.config.refresh):
            return
        per_example, config = self.inputs.per_example, self.config
        squares = mean_squares(per_example, self.examples, config.clip)
        if config.cost == "gradient":
            weights = mean_gradient(per_example, self.examples).abs()
        elif config.cost == "curvature":
            weights = mean_curvature(per_example, self.examples)
        else:
            weights = torch.ones_like(squares)
        power = POWERS[config.cost]
        if config.elementwise:
            self.scale = split(best_scales(squares, weights, power), per_example.parameters)
            return
        sizes = layer_sizes(per_example)
        sums = [
            torch.stack([layer.sum() for layer in torch.split(values, sizes)])
            for values in (squares, weights)
        ]
        self.scale = _of_each_parameter(per_example, best_scales(sums[0], sums[1], power))

    def scales(self) -> Scales:
        return self.scale

    def state(self) -> dict[str, Any]:
        return {"scale": self.scale}

    def restore(self, state: dict[str, Any]) -> None:
        self.scale = state["scale"]


class FromReleases(NoiseShape):
    def __init__(self, config: TrainingConfig, inputs: ShapeInputs) -> None:
        self.ready, self.clip, self.cost = inputs.per_example, config.clip, config.cost
        self.paid = config.source == "paid"
        self.share = config.share if self.paid else 0.0
        self.sizes = layer_sizes(self.ready)
        device = self.ready.parameters[0].device
        self.counts = torch.tensor(self.sizes, dtype=torch.float64, device=device)
        self.by_layer = torch.ones_like(self.counts)
        self.squares = Average(MEMORY_SQUARES)
        self.means = [Average(MEMORY_MEAN) for _ in self.sizes]

    def prepare(self, step: int) -> None:
        """Choose the best D from past releases; a square is at least its noise's error."""
        if not self.squares.weight:
            return
        squares = torch.maximum(self.squares.value, self.squares.variance.sqrt())
        weights = self._gradient() if self.cost == "gradient" else self.counts
        self.by_layer = best_scales(squares, weights, POWERS[self.cost])

    def scales(self) -> Scales:
        return _of_each_parameter(self.ready, self.by_layer)

    def observe(self, noisy: Sequence[Tensor], sigma: float) -> None:
        """Add the squared change since earlier sums, less the noise's contribution."""
        if self.paid and self.cost != "gradient":
            return
        sums = torch.split(flat(noisy), self.sizes)
        noise = (sigma * self.by_layer).square()
        if not self.paid and self.means[0].weight:
            variances = noise + torch.stack([mean.variance for mean in self.means])
            changes = [
                (layer - mean.value).square().sum()
                for layer, mean in zip(sums, self.means, strict=True)
            ]
            self.squares.add(
                torch.stack(changes) - self.counts * variances,
                2.0 * self.counts * variances.square(),
            )
        for layer, mean, variance in zip(sums, self.means, noise, strict=True):
            mean.add(layer, variance)

    def learn(self, noisy: Tensor, error: float) -> None:
        """Convert shares of C² in the scaled norm into squares in the plain norm."""
        unit = (self.clip * self.by_layer).square()
        self.squares.add(noisy.double() * unit, (error * unit).square())

    def _gradient(self) -> Tensor:
        """Σ |w_i| of each layer as √p ‖w‖, from the average of noisy sums less its noise."""
        noise = torch.stack([mean.variance for mean in self.means])
        squares = torch.stack([mean.value.square().sum() for mean in self.means])
        corrected = torch.maximum(squares - self.counts * noise, (2.0 * self.counts).sqrt() * noise)
        return (self.counts * corrected).sqrt()

    def state(self) -> dict[str, Any]:
        """See `NoiseShape`; D follows from it before the next step."""
        return {
            "squares": self.squares.state(),
            "means": [mean.state() for mean in self.means],
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.squares.restore(state["squares"])
        for mean, mean_state in zip(self.means, state["means"], strict=True):
            mean.restore(mean_state)


def layer_sizes(ready: PerExample) -> list[int]:
    """Number of coordinates of each trained layer, adjacent in the order of its parameters."""
    return [
        sum(parameter.numel() for parameter in layer.parameters(False)) for layer in ready.trained
    ]


def _of_each_parameter(ready: PerExample, by_layer: Tensor) -> list[float]:
    result = []
    for layer, scale in zip(ready.trained, by_layer.tolist(), strict=True):
        result += [scale] * sum(1 for _ in layer.parameters(False))
    return result


def _scaled(config: TrainingConfig, inputs: ShapeInputs) -> NoiseShape:
    return (
        FromExamples(config, inputs) if config.source == "public" else FromReleases(config, inputs)
    )


class Uneven(NoiseShape):
    """Plain clipping, noise σ_i = σ √(mean_j |w_j|^⅔) |w_i|^(-⅓)."""

    min_noise_ratio = paper_004.MIN

    def __init__(self, inputs: ShapeInputs, examples: ExampleGradients, refresh: int) -> None:
        self.inputs, self.examples, self.refresh = inputs, examples, refresh
        self.multiples: list[Tensor] = []
        if refresh == 0:
            # No step has been taken yet, so the network still has its initial weights.
            self.prepare(0)
            self.min_noise_ratio = min(float(multiple.min()) for multiple in self.multiples)

    def prepare(self, step: int) -> None:
        if due(step, self.refresh) and not (self.refresh == 0 and self.multiples):
            per_example = self.inputs.per_example
            weights = mean_gradient(per_example, self.examples).abs()
            self.multiples = split(paper_004.shares(weights), per_example.parameters)

    def spread(self) -> Scales:
        return self.multiples

    def state(self) -> dict[str, Any]:
        return {"multiples": [multiple.clone() for multiple in self.multiples]}

    def restore(self, state: dict[str, Any]) -> None:
        self.multiples = [multiple.clone() for multiple in state["multiples"]]


def _published(config: TrainingConfig, inputs: ShapeInputs) -> NoiseShape:
    if not config.uneven:
        return NoiseShape()
    examples = inputs.private if config.source == "private" else inputs.public_examples()
    return Uneven(inputs, examples, config.refresh)


SHAPES: dict[str, Build] = {
    "isotropic": _isotropic,
    "published-004": _published,
    "scaled": _scaled,
}
"""Every shape by its name in a configuration."""


def build(config: TrainingConfig, inputs: ShapeInputs) -> NoiseShape:
    """The shape that a configuration names, in its initial state."""
    return SHAPES[config.noise](config, inputs)
