"""Settings of one private training, and the privacy cost of its noise."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from dpcore.accounting import paper_004
from dpcore.accounting.planner import Plan, solve
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch
from dpcore.errors import InvalidInput, number, one_of, whole
from dpcore.guarantee import Adjacency
from dpcore.progress import Progress, silent
from dpcore.words import as_set, plain

CONVOLUTIONAL = ("cnn", "cnn-lean")
NETWORKS = ("linear", "perceptron", *CONVOLUTIONAL)
OPTIMIZERS = ("sgd", "momentum", "adam")
EVERY = ("step", "epoch")
NOISES = {
    "isotropic": ("nothing",),
    "published-004": ("private", "public"),
    "scaled": ("released", "paid", "public"),
}
"""Shapes of the noise, with the sources of weights for each; the first is the default."""

SMALLEST_IMAGE = 28
"""Pixels along a side that the convolutional networks need."""

READINGS = ("equal-shares", "exact")
COSTS = ("adaclip", "gradient", "curvature")
NO_ACCOUNTING = (
    "The gradient of all private records decides how much noise each weight gets, so the noise "
    "itself tells about them, and no finite ε is known for that."
)


@dataclass(frozen=True)
class TrainingConfig:
    """The configuration of a training.

    Parameters
    ----------
    network : str
        "linear", "perceptron", "cnn" (that of the papers) or "cnn-lean" (about half its size, see
        `dpcore.deep.networks.lean_cnn`).
    widths : tuple of int
        Hidden layers of a perceptron.
    activation : str
        "relu" or "tanh".
    epochs : int
    batch : int
        (Expected) records a step.
    learning_rate : float
    final_rate : float
        Share of the learning rate that remains at the last step; it falls linearly from the first.
    optimizer : str
        "sgd", "momentum" (0.9) or "adam", all on the noisy gradient.
    average : float
        Share of the steps so far whose weights are averaged, the latest counting most; 0 for the
        last step's own. Averaging is post-processing of the noisy gradients.
    clip : float
        C.
    per_layer : bool
        Clip every layer to its share of C instead of all together.
    sigma : float
        σ₀, the noise on the sum of clipped gradients at the first step; 0 for none.
    clipped : bool
        Whether gradients are clipped. Without noise or without clipping there is no guarantee: such
        runs show the cost in accuracy of each by itself.
    decay : float
        R: the variance is multiplied by it each time (paper 003).
    decay_every : str
        "step" or "epoch".
    sampling : str
        "poisson", "fixed" or "none".
    adjacency : str
        "zero-out" (one record blanked, the number of records public), "replace-one", or
        "add-remove", which needs `public_size`.
    public_size : int or None
        Under add/remove: the nominal number of records that rates, steps and divisors come from,
        so that none of them reveals the number of records.
    delta : float
    seed : int
        Seed of the initial weights, and of batches and noise, unless those are drawn from the
        system.
    noise : str
        Shape of the noise, of `NOISES`: "isotropic"; "published-004", paper 004's as printed;
        "scaled", clipping and noise scaled alike (`dpcore.deep.shapes.optimal`).
    weights : str or None
        Source of a shape's weights: "private" or "public" examples; the "released" noisy gradients;
        a "paid" second query on each batch. ``None`` for the first that the shape allows.
    cost : str
        The objective that scaled noise minimises, of `dpcore.deep.shapes.optimal`: "adaclip",
        "gradient", or "curvature", which needs public examples.
    elementwise : bool
        One scale for each coordinate instead of one for each layer; needs public examples.
    share : float
        Part of every step's 1/σ² that a paid query takes.
    refresh : int
        Steps after which weights are recomputed from examples; 0 for once, at the start.
    reading : str
        Reading of paper 004's equation (11): "exact", which is isotropic, or "equal-shares",
        Δ_i = α/√d.
    order : float or None
        Paper 004's λ, which the claim depends on; ``None`` for λ → ∞.
    noise_on_mean : bool
        Whether paper 004 is read literally, so that its claim is for the noise σ/batch.
    """

    network: str = "perceptron"
    widths: tuple[int, ...] = (100, 100)
    activation: str = "relu"
    epochs: int = 10
    batch: int = 256
    learning_rate: float = 0.5
    final_rate: float = 1.0
    optimizer: str = "sgd"
    average: float = 0.0
    clip: float = 1.0
    per_layer: bool = False
    sigma: float = 1.0
    clipped: bool = True
    decay: float = 1.0
    decay_every: str = "epoch"
    sampling: str = "poisson"
    adjacency: str = "zero-out"
    public_size: int | None = None
    delta: float = 1e-5
    seed: int = 0
    noise: str = "isotropic"
    weights: str | None = None
    cost: str = "adaclip"
    elementwise: bool = False
    share: float = 0.05
    refresh: int = 1
    reading: str = "equal-shares"
    order: float | None = None
    noise_on_mean: bool = False

    def __post_init__(self) -> None:
        one_of("network", self.network, NETWORKS)
        one_of("activation", self.activation, ("relu", "tanh"))
        one_of("optimizer", self.optimizer, OPTIMIZERS)
        one_of("decay every", self.decay_every, EVERY)
        one_of("sampling", self.sampling, ("poisson", "fixed", "none"))
        Adjacency(one_of("adjacency", self.adjacency, tuple(map(str, Adjacency))))
        self._check_public_size()
        for width in self.widths:
            whole("width", width, at_least=1, at_most=100_000)
        whole("epochs", self.epochs, at_least=1, at_most=100_000)
        whole("batch size", self.batch, at_least=1)
        whole("seed", self.seed, at_least=0)
        # Weights and their updates are in single precision.
        number("learning rate", self.learning_rate, above=0.0, at_most=1e30)
        number("final rate", self.final_rate, at_least=0.0, at_most=1.0)
        number("average", self.average, at_least=0.0, at_most=1.0)
        number("C", self.clip, above=0.0)
        number("σ", self.sigma, at_least=0.0)
        number("decay R", self.decay, above=0.0, at_most=1.0)
        number("δ", self.delta, above=0.0, below=1.0)
        one_of("noise", self.noise, tuple(NOISES))
        one_of(f"source of the weights of {self.noise} noise", self.source, NOISES[self.noise])
        one_of("cost", self.cost, COSTS)
        one_of("reading", self.reading, READINGS)
        number("share", self.share, above=0.0, below=1.0)
        whole("refresh", self.refresh, at_least=0)
        if self.order is not None:
            number("λ", self.order, above=0.0)
        if self.noise == "scaled" and self.source != "public":
            if self.cost == "curvature":
                raise InvalidInput("cost is curvature, but its weights must be public.")
            if self.elementwise:
                raise InvalidInput("noise is scaled elementwise, but its weights must be public.")
        if self.noise == "published-004":
            if self.decay != 1.0:
                raise InvalidInput(
                    f"decay R is {as_set(self.decay)}, but with paper 004's noise it must be 1."
                )
            one_of("sampling with paper 004's noise", self.sampling, ("poisson",))

    def _check_public_size(self) -> None:
        """Add/remove needs a public size, and nothing else may have one."""
        if self.adjacency != Adjacency.ADD_REMOVE:
            if self.public_size is not None:
                raise InvalidInput(
                    f"public size is {self.public_size}, but only add-remove has one; the number "
                    "of records is public under the others."
                )
            return
        if self.public_size is None:
            raise InvalidInput(
                "adjacency is add-remove, but it needs a public size: the number of records must "
                "not decide on rates, steps and divisors."
            )
        whole("public size", self.public_size, at_least=1)
        one_of("sampling under add-remove", self.sampling, ("poisson", "none"))

    @property
    def used(self) -> dict[str, Any]:
        """The fields that take part in this training, by name; for its files."""
        groups = {
            ("widths",): self.network == "perceptron",
            ("activation",): self.network != "linear",
            ("batch",): self.sampling != "none",
            ("clip", "per_layer"): self.clipped,
            ("decay", "delta"): self.private,
            ("decay_every",): self.private and self.decay < 1.0,
            ("public_size",): self.adjacency == Adjacency.ADD_REMOVE,
            ("weights",): self.noise == "scaled" or self.uneven,
            ("cost", "elementwise"): self.noise == "scaled",
            ("share",): self.noise == "scaled" and self.source == "paid",
            ("refresh",): self.needs_public or self.uneven,
            ("reading", "order", "noise_on_mean"): self.noise == "published-004",
        }
        unused = {name for names, is_used in groups.items() if not is_used for name in names}
        used = {name: value for name, value in asdict(self).items() if name not in unused}
        return used | ({"weights": self.source} if "weights" in used else {})

    def size(self, records: int) -> int:
        """The number that rates, steps and divisors come from: public, or `records` (n) itself."""
        return records if self.public_size is None else self.public_size

    @property
    def convolutional(self) -> bool:
        """Whether the network takes images."""
        return self.network in CONVOLUTIONAL

    @property
    def source(self) -> str:
        """Source of the weights of the noise's shape."""
        return NOISES[self.noise][0] if self.weights is None else self.weights

    @property
    def uneven(self) -> bool:
        """Whether noise is uneven while clipping is not, as in paper 004 with equal shares."""
        return self.noise == "published-004" and self.reading == "equal-shares"

    @property
    def needs_public(self) -> bool:
        """Whether training needs public examples."""
        return self.source == "public" and (self.noise == "scaled" or self.uneven)

    @property
    def private(self) -> bool:
        """Whether gradients are clipped and noise is added."""
        return self.clipped and self.sigma > 0.0

    def steps_an_epoch(self, records: int) -> int:
        """Steps in which each record is used once on average; 1 without sampling."""
        size = self.size(records)
        return steps_per_epoch(size, size if self.sampling == "none" else self.batch)

    def steps(self, records: int) -> int:
        """T, of the whole run."""
        return self.steps_an_epoch(records) * self.epochs

    def least_sigma(self, min_noise_ratio: float) -> float:
        """σ₀ of the least noise in any direction, by `training`'s lower bound on σ_i/σ."""
        return self.sigma * (min(1.0, min_noise_ratio) if self.uneven else 1.0)

    def training(self, records: int, *, min_noise_ratio: float = paper_004.MIN) -> TrainingPlan:
        """The run as input of the accountants.

        Scaled noise counts as isotropic: see `dpcore.deep.shapes.optimal`, and for a paid query
        `dpcore.deep.shapes.scaled`. Uneven noise on evenly clipped gradients counts with its least.

        Parameters
        ----------
        records : int
            n.
        min_noise_ratio : float
            With noise as paper 004 prints it: a lower bound on σ_i/σ that holds at every step,
            known before any private record is used; the default holds for any weights.

        Raises
        ------
        InvalidInput
            If the run is not private, its noise has no known guarantee, or the batch is larger than
            the data.
        """
        if not self.private:
            raise InvalidInput("σ is 0 or nothing is clipped, but a private run needs both.")
        if self.uneven and self.source == "private":
            raise InvalidInput(NO_ACCOUNTING)
        an_epoch, size = self.steps_an_epoch(records), self.size(records)
        return TrainingPlan(
            sigma=self.least_sigma(min_noise_ratio),
            records=size,
            batch=size if self.sampling == "none" else self.batch,
            steps=self.steps(records),
            delta=self.delta,
            clip=self.clip,
            decay=self.decay,
            decay_every=1 if self.decay_every == "step" else an_epoch,
            sampling=self.sampling,
            adjacency=Adjacency(self.adjacency),
        )

    def within(
        self,
        epsilon: float,
        records: int,
        accountant: str = "pld",
        progress: Progress = silent,
    ) -> TrainingConfig:
        """The same configuration with the least σ₀ that stays within a target ε.

        `progress` is that of `dpcore.accounting.planner.solve`; where no σ₀ stays within, it is
        refused.
        """
        start = self if self.private else replace(self, sigma=self.clip, clipped=True)
        training = start.training(records)
        plan: Plan = solve("sigma", training, epsilon, accountant, progress)
        if plan.value is None:
            hint = " Fewer epochs or a decay R nearer to 1 may help." if self.decay < 1.0 else ""
            raise InvalidInput(f"{plan.sentence}{hint}")
        return replace(start, sigma=plan.value * (start.sigma / training.sigma))

    def claiming(self, epsilon: float, records: int) -> TrainingConfig:
        """The same configuration with paper 004's σ for a total ε that it claims.

        Refused are an ε of 0 or less, and one that no noise claims by equation (9) at this λ.
        """
        number("ε", epsilon, above=0.0)
        rate, steps = self.batch / self.size(records), self.steps(records)
        step = paper_004.a_step(epsilon, self.delta, rate, steps)
        tau = paper_004.bound(*step, self.order)
        sigma = paper_004.noise(tau, self.batch, clip=self.clip, noise_on_mean=self.noise_on_mean)
        if sigma is None:
            raise InvalidInput(
                f"λ is {as_set(self.order or 0.0)}, but for ε = {as_set(epsilon)} it must be large "
                f"enough that equation (9) leaves something: τ = {plain(tau)}."
            )
        return replace(self, sigma=sigma)
