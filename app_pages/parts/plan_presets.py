"""Paper 003's settings: what each claims, and what is certified for it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app_pages.parts.background import Progress, Task, ask, missing
from app_pages.parts.drawing import download
from app_pages.parts.plan_answer import CERTIFIED, FAST, PATIENCE, spent
from dpcore.accounting import planner
from dpcore.accounting.paper_003 import account, verdict
from dpcore.accounting.presets import PRESETS, Preset
from dpcore.guarantee import Guarantee


def show() -> list[tuple[str, str, Task[object]]]:
    """The table; its certified column follows in the background."""
    task = ask("presets", "all", _certified)
    found = task.answer(PATIENCE)
    certified = found or {}
    table = pd.DataFrame([_row(each, certified.get(key)) for key, each in PRESETS.items()])
    st.markdown(
        "What paper 003 states for its experiments, what its printed formula gives for those "
        "settings, and what accountants certify for exactly that noise (Poisson samples, one "
        "record more or less). Claims and certified figures are different things: compare them "
        "along a row. *Start from* in the controls loads a row."
    )
    download(table, "paper_003_settings", "Claims and certified ε of paper 003's settings")
    return missing("presets", "Certifying the paper's settings", task, found)


def _certified(progress: Progress) -> dict[str, Guarantee]:
    found = {}
    for place, (key, each) in enumerate(PRESETS.items()):
        progress(place / len(PRESETS), each.title)
        found[key] = planner.spent(each.training, CERTIFIED)
    return found


def _row(found: Preset, certified: Guarantee | None) -> dict[str, object]:
    training = found.training
    answer = account(training.schedule(), training.rate, training.delta, training.clip)
    fast = spent(training, FAST)
    status, sentence = verdict(answer, certified or fast)
    return {
        "settings": found.title,
        "ε claimed": found.claimed,
        "ε by the printed formula": answer.claim.epsilon,
        "status of the printed ε": str(status),
        "ε certified, PLD": None if certified is None else certified.epsilon,
        "ε certified, Rényi": fast.epsilon,
        "δ": training.delta,
        "n": training.records,
        "q": training.rate,
        "σ₀": training.sigma,
        "C": training.clip,
        "R": training.decay,
        "steps": training.steps,
        "steps between decays": training.decay_every if training.decay < 1.0 else None,
        "why": sentence,
        "source": found.source,
    }
