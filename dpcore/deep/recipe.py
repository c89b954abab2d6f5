"""Settings of one private training, and what its noise costs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.accounting.planner import Plan, Training, solve
from dpcore.errors import InvalidInput, number, one_of, whole
from dpcore.guarantee import Adjacency

NETWORKS = ("linear", "perceptron", "cnn")
OPTIMIZERS = ("sgd", "momentum", "adam")
EVERY = ("step", "epoch")


@dataclass(frozen=True)
class Recipe:
    """How to train.

    Parameters
    ----------
    network : str
        "linear", "perceptron" or "cnn".
    widths : tuple of int
        Hidden layers of a perceptron.
    activation : str
        "relu" or "tanh".
    epochs : int
    batch : int
        (Expected) records a step.
    learning_rate : float
    optimizer : str
        "sgd", "momentum" (0.9) or "adam", all on the noisy gradient.
    clip : float
        C.
    per_layer : bool
        Clip every layer to its share of C instead of all together.
    sigma : float
        σ₀, the noise on the sum of clipped gradients at the first step; 0 for none.
    clipped : bool
        Whether gradients are clipped. Without noise or without clipping there is no guarantee: such
        runs show what either costs by itself.
    decay : float
        R: the variance is multiplied by it each time (paper 003).
    decay_every : str
        "step" or "epoch".
    sampling : str
        "poisson", "fixed" or "none".
    adjacency : str
    delta : float
    seed : int
    """

    network: str = "perceptron"
    widths: tuple[int, ...] = (100, 100)
    activation: str = "relu"
    epochs: int = 10
    batch: int = 256
    learning_rate: float = 0.5
    optimizer: str = "sgd"
    clip: float = 1.0
    per_layer: bool = False
    sigma: float = 1.0
    clipped: bool = True
    decay: float = 1.0
    decay_every: str = "epoch"
    sampling: str = "poisson"
    adjacency: str = "add-remove"
    delta: float = 1e-5
    seed: int = 0

    def __post_init__(self) -> None:
        one_of("network", self.network, NETWORKS)
        one_of("activation", self.activation, ("relu", "tanh"))
        one_of("optimizer", self.optimizer, OPTIMIZERS)
        one_of("decay every", self.decay_every, EVERY)
        one_of("sampling", self.sampling, ("poisson", "fixed", "none"))
        Adjacency(one_of("adjacency", self.adjacency, tuple(map(str, Adjacency))))
        for width in self.widths:
            whole("width", width, at_least=1, at_most=100_000)
        whole("epochs", self.epochs, at_least=1, at_most=100_000)
        whole("batch size", self.batch, at_least=1)
        whole("seed", self.seed, at_least=0)
        number("learning rate", self.learning_rate, above=0.0)
        number("C", self.clip, above=0.0)
        number("σ", self.sigma, at_least=0.0)
        number("decay R", self.decay, above=0.0, at_most=1.0)
        number("δ", self.delta, above=0.0, below=1.0)

    @property
    def private(self) -> bool:
        """Whether gradients are clipped and noise is added."""
        return self.clipped and self.sigma > 0.0

    def steps_an_epoch(self, records: int) -> int:
        """Steps after which each record has been seen once on average: ⌈n/batch⌉, or 1."""
        return 1 if self.sampling == "none" else -(-records // self.batch)

    def training(self, records: int) -> Training:
        """The run as the accountants read it.

        Raises
        ------
        InvalidInput
            If it is not private, or the batch is larger than the data.
        """
        if not self.private:
            raise InvalidInput("σ is 0 or nothing is clipped, but a private run needs both.")
        an_epoch = self.steps_an_epoch(records)
        return Training(
            sigma=self.sigma,
            records=records,
            batch=records if self.sampling == "none" else self.batch,
            steps=an_epoch * self.epochs,
            delta=self.delta,
            clip=self.clip,
            decay=self.decay,
            decay_every=1 if self.decay_every == "step" else an_epoch,
            sampling=self.sampling,
            adjacency=Adjacency(self.adjacency),
        )

    def within(self, epsilon: float, records: int, accountant: str = "pld") -> Recipe:
        """The same with the least σ₀ that stays within a target ε.

        Raises
        ------
        InvalidInput
            If none does; the sentence says why.
        """
        start = self if self.private else replace(self, sigma=self.clip, clipped=True)
        plan: Plan = solve("sigma", start.training(records), epsilon, accountant)
        if plan.value is None:
            raise InvalidInput(plan.sentence)
        return replace(start, sigma=plan.value)
