"""What deciding by a model is worth at each threshold: the decision curve, and its sentences."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.clinic.decision_curve import Costs
from dpcore.evaluation.clinic.risks import REFERENCE
from dpcore.figures.bands import agreeing, band_of, spread
from dpcore.figures.canvas import LEGEND, THIN, add_band, add_rule, add_scatter, axis, canvas
from dpcore.figures.curves import HEIGHT, PROVED, guarantee_at, guarantee_of
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import NEUTRAL, WITHOUT_PRIVACY, Look, look
from dpcore.questions.decision_curve.question import (
    ALARM_COST,
    AT,
    MISS_COST,
    TREAT_ALL,
    TREAT_NONE,
    DecisionCurveQuestion,
    worth_from,
)
from dpcore.questions.risks import of_percent
from dpcore.questions.shown import Chosen, Number, Shown
from dpcore.words import percent, percents, plain, spaced

BELOW = 0.25
"""The axis reaches this share of the highest value below 0, where curves fall without end."""
MARGIN = 1.05
WIDE = 2.5
"""Width in pixels of the model's line."""
DECIMALS = ".3~f"
"""How the browser writes a net benefit, as `_shown` does."""
LOOKS: Mapping[str, Look] = {
    REFERENCE: WITHOUT_PRIVACY,
    TREAT_ALL: Look(NEUTRAL, NEUTRAL, "dot", "circle"),
    TREAT_NONE: Look(NEUTRAL, NEUTRAL, "solid", "circle"),
}
DETAIL = (
    "Net benefit is the share of people treated rightly, less the share treated needlessly. "
    "The second share counts t/(1−t) times, at a threshold of t. "
    "0.25 is worth as much as 250 of 1 000 people treated rightly and nobody needlessly. "
    "A model is of use where it is above treating everybody and treating nobody. "
    "Source: Vickers and Elkin (2006)."
)


def decision_curve(
    model: pd.DataFrame, others: pd.DataFrame, *, threshold: float, dark: bool = False
) -> Drawn:
    """Net benefit against the threshold, with what one would do without the private model.

    Parameters
    ----------
    model : pandas.DataFrame
        Rows of one private model at one ε.
    others : pandas.DataFrame
        Rows of the model without privacy, of treating everybody and of treating nobody.
    threshold : float
        The chosen one, which the sentence is about.
    dark : bool
        Whether it is drawn on a dark ground.
    """
    first = model.iloc[0]
    highest = MARGIN * float(max(model["net_benefit_high"].max(), others["net_benefit"].max()))
    figure = canvas(
        HEIGHT,
        dark,
        hovermode="closest",
        showlegend=True,
        legend=LEGEND,
        fixed=True,
        xaxis=axis("act from a risk of", range=[0.0, 1.0], tickformat=".0%"),
        yaxis=axis("net benefit", range=[-BELOW * highest, highest]),
    )
    for method, style in LOOKS.items():
        rows = others[others["method"] == method]
        _add(figure, rows, style, _named(rows.iloc[0]), dark)
    colour = look(first["method"])
    ends = model["threshold"], model["net_benefit_low"], model["net_benefit_high"]
    add_band(figure, *ends, colour.on(dark), showlegend=False)
    _add(figure, model, colour, f"{first['title']}, ε = {plain(first['epsilon'])}", dark)
    add_rule(figure, x=threshold, color=NEUTRAL, dash="dot", width=1)
    sentence = _sentence(model, others, threshold)
    return Drawn(figure, sentence, f"Net benefit against the threshold. {sentence}", DETAIL)


def _named(row: pd.Series) -> str:
    return f"{row['title']}: {row['baseline']}" if row["baseline"] else str(row["title"])


def _add(figure: go.Figure, rows: pd.DataFrame, style: Look, name: str, dark: bool) -> None:
    """A line; what its points say is put together in the browser, as there are many of them."""
    first = rows.iloc[0]
    text, ends = f"<b>{name}</b> from %{{x:.0%}} on<br>%{{y:{DECIMALS}}}", None
    if first["status"] not in ("", "not private"):
        ends = rows[["net_benefit_low", "net_benefit_high"]].to_numpy()
        low, high = (f"%{{customdata[{place}]:{DECIMALS}}}" for place in range(2))
        text += f"<br>{band_of(first)}: {low} to {high}<br>{guarantee_of(first)}"
    add_scatter(
        figure,
        x=rows["threshold"],
        y=rows["net_benefit"],
        mode="lines",
        line={"color": style.on(dark), "dash": style.dash, "width": THIN if ends is None else WIDE},
        customdata=ends,
        hovertemplate=f"{text}<extra></extra>",
        name=name,
    )


def _shown(value: float) -> str:
    return plain(round(value, 3))


def _at(rows: pd.DataFrame, threshold: float) -> pd.Series:
    return rows[rows["threshold"] == threshold].iloc[0]


def _sentence(model: pd.DataFrame, others: pd.DataFrame, threshold: float) -> str:
    row = _at(model, threshold)
    values = {
        method: _shown(_at(others[others["method"] == method], threshold)["net_benefit"])
        for method in LOOKS
    }
    return (
        f"At ε = {plain(row['epsilon'])} and a threshold of {percent(threshold, 0)}, the net "
        f"benefit of {row['title']} is {_shown(row['net_benefit'])}. "
        f"{spread(row, _shown(row['net_benefit_low']), _shown(row['net_benefit_high']))} "
        f"Without privacy it is {values[REFERENCE]}, treating everybody {values[TREAT_ALL]}, "
        f"treating nobody {values[TREAT_NONE]}."
    )


