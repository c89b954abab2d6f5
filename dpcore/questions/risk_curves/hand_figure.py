"""A column's curve in a private model and as a person corrected it, and what that changes."""

from __future__ import annotations

import math
from collections.abc import Callable

import pandas as pd

from dpcore.datasets.column_parts import LINE
from dpcore.datasets.schema import Column, Entry
from dpcore.figures.bands import Row
from dpcore.figures.canvas import cut, each
from dpcore.figures.drawn import Drawn
from dpcore.questions.risk_curves import words
from dpcore.questions.risk_curves.figure import drawn_against
from dpcore.words import difference_at, percent, plain, spaced

FREE = (
    "What you make of a released model follows from its weights and from what you know. "
    "It is post-processing: its ε stays, and it costs none. "
    "That ends where you look at the records, or at what is computed from them without privacy. "
    "The curves above are so computed: means over runs, and the model without privacy. "
)
FACTOR = (
    "A person’s log odds move by the change of the curve, stretched or shrunk as all parts are. "
)
MEASURES: dict[str, tuple[str, Callable[[float], str], int]] = {
    "accuracy": ("accuracy", percent, 1),
    "auc": ("AUC", lambda value: plain(round(value, 3)), 3),
    "calibration_slope": ("calibration slope", lambda value: plain(round(value, 2)), 2),
    "calibration_intercept": ("calibration intercept", lambda value: plain(round(value, 2)), 2),
    "calibration_error": ("calibration error", percent, 1),
}
"""Name of each measure, how it is written, and with how many decimals; shares in percent."""


def part(row: pd.Series, column: Column) -> str:
    """A term in words, with its place in the column's unit."""
    if column.kind != "number":
        return cut(str(row["term"]))
    unit = f" {cut(column.unit)}" if column.unit else ""
    if row["term"] == LINE:
        low, high = column.bounds
        return f"straight line, {plain(low)} to {plain(high)}{unit}"
    return f"step at {plain(row['cut'])}{unit}"


def corrected_curve(
    rows: pd.DataFrame, model: pd.Series, entry: Entry, moved: float, *, dark: bool = False
) -> Drawn:
    """Both curves of one column."""
    column, measure = entry.column(str(rows["column"].iloc[0])), words.MEASURES["log_odds"]
    run, epsilon = int(model["run"]), plain(model["epsilon"])
    model_columns = {name: model[name] for name in model.index if name not in rows.columns}
    both = []
    for name in ("corrected", "private"):
        ends = dict.fromkeys(("log_odds", "log_odds_low", "log_odds_high"), rows[name])
        both.append(rows.assign(**model_columns, **ends, runs=1))
    by_hand = both[0].assign(title=f"{model['title']}, corrected by hand")
    private = both[1].assign(title="private model", baseline=f"run {run}", epsilon=math.nan)
    figure = drawn_against(by_hand, private, entry, measure, dark)

    change = (rows["corrected"] - rows["private"]).abs().to_numpy()
    row, named = rows.iloc[int(change.argmax())], cut(column.name)
    if change.max() < 1e-9:
        sentence = (
            f"Nothing of {named} is corrected yet: this is the private model of run {run} at ε = "
            f"{epsilon}."
        )
    else:
        at, middle = (words.value_at(one, column) for one in (row, words.reference_of(rows)))
        sentence = (
            f"By hand, the odds of {named} at {at} are {words.times(row['corrected'])} those at "
            f"{middle}. In the private model of run {run} at ε = {epsilon} they are "
            f"{words.times(row['private'])}."
        )
    if moved:
        sentence += (
            f" As records have no feature in common, it also moves everybody’s log odds by "
            f"{words.shown(moved)}."
        )
    alt = f"Log odds against {named}, in the private model and corrected by hand. {sentence}"
    return Drawn(figure, sentence, alt, FREE + FACTOR)


def effect(rows: pd.DataFrame) -> str:
    """What a correction changes on test records, in sentences."""
    changes = [_change(row) for row in each(rows)]
    first = rows.iloc[0]
    return (
        f"On {spaced(int(first['tested']))} test records, by the model of run {int(first['run'])}, "
        f"the correction changes {'; '.join(changes)}. “±” is the standard error that the choice "
        "of test records leaves of the change. This is not private: whoever corrects by it looks "
        "at the records."
    )


def _change(row: Row) -> str:
    name, written, decimals = MEASURES[row["measure"]]
    before, after = float(row["private"]), float(row["corrected"])
    if math.isnan(before) or math.isnan(after):
        return f"{name}: not defined"
    scale, unit = (100.0, " points") if written is percent else (1.0, "")
    size = difference_at(scale * after, scale * before, decimals)
    sign = "+" if size > 0.0 else "−"
    signed = f"{sign}{abs(size):.{decimals}f}{unit}" if size else "no change"
    error = float(row["test_error"])
    around = "" if math.isnan(error) else f" ± {scale * error:.{decimals}f}"
    return f"{name} from {written(before)} to {written(after)} ({signed}{around})"
