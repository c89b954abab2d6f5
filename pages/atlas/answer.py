"""Atlas's answer: the number of systems, and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dpcore.controls.atlas import FILTERS
from dpcore.figures import atlas
from dpcore.systems import Family, System, describe, proved_told, register, runs_here, standing
from pages.atlas import texts
from pages.shared import view_link
from pages.shared.charts import on_dark, plot, table_behind
from pages.shared.numbers import Number, draw_numbers
from pages.shared.texts import STATUS_WORDS

# Captions below the number of each status; the first has one of its own.
NOTES = {
    "proved": "",
    "conditions not met": "its theorem asks for more",
    "claim not supported": "its noise gives less",
    "described only": "neither checked nor run",
}


def title(systems: Sequence[System]) -> None:
    """Show the title, and how many systems are listed."""
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
    """Show the number of systems of each status, and how many run here."""
    statuses = [str(standing(system).status) for system in systems]
    line: list[Number] = [("Systems", len(systems), "in this list", texts.SYSTEMS)]
    for status, note in NOTES.items():
        count, caption = statuses.count(status), note or proved_told(systems)
        line.append((status.capitalize(), count, caption, STATUS_WORDS[status]))
    runnable = sum(map(runs_here, systems))
    line.append(("Run here", runnable, "as described or sound", FILTERS["runnable"].help))
    draw_numbers(line, 3)


def chart(systems: Sequence[System], command: str) -> None:
    """Show families by verdict, with the sentence and the table."""
    counts = pd.DataFrame(
        [(str(system.family), standing(system).verdict, 1) for system in systems],
        columns=["family", "status", "systems"],
    )
    verdicts = dict.fromkeys([*atlas.LOOKS, *counts["status"]])
    order = [(str(family), str(status)) for family in Family for status in verdicts]
    totals = counts.groupby(["family", "status"])["systems"].sum()
    rows = [
        (family, status, int(totals.get((family, status), 0)))
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
    """One row per system, for the table and its CSV."""
    rows = [
        {
            **{name: value for name, value in entry.items() if not isinstance(value, (list, dict))},
            "references": " ".join(map(str, entry["references"])),
            "software": "; ".join(item["name"] for item in entry["software"]),
            "breaks": " ".join(entry["breaks"]),
            "runs": "; ".join(f"{run['place']}: {run['key']}" for run in entry["runs"]),
        }
        for entry in describe(systems)
    ]
    return pd.DataFrame(rows)
