"""A description of how risks by the models of an exploration are judged."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

from dpcore.datasets import Entry
from dpcore.errors import InvalidInput, number, reject, whole
from dpcore.evaluation.clinic.calibration import BINS, MAX_BINS
from dpcore.evaluation.study import Study
from dpcore.evaluation.task import digest
from dpcore.models.model import Model
from dpcore.predictors import predictor_named

THRESHOLDS = tuple(place / 100 for place in range(1, 100))
"""Thresholds by default, public whatever the records are."""
MAX_THRESHOLDS = 1_000
LOSS = "logistic"
"""The loss whose margins are log-odds."""


@dataclass(frozen=True)
class ClinicStudy:
    """Describe how the private models of an exploration are judged by their risks."""

    study: Study = field(default_factory=Study)
    thresholds: tuple[float, ...] = THRESHOLDS  # probabilities in (0, 1) from which on one acts
    bins: int = BINS
    corrected: bool = False

    def __post_init__(self) -> None:
        if self.study.loss != LOSS:
            raise reject("loss", self.study.loss, "logistic, which alone gives risks")
        methods = tuple(method for method in self.study.methods if method != "nonprivate")
        for method in methods:
            check_method(method)
        if not methods:
            raise InvalidInput("methods names no private method, but at least one must be named.")
        if not 1 <= len(self.thresholds) <= MAX_THRESHOLDS:
            raise InvalidInput(
                f"threshold has {len(self.thresholds):,} values, but must have 1 to "
                f"{MAX_THRESHOLDS:,}."
            )
        levels = {number("threshold", level, above=0.0, below=1.0) for level in self.thresholds}
        object.__setattr__(self, "study", replace(self.study, methods=methods))
        object.__setattr__(self, "thresholds", tuple(sorted(levels)))
        bins = whole("bins", self.bins, at_least=1, at_most=MAX_BINS)
        object.__setattr__(self, "bins", bins)

    @property
    def upload(self) -> str:
        return self.study.upload

    @property
    def title(self) -> str:
        return f"Risks by {self.study.title}"

    @cached_property
    def key(self) -> str:
        return digest({"clinic": asdict(self)})


def is_of_the_survey(method: str) -> bool:
    """Tell whether it is a model of the survey, and so fits no linear model."""
    return isinstance(predictor_named(method), Model)


def gives_risks(method: str) -> bool:
    """Whether a method's scores are log-odds, with the logistic loss."""
    return not is_of_the_survey(method)


def check_method(method: str) -> None:
    """Refuse a model that gives no risks."""
    if not gives_risks(method):
        raise reject("method", method, "one of logistic regression, which alone gives risks")


def check_data(entry: Entry) -> None:
    """Refuse data without two classes to tell apart."""
    if entry.predicts != "class":
        raise reject("dataset", entry.key, "one of two classes, whose risks are judged")
