"""Paper 003's settings: what each claims, and what is certified for it."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from dpcore.accounting.claims import Evidence, evidence
from dpcore.accounting.paper_003 import account
from dpcore.accounting.planner import TrainingPlan
from dpcore.accounting.presets import PRESETS, Preset
from dpcore.guarantee import SAME_FIGURE, Adjacency
from pages.plan.answer import PATIENCE
from pages.shared.background import Progress, Waiting, ask, missing
from pages.shared.charts import download


def show() -> Waiting:
    """The table; its certified columns follow in the background."""
    task = ask("presets", "all", _known)
    found = task.answer(PATIENCE)
    known = found or {}
    st.markdown(
        "Three different things in each row: the ε that paper 003 **states** for an experiment, "
        "what its **printed formula gives** for those settings, and what accountants **certify** "
        "for exactly that noise on Poisson samples, for one record blanked out (zero-out) and for "
        "one record replaced, of which the paper's lemma speaks. *Start from* in the controls "
        f"loads a row. {SAME_FIGURE}"
    )
    rows = [_row(each, known.get(key)) for key, each in PRESETS.items()]
    download(pd.DataFrame(rows), "paper_003_settings", "Claims and certified ε of paper 003")
    return missing("presets", "Certifying the paper's settings", task, found)


def _known(progress: Progress) -> dict[str, tuple[Evidence, Evidence]]:
    """Under zero-out and under replace-one."""
    found = {}
    for place, (key, each) in enumerate(PRESETS.items()):
        progress(place / len(PRESETS), each.title)
        judged = [number for number in (each.stated, _printed(each.training)) if number is not None]
        found[key] = (
            evidence(each.training, [] if each.stated is None else [each.stated]),
            evidence(replace(each.training, adjacency=Adjacency.REPLACE_ONE), judged),
        )
    return found


def _printed(training: TrainingPlan) -> float | None:
    return account(training.schedule(), training.rate, training.delta, training.clip).claim.epsilon


def _row(found: Preset, known: tuple[Evidence, Evidence] | None) -> dict[str, object]:
    training, printed = found.training, _printed(found.training)
    blanked, replaced = known or (None, None)

    def finding(number: float | None, by: Evidence | None) -> str | None:
        return None if number is None or by is None else str(by.finding(number))

    return {
        "settings": found.title,
        "ε stated": found.stated,
        "ε by the printed formula": printed,
        "ε certified, zero-out": None if blanked is None else blanked.certified.epsilon,
        "ε certified, replace-one": None if replaced is None else replaced.certified.epsilon,
        "stated, zero-out": finding(found.stated, blanked),
        "stated, replace-one": finding(found.stated, replaced),
        "formula, replace-one": finding(printed, replaced),
        "δ": training.delta,
        "n": training.records,
        "q": training.rate,
        "σ₀": training.sigma,
        "C": training.clip,
        "R": training.decay,
        "steps": training.steps,
        "steps between decays": training.decay_every if training.decay < 1.0 else None,
        "source": found.source,
    }
