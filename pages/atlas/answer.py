"""Draw Atlas's answer: how many claims hold, and the chart of all systems behind the list."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dpcore.controls.atlas import SEARCH
from dpcore.figures import atlas
from dpcore.systems import (
    NOTHING_FOUND,
    Family,
    Practice,
    System,
    describe,
    standing,
)
from pages.atlas import controls, texts
from pages.shared.charts import on_dark, plot, table_behind
from pages.shared.numbers import Number, draw_numbers


def numbers(systems: Sequence[System]) -> None:
    """Show how many of the listed claims hold."""
    labels = [standing(system).label for system in systems]
    line: list[Number] = [
        ("Systems", len(systems), "", texts.SYSTEMS),
        *(
            (label.capitalize(), labels.count(label), "", meaning)
            for label, meaning in texts.COUNTED.items()
        ),
        (
            "Implementations leak",
            sum(bool(system.leaks) for system in systems),
            "",
            texts.PRACTICE_WORDS[Practice.LEAKS],
        ),
    ]
    draw_numbers(line, len(line))


def nothing(search: str) -> None:
    """Say that nothing matches, and offer to clear what was asked."""
    st.info(NOTHING_FOUND, icon=":material/search_off:")
    with st.container(horizontal=True):
        if search:
            st.button("Clear the search", on_click=controls.clear, args=(SEARCH.key,))
        st.button("Show all systems", on_click=controls.clear)


def chart(systems: Sequence[System], command: str) -> None:
    """Show families by verdict, with the sentence and the table."""
    counts = pd.DataFrame(
        [(str(system.family), standing(system).label, 1) for system in systems],
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
        about = "Every system with its claim and its status"
        table_behind(everything(systems), "atlas", about, lambda: (command, ""))


def everything(systems: Sequence[System]) -> pd.DataFrame:
    """One row per system, for the table and its CSV."""
    rows = [
        {
            "verdict": entry["verdict"],
            "status": entry["status"],
            "what the status is about": entry["status_of"],
            "status of our corrected version": entry["sound_form"],
            "implementations": entry["implementations"],
            "title": entry["title"],
            "authors": entry["source"],
            "printed in": "; ".join(f"{work['title']} ({work['year']})" for work in entry["works"]),
            "links": " ".join(work["link"] for work in entry["works"]),
            "paper": entry["paper"],
            "section": entry["section"],
            "its numbers in the paper's references": " ".join(map(str, entry["references"])),
            "kind": entry["family"],
            "what it does": entry["what"],
            "claim": entry["claim"],
            "proof": entry["proof"],
            "known failures": " ".join(entry["breaks"]),
            "leaks of implementations": " ".join(entry["leaks"]),
            "software": "; ".join(package["name"] for package in entry["software"]),
            "runs here": "; ".join(f"{run['place']}: {run['key']}" for run in entry["runs"]),
            "key": entry["system"],
        }
        for entry in describe(systems)
    ]
    return pd.DataFrame(rows)
