"""Curves of trained methods, one background job each, and the models without privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dpcore.controls.explore import COARSE_EPSILONS, EPSILONS
from dpcore.datasets import Split
from dpcore.evaluation.curves import task
from dpcore.evaluation.references import ReferenceStudy
from dpcore.evaluation.references import task as reference_task
from dpcore.evaluation.study import Study
from dpcore.evaluation.task import StudyProtocol
from dpcore.methods import method_named
from pages.shared import shared_jobs, uploads

if TYPE_CHECKING:
    import pandas as pd

SMALL = 100_000  # records times features


def grid(study: Study, split: Split) -> tuple[float, ...]:
    """The ε of all curves of the page."""
    is_small = split.records * split.dimension <= SMALL and not study.full_length
    return EPSILONS if is_small else COARSE_EPSILONS


def trained_study(study: Study, method: str) -> Study:
    """The study of one trained method, as a job of its own that other choices do not restart."""
    is_local = method_named(method).trust is not None
    missing_contributors = study.missing_contributors if is_local else 0
    return replace(study, methods=(method,), missing_contributors=missing_contributors)


def watched(name: str, studies: Sequence[Study]) -> shared_jobs.WatchedJobs:
    """The jobs of some methods, as one line of the job panel."""
    count = len(studies)
    return shared_jobs.WatchedJobs(
        name=name,
        place=shared_jobs.CURVES,
        studies={
            f"Training {method_named(study.methods[0]).title} ({place} of {count})": study
            for place, study in enumerate(studies, 1)
        },
        submit=_submit,
    )


def references(study: Study) -> shared_jobs.WatchedJobs:
    """The job of the models without privacy on the study's data."""
    return shared_jobs.WatchedJobs(
        name="references",
        place=shared_jobs.CURVES,
        studies={"Training boosted trees without privacy": ReferenceStudy.of(study)},
        submit=_submit_references,
    )


def is_done(study: StudyProtocol) -> bool:
    """Whether its results have been computed."""
    return shared_jobs.state(study.key) == "done"


def _submit(place: str, study: Study) -> None:
    if study.upload:
        uploads.learn_curves(study)
    else:
        shared_jobs.submit(place, task(study))


def _submit_references(place: str, study: ReferenceStudy) -> None:
    if study.upload:
        uploads.learn_references(study)
    else:
        shared_jobs.submit(place, reference_task(study))


def results(study: Study | ReferenceStudy) -> pd.DataFrame:
    """The rows of a finished study."""
    return uploads.curve_rows(study.key) if study.upload else shared_jobs.result(study.key)
