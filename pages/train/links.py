"""Check the link to Train."""

from __future__ import annotations

from collections.abc import Collection

from dpcore.controls.control import OneOf
from dpcore.controls.link import Link
from dpcore.controls.train import CONTROLS, DETAIL
from dpcore.datasets import images
from dpcore.evaluation.training.study import features_for, networks_for
from pages.shared import query
from pages.shared.session import once
from pages.train import comparison, controls


def validate_link() -> str:
    """Check the link once a session; returns all its refusals as one message."""
    return once("train_link", _validate_link)


def _validate_link() -> str:
    link = query.read_link()
    dataset = _linked(link, "dataset")
    entry = images.entry(dataset)
    network = _linked(link, "network", networks_for(entry))
    among = {
        "network": [str(CONTROLS["network"].text(key)) for key in networks_for(entry)],
        "features": [str(CONTROLS["features"].text(key)) for key in features_for(entry, network)],
    }
    others = {
        comparison.LINK: comparison.validate_link,
        comparison.OTHERS: None,
        controls.EXPERT: None,
    }
    return query.validate_link((*CONTROLS, *DETAIL), among, others)


def _linked(link: Link, key: str, offered: Collection[str] | None = None) -> str:
    kind = CONTROLS[key].kind
    assert isinstance(kind, OneOf)
    keys = {title: choice for choice, title in kind.options().items()}
    choice = keys.get(link.get(key, [""])[-1], "")
    is_offered = choice in keys.values() and (offered is None or choice in offered)
    return choice if is_offered else str(CONTROLS[key].default)
