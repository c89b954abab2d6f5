"""Show every accountant's ε of the run side by side, and what paper 003 claims beside it."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from dpcore.accounting import claims, planner
from dpcore.accounting.accountants import coverage
from dpcore.accounting.claims import Evidence, Finding, evidence
from dpcore.accounting.paper_003 import TruncatedAnswer, matching
from dpcore.accounting.planner import Plan
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.controls.plan import PAPER
from dpcore.guarantee import SAME_FIGURE, Adjacency, Status
from dpcore.questions.plan import accountants, paper, words
from dpcore.systems import standing, system_named
from dpcore.words import plain
from pages.shared import badges
from pages.shared.charts import download, on_dark, plot, table_behind
from pages.shared.texts import BadgeColour
from pages.shared.widgets import drawn
from pages.shared.work import Waiting, answer_to

SYSTEM = "adaptive-tcdp"
"""Paper 003 in the register of systems, which holds the verdict."""
FINDINGS: dict[Finding, tuple[BadgeColour, str]] = {
    Finding.HOLDS: ("green", ":material/check_circle:"),
    Finding.FAILS: ("red", ":material/error:"),
    Finding.OPEN: ("orange", ":material/help:"),
}
SHORT_SAMPLINGS = {"poisson": ", Poisson samples", "fixed": ", fixed size", "none": ""}
FOUND = (
    "**Holds**: an accountant certifies that ε or less for exactly this noise. **Does not hold**: "
    "some data sets show more than that. **Not decided**: neither is known here. Each answer is "
    "for the neighbours and the batches named beside it. For others it may differ."
)
RENYI = (
    "It adds up Rényi divergences of the steps, an upper bound that holds. PLD adds up the same "
    "noise more tightly, so that the same ε buys more."
)
PRINTED = (
    "Equations (3) and (4) and Lemma 3 of paper 003, exactly as printed. It is a claim, not a "
    "guarantee. The badges say whether it holds under replace-one, of which its lemma speaks. One "
    "is for batches drawn as in this run. One is for batches of fixed size, as the lemma has them."
)
NOT_PROVED = (
    "A condition of this theorem is not met, or there is none. That does not make a number false."
)


def show(plan: Plan, start: TrainingPlan, epsilon: float) -> Waiting:
    """Draw a table and ε against steps by every accountant; the paper's claim where asked for."""
    run = plan.training or start
    table, waiting = answer_to(
        "every accountant",
        "Asking every accountant",
        run,
        partial(accountants.guarantees, run),
    )
    badges.guarantee("plan")
    if table is None:
        st.caption("The table comes here.")
    else:
        download(table, "accountants", "ε of the run by every accountant")
    waiting += _by_renyi(plan, start, epsilon)
    is_compared = drawn(PAPER)
    waiting += _chart(run, is_compared)
    if is_compared:
        waiting += _paper(run)
    st.markdown("**What each covers, for Gaussian noise**")
    st.dataframe(
        pd.DataFrame(coverage()),
        hide_index=True,
        alt="Which accountant covers which sampling and adjacency",
    )
    st.caption("What is not covered is refused: no number is shown for it.")
    return waiting


def _by_renyi(plan: Plan, start: TrainingPlan, epsilon: float) -> Waiting:
    """Say what Rényi accounting answers to the same question: it adds up less tightly."""
    answer, waiting = answer_to(
        "renyi",
        "Solving by Rényi",
        (plan.unknown, start, epsilon),
        partial(planner.solve, plan.unknown, start, epsilon, "rdp"),
        quick=True,
    )
    if answer is None:
        st.caption("The answer by Rényi comes here.")
    else:
        said = words.spends(answer, start, epsilon)
        st.markdown(f"By Rényi: {said}", help=f"{RENYI} {badges.statement(answer.guarantee)}")
    return waiting


def _chart(run: TrainingPlan, is_compared: bool) -> Waiting:
    kinds = accountants.covering(run, is_compared=is_compared)
    if not kinds:
        st.caption("No accountant here covers this run.")
        return []
    table, waiting = answer_to(
        "curve",
        "Accounting along the run",
        (run, is_compared),
        partial(accountants.along, run, kinds),
        quick=True,
    )
    if table is None:
        st.caption("The lines come here.")
        return waiting
    plot(accountants.spending(table, dark=on_dark()), "spending_figure")
    st.caption(
        "Each line is one way to add up what the steps spend. A certified line holds for the "
        "adjacency above; lower is tighter. The printed line, if shown, is paper 003's claim of "
        "replace-one."
    )
    table_behind(table, "epsilon_against_steps", "Every number behind the chart of ε against steps")
    return waiting


