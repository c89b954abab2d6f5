"""The model without privacy as a task: boosted trees take longer than a page may wait."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from dpcore.datasets import Preparation, load
from dpcore.evaluation.baselines import baselines, usual
from dpcore.evaluation.clinic.counts import NAME, Counter
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study
from dpcore.progress import stoppable
from dpcore.work.task import JobContext, Outcome, StudyTask, digest


@dataclass(frozen=True)
class ReferenceStudy:
    """Describe the data of a study, and nothing else of it."""

    dataset: str
    records: int | None
    preparation: Preparation
    upload: str = ""

    @classmethod
    def of(cls, study: Study) -> ReferenceStudy:
        return cls(study.dataset, study.records, usual(study.preparation), study.upload)

    @property
    def key(self) -> str:
        return digest({"references": asdict(self)})

    @property
    def title(self) -> str:
        return f"Models without privacy on {self.dataset}"


def task(study: ReferenceStudy, path: str = "") -> StudyTask:
    return StudyTask(study, work, path)


def work(study: ReferenceStudy, context: JobContext) -> Outcome:
    """`Baselines.rows` of the better of both models, and of two classes its `TreatedCounts`."""
    report = stoppable(context.report, context.cancelled)
    records = context.records
    if records is None:
        report(0.0, "loading the data")
        records = load(study.dataset, records=study.records)
    counter = Counter() if records.entry.predicts == "class" else None
    rows = baselines(splits(records, study.preparation), records, report, counter).rows
    return Outcome(rows, {} if counter is None else {NAME: counter.counts.written()})
