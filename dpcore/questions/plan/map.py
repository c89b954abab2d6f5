"""ε over two settings, as a heat map, with the run's place and the target's contour."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpcore.figures.canvas import add_scatter, canvas
from dpcore.figures.drawn import Drawn
from dpcore.words import at_most, plain

if TYPE_CHECKING:
    import pandas as pd

HEIGHT = 420
NAMES = {"decay": "decay R of the variance", "rate": "sampling rate q"}
FALLS = {"decay": "R nearer to 1", "rate": "smaller q"}
MAX_TICKS = 9


def epsilon(
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
    figure = canvas(HEIGHT, dark, right=8, showlegend=False, dragmode=False)
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
