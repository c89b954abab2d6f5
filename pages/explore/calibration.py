"""Draw the tab on whether risks are right, at the chosen ε."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.evaluation.clinic.rows import REFERENCE
from dpcore.evaluation.clinic.task import calibration_part
from dpcore.export.explore import calibration_command, calibration_snippet
from dpcore.figures.words import band_of, percent, plain
from pages.explore import clinic, numbers, texts
from pages.explore.view import once
from pages.shared.charts import plot, table_behind
from pages.shared.numbers import Number, draw_numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from dpcore.figures.drawn import Drawn
    from pages.explore.view import View


def show(view: View, first: pd.Series, epsilon: float) -> None:
    """Draw the tab for the model on the first screen, at the grid's ε for the chosen one."""
    shown = clinic.shown(view, first, epsilon)
    if shown is None:
        return
    row = shown.row
    rows = once(view, f"reliability {shown.study.key}", lambda: calibration_part(shown.rows))
    key = f"calibration {shown.study.key} {row['method']} {row['epsilon']} {view.dark}"
    model, without, figure = once(view, key, lambda: _at(rows, row, view.people, view.dark))
    draw_numbers(_numbers(model, without), across=3)
    clinic.explain(model, row, epsilon)
    plot(figure, "reliability_figure")
    table_behind(
        rows,
        "calibration",
        "How right each model's risks are, at every ε and bin",
        lambda: (calibration_command(shown.study), calibration_snippet(shown.study)),
    )


def _at(
    rows: pd.DataFrame, row: pd.Series, people: str, dark: bool
) -> tuple[pd.Series, pd.Series, Drawn]:
    from dpcore.figures.calibration import reliability_curve

    model = clinic.of_model(rows, row["method"], row["epsilon"])
    without = rows[rows["method"] == REFERENCE]
    figure = reliability_curve(model, without, people=people, dark=dark)
    return model.iloc[0], without.iloc[0], figure


def _numbers(row: pd.Series, without: pd.Series) -> list[Number]:
    return [
        _number("Slope", "calibration_slope", _plain, texts.SLOPE, row, without),
        _number("Intercept", "calibration_intercept", _plain, texts.IN_THE_LARGE, row, without),
        _number("Calibration error", "calibration_error", percent, texts.ECE, row, without),
    ]


def _plain(value: float) -> str:
    return plain(round(value, 2))


def _number(
    label: str,
    column: str,
    written: Callable[[float], str],
    meaning: str,
    row: pd.Series,
    without: pd.Series,
) -> Number:
    hover = f"{meaning} {band_of(row)}. {numbers.guarantee_at(row)}"
    value, low, high = (row[f"{column}{end}"] for end in ("", "_low", "_high"))
    if value != value:
        return label, "–", "not defined", hover
    reference = without[column]
    comparison = "" if reference != reference else f"; {written(reference)} without privacy"
    return label, written(value), f"{written(low)} to {written(high)}{comparison}", hover
