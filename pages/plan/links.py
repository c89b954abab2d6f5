"""Checks the link to Plan, and reads one from before it had an account."""

from __future__ import annotations

from contextlib import suppress
from datetime import date

import streamlit as st

from dpcore.controls import plan_links
from dpcore.controls.account import ACCOUNT, ENTRIES, MODEL_DATA, QUESTION, SETTING
from dpcore.controls.common import ADJACENCIES
from dpcore.controls.link import Link
from dpcore.controls.plan import CONTROLS, DETAIL, VIEW
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from pages.plan import entries
from pages.shared import query
from pages.shared.session import once, set_controls, store, stored
from pages.shared.verbatim import verbatim


def validate_link() -> str:
    """All refusals of the link as one message, computed once a session."""
    query.upgrade_link("plan", "neighbour", ADJACENCIES, _old_adjacency)
    _reopen()
    sentences = once(
        "plan_link",
        lambda: query.validate_link(
            (QUESTION, *ACCOUNT, MODEL_DATA, *SETTING, *CONTROLS, *DETAIL),
            others={ENTRIES: entries.check},
        ),
    )
    return f"{stored('plan calendar refused') or ''} {sentences}".strip()


def _old_adjacency(link: Link) -> Adjacency:
    """Adjacency that an old link meant: replace-one for fixed-size batches, else add/remove."""
    is_fixed = link.get("sampling", [""])[-1] == CONTROLS["sampling"].text("fixed")
    return Adjacency.REPLACE_ONE if is_fixed else Adjacency.ADD_REMOVE


def _reopen() -> None:
    """Write what a link of before the account meant into the address, and begin anew with it."""
    if pending := stored("plan reopening"):
        store("plan reopening", None)
        set_controls(pending)
        return
    link = query.read_link()
    first_run = not stored("plan reopened")
    store("plan reopened", True)
    if not plan_links.is_former(link) or not (first_run or link == stored("plan former link")):
        return
    store("plan former link", link)
    try:
        today = plan_links.today(link, date.today().year)
    except InvalidInput as refusal:
        reason = verbatim(str(refusal))
        store(
            "plan calendar refused",
            f"The link asks for a calendar that cannot be followed: {reason}",
        )
        rest = {name: texts for name, texts in link.items() if name != plan_links.CALENDAR}
        today = plan_links.today(rest, date.today().year)
    if first_run:
        # In one change, as each change is a step in the browser's history.
        st.query_params.from_dict(today)
        st.rerun()
    # Going back leads to the old link. The controls are drawn already, and write their part of the
    # address themselves once they are set, which the next run does.
    if ENTRIES in today:
        query.write(ENTRIES, today[ENTRIES])
    store("plan reopening", _values(today))
    st.rerun()


def _values(link: Link) -> dict[str, object]:
    """The controls' values that a link names; invalid ones are left out."""
    values: dict[str, object] = {}
    for control in (QUESTION, *ACCOUNT, *CONTROLS, *DETAIL):
        if control.key in link and control.key != VIEW.key:
            with suppress(ValueError):
                values[control.key] = control.value(link[control.key][-1])
    return values
