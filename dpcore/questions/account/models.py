"""What the models of an account lose against no privacy, each at an ε and δ of its own."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dpcore.datasets import Table
from dpcore.errors import InvalidInput
from dpcore.evaluation.curves import all_curves
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study
from dpcore.progress import Progress, numbered, section
from dpcore.questions.cost.question import beside_none
from dpcore.questions.question import Question

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class LossQuestion(Question):
    """What models lose on a study's data, each by its method, ε and δ, a row each. Not private."""

    study: Study = field(default_factory=Study)
    models: tuple[tuple[str, float, float], ...] = ()

    doing = "Measuring what they lose"

    def __post_init__(self) -> None:
        if not self.alone:  # which refuses what cannot be learned
            raise InvalidInput("models is empty, but at least one model must be named.")

    @property
    def alone(self) -> list[Study]:
        """The study of each model."""
        return [
            replace(self.study, methods=(method,), epsilons=(epsilon,), delta=delta)
            for method, epsilon, delta in self.models
        ]

    def rows(self, records: Table, report: Progress) -> pd.DataFrame:
        import pandas as pd

        preparation = self.study.preparation
        parts = splits(records, preparation)
        reports = numbered(section(report, 0.0, 0.7), len(self.models), "model")
        rows = [
            all_curves(one, parts, part, lambda: False)
            for one, part in zip(self.alone, reports, strict=True)
        ]
        report(0.7, "training a model without privacy")
        curves = pd.concat(rows, ignore_index=True)
        return beside_none(curves, records, preparation, section(report, 0.7, 0.3))
