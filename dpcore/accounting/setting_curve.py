"""ε against one setting of a run, and the noise of releases against ε, each as one tidy table."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.accounting.answers import ladder
from dpcore.accounting.planner import Plan, spent, spent_along
from dpcore.accounting.schedules import MAX_STEPS
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch
from dpcore.errors import InvalidInput
from dpcore.guarantee import Guarantee
from dpcore.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd

POINTS = 12
"""Values besides the answer."""
MAX_EPSILON = 1000.0


def drawn_over(plan: Plan) -> tuple[str, float]:
    """The setting that ε is drawn against, and its value: the steps, where none was found."""
    training = plan.training
    if plan.value is None or training is None:
        raise ValueError("there is no answer to draw a curve around")
    if plan.unknown in ("epsilon", "delta"):
        return "steps", float(training.steps)
    return plan.unknown, plan.value


def setting_curve(plan: Plan, progress: Progress = silent) -> pd.DataFrame:
    """ε by PLD for values of the setting up to twice the answer; of noise that decays, up to it."""
    import pandas as pd

    unknown, answer = drawn_over(plan)
    training = plan.training
    assert training is not None
    if unknown in ("steps", "epochs"):
        each = steps_per_epoch(training.records, training.batch) if unknown == "epochs" else 1
        most = min((2 if training.levels == 1 else 1) * round(answer), MAX_STEPS // each)
        values = _whole(1, most, round(answer))
        marks = [each * round(value) for value in values]
        guarantees = spent_along(
            replace(training, steps=marks[-1]),
            marks,
            lambda share: progress(share, "composing the steps"),
        )
    else:
        values, guarantees = _values(unknown, training, answer), []
        for place, value in enumerate(values):
            progress(place / len(values), f"setting {place + 1} of {len(values)}")
            guarantees.append(_spent(training, unknown, value))
    rows = [
        (value, guarantee.bound, training.delta, str(guarantee.adjacency), guarantee.by)
        for value, guarantee in zip(values, guarantees, strict=True)
    ]
    return pd.DataFrame(rows, columns=["value", "epsilon", "delta", "adjacency", "accountant"])


def ladder_curve(epsilon: float, delta: float, sensitivity: float, releases: int) -> pd.DataFrame:
    """The noise of every mechanism for all releases together, from ε/4 to 4 ε.

    As many Gaussian releases spend together what one spends that a person moves by √releases Δ.
    """
    import pandas as pd

    rows = [
        {
            "mechanism": row["mechanism"],
            "epsilon": each,
            "sigma": row["claim"]["sigma"],
            "status": "proved" if row["sigma"] is not None else "conditions not met",
            "reason": " ".join(
                condition["why"] for condition in row["conditions"] if not condition["met"]
            ),
            "delta": delta,
            "certified_epsilon": row["certified_epsilon"],
            "by": row["theorem"],
        }
        for each in (epsilon * factor for factor in _factors(4.0))
        if each <= max(epsilon, MAX_EPSILON)
        for row in ladder(each, delta, math.sqrt(releases) * sensitivity)
    ]
    return pd.DataFrame(rows)


def _factors(reach: float) -> list[float]:
    """1 in the middle of a spread from 1/reach to reach."""
    spread = np.geomspace(1.0 / reach, reach, POINTS + 1)
    return sorted({*(float(factor) for factor in spread if abs(factor - 1.0) > 1e-9), 1.0})


def _whole(low: int, high: int, answer: int) -> list[float]:
    """Whole numbers evenly spread from `low` to `high`, the answer among them."""
    spread = np.linspace(low, max(low, high), POINTS)
    return sorted({float(round(value)) for value in spread} | {float(answer)})


def _values(unknown: str, training: TrainingPlan, answer: float) -> list[float]:
    if unknown == "batch":
        size = round(answer)
        return _whole(max(1, size // 2), min(2 * size, training.records), size)
    return [answer * factor for factor in _factors(2.0)]


def _spent(training: TrainingPlan, unknown: str, value: float) -> Guarantee:
    is_batch = unknown == "batch"
    run = replace(training, batch=round(value)) if is_batch else replace(training, sigma=value)
    try:
        return spent(run, "pld")
    except InvalidInput as refusal:  # noise decayed beyond the limits of a schedule or a step
        return Guarantee(None, None, training.adjacency, "PLD", str(refusal))
