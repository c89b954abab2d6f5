"""Show one run: what it spends, or the setting that keeps the budget, and on demand all else.

Beside it, on demand, every accountant's ε of the run, and what paper 003 claims.
"""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from dpcore.accounting import epsilon_curve, paper_003, planner
from dpcore.accounting.accountants import coverage, refusal
from dpcore.accounting.events import TrainingPlan, steps_per_epoch
from dpcore.accounting.paper_003 import Evidence, Finding, TruncatedAnswer, evidence, matching
from dpcore.accounting.planner import Plan
from dpcore.accounting.risk import promise
from dpcore.accounting.risk_target import RiskTarget
from dpcore.controls.common import DELTAS
from dpcore.controls.plan import LOOKS, MAP, PAPER, SOLVE, SOLVED, VIEW
from dpcore.errors import InvalidInput
from dpcore.guarantee import SAME_FIGURE, Adjacency, PrivacyBudget, Status
from dpcore.questions.account.usual import of_run
from dpcore.questions.plan import accountants, figure, paper, told, words
from dpcore.questions.plan.limit import Limited, limited
from dpcore.questions.training.figure import noise
from dpcore.systems import standing, system_named
from dpcore.words import at_most, plain, spaced
from pages.plan import controls, entries
from pages.shared import badges, page_links, risk_panel
from pages.shared.badges import BadgeColour
from pages.shared.display import (
    NARROW,
    download,
    draw_numbers,
    on_dark,
    plot,
    show_command,
    show_opacus,
    show_python,
    table_behind,
)
from pages.shared.session import store, stored
from pages.shared.verbatim import refuse
from pages.shared.widgets import drawn, let_go_of_preset, set_held_preset
from pages.shared.work import Waiting, answer_to, is_stopped

MOMENT = 0.5  # seconds that the page waits: most answers take less
PLD = (
    "Adds up the whole privacy loss distribution of the steps, every rounding charged to δ. It is "
    "an upper bound that holds, and the tightest one here."
)
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


def show() -> Waiting:
    """Draw the question, its answer, and what is chosen to be seen; returns unfinished tasks."""
    set_held_preset("plan")
    try:
        waiting = _asked()
    except InvalidInput as refused:
        refuse(refused)
        waiting = []
    let_go_of_preset("plan")
    return waiting


def _asked() -> Waiting:
    with st.container(horizontal=True, vertical_alignment="top"):
        unknown = drawn(SOLVE, width="content")
        target = controls.target()
    start = controls.sidebar(unknown)
    answer, waiting = answer_to(
        "run",
        f"Solving for {SOLVED[unknown]}",
        (unknown, start, target),
        partial(limited, unknown, start, target),
        wait=MOMENT,
        quick=True,
    )
    if answer is None:
        if not is_stopped(waiting):
            st.caption("The answer comes here.")
        return waiting
    waiting = waiting + _answer(answer, start, target)
    plan, epsilon = answer.plan, answer.epsilon
    run = plan.training
    if run is None:
        return waiting
    looks = (
        partial(_show_accountants, plan, start, epsilon),
        partial(_schedule_and_map, run, epsilon),
        partial(_risk, plan, run),
        partial(_code, plan, start, target),
    )
    look = st.pills("Look closer", LOOKS, key=VIEW.key, bind="query-params")
    if look is not None:
        with st.container(key="open_look"):
            waiting += looks[LOOKS.index(look)]()
    script, link = page_links.link_to("Learn", lesson="3")
    st.page_link(
        script,
        label="How many people does it take? Lesson 3 shows what n costs at one ε",
        icon=":material/school:",
        query_params=link,
    )
    return waiting


def _answer(answer: Limited, start: TrainingPlan, target: float | RiskTarget) -> Waiting:
    plan, epsilon = answer.plan, answer.epsilon
    waiting = _sentence(plan, start, epsilon, target)
    run = plan.training
    if run is None:
        return waiting
    if isinstance(target, RiskTarget):
        st.caption(words.saved(plan, run.delta, answer.saves))
    if answer.choice is not None:
        st.caption(answer.choice.sentence)
    _numbers(plan, run)
    if plan.value is not None:
        waiting += _chart(plan, epsilon)
    st.caption(words.described(run))
    controls.note_budget(PrivacyBudget(epsilon, run.delta), run.adjacency, run.records)
    entry = of_run(planner.to_set(plan) or run)
    if entry is not None:
        entries.offer(entry, run.delta, run.adjacency, run.records)
    return waiting


def _sentence(
    plan: Plan, start: TrainingPlan, epsilon: float, target: float | RiskTarget
) -> Waiting:
    waiting: Waiting = []
    with st.container(horizontal=True, vertical_alignment="center"):
        sentence = words.spends(plan, start, epsilon, target)
        st.markdown(f"#### {sentence}", help=planner.precision(plan) or None, width="stretch")
        if plan.unknown != "epsilon":
            _button("Use this value", plan, start)
        elif plan.guarantee.epsilon is not None and plan.guarantee.epsilon > epsilon:
            fitting, waiting = answer_to(
                "fit",
                "Looking for the noise that fits",
                (start, epsilon),
                partial(planner.fit, start, epsilon, "pld"),
                wait=MOMENT,
                quick=True,
            )
            if fitting is not None:
                _button(f"Fit to ε = {plain(epsilon)}", fitting, start)
    run, done = stored("plan set") or (None, "")
    if run == start and plan.unknown == "epsilon":
        st.caption(done)
    return waiting


