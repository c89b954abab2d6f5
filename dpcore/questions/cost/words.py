"""What an answer says at each ε, in sentences, and how rough a small test set leaves it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd

from dpcore.accounting.risk import OVER, UNDER, Odds, odds
from dpcore.evaluation.at_epsilon import ModelAtEpsilon, crossing
from dpcore.evaluation.clinic.groups import MIN
from dpcore.evaluation.scoring.metrics import accuracy_interval
from dpcore.figures.quality import ACCURACY, Quality
from dpcore.guarantee import STATUS_NAMES, Adjacency
from dpcore.questions.cost.decision import LEAST_GAIN, NEARLY_ALL, Decision
from dpcore.questions.cost.two_parts import Cost
from dpcore.words import at_most, percent, plain, spaced

if TYPE_CHECKING:
    from dpcore.datasets import Entry

ROUGH = 0.03  # half a 95 % interval from which on the test set's own spread is reported
ROUGH_ERROR = 0.05  # the same limit for an error, as a share of it
WHO = {
    Adjacency.ADD_REMOVE: "who is in the data",
    Adjacency.ZERO_OUT: "who is in the data",
    Adjacency.REPLACE_ONE: "whose record it is",
}


def odds_at(decision: Decision, place: int) -> Odds:
    """How many of 100 guess right at most about one person."""
    model = decision.model_at(place)
    budget, noise = model.bound
    return odds(budget, model.neighbours, noise)


def guessing(decision: Decision, place: int) -> str:
    """One sentence on the attackers."""
    chances = odds_at(decision, place)
    who = WHO[decision.model_at(place).neighbours]
    if chances.shown == "all":
        return f"Nothing is promised: all of 100 may guess right {who}."
    if chances.shown == OVER:
        return f"More than 99 of 100 may guess right {who}."
    if chances.shown == UNDER:
        return f"Fewer than 51 of 100 guess right {who}."
    return f"Nobody guesses better than {chances.shown} of 100 {who}."


def sentence(decision: Decision, place: int, entry: Entry, method: str) -> str:
    """The answer at one ε: what it costs, what it buys, and from where on it is worth it."""
    model = decision.model_at(place)
    parts = [_cost(decision, place, entry, method), guessing(decision, place)]
    parts.append(_worth(decision, place) if decision.outcomes is not None else _near(decision))
    if not model.is_proved:
        parts.append(f"**{standing(model)}**")
    return " ".join(filter(None, parts))


def _cost(decision: Decision, place: int, entry: Entry, method: str) -> str:
    at = f"At ε = {plain(decision.epsilons[place])}"
    if decision.outcomes is not None:
        missed, false = decision.baseline_cases
        action = entry.action
        return (
            f"{at}, of 1 000 {entry.records_are} you miss **{decision.missed[place]:.0f}** "
            f"{action.cases} instead of {missed:.0f} and {action.acts} "
            f"**{decision.false[place]:.0f}** {action.others} instead of {false:.0f}."
        )
    quality = Quality(decision.measure)
    value, baseline = float(decision.band[0][place]), decision.baseline
    result = quality.words.result.format(
        value=f"**{quality.shown(value)}**",
        records=entry.records_are,
        unit=f" {quality.measure.unit}" if quality.measure.unit else "",
    )
    difference = quality.difference(value, baseline)
    than = quality.words.more if difference > 0.0 else quality.words.less
    compared = f"{quality.amount(difference)} {than}" if difference else quality.words.same
    told = f"{at} {method} {result}; {compared} without privacy ({quality.shown(baseline)})."
    return told + not_better(decision.rows.iloc[place], quality, value, baseline, decision.guess)


def _worth(decision: Decision, place: int) -> str:
    worth, here = decision.worth_from, decision.epsilons[place]
    if worth is None:
        return "It is worth using at no ε here."
    if here < worth:
        return f"It is not worth using here, but from ε = {plain(worth)} on."
    words = f"Worth using from ε = {plain(worth)}."
    if decision.treated[place] >= NEARLY_ALL:
        words += f" It acts on nearly everybody: {percent(decision.treated[place], 0)}."
    elif decision.gain[0][place] < LEAST_GAIN:
        words += " It is worth hardly more than acting on all or on nobody."
    return words


def _near(decision: Decision) -> str:
    """From which ε on the measure stays near that of no privacy."""
    quality = Quality(decision.measure)
    sign, value = quality.measure.sign, decision.band[0]
    changes = [quality.difference(one, decision.baseline) for one in value]
    rows = decision.rows.assign(change=changes)
    within = f"within {quality.rounded(quality.close)} of no privacy"
    from_on = crossing(rows, "change", -sign * quality.close, sign)
    if from_on is not None:
        return f"From ε = {plain(from_on)} on it stays {within}."
    least = quality.amount(max(changes, key=quality.good))
    return f"It nowhere stays {within}; at best it loses {least}."


def spoken(decision: Decision, place: int) -> str:
    """The answer at one ε in a few words, for who hears the cursor."""
    quality = Quality(decision.measure)
    words = f"ε = {plain(decision.epsilons[place])}: {quality.name} "
    words += quality.shown(float(decision.band[0][place]))
    if decision.outcomes is not None:
        words += f", {decision.missed[place]:.0f} missed, {decision.false[place]:.0f} false alarms"
    return words


def parts(decision: Decision, place: int) -> str:
    """What the model's form and what noise costs: from where on noise costs less, and here."""
    quality, rows = Quality(decision.measure), decision.rows
    name, sign = decision.measure.column, decision.measure.sign
    value, still = rows[name].to_numpy(), rows[f"{name}_noiseless"].to_numpy()
    form, noise = sign * (decision.compared.value - still), sign * (still - value)
    less = rows.assign(less=form - noise)
    from_on = crossing(less[less["epsilon"].notna()], "less", 0.0)
    told = (
        f"**From ε = {plain(from_on)} on noise always costs less than the model's form.**"
        if from_on is not None
        else "**Noise costs more than the model's form up to the largest ε.**"
    )
    at_half = "" if decision.is_at_one_half else ", acting from 50 %"
    amounts = [quality.signed(-sign * float(each[place])) for each in (form, noise)]
    unit = quality.unit
    return (
        f"{told} At ε = {plain(decision.epsilons[place])} the form changes {quality.name} by "
        f"{amounts[0]} {unit}, noise by {amounts[1]}{at_half}."
    )


