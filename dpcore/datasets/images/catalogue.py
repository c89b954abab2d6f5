"""The sets for networks by name: list them, describe them, load them.

Files in `dpcore.datasets.images.sets` enrol themselves by defining `SOURCE`; every table of
`dpcore.datasets` can be loaded by its name too.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

from dpcore import datasets as tables
from dpcore.datasets import download
from dpcore.datasets.images import sets, tabular
from dpcore.datasets.images.examples import Examples, ExamplesEntry, ImageSource
from dpcore.errors import InvalidInput, brief, one_of

ORDER = ("digits", "chest_features", "mnist", "pneumonia", "cifar10", "svhn", "chest", "chexpert")
"""On screen: built in first; sets not named here follow in alphabetical order."""


@cache
def register() -> dict[str, ImageSource]:
    """Every set by key, in display order; the tables are not among them."""
    found = {}
    for module in pkgutil.iter_modules(sets.__path__):
        source: ImageSource = importlib.import_module(f"{sets.__name__}.{module.name}").SOURCE
        found[source.entry.key] = source
    rank = {key: index for index, key in enumerate(ORDER)}
    return dict(sorted(found.items(), key=lambda item: (rank.get(item[0], len(rank)), item[0])))


def keys() -> tuple[str, ...]:
    """The names that `load` knows, those of the tables last."""
    return (*register(), *(entry.key for entry in tables.ENTRIES if entry.predicts == "class"))


def source(key: str) -> ImageSource:
    """How the set called `key` is had, a table's included.

    Raises
    ------
    InvalidInput
        If there is none.
    """
    one_of("dataset", key, keys())
    return register().get(key) or tabular.source(key)


def entry(key: str) -> ExamplesEntry:
    """The description of the set called `key`.

    Raises
    ------
    InvalidInput
        If there is none.
    """
    return source(key).entry


def availability(key: str) -> download.Availability:
    """How the set can be had here, answered without the network.

    Returns
    -------
    {"built in", "local", "download", "upload", "folder"}

    Raises
    ------
    InvalidInput
        If there is no such set.
    """
    found = source(key)
    return found.at_hand() if found.at_hand else download.availability(found.entry)


def records(key: str) -> int:
    """How many records the training part holds here, without any setting; 0 if only loading tells.

    Raises
    ------
    InvalidInput
        If there is no such set, or a table of it is not as it must be.
    DataUnavailable
        If that has to be counted, and the set is not at hand.
    """
    found = source(key)
    if found.count is not None:
        return found.count()
    return found.entry.records if key in register() else 0


def load(key: str, *, progress: download.Progress | None = None, **settings: Any) -> Examples:
    """The records of the set called `key`, for training and for testing.

    Parameters
    ----------
    key : str
        A name of `keys`.
    progress : callable, optional
        Told the share done, from 0 to 1, and what is going on.
    **settings
        The set's own (`source(key).settings` lists them).

    Raises
    ------
    InvalidInput
        If there is no such set, or it has no such setting.
    DataUnavailable
        If the set is not at hand and cannot be had; the sentence says what to do.
    """
    found = source(key)
    for name, value in settings.items():
        if name not in found.settings:
            allowed = ", ".join(found.settings) or "no setting"
            raise InvalidInput(
                f"{brief(name)[1:-1]} is {brief(value)}, but {key} takes only {allowed}."
            )
    return found.build(progress, **settings)


def describe(key: str) -> dict[str, Any]:
    """The set called `key` as plain values that JSON can carry.

    Raises
    ------
    InvalidInput
        If there is no such set.
    """
    found = entry(key)
    return {
        "key": found.key,
        "title": found.title,
        "records": found.records or None,
        "test_records": found.test_records or None,
        "records_are": found.records_are,
        "task": found.task,
        "names": list(found.names),
        "purpose": found.purpose,
        "source": found.source,
        "licence": found.licence,
        "citation": found.citation,
        "availability": availability(key),
        "how_to_get": found.how_to_get,
        "settings": list(source(key).settings),
        "traps": list(found.traps),
        "files": [
            {
                "path": file.path,
                "sha256": file.sha256 or None,
                "md5": file.md5 or None,
                "url": file.url or None,
            }
            for each in found.files
            for file in (each, *each.also)
        ],
    }


def describe_all() -> list[dict[str, Any]]:
    """`describe` for every set of the register."""
    return [describe(key) for key in register()]
