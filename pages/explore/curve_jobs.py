"""Compute each method's curve in a background job of its own, and what else workers compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.explore import BEST, COARSE_EPSILONS, EPSILONS, PAPER_EPSILONS
from dpcore.datasets import Split
from dpcore.erm.methods import best_method
from dpcore.evaluation.clinic.counts import NAME, TreatedCounts
from dpcore.evaluation.study import Study, study_of
from dpcore.guarantee import Edition
from dpcore.predictors import predictor_named
from dpcore.questions.cost.question import CostQuestion, ReferenceQuestion
from dpcore.questions.question import Question, task
from dpcore.work import executors, jobs
from dpcore.work.task import StudyProtocol
from pages.shared import uploads, work

if TYPE_CHECKING:
    import pandas as pd

SMALL = 100_000  # records times features
FIRST_SECONDS = 0.3
POLL_SECONDS = 1.5
"""Curves come for minutes, the page shows new ones every five seconds at most, and at each poll the
browser goes through all of the page again: a tenth of a second, for which the jobs wait."""


def grid(study: Study, split: Split, axis: str) -> tuple[float, ...]:
    """The ε of all curves of the page."""
    if axis == "paper-000":
        return PAPER_EPSILONS
    is_small = split.records * split.counted <= SMALL and not study.full_length
    return EPSILONS if is_small else COARSE_EPSILONS


def headline(study: Study, focus: str) -> list[CostQuestion]:
    """The questions that the first answer rests on: of one method, or of those of the rule.

    The rule's first method is asked at every ε, as for its own curve; what takes its place at some
    ε is asked there alone.
    """
    if focus != BEST:
        return [CostQuestion(study_of(study, focus))]
    sound = replace(study, edition=Edition.SOUND)
    ruled: dict[str, list[float]] = {}
    for epsilon in study.epsilons:
        ruled.setdefault(best_method(study.loss, epsilon), []).append(epsilon)
    first = max(ruled, key=lambda method: len(ruled[method]))
    return [
        CostQuestion(
            study_of(sound if method == first else replace(sound, epsilons=tuple(epsilons)), method)
        )
        for method, epsilons in ruled.items()
    ]


def first_answer(studies: Sequence[CostQuestion], reference: ReferenceQuestion) -> work.WatchedJobs:
    """Show the jobs of the first answer, which wait for no other."""
    described: dict[str, StudyProtocol] = {f"Training {study.title}": study for study in studies}
    return work.WatchedJobs(
        name="first",
        place=work.CURVES,
        studies=described | {reference.doing: reference},
        submit=submit,
        seconds=FIRST_SECONDS,
        at_once=True,
    )


def watched(studies: Sequence[CostQuestion], compared: str) -> work.WatchedJobs:
    """Show the jobs of other methods as one line of the job panel.

    `compared` counts the methods in its words.
    """
    return work.WatchedJobs(
        name="curves",
        place=work.CURVES,
        studies={f"Training {_title(each.study)} ({compared})": each for each in studies},
        submit=partial(submit, is_sweep=True),
        seconds=POLL_SECONDS,
        one_by_one=True,
    )


def watched_alone(name: str, doing: str, study: StudyProtocol) -> tuple[work.WatchedJobs, ...]:
    """Show the job of one tab as a line of the job panel; none once it is done."""
    watched = work.WatchedJobs(
        name=name,
        place=work.CURVES,
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
    return work.state(study.key) == "done"


def submit(place: str, study: Question, *, is_sweep: bool = False) -> None:
    """Submit one study."""
    if is_sweep:  # somebody is about to open a tab
        executors.make_ready()
    if study.upload:
        uploads.learn(study, is_sweep=is_sweep)
    else:
        work.submit(place, task(study), is_sweep=is_sweep)


def results(study: Question) -> pd.DataFrame:
    return uploads.curve_rows(study.key) if study.upload else work.result(study.key)


def counts(study: CostQuestion | ReferenceQuestion) -> TreatedCounts | None:
    """Whom the models of a finished job treat; of models without risks there is nothing."""
    if study.upload:
        kept: TreatedCounts | None = uploads.cached_in_session(
            f"counts {study.key}", lambda: _read(study.key)
        )
        return kept
    return _counts(study.key)


@st.cache_resource(max_entries=60, show_spinner=False)
def _counts(key: str) -> TreatedCounts | None:
    return _read(key)


def _read(key: str) -> TreatedCounts | None:
    data = jobs.Job(key).file(NAME)
    return None if data is None else TreatedCounts.read(data)
