"""Show the claim and the certified ε of each of paper 003's settings."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from dpcore.accounting.claims import Evidence, evidence
from dpcore.accounting.paper_003 import account
from dpcore.accounting.presets import PRESETS, Preset
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.guarantee import SAME_FIGURE, Adjacency
from dpcore.progress import Progress
from dpcore.systems import standing, system_named
from pages.shared.background import Waiting, answer_to
from pages.shared.charts import download

SYSTEM = "adaptive-tcdp"
"""Paper 003 in the register of systems, which holds the verdict."""


def show() -> Waiting:
    """Draw the table; its certified columns are computed in the background."""
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
    return account(training.schedule(), training.rate, training.delta, training.clip).claim.epsilon


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
