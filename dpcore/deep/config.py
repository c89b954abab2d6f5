"""Settings of one private training, and what is claimed and proved of it for any shape of noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from dpcore.accounting import paper_004
from dpcore.accounting.accountants import ACCOUNTANTS, certify
from dpcore.accounting.events import MAX_CHOSEN, Composed, TrainingPlan, steps_per_epoch
from dpcore.accounting.planner import Plan, solve, spent
from dpcore.errors import InvalidInput, number, one_of, reject, whole
from dpcore.guarantee import Adjacency, Condition, Guarantee, Status
from dpcore.progress import Progress, silent
from dpcore.words import as_set, plain, spaced

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
        "scaled", clipping and noise scaled alike (`dpcore.deep.shapes`).
    weights : str or None
        Source of a shape's weights: "private" or "public" examples; the "released" noisy gradients;
        a "paid" second query on each batch. ``None`` for the first that the shape allows.
    cost : str
        The objective that scaled noise minimises, of `dpcore.deep.shapes`: "adaclip",
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
    chosen_of : int
        How many trainings like it were tried, of which it is the best: all are counted.
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
    chosen_of: int = 1

    def __post_init__(self) -> None:
        one_of("network", self.network, NETWORKS)
        whole("settings tried", self.chosen_of, at_least=1, at_most=MAX_CHOSEN)
        if self.chosen_of > 1 and self.noise == "published-004":
            raise reject("settings tried", self.chosen_of, "1: paper 004 claims for one training")
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
            ("decay", "delta", "chosen_of"): self.private,
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
        """The run as input of the accountants; refused where no guarantee is known for its noise.

        Scaled noise counts as isotropic, with a paid query, too: see `dpcore.deep.shapes`. Uneven
        noise on evenly clipped gradients counts with its least: `min_noise_ratio` bounds σ_i/σ from
        below at every step, and is known before any private record is used; the default holds for
        any weights.
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
            chosen_of=self.chosen_of,
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


@dataclass(frozen=True)
class Assurance:
    """The verdict on one training."""

    claim: Guarantee  # a paper's for this noise, as computed there; empty where none treats it
    # by the shape's own theorem; empty, with the reason, where a condition is unmet
    proof: Guarantee
    certified: Guarantee  # by the accountant, for exactly this noise
    conditions: tuple[Condition, ...]  # every hypothesis the proof or the claim rests on
    status: Status


def guarantee(
    config: TrainingConfig,
    records: int,
    *,
    accountant: str = "pld",
    min_noise_ratio: float = paper_004.MIN,
) -> Assurance:
    """The guarantees of a training, known before it begins.

    `min_noise_ratio` is as in `TrainingConfig.training`; a `TrainingRun` has a better one than the
    default where the weights are computed once, from public examples.
    """
    title = ACCOUNTANTS[one_of("accountant", accountant, tuple(ACCOUNTANTS))].title
    adjacency = Adjacency(config.adjacency)
    if not config.private:
        why = "Nothing is clipped." if not config.clipped else "No noise is added."
        empty = Guarantee(None, None, adjacency, "none", f"{why} This training is not private.")
        return Assurance(empty, empty, empty, (), Status.NOT_PRIVATE)
    if config.noise == "published-004":
        return _published(config, records, accountant, title, min_noise_ratio)
    certified = spent(config.training(records), accountant)
    return Assurance(
        claim=Guarantee(None, None, adjacency, "no paper", "This training is not in print."),
        proof=Guarantee(
            certified.epsilon,
            certified.delta,
            adjacency,
            f"Gaussian noise on {_WORDS[config.noise]}, composed by {certified.by}",
            certified.reason,
        ),
        certified=certified,
        conditions=_conditions(config, certified),
        status=Status.CONDITIONS_NOT_MET if certified.epsilon is None else Status.PROVED,
    )


_WORDS = {
    "isotropic": "a sum of clipped gradients",
    "scaled": "a sum of gradients clipped in the same scale",
}


