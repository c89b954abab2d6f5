"""Curves of trained methods: one background job per method."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpcore.datasets import Split
from dpcore.evaluation.curves import task
from dpcore.evaluation.study import Study
from dpcore.methods import method_named
from pages.shared import shared_jobs, uploads

if TYPE_CHECKING:
    import pandas as pd

# Least ε of the slider's grid that is trained; below, nothing is learned.
LEAST_EPSILON = 1e-3
# For long trainings: three ε per decade.
COARSE = {float(f"{step}e{exponent}") for exponent in range(-3, 3) for step in ("1", "2", "5")}
SMALL = 100_000  # records times features


def trained_study(study: Study, method: str, split: Split) -> Study:
    """The study of one trained method, as a job of its own that other choices do not restart."""
    is_small = split.records * split.dimension <= SMALL and not study.full_length
    epsilons = tuple(
        epsilon
        for epsilon in study.epsilons
        if epsilon >= LEAST_EPSILON and (is_small or epsilon in COARSE)
    )
    is_local = method_named(method).trust is not None
    missing_contributors = study.missing_contributors if is_local else 0
    return replace(
        study, methods=(method,), epsilons=epsilons, missing_contributors=missing_contributors
    )


def watched(study: Study) -> shared_jobs.WatchedJobs:
    """The job of one method, for the job panel."""
    method = study.methods[0]
    return shared_jobs.WatchedJobs(
        name=method,
        place=shared_jobs.CURVES,
        studies={f"Training {method_named(method).title}": study},
        submit=_submit,
    )


def _submit(place: str, study: Study) -> None:
    if study.upload:
        uploads.learn_curves(study)
    else:
        shared_jobs.submit(place, task(study))


def results(study: Study) -> pd.DataFrame:
    """The curves of a finished study."""
    return uploads.curve_rows(study.key) if study.upload else shared_jobs.result(study.key)