def _button(label: str, plan: Plan, start: TrainingPlan) -> None:
    usable = planner.to_set(plan)
    if usable is not None and usable.delta <= DELTAS[-1]:
        said = f"Set: {words.found(plan, start)}."
        st.button(label, icon=":material/check:", on_click=_use, args=(usable, said))


def _use(run: TrainingPlan, said: str) -> None:
    controls.set_to(run, **{SOLVE.key: "epsilon"})
    store("plan set", (run, said))


def _numbers(plan: Plan, run: TrainingPlan) -> None:
    guarantee, last = plan.guarantee, run.schedule().sigmas[-1]
    per_epoch = steps_per_epoch(run.records, run.batch)
    first = f"; first {plain(run.sigma)}" if run.decay < 1.0 else ""
    held = f"proved · δ = {plain(run.delta)} · {guarantee.adjacency}"
    draw_numbers(
        (
            (
                "ε by PLD",
                "none" if guarantee.epsilon is None else at_most(guarantee.epsilon, words.DIGITS),
                guarantee.reason if guarantee.epsilon is None else held,
                f"{PLD} {guarantee.statement}",
            ),
            (
                "Steps",
                spaced(run.steps),
                f"{plain(run.steps / per_epoch)} epochs of {spaced(per_epoch)}",
                "How many noisy steps the run takes.",
            ),
            (
                "Last noise σ",
                plain(last),
                f"multiplier σ/C = {plain(last / run.clip)}{first}",
                "Standard deviation of the noise on the sum at the last step, after all decays.",
            ),
        ),
        across=3,
        width=NARROW,
    )


def _chart(plan: Plan, epsilon: float) -> Waiting:
    table, waiting = answer_to(
        "setting curve",
        "Computing the chart",
        plan,
        partial(figure.setting_curve, plan),
        wait=MOMENT,
        quick=True,
    )
    if table is None:
        st.caption("The chart comes here.")
        return waiting
    setting, value = figure.drawn_over(plan)
    plot(figure.setting(table, setting, value, epsilon, dark=on_dark()), "setting_figure")
    renamed = table.rename(columns={"value": figure.AXES[setting], "epsilon": "ε spent"})
    table_behind(renamed, "setting", "ε spent for each value of the setting")
    return waiting


def _schedule_and_map(run: TrainingPlan, epsilon: float) -> Waiting:
    plot(noise(run.schedule(), run.clip, dark=on_dark()), "schedule_figure")
    axis = drawn(MAP, width="content")
    if reason := refusal(run.event(), run.adjacency, "rdp"):
        st.markdown(reason)
        return []
    table, waiting = answer_to(
        "map", "Computing the map", (run, axis), lambda _: epsilon_curve.epsilon_map(run, axis)
    )
    if table is None:
        st.caption("The map comes here.")
        return waiting
    drawn_map = figure.epsilon_map(
        table,
        axis,
        sigma=run.sigma,
        value=run.decay if axis == "decay" else run.rate,
        target=epsilon,
        basis=f"Rényi · {run.adjacency} · δ = {plain(run.delta)}",
        dark=on_dark(),
    )
    plot(drawn_map, "map_figure")
    st.caption(
        f"By Rényi accounting, {run.adjacency}, δ = {plain(run.delta)}, on a grid that rounds "
        "towards more ε. Steps stay as they are set. The target is the budget."
    )
    download(table, f"epsilon_over_sigma_and_{axis}", "ε of every setting on the map")
    return waiting


def _risk(plan: Plan, run: TrainingPlan) -> Waiting:
    guarantee = plan.guarantee
    return risk_panel.run_panels(
        promise("this training run", guarantee, guarantee, run.records),
        guarantee,
        None if guarantee.epsilon is None else run,
        str(run),
        "plan",
        is_final=True,
        subject="For this run",
        without="No bound: no accountant here gives a finite ε for this run.",
    )


def _code(plan: Plan, start: TrainingPlan, target: float | RiskTarget) -> Waiting:
    run, unknown = plan.training or start, plan.unknown
    commands, snippets = [told.command(run, "pld")], [told.snippet(run, "pld")]
    if unknown != "epsilon":
        commands.append(told.plan_command(start, unknown, target, "pld"))
        snippets.append(told.snippet(start, "pld", unknown, target))
    show_command(*commands)
    show_python(*snippets)
    show_opacus(run)
    return []


def _show_accountants(plan: Plan, start: TrainingPlan, epsilon: float) -> Waiting:
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
    waiting += _accountants_chart(run, is_compared)
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
        st.markdown(f"By Rényi: {said}", help=f"{RENYI} {answer.guarantee.statement}")
    return waiting


def _accountants_chart(run: TrainingPlan, is_compared: bool) -> Waiting:
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
                f"Its printed formula gives: {answer.claim.statement}",
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
        st.markdown(answer.proof.statement)
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
        lambda progress: paper_003.under_replace_one(run, claimed, progress),
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
