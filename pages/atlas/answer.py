"""Atlas's answer: how many systems there are, and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dpcore.controls.atlas import FILTERS
from dpcore.figures import atlas
from dpcore.systems import Family, System, describe, proved_told, register, runs_here, standing
from pages.atlas import texts
from pages.shared import view_link
from pages.shared.charts import on_dark, plot, table_behind
from pages.shared.texts import STATUS_WORDS

if TYPE_CHECKING:
    from streamlit.elements.layouts import GridContainer

WIDEST_LABEL = 150  # pixels of "Claim not supported" and its definition
# Below the number of each status but the first, whose number is told apart.
NOTES = {
    "proved": "",
    "conditions not met": "its theorem asks for more",
    "claim not supported": "its noise gives less",
    "described only": "neither checked nor run",
}


def title(systems: Sequence[System]) -> None:
    """What is shown, in one line."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title("What is known of each system?", anchor=False, width="stretch")
        view_link.link()
    count, total = len(systems), len(register())
    st.caption(
        f"All {total} systems of the five papers, and beside them."
        if count == total
        else f"{count} of {total} systems."
    )


def numbers(systems: Sequence[System]) -> None:
    """How many there are of each status, and how many run here."""
    found = [str(standing(system).status) for system in systems]
    grid = st.grid(3, min_column_width=WIDEST_LABEL, gap="small")
    _number(grid, "Systems", len(systems), "in this list", texts.SYSTEMS)
    for status, note in NOTES.items():
        count, told = found.count(status), note or proved_told(systems)
        _number(grid, status.capitalize(), count, told, STATUS_WORDS[status])
    here = sum(map(runs_here, systems))
    _number(grid, "Run here", here, "as described or sound", FILTERS["runnable"].help)


def _number(grid: GridContainer, label: str, value: int, note: str, help_text: str) -> None:
    with grid.cell(), st.container(gap=None):
        st.metric(label, value, help=help_text)
        st.caption(note)


def chart(systems: Sequence[System], command: str) -> None:
    """Families by verdict, with the sentence and the table."""
    counts = pd.DataFrame(
        [(str(each.family), standing(each).verdict, 1) for each in systems],
        columns=["family", "status", "systems"],
    )
    verdicts = dict.fromkeys([*atlas.LOOKS, *counts["status"]])
    order = [(str(family), str(status)) for family in Family for status in verdicts]
    counted = counts.groupby(["family", "status"])["systems"].sum()
    rows = [
        (family, status, int(counted.get((family, status), 0)))
        for family, status in order
        if family in set(counts["family"])
    ]
    table = pd.DataFrame(rows, columns=["family", "status", "systems"])
    with st.container(border=True):
        plot(atlas.families(table, dark=on_dark()), "atlas_figure")
        with st.container(horizontal=True):
            table_behind(everything(systems), "atlas", "Every system with its claim and its status")
            with st.popover("Command line", icon=":material/terminal:", type="tertiary"):
                st.code(command, language="bash", wrap_lines=True)


def everything(systems: Sequence[System]) -> pd.DataFrame:
    """One row a system, for the table and its CSV."""
    rows = [
        {
            **{name: value for name, value in entry.items() if not isinstance(value, (list, dict))},
            "references": " ".join(map(str, entry["references"])),
            "software": "; ".join(each["name"] for each in entry["software"]),
            "breaks": " ".join(entry["breaks"]),
            "runs": "; ".join(f"{run['place']}: {run['key']}" for run in entry["runs"]),
        }
        for entry in describe(systems)
    ]
    return pd.DataFrame(rows)