def headline(row: pd.Series, *, subject: str, cost: Cost, guess: float, records_are: str) -> str:
    """How good the model is, how good without privacy, and whether the promise holds."""
    quality = cost.quality
    result = quality.words.result.format(
        value=quality.shown(cost.value),
        records=records_are,
        unit=f" {quality.measure.unit}" if quality.measure.unit else "",
    )
    sentence = f"At ε = {plain(row['epsilon'])} {subject} {result}; {cost.without}."
    sentence += not_better(row, quality, cost.value, cost.baseline, guess)
    model = ModelAtEpsilon.of(row)
    return sentence if model.is_proved else f"{sentence} {standing(model)}"


def not_better(
    row: pd.Series, quality: Quality, value: float, baseline: float, guess: float
) -> str:
    """That the model is no better than a guess, and the one without privacy neither; or ""."""
    if not quality.measure.reaches(guess, value):
        return ""
    guessing = f"{quality.words.guessing} ({quality.shown(guess)})"
    if quality.measure.reaches(guess, baseline):
        return f" Neither is better than {guessing}.{_areas(row, quality)}"
    is_same = quality.difference(value, guess) == 0.0
    return f" That is {'no better' if is_same else 'worse'} than {guessing}."


def _areas(row: pd.Series, quality: Quality) -> str:
    """How both rank, where accuracy does not tell what they have learned; or ""."""
    value, baseline = (row.get(name, math.nan) for name in ("auc", "auc_baseline"))
    if quality.column != ACCURACY.column or pd.isna(value) or pd.isna(baseline):
        return ""
    return f" By AUC they have {plain(value)} and {plain(baseline)}; a coin has 0.5."


def standing(model: ModelAtEpsilon) -> str:
    """What is proved instead of a model's ε."""
    source = f"δ = {plain(model.delta)}, {model.neighbours.difference}, {model.accountant}"
    certified = model.certified_epsilon
    certificate = (
        "No ε is certified for it."
        if math.isnan(certified)
        else "What is certified for the noise that is added is "
        f"ε = {at_most(certified)} ({source})."
    )
    status = STATUS_NAMES.get(model.status, model.status).capitalize()
    return f"{status}: ε = {plain(model.epsilon)} is not proved here. {model.reason} {certificate}"


def rough_count(per_1000: float, most: float, records: int) -> str:
    """Range of a count of 1,000 on new records, as "66 to 190"; empty where it is not rough."""
    among = round(records * most / 1000.0)
    if among == 0:
        return ""
    share = min(1.0, max(0.0, per_1000 / most))
    low, high = (most * end for end in accuracy_interval(share, among))
    if max(per_1000 - low, high - per_1000) <= 1000.0 * ROUGH:
        return ""
    return f"{spaced(math.floor(low))} to {spaced(math.ceil(high))}"


def few_cases(positive: float, records: int) -> str:
    """That missed cases rest on few people, in one sentence; empty where they do not."""
    if math.isnan(positive):
        return ""
    cases = round(positive * records)
    if cases >= MIN:
        return ""
    return (
        f"Only {cases} of the {spaced(records)} test records are cases: too few to count misses by."
    )


def few_records(
    value: float,
    between: tuple[float, float],
    records: int,
    quality: Quality = ACCURACY,
) -> str:
    """The roughness of a small test set's results, in one sentence; empty where it is not small."""
    low, high = between
    if high - low <= 2.0 * (ROUGH if quality.share else ROUGH_ERROR * value):
        return ""
    return (
        f"Only {spaced(records)} test records: on new ones, the {quality.named(value)} without "
        f"privacy may be {quality.ends(low, high)} (95 % interval)."
    )
