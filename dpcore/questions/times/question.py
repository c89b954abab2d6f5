"""The question how long a method takes to train one model, alone, on the machine that runs this."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dpcore.datasets import Table
from dpcore.evaluation.splits import Splits, by_map, samples, splits
from dpcore.evaluation.study import Study, calibrations_of, study_of
from dpcore.evaluation.sweep import noise_on
from dpcore.predictors import predictor_named
from dpcore.progress import Progress, section
from dpcore.questions.question import Question

if TYPE_CHECKING:
    import pandas as pd

ALIKE = ["method", "edition", "features", "steps"]
"""What decides how long a training takes; that ε does not."""


@dataclass(frozen=True)
class TimesQuestion(Question):
    """Seconds of one training alone, by each of a study's methods at each of its ε.

    What is measured is of the machine and the moment, so it stands in no other answer.

    Parameters
    ----------
    study : Study
        It names the data, the methods, ε and the adjacency.

    Notes
    -----
    One row a method and ε, on the first split. Preparing the records and finding σ are not counted.
    Trainings of as many steps on the same features differ by chance alone, and all get the median
    of their times.
    """

    study: Study = field(default_factory=Study)

    doing = "Timing the methods"
    table_is = "Seconds of one training alone"
    examples = ("--dataset breast_cancer --methods opera,dpgd --epsilon 0.1,1,10",)

    def rows(self, records: Table, report: Progress) -> pd.DataFrame:
        import pandas as pd

        methods = self.study.methods
        share, tables = 1.0 / len(methods), []
        for place, method in enumerate(methods):
            one = study_of(self.study, method)
            progress = section(report, place * share, share)
            tables.append(times(one, splits(records, one.preparation), progress))
        return pd.concat(tables, ignore_index=True)


QUESTION = TimesQuestion


def times(study: Study, every: Splits, report: Progress) -> pd.DataFrame:
    """A row an ε, by the study's one method."""
    import pandas as pd

    rows = []
    for row in _measured(study, every):
        rows.append(row)
        report(len(rows) / len(study.epsilons), "training one model alone")
    table = pd.DataFrame(rows).sort_values("epsilon", ignore_index=True)
    return table.assign(seconds=table.groupby(ALIKE)["seconds"].transform("median"))


def _measured(study: Study, every: Splits) -> Iterator[dict[str, object]]:
    predictor = predictor_named(study.methods[0])
    for part, rows in by_map(replace(study, runs=1), every):
        sample = next(samples(rows))
        (own,) = calibrations_of(part, sample.split).values()
        noise = noise_on(study.seed, 0)
        # What is done only once in a process counts for none of them.
        predictor.fit(own[:1], sample, 1, noise)
        for calibration in own:
            started = time.perf_counter()
            predictor.fit([calibration], sample, 1, noise)
            seconds = time.perf_counter() - started
            yield {
                "method": calibration.method,
                "edition": str(calibration.edition),
                "features": sample.split.preparation.features,
                "epsilon": calibration.requested.epsilon,
                "steps": calibration.steps,
                "seconds": seconds,
            }
