"""The release calendar: an editable table under one budget, with costs as one types."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import streamlit as st

from dpcore.accounting import releases
from dpcore.accounting.releases import Costed
from dpcore.controls.common import ADJACENCIES
from dpcore.controls.plan import BUDGET, COMPOSITION, NOISE, RELEASE_SENSITIVITY
from dpcore.errors import InvalidInput
from dpcore.figures.plan import releases as figures
from dpcore.figures.words import at_least, at_most, plain
from dpcore.guarantee import PrivacyBudget
from pages.plan import texts
from pages.plan.answer import Answer
from pages.shared import query
from pages.shared.charts import download, on_dark, plot
from pages.shared.numbers import draw_numbers
from pages.shared.session import control_value, once, store, stored
from pages.shared.verbatim import refuse, verbatim
from pages.shared.widgets import drawn

LINK = "calendar"
MOST_RELEASES = 9_999
DAYS = {"day": 1, "week": 7}
COLUMNS = ("date", "what", "weight", "sigma")


def show(answer: Answer) -> None:
    """Draw the controls, the table, its errors, and its spending."""
    rows, complaint = once("calendar", _initial_rows)
    if complaint:
        st.warning(complaint, icon=":material/link_off:")
    budget, composition, noise, sensitivity = _controls(answer)
    if stored("calendar_rows") is None:
        store("calendar_rows", rows)
    _fill_form(noise == "typed")
    edited = _editor(noise)
    _write_link(edited)
    planned, errors = releases.read(edited, typed_noise=noise == "typed")
    for sentence in errors:
        refuse(sentence)
    if errors:
        return
    try:
        costed = releases.cost(
            planned, budget, composition, sensitivity, typed_noise=noise == "typed"
        )
    except InvalidInput as refusal:
        refuse(refusal)
        return
    _numbers(costed, budget)
    plot(figures.spent(costed.table, budget, dark=on_dark()), "calendar_figure")
    adjacency = answer.training.adjacency
    st.caption(
        f"One person's difference: {ADJACENCIES[str(adjacency)].lower()} ({adjacency}); Δ is how "
        "far it can move one release. Spending is exact for Gaussian releases without sampling "
        "(Gaussian DP), whatever rule has set the noise."
    )
    download(costed.table, "release_calendar", "Noise, ε spent and ε left of every release")


def _controls(answer: Answer) -> tuple[PrivacyBudget, str, str, float]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        epsilon = drawn(BUDGET, width=220)
        sensitivity = drawn(RELEASE_SENSITIVITY, width=220)
        noise = drawn(NOISE, width="content")
        composition = drawn(COMPOSITION, width="content") if noise != "typed" else "pld"
    st.caption(f"δ = {plain(answer.training.delta)}, the one of the controls, for all of them.")
    return PrivacyBudget(epsilon, answer.training.delta), composition, noise, sensitivity


def _quarters() -> list[dict[str, Any]]:
    return [
        {"date": release.on, "what": release.title, "weight": release.weight, "sigma": None}
        for release in releases.quarterly(date.today().year)
    ]


def _initial_rows() -> tuple[list[dict[str, Any]], str]:
    """Rows of the link, else four quarters of this year; and the refusal of a bad link."""
    text = query.read_link().get(LINK, [""])[-1]
    if not text:
        return _quarters(), ""
    try:
        return releases.from_text(text), ""
    except InvalidInput as refusal:
        reason = verbatim(str(refusal))
        return _quarters(), f"The link asks for a calendar that cannot be followed: {reason}"


def _fill_form(typed_noise: bool) -> None:
    """Draw the form that puts regular releases in place of the table's rows, or after them."""
    with st.expander("Fill the table: releases at equal distances", icon=":material/event_repeat:"):
        st.caption(
            "Instead of typing rows: 3 releases in every week, 52 times, are 156 rows, spread "
            "evenly. Each may be changed afterwards."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            count = st.number_input("Releases", 1, MOST_RELEASES, 3, key="regular_each", width=130)
            interval = st.number_input("in every", 1, 366, 1, key="regular_every", width=130)
            unit = st.selectbox("days or weeks", list(DAYS), 1, key="regular_unit", width=130)
            repeats = st.number_input("times", 1, MOST_RELEASES, 52, key="regular_times", width=130)
            first = st.date_input(
                "from",
                date.today(),
                releases.FIRST_DAY,
                releases.LAST_DAY,
                key="regular_first",
                width=160,
            )
            sigma = None
            if typed_noise:
                sigma = st.number_input(
                    "Noise σ of each",
                    1e-6,
                    1e6,
                    None,
                    format="%.6g",
                    key="regular_sigma",
                    help=texts.RELEASE_SIGMA,
                    width=160,
                )
        try:
            rows = releases.regular(count, interval * DAYS[unit], repeats, first, sigma=sigma)
        except InvalidInput as refusal:
            refuse(refusal)
            return
        st.caption(
            f"{count} in every {interval} {unit}{'s' if interval > 1 else ''}, {repeats} times: "
            f"{len(rows)} releases, from {rows[0]['date']} to {rows[-1]['date']}."
        )
        with st.container(horizontal=True):
            if st.button("Put in place of the table", icon=":material/table_edit:"):
                _replace_rows(rows)
            if st.button("Add to the table", icon=":material/playlist_add:"):
                _replace_rows([*stored("calendar_rows"), *rows])


def _replace_rows(rows: list[dict[str, Any]]) -> None:
    """Restart the table, not yet drawn in this run, with these rows."""
    store("calendar_rows", rows)
    store("calendar_table", (stored("calendar_table") or 0) + 1)


def _editor(noise: str) -> list[dict[str, Any]]:
    """Rows of the edited table; its base stays the same on screen, so that edits survive."""
    key = f"calendar_rows_{noise}_{stored('calendar_table') or 0}"
    if control_value(key) is None:  # Streamlit drops the edits of a hidden table
        store("calendar_base", stored("calendar_rows"))
    base = pd.DataFrame(stored("calendar_base"), columns=list(COLUMNS)).astype(
        {"what": "object", "weight": "float64", "sigma": "float64"}
    )
    base["date"] = pd.to_datetime(base["date"]).dt.date
    edited = st.data_editor(
        base,
        num_rows="dynamic",
        hide_index=True,
        key=key,
        alt="Releases: date, what, and weight or noise",
        column_order=["date", "what", "sigma" if noise == "typed" else "weight"],
        column_config={
            "date": st.column_config.DateColumn("Date", help=texts.RELEASE_DATE),
            "what": st.column_config.TextColumn("What is released", help=texts.RELEASE),
            "weight": st.column_config.NumberColumn("Weight", help=texts.WEIGHT),
            "sigma": st.column_config.NumberColumn("Noise σ", help=texts.RELEASE_SIGMA),
        },
    )
    rows: list[dict[str, Any]] = [
        {column: row[column] for column in COLUMNS} for row in edited.to_dict("records")
    ]
    store("calendar_rows", rows)
    return rows


def _write_link(rows: list[dict[str, Any]]) -> None:
    """Write the table into the address, so that a copied link holds it."""
    text = releases.to_text(rows)
    if text == releases.to_text(_quarters()) or not rows:
        if LINK in st.query_params:
            del st.query_params[LINK]
    elif st.query_params.get(LINK) != text:
        query.write(LINK, text)


def _numbers(costed: Costed, budget: PrivacyBudget) -> None:
    table = costed.table
    past = table[table["date"] <= date.today()]
    spent = float(past["epsilon_spent"].iloc[-1]) if len(past) else 0.0
    total = float(table["epsilon_spent"].iloc[-1])
    day = costed.exhausted_on
    draw_numbers(
        (
            (
                "ε spent by today",
                at_most(spent),
                f"after {len(past)} of {len(table)} releases",
                "What the releases up to today have spent together, exactly.",
            ),
            (
                "ε left today",
                at_least(max(0.0, budget.epsilon - spent)),
                f"of {plain(budget.epsilon)} at δ = {plain(budget.delta)}",
                "The budget less what is spent by today.",
            ),
            (
                "ε of all releases",
                at_most(total),
                "the budget is kept" if table["within"].all() else "above the budget",
                "What all the releases in the table spend together, exactly.",
            ),
            (
                "First that does not fit",
                "beyond 2100" if day is None else f"{day}",
                _room(costed),
                texts.EXHAUSTED,
            ),
        ),
        across=4,
    )


def _room(costed: Costed) -> str:
    """How many more releases fit, and the day the budget is spent."""
    spent = f"the budget is spent on {costed.spent_on}; " if costed.spent_on else ""
    if not costed.table["within"].all():
        return f"{spent}the release of this day breaks it" if spent else "it breaks the budget"
    count = f"{costed.fitting:,}" if costed.fitting else "none"
    return f"{spent}{count} more like the last would fit, every {costed.every_days} days"
