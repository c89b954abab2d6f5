"""Which models are judged by their risks."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

from dpcore.datasets import Entry
from dpcore.errors import InvalidInput, reject
from dpcore.evaluation.study import Study
from dpcore.predictors import predictor_named
from dpcore.work.task import digest

THRESHOLDS = tuple(place / 100 for place in range(1, 100))
"""Thresholds by default, public whatever the records are."""
LOSS = "logistic"
"""The loss whose margins are log-odds."""


@dataclass(frozen=True)
class RiskModels:
    """Describe private models whose risks are judged: those of a study, of which all give risks."""

    study: Study = field(default_factory=Study)
    corrected: bool = False  # by noisy counts, paid from the same ε

    def __post_init__(self) -> None:
        check_data(self.study.entry)
        if self.study.loss != LOSS:
            raise reject("loss", self.study.loss, "logistic, which alone gives risks")
        methods = tuple(method for method in self.study.methods if method != "nonprivate")
        for method in methods:
            check_method(method)
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


def check_method(method: str) -> None:
    """Refuse a model that gives no risks."""
    if not gives_risks(method):
        raise reject("method", method, "one of logistic regression, which alone gives risks")


def check_data(entry: Entry) -> None:
    """Refuse data without two classes to tell apart."""
    if entry.predicts != "class":
        raise reject("dataset", entry.key, "one of two classes, whose risks are judged")
