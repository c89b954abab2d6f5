"""Draw Plan's answer: the ε spent, ε against steps, and claim and proof side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import pandas as pd
import streamlit as st

from dpcore.accounting import accountants, claims, epsilon_curve, paper_003, planner
from dpcore.accounting.claims import Evidence, Finding
from dpcore.accounting.paper_003 import TruncatedAnswer
from dpcore.accounting.presets import matching
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch
from dpcore.controls.common import ADJACENCIES
from dpcore.figures.plan import sentences
from dpcore.figures.plan.spending import spending
from dpcore.figures.words import at_most, plain
from dpcore.guarantee import Adjacency, Guarantee, Status
from pages.plan import texts
from pages.shared import badges
from pages.shared.background import Waiting, answer_to, is_stopped
from pages.shared.charts import download, on_dark, plot
from pages.shared.numbers import Number, draw_numbers
from pages.shared.texts import BadgeColour

FAST, CERTIFIED = "rdp", "pld"
# Seconds that the page waits for Rényi accounting, which takes less for most runs.
MOMENT = 0.25
POINTS, FEW_POINTS, MANY_LEVELS = 24, 6, 50
# Levels times points: beyond, closed forms and Rényi accounting take longer than a moment.
MANY_TERMS = 24_000
FINDINGS: dict[Finding, tuple[BadgeColour, str]] = {
    Finding.HOLDS: ("green", ":material/check_circle:"),
    Finding.FAILS: ("red", ":material/error:"),
    Finding.OPEN: ("orange", ":material/help:"),
}
SHORT_SAMPLINGS = {"poisson": ", Poisson samples", "fixed": ", fixed size", "none": ""}
NOT_PROVED = "not proved this way"


@dataclass(frozen=True)
class Answer:
    """Hold the results for the run so far."""

    training: TrainingPlan
    fast: Guarantee | None  # by Rényi accounting; none while being computed, as the next one
    certified: Guarantee | None  # by privacy loss distributions
    paper: TruncatedAnswer | None  # paper 003's own accounting, which needs sampling
    is_compared: bool
    stated: float | None  # ε that the paper states for exactly these settings
    # The same noise under replace-one, the adjacency of the paper's claim.
    replaced: tuple[Evidence, ...] | None

    @property
    def proved(self) -> list[Guarantee]:
        """The guarantees with a finite ε so far."""
        guarantees = [
            guarantee for guarantee in (self.certified, self.fast) if guarantee is not None
        ]
        return [guarantee for guarantee in guarantees if guarantee.epsilon is not None]

    @property
    def best(self) -> Guarantee:
        """The guarantee with the least certified ε so far."""
        if self.proved:
            return min(self.proved, key=lambda guarantee: guarantee.epsilon or 0.0)
        pending = Guarantee(None, None, self.training.adjacency, "Rényi", "Still being computed.")
        return self.fast or self.certified or pending


@st.cache_data(max_entries=200, show_spinner=False)
def spent(training: TrainingPlan, accountant: str) -> Guarantee:
    """Certify ε of the run by one accountant."""
    return planner.spent(training, accountant)


@st.cache_data(max_entries=100, show_spinner=False)
def curve(training: TrainingPlan, kind: str) -> pd.DataFrame:
    """Certify ε at checkpoints along the run."""
    return epsilon_curve.epsilon_curve(training, [kind], points=POINTS)


def covered(training: TrainingPlan, accountant: str) -> bool:
    """Whether the accountant has a theorem for this run; its first step decides."""
    first = replace(training, steps=1).event()
    return not accountants.refusal(first, training.adjacency, accountant)


def title(training: TrainingPlan) -> None:
    """Show the run in words."""
    preset = matching(training)
    note = "" if preset is None else f" These are settings of paper 003: {preset.title}."
    st.caption(
        f"{training.steps:,} steps on batches of {training.batch:,} of {_population(training)} "
        f"(q = {plain(training.rate)}), clipped to {plain(training.clip)}, noise "
        f"{training.schedule().name}.{note}"
    )


def _population(training: TrainingPlan) -> str:
    is_nominal = training.adjacency is Adjacency.ADD_REMOVE
    return (
        f"a public size of {training.records:,}" if is_nominal else f"{training.records:,} records"
    )


def numbers(training: TrainingPlan, is_compared: bool) -> tuple[Answer, Waiting]:
    """Show the line of big numbers; returns the answer and its unfinished tasks."""
    per_epoch = steps_per_epoch(training.records, training.batch)
    # Alone at first: the other tasks would compete for the processor.
    fast, fast_waiting = answer_to(
        "renyi",
        "Rényi accounting",
        training,
        lambda _: spent(training, FAST),
        wait=MOMENT,
        quick=True,
    )
    certified, certified_waiting = answer_to(
        "certify",
        "Certifying by privacy loss distribution",
        training,
        lambda progress: planner.spent(training, CERTIFIED, progress),
    )
    matched = matching(training) if is_compared else None
    stated = None if matched is None else matched.stated
    paper = (
        paper_003.account(training.schedule(), training.rate, training.delta, training.clip)
        if is_compared and training.rate < 1.0
        else None
    )
    printed = None if paper is None else paper.claim.epsilon
    claimed = [epsilon for epsilon in (stated, printed) if epsilon is not None]
    replaced, replaced_waiting = (
        answer_to(
            "replace-one",
            "Certifying under replace-one",
            training,
            lambda progress: claims.under_replace_one(training, claimed, progress),
        )
        if is_compared
        else (None, [])
    )
    answer = Answer(training, fast, certified, paper, is_compared, stated, replaced)
    summary = st.empty()
    if fast is not None:
        summary.markdown(sentences.first_numbers(answer.proved, printed))
    last = training.schedule().sigmas[-1]
    draw_numbers(
        (
            _certified_number("ε by Rényi", fast, fast_waiting, texts.RDP_NUMBER),
            _certified_number("ε by PLD", certified, certified_waiting, texts.PLD_NUMBER),
            *([_printed_number(answer)] if is_compared else []),
            (
                "Steps",
                f"{training.steps:,}",
                f"{plain(training.steps / per_epoch)} epochs of {per_epoch:,}",
                "How many noisy steps the run takes.",
            ),
            (
                "Noise σ at the end",
                plain(last),
                f"multiplier σ/C = {plain(last / training.clip)}; first {plain(training.sigma)}",
                "Standard deviation of the noise on the sum at the last step, after all decays.",
            ),
        ),
        across=5 if is_compared else 4,
    )
    return answer, fast_waiting + certified_waiting + replaced_waiting


def _certified_number(
    label: str, guarantee: Guarantee | None, waiting: Waiting, meaning: str
) -> Number:
    if guarantee is None:
        return label, "…", "stopped" if is_stopped(waiting) else "being certified", meaning
    meaning = f"{meaning} {badges.statement(guarantee)}"
    if guarantee.epsilon is None:
        return label, "none", guarantee.reason, meaning
    note = f"proved · δ = {plain(guarantee.delta or 0.0)} · {guarantee.adjacency}"
    return label, at_most(guarantee.epsilon), note, meaning


def _printed_number(answer: Answer) -> Number:
    label = "ε by the formula"
    if answer.paper is None:
        return label, "none", "without sampling it has no formula", texts.PRINTED_NUMBER
    claim = answer.paper.claim
    printed = claim.epsilon or 0.0

    def note() -> None:
        st.caption("as printed in paper 003: a claim")
        if answer.stated is not None:
            st.caption(f"the paper states ε = {plain(answer.stated)}")
        for evidence in answer.replaced or ():
            finding = evidence.finding(printed)
            _finding_badge(finding, str(finding))
            st.caption(f"under {evidence.adjacency}{sentences.SAMPLINGS[evidence.sampling]}")

    return label, at_most(printed), note, f"{texts.PRINTED_NUMBER} {badges.statement(claim)}"


def _finding_badge(finding: Finding, text: str) -> None:
    colour, icon = FINDINGS[finding]
    st.badge(text, icon=icon, color=colour, help=texts.FINDINGS)


def _judge(evidence: Evidence, claimed: float, label: str) -> None:
    """Show the finding on a claimed number; a badge is one line, so sampling is abbreviated."""
    finding, sampling = evidence.finding(claimed), SHORT_SAMPLINGS[evidence.sampling]
    _finding_badge(finding, f"{label}{sampling}: {finding} · {evidence.adjacency}")


def chart(answer: Answer) -> Waiting:
    """Show ε against steps by every accountant that covers the run; returns unfinished tasks."""
    training = answer.training
    st.subheader(
        f"ε spent against steps · {ADJACENCIES[str(training.adjacency)].lower()} "
        f"({training.adjacency}), δ = {plain(training.delta)}",
        anchor=False,
        help=texts.CHART,
    )
    tasks: Waiting = []
    parts = []
    levels = len(training.schedule().sigmas)
    is_slow = levels > MANY_LEVELS
    for kind in epsilon_curve.CURVES:
        if kind == "printed" and not answer.is_compared:
            continue
        # The lemma of tCDP is about fixed-size batches, not about the run on this chart.
        if kind in (FAST, CERTIFIED, "tcdp") and not covered(training, kind):
            continue
        if kind == CERTIFIED or (kind == FAST and is_slow) or levels * POINTS > MANY_TERMS:
            table, waiting = answer_to(
                f"curve {kind}",
                f"Accounting along the run, {epsilon_curve.TITLES[kind]}",
                (training, kind),
                partial(
                    epsilon_curve.epsilon_curve, training, [kind], FEW_POINTS if is_slow else POINTS
                ),
                quick=kind != CERTIFIED,
            )
            tasks += waiting
        else:
            table = curve(training, kind)
        if table is not None:
            parts.append(table)
    if not parts:
        st.caption("The lines come here.")
        return tasks
    table = pd.concat(parts, ignore_index=True)
    plot(spending(table, dark=on_dark()), "spending_figure")
    printed = " The printed line is paper 003's own claim; its lemma speaks of replace-one."
    st.caption(
        "Certified lines hold for the adjacency named above."
        + (printed if answer.is_compared else "")
    )
    with st.popover("Numbers behind the chart", icon=":material/table:"):
        download(table, "epsilon_against_steps", "Every number behind the chart of ε against steps")
    return tasks


def claim_and_proof(answer: Answer) -> Waiting:
    """Show what is stated, printed and proved side by side, and whether the numbers hold."""
    if not answer.is_compared:
        with st.container(border=True):
            _proof(answer)
        return []
    paper = answer.paper
    claim, proof = st.columns(2, border=True)
    with claim:
        st.markdown("**Claim** (paper 003)")
        if answer.stated is None:
            st.markdown("Stated in the paper: no number for these settings.")
        else:
            delta = plain(answer.training.delta)
            st.markdown(f"Stated in the paper: ε = {plain(answer.stated)}, δ = {delta}.")
        if paper is None:
            st.markdown("Without sampling the paper's formula has nothing to amplify.")
        else:
            st.markdown(f"Its printed formula gives: {badges.statement(paper.claim)}")
        waiting = _verdicts(answer)
    with proof:
        _proof(answer)
    return waiting


def _proof(answer: Answer) -> None:
    paper = answer.paper
    st.markdown("**Proof** (what holds for exactly this noise)")
    badges.guarantee("plan")
    for guarantee, by in ((answer.certified, "PLD"), (answer.fast, "Rényi")):
        if guarantee is None:
            st.caption(f"{by}: being certified.")
            continue
        _show_status(guarantee.epsilon is not None, guarantee.by)
        st.markdown(badges.statement(guarantee))
    if paper is not None:
        is_met = paper.proof.epsilon is not None
        _show_status(is_met, "tCDP corrected", paper.proof.reason)
        if is_met:
            st.markdown(badges.statement(paper.proof))
        else:
            st.markdown(f"No number ({paper.proof.adjacency}, sensitivity 2C):")
            badges.checked([condition for condition in paper.conditions if not condition.met])


def _show_status(is_met: bool, name: str, note: str = "") -> None:
    """Show whether the theorem applies; one that does not leaves the number undecided."""
    if is_met:
        badges.status(str(Status.PROVED), note, name=name)
    else:
        st.badge(
            f"{name}: {NOT_PROVED}",
            icon=":material/rule:",
            color="orange",
            help=f"{texts.NOT_PROVED} {note}".strip(),
        )


def _verdicts(answer: Answer) -> Waiting:
    training = answer.training
    waiting: Waiting = []
    if answer.stated is not None and training.adjacency is not Adjacency.REPLACE_ONE:
        stated = answer.stated
        evidence, waiting = answer_to(
            "stated",
            "Judging the stated number",
            training,
            lambda progress: claims.evidence(training, [stated], progress),
        )
        if evidence is not None:
            _judge(evidence, stated, "stated")
            st.markdown(sentences.judged(stated, "stated", evidence))
    if answer.replaced is None:
        st.caption("What is certified under replace-one comes here.")
        return waiting
    run, *others = answer.replaced
    numbers = {"stated": answer.stated}
    numbers["printed"] = None if answer.paper is None else answer.paper.claim.epsilon
    for kind, number in numbers.items():
        if number is not None:
            _judge(run, number, kind)
            st.markdown(f"**{sentences.judged(number, kind, run)}**")
            for judged in others:
                _judge(judged, number, kind)
                st.caption(f"{texts.OF_THE_LEMMA} {sentences.judged(number, kind, judged)}")
    return waiting
