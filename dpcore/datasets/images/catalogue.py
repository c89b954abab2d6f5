"""The sets for networks by name; a file in `dpcore.datasets.images.sets` defines `SOURCE`."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import asdict
from functools import cache
from typing import Any

from dpcore import datasets as tables
from dpcore.datasets import download
from dpcore.datasets.images import sets, tabular
from dpcore.datasets.images.examples import Examples, ExamplesEntry, ImageSource
from dpcore.datasets.schema import fields_named
from dpcore.errors import InvalidInput, brief, one_of
from dpcore.progress import Progress

ORDER = ("digits", "chest_features", "mnist", "pneumonia", "cifar10", "svhn", "chest", "chexpert")
"""Order on screen: built-in sets first; sets not named here follow in alphabetical order."""

ORIGIN = ("path", "sha256", "md5", "url")


@cache
def register() -> dict[str, ImageSource]:
    """Every set by key, in display order; the tables are not among them."""
    sources = {}
    for module in pkgutil.iter_modules(sets.__path__):
        image_source: ImageSource = importlib.import_module(f"{sets.__name__}.{module.name}").SOURCE
        sources[image_source.entry.key] = image_source
    rank = {key: index for index, key in enumerate(ORDER)}
    return dict(sorted(sources.items(), key=lambda item: (rank.get(item[0], len(rank)), item[0])))


def keys() -> tuple[str, ...]:
    """The names that `load` accepts, those of the tables last."""
    return (*register(), *(entry.key for entry in tables.catalogue() if entry.predicts == "class"))


def source(key: str) -> ImageSource:
    """The source of the set called `key`, which may be a table."""
    one_of("dataset", key, keys())
    return register().get(key) or tabular.source(key)


def entry(key: str) -> ExamplesEntry:
    """The description of the set called `key`."""
    return source(key).entry


def availability(key: str) -> download.Availability:
    """How the set can be obtained here, determined without the network."""
    image_source = source(key)
    return (
        image_source.at_hand()
        if image_source.at_hand
        else download.availability(image_source.entry)
    )


def records(key: str) -> int:
    """Number of training records here, with default settings; 0 if only loading reveals it."""
    image_source = source(key)
    if image_source.count is not None:
        return image_source.count()
    return image_source.entry.records if key in register() else 0


def load(key: str, *, progress: Progress | None = None, **settings: Any) -> Examples:
    """The records of the set called `key`, for training and for testing.

    Parameters
    ----------
    key : str
        A name of `keys`.
    progress : callable, optional
        Called with the share done, from 0 to 1, and what is going on.
    **settings
        The set's own (`source(key).settings` lists them).

    Raises
    ------
    InvalidInput
        If there is no such set, or it has no such setting or not with this value.
    DataUnavailable
        If the set is neither here nor obtainable; the sentence says what to do.
    """
    image_source = source(key)
    own = {setting.name: setting for setting in image_source.settings}
    chosen = {setting.name: setting.default for setting in image_source.settings}
    for name, value in settings.items():
        if name not in own:
            allowed = ", ".join(own) or "no setting"
            raise InvalidInput(
                f"{brief(name)[1:-1]} is {brief(value)}, but {key} takes only {allowed}."
            )
        chosen[name] = own[name].checked(value)
    return image_source.build(progress, **chosen)


def describe(key: str) -> dict[str, Any]:
    """The set called `key` as plain values that JSON can carry.

    Raises
    ------
    InvalidInput
        If there is no such set.
    """
    description = entry(key)
    return {
        **fields_named(description, "key", "title"),
        "records": description.records or None,
        "test_records": description.test_records or None,
        **fields_named(description, "records_are", "task"),
        "names": list(description.names),
        **fields_named(description, "purpose", "source", "licence", "citation"),
        "availability": availability(key),
        "how_to_get": description.how_to_get,
        "settings": [setting.name for setting in source(key).settings],
        "setting_details": [asdict(setting) for setting in source(key).settings],
        "traps": list(description.traps),
        "files": [
            {name: value or None for name, value in fields_named(file, *ORIGIN).items()}
            for primary in description.files
            for file in (primary, *primary.also)
        ],
    }


def describe_all() -> list[dict[str, Any]]:
    """`describe` for every set of the register."""
    return [describe(key) for key in register()]
