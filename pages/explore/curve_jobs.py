"""Curves that need training: background jobs, one a method, with progress and cancel."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.datasets import Split
from dpcore.evaluation import jobs
from dpcore.evaluation.curves import task
from dpcore.evaluation.study import Study
from dpcore.methods import method_named
from pages.shared import shared_jobs, uploads
from pages.shared.session import flag, lower_flag, raise_flag
from pages.shared.verbatim import verbatim

if TYPE_CHECKING:
    import pandas as pd

POLL_SECONDS = 0.7
# Trained on the slider's grid from here on; below, nothing is learned any more.
LEAST_EPSILON = 1e-3
# Where there is much to train: three ε a decade.
COARSE = {float(f"{step}e{exponent}") for exponent in range(-3, 3) for step in ("1", "2", "5")}
SMALL = 100_000  # records times features


def trained_study(study: Study, method: str, split: Split) -> Study:
    """The study of one trained method: its own job, so that other choices do not restart it."""
    small = split.records * split.dimension <= SMALL and not study.full_length
    epsilons = tuple(
        epsilon
        for epsilon in study.epsilons
        if epsilon >= LEAST_EPSILON and (small or epsilon in COARSE)
    )
    blurred = method_named(method).trust is not None
    missing = study.missing_contributors if blurred else 0
    return replace(study, methods=(method,), epsilons=epsilons, missing_contributors=missing)


def _stopped(key: str) -> str:
    return f"stopped_{key}"


def finished(study: Study) -> bool:
    """Whether the study's curves are there to be drawn."""
    job = jobs.find(study.key)
    return job is not None and job.state == "done"


def results(study: Study) -> pd.DataFrame:
    """The curves of a finished study."""
    return uploads.curve_rows(study.key) if study.upload else _results(study.key)


@st.cache_data(max_entries=60, show_spinner=False)
def _results(key: str) -> pd.DataFrame:
    return jobs.Job(key).result()


def watch(waiting: Sequence[Study], told: Collection[str]) -> None:
    """Train what is not there yet, show how far it is, and draw anew when a curve is finished.

    Parameters
    ----------
    waiting : sequence of Study
        Those that the page was drawn without. One that is finished by now counts, too: nothing else
        would bring its curve.
    told : collection of str
        Their methods that the page said were stopped or failed.
    """
    shared_jobs.only(shared_jobs.CURVES, [study.key for study in waiting])
    if not waiting:
        return
    stopped = [study.key for study in waiting if study.methods[0] in told]
    idle = len(stopped) == len(waiting)
    look = "look_" + "_".join(study.key for study in waiting)

    @st.fragment(run_every=None if idle else POLL_SECONDS)
    def progress() -> None:
        if any(finished(study) for study in waiting):
            st.rerun()
        # The numbers above say which methods are being trained.
        if [study.key for study in waiting if given_up(study)] != stopped:
            st.rerun()
        # Started by the second look, not while the page is first drawn: a worker that imports its
        # libraries then would take the processor from the browser.
        if flag(look):
            for study in waiting:
                if not given_up(study):
                    _start(study)
        raise_flag(look)
        for study in waiting:
            _line(study)

    progress()


def given_up(study: Study) -> bool:
    """Whether it is not being trained: stopped by the person, or failed."""
    job = jobs.find(study.key)
    return flag(_stopped(study.key)) or (job is not None and job.state == "failed")


def _line(study: Study) -> None:
    """How far one job is, with a button to stop it; or why it does not run, and a way to start."""
    method, job = study.methods[0], jobs.find(study.key)
    title = method_named(method).title
    with st.container(horizontal=True, vertical_alignment="center"):
        if not given_up(study):
            share = min(1.0, max(0.0, job.progress)) if job is not None else 0.0
            message = verbatim(job.message) if job is not None else "waiting for room in the queue"
            st.progress(share, text=f"Training {title} in the background: {message}")
            st.button(
                "Stop",
                key=f"stop_{method}",
                on_click=_stop,
                args=(study,),
                icon=":material/stop_circle:",
            )
        else:
            failed = job is not None and job.state == "failed"
            why = verbatim(job.message) if failed and job is not None else "stopped."
            st.caption(f"{title}: {why}")
            st.button(
                "Train again",
                key=f"again_{method}",
                on_click=_again,
                args=(study,),
                icon=":material/refresh:",
            )


def _stop(study: Study) -> None:
    raise_flag(_stopped(study.key))
    shared_jobs.stop(study.key)


def _again(study: Study) -> None:
    lower_flag(_stopped(study.key))
    _start(study)


def _start(study: Study) -> None:
    # A full queue has room again at one of the next looks.
    with suppress(jobs.QueueFull):
        if study.upload:
            uploads.learn_curves(study)
        else:
            shared_jobs.submit(shared_jobs.CURVES, task(study))
