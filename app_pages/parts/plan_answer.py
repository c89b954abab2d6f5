"""Plan's answer: ε spent in big numbers, ε against steps, claim and proof side by side."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from app_pages.parts import badges, takeaway
from app_pages.parts import plan_words as words
from app_pages.parts.answer import HEAD_START
from app_pages.parts.background import Task, ask, missing
from app_pages.parts.drawing import download, on_dark, plot
from app_pages.parts.plan_controls import ADJACENCIES, Asked
from dpcore.accounting import accountants, growth, paper_003, planner
from dpcore.accounting.paper_003 import TruncatedAnswer
from dpcore.accounting.planner import Training
from dpcore.accounting.presets import matching
from dpcore.figures.plan.spending import spending
from dpcore.figures.words import plain
from dpcore.guarantee import Guarantee, Status

FAST, CERTIFIED = "rdp", "pld"
# Seconds that the page waits for a certified figure before it goes on without: most are there by
# then, and the numbers by Rényi accounting are on screen already.
PATIENCE = 0.05
POINTS, FEW_POINTS, MANY_LEVELS = 24, 6, 50


@dataclass(frozen=True)
class Answer:
    """All that is known of the run so far.

    Parameters
    ----------
    asked : Asked
    fast : Guarantee
        By Rényi accounting.
    certified : Guarantee or None
        By privacy loss distributions; ``None`` while it is on its way.
    paper : TruncatedAnswer or None
        Paper 003's own accounting; ``None`` without sampling.
    """

    asked: Asked
    fast: Guarantee
    certified: Guarantee | None
    paper: TruncatedAnswer | None

    @property
    def training(self) -> Training:
        """The run."""
        return self.asked.training

    @property
    def best(self) -> Guarantee:
        """The least ε certified so far."""
        found = [
            each
            for each in (self.certified, self.fast)
            if each is not None and each.epsilon is not None
        ]
        return min(found, key=lambda each: each.epsilon or 0.0) if found else self.fast


@st.cache_data(max_entries=200, show_spinner=False)
def spent(training: Training, accountant: str) -> Guarantee:
    """ε of the run by one accountant."""
    return planner.spent(training, accountant)


@st.cache_data(max_entries=100, show_spinner=False)
def curve(training: Training, kind: str) -> pd.DataFrame:
    """ε at checkpoints along the run."""
    return growth.growth(training, [kind], points=POINTS)


def covered(training: Training, accountant: str) -> bool:
    """Whether the accountant has a theorem for this run."""
    return not accountants.refusal(training.event(), training.adjacency, accountant)


def title(asked: Asked) -> None:
    """What is planned, in words."""
    training = asked.training
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title("What does this training run cost?", anchor=False)
        st.space("stretch")
        takeaway.link()
    found = matching(training)
    known = "" if found is None else f" These are settings of paper 003: {found.title}."
    st.caption(
        f"{training.steps:,} steps on batches of {training.batch:,} of {training.records:,} "
        f"records (q = {plain(training.rate)}), clipped to {plain(training.clip)}, noise "
        f"{training.schedule().name}.{known}"
    )


def numbers(asked: Asked) -> tuple[Answer, list[tuple[str, str, Task[object]]]]:
    """The line of big numbers; the answer behind it, and what is still being computed for it."""
    training = asked.training
    task = ask("certify", training, lambda progress: planner.spent(training, CERTIFIED, progress))
    fast = spent(training, FAST)
    paper = (
        paper_003.account(training.schedule(), training.rate, training.delta, training.clip)
        if training.rate < 1.0
        else None
    )
    grid = st.grid(5, min_column_width=150, gap="small")
    with grid.cell(), st.container(gap=None):
        _guaranteed("ε by Rényi", fast, words.RDP_NUMBER)
    with grid.cell(), st.container(gap=None):
        tightest = st.empty()
    with grid.cell(), st.container(gap=None):
        printed = st.container(gap=None)
    per_epoch = asked.per_epoch
    with grid.cell(), st.container(gap=None):
        st.metric("Steps", f"{training.steps:,}", help=words.STEPS_NUMBER)
        st.caption(f"{plain(training.steps / per_epoch)} epochs of {per_epoch:,}")
    with grid.cell(), st.container(gap=None):
        last = training.schedule().sigmas[-1]
        st.metric("Noise σ at the end", plain(last), help=words.LAST_SIGMA)
        st.caption(f"multiplier σ/C = {plain(last / training.clip)}; first {plain(training.sigma)}")
    certified = task.answer(PATIENCE)
    answer = Answer(asked, fast, certified, paper)
    with tightest.container(gap=None):
        if certified is None:
            st.metric("ε by PLD", "…", help=words.PLD_NUMBER)
            st.caption("stopped" if task.stopped else "being certified")
        else:
            _guaranteed("ε by PLD", certified, words.PLD_NUMBER)
    with printed:
        _printed(answer)
    words_said = "Certifying by privacy loss distribution"
    return answer, missing("certify", words_said, task, certified)


def _guaranteed(label: str, found: Guarantee, help_text: str) -> None:
    missing = found.epsilon is None
    st.metric(
        label,
        "none" if found.epsilon is None else plain(found.epsilon, 4),
        help=f"{help_text} {badges.statement(found)}",
    )
    if missing:
        st.caption(found.reason)
    else:
        st.caption(f"proved · δ = {plain(found.delta or 0.0)} · {found.adjacency}")


def _printed(answer: Answer) -> None:
    label = "ε as printed"
    if answer.paper is None:
        st.metric(label, "none", help=words.PRINTED_NUMBER)
        st.caption("without sampling it has no formula")
        return
    claim = answer.paper.claim
    st.metric(
        label,
        plain(claim.epsilon or 0.0, 4),
        help=f"{words.PRINTED_NUMBER} {badges.statement(claim)}",
    )
    status, sentence = paper_003.verdict(answer.paper, answer.best)
    badges.status(str(status), sentence)
    st.caption("paper 003's claim")


def chart(answer: Answer) -> list[tuple[str, str, Task[object]]]:
    """ε against steps by every accountant that covers the run; what is still on its way."""
    training = answer.training
    st.subheader(
        f"ε spent against steps · {ADJACENCIES[str(training.adjacency)].lower()} "
        f"({training.adjacency}), δ = {plain(training.delta)}",
        anchor=False,
        help=words.CHART,
    )
    time.sleep(HEAD_START)
    tasks: list[tuple[str, str, Task[object]]] = []
    parts = []
    slow = len(training.schedule().sigmas) > MANY_LEVELS
    for kind in growth.CURVES:
        if kind in (FAST, CERTIFIED) and not covered(training, kind):
            continue
        # Its lemma speaks of fixed-size batches, another question than the one on this chart.
        if kind == "tcdp" and not covered(training, "tcdp"):
            continue
        if kind == CERTIFIED or (kind == FAST and slow):
            task = ask(
                f"curve {kind}",
                (training, kind),
                lambda progress, kind=kind: growth.growth(
                    training,
                    [kind],
                    points=FEW_POINTS if slow else POINTS,
                    progress=progress,
                ),
            )
            table = task.answer(PATIENCE)
            said = f"Accounting along the run, {growth.TITLES[kind]}"
            tasks += missing(f"curve {kind}", said, task, table)
        else:
            table = curve(training, kind)
        if table is not None:
            parts.append(table)
    if not parts:
        st.caption("The lines come here.")
        return tasks
    table = pd.concat(parts, ignore_index=True)
    plot(spending(table, dark=on_dark()), "spending_figure")
    st.caption(words.PRINTED_ADJACENCY)
    keep_table(table)
    return tasks


def keep_table(table: pd.DataFrame) -> None:
    """The numbers behind the chart, and their CSV."""
    with st.popover("Numbers behind the chart", icon=":material/table:"):
        download(table, "epsilon_against_steps", "Every number behind the chart of ε against steps")


def claim_and_proof(answer: Answer) -> None:
    """What is claimed and what is proved, side by side; each unmet condition in one sentence."""
    paper = answer.paper
    claim, proof = st.columns(2, border=True)
    with claim:
        st.markdown("**Claim** (what paper 003 prints)")
        if paper is None:
            st.markdown("Without sampling the paper's formula has nothing to amplify.")
        else:
            status, sentence = paper_003.verdict(paper, answer.best)
            badges.status(str(status), sentence, name="tCDP as printed")
            st.markdown(badges.statement(paper.claim))
            st.markdown(sentence)
    with proof:
        st.markdown("**Proof** (what holds for exactly this noise)")
        for found in (answer.certified, answer.fast):
            if found is None:
                st.caption("PLD: being certified.")
                continue
            met = found.epsilon is not None
            badges.status(str(Status.PROVED if met else Status.CONDITIONS_NOT_MET), name=found.by)
            st.markdown(badges.statement(found))
        if paper is not None:
            met = paper.proof.epsilon is not None
            badges.status(
                str(Status.PROVED if met else Status.CONDITIONS_NOT_MET),
                paper.proof.reason,
                name="tCDP corrected",
            )
            if met:
                st.markdown(badges.statement(paper.proof))
            else:
                st.markdown(f"No number ({paper.proof.adjacency}, sensitivity 2C):")
                badges.checked([each for each in paper.conditions if not each.met])
