"""The description of an exploration (data, problem, methods, budgets, runs), and of risk models."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any

from dpcore.datasets import BY_RULE, OWN, Entry, Preparation, Split, described, entry
from dpcore.datasets.preparation import BLURRED, HEEDED_BY, OF_ROWS, used_columns
from dpcore.erm.losses import LOSSES, MARGIN_LOSSES, RESIDUAL_LOSSES
from dpcore.erm.method import Calibration, Settings
from dpcore.erm.methods import without_best
from dpcore.erm.problem import ADJACENCIES, Problem, default_lam
from dpcore.errors import InvalidInput, brief, number, one_of, reject, whole
from dpcore.guarantee import Adjacency, Edition, default_delta
from dpcore.models.records import shape_with
from dpcore.predictors import Predictor, PublicShape, predictor_named, refusal
from dpcore.work.task import digest

MAX_RUNS, MAX_EPSILONS, MAX_STEPS = 1_000, 200, 1_000_000

OBJECTIVES = ("objective", "excess_risk")


@dataclass(frozen=True)
class Study:
    """An exploration.

    Parameters
    ----------
    dataset : str
        Key of a catalogue entry, or ``own`` for the user's own uploaded table.
    records : int, optional
        Size of the synthetic cohort; no other data set takes it.
    loss : str
        "logistic" or "huber" where a class is predicted, "squared" for a number.
    huber_width : float
        h of the Huber loss.
    lam : float, optional
        λ of every method; ``None`` for the rule in n and d (`dpcore.erm.problem.default_lam`), of
        which some methods learn with a share (`Method.lam_share`).
    methods : tuple of str
        Keys of `dpcore.predictors.register`; "best" is replaced by what it stands for at the
        study's ε (`dpcore.erm.methods.best_method`).
    edition : str
        "sound" or "published"; a method without a published edition is run as sound.
    epsilons : tuple of float
        Requested total ε, each above 0.
    delta : float, optional
        Requested δ; ``None`` for the rule `default_delta`.
    adjacency : str
        "zero-out" or "replace-one". Means over n need a public n, so add/remove is refused.
    runs : int
        Independent draws of the noise; a table of curves has at least two on each of several
        splits.
    seed : int
        Seed of the noise and of batch sampling; the split has its own in `preparation`.
    steps, batch : int, optional
        Override every method's own rule for T and for the batch size.
    full_length : bool
        Run published GRPUA and SgdPert for the paper's T = n² - 1 (n ≤ 1,000) instead of n.
    radius : float, optional
        R when λ = 0.
    missing_contributors : int
        Where people blur their own records: how many may stay away without breaking the promise.
    preparation : Preparation
        The preparation of the table as a matrix; features by rule where it is left out. One that
        is given says so by itself: ``Preparation(features="rule", seed=3)``.
    upload : str
        Digest of the file when the data were uploaded; "" otherwise.
    columns : str
        Allowed values of the columns of the user's own table (`dpcore.datasets.own.description`);
        "" otherwise.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """

    dataset: str = "breast_cancer"
    records: int | None = None
    loss: str = field(default="logistic", metadata=OF_ROWS)
    huber_width: float = field(default=0.5, metadata=OF_ROWS)
    lam: float | None = field(default=None, metadata=OF_ROWS)
    methods: tuple[str, ...] = ("nonprivate", "outpert", "opera", "dpgd")
    edition: str = field(default="sound", metadata=OF_ROWS)
    epsilons: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
    delta: float | None = None
    adjacency: str = "zero-out"
    runs: int = 30
    seed: int = 0
    steps: int | None = field(default=None, metadata=OF_ROWS)
    batch: int | None = field(default=None, metadata=OF_ROWS)
    full_length: bool = field(default=False, metadata=OF_ROWS)
    radius: float | None = field(default=None, metadata=OF_ROWS)
    missing_contributors: int = field(default=0, metadata={HEEDED_BY: BLURRED})
    preparation: Preparation = BY_RULE
    upload: str = ""
    columns: str = ""

    def __post_init__(self) -> None:
        one_of("loss", self.loss, LOSSES)
        one_of("edition", self.edition, tuple(Edition))
        one_of("adjacency", self.adjacency, ADJACENCIES)
        if not self.methods:
            raise InvalidInput("methods is empty, but at least one method must be named.")
        epsilons = checked_epsilons(self.epsilons, at_least=1e-12)
        self._set(methods=without_best(self.methods, self.loss, epsilons))
        for method in self.methods:
            if refused := self._refusal(method):
                raise InvalidInput(f"method is {brief(method)} {refused}")
        # One study has one description and so one key: 1 and 1.0 are the same ε, named once.
        self._set(
            epsilons=tuple(dict.fromkeys(epsilons)),
            runs=whole("runs", self.runs, at_least=1, at_most=MAX_RUNS),
            seed=whole("seed", self.seed, at_least=0, at_most=2**32 - 1),
            huber_width=number("Huber width h", self.huber_width, above=0.0, at_most=10.0),
        )
        if self.delta is not None:
            self._set(delta=number("delta", self.delta, at_least=1e-300, at_most=0.5))
        if self.lam is not None:
            self._set(lam=number("λ", self.lam, at_least=0.0, at_most=1e3))
        if self.radius is not None:
            self._set(radius=number("radius R", self.radius, above=0.0, at_most=1e6))
        if self.steps is not None:
            self._set(steps=whole("steps T", self.steps, at_least=1, at_most=MAX_STEPS))
        if self.batch is not None:
            self._set(batch=whole("batch size", self.batch, at_least=1))
        missing = whole("missing contributors", self.missing_contributors, at_least=0)
        self._set(missing_contributors=missing)

    def _set(self, **fields: object) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _refusal(self, method: str) -> str:
        """Why a method cannot learn this, after its name; "" where it can."""
        if refused := refusal(method, self.loss, "class"):
            return f"with loss {brief(self.loss)}: {refused}"
        if predictor_named(method).is_linear:  # it goes by the loss alone
            return ""
        refused = refusal(method, self.loss, self.entry.predicts, is_own=self.dataset == OWN)
        return refused and f"on {brief(self.dataset)}: {refused}"

    @property
    def entry(self) -> Entry:
        """The public facts about the records, but for how many there are."""
        return described(self.columns) if self.dataset == OWN else entry(self.dataset)

    @property
    def title(self) -> str:
        """The titles of its methods."""
        return ", ".join(predictor_named(key).title for key in self.methods)

    @property
    def key(self) -> str:
        # As `asdict` describes it, without a copy of every part.
        return digest(vars(self) | {"preparation": vars(self.preparation)})


def checked_epsilons(epsilons: Sequence[float], *, at_least: float) -> list[float]:
    """Check a study's ε: some, at most `MAX_EPSILONS`, each from `at_least` to 1,000."""
    if not 1 <= len(epsilons) <= MAX_EPSILONS:
        raise InvalidInput(
            f"epsilon has {len(epsilons)} values, but must have 1 to {MAX_EPSILONS}."
        )
    return [number("epsilon", e, at_least=at_least, at_most=1e3) for e in epsilons]


