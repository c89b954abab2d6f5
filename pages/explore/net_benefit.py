"""Draw the tab on what deciding by a model is worth, at the chosen ε."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.explore import ALARM_COST, MISS_COST
from dpcore.evaluation.clinic.costs import Costs
from dpcore.evaluation.clinic.task import decision_part
from dpcore.export.explore import decision_command, decision_snippet
from dpcore.figures.words import band_of, percent, percents, plain
from pages.explore import clinic, numbers, texts
from pages.explore.view import once
from pages.shared.charts import plot, table_behind
from pages.shared.numbers import Number, draw_numbers
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.figures.drawn import Drawn
    from pages.explore.view import View


def show(view: View, first: pd.Series, epsilon: float) -> None:
    """Draw the tab for the model on the first screen, at the grid's ε for the chosen one."""
    shown = clinic.shown(view, first, epsilon)
    if shown is None:
        return
    row = shown.row
    rows = once(view, f"decisions {shown.study.key}", lambda: decision_part(shown.rows))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        miss, alarm = (drawn(control, width=200) for control in (MISS_COST, ALARM_COST))
    threshold = view.threshold
    costs = None if miss is None or alarm is None else Costs(miss, alarm)
    key = f"net benefit {shown.study.key} {threshold} {row['method']} {row['epsilon']} {view.dark}"
    chosen, without, figure = once(view, key, lambda: _at(rows, row, threshold, view.dark))
    draw_numbers(_numbers(chosen, without, numbers.guarantee_at(chosen), costs), across=4)
    key = f"worth {shown.study.key} {threshold} {view.contents}"
    st.markdown(verbatim(once(view, key, lambda: _worth(rows, shown.line, threshold))))
    if costs is not None and costs.miss + costs.false_alarm > 0.0:
        wanted_risk = f"{plain(100.0 * costs.threshold)} %"
        st.markdown(f"By these costs one would act from a risk of {wanted_risk} on.")
    elif (miss is None) != (alarm is None):
        st.caption(f":material/info: {texts.BOTH_COSTS}")
    clinic.explain(chosen, row, epsilon)
    plot(figure, "net_benefit_figure")
    if not shown.study.corrected:
        st.caption(texts.RISKS)
    table_behind(
        rows if costs is None else costs.added(rows),
        "net_benefit",
        "What deciding by each model leads to, at every ε and threshold",
        lambda: (decision_command(shown.study, costs), decision_snippet(shown.study, costs)),
    )


def _at(
    rows: pd.DataFrame, row: pd.Series, threshold: float, dark: bool
) -> tuple[pd.Series, pd.Series, Drawn]:
    from dpcore.figures.decisions import decision_curve

    others = rows[rows["epsilon"].isna()]
    model = clinic.of_model(rows, row["method"], row["epsilon"])
    chosen, without = (part[part["threshold"] == threshold].iloc[0] for part in (model, others))
    return chosen, without, decision_curve(model, others, threshold=threshold, dark=dark)


def _worth(rows: pd.DataFrame, line: pd.DataFrame, threshold: float) -> str:
    from dpcore.figures.decisions import worth

    here = rows[rows["threshold"] == threshold]
    return worth(here.merge(line[["method", "epsilon"]]), here[here["epsilon"].isna()], threshold)


def _numbers(
    row: pd.Series, without: pd.Series, guarantee: str, costs: Costs | None
) -> list[Number]:
    rates = [
        _rate("Sensitivity", row, without, "true_positive_rate", texts.SENSITIVITY, guarantee),
        _rate("Specificity", row, without, "true_negative_rate", texts.SPECIFICITY, guarantee),
        _rate("Predictive value", row, without, "predictive_value", texts.PPV, guarantee),
    ]
    kinds = ("missed_per_1000", "false_per_1000")
    ends = " · ".join(f"{row[f'{kind}_low']:.0f}–{row[f'{kind}_high']:.0f}" for kind in kinds)
    counts: Number = (
        "Missed · false alarms",
        " · ".join(f"{row[kind]:.0f}" for kind in kinds),
        f"of 1,000; {ends}; without privacy {' · '.join(f'{without[kind]:.0f}' for kind in kinds)}",
        f"{texts.MISSED} {band_of(row)}. {guarantee}",
    )
    if costs is None:
        return [*rates, counts]
    one, other = (costs.added(part.to_frame().T).iloc[0] for part in (row, without))
    low, high = (_money(one[f"cost_per_1000{end}"]) for end in ("_low", "_high"))
    cost: Number = (
        "Cost of wrong decisions",
        _money(one["cost_per_1000"]),
        f"for 1,000 people; {low} to {high}; {_money(other['cost_per_1000'])} without privacy",
        f"{texts.COST} {guarantee}",
    )
    return [*rates, counts, cost]


def _money(amount: float) -> str:
    return f"{amount:,.0f}" if amount >= 100.0 else plain(amount)


def _rate(
    label: str, row: pd.Series, without: pd.Series, column: str, meaning: str, guarantee: str
) -> Number:
    value, low, high = (row[f"{column}{end}"] for end in ("", "_low", "_high"))
    hover = f"{meaning} {band_of(row)}. {guarantee}"
    if value != value:
        return label, "–", "of nobody", hover
    reference = without[column]
    comparison = "" if reference != reference else f"; {percent(reference)} without privacy"
    return label, percent(value), f"{percents(low, high)}{comparison}", hover
