"""Cache the computations of the page by the full settings.

Arguments that start with an underscore are not part of the cache key; `key` stands for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.datasets import Preparation, Split, Table, load
from dpcore.erm.method import Calibration
from dpcore.evaluation import curves
from dpcore.evaluation.clinic import risks
from dpcore.evaluation.splits import calibrations_on, splits
from dpcore.evaluation.study import Study
from pages.shared import uploads

if TYPE_CHECKING:
    import pandas as pd

    from pages.explore.controls import ExploreChoice


@dataclass(frozen=True)
class PreparedRecords:
    """Hold the first split of a study's records, and public facts about all."""

    first: Split  # of an upload a stand-in, as its process holds the records
    splits: int
    published: bool
    all_blank: bool = False

    @property
    def judged(self) -> int:
        """About how many different records the splits test."""
        return min(self.splits * self.first.tested, self.first.records + self.first.tested)


@st.cache_resource(max_entries=3, ttl="1h", show_spinner=False)
def _table(key: str, records: int | None) -> Table:
    return load(key, records=records)


@st.cache_resource(max_entries=4, ttl="1h", show_spinner=False)
def _splits(key: str, _table: Table, _preparation: Preparation) -> tuple[Split, int]:
    every = splits(_table, _preparation)
    return every[0], len(every)


def records_of(choice: ExploreChoice) -> tuple[Study, PreparedRecords]:
    """Complete the study by its upload, and prepare its records; refuses an invalid file."""
    study = choice.study
    if choice.upload is not None:
        name = uploads.table(study.dataset, study.columns, choice.upload)
        outline = uploads.outline(name, study.preparation)
        published = outline.published or choice.upload.is_public
        stand_in = outline.stand_in()
        records = PreparedRecords(stand_in, outline.splits, published, outline.all_blank)
        return replace(study, upload=name), records
    table = _table(study.dataset, study.records)
    about = repr((study.dataset, study.records, study.preparation))
    first, count = _splits(about, table, study.preparation)
    return study, PreparedRecords(first, count, table.published)


@st.cache_resource(max_entries=200, show_spinner="Certifying the noise …")
def _calibrations(
    key: str, method: str, epsilons: tuple[float, ...], _study: Study, _split: Split
) -> list[Calibration]:
    study = replace(_study, methods=(method,), epsilons=epsilons)
    return list(calibrations_on(study, _split)[method])


def calibration(study: Study, split: Split, method: str, epsilon: float) -> Calibration:
    """Sensitivity, σ, conditions, claim and proof of one method at one ε."""
    return _calibrations(_calibration_key(study), method, (epsilon,), study, split)[0]


def uncorrectable(study: Study, split: Split, method: str) -> str:
    """Why a method's risks cannot be corrected at every ε of the study; "" where they can."""
    return _uncorrectable(_calibration_key(study), method, study, split)


@st.cache_data(max_entries=200, show_spinner=False)
def _uncorrectable(key: str, method: str, _study: Study, _split: Split) -> str:
    return risks.why_uncorrected(replace(_study, methods=(method,)), _split)


def noise(study: Study, split: Split, epsilons: tuple[float, ...]) -> pd.DataFrame:
    """σ and verdict of each private method over these ε, from calibrations alone."""
    key = _calibration_key(study)
    return curves.calibration_table(
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