def delta_for(study: Study, split: Split) -> float:
    """The study's δ, or the rule's."""
    return default_delta(len(split.y_train)) if study.delta is None else float(study.delta)


def losses_for(entry: Entry) -> tuple[str, ...]:
    """The losses for a data set's outcome, the usual one first."""
    return RESIDUAL_LOSSES if entry.predicts == "number" else MARGIN_LOSSES


def problem_for(study: Study, split: Split) -> Problem:
    """The public description of the learning task; refuses a loss that does not fit the outcome."""
    one_of(f"loss for {split.entry.key}", study.loss, losses_for(split.entry))
    records, dimension = split.x_train.shape
    return Problem(
        loss=study.loss,
        lam=default_lam(records, split.counted) if study.lam is None else float(study.lam),
        records=records,
        dimension=dimension,
        adjacency=Adjacency(study.adjacency),
        huber_width=study.huber_width,
        radius=study.radius,
        public_preparation=not split.leaks,
        complete=split.complete,
        classes=split.entry.classes,
        counted=split.counted,
    )


def as_learned(study: Study, problem: Problem, predictor: Predictor) -> Problem:
    """The problem as one predictor learns it: at its own share of λ, unless the study names λ."""
    if study.lam is not None:
        return problem
    return predictor.own_problem(problem, edition_of(study, predictor))


