"""ε of a run against one setting, with the budget as a line, and over two, as a heat map."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.accounting.events import MAX_STEPS, TrainingPlan, steps_per_epoch
from dpcore.accounting.planner import WHOLE, Plan, spent, spent_along
from dpcore.errors import InvalidInput
from dpcore.figures.canvas import add_curve, add_scatter, axis, canvas, each
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import BLUE, ORANGE, SKY, VERMILLION, Look
from dpcore.guarantee import Guarantee
from dpcore.progress import Progress, silent
from dpcore.questions.plan.words import DIGITS
from dpcore.words import at_most, plain, spaced

if TYPE_CHECKING:
    import pandas as pd

HEIGHT = 240
POINTS = 12
"""Values besides the answer."""
AXES = {
    "steps": "steps",
    "epochs": "epochs",
    "sigma": "first noise σ₀",
    "batch": "batch size (records)",
}
SENTENCES = {
    "steps": "More steps spend more ε",
    "epochs": "More epochs spend more ε",
    "sigma": "More noise spends less ε",
    "batch": "Larger batches spend more ε",
}


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
        room = MAX_STEPS // training.chosen_of // each
        most = min((2 if training.levels == 1 else 1) * round(answer), room)
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


def around_one(reach: float) -> list[float]:
    """Spread factors from 1/reach to reach, 1 in their middle."""
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
    return [answer * factor for factor in around_one(2.0)]


def _spent(training: TrainingPlan, unknown: str, value: float) -> Guarantee:
    is_batch = unknown == "batch"
    run = replace(training, batch=round(value)) if is_batch else replace(training, sigma=value)
    try:
        return spent(run, "pld")
    except InvalidInput as refusal:  # noise decayed beyond the limits of a schedule or a step
        return Guarantee(None, None, training.adjacency, "PLD", str(refusal))


def setting(
    table: pd.DataFrame, unknown: str, answer: float, budget: float, *, dark: bool = False
) -> Drawn:
    """ε against one setting; a diamond marks the run."""
    rows = table[table["epsilon"].map(math.isfinite)]
    low, high = float(table["value"].min()), float(table["value"].max())
    edge = 0.03 * (high - low) or 0.5
    top = 1.1 * max(budget, float(rows["epsilon"].max()) if len(rows) else 0.0)
    figure = canvas(
        HEIGHT,
        dark,
        showlegend=False,
        xaxis=axis(AXES[unknown], range=[low - edge, high + edge]),
        yaxis=axis("ε spent", range=[0.0, top]),
    )
    hover = [
        f"{AXES[unknown]}: {_shown(unknown, float(row['value']))}<br>"
        f"ε = {at_most(row['epsilon'], DIGITS)}<br>"
        f"δ = {plain(row['delta'])} · {row['adjacency']} · {row['accountant']}"
        for row in each(rows)
    ]
    look = Look(BLUE, SKY, "solid", "circle")
    add_curve(figure, rows["value"], rows["epsilon"], look, hover, size=6, dark=dark)
    colour = ORANGE if dark else VERMILLION
    figure.add_hline(
        y=budget,
        line={"color": colour, "dash": "dash", "width": 2},
        annotation={"text": f"budget ε = {at_most(budget, DIGITS)}"},
        annotation_position="top left" if unknown in WHOLE else "top right",
    )
    chosen = rows[rows["value"] == answer]
    add_scatter(
        figure,
        x=chosen["value"],
        y=chosen["epsilon"],
        mode="markers",
        marker={"symbol": "diamond", "size": 14, "color": colour},
        hoverinfo="skip",
    )
    sentence = f"{SENTENCES[unknown]}."
    if len(chosen):
        epsilon = float(chosen["epsilon"].iloc[0])
        side = "within" if epsilon <= budget else "above"
        sentence = (
            f"{SENTENCES[unknown]}: at the diamond ε = {at_most(epsilon, DIGITS)}, {side} the "
            f"budget of {at_most(budget, DIGITS)}."
        )
    ends = rows.iloc[[0, -1]] if len(rows) else rows
    span = " to ".join(at_most(float(epsilon)) for epsilon in ends["epsilon"])
    alt = (
        f"ε spent against {AXES[unknown]} from {_shown(unknown, low)} to {_shown(unknown, high)}: "
        f"{span or 'no finite ε'}. The answer is {_shown(unknown, answer)}. {sentence}"
    )
    return Drawn(figure, sentence, alt)


def _shown(unknown: str, value: float) -> str:
    return spaced(round(value)) if unknown in WHOLE else at_most(value, 4)


MAP_HEIGHT = 420
NAMES = {"decay": "decay R of the variance", "rate": "sampling rate q"}
FALLS = {"decay": "R nearer to 1", "rate": "smaller q"}
MAX_TICKS = 9


def epsilon_map(
    table: pd.DataFrame,
    over: str,
    *,
    sigma: float,
    value: float,
    target: float,
    basis: str,
    dark: bool = False,
) -> Drawn:
    """ε over first noise σ₀ (across) and another setting (upwards).

    Parameters
    ----------
    table : DataFrame
        From `dpcore.accounting.epsilon_curve.table`.
    over : str
        The other setting's column.
    sigma, value : float
        The run's own values.
    target : float
        ε whose contour is drawn.
    basis : str
        Accountant, adjacency and δ of every ε here.
    dark : bool
        Whether it is drawn on a dark ground.
    """
    wide = table.pivot(index=over, columns="sigma", values="epsilon").sort_index()
    sigmas, values = [float(cell) for cell in wide.columns], [float(cell) for cell in wide.index]
    logs = [[_log(cell) for cell in row] for row in wide.to_numpy().tolist()]
    hover = [[at_most(cell) for cell in row] for row in wide.to_numpy().tolist()]
    finite = [cell for row in logs for cell in row if cell is not None]
    low, high = (min(finite), max(finite)) if finite else (-1.0, 1.0)
    ticks = list(range(math.floor(low), math.ceil(high) + 1))
    figure = canvas(MAP_HEIGHT, dark, right=8, showlegend=False, dragmode=False)
    figure.add_heatmap(
        z=logs,
        customdata=hover,
        colorscale="Cividis",
        reversescale=True,
        zmin=low,
        zmax=high,
        colorbar={
            "title": {"text": "ε"},
            "tickvals": ticks,
            "ticktext": [plain(10.0**tick) for tick in ticks],
            "thickness": 14,
        },
        text=[[f"σ₀ = {plain(s)}, {over} = {plain(v, 4)}" for s in sigmas] for v in values],
        hovertemplate=f"%{{text}}<br>ε = %{{customdata}}, certified<br>{basis}<extra></extra>",
    )
    figure.add_contour(
        z=logs,
        contours={
            "start": math.log10(target),
            "end": math.log10(target),
            "size": 1,
            "coloring": "lines",
        },
        colorscale=[[0.0, "#D55E00"], [1.0, "#D55E00"]],
        line={"width": 3},
        showscale=False,
        hoverinfo="skip",
        name="target",
    )
    position = _nearest(sigmas, sigma), _nearest(values, value)
    add_scatter(
        figure,
        x=[position[0]],
        y=[position[1]],
        mode="markers",
        marker={
            "symbol": "x",
            "size": 14,
            "color": "#FFFFFF",
            "line": {"width": 2, "color": "#000000"},
        },
        hovertemplate="the run as it is set<extra></extra>",
        name="the run",
    )
    figure.update_xaxes(title="first noise σ₀", automargin=True, **_ticks(sigmas, 3))
    figure.update_yaxes(title=NAMES[over], automargin=True, **_ticks(values, 4))
    run_epsilon = float(wide.to_numpy()[position[1], position[0]])
    within = sum(cell <= target for cell in table["epsilon"])
    side = "within" if run_epsilon <= target else "above"
    target_text = (
        f"The target is kept on the right of the orange line ({within} of {len(table)} settings)"
        if 0 < within < len(table)
        else f"The target is kept {'everywhere' if within else 'nowhere'} on this map"
    )
    sentence = (
        f"The cross marks the run: ε = {at_most(run_epsilon)}, {side} the target {plain(target)}. "
        f"{target_text}; more noise or {FALLS[over]} lowers ε."
    )
    missing = sum(cell is None for row in logs for cell in row)
    if missing:
        sentence += f" {missing} settings are left blank: they have next to no noise."
    alt = (
        f"Heat map of ε over first noise {plain(sigmas[0])} to {plain(sigmas[-1])} and "
        f"{NAMES[over]} {plain(values[0], 4)} to {plain(values[-1], 4)}. It goes from "
        f"{plain(10.0**low)} to {plain(10.0**high)}, and is {at_most(run_epsilon)} at the run."
    )
    return Drawn(figure, sentence, alt)


def _log(epsilon_value: float) -> float | None:
    if not math.isfinite(epsilon_value):
        return None
    return math.log10(max(epsilon_value, 1e-6))


def _nearest(values: list[float], value: float) -> int:
    return min(range(len(values)), key=lambda place: abs(values[place] - value))


def _ticks(values: list[float], digits: int) -> dict[str, object]:
    """Cells of equal size, named by their values."""
    stride = -(-len(values) // MAX_TICKS)
    places = range(0, len(values), stride)
    return {
        "tickvals": list(places),
        "ticktext": [plain(values[place], digits) for place in places],
        "range": [-0.5, len(values) - 0.5],
        "fixedrange": True,
    }
