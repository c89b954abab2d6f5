"""Plan's answers in words: whether a claim holds, and which setting meets a target."""

from __future__ import annotations

from collections.abc import Sequence

from dpcore.accounting.budget import BudgetSplit
from dpcore.accounting.claims import Evidence, Finding
from dpcore.accounting.planner import NAMES, WHOLE, Plan, counted
from dpcore.figures.words import at_least, at_most, listed, plain
from dpcore.guarantee import Adjacency, Guarantee, PrivacyBudget

SAMPLINGS = {
    "poisson": " on Poisson samples",
    "fixed": " on batches of fixed size",
    "none": " without sampling",
}
ANSWERS = {
    Finding.HOLDS: "holds",
    Finding.FAILS: "does not hold",
    Finding.OPEN: "is not decided",
}
DIGITS = 4


def judged(claimed: float, kind: str, known: Evidence) -> str:
    """Whether a claimed ε holds under the adjacency of the evidence, in one sentence."""
    finding, certified = known.finding(claimed), known.certified
    under = f"Under {known.adjacency}{SAMPLINGS[known.sampling]}"
    number = f"the {kind} {at_most(claimed)} {ANSWERS[finding]}"
    if certified.epsilon is None:
        return f"{under}, {number}: {certified.reason}"
    proved = f"{certified.by} certifies ε = {at_most(certified.epsilon)} for this noise"
    if finding is Finding.OPEN:
        return f"{under}, {number}: {proved}, and a certificate above a number refutes nothing."
    if finding is Finding.FAILS and known.at_least is not None:
        number += f", because no ε below {at_least(known.at_least)} is true there"
    return f"{under}, {proved}: {number}."


def first_numbers(proved: Sequence[Guarantee], claimed: float | None) -> str:
    """The line of big numbers in words, for a reader who knows none of the accountants."""
    limits = [
        (guarantee.epsilon, guarantee.by) for guarantee in proved if guarantee.epsilon is not None
    ]
    if not limits:
        sentence = "No accountant here proves a finite ε for this run."
    else:
        bounds = listed([f"ε ≤ {at_most(epsilon)} ({by})" for epsilon, by in sorted(limits)])
        sentence = (
            f"{'An accountant proves' if len(limits) == 1 else 'Two accountants prove'} how little "
            f"this run can reveal about one person: {bounds}; the smaller ε, the less."
        )
        if len(limits) > 1:
            sentence += " Both limits hold; use the smaller one."
    if claimed is not None:
        sentence += f" The paper's own formula says {at_most(claimed)}, which is a claim."
    return sentence


def answered(plan: Plan, target: float, per_epoch: int) -> str:
    """The value of the unknown in words, with as many digits as it has."""
    guarantee = plan.guarantee
    if plan.value is None or guarantee.epsilon is None:
        return plan.sentence
    if plan.unknown in WHOLE:
        value = f"{plan.value:,.0f}"
    else:  # C is the largest that fits, σ and δ the least
        value = (at_least if plan.unknown == "clip" else at_most)(plan.value, DIGITS)
    length = {
        "steps": f" ({plain(plan.value / per_epoch, DIGITS)} epochs)",
        "epochs": f" of {counted(per_epoch)}",
    }.get(plan.unknown, "")
    delta = at_most(guarantee.delta or 0.0, DIGITS)
    return (
        f"For ε = {plain(target)}: {NAMES[plan.unknown]} = {value}{length} spends ε = "
        f"{at_most(guarantee.epsilon, DIGITS)} at δ = {delta} ({guarantee.by}, "
        f"{guarantee.adjacency})."
    )


def setting(plan: Plan, budget: float) -> tuple[str, str]:
    """The setting in the unit that was asked for, and what it spends of the budget."""
    guarantee, training = plan.guarantee, plan.training
    if plan.value is None or training is None or guarantee.epsilon is None:
        return "There is no such setting.", plan.sentence
    name, value = {
        "epochs": ("Epochs", f"{plan.value:,.0f}"),
        "batch": ("Batch size", f"{plan.value:,.0f}"),
        "sigma": ("Noise multiplier", at_most(plan.value, DIGITS)),
    }[plan.unknown]
    spends = (
        f"This spends ε = {at_most(guarantee.epsilon, DIGITS)} of {plain(budget)} at δ = "
        f"{at_most(guarantee.delta or 0.0, DIGITS)} ({guarantee.by}, {guarantee.adjacency})."
    )
    return f"{name}: {value}", spends


def releases(
    budget_split: BudgetSplit, budget: PrivacyBudget, sensitivity: float, adjacency: Adjacency
) -> tuple[str, str]:
    """The noise of equal releases in their own unit, and what they spend together."""
    sigma, count = budget_split.portions[0].sigma, len(budget_split.portions)
    many = "It spends" if count == 1 else f"All {count:,} together spend"
    reason = (
        f"σ is the standard deviation of the Gaussian noise on every released number. {many} ε = "
        f"{at_most(budget_split.certified_epsilon, DIGITS)} of {plain(budget.epsilon)} at δ = "
        f"{plain(budget.delta)} (Gaussian DP, exact, {adjacency}). This holds if one person's data "
        f"move a release by at most Δ = {plain(sensitivity)}."
    )
    return f"Noise: σ = {at_most(sigma, DIGITS)}", reason
