"""The conclusions about figures of papers 003 and 004, judged by what Train draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.accounting.paper_003 import preset
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.reproduction import paper_003, paper_004
from dpcore.reproduction.report import Conclusion, on_stand_in

if TYPE_CHECKING:
    import pandas as pd

METHODS = {
    3: {"private": "proposed", "constant": "dpsgd", "nonprivate": "nonprivate"},
    4: {"private": "published", "constant": "isotropic", "nonprivate": "nonprivate"},
}
"""By paper, what it calls the trainings that Train lays side by side."""


def of_training(
    figure: tuple[int, int], study: TrainingStudy, ends: pd.DataFrame
) -> list[Conclusion]:
    """Judge a paper's figure by the ends of a training and of its comparisons."""
    paper, number = figure
    rows = _measured(ends).assign(
        method=ends["series"].map(METHODS[paper]),
        target_epsilon=study.epsilon,
        printed_epsilon=study.epsilon,
        claimed_epsilon=study.epsilon,
        delta=study.config.delta,
    )
    rows = rows[rows["method"].notna()]
    if figure == (3, 1):
        return [
            *_on_stand_in(paper_003.judge_chest(rows), study),
            paper_003.judge_stated(preset(f"chexpert-{study.epsilon:g}-epoch")),
        ]
    accuracy = paper_004.judge_printed(rows) if number == 3 else [paper_004.judge_corner(rows)]
    return [*accuracy, paper_004.judge_theorem(rows)]


def of_effect(
    figure: tuple[int, int],
    study: TrainingStudy,
    records: int,
    ends: pd.DataFrame,
    isotropic: pd.DataFrame | None,
) -> list[Conclusion]:
    """Judge a paper's figure by the ends of trainings with several values of one setting.

    Those of paper 004 have isotropic noise beside them.
    """
    import pandas as pd

    rows = _measured(ends)
    if figure == (4, 5):
        assert isotropic is not None
        parts = rows.assign(method="published"), _measured(isotropic).assign(method="isotropic")
        both = pd.concat(parts, ignore_index=True)
        return paper_004.judge_structure(both)
    steps = study.config.steps_an_epoch(records)
    return [
        paper_003.judge_epochs(rows.assign(epochs_certified=rows["steps"] / steps)),
        *_on_stand_in(paper_003.judge_effects(rows), study),
        paper_003.judge_stated(preset("chexpert-8")),
    ]


def _measured(ends: pd.DataFrame) -> pd.DataFrame:
    return ends.rename(columns=lambda name: str(name).replace("_test", ""))


def _on_stand_in(verdicts: list[Conclusion], study: TrainingStudy) -> list[Conclusion]:
    return [on_stand_in(one, paper_003.CHEXPERT, study.dataset) for one in verdicts]
