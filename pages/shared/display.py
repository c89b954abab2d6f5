"""Show figures, tables, big numbers, code to copy, conclusions and pictures that move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from mimetypes import guess_type
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.accounting.events import TrainingPlan
from dpcore.evaluation.marks import marked
from dpcore.figures.drawn import Drawn
from dpcore.figures.headings import heading
from dpcore.figures.picture import Picture
from dpcore.guarantee import SAME_FIGURE
from dpcore.questions.plan.told import opacus
from dpcore.spreadsheet import csv
from dpcore.words import lowered, plain, raised, spaced
from pages.shared.session import control_text, control_value
from pages.shared.verbatim import show_on_paper, unbroken, verbatim

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from dpcore.reproduction.report import Conclusion

PICTURE, PICTURES = "picture_format", ("png", "svg")
"""Key of the control that says as what a chart is saved, and the kinds of file."""
NO_HEADINGS: Mapping[str, str] = MappingProxyType({})
# A longer table scrolls, and paper has the rows in view.
MAX_ROWS = 8
Rounding = tuple[Callable[[float, int], float], int]
"""Which way a number is rounded, and to how many significant digits."""
PROMISES: Mapping[str, Rounding] = {
    **dict.fromkeys(("certified_epsilon", "ε spent so far", "ε by itself"), (raised, 4)),
    "ε left": (lowered, 4),
}
Number = tuple[str, str | int, str | Callable[[], None], str]
"""Label, value, plain text below it (or what draws it; "" for nothing), its meaning on hover."""


WIDEST_LABEL = 150  # pixels of "Claim not supported" and its definition
NARROW = 100  # three side by side on a phone
OPACUS = (
    "Opacus counts noise in multiples of C and its decay in σ: γ = √R. Its own figure is by Rényi "
    "accounting, one record more or less. It is an upper bound like the one above. "
    f"{SAME_FIGURE}"
)
NO_OPACUS = (
    "Opacus has no accountant for batches of fixed size: it draws Poisson samples, or accounts as "
    "if it did. There is no equivalent call."
)
ASSETS = Path(__file__).parents[2] / "assets"
MOST_MOVES = 1_000_000_000
"""More than a browser counts of one page's moves."""
_draw_picture = st.components.v2.component(
    "picture",
    js=(ASSETS / "picture.js").read_text("utf-8"),
    css=(ASSETS / "picture.css").read_text("utf-8"),
)


def plot(drawn: Drawn, key: str) -> None:
    """Show a figure with its alternative text, and its sentence below."""
    kind = control_text(PICTURE) or PICTURES[0]
    st.plotly_chart(
        drawn.written,
        key=key,
        theme=None,  # a figure carries its own
        alt=drawn.alt,
        # One button, which assets/page.css places; a double click resets the view.
        config={
            "displaylogo": False,
            "modeBarButtons": [["toImage"]],
            "toImageButtonOptions": {"format": kind, "filename": key, "scale": 2},
        },
    )
    st.markdown(verbatim(drawn.sentence), help=verbatim(drawn.detail) or None)


def download(
    table: pd.DataFrame, name: str, alt: str, headings: Mapping[str, str] = NO_HEADINGS
) -> None:
    """Show a table, and a button for its CSV."""
    show_table(table, name, alt, headings)
    download_csv(table, name)


def show_table(
    table: pd.DataFrame, name: str, alt: str, headings: Mapping[str, str] = NO_HEADINGS
) -> None:
    """Show a table with headings in words."""
    is_whole = len(table) <= MAX_ROWS
    st.dataframe(
        to_the_safe_side(table, PROMISES),
        hide_index=True,
        height="auto" if is_whole else 320,
        column_config={each: heading(str(each)) for each in table.columns} | dict(headings),
        alt=alt,
        placeholder="–",
    )
    if not is_whole:
        show_on_paper(f"{MAX_ROWS} of {spaced(len(table))} rows; the CSV has them all.")


def to_the_safe_side(table: pd.DataFrame, ways: Mapping[str, Rounding]) -> pd.DataFrame:
    """Round columns one way: Streamlit shows the nearest, and an ε may then read too small."""
    from pandas import to_numeric

    return table.assign(
        **{
            name: [way(each, digits) for each in to_numeric(table[name])]
            for name, (way, digits) in ways.items()
            if name in table
        }
    )


