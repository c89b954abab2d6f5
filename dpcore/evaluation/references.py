"""The model without privacy as a task: boosted trees take longer than a page may wait."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from dpcore.datasets import Preparation, load
from dpcore.evaluation.baselines import baselines, usual
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study
from dpcore.evaluation.task import JobContext, Outcome, StudyTask, digest
from dpcore.progress import stoppable


@dataclass(frozen=True)
class ReferenceStudy:
    """The data of a study, and nothing else of it.

    Parameters
    ----------
    dataset : str
        Key of a catalogue entry, or ``own``.
    records : int or None
        Size of the synthetic cohort.
    preparation : Preparation
        `dpcore.evaluation.baselines.usual`.
    upload : str
        Digest of the uploaded records; "" for none.
    """

    dataset: str
    records: int | None
    preparation: Preparation
    upload: str = ""

    @classmethod
    def of(cls, study: Study) -> ReferenceStudy:
        """Those of a study."""
        return cls(study.dataset, study.records, usual(study.preparation), study.upload)

    @property
    def key(self) -> str:
        """A digest of the description and of the code that computes it."""
        return digest({"references": asdict(self)})

    @property
    def title(self) -> str:
        """The study in a few words."""
        return f"Models without privacy on {self.dataset}"


def task(study: ReferenceStudy, path: str = "") -> StudyTask:
    """The study as a task for a worker; an upload's records wait at `path`."""
    return StudyTask(study, work, path)


def work(study: ReferenceStudy, context: JobContext) -> Outcome:
    """`Baselines.rows` of the better of both models."""
    report = stoppable(context.report, context.cancelled)
    records = context.records
    if records is None:
        report(0.0, "loading the data")
        records = load(study.dataset, records=study.records)
    return Outcome(baselines(splits(records, study.preparation), records, report).rows)
