"""What a link to Plan asked for in vain."""

from __future__ import annotations

from app_pages.parts import (
    links,
    meaning,
    plan_calendar,
    plan_controls,
    plan_ladder,
    plan_maps,
    plan_tabs,
)
from app_pages.parts.state import once
from dpcore.accounting.planner import Training
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency


def heed() -> str:
    """What the link asked for in vain, as one message; found once a session."""
    links.renewed("plan", "neighbour", plan_controls.ADJACENCIES, _usual_before)
    return once("plan_link", _heed)


def _usual_before(link: links.Link) -> Adjacency:
    """Add/remove, which was taken not to need a public size, but for batches of fixed size."""
    fixed = link.get("sampling", [""])[-1] == plan_controls.SAMPLINGS["fixed"]
    return Adjacency.REPLACE_ONE if fixed else Adjacency.ADD_REMOVE


def _heed() -> str:
    link = links.asked()
    allowed = {
        **plan_controls.ALLOWED,
        **plan_calendar.ALLOWED,
        **plan_maps.ALLOWED,
        **plan_tabs.ALLOWED,
        **meaning.ALLOWED,
    }
    numbers = [
        *plan_controls.NUMBERS,
        *plan_calendar.NUMBERS,
        *plan_ladder.NUMBERS,
        *meaning.NUMBERS,
    ]
    known = {*allowed, *(name for name, *_ in numbers), plan_calendar.LINK}
    refused = (
        links.unknown(link, allowed) + links.outside(link, numbers) + links.strangers(link, known)
    )
    links.drop(link, refused)
    return links.told(refused)


def address(training: Training) -> dict[str, str]:
    """The settings of a link that opens Plan with exactly this run."""
    values = plan_controls.values_of(training)
    titles = {
        "length": plan_controls.LENGTHS,
        "decays": plan_controls.DECAYS,
        "sampling": plan_controls.SAMPLINGS,
        "neighbour": plan_controls.ADJACENCIES,
    }
    said = {
        key: titles[key][str(value)] if key in titles else str(value)
        for key, value in values.items()
    }
    return said | {"plan_delta": plain(training.delta), links.VERSION: links.THIS}
