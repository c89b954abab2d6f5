"""Checks the link to Plan."""

from __future__ import annotations

from dpcore.controls.common import ADJACENCIES
from dpcore.controls.link import Link
from dpcore.controls.plan import CONTROLS, DETAIL
from dpcore.guarantee import Adjacency
from pages.plan import calendar
from pages.shared import query
from pages.shared.session import once


def validate_link() -> str:
    """All refusals of the link as one message, computed once a session."""
    query.upgrade_link("plan", "neighbour", ADJACENCIES, _old_adjacency)
    return once(
        "plan_link", lambda: query.validate_link((*CONTROLS, *DETAIL), others={calendar.LINK: None})
    )


def _old_adjacency(link: Link) -> Adjacency:
    """Adjacency that an old link meant: replace-one for fixed-size batches, else add/remove."""
    is_fixed = link.get("sampling", [""])[-1] == CONTROLS["sampling"].text("fixed")
    return Adjacency.REPLACE_ONE if is_fixed else Adjacency.ADD_REMOVE
