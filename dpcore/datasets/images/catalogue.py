"""The sets for networks by name: those of `sets`, and every table of two classes as examples."""

from __future__ import annotations

from dataclasses import asdict, fields
from functools import cache
from typing import Any

import numpy as np

from dpcore import datasets as tables
from dpcore.datasets import files
from dpcore.datasets.images.examples import Examples, ExamplesEntry, ImageSource, Setting
from dpcore.datasets.images.sets import SOURCES
from dpcore.datasets.preparation import Preparation
from dpcore.datasets.prepare import Split, prepare
from dpcore.datasets.schema import Description, Entry, fields_named
from dpcore.errors import InvalidInput, brief, one_of, reject
from dpcore.progress import Progress

TABLE_SETTINGS = (
    Setting("preparation", "a `Preparation`, from Python alone"),
    Setting("records", "how many, of a set that is drawn or of the user's own"),
    Setting("seed", "of a set that is drawn", 0),
)


@cache
def table_source(key: str) -> ImageSource:
    """The source that gives the table called `key` as examples."""
    table_entry = tables.entry(key)

    def build(
        progress: Progress | None,
        *,
        preparation: Preparation | None,
        records: int | None,
        seed: int,
    ) -> Examples:
        if not isinstance(preparation, Preparation | None):
            raise reject("preparation", preparation, "a Preparation, which only Python can give")
        table = tables.load(key, records=records, seed=seed, progress=progress)
        return from_split(prepare(table, preparation), published=table.published)

    return ImageSource(
        _table_entry(table_entry), build, TABLE_SETTINGS, at_hand=lambda: tables.availability(key)
    )


def from_split(split: Split, *, published: bool = True) -> Examples:
    """Prepared rows as examples: class 1 is the positive outcome, -1 a blank record."""
    if split.maps:
        raise InvalidInput(
            "features is 'rule', but for a network it must be one map, such as plain or additive."
        )
    return Examples(
        entry=_table_entry(split.entry),
        train_inputs=split.x_train.astype(np.float32),
        train_targets=np.where(split.blank, -1, split.y_train > 0),
        test_inputs=split.x_test.astype(np.float32),
        test_targets=(split.y_test > 0).astype(np.int64),
        notes=split.notes + split.leaks,
        published=published,
    )


def _table_entry(table_entry: Entry) -> ExamplesEntry:
    return ExamplesEntry(
        **fields_named(table_entry, *(field.name for field in fields(Description))),
        test_records=0,
        task="classes",
        names=(table_entry.negative, table_entry.positive),
        purpose=table_entry.task,
    )


ORIGIN = ("path", "sha256", "md5", "url")


def register() -> dict[str, ImageSource]:
    """Every set by key, in display order; the tables are not among them."""
    return {each.entry.key: each for each in SOURCES}


def keys() -> tuple[str, ...]:
    """The names that `load` accepts, those of the tables last."""
    return (*register(), *(entry.key for entry in tables.catalogue() if entry.predicts == "class"))


def source(key: str) -> ImageSource:
    """The source of the set called `key`, which may be a table."""
    one_of("dataset", key, keys())
    return register().get(key) or table_source(key)


def entry(key: str) -> ExamplesEntry:
    """The description of the set called `key`."""
    return source(key).entry


def availability(key: str) -> files.Availability:
    """How the set can be obtained here, determined without the network."""
    image_source = source(key)
    return (
        image_source.at_hand() if image_source.at_hand else files.availability(image_source.entry)
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
