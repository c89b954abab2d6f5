"""Private trainings of networks as full descriptions, and the ε that they spend step by step."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from dpcore.accounting import paper_003
from dpcore.accounting.epsilon_curve import along
from dpcore.datasets import Preparation, images
from dpcore.datasets.images import ExamplesEntry
from dpcore.deep.config import (
    CONVOLUTIONAL,
    NETWORKS,
    SMALLEST_IMAGE,
    Assurance,
    TrainingConfig,
    certified_alone,
    guarantee,
)
from dpcore.errors import InvalidInput, number, one_of, reject, whole
from dpcore.guarantee import Adjacency, Condition, Guarantee, Status
from dpcore.progress import Progress, silent
from dpcore.words import as_set
from dpcore.work.task import digest

ACCOUNTANT = "pld"
"""The tightest accountant with a theorem for every way of drawing batches here."""


def assurance(
    config: TrainingConfig, records: int, *, min_noise_ratio: float | None = None
) -> Assurance:
    """The guarantees of a whole training by `ACCOUNTANT`; see `guarantee`."""
    options: dict[str, Any] = (
        {} if min_noise_ratio is None else {"min_noise_ratio": min_noise_ratio}
    )
    return guarantee(config, records, accountant=ACCOUNTANT, **options)


def stands(status: Status, *, system_entropy: bool) -> Status:
    """The verdict on a training's files: proved only where the noise comes from the system."""
    return Status.EXPLORATION if status is Status.PROVED and not system_entropy else status


@dataclass(frozen=True)
class PaperClaim:
    # of the whole training, computed as in the paper; empty where no paper covers it
    claim: Guarantee
    conditions: tuple[Condition, ...]  # of the paper's own proof
    verdict: str


def paper_claim(config: TrainingConfig, records: int, assured: Assurance) -> PaperClaim:
    """Paper 003's tCDP as printed for isotropic noise on a sample; paper 004's for its own."""
    if assured.claim.epsilon is not None:
        return PaperClaim(assured.claim, assured.conditions, assured.proof.reason)
    if config.private and config.noise == "isotropic" and config.sampling != "none":
        run = config.training(records)
        if run.rate < 1.0:
            answer = paper_003.account(run.schedule(), run.rate, run.delta, run.clip)
            certified = certified_alone(config, records, assured)
            _, verdict = paper_003.verdict(answer, certified)
            return PaperClaim(answer.claim, answer.conditions, verdict)
    return PaperClaim(assured.claim, (), assured.claim.reason)


@dataclass(frozen=True)
class EpsilonLedger:
    """The ε spent by one study's training at the end of each epoch."""

    config: TrainingConfig
    records: int
    min_noise_ratio: float
    status: Status
    known: dict[int, Guarantee] = field(default_factory=dict)

    def at(self, steps: int) -> Guarantee:
        """The guarantee after that many steps."""
        if steps not in self.known:
            self.known[steps] = self._along([steps])[0] if steps else self._none("no step yet")
        return self.known[steps]

    def fill(self, marks: Sequence[int], report: Callable[[float], None]) -> None:
        """Compute all at once, which is cheaper; an exception of `report` ends the work."""
        self.known.update(zip(marks, self._along(marks, report), strict=True))

    def _along(
        self, marks: Sequence[int], report: Callable[[float], None] = lambda share: None
    ) -> list[Guarantee]:
        certificate = assurance(
            self.config, self.records, min_noise_ratio=self.min_noise_ratio
        ).certified
        if certificate.epsilon is None:
            return [certificate] * len(marks)
        training = self.config.training(self.records, min_noise_ratio=self.min_noise_ratio)
        return along(training, ACCOUNTANT, marks, report)

    def _none(self, reason: str) -> Guarantee:
        return Guarantee(None, None, Adjacency(self.config.adjacency), "none", reason)


RECORDS_PER_HELD_OUT = 6
"""One in so many records is held out for choosing settings where `held_out` is set."""

FEATURES = ("raw", "deskewed", "scattering", "whitened")
PICTURES = ("raw", "deskewed")
"""Features that are still images, for convolutional networks."""

WHITENED = ("mnist",)
"""Sets with public coordinates, which come from the very records of some other sets."""

MAX_RUNS, MAX_STUDIES = 1_000, 500
MAX_ROWS = 200
"""Most rows of a run; of more epochs, evenly spaced ones are measured, including the last."""

