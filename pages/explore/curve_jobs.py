"""Compute each method's curve in a background job of its own, and what else workers compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from dpcore.controls.explore import COARSE_EPSILONS, EPSILONS
from dpcore.datasets import Split
from dpcore.evaluation import curves, executors, references
from dpcore.evaluation.clinic import by_hand, column_curves, group_task
from dpcore.evaluation.clinic import task as clinic
from dpcore.evaluation.clinic.by_hand import HandStudy
from dpcore.evaluation.clinic.column_curves import ColumnStudy
from dpcore.evaluation.clinic.group_task import GroupStudy
from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.references import ReferenceStudy
from dpcore.evaluation.study import Study, of_a_model
from dpcore.evaluation.task import StudyProtocol, Task
from dpcore.guarantee import Edition
from dpcore.models.model import Model
from dpcore.predictors import predictor_named
from pages.shared import shared_jobs, uploads
from pages.shared.uploads import TableStudy

if TYPE_CHECKING:
    import pandas as pd

WITHOUT_PRIVACY = "Training models without privacy"
SMALL = 100_000  # records times features
POLL_SECONDS = 1.5
"""Curves come for minutes, the page shows new ones every five seconds at most, and at each poll the
browser goes through all of the page again: a tenth of a second, for which the jobs wait."""


def grid(study: Study, split: Split) -> tuple[float, ...]:
    """The ε of all curves of the page."""
    is_small = split.records * split.counted <= SMALL and not study.full_length
    return EPSILONS if is_small else COARSE_EPSILONS


def trained_study(study: Study, method: str) -> Study:
    """Return the study of one trained method, as a job that other choices do not restart."""
    if isinstance(predictor_named(method), Model):
        return of_a_model(study, method)
    is_local = predictor_named(method).trust is not None
    missing_contributors = study.missing_contributors if is_local else 0
    return replace(study, methods=(method,), missing_contributors=missing_contributors)


def watched(
    studies: Sequence[Study],
    reference: ReferenceStudy | None = None,
    after: int = 0,
    compared: str = "",
    looked_at: str = "",
) -> shared_jobs.WatchedJobs:
    """Show the jobs of some methods as one line of the job panel; `after` others come before them.

    Models without privacy (`reference`) have no line of their own. The curve of `looked_at`, the
    method of the first screen, waits for no other. `compared` counts the methods in its words.
    """
    closed = [predictor_named(study.methods[0]).closed_form for study in studies]
    trained, count = 0, closed.count(False)
    described: dict[str, StudyProtocol] = {}
    # What is on screen is completed before more is trained.
    for place, (study, is_closed) in enumerate(zip(studies, closed, strict=True), 1):
        if is_closed:  # it has a curve already, which the sentence above does not count as to come
            described[f"Judging {_title(study)}"] = study
            continue
        if reference is not None and place > after:
            described.setdefault(WITHOUT_PRIVACY, reference)
        trained += 1
        which = compared or f"{trained} of {count}"
        described[f"Training {_title(study)} ({which})"] = study
    if reference is not None:
        described.setdefault(WITHOUT_PRIVACY, reference)
    return shared_jobs.WatchedJobs(
        name="curves",
        place=shared_jobs.CURVES,
        studies=described,
        submit=partial(_submit_curve, looked_at),
        seconds=POLL_SECONDS,
        one_by_one=True,
    )


def watched_alone(
    name: str, doing: str, study: StudyProtocol
) -> tuple[shared_jobs.WatchedJobs, ...]:
    """Show the job of one tab as a line of the job panel; none once it is done."""
    watched = shared_jobs.WatchedJobs(
        name=name,
        place=shared_jobs.CURVES,
        studies={doing: study},
        submit=submit,
        at_once=True,
    )
    return () if watched.drawn == "done" else (watched,)


def _title(study: Study) -> str:
    title = predictor_named(study.methods[0]).title
    return f"{title} as in its paper" if study.edition == Edition.PUBLISHED else title


def is_done(study: StudyProtocol) -> bool:
    """Whether its results have been computed."""
    return shared_jobs.state(study.key) == "done"


def _submit_curve(looked_at: str, place: str, study: TableStudy) -> None:
    is_sweep = not (isinstance(study, Study) and study.methods == (looked_at,))
    submit(place, study, is_sweep=is_sweep)


def submit(place: str, study: TableStudy, *, is_sweep: bool = False) -> None:
    """Submit one study, whose kind names the task."""
    make = _TASKS[type(study)]
    if is_sweep:  # somebody is about to open a tab
        executors.make_ready()
    if study.upload:
        uploads.learn(study, make, is_sweep=is_sweep)
    else:
        shared_jobs.submit(place, make(study, ""), is_sweep=is_sweep)


_TASKS: Mapping[type, Callable[[Any, str], Task]] = {
    Study: curves.task,
    ReferenceStudy: references.task,
    ClinicStudy: clinic.task,
    GroupStudy: group_task.task,
    ColumnStudy: column_curves.task,
    HandStudy: by_hand.task,
}


def results(study: TableStudy) -> pd.DataFrame:
    return uploads.curve_rows(study.key) if study.upload else shared_jobs.result(study.key)
