"""What an answer says at each ε, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.accounting.risk import OVER, UNDER, Odds, odds
from dpcore.evaluation.frontier import crossing
from dpcore.figures.quality import Quality
from dpcore.figures.verdict import not_better, standing
from dpcore.guarantee import Adjacency
from dpcore.questions.cost.decision import LEAST_GAIN, NEARLY_ALL, Decision
from dpcore.words import percent, plain

if TYPE_CHECKING:
    from dpcore.datasets import Entry

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