def _conditions(config: TrainingConfig, certified: Guarantee) -> tuple[Condition, ...]:
    covered = certified.epsilon is not None
    conditions = [
        Condition("an accountant covers this sampling and adjacency", covered, certified.reason)
    ]
    if config.noise == "scaled":
        how = {
            "released": "follow from noisy sums that were released before",
            "paid": f"are paid for with {plain(config.share)} of every step's budget",
            "public": "come from the examples that were set aside",
        }[config.source]
        known = f"scales are known before the batch is drawn: they {how}"
        conditions.append(Condition(known, True))
    return (*conditions, *_assumptions(config))


def _assumptions(config: TrainingConfig) -> tuple[Condition, ...]:
    texts = []
    if config.needs_public:
        texts.append("the examples set aside as public are nobody's secret")
    if config.public_size is not None:
        texts.append(f"the public size {spaced(config.public_size)} was not taken from the records")
    return tuple(Condition(text, True, assumed=True) for text in texts)


def _published(
    config: TrainingConfig, records: int, accountant: str, title: str, min_noise_ratio: float
) -> Assurance:
    """Paper 004's noise: its claim, why its theorem fails, and an accountant's guarantee."""
    adjacency = Adjacency(config.adjacency)
    size, steps = config.size(records), config.steps(records)
    claimed = paper_004.claimed(
        config.sigma,
        config.delta,
        size,
        config.batch,
        steps,
        clip=config.clip,
        order=config.order,
        noise_on_mean=config.noise_on_mean,
    )
    step = paper_004.a_step(claimed, config.delta, config.batch / size, steps)
    is_private_weighted = config.uneven and config.source == "private"
    certified = (
        Guarantee(None, None, adjacency, title, NO_ACCOUNTING)
        if is_private_weighted
        else spent(config.training(records, min_noise_ratio=min_noise_ratio), accountant)
    )
    conditions = (
        Condition(
            "the weights w are public, or are not used", not is_private_weighted, NO_ACCOUNTING
        ),
        # With private weights not even one step has a δ to compare.
        *(
            ()
            if is_private_weighted
            else paper_004.conditions(
                claimed, step, config.clip / config.least_sigma(min_noise_ratio)
            )
        ),
        Condition(
            "the moment of the privacy loss is exp(λS/2 + λ²S/2)",
            False,
            "Equation (9) leaves λ²S/2 out of the moment, so theorem 1 does not follow from it.",
        ),
        *_assumptions(config),
    )
    unmet = " ".join(condition.consequence for condition in conditions if not condition.met)
    supported = certified.epsilon is not None and certified.epsilon <= claimed
    return Assurance(
        claim=Guarantee(claimed, config.delta, Adjacency.ADD_REMOVE, "paper 004, theorem 1"),
        proof=Guarantee(None, None, adjacency, "paper 004, theorem 1", unmet),
        certified=certified,
        conditions=conditions,
        # Its own proof never holds, even where an accountant certifies the claimed ε.
        status=Status.CONDITIONS_NOT_MET if supported else Status.CLAIM_NOT_SUPPORTED,
    )


def certified_alone(config: TrainingConfig, records: int, assured: Assurance) -> Guarantee:
    """What is certified of one training, where this one is the best of several."""
    if config.chosen_of == 1:
        return assured.certified
    return guarantee(replace(config, chosen_of=1), records).certified


def together(trainings: Sequence[TrainingPlan], accountant: str) -> Guarantee:
    """The total cost of several trainings on the same records, one after the other.

    The δ is the largest of theirs; where adjacencies differ it is empty, with the reason.
    """
    adjacencies = {training.adjacency for training in trainings}
    delta = max(training.delta for training in trainings)
    if len(adjacencies) > 1:
        names = " and ".join(sorted(map(str, adjacencies)))
        reason = f"They speak of different neighbours ({names}), so their ε do not add up."
        return Guarantee(None, None, trainings[0].adjacency, accountant, reason)
    event = Composed(tuple(training.event() for training in trainings))
    return certify(event, delta, trainings[0].adjacency, accountant)
