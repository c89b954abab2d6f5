"""The question what privacy costs, and its answer as a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dpcore.datasets import Table, load
from dpcore.evaluation.baselines import baselines, usual
from dpcore.evaluation.clinic.counts import NAME, Counter
from dpcore.evaluation.clinic.risks import released
from dpcore.evaluation.clinic.study import LOSS, ClinicStudy, gives_risks
from dpcore.evaluation.curves import against, all_curves, for_a_file
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study
from dpcore.evaluation.task import JobContext, Outcome
from dpcore.predictors import predictor_named
from dpcore.progress import Progress, section, silent, stoppable

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class CostQuestion:
    """What the study's methods cost at each of its ε.

    Of a single method that gives risks of one of two classes, whom it treats is counted, too.
    """

    study: Study = field(default_factory=Study)

    @property
    def key(self) -> str:
        """The study's own: a study has one table of curves."""
        return self.study.key

    @property
    def title(self) -> str:
        """The titles of the methods."""
        return self.study.title

    @property
    def upload(self) -> str:
        """The digest of the file that its records come in."""
        return self.study.upload

    @property
    def counts_people(self) -> bool:
        """Whether its answer comes with `TreatedCounts`."""
        (first, *others) = self.study.methods
        return (
            not others
            and self.study.loss == LOSS
            and self.study.entry.predicts == "class"
            and first != "nonprivate"
            and gives_risks(first)
        )

    def answer(self, context: JobContext) -> Outcome:
        """The curves of the methods, without the references of `answers`."""
        records = context.records
        if records is None:
            context.report(0.0, "loading the data")
            records = load(self.study.dataset, records=self.study.records)
        parts = splits(records, self.study.preparation)
        counter = Counter() if self.counts_people else None
        report = stoppable(context.report, context.cancelled)
        is_drawn = counter is None or not predictor_named(self.study.methods[0]).closed_form
        curves = section(report, 0.0, 1.0 if is_drawn else 0.5)
        rows = all_curves(self.study, parts, curves, context.cancelled, counter)
        if counter is None:
            return Outcome(rows)
        if not is_drawn:  # a closed form has no single runs
            for judged in released(ClinicStudy(self.study), parts, section(report, 0.5, 0.5)):
                assert judged.calibration is not None
                epsilon = judged.calibration.requested.epsilon
                for place, (split, weights) in enumerate(
                    zip(judged.splits, judged.weights, strict=True)
                ):
                    counter(split, place, {epsilon: weights})
        return Outcome(rows, {NAME: counter.counts.written()})


def answers(
    study: Study,
    *,
    records: Table | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """Every method of the study at every ε: in closed form where there is one, else sampled."""
    if records is None:
        records = load(study.dataset, records=study.records)
    report = stoppable(progress, cancelled)
    parts = splits(records, study.preparation)
    rows = all_curves(study, parts, section(report, 0.0, 0.7), cancelled)
    usual_parts = splits(records, usual(study.preparation))
    compared = baselines(usual_parts, records, section(report, 0.7, 0.3))
    report(1.0, "done")
    return against(rows, compared)


def table(study: Study, **options: object) -> pd.DataFrame:
    """`answers` as a file has them, with the model without privacy last."""
    return for_a_file(answers(study, **options))  # type: ignore[arg-type]
