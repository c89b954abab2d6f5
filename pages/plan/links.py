"""What a link to Plan asked for in vain."""

from __future__ import annotations

from dpcore.controls.common import ADJACENCIES
from dpcore.controls.link import Link
from dpcore.controls.plan import CONTROLS, DETAIL
from dpcore.guarantee import Adjacency
from pages.plan import calendar
from pages.shared import query
from pages.shared.session import once


def validate_link() -> str:
    """What the link asked for in vain, as one message; found once a session."""
    query.upgrade_link("plan", "neighbour", ADJACENCIES, _usual_before)
    return once(
        "plan_link", lambda: query.validate_link((*CONTROLS, *DETAIL), others={calendar.LINK: None})
    )


def _usual_before(link: Link) -> Adjacency:
    """Add/remove, which was taken not to need a public size, but for batches of fixed size."""
    fixed = link.get("sampling", [""])[-1] == CONTROLS["sampling"].text("fixed")
    return Adjacency.REPLACE_ONE if fixed else Adjacency.ADD_REMOVE
