"""The description of an exploration: data, preparation, problem, methods, budgets, runs, seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dpcore.datasets import BY_RULE, OWN, Entry, Preparation, Split, described, entry
from dpcore.erm import one_vs_rest
from dpcore.erm.losses import LOSSES, MARGIN_LOSSES, RESIDUAL_LOSSES
from dpcore.erm.method import Calibration, Method, Settings
from dpcore.erm.problem import ADJACENCIES, Problem, default_lam
from dpcore.errors import InvalidInput, brief, number, one_of, whole
from dpcore.evaluation.model_calibration import calibrated
from dpcore.guarantee import Adjacency, Condition, Edition, Guarantee, Status, default_delta
from dpcore.methods import without_best
from dpcore.models.model import Model
from dpcore.predictors import Predictor, predictor_named, refusal
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
        study's ε (`dpcore.methods.best_method`).
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
    loss: str = "logistic"
    huber_width: float = 0.5
    lam: float | None = None
    methods: tuple[str, ...] = ("nonprivate", "outpert", "opera", "dpgd")
    edition: str = "sound"
    epsilons: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
    delta: float | None = None
    adjacency: str = "zero-out"
    runs: int = 30
    seed: int = 0
    steps: int | None = None
    batch: int | None = None
    full_length: bool = False
    radius: float | None = None
    missing_contributors: int = 0
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
        # What convex methods learn goes by the loss alone.
        is_model = isinstance(predictor_named(method), Model)
        refused = ""
        if is_model:
            is_own = self.dataset == OWN
            refused = refusal(method, self.loss, self.entry.predicts, is_own=is_own)
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


def as_learned(study: Study, problem: Problem, method: Predictor) -> Problem:
    """The problem as one method learns it: at its own share of λ, unless the study names λ."""
    if (
        isinstance(method, Model)
        or study.lam is not None
        or edition_of(study, method) is not Edition.SOUND
    ):
        return problem
    return replace(problem, lam=problem.lam * method.lam_share)


def of_a_model(study: Study, model: str) -> Study:
    """The study of one of the survey's models, with no setting that only convex methods have."""
    usual = Preparation()
    # What is left says which records are learned from and tested on, and which columns they have.
    columns = replace(
        study.preparation,
        scaling=usual.scaling,
        interval=usual.interval,
        norm=usual.norm,
        intercept=usual.intercept,
        features=usual.features,
        fourier_features=usual.fourier_features,
        bandwidth=usual.bandwidth,
    )
    return Study(
        dataset=study.dataset,
        records=study.records,
        methods=(model,),
        epsilons=study.epsilons,
        delta=study.delta,
        adjacency=study.adjacency,
        runs=study.runs,
        seed=study.seed,
        preparation=columns,
        upload=study.upload,
        columns=study.columns,
    )


def edition_of(study: Study, method: Method) -> Edition:
    requested = Edition(study.edition)
    return requested if requested in method.editions else Edition.SOUND


Calibrations = Mapping[str, Sequence[Calibration]]
"""Calibrations by method, one per ε of a study."""


def calibrations_for(study: Study, problem: Problem, delta: float) -> dict[str, list[Calibration]]:
    """Every method's calibrations, one per ε, in the study's order. Pure: no data, no noise."""
    settings = Settings(study.steps, study.batch, study.full_length, study.missing_contributors)
    calibrations = {}
    for key in study.methods:
        predictor = predictor_named(key)
        if isinstance(predictor, Model):
            # Its numbers are scaled by public bounds, whatever the rows of methods are scaled by.
            facts = study.entry, study.preparation, problem
            calibrations[key] = calibrated(predictor, *facts, study.epsilons, delta)
            continue
        per_epsilon = one_vs_rest.calibrate(
            predictor,
            as_learned(study, problem, predictor),
            study.epsilons,
            delta,
            edition_of(study, predictor),
            settings,
        )
        is_public = problem.public_preparation
        calibrations[key] = per_epsilon if is_public else [without_proof(c) for c in per_epsilon]
    return calibrations


def fitting(
    study: Study, problem: Problem, split: Split, calibrations: Calibrations | None
) -> Calibrations:
    """The calibrations, made anew unless they are for this problem."""
    if calibrations and all(
        group[0].problem == as_learned(study, problem, predictor_named(key))
        for key, group in calibrations.items()
    ):
        return calibrations
    return calibrations_for(study, problem, delta_for(study, split))


def without_proof(calibration: Calibration) -> Calibration:
    """The calibration on data scaled by their own range: nothing is proved, whatever the noise."""
    reason = "The features were scaled by the data's own range, so one record can move every row."
    empty = Guarantee(None, None, calibration.problem.adjacency, "none", reason)
    final = (Status.NOT_PRIVATE, Status.CLAIM_NOT_SUPPORTED)
    unmet = Condition("every record prepared on its own, by public bounds", False, reason)
    return replace(
        calibration,
        conditions=(*calibration.conditions, unmet),
        proof=empty,
        certified=empty,
        gaussian_mu=None,
        status=calibration.status if calibration.status in final else Status.CONDITIONS_NOT_MET,
    )