def download_csv(table: pd.DataFrame, name: str) -> None:
    """Show a button for a table's CSV, with measures marked as not private."""
    draw_file("Download CSV", lambda: csv(marked(table)).encode(), f"{name}.csv", key=f"csv {name}")


def draw_file(label: str, make: Callable[[], bytes | str], name: str, **more: Any) -> None:
    """Show a button for a file; `more` is given to Streamlit's button.

    The file is made when it is asked for. One made beforehand goes when the page is drawn anew,
    and the browser, which still asks for it, logs an error.
    """
    usual = {"icon": ":material/download:", "on_click": "ignore", "mime": guess_type(name)[0]}
    st.download_button(label, make, file_name=name, **usual | more)


def table_behind(
    table: pd.DataFrame,
    name: str,
    alt: str,
    code: Callable[[], tuple[str, str]] | None = None,
    at: float | None = None,
) -> None:
    """Show a small button that opens the table behind a figure, with its CSV.

    `name` is the file's, and unique on the page; `code` returns the command line and the Python
    that compute the table again, the latter maybe "". With `at` the rows at this ε alone are shown.
    """
    place = st.popover(
        "Table, CSV and code" if code else "Table and CSV",
        icon=":material/table:",
        type="tertiary",
        on_change="rerun",
        key=f"table {name}",
    )
    if place.open:
        with place:
            show_table(table if at is None else table[table["epsilon"] == at], name, alt)
            if at is not None:
                st.caption(f"The rows at ε = {plain(at)}. The CSV has every ε.")
            download_csv(table, name)
            if code:
                command, snippet = code()
                show_command(command)
                if snippet:
                    show_python(snippet)


def on_dark() -> bool:
    """Say whether the page has a dark background."""
    return bool(st.context.theme.type == "dark")


def draw_numbers(numbers: Iterable[Number], across: int, width: int = WIDEST_LABEL) -> None:
    """Draw numbers side by side, at most so many in a row, each at least so many pixels wide."""
    grid = st.grid(across, min_column_width=width, gap="small")
    for label, value, note, meaning in numbers:
        if callable(note):
            with grid.cell():
                st.metric(label, value, help=meaning)
                note()
        else:
            grid.metric(
                label, value, help=meaning, delta_description=unbroken(verbatim(note)) or None
            )


def show_command(*commands: str) -> None:
    """Show command lines."""
    st.markdown("**Command line**")
    for command in commands:
        st.code(command, language="bash", wrap_lines=True)


def show_python(*snippets: str) -> None:
    """Show Python code."""
    st.markdown("**Python**")
    for snippet in snippets:
        st.code(snippet, language="python", wrap_lines=True)


def show_opacus(training: TrainingPlan) -> None:
    """Show the same training with Opacus and its differences, or that there is none."""
    st.markdown("**Opacus**")
    if training.sampling != "poisson":
        st.markdown(NO_OPACUS)
        return
    st.code(opacus(training), language="python", wrap_lines=True)
    st.caption(OPACUS)
    if training.records % training.batch:
        st.caption(
            f"The batch size does not divide n: Opacus would sample 1 in "
            f"{spaced(-(-training.records // training.batch))} records, slightly fewer than here."
        )


def show_conclusions(conclusions: Sequence[Conclusion], note: str) -> None:
    """Draw a line for each conclusion, its verdict first."""
    st.markdown("**What the paper concludes, and what is seen here**")
    for one in conclusions:
        st.markdown(f"- **{one.verdict}**: {verbatim(one.claim)} {verbatim(one.seen)}")
    st.caption(note)


def show_picture(picture: Picture, *, key: str, stop: int, on_move: Callable[[int], None]) -> None:
    """Show a picture with its cursor at a stop.

    `on_move` is called with a stop's place in the row once the reader has left the cursor there,
    before the page runs again. Until then what the page says of another stop does not move it.
    """

    def hear() -> None:
        moved = heard(control_value(key), "stop", len(picture.stops) - 1)
        if moved is not None:
            on_move(moved)

    n = heard(control_value(key), "n", MOST_MOVES) or 0
    _draw_picture(
        key=key,
        data=picture.payload | {"stop": stop, "n": n},
        on_moved_change=hear,
        width="stretch",
    )


def heard(state: object, name: str, most: int) -> int | None:
    """A whole number from 0 to `most` of the last move; None for all else that a browser sends."""
    moved = state.get("moved") if isinstance(state, dict) else None
    value = moved.get(name) if isinstance(moved, dict) else None
    return value if type(value) is int and 0 <= value <= most else None
