"""What a promise means to one person: in numbers, and in texts to copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.accounting.risk import (
    BELIEF,
    FALSE_ALARM,
    RIGHT_GUESSES,
    Promise,
    hedge,
    right_bounded,
    right_of_100,
    right_shown,
)
from dpcore.controls.common import ALARMS
from dpcore.controls.options import exactly
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.questions.shown import Number
from dpcore.words import at_most, percent_at_most, plain, spaced

if TYPE_CHECKING:
    from dpcore.accounting.tradeoff import Attacker

GUESSED = {
    Adjacency.ADD_REMOVE: "you are in the data",
    Adjacency.ZERO_OUT: "you are in the data",
    Adjacency.REPLACE_ONE: "a record is yours or some other person's",
}
QUESTIONS = {
    Adjacency.ADD_REMOVE: "whether a given person is in the data",
    Adjacency.ZERO_OUT: "whether a given person is in the data",
    Adjacency.REPLACE_ONE: "whether a given record is this person's or another's",
}
RIGHT_GUESSES_MEANING = (
    "How many of 100 people are right at most. Each sees the result, knows every other record, "
    "starts from even odds, and uses the best test."
)
ADVANTAGE = (
    "The **advantage**: how many more the best test finds, in points, than it accuses by mistake."
)
HITS = (
    "The **true-positive rate** of the best test whose false-positive rate is the one chosen above."
)
BELIEF_AFTER = (
    "The **posterior**: how sure they can be after this test rings, by Bayes' rule from the belief "
    "set above. When it does not ring, they are less sure than before."
)
BY_NOISE, BY_BUDGET = "by the noise itself", "from ε and δ alone"
SO_FAR = "What the noise itself allows is being computed; it may be fewer right guesses."
ODDS = (
    "Each of 100 people sees the published model, knows every other record, and guesses about one. "
    "The bound is that of the noise drawn, where its law is known, else of ε and δ alone. "
    "It holds where that ε is proved: see the badge beside the method."
)
ODDS_CONDITION = "For any method with this ε and δ whose badge says proved."
ANY_METHOD = "The bound holds for any method with this ε and δ (Kairouz, Oh and Viswanath 2015)."
ALONE = (
    "The bound is that of the noise that is drawn. What ε and δ alone allow stands beside it under "
    "“What could an attacker tell?”."
)
BUDGET_ALONE = (
    "No more than ε and δ is known of the noise here. These numbers are those of the worst method "
    "with them."
)


def gaussian_dp(mu: float, least: float) -> str:
    """μ of a run, as it is added to what a card rests on."""
    return f" μ = {at_most(mu)} (Gaussian DP where both errors are at least {plain(least)})."


def heading(
    budget: PrivacyBudget | None, adjacency: Adjacency, noise: float | None
) -> tuple[str, str]:
    """The title above what a budget means for one person, and what it rests on."""
    if budget is None:
        return "What this means for one person", ODDS
    epsilon = at_most(budget.epsilon)
    rests = f"ε = {epsilon}, δ = {plain(budget.delta)}, {adjacency}: {adjacency.meaning}"
    source = ANY_METHOD if noise is None else ALONE
    return f"What ε = {epsilon} means for one person", f"{ODDS} {rests} {source}"


def numbers(best: Attacker, bound: Attacker, prior: float, rate: float) -> tuple[Number, ...]:
    """What the best attack reaches, beside what ε and δ alone say and what guessing does."""

    def note(chance: str, bound_value: str, word: str = "at most") -> str:
        comparison = f"{bound_value} from ε and δ alone" if best is not bound else ""
        return "; ".join(filter(None, (word, chance, comparison)))

    right = right_shown(best.advantage)
    return (
        (
            RIGHT_GUESSES,
            f"{right} of 100",
            note("50 by guessing", right_shown(bound.advantage), hedge(right)),
            RIGHT_GUESSES_MEANING,
        ),
        (
            "Hits less false alarms",
            percent_at_most(best.advantage),
            note("0 % by guessing", percent_at_most(bound.advantage)),
            ADVANTAGE,
        ),
        (
            f"Hits at {ALARMS.text(rate)}",
            percent_at_most(best.true_positive_rate),
            note(f"{ALARMS.text(rate)} by guessing", percent_at_most(bound.true_positive_rate)),
            HITS,
        ),
        (
            "Belief after an alarm",
            percent_at_most(best.belief),
            note(f"{ALARMS.text(prior)} before", percent_at_most(bound.belief)),
            BELIEF_AFTER,
        ),
    )


def standing(promise: Promise) -> str:
    """Whose ε it is and who proves it, in one line."""
    guarantee = promise.guarantee
    if promise.budget is None:
        return (
            f"**No bound.** Nothing here limits what someone could find out from {promise.whose}. "
            f"{guarantee.reason}"
        ).strip()
    verdict = {
        "proved": f"ε = {at_most(promise.budget.epsilon)} is proved for {promise.whose}",
        "certified": (
            f"The ε asked of {promise.whose} is not proved. What is certified for exactly the "
            f"noise that it adds is ε = {at_most(promise.budget.epsilon)}"
        ),
        "assumed": f"For {promise.whose} that keeps ε = {at_most(promise.budget.epsilon)}",
    }[promise.standing]
    return f"{verdict}: δ = {plain(promise.budget.delta)} · {guarantee.adjacency} · {guarantee.by}."


def belief(adjacency: Adjacency, prior: float, rate: float, after: float) -> str:
    """How an alarm changes an attacker's belief, in plain words."""
    return (
        f"Someone is {plain(100.0 * prior)} % sure that {BELIEF[adjacency]}. Then they see the "
        "result and use the best test there is. It is wrong about 1 in "
        f"{spaced(round(1.0 / rate))} {FALSE_ALARM[adjacency]}. If this test points to you, they "
        f"can be at most **{percent_at_most(after)}** sure."
    )


