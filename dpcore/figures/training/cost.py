"""What privacy costs, and how much of it clipping and noise take: two colours in one bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.figures.canvas import LEGEND, axis, canvas
from dpcore.figures.drawn import Drawn
from dpcore.figures.training.series import METRICS, SERIES, SHARES, changed, lost, shown
from dpcore.guarantee import Status

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.evaluation.comparison import Compared

HEIGHT = 190
LEAST = {True: 1.0, False: 0.01}  # least length of the axis, in points and as an AUC
ROOM = 1.15
PATTERNS = {"clipping": "", "noise": "/"}  # told apart without colour too
PARTS = {"clipping": SERIES["clipped"].look, "noise": SERIES["noisy"].look}


def parts(compared: Compared, column: str) -> dict[str, float]:
    """The change that clipping makes, and that noise makes on top of it; their sum is the total.

    Differences of the values as shown; in shares, or as an AUC.

    Parameters
    ----------
    compared : Compared
        With `clipped` and `reference`.
    column : str
        "accuracy_test" or "auc_test".
    """
    return {
        part: changed(value, before, column) for part, (value, before) in _pairs(compared).items()
    }


def in_words(compared: Compared, column: str) -> str:
    """Both parts, as "−4.1 clipping, −0.5 noise"; empty while they are not known apart."""
    return ", ".join(
        f"{lost(value, before, column).removesuffix(' points')} {part}"
        for part, (value, before) in _pairs(compared).items()
    )


def cost(compared: Compared | None, column: str, *, waits: str, dark: bool = False) -> Drawn:
    """What clipping and noise take of a metric, as the two parts of one bar.

    Parameters
    ----------
    compared : Compared or None
        ``None`` while nothing is measured.
    column : str
        "accuracy_test" or "auc_test".
    waits : str
        The sentence while the parts are not known.
    dark : bool
        Whether it is drawn on a dark ground.
    """
    is_share, name = column in SHARES, METRICS[column]
    title = "points lost" if is_share else f"{name} lost"
    figure = canvas(
        HEIGHT,
        barmode="relative",
        showlegend=True,
        legend=LEGEND | {"traceorder": "normal"},
        xaxis=axis(title, dark, zeroline=True, range=[0.0, 10.0 * LEAST[is_share]]),
        yaxis={"visible": False, "fixedrange": True},
    )
    pairs = {} if compared is None else _pairs(compared)
    if compared is None or compared.reference is None or not pairs:
        return Drawn(figure, waits, f"What privacy costs: {waits}")
    changes = parts(compared, column)
    lengths = {part: -change * (100.0 if is_share else 1.0) for part, change in changes.items()}
    for part, length in lengths.items():
        colour = PARTS[part].on(dark)
        text = f"{part} {lost(*pairs[part], column)}"
        figure.add_bar(
            x=[length],
            y=[0],
            orientation="h",
            name=part,
            width=0.6,
            marker={"color": colour, "pattern": {"shape": PATTERNS[part]}},
            hovertemplate=f"<b>{text}</b><extra></extra>",
        )
    above = sum(max(0.0, length) for length in lengths.values())
    below = sum(min(0.0, length) for length in lengths.values())
    least = LEAST[is_share]
    figure.update_xaxes(range=[ROOM * min(below, 0.0), ROOM * max(above, least)])
    total = lost(compared.alike, compared.reference, column)
    after = "" if compared.epoch is None else f", after epoch {compared.epoch:,}"
    sentence = (
        f"{total} against {shown(column)(compared.reference)} without privacy{after}: "
        f"{in_words(compared, column)}."
    )
    if max(changes.values()) > 0.0:
        sentence += " A gain may be chance."
    return Drawn(figure, sentence, f"What privacy costs in {name}: {sentence}")


def cost_table(compared: Compared, column: str, status: str) -> pd.DataFrame:
    """The trainings behind the bar: a row each, its mean, and its change from the row before.

    Parameters
    ----------
    compared : Compared
    column : str
    status : str
        Of the private training; the others are not private.
    """
    import pandas as pd

    rows: list[tuple[str, float | None, float | None, str]] = [
        ("No clipping, no noise", compared.reference, None, str(Status.NOT_PRIVATE))
    ]
    titles = {
        "clipping": ("Clipping, no noise", str(Status.NOT_PRIVATE)),
        "noise": ("Clipping and noise (your settings)", status),
    }
    changes = parts(compared, column)
    for part, (value, _) in _pairs(compared).items():
        title, status = titles[part]
        rows.append((title, value, changes[part], status))
    return pd.DataFrame(rows, columns=["training", column, "change as shown", "status"])


def _pairs(compared: Compared) -> dict[str, tuple[float, float]]:
    """For each part, the value with it and the value before it; empty while one is not there."""
    if compared.reference is None or compared.clipped is None:
        return {}
    return {
        "clipping": (compared.clipped, compared.reference),
        "noise": (compared.alike, compared.clipped),
    }
