"""Every table of the catalogue as examples for a network: rows of norm at most 1, two classes."""

from __future__ import annotations

from dataclasses import fields
from functools import cache

import numpy as np

from dpcore import datasets as tables
from dpcore.datasets.images.examples import Examples, ExamplesEntry, ImageSource, Setting
from dpcore.datasets.preparation import Preparation
from dpcore.datasets.prepare import Split, prepare
from dpcore.datasets.schema import Description, Entry, fields_named
from dpcore.errors import InvalidInput, reject
from dpcore.progress import Progress

SETTINGS = (
    Setting("preparation", "a `Preparation`, from Python alone"),
    Setting("records", "how many, of a set that is drawn or of the user's own"),
    Setting("seed", "of a set that is drawn", 0),
)


@cache
def source(key: str) -> ImageSource:
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
        _entry(table_entry), build, SETTINGS, at_hand=lambda: tables.availability(key)
    )


def from_split(split: Split, *, published: bool = True) -> Examples:
    """Prepared rows as examples: class 1 is the positive outcome, -1 a blank record."""
    if split.maps:
        raise InvalidInput(
            "features is 'rule', but for a network it must be one map, such as plain or additive."
        )
    return Examples(
        entry=_entry(split.entry),
        train_inputs=split.x_train.astype(np.float32),
        train_targets=np.where(split.blank, -1, split.y_train > 0),
        test_inputs=split.x_test.astype(np.float32),
        test_targets=(split.y_test > 0).astype(np.int64),
        notes=split.notes + split.leaks,
        published=published,
    )


def _entry(table_entry: Entry) -> ExamplesEntry:
    return ExamplesEntry(
        **fields_named(table_entry, *(field.name for field in fields(Description))),
        test_records=0,
        task="classes",
        names=(table_entry.negative, table_entry.positive),
        purpose=table_entry.task,
    )
