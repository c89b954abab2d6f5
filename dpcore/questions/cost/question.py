"""The question what privacy costs, and its answer as a table."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dpcore.datasets import Preparation, Table
from dpcore.errors import InvalidInput
from dpcore.evaluation.baselines import baselines, usual
from dpcore.evaluation.clinic.counts import NAME, Counter
from dpcore.evaluation.clinic.risks import released
from dpcore.evaluation.curves import SAME_LAM, against, all_curves, for_a_file
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import RISK_LOSS, RiskModels, Study, gives_risks
from dpcore.evaluation.sweep import sweep
from dpcore.guarantee import Status
from dpcore.predictors import predictor_named
from dpcore.progress import Progress, numbered, section, stoppable
from dpcore.questions.question import EVERY_RUN, Question, asked, loaded
from dpcore.work.task import JobContext, Outcome

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class CostQuestion(Question):
    """What privacy costs: accuracy and what is beside it, by each method at each ε.

    Parameters
    ----------
    study : Study
        It names the data, the methods, ε and the adjacency.
    every_run : bool
        Whether every single run is told, all trained.

    Notes
    -----
    One row a method and ε: in closed form where there is one, else sampled; then the model without
    privacy. "same λ, no noise" is the method ``nonprivate``.

    Of a single method that gives risks of one of two classes, a job leaves whom it treats, too.

    Examples
    --------
    >>> import dpcore
    >>> study = dpcore.Study(dataset="breast_cancer", methods=("opera",), epsilons=(1.0,))
    >>> dpcore.cost(study)["method"].tolist()
    ['opera', 'without privacy']
    """

    study: Study = field(default_factory=Study)
    every_run: bool = asked(EVERY_RUN, default=False, drawn=False, takes="bool")

    doing = "Training"
    table_is = "The answer at each ε"
    examples = (
        "--dataset breast_cancer --methods nonprivate,opera,outpert --epsilon 0.1,1,10 "
        "--output out.csv",
    )

    @property
    def title(self) -> str:
        """The titles of the methods."""
        return self.study.title

    @property
    def counts_people(self) -> bool:
        """Whether its answer comes with `TreatedCounts`."""
        (first, *others) = self.study.methods
        return (
            not others
            and self.study.loss == RISK_LOSS
            and self.study.entry.predicts == "class"
            and first != "nonprivate"
            and gives_risks(first)
        )

    def answer(self, context: JobContext) -> Outcome:
        """The curves of the methods, without the references of `rows`."""
        report = stoppable(context.report, context.cancelled)
        parts = splits(loaded(self, context.records, report), self.study.preparation)
        counter = Counter() if self.counts_people else None
        is_drawn = counter is None or not predictor_named(self.study.methods[0]).closed_form
        curves = section(report, 0.0, 1.0 if is_drawn else 0.5)
        rows = all_curves(self.study, parts, curves, context.cancelled, counter)
        if counter is None:
            return Outcome(rows)
        if not is_drawn:  # a closed form has no single runs
            for judged in released(RiskModels(self.study), parts, section(report, 0.5, 0.5)):
                assert judged.calibration is not None
                epsilon = judged.calibration.requested.epsilon
                for place, (split, weights) in enumerate(
                    zip(judged.splits, judged.weights, strict=True)
                ):
                    counter(split, place, {epsilon: weights})
        return Outcome(rows, {NAME: counter.counts.written()})

    def rows(self, records: Table, report: Progress) -> pd.DataFrame:
        parts = splits(records, self.study.preparation)
        if self.every_run:
            rows = sweep(self.study, split=parts, progress=report)
            return _without_privacy_once(rows)
        curves = all_curves(self.study, parts, section(report, 0.0, 0.7), lambda: False)
        return beside_none(curves, records, self.study.preparation, section(report, 0.7, 0.3))

    def table(self, rows: pd.DataFrame) -> pd.DataFrame:
        """As a file has them, with the model without privacy last."""
        return rows if self.every_run else for_a_file(rows)


def beside_none(
    curves: pd.DataFrame, records: Table, preparation: Preparation, report: Progress
) -> pd.DataFrame:
    """Curves beside the model without privacy, which is trained on the same splits."""
    return against(curves, baselines(splits(records, usual(preparation)), records, report))


def _without_privacy_once(rows: pd.DataFrame) -> pd.DataFrame:
    """The model without noise is one, at no ε."""
    named = rows.assign(method=rows["method"].replace({"nonprivate": SAME_LAM}))
    noiseless = named["status"] == str(Status.NOT_PRIVATE)
    once = named[~(noiseless & named.duplicated("method"))].reset_index(drop=True)
    once.loc[once["status"] == str(Status.NOT_PRIVATE), ["epsilon", "delta"]] = math.nan
    return once


@dataclass(frozen=True)
class ReferenceQuestion(Question):
    """What models without privacy reach on a study's data, whatever else it says."""

    study: Study = field(default_factory=Study)

    doing = "Training models without privacy"

    def __post_init__(self) -> None:
        of, preparation = self.study, usual(self.study.preparation)
        data = Study(
            of.dataset, of.records, preparation=preparation, upload=of.upload, columns=of.columns
        )
        object.__setattr__(self, "study", data)

    @property
    def title(self) -> str:
        """What is done on which data."""
        return f"{self.doing} on {self.study.dataset}"

    def answer(self, context: JobContext) -> Outcome:
        """The rows, and of two classes the models' `TreatedCounts`."""
        report = stoppable(context.report, context.cancelled)
        records = loaded(self, context.records, report)
        counter = Counter() if records.entry.predicts == "class" else None
        rows = self.rows(records, report, counter)
        return Outcome(rows, {} if counter is None else {NAME: counter.counts.written()})

    def rows(
        self, records: Table, report: Progress, counter: Counter | None = None
    ) -> pd.DataFrame:
        """`Baselines.rows` of the better of both models."""
        return baselines(splits(records, self.study.preparation), records, report, counter).rows


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


QUESTION = CostQuestion