def consent(promise: Promise, attacker: Attacker) -> str:
    """A paragraph for a consent form; empty where nothing holds."""
    if promise.budget is None:
        return ""
    adjacency = promise.guarantee.adjacency
    with_result = f"With our result, {right_bounded(attacker.advantage, ' of them')} right."
    if right_of_100(attacker.advantage) == 100:
        with_result += " So the noise hides next to nothing of you."
    return (
        "How we guard your record\n\n"
        "We will share a result of this study. First we add random noise to it. The noise helps "
        "to hide the part that any one person plays in the result.\n\n"
        "How well are you hidden? Think of 100 people. Each one sees our result and has to guess "
        f"if {GUESSED[adjacency]}. They may know all about the other people in the study. With no "
        "result to look at, they can only toss a coin, and about 50 of them are right. "
        f"{with_result}\n\n"
        "What does the noise not do? Our result can still teach people facts about groups. You may "
        "be in one, such as people of your age or people who are ill like you. They may then think "
        "the same of you. This can happen even if you do not take part. The noise also does not "
        "guard what others know about you from somewhere else. If more results are shared later, "
        "it can get easier to guess right."
    )


def ethics(
    promise: Promise, bound: Attacker, exact: Attacker | None, prior: float, rate: float
) -> str:
    """A paragraph for an ethics application; empty where nothing holds."""
    if promise.budget is None:
        return ""
    guarantee, budget = promise.guarantee, promise.budget
    share = at_most(promise.records * budget.delta)
    source = {
        "proved": f"Proved by: {guarantee.by}.",
        "certified": "Not proved by the method's own theorem; certified for exactly the noise that "
        f"is added by: {guarantee.by}.",
        "assumed": "Assumed here: name the method and its proof or accountant.",
    }[promise.standing]
    nominal = guarantee.adjacency is Adjacency.ADD_REMOVE
    size = "Public size, in place of the number of records: n =" if nominal else "Records: n ="
    lines = [
        "Privacy of the published result",
        f"Guarantee: differential privacy with ε = {at_most(budget.epsilon)} and "
        f"δ = {plain(budget.delta)}. Method: {promise.whose}. {source}",
        f"Adjacency: {guarantee.adjacency}. {guarantee.adjacency.meaning} {size} "
        f"{spaced(promise.records)} (n·δ = {share}).",
        f"Meaning: of 100 people guessing {QUESTIONS[guarantee.adjacency]}, "
        f"{right_bounded((exact or bound).advantage)} right on average, and 50 would be without "
        "the result. Each of them sees the result, knows every other record and starts from even "
        "odds.",
        _reach("From ε and δ alone", bound, guarantee.adjacency, prior, rate),
    ]
    if exact is not None:
        lines.append(
            _reach(
                "From the whole privacy curve of the noise", exact, guarantee.adjacency, prior, rate
            )
        )
    lines.append(
        "Not covered is what the result teaches about groups to which a person belongs. That holds "
        "whether or not the person takes part. Nor is what is known about a person from other "
        "sources, or unauthorised access to the records themselves. Where a person has several "
        "records, or more results come from the same records, ε and δ add up."
    )
    return "\n\n".join(lines)


def _reach(source: str, attacker: Attacker, adjacency: Adjacency, prior: float, rate: float) -> str:
    return (
        f"{source}: an attack that asks {QUESTIONS[adjacency]} has an advantage (true-positive "
        f"rate less false-positive rate) of at most {percent_at_most(attacker.advantage)}. At a "
        f"false-positive rate of {plain(100.0 * rate)} % its true-positive rate is at most "
        f"{percent_at_most(attacker.true_positive_rate)}. A belief of {plain(100.0 * prior)} % "
        f"before becomes at most {percent_at_most(attacker.belief)} after such a test is positive."
    )


def command(budget: PrivacyBudget, adjacency: Adjacency, prior: float, rate: float) -> str:
    """The command line that prints what follows from (ε, δ) alone for one person."""
    return (
        f"python -m dpcore risk --epsilon {budget.epsilon!r} --delta {budget.delta!r} "
        f"--adjacency {adjacency} --prior {exactly(prior)} --fpr {exactly(rate)}"
    )
