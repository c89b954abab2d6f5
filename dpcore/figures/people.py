"""An icon array: a hundred people, and how many of them guess right at most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.accounting.risk import Odds
from dpcore.figures.canvas import add_scatter, canvas
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import BLUE, NEUTRAL, ORANGE, SKY, VERMILLION

if TYPE_CHECKING:
    import pandas as pd

ACROSS = 20
LUCK, RELEASE, WRONG = "right by chance alone", "right thanks to the release", "wrong"


def hundred(odds: Odds, *, dark: bool = False) -> Drawn:
    """One hundred dots in rows of twenty: right by chance, right thanks to the release, wrong."""
    groups = (
        (0, 50, LUCK, SKY if dark else BLUE, "circle"),
        (50, 50 + odds.by_release, RELEASE, ORANGE if dark else VERMILLION, "diamond"),
        (50 + odds.by_release, 100, WRONG, NEUTRAL, "circle-open"),
    )
    hidden = {"visible": False, "fixedrange": True}
    figure = canvas(
        170,
        dark,
        keeps_zoom=False,
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
        legend={"orientation": "h", "yanchor": "top", "y": -0.02, "x": 0, "font": {"size": 12}},
        dragmode=False,
        xaxis={"range": [-0.7, ACROSS - 0.3], **hidden},
        yaxis={"range": [-4.7, 0.7], **hidden},
    )
    for start, stop, words, colour, symbol in groups:
        people = range(start, stop)
        add_scatter(
            figure,
            x=[person % ACROSS for person in people],
            y=[-(person // ACROSS) for person in people],
            mode="markers",
            name=f"{stop - start} {words}",
            marker={"symbol": symbol, "size": 9, "color": colour},
            hovertemplate=f"{words}<extra></extra>",
        )
    return Drawn(
        figure,
        odds.sentence,
        f"One hundred people: 50 right by chance, {odds.by_release} more right thanks to the "
        f"release, {50 - odds.by_release} wrong.",
    )


def table(odds: Odds) -> pd.DataFrame:
    """The numbers behind `hundred`: columns guess, people and question."""
    import pandas as pd

    people = {LUCK: 50, RELEASE: odds.by_release, WRONG: 50 - odds.by_release}
    return pd.DataFrame(
        {"guess": list(people), "people": list(people.values()), "question": odds.question}
    )
