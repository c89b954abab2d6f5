"""What a run spends in words, which setting keeps a budget, and whether a claim of it holds."""

from __future__ import annotations

from dpcore.accounting.events import TrainingPlan, steps_per_epoch
from dpcore.accounting.paper_003 import Evidence, Finding, matching
from dpcore.accounting.planner import Plan
from dpcore.accounting.risk_target import RiskTarget
from dpcore.guarantee import Adjacency
from dpcore.words import at_least, at_most, plain, spaced

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


def described(training: TrainingPlan) -> str:
    """The settings of a run, in one sentence."""
    preset = matching(training)
    note = "" if preset is None else f" These are settings of paper 003: {preset.title}."
    is_nominal = training.adjacency is Adjacency.ADD_REMOVE
    records = spaced(training.records)
    population = f"a public size of {records}" if is_nominal else f"{records} records"
    return (
        f"{spaced(training.steps)} steps on batches of {spaced(training.batch)} of "
        f"{population} (q = {plain(training.rate)}), clipped to "
        f"{plain(training.clip)}, noise {training.schedule().name}.{note}"
    )


def found(plan: Plan, before: TrainingPlan) -> str:
    """The setting that was found, and what it was before."""
    if plan.value is None:
        return plan.sentence
    value = at_most(plan.value, 5)  # as many as the control is set to
    whole = spaced(round(plan.value))
    per_epoch = steps_per_epoch(before.records, before.batch)
    return {
        "sigma": f"Noise σ₀ = {value} instead of {plain(before.sigma)}",
        "epochs": f"{whole} epochs instead of {plain(before.steps / per_epoch)}",
        "batch": f"Batch size {whole} instead of {spaced(before.batch)}",
        "delta": f"δ = {value} instead of {plain(before.delta)}",
    }[plan.unknown]


SPARED = {"steps": "as many steps", "epochs": "as many epochs", "batch": "as large a batch"}


def saved(plan: Plan, delta: float, saves: float | None) -> str:
    """How much noise the curve saves against an (ε, δ) that keeps the same risk by itself."""
    if saves is None:
        return f"No (ε, δ = {plain(delta)}) alone keeps this risk here: only the noise's own curve."
    through = f"through an (ε, δ = {plain(delta)}) that keeps the risk by itself"
    if plan.unknown in SPARED:
        times = at_least(saves)
        return f"By the noise's own curve {times} times {SPARED[plan.unknown]} as {through}."
    return f"Going {through}, the noise would be {at_least(saves)} times as much."


def spends(
    plan: Plan, before: TrainingPlan, budget: float, target: float | RiskTarget | None = None
) -> str:
    """What the run spends of the budget, and with which setting where one was found.

    Where the target is a risk, the budget is the ε at which the run keeps that.
    """
    epsilon = plan.guarantee.epsilon
    if plan.value is None or epsilon is None:
        return plan.sentence
    spent = at_most(epsilon, DIGITS)
    kept = within = f" of {plain(budget)}"
    over = f"the budget of {plain(budget)}"
    if isinstance(target, RiskTarget):
        kept = f", so that {target.words}"
        within = f" of {at_most(budget, DIGITS)}, so that {target.words}"
        over = f"the {at_most(budget, DIGITS)} at which {target.words}"
    if plan.unknown != "epsilon":
        return f"{found(plan, before)}: the run spends ε = {spent}{kept}."
    if epsilon <= budget:
        return f"This run spends ε = {spent}{within}."
    return f"This run spends ε = {spent}, more than {over}."