MIN_CLIP = 1e-12
"""Least C of a release: below it factors of a gradient might underflow in single precision."""

_RELEASE = re.compile("[0-9a-f]{32}")


def networks_for(entry: ExamplesEntry) -> tuple[str, ...]:
    """Networks that can learn from the records: convolutional ones need images, not too small."""
    is_large = entry.side >= SMALLEST_IMAGE
    return tuple(name for name in NETWORKS if is_large or name not in CONVOLUTIONAL)


def features_for(entry: ExamplesEntry, network: str) -> tuple[str, ...]:
    """Features that can be made of the records and that the network takes."""
    if not entry.side:
        return ("raw",)
    if network in CONVOLUTIONAL:
        return PICTURES
    return tuple(name for name in FEATURES if name != "whitened" or entry.key in WHITENED)


def new_release() -> str:
    """A unique name for one training for release: its noise is drawn once, for it."""
    return secrets.token_hex(16)


@dataclass(frozen=True)
class Solved:
    # ε, n and the configuration before; the answer holds for these only
    question: tuple[float | None, int, TrainingConfig]
    answer: TrainingConfig


@dataclass(frozen=True)
class TrainingStudy:
    """A private training.

    Parameters
    ----------
    dataset : str
        A name of `dpcore.datasets.images.keys`.
    features : str
        "raw"; of images "deskewed" and "scattering", of MNIST "whitened": `dpcore.deep.scattering`.
    config : TrainingConfig
        Run r has its seed plus r.
    epsilon : float or None
        Target: σ is the least that stays within it (paper 004's noise: the printed σ for it).
        ``None`` for the configuration's own σ. A configuration without clipping or noise stays as
        it is.
    runs : int
    budget : float or None
        Training ends before the step that would spend more.
    held_out : bool
        Measure on a sixth of the training part, which is then not trained on, and leave the test
        part alone: for choosing settings.
    public : int
        Records of the training part set aside as public, for noise whose weights come from public
        examples.
    settings : tuple of (str, value)
        The data set's own (`dpcore.datasets.images.source`).
    release : str
        A name from `new_release`: batches and noise then come from the operating system, and the
        files may be released. Empty: exploration, from the configuration's seed; nothing is proved
        for its files, because the seed allows removing the noise.
    models : int
        Number of runs whose models are written, the first ones; their cost is composed.
    solved : Solved or None
        From `calibrated`, so that σ₀ is not searched for again; no part of the description, and so
        neither of the key nor of the files.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """

    dataset: str = "digits"
    features: str = "raw"
    config: TrainingConfig = field(default_factory=TrainingConfig)
    epsilon: float | None = 3.0
    runs: int = 1
    budget: float | None = None
    held_out: bool = False
    public: int = 0
    settings: tuple[tuple[str, Any], ...] = ()
    release: str = ""
    models: int = 1
    solved: Solved | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        one_of("dataset", self.dataset, images.keys())
        one_of("features", self.features, FEATURES)
        self._check_inputs()
        self._set(runs=whole("runs", self.runs, at_least=1, at_most=MAX_RUNS))
        self._set(models=whole("models", self.models, at_least=1, at_most=self.runs))
        self._set(public=whole("public records", self.public, at_least=0))
        self._check_adjacency()
        self._check_release()
        self._check_preparation()
        if self.config.needs_public and not self.public:
            raise InvalidInput(
                "public records are 0, but weights that come from public records need at least 1."
            )
        # One study has one key: 1 and 1.0 are the same ε.
        if self.epsilon is not None:
            self._set(epsilon=number("epsilon", self.epsilon, above=0.0, at_most=1e3))
        if self.budget is not None:
            self._set(budget=number("budget", self.budget, above=0.0, at_most=1e3))
            if not self.config.private:
                raise InvalidInput("budget is given, but a training without privacy spends none.")

    def _check_adjacency(self) -> None:
        """Refuse parts of the training records whose size depends on the number of records."""
        if self.config.adjacency == Adjacency.ADD_REMOVE and (self.held_out or self.public):
            raise InvalidInput(
                "adjacency is add-remove, but records that are held out or set aside are drawn "
                "by how many there are; it must be zero-out or replace-one."
            )

    def _check_release(self) -> None:
        if not self.release:
            return
        if not _RELEASE.fullmatch(self.release):
            raise reject("release", self.release, "a name from new_release()")
        if self.config.private:
            number("C of what is kept", self.config.clip, at_least=MIN_CLIP)

    def _check_preparation(self) -> None:
        """Refuse rows of a table that one record can move, where a proof takes them for its own."""
        preparation = dict(self.settings).get("preparation")
        leaks = isinstance(preparation, Preparation) and preparation.scaling == "data"
        if leaks and self.config.private:
            raise InvalidInput(
                "scaling of the preparation is 'data', but for a private training it must be "
                "'public': scaled by the data's own range, one record can move every row."
            )

    @property
    def system_entropy(self) -> bool:
        """Whether batches and noise come from the operating system."""
        return bool(self.release)

    def _check_inputs(self) -> None:
        convolutional, entry = self.config.convolutional, self.entry
        side = dict(self.settings).get("side", entry.side)
        prefix = f"The network is convolutional ({self.config.network})"
        if self.features not in PICTURES and convolutional:
            raise InvalidInput(
                f"{prefix}, but {self.features} features take a linear one or a perceptron."
            )
        if self.features != "raw" and not side:
            raise InvalidInput(
                f"The inputs are {self.features} features, but {entry.title} holds no images; they "
                "must be raw."
            )
        if convolutional and not side:
            raise InvalidInput(
                f"{prefix}, but {entry.title} holds no images; it must be linear or perceptron."
            )
        if convolutional and isinstance(side, int) and side < SMALLEST_IMAGE:
            raise InvalidInput(
                f"{prefix}, but {entry.title} has images of {side} × {side} pixels and it needs at "
                f"least {SMALLEST_IMAGE} × {SMALLEST_IMAGE}; it must be linear or perceptron."
            )
        if self.features == "whitened":
            one_of("dataset of whitened features", self.dataset, WHITENED)

    def _set(self, **fields: object) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def description(self) -> dict[str, Any]:
        """All fields as files hold them; the configuration under its older name, "recipe"."""
        fields = asdict(self)
        del fields["solved"]
        return fields | {"recipe": fields.pop("config")}

    @classmethod
    def described_by(cls, description: Mapping[str, Any]) -> TrainingStudy:
        """The study of a `description`."""
        fields = dict(description)
        return cls(config=TrainingConfig(**fields.pop("recipe")), **fields)

    @property
    def key(self) -> str:
        return digest(["training", self.description])

    @property
    def entry(self) -> ExamplesEntry:
        """What the catalogue says of the data."""
        return images.entry(self.dataset)

    @property
    def title(self) -> str:
        target = f", ε = {as_set(self.epsilon)}" if self.epsilon and self.config.private else ""
        return f"{self.entry.title}, {self.config.network}{target}"

    def trained_on(self, records: int) -> int:
        """n: the records of the training part that are neither held out nor set aside."""
        remaining = records - (records // RECORDS_PER_HELD_OUT if self.held_out else 0)
        whole("public records", self.public, at_least=0, at_most=remaining - 1)
        return remaining - self.public

    def with_calibrated_sigma(self, records: int, progress: Progress = silent) -> TrainingConfig:
        """The configuration with its σ; refused if none stays within the target."""
        if self.epsilon is None or not self.config.private:
            return self.config
        if self.solved is not None and self.solved.question == (self.epsilon, records, self.config):
            return self.solved.answer
        if self.config.noise == "published-004":
            return self.config.claiming(self.epsilon, records)
        return self.config.within(self.epsilon, records, ACCOUNTANT, progress)

    def calibrated(self, records: int) -> TrainingStudy:
        """The study with its σ₀ solved, so that training it needs no second search."""
        question = (self.epsilon, records, self.config)
        return replace(self, solved=Solved(question, self.with_calibrated_sigma(records)))


def of_same_records(studies: Sequence[TrainingStudy]) -> Sequence[TrainingStudy]:
    """The studies, which are to be trained side by side; refused if their records differ."""
    if not 1 <= len(studies) <= MAX_STUDIES:
        raise InvalidInput(f"studies are {len(studies)}, but there must be 1 to {MAX_STUDIES}.")
    first = _data(studies[0])
    if any(_data(study) != first for study in studies):
        raise InvalidInput("studies differ in their records, but a sweep must be of the same.")
    return studies


def _data(study: TrainingStudy) -> TrainingStudy:
    """The study reduced to the settings that determine its records."""
    nothing_private = TrainingConfig(sigma=0.0, clipped=False)
    return replace(
        study, config=nothing_private, epsilon=None, runs=1, budget=None, release="", models=1
    )