def _paper(run: TrainingPlan) -> Waiting:
    """Draw the claim and the proof of the run, and of the paper's settings in a table."""
    matched = matching(run)
    stated = None if matched is None else matched.stated
    sampled = run.rate < 1.0
    answer = paper.printed(run) if sampled else None
    claim, proof = st.columns(2, border=True)
    with claim:
        st.markdown("**Claim** (paper 003)")
        if stated is None:
            st.markdown("Stated in the paper: no number for these settings.")
        else:
            delta = plain(run.delta)
            st.markdown(f"Stated in the paper: ε = {plain(stated)}, δ = {delta}.")
        if answer is None:
            st.markdown("Without sampling the paper's formula has nothing to amplify.")
        else:
            st.markdown(
                f"Its printed formula gives: {badges.statement(answer.claim)}",
                help=PRINTED,
            )
        waiting = _verdicts(run, stated, None if answer is None else answer.claim.epsilon)
    with proof:
        _proof(answer)
    return waiting + _settings()


def _proof(answer: TruncatedAnswer | None) -> None:
    st.markdown("**Proof** (tCDP corrected, all conditions checked)")
    if answer is None:
        return
    if answer.proof.epsilon is not None:
        badges.status(str(Status.PROVED), answer.proof.reason)
        st.markdown(badges.statement(answer.proof))
        return
    st.badge(
        "not proved this way",
        icon=":material/rule:",
        color="orange",
        help=f"{NOT_PROVED} {answer.proof.reason}".strip(),
    )
    st.markdown(f"No number ({answer.proof.adjacency}, sensitivity 2C):")
    badges.checked([condition for condition in answer.conditions if not condition.met])


def _judge(judge: Evidence, claimed: float, label: str) -> None:
    """Show the finding on a claimed number; a badge is one line, so sampling is abbreviated."""
    finding, sampling = judge.finding(claimed), SHORT_SAMPLINGS[judge.sampling]
    colour, icon = FINDINGS[finding]
    st.badge(
        f"{label}{sampling}: {finding} · {judge.adjacency}",
        icon=icon,
        color=colour,
        help=FOUND,
    )


def _verdicts(run: TrainingPlan, stated: float | None, printed: float | None) -> Waiting:
    waiting: Waiting = []
    if stated is not None and run.adjacency is not Adjacency.REPLACE_ONE:
        judge, waiting = answer_to(
            "stated",
            "Judging the stated number",
            run,
            lambda progress: evidence(run, [stated], progress),
        )
        if judge is not None:
            _judge(judge, stated, "stated")
            st.markdown(words.judged(stated, "stated", judge))
    numbers = {"stated": stated, "printed": printed}
    claimed = [number for number in numbers.values() if number is not None]
    # The same noise under replace-one, the adjacency of the paper's claim.
    replaced, judging = answer_to(
        "replace-one",
        "Certifying under replace-one",
        run,
        lambda progress: claims.under_replace_one(run, claimed, progress),
    )
    if replaced is None:
        st.caption("What is certified under replace-one comes here.")
        return waiting + judging
    same, *others = replaced
    for kind, number in numbers.items():
        if number is not None:
            _judge(same, number, kind)
            st.markdown(f"**{words.judged(number, kind, same)}**")
            for judged in others:
                _judge(judged, number, kind)
                said = words.judged(number, kind, judged)
                st.caption(f"The paper's lemma speaks of batches of fixed size. {said}")
    return waiting + judging


def _settings() -> Waiting:
    certified, waiting = answer_to(
        "presets", "Certifying the paper's settings", "all", paper.certified
    )
    st.markdown(f"**{standing(system_named(SYSTEM)).verdict}**")
    st.markdown(
        "Each row holds three different things. The first is the ε that paper 003 **states** for "
        "an experiment. The second is what its **printed formula gives** for those settings. The "
        "third is what accountants **certify** for exactly that noise on Poisson samples. It is "
        "for one record blanked out (zero-out), and for one replaced, of which the paper's lemma "
        f"speaks. *Load a paper's experiment* in the controls loads a row. {SAME_FIGURE}"
    )
    st.markdown(
        "All of this is for noise on the **sum** of a batch, as the paper's equations count it. "
        "Its Algorithm 1 adds the same noise to the **mean**: there the last column is certified."
    )
    table = paper.settings(certified or {})
    download(table, "paper_003_settings", "Claims and certified ε of paper 003")
    return waiting
