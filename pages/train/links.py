"""Checks the link to Train."""

from __future__ import annotations

from dpcore.controls.common import ADJACENCIES
from dpcore.controls.train import CONTROLS, DETAIL
from dpcore.guarantee import Adjacency
from pages.shared import query
from pages.shared.session import once
from pages.train import comparison


def validate_link() -> str:
    """All refusals of the link as one message, computed once a session."""
    query.upgrade_link("train", "person", ADJACENCIES, lambda _: Adjacency.ADD_REMOVE)
    others = {comparison.LINK: comparison.validate_link}
    return once("train_link", lambda: query.validate_link((*CONTROLS, *DETAIL), others=others))
