"""Plan's answer: ε spent, ε against steps, the same asked backwards, and the settings as code."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app_pages.parts import explanations as words
from app_pages.parts.answer import on_dark, plot
from app_pages.parts.badges import checked, statement
from app_pages.parts.plan_controls import Asked
from dpcore.accounting import accountants, growth, paper_003, planner
from dpcore.accounting.planner import Plan, Training
from dpcore.figures import plan as figures
from dpcore.figures.words import plain
from dpcore.guarantee import Guarantee

FAST, CERTIFIED = "rdp", "pld"
POINTS, FEW_POINTS, MANY_LEVELS = 24, 6, 50
SOLVED = ("steps", "sigma", "batch")


@st.cache_data(max_entries=200, show_spinner=False)
def spent(training: Training, accountant: str) -> Guarantee:
    """ε of the run by one accountant."""
    return planner.spent(training, accountant)


@st.cache_data(max_entries=100, show_spinner=False)
def curve(training: Training, kind: str) -> pd.DataFrame:
    """ε at checkpoints along the run: fewer where each takes long."""
    slow = kind == CERTIFIED and len(training.schedule().sigmas) > MANY_LEVELS
    return growth.growth(training, [kind], points=FEW_POINTS if slow else POINTS)


@st.cache_data(max_entries=200, show_spinner=False)
def solved(unknown: str, training: Training, target: float, accountant: str) -> Plan:
    """One setting for a target ε."""
    return planner.solve(unknown, training, target, accountant)


def show(asked: Asked) -> None:
    """Everything on the page."""
    training = asked.training
    st.title("What does this training run cost?", anchor=False)
    st.caption(
        f"{training.steps:,} steps on batches of {training.batch:,} of {training.records:,} "
        f"records (q = {plain(training.rate)}), clipped to {plain(training.clip)}, noise "
        f"{training.schedule().name}."
    )
    best = "pld" if spent(training, "pld").epsilon is not None else "rdp"
    _numbers(training, best)
    with st.container(border=True):
        st.subheader("ε spent against steps", anchor=False)
        kinds = [best, *(kind for kind in growth.CURVES if kind != best)]
        if training.sampling == "poisson":
            # tCDP's amplification speaks of fixed-size batches under replace-one, another question.
            kinds = [kind for kind in kinds if kind != "tcdp"]
        with st.spinner("Accounting along the run"):
            table = pd.concat([curve(training, kind) for kind in kinds], ignore_index=True)
        plot(figures.spending(table, dark=on_dark()), "spending_figure")
        st.caption(words.PRINTED_ADJACENCY)
    _backwards(asked)
    first, second, third, fourth = st.tabs(
        ["Noise schedule", "Claim and proof", "Accountants", "Take along"]
    )
    with first:
        schedule = training.schedule()
        ends = []
        step = 1
        for sigma, count in zip(schedule.sigmas, schedule.counts, strict=True):
            ends += [(step, sigma), (step + count - 1, sigma)]
            step += count
        plot(
            figures.schedule(pd.DataFrame(ends, columns=["step", "sigma"]), dark=on_dark()),
            "schedule_figure",
        )
    with second:
        _claims(training)
    with third:
        st.dataframe(
            pd.DataFrame(accountants.coverage()),
            hide_index=True,
            alt="Which accountant covers which sampling and adjacency",
        )
        st.caption("What is not covered is refused: no number is shown for it.")
    with fourth:
        _take_along(asked, table, best)


def _numbers(training: Training, best: str) -> None:
    grid = st.grid(4, min_column_width=150, gap="small")
    for key in dict.fromkeys((best, FAST)):
        found = spent(training, key)
        with grid.cell(), st.container(gap=None):
            st.metric(
                f"ε, {accountants.ACCOUNTANTS[key].title}",
                "none" if found.epsilon is None else plain(found.epsilon, 4),
                help=statement(found),
            )
            st.caption(f"certified · δ = {plain(training.delta)} · {training.adjacency}")
    if training.rate < 1.0:
        claim = paper_003.account(
            training.schedule(), training.rate, training.delta, training.clip
        ).claim
        with grid.cell(), st.container(gap=None):
            st.metric("ε as paper 003 prints it", plain(claim.epsilon, 4), help=statement(claim))
            st.caption("claim · replace-one")
    with grid.cell(), st.container(gap=None):
        last = min(training.schedule().sigmas)
        st.metric("Noise at the last step", plain(last), help=words.PLAN_SIGMA)
        st.caption(f"multiplier σ/C = {plain(last / training.clip)}")


def _backwards(asked: Asked) -> None:
    st.subheader(f"With ε = {plain(asked.target)} to spend", anchor=False)
    best = CERTIFIED if asked.training.sampling == "poisson" else FAST
    for unknown in SOLVED:
        quick = solved(unknown, asked.training, asked.target, FAST)
        st.markdown(f"- {quick.sentence}")
    if best == CERTIFIED and st.toggle("Certify these by PLD", key="certify", help=words.CERTIFY):
        with st.spinner("Solving again with the tightest accountant"):
            answers = [solved(u, asked.training, asked.target, CERTIFIED) for u in SOLVED]
        for answer in answers:
            st.markdown(f"- {answer.sentence}")


def _claims(training: Training) -> None:
    if training.rate >= 1.0:
        st.markdown("Without sampling there is nothing to amplify: see the accountants.")
        return
    answer = paper_003.account(training.schedule(), training.rate, training.delta, training.clip)
    claim, proof = st.columns(2)
    with claim:
        st.markdown("**Claim** (what paper 003 prints)")
        st.markdown(statement(answer.claim))
    with proof:
        st.markdown("**Proof** (what its lemmas prove)")
        st.markdown(statement(answer.proof))
    checked(answer.conditions)


def _take_along(asked: Asked, table: pd.DataFrame, best: str) -> None:
    training = asked.training
    st.dataframe(table, hide_index=True, height=280, alt="Every number behind the figure")
    st.download_button(
        "Download CSV",
        table.to_csv(index=False).encode(),
        file_name="epsilon_against_steps.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )
    st.markdown("**Python**")
    st.code(
        "from dpcore.accounting.planner import Training, spent\n"
        "from dpcore.guarantee import Adjacency\n\n"
        f"run = {training!r}\n".replace(
            repr(training.adjacency), f"Adjacency('{training.adjacency}')"
        )
        + f"print(spent(run, {best!r}))\n",
        language="python",
        wrap_lines=True,
    )