def shown(question: DecisionCurveQuestion, rows: pd.DataFrame, chosen: Chosen) -> Shown:
    """What the tab shows of one model at one ε."""
    threshold = of_percent(chosen.looked[AT.key])
    model, others = chosen.of_model(rows), rows[rows["epsilon"].isna()]
    row, without = (part[part["threshold"] == threshold].iloc[0] for part in (model, others))
    costs = None if question.costs is None else Costs(*question.costs)
    here = rows[rows["threshold"] == threshold]
    told = [worth(chosen.of_line(here), here[here["epsilon"].isna()], threshold)]
    if costs is not None and costs.miss + costs.false_alarm > 0.0:
        risk = plain(100.0 * costs.threshold)
        told.append(f"By these costs one would act from a risk of {risk} % on.")
    typed = [chosen.looked.get(control.key) for control in (MISS_COST, ALARM_COST)]
    is_half = typed.count(None) == 1
    notes = (*([BOTH_COSTS] if is_half else []), *([] if question.corrected else [RISKS]))
    return Shown(
        ModelAtEpsilon.of(row),
        question.table(rows),
        numbers(row, without, costs),
        tuple(told),
        (decision_curve(model, others, threshold=threshold, dark=chosen.dark),),
        notes,
    )


MISSED = (
    "Of 1 000 people like the test records. **Missed**: have the condition and are told that they "
    "do not. **False alarms**: do not have it and are told that they do. Look at both: "
    "privacy can lower one of them and raise the other."
)
BOTH_COSTS = "Give both costs to see what wrong decisions cost."
RISKS = (
    "Risks are taken as the model gives them. Noise can make them too high or too low, and the "
    "curve shows what that costs."
)
SENSITIVITY = "**Sensitivity**: share of those who have the condition who are treated."
SPECIFICITY = "**Specificity**: share of the others who are not treated."
PPV = (
    "**Positive predictive value**: share of the treated who have the condition. Runs in which "
    "nobody is treated have none, and are left out of its band."
)
COST = (
    "Missed cases and false alarms of 1 000 people, times what one of each costs. At least eight "
    "of ten runs lie between the two ends."
)


def numbers(row: pd.Series, without: pd.Series, costs: Costs | None) -> tuple[Number, ...]:
    """What a model's decisions lead to at one threshold, beside the one without privacy."""
    guarantee = guarantee_at(ModelAtEpsilon.of(row))
    rates = (
        _rate("Sensitivity", row, without, "true_positive_rate", SENSITIVITY, guarantee),
        _rate("Specificity", row, without, "true_negative_rate", SPECIFICITY, guarantee),
        _rate("Predictive value", row, without, "predictive_value", PPV, guarantee),
    )
    kinds = ("missed_per_1000", "false_per_1000")
    ends = " · ".join(f"{row[f'{kind}_low']:.0f}–{row[f'{kind}_high']:.0f}" for kind in kinds)
    counts: Number = (
        "Missed · false alarms",
        " · ".join(f"{row[kind]:.0f}" for kind in kinds),
        f"of 1 000; {ends}; without privacy {' · '.join(f'{without[kind]:.0f}' for kind in kinds)}",
        f"{MISSED} {band_of(row)}. {guarantee}",
    )
    if costs is None:
        return *rates, counts
    one, other = (costs.added(part.to_frame().T).iloc[0] for part in (row, without))
    low, high = (_money(one[f"cost_per_1000{end}"]) for end in ("_low", "_high"))
    cost: Number = (
        "Cost of wrong decisions",
        _money(one["cost_per_1000"]),
        f"for 1 000 people; {low} to {high}; {_money(other['cost_per_1000'])} without privacy",
        f"{COST} {guarantee}",
    )
    return *rates, counts, cost


def _money(amount: float) -> str:
    return spaced(round(amount)) if amount >= 100.0 else plain(amount)


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


def worth(line: pd.DataFrame, others: pd.DataFrame, threshold: float) -> str:
    """From which ε on the model is worth more than treating everybody or nobody, in sentences."""
    proved = line[line["status"] == PROVED]
    if proved.empty:
        return "Nothing is proved here, so there is no least ε."
    rows = pd.concat([proved, others])
    least = worth_from(rows, threshold)
    at = f"At a threshold of {percent(threshold, 0)}"
    if least is None:
        most = plain(float(proved["epsilon"].max()))
        nothing = "the model is worth no more than treating everybody or nobody"
        return f"{at} {nothing}, even at ε = {most}."
    safe = worth_from(rows, threshold, "net_benefit_low")
    runs = agreeing(int(proved["runs"].iloc[0]), int(proved["splits"].iloc[0]))
    single = (
        f"At no ε here does this hold in {runs}."
        if safe is None
        else f"In {runs} this holds from ε = {plain(safe)} on."
    )
    return (
        f"{at} the model is worth more than treating everybody or nobody from "
        f"ε = {plain(least)} on. "
        f"{single}"
    )
