"""What paper 003 claims for a run and for its own settings, beside what is certified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from dpcore.accounting import paper_003
from dpcore.accounting.events import TrainingPlan
from dpcore.accounting.paper_003 import PRESETS, Evidence, Preset, TruncatedAnswer, evidence
from dpcore.guarantee import Adjacency
from dpcore.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd


def printed(training: TrainingPlan) -> TruncatedAnswer:
    """What the printed formula gives for the run, and the proof where its conditions are met."""
    return paper_003.account(training.schedule(), training.rate, training.delta, training.clip)


def settings(known: Mapping[str, tuple[Evidence, Evidence]]) -> pd.DataFrame:
    """The paper's settings: stated, by its printed formula, and certified where `known`."""
    import pandas as pd

    return pd.DataFrame([_row(preset, known.get(key)) for key, preset in PRESETS.items()])


def certified(progress: Progress = silent) -> dict[str, tuple[Evidence, Evidence]]:
    """What is known of each of the paper's settings, under zero-out and replace-one."""
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
    return printed(training).claim.epsilon


def _row(preset: Preset, known: tuple[Evidence, Evidence] | None) -> dict[str, object]:
    training, by_formula = preset.training, _printed_epsilon(preset.training)
    zero_out, replace_one = known or (None, None)

    def finding(number: float | None, judge: Evidence | None) -> str | None:
        return None if number is None or judge is None else str(judge.finding(number))

    return {
        "settings": preset.title,
        "ε stated": preset.stated,
        "ε by the printed formula": by_formula,
        "ε certified, zero-out": None if zero_out is None else zero_out.certified.epsilon,
        "ε certified, replace-one": None if replace_one is None else replace_one.certified.epsilon,
        "stated, zero-out": finding(preset.stated, zero_out),
        "stated, replace-one": finding(preset.stated, replace_one),
        "formula, replace-one": finding(by_formula, replace_one),
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
