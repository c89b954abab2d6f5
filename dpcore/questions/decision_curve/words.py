"""The numbers and sentences on what deciding by a model is worth."""

from __future__ import annotations

import pandas as pd

from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.clinic.decision_curve import Costs
from dpcore.figures.bands import agreeing, band_of
from dpcore.figures.curves import PROVED, guarantee_at
from dpcore.questions.decision_curve.question import worth_from
from dpcore.questions.shown import Number
from dpcore.words import percent, percents, plain, spaced

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
