"""How long a method takes to train one model, alone, on the machine that runs this."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dpcore.datasets import load
from dpcore.evaluation.feature_maps import by_map
from dpcore.evaluation.splits import Splits, samples, splits
from dpcore.evaluation.study import Study, calibrations_of
from dpcore.evaluation.sweep import noise_on
from dpcore.predictors import predictor_named
from dpcore.progress import Progress, section, silent, stoppable
from dpcore.work.task import JobContext, Outcome, StudyTask, digest

if TYPE_CHECKING:
    import pandas as pd

ALIKE = ["method", "edition", "features", "steps"]
"""What decides how long a training takes; that ε does not."""


@dataclass(frozen=True)
class TimesStudy:
    """Seconds of one training alone, by each study's one method at each of its ε.

    The studies are of the same records. What is measured is of the machine and the moment, so it
    stands in no other answer.
    """

    studies: tuple[Study, ...]

    @property
    def key(self) -> str:
        """Of what is timed, not of how long it took."""
        return digest({"times": [study.key for study in self.studies]})

    @property
    def title(self) -> str:
        """The titles of the methods."""
        return f"Seconds of {', '.join(study.title for study in self.studies)}"

    @property
    def upload(self) -> str:
        """The digest of the file that the records come in."""
        return self.studies[0].upload


def task(study: TimesStudy, path: str = "") -> StudyTask:
    return StudyTask(study, work, path)


def work(study: TimesStudy, context: JobContext) -> Outcome:
    """A row a (method, ε)."""
    import pandas as pd

    first, report = study.studies[0], stoppable(context.report, context.cancelled)
    records = context.records
    if records is None:
        report(0.0, "loading the data")
        records = load(first.dataset, records=first.records)
    share, tables = 1.0 / len(study.studies), []
    for place, one in enumerate(study.studies):
        progress = section(report, place * share, share)
        tables.append(times(one, splits(records, one.preparation), progress))
    return Outcome(pd.concat(tables, ignore_index=True))


def times(study: Study, every: Splits, progress: Progress = silent) -> pd.DataFrame:
    """Seconds of one training at each ε by the study's one method, on the first split.

    Preparing the records and finding σ are not counted. Trainings of as many steps on the same
    features differ by chance alone, and all get the median of their times.
    """
    import pandas as pd

    rows = []
    for row in _measured(study, every):
        rows.append(row)
        progress(len(rows) / len(study.epsilons), "training one model alone")
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
