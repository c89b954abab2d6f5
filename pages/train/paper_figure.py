"""Judge what a paper concludes from the figure whose settings are chosen, by what is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.controls.network_figures import FIGURES
from dpcore.evaluation import comparison
from pages.shared import verdicts
from pages.train import controls, texts

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.evaluation.training.study import TrainingStudy

BY_EFFECT = ((3, 2), (4, 5))
"""Figures that are drawn over the values of one setting; others are drawn epoch by epoch."""


def of_training(study: TrainingStudy, table: pd.DataFrame) -> None:
    """Draw the verdicts on a figure that is drawn epoch by epoch, once all has been trained."""
    for figure in _figures():
        if figure not in BY_EFFECT:
            from dpcore.reproduction import drawn

            judged = drawn.of_training(figure, study, comparison.ends(table))
            verdicts.show(judged, texts.DRAWN_ALONE)


def of_effect(
    study: TrainingStudy, records: int, table: pd.DataFrame, isotropic: pd.DataFrame | None
) -> None:
    """Draw the verdicts on a figure over the values of one setting."""
    for figure in _figures():
        if figure in BY_EFFECT:
            from dpcore.reproduction import drawn

            judged = drawn.of_effect(figure, study, records, table, isotropic)
            verdicts.show(judged, texts.DRAWN_ALONE)


def _figures() -> list[tuple[int, int]]:
    return [FIGURES[name][0] for name in controls.matching() if name in FIGURES]
