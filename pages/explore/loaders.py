"""Cached computations of the page, keyed by the full settings.

Arguments that start with an underscore are not part of the cache key; `key` stands for them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st
from threadpoolctl import threadpool_limits

from dpcore.datasets import Split, Table, load, prepare
from dpcore.erm.method import Array, Calibration
from dpcore.evaluation import curves
from dpcore.evaluation.curves import Baselines
from dpcore.evaluation.study import Study, calibrations_for, delta_for, problem_for
from dpcore.methods import method_named
from pages.shared import uploads

if TYPE_CHECKING:
    import pandas as pd

    from pages.explore.controls import ExploreChoice


# Threads that wait for each other take the processor from the browser and from training; while
# those are busy, a second thread made the curves of 36,000 records three to ten times slower.
LINEAR_ALGEBRA_THREADS = 1


@st.cache_resource(max_entries=6, ttl="1h", show_spinner=False)
def _table(key: str, records: int | None) -> Table:
    return load(key, records=records)


@st.cache_resource(max_entries=8, ttl="1h", show_spinner=False)
def _split(key: str, _table: Table, _study: Study) -> Split:
    return prepare(_table, _study.preparation)


def records_of(choice: ExploreChoice) -> tuple[Study, Split, bool]:
    """The study completed by its upload, the prepared records, and whether they are published.

    For an upload the split is a stand-in without records; the process that holds the records
    computes from them.

    Raises
    ------
    InvalidInput
        If an uploaded file is invalid.
    """
    study = choice.study
    if choice.upload is not None:
        name = uploads.table(study.dataset, study.columns, choice.upload)
        outline = uploads.outline(name, study.preparation)
        return replace(study, upload=name), outline.stand_in(), outline.published
    published = _table(study.dataset, study.records).published
    return study, prepared(study), published


def prepared(study: Study) -> Split:
    """The prepared records of a study without an upload."""
    table = _table(study.dataset, study.records)
    description = repr((study.dataset, study.records, study.preparation))
    return _split(description, table, study)


def closed_form(study: Study, split: Split) -> pd.DataFrame:
    """The closed-form curves over the whole ε grid."""
    if study.upload:
        return uploads.curves(study, _without_privacy(study))[0]
    return _closed_form(study.key, study, split)


@st.cache_data(max_entries=60, show_spinner=False)
def _closed_form(key: str, _study: Study, _split: Split) -> pd.DataFrame:
    exact, noise_key = (
        _minimiser(_without_privacy(_study).key, _study, _split),
        _calibration_key(_study),
    )
    noises = {
        method: _calibrations(noise_key, method, _study.epsilons, _study, _split)
        for method in _study.methods
    }
    with threadpool_limits(LINEAR_ALGEBRA_THREADS):
        return curves.closed_form(_study, _split, exact, noises)


def baselines(study: Study, split: Split) -> Baselines:
    """The majority guess and the two non-private models."""
    if study.upload:
        return uploads.curves(study, _without_privacy(study))[1]
    return _baselines(_without_privacy(study).key, study, split)


def _without_privacy(study: Study) -> Study:
    """The study without settings of private models only: one key for many views."""
    return replace(
        study,
        methods=("nonprivate",),
        edition=Study.edition,
        epsilons=Study.epsilons,
        delta=None,
        runs=Study.runs,
        seed=Study.seed,
        steps=None,
        batch=None,
        full_length=False,
    )


@st.cache_data(max_entries=60, show_spinner=False)
def _minimiser(key: str, _study: Study, _split: Split) -> Array:
    with threadpool_limits(LINEAR_ALGEBRA_THREADS):
        return curves.minimiser(_study, _split)


@st.cache_data(max_entries=60, show_spinner=False)
def _baselines(key: str, _study: Study, _split: Split) -> Baselines:
    exact = _minimiser(key, _study, _split)
    with threadpool_limits(LINEAR_ALGEBRA_THREADS):
        return curves.baselines(_study, _split, exact)


@st.cache_resource(max_entries=200, show_spinner="Certifying the noise …")
def _calibrations(
    key: str, method: str, epsilons: tuple[float, ...], _study: Study, _split: Split
) -> list[Calibration]:
    study = replace(_study, methods=(method,), epsilons=epsilons)
    delta = delta_for(study, _split)
    return calibrations_for(study, problem_for(study, _split), delta)[method]


def calibration(study: Study, split: Split, method: str, epsilon: float) -> Calibration:
    """Sensitivity, σ, conditions, claim and proof of one method at one ε.

    For a closed-form method it is the one its curve was computed with. For a trained method the
    worker calibrates every ε, and this only the ε on screen.
    """
    key = _calibration_key(study)
    if method_named(method).closed_form and epsilon in study.epsilons:
        position = study.epsilons.index(epsilon)
        return _calibrations(key, method, study.epsilons, study, split)[position]
    return _calibrations(key, method, (epsilon,), study, split)[0]


def _calibration_key(study: Study) -> str:
    """Key of what noise depends on: not runs, seed or the choice of methods."""
    return replace(study, methods=("nonprivate",), runs=Study.runs, seed=Study.seed).key
