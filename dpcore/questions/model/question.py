"""The question how well a model of the survey does."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from dpcore.datasets import Table
from dpcore.evaluation.models import ModelStudy, curve, summary, why_unjudged
from dpcore.guarantee import Guarantee, verdicts
from dpcore.progress import Progress
from dpcore.questions.question import EVERY_RUN, Question, asked

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ModelQuestion(Question):
    """How well a model of the survey (paper 001) does against ε, by its own measure.

    It is learned privately, several times at every ε, and judged on test records, beside the same
    model without noise.

    Parameters
    ----------
    study : ModelStudy
        It names the data, the model, ε and the adjacency.
    every_run : bool
        Whether every single run is told.

    Notes
    -----
    One row a series and ε.
    """

    study: ModelStudy = field(default_factory=ModelStudy)
    every_run: bool = asked(EVERY_RUN, default=False, drawn=False, looks=True, takes="bool")

    doing = "Learning"
    table_is = "The measure at each ε"
    examples = ("--model naive-bayes --dataset breast_cancer --epsilon 0.1,1,10",)

    @property
    def title(self) -> str:
        """The model and its data."""
        return self.study.title

    def rows(self, records: Table, report: Progress) -> pd.DataFrame:
        return curve(self.study, table=records, progress=report)

    def table(self, rows: pd.DataFrame) -> pd.DataFrame:
        return rows if self.every_run else summary(rows)

    def beside(self, table: pd.DataFrame) -> dict[str, Any]:
        return {
            "note": why_unjudged(table),
            "calibrations": [
                {
                    "requested": asdict(each.requested),
                    "claim": _statement(each.claim),
                    "proof": _statement(each.proof),
                    "adjacency": str(each.adjacency),
                    "status": str(each.status),
                    "noises": [asdict(noise) for noise in each.noises],
                    "settings": each.settings,
                    "conditions": verdicts(each.conditions),
                }
                for each in self.study.calibrations()
            ],
        }


QUESTION = ModelQuestion


def _statement(guarantee: Guarantee) -> dict[str, object]:
    """An (ε, δ) statement with its source; both null where there is none, and why."""
    return {
        "epsilon": guarantee.epsilon,
        "delta": guarantee.delta,
        "by": guarantee.by,
        "why": guarantee.reason,
    }
