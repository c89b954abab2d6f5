"""Cache the computations of the page by the full settings.

Arguments that start with an underscore are not part of the cache key; `key` stands for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st
from threadpoolctl import threadpool_limits

from dpcore.datasets import Preparation, Split, Table, load
from dpcore.erm.method import Array, Calibration
from dpcore.evaluation import curve_columns, exact_curves
from dpcore.evaluation.baselines import Baselines, usual
from dpcore.evaluation.baselines import baselines as compute_baselines
from dpcore.evaluation.clinic import corrected
from dpcore.evaluation.feature_maps import calibrations_on
from dpcore.evaluation.splits import Splits, each, splits
from dpcore.evaluation.study import Study
from dpcore.predictors import predictor_named
from pages.shared import uploads

if TYPE_CHECKING:
    import pandas as pd

    from pages.explore.controls import ExploreChoice


# Threads that wait for each other take the processor from the browser and from training; while
# those are busy, a second thread made the curves of 36,000 records three to ten times slower.
LINEAR_ALGEBRA_THREADS = 1


@dataclass(frozen=True)
class PreparedRecords:
    """Hold the prepared records of a study."""

    # Those of the first picture; of an upload one stand-in, as its process holds the records.
    splits: tuple[Split, ...]
    at_once: int
    all_splits: int
    published: bool
    all_blank: bool = False

    def judged(self, count: int) -> int:
        """Say about how many different records so many splits test."""
        return min(count * self.first.tested, self.first.records + self.first.tested)

    @property
    def first(self) -> Split:
        """The split that sizes are read from."""
        return self.splits[0]


@st.cache_resource(max_entries=3, ttl="1h", show_spinner=False)
def _table(key: str, records: int | None) -> Table:
    return load(key, records=records)


@st.cache_resource(max_entries=4, ttl="1h", show_spinner=False)
def _splits(key: str, _table: Table, _preparation: Preparation) -> tuple[tuple[Split, ...], int]:
    every = splits(_table, _preparation)
    return every.at_once, len(every)


def records_of(choice: ExploreChoice) -> tuple[Study, PreparedRecords]:
    """Complete the study by its upload, and prepare its records; refuses an invalid file."""
    study = choice.study
    if choice.upload is not None:
        name = uploads.table(study.dataset, study.columns, choice.upload)
        outline = uploads.outline(name, study.preparation)
        counts = outline.splits, outline.all_splits
        stand_in = (outline.stand_in(),)
        published = outline.published or choice.upload.is_public
        records = PreparedRecords(stand_in, *counts, published, outline.all_blank)
        return replace(study, upload=name), records
    parts, count = _prepared(study, study.preparation)
    published = _table(study.dataset, study.records).published
    return study, PreparedRecords(parts, len(parts), count, published)


def _prepared(study: Study, preparation: Preparation) -> tuple[tuple[Split, ...], int]:
    table = _table(study.dataset, study.records)
    return _splits(repr((study.dataset, study.records, preparation)), table, preparation)


def closed_form(
    study: Study, records: PreparedRecords, left_out: tuple[str, ...] = ()
) -> pd.DataFrame:
    """The closed-form curves over the whole ε grid, on the splits of the first picture.

    The measures in `left_out` may be nan.
    """
    if study.upload:
        return uploads.curves(study, _without_noise(study), left_out)
    return _closed_form(study.key, left_out, study, records.splits)


@st.cache_data(max_entries=60, show_spinner=False)
def _closed_form(
    key: str, left_out: tuple[str, ...], _study: Study, _splits: tuple[Split, ...]
) -> pd.DataFrame:
    noise_key = _calibration_key(_study)
    noises = {
        method: _calibrations(noise_key, method, _study.epsilons, _study, _splits[0])
        for method in _study.methods
    }
    with threadpool_limits(LINEAR_ALGEBRA_THREADS):
        return exact_curves.closed_form(_study, _splits, _exact, noises, left_out=left_out)


def baselines(study: Study) -> Baselines:
    """The guess and the linear model without privacy, on the splits of the first picture.

    Both belong to the data set alone.
    """
    if study.upload:
        return uploads.baselines(study)
    wanted = usual(study.preparation)
    if study.preparation == replace(wanted, features="rule"):
        # The same splits hold the usual rows among their maps.
        by_rule, _ = _prepared(study, study.preparation)
        parts = tuple(one.maps.get(wanted.features, one) for one in by_rule)
    else:
        parts, _ = _prepared(study, wanted)
    return _baselines(repr((study.dataset, study.records, wanted)), parts)


def _without_noise(study: Study) -> Study:
    """Strip the study of settings of private models: only one key for many views."""
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


def _exact(study: Study, parts: Splits) -> list[Array]:
    """The models without noise on rows of one feature map, kept whatever ε and δ are chosen."""
    features = each(parts)[0].preparation.features
    return _minimisers(_without_noise(study).key, features, study, parts)


@st.cache_data(max_entries=60, show_spinner=False)
def _minimisers(key: str, features: str, _study: Study, _splits: Splits) -> list[Array]:
    return exact_curves.minimisers(_study, _splits)


@st.cache_data(max_entries=60, show_spinner=False)
def _baselines(key: str, _splits: tuple[Split, ...]) -> Baselines:
    with threadpool_limits(LINEAR_ALGEBRA_THREADS):
        return compute_baselines(_splits)


@st.cache_resource(max_entries=200, show_spinner="Certifying the noise …")
def _calibrations(
    key: str, method: str, epsilons: tuple[float, ...], _study: Study, _split: Split
) -> list[Calibration]:
    study = replace(_study, methods=(method,), epsilons=epsilons)
    return list(calibrations_on(study, _split)[method])


def calibration(study: Study, split: Split, method: str, epsilon: float) -> Calibration:
    """Sensitivity, σ, conditions, claim and proof of one method at one ε.

    For a closed-form method it is the one its curve was computed with. For a trained method the
    worker calibrates every ε, and this only the ε on screen.
    """
    key = _calibration_key(study)
    if predictor_named(method).closed_form and epsilon in study.epsilons:
        position = study.epsilons.index(epsilon)
        return _calibrations(key, method, study.epsilons, study, split)[position]
    return _calibrations(key, method, (epsilon,), study, split)[0]


def uncorrectable(study: Study, split: Split, method: str) -> str:
    """Why a method's risks cannot be corrected at every ε of the study; "" where they can."""
    return _uncorrectable(_calibration_key(study), method, study, split)


@st.cache_data(max_entries=200, show_spinner=False)
def _uncorrectable(key: str, method: str, _study: Study, _split: Split) -> str:
    return corrected.refusal(replace(_study, methods=(method,)), _split)


def noise(study: Study, split: Split, epsilons: tuple[float, ...]) -> pd.DataFrame:
    """σ and verdict of each private method over these ε, from calibrations alone."""
    key = _calibration_key(study)
    return curve_columns.calibration_table(
        {
            method: _calibrations(key, method, epsilons, study, split)
            for method in study.methods
            if method != "nonprivate"
        },
        guesses=False,
    )


def _calibration_key(study: Study) -> str:
    """Key of what noise depends on: not runs, seed or the choice of methods."""
    return replace(study, methods=("nonprivate",), runs=Study.runs, seed=Study.seed).key
