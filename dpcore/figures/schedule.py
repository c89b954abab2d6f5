"""σ_t against the step."""

from __future__ import annotations

from dpcore.accounting.schedules import Schedule
from dpcore.figures.canvas import add_scatter, canvas
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import PURPLE
from dpcore.words import plain, spaced

HEIGHT = 300
PURPLE_ON_DARK = "#E8A9CC"


def noise(schedule: Schedule, clip: float, *, dark: bool = False) -> Drawn:
    """σ_t against the step, as stairs."""
    steps, sigmas = [], []
    first = 1
    for sigma, count in zip(schedule.sigmas, schedule.counts, strict=True):
        steps += [first, first + count - 1]
        sigmas += [sigma, sigma]
        first += count
    figure = canvas(HEIGHT, dark, showlegend=False)
    add_scatter(
        figure,
        x=steps,
        y=sigmas,
        mode="lines",
        line={"color": PURPLE_ON_DARK if dark else PURPLE, "width": 2, "shape": "hv"},
        hovertext=[
            f"step {spaced(step)}: σ = {plain(sigma, 4)}<br>multiplier σ/C = "
            f"{plain(sigma / clip, 4)}"
            for step, sigma in zip(steps, sigmas, strict=True)
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    figure.update_xaxes(title="step", range=[0, schedule.steps * 1.02], automargin=True)
    figure.update_yaxes(
        title="σ (noise on the sum)", range=[0.0, 1.05 * max(sigmas)], automargin=True
    )
    start, end = sigmas[0], sigmas[-1]
    if start == end:
        sentence = f"The noise stays at σ = {plain(start)} for all {spaced(schedule.steps)} steps."
    else:
        sentence = (
            f"The noise falls from σ = {plain(start)} to {plain(end)} over "
            f"{spaced(schedule.steps)} steps. Late steps are less noisy, and spend more of the "
            "budget each."
        )
    return Drawn(figure, sentence, f"Noise against the step. {sentence}")