def study_of(study: Study, method: str) -> Study:
    """The study of one method, without the settings that only others heed."""
    heeds = predictor_named(method).heeds
    preparation = replace(study.preparation, **_unheeded(study.preparation, heeds))
    return replace(study, methods=(method,), preparation=preparation, **_unheeded(study, heeds))


def _unheeded(settings: Study | Preparation, heeds: Collection[str]) -> dict[str, Any]:
    return {
        field.name: field.default
        for field in fields(settings)
        if HEEDED_BY in field.metadata and field.metadata[HEEDED_BY] not in heeds
    }


def edition_of(study: Study, predictor: Predictor) -> Edition:
    """The edition in which the study has a predictor learn."""
    requested = Edition(study.edition)
    return requested if requested in predictor.editions else Edition.SOUND


Calibrations = Mapping[str, Sequence[Calibration]]
"""Calibrations by method, one per ε of a study."""


def calibrations_for(study: Study, problem: Problem, delta: float) -> Calibrations:
    """Every method's calibrations, in the study's order. Pure: no data, no noise."""
    settings = Settings(study.steps, study.batch, study.full_length, study.missing_contributors)
    columns = shape_with(used_columns(study.entry, study.preparation), problem.records)
    calibrations = {}
    for key in study.methods:
        predictor = predictor_named(key)
        shape = PublicShape(as_learned(study, problem, predictor), columns)
        edition = edition_of(study, predictor)
        calibrations[key] = _calibrated(key, shape, study.epsilons, delta, edition, settings)
    return calibrations


@lru_cache(maxsize=256)
def _calibrated(
    key: str,
    shape: PublicShape,
    epsilons: tuple[float, ...],
    delta: float,
    edition: Edition,
    settings: Settings,
) -> tuple[Calibration, ...]:
    """`Predictor.calibrate`; kept, as splits of one size share it."""
    predictor = predictor_named(key)
    return tuple(predictor.calibrate(shape, epsilons, delta, edition, settings))


def calibrations_of(study: Study, split: Split) -> Calibrations:
    """Every method's calibrations for training on a split."""
    return calibrations_for(study, problem_for(study, split), delta_for(study, split))


THRESHOLDS = tuple(place / 100 for place in range(1, 100))
"""Thresholds by default, public whatever the records are."""
RISK_LOSS = "logistic"
"""The loss whose margins are log-odds."""


@dataclass(frozen=True)
class RiskModels:
    """Describe private models whose risks are judged: those of a study, of which all give risks."""

    study: Study = field(default_factory=Study)
    corrected: bool = False  # by noisy counts, paid from the same ε

    def __post_init__(self) -> None:
        check_two_classes(self.study.entry)
        if self.study.loss != RISK_LOSS:
            raise reject("loss", self.study.loss, "logistic, which alone gives risks")
        methods = tuple(method for method in self.study.methods if method != "nonprivate")
        for method in methods:
            check_gives_risks(method)
        if not methods:
            raise InvalidInput("methods names no private method, but at least one must be named.")
        object.__setattr__(self, "study", replace(self.study, methods=methods))

    @cached_property
    def key(self) -> str:
        """A digest of the whole description."""
        return digest({"risk models": asdict(self)})


def gives_risks(method: str) -> bool:
    """Whether a method's scores are log-odds, with the logistic loss."""
    return predictor_named(method).is_linear


def check_gives_risks(method: str) -> None:
    """Refuse a model that gives no risks."""
    if not gives_risks(method):
        raise reject("method", method, "one of logistic regression, which alone gives risks")


def check_two_classes(entry: Entry) -> None:
    """Refuse data without two classes to tell apart."""
    if entry.predicts != "class":
        raise reject("dataset", entry.key, "one of two classes, whose risks are judged")
