"""Show what paper 003 claims for the run and for its own settings, beside what is certified."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from dpcore.accounting import claims, paper_003
from dpcore.accounting.claims import Evidence, Finding, evidence
from dpcore.accounting.paper_003 import TruncatedAnswer
from dpcore.accounting.presets import PRESETS, Preset, matching
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.guarantee import SAME_FIGURE, Adjacency, Status
from dpcore.progress import Progress
from dpcore.questions.plan import words
from dpcore.systems import standing, system_named
from dpcore.words import plain
from pages.plan import texts
from pages.shared import badges
from pages.shared.charts import download
from pages.shared.texts import BadgeColour
from pages.shared.work import Waiting, answer_to

SYSTEM = "adaptive-tcdp"
"""Paper 003 in the register of systems, which holds the verdict."""
FINDINGS: dict[Finding, tuple[BadgeColour, str]] = {
    Finding.HOLDS: ("green", ":material/check_circle:"),
    Finding.FAILS: ("red", ":material/error:"),
    Finding.OPEN: ("orange", ":material/help:"),
}
SHORT_SAMPLINGS = {"poisson": ", Poisson samples", "fixed": ", fixed size", "none": ""}


def show(training: TrainingPlan) -> Waiting:
    """Draw the claim and the proof of the run, and of the paper's settings in a table."""
    matched = matching(training)
    stated = None if matched is None else matched.stated
    sampled = training.rate < 1.0
    paper = _printed(training) if sampled else None
    claim, proof = st.columns(2, border=True)
    with claim:
        st.markdown("**Claim** (paper 003)")
        if stated is None:
            st.markdown("Stated in the paper: no number for these settings.")
        else:
            delta = plain(training.delta)
            st.markdown(f"Stated in the paper: ε = {plain(stated)}, δ = {delta}.")
        if paper is None:
            st.markdown("Without sampling the paper's formula has nothing to amplify.")
        else:
            st.markdown(
                f"Its printed formula gives: {badges.statement(paper.claim)}",
                help=texts.PRINTED_NUMBER,
            )
        waiting = _verdicts(training, stated, None if paper is None else paper.claim.epsilon)
    with proof:
        _proof(paper)
    return waiting + _settings()


def _printed(training: TrainingPlan) -> TruncatedAnswer:
    return paper_003.account(training.schedule(), training.rate, training.delta, training.clip)


def _proof(paper: TruncatedAnswer | None) -> None:
    st.markdown("**Proof** (tCDP corrected, all conditions checked)")
    if paper is None:
        return
    if paper.proof.epsilon is not None:
        badges.status(str(Status.PROVED), paper.proof.reason)
        st.markdown(badges.statement(paper.proof))
        return
    st.badge(
        "not proved this way",
        icon=":material/rule:",
        color="orange",
        help=f"{texts.NOT_PROVED} {paper.proof.reason}".strip(),
    )
    st.markdown(f"No number ({paper.proof.adjacency}, sensitivity 2C):")
    badges.checked([condition for condition in paper.conditions if not condition.met])


def _judge(judge: Evidence, claimed: float, label: str) -> None:
    """Show the finding on a claimed number; a badge is one line, so sampling is abbreviated."""
    finding, sampling = judge.finding(claimed), SHORT_SAMPLINGS[judge.sampling]
    colour, icon = FINDINGS[finding]
    st.badge(
        f"{label}{sampling}: {finding} · {judge.adjacency}",
        icon=icon,
        color=colour,
        help=texts.FINDINGS,
    )


def _verdicts(training: TrainingPlan, stated: float | None, printed: float | None) -> Waiting:
    waiting: Waiting = []
    if stated is not None and training.adjacency is not Adjacency.REPLACE_ONE:
        judge, waiting = answer_to(
            "stated",
            "Judging the stated number",
            training,
            lambda progress: evidence(training, [stated], progress),
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
        training,
        lambda progress: claims.under_replace_one(training, claimed, progress),
    )
    if replaced is None:
        st.caption("What is certified under replace-one comes here.")
        return waiting + judging
    run, *others = replaced
    for kind, number in numbers.items():
        if number is not None:
            _judge(run, number, kind)
            st.markdown(f"**{words.judged(number, kind, run)}**")
            for judged in others:
                _judge(judged, number, kind)
                st.caption(f"{texts.OF_THE_LEMMA} {words.judged(number, kind, judged)}")
    return waiting + judging


def _settings() -> Waiting:
    certified, waiting = answer_to("presets", "Certifying the paper's settings", "all", _certify)
    by_key = certified or {}
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
    rows = [_row(preset, by_key.get(key)) for key, preset in PRESETS.items()]
    download(pd.DataFrame(rows), "paper_003_settings", "Claims and certified ε of paper 003")
    return waiting


def _certify(progress: Progress) -> dict[str, tuple[Evidence, Evidence]]:
    evidence_by_key = {}
    for position, (key, preset) in enumerate(PRESETS.items()):
        progress(position / len(PRESETS), preset.title)
        claimed = [
            number
            for number in (preset.stated, _printed_epsilon(preset.training))
            if number is not None
        ]
        evidence_by_key[key] = (
            evidence(preset.training, [] if preset.stated is None else [preset.stated]),
            evidence(replace(preset.training, adjacency=Adjacency.REPLACE_ONE), claimed),
        )
    return evidence_by_key


def _printed_epsilon(training: TrainingPlan) -> float | None:
    return _printed(training).claim.epsilon


def _row(preset: Preset, certified: tuple[Evidence, Evidence] | None) -> dict[str, object]:
    training, printed = preset.training, _printed_epsilon(preset.training)
    zero_out, replace_one = certified or (None, None)

    def finding(number: float | None, judge: Evidence | None) -> str | None:
        return None if number is None or judge is None else str(judge.finding(number))

    return {
        "settings": preset.title,
        "ε stated": preset.stated,
        "ε by the printed formula": printed,
        "ε certified, zero-out": None if zero_out is None else zero_out.certified.epsilon,
        "ε certified, replace-one": None if replace_one is None else replace_one.certified.epsilon,
        "stated, zero-out": finding(preset.stated, zero_out),
        "stated, replace-one": finding(preset.stated, replace_one),
        "formula, replace-one": finding(printed, replace_one),
        "δ": training.delta,
        "records n": training.records,
        "sampling rate q": training.rate,
        "first noise σ₀": training.sigma,
        "clipping norm C": training.clip,
        "decay R of the variance": training.decay,
        "steps": training.steps,
        "steps between decays": training.decay_every if training.decay < 1.0 else None,
        "source": preset.source,
        "ε certified, noise on the mean, fixed size, replace-one": preset.certified
        and preset.certified.on_mean,
    }
