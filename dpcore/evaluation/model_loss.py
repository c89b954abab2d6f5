"""What single models lose against no privacy, each at an ε and δ of its own, as one task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from dpcore.datasets import load
from dpcore.evaluation.baselines import baselines, usual
from dpcore.evaluation.curves import against, all_curves
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study
from dpcore.progress import Progress, numbered, section, silent, stoppable
from dpcore.work.task import JobContext, Outcome, StudyTask, digest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class LossStudy:
    """Describe models of one method at one ε each, all on the same records, prepared alike."""

    models: tuple[Study, ...]

    def __post_init__(self) -> None:
        sets = {(each.dataset, each.records, each.preparation) for each in self.models}
        alone = all(len(each.methods) == len(each.epsilons) == 1 for each in self.models)
        if len(sets) != 1 or not alone:
            raise ValueError("models are not one method at one ε each, on the same records")

    @property
    def key(self) -> str:
        return digest({"loss": [asdict(each) for each in self.models]})

    @property
    def title(self) -> str:
        return ", ".join(each.title for each in self.models)


def losses(
    study: LossStudy,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """Judge each model beside the model without privacy, a row each. Not private."""
    import pandas as pd

    report = stoppable(progress, cancelled)
    report(0.0, "loading the data")
    first = study.models[0]
    records = load(first.dataset, records=first.records)
    parts = splits(records, first.preparation)
    reports = numbered(section(report, 0.0, 0.7), len(study.models), "model")
    rows = [
        all_curves(one, parts, part, cancelled)
        for one, part in zip(study.models, reports, strict=True)
    ]
    report(0.7, "training a model without privacy")
    usual_parts = splits(records, usual(first.preparation))
    compared = baselines(usual_parts, records, section(report, 0.7, 0.3))
    return against(pd.concat(rows, ignore_index=True), compared)


def task(study: LossStudy) -> StudyTask:
    return StudyTask(study, work)


def work(study: LossStudy, context: JobContext) -> Outcome:
    """`losses`; all rows come at the end."""
    return Outcome(losses(study, context.report, context.cancelled))


def loss_study(
    dataset: str,
    records: int | None,
    adjacency: str,
    seed: int,
    models: tuple[tuple[str, float, float], ...],
) -> LossStudy:
    """Describe models, each (method, ε, δ), on a data set with its usual preparation."""
    first = Study(dataset=dataset, records=records, adjacency=adjacency, seed=seed)
    return LossStudy(
        tuple(
            replace(first, methods=(method,), epsilons=(epsilon,), delta=delta)
            for method, epsilon, delta in models
        )
    )
