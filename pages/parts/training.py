"""Curves that need training: background jobs, one a method, with progress and cancel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.datasets import Split
from dpcore.evaluation import curves, jobs
from dpcore.evaluation.jobs import Job
from dpcore.evaluation.study import Study
from dpcore.methods import method_named
from pages.parts.state import flag, lower_flag, raise_flag

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
    small = split.records * split.dimension <= SMALL
    epsilons = tuple(
        epsilon
        for epsilon in study.epsilons
        if epsilon >= LEAST_EPSILON and (small or epsilon in COARSE)
    )
    return replace(study, methods=(method,), epsilons=epsilons)


def _stopped(key: str) -> str:
    return f"stopped_{key}"


def start(studies: Sequence[Study], split: Split) -> None:
    """Submit every study that was neither run, nor stopped by the person, nor failed."""
    for study in studies:
        job = jobs.find(study.key)
        if job is None or (job.state == "cancelled" and not flag(_stopped(study.key))):
            jobs.submit(study, split if study.upload else None)


def finished(study: Study) -> bool:
    """Whether the study's curves are there to be drawn."""
    job = jobs.find(study.key)
    return job is not None and job.state == "done"


@st.cache_data(max_entries=60, show_spinner=False)
def results(key: str, _study: Study, _split: Split) -> pd.DataFrame:
    """The finished job's rows as curves; only called once the job is done."""
    return curves.summarise(jobs.Job(key).result(), _study, _split)


def _stop(job: Job) -> None:
    raise_flag(_stopped(job.key))
    job.cancel()


def _again(study: Study, split: Split) -> None:
    lower_flag(_stopped(study.key))
    jobs.submit(study, split if study.upload else None)


def watch(studies: Sequence[Study], split: Split) -> None:
    """Show what is still training. While anything is, ask again every moment; then draw anew."""
    waiting = [s for s in studies if jobs.Job(s.key).state != "done"]
    if not waiting:
        return
    moving = any(jobs.Job(s.key).state in ("queued", "running") for s in waiting)

    @st.fragment(run_every=POLL_SECONDS if moving else None)
    def progress() -> None:
        states = {s.key: jobs.Job(s.key).state for s in waiting}
        if moving and any(state not in ("queued", "running") for state in states.values()):
            st.rerun()
        for study in waiting:
            job, title = jobs.Job(study.key), method_named(study.methods[0]).title
            with st.container(horizontal=True, vertical_alignment="center"):
                if states[study.key] in ("queued", "running"):
                    share = min(1.0, max(0.0, job.progress))
                    st.progress(share, text=f"Training {title} in the background: {job.message}")
                    st.button(
                        "Stop",
                        key=f"stop_{study.methods[0]}",
                        on_click=_stop,
                        args=(job,),
                        icon=":material/stop_circle:",
                    )
                else:
                    failed = states[study.key] == "failed"
                    st.caption(f"{title}: {job.message}" if failed else f"{title} was stopped.")
                    st.button(
                        "Train again",
                        key=f"again_{study.methods[0]}",
                        on_click=_again,
                        args=(study, split),
                        icon=":material/refresh:",
                    )

    progress()
