"""What a link to Train asked for in vain."""

from __future__ import annotations

from dpcore.controls.common import ADJACENCIES
from dpcore.controls.train import CONTROLS, DETAIL
from dpcore.guarantee import Adjacency
from pages.shared import query
from pages.shared.session import once
from pages.train import comparison


def heed() -> str:
    """What the link asked for in vain, as one message; found once a session."""
    query.renewed("train", "person", ADJACENCIES, lambda _: Adjacency.ADD_REMOVE)
    return once("train_link", _heed)


def _heed() -> str:
    return query.heed((*CONTROLS, *DETAIL), others={comparison.LINK: comparison.heed})
