"""ε spent over the year against the budget, and the tables of the account."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from dpcore.accounting.account import Statement
from dpcore.figures.canvas import LEGEND, add_scatter, canvas
from dpcore.figures.drawn import Drawn
from dpcore.figures.escape import literal
from dpcore.figures.style import BLUE, ORANGE, SKY, VERMILLION
from dpcore.questions.account.words import day, noise, remainder
from dpcore.words import at_most, listed, plain

if TYPE_CHECKING:
    import pandas as pd

HEIGHT = 240
HEADINGS = {"noise": "noise"}
"""Headings of `by_entry` that other tables have for something else: theirs is over weights."""


def spending(statement: Statement, *, dark: bool = False) -> Drawn:
    """ε spent after each day, and the budget as a line."""
    colour, limit = (SKY, ORANGE) if dark else (BLUE, VERMILLION)
    table, budget = statement.table, statement.account.budget
    guarantee = statement.guarantee
    first, last = table["day"].iloc[0], table["day"].iloc[-1]
    start, end = min(first, date(first.year, 1, 1)), max(last, date(last.year, 12, 31))
    days = [start, *table["day"], end]
    values = [0.0, *table["epsilon_spent"], float(table["epsilon_spent"].iloc[-1])]
    what = ["nothing yet", *map(literal, table["what"]), "the end of the year"]
    figure = canvas(HEIGHT, dark, legend=LEGEND)
    add_scatter(
        figure,
        x=[str(each) for each in days],
        y=values,
        mode="lines+markers",
        name="ε spent so far",
        line={"color": colour, "width": 2, "shape": "hv"},
        marker={"size": [0, *[6] * len(table), 0]},
        customdata=[[each, at_most(value)] for each, value in zip(what, values, strict=True)],
        hovertemplate=(
            f"%{{x}}: %{{customdata[0]}}<br>ε spent so far %{{customdata[1]}} at δ = "
            f"{plain(budget.delta)}<br>{guarantee.by} · {guarantee.adjacency}<extra></extra>"
        ),
    )
    add_scatter(
        figure,
        x=[str(start), str(end)],
        y=[budget.epsilon, budget.epsilon],
        mode="lines",
        name="budget",
        line={"color": limit, "width": 2, "dash": "dash"},
        hovertemplate=(
            f"budget ε = {plain(budget.epsilon)} at δ = {plain(budget.delta)}<br>"
            f"{guarantee.by} · {guarantee.adjacency}<extra></extra>"
        ),
    )
    figure.update_xaxes(title="day", type="date", automargin=True)
    top = 1.08 * max(*values, budget.epsilon)
    figure.update_yaxes(title="ε spent", range=[0.0, top], automargin=True)
    sentence = _sentence(statement)
    return Drawn(figure, sentence, f"ε spent against the day, as stairs. {sentence}")


def _sentence(statement: Statement) -> str:
    budget, table = statement.account.budget, statement.table
    breaks = int((~table["within"]).to_numpy().argmax())  # the first day where none breaks it
    after = [
        f"ε = {at_most(row['epsilon_spent'])} after {day(row['day'])}"
        for row in table.iloc[sorted({0, breaks, len(table) - 1})].to_dict("records")
    ]
    line = f"The line rises to {listed(after)}; the budget is {plain(budget.epsilon)} (dashed)."
    if statement.is_within:
        return f"{line} ε = {remainder(statement)} is left."
    return f"{line} From {day(statement.breaks_on or table['day'].iloc[-1])} on it is broken."


def calendar(statement: Statement) -> pd.DataFrame:
    """What happens on each day, and the ε that is spent and left after it."""
    return statement.table.rename(
        columns={
            "what": "what happens",
            "steps": "steps T",
            "epsilon_spent": "ε spent so far",
            "epsilon_left": "ε left",
            "within": "within the budget",
        }
    )


def by_entry(statement: Statement) -> pd.DataFrame:
    """Each entry with its noise and the ε that it costs by itself."""
    import pandas as pd

    rows = zip(statement.account.entries, statement.entries, statement.alone, strict=True)
    table = pd.DataFrame(
        {
            "what": shown.what,
            "how many": shown.count,
            "first day": shown.first,
            "every": "" if shown.count == 1 else shown.every,
            "noise": "" if shown.kind == "spent" else noise(shown, typed.share),
            "steps T": shown.steps,
            "ε by itself": alone.epsilon,
            "δ": alone.delta,
            "adjacency": str(alone.adjacency),
            "added up by": alone.by,
        }
        for typed, shown, alone in rows
    )
    return table.astype({"steps T": "Int64"})
