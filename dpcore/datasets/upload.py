"""Read a table uploaded from the browser: recognised by checksum, or checked row by row."""

from __future__ import annotations

from typing import NamedTuple

from dpcore.datasets.catalogue import assemble, catalogue, source
from dpcore.datasets.download import checksum
from dpcore.datasets.own.description import OWN
from dpcore.datasets.own.rows import read_own
from dpcore.datasets.schema import Entry, RemoteFile, Table
from dpcore.datasets.sources import BuiltIn
from dpcore.datasets.text import quoted, read_checked
from dpcore.errors import InvalidInput
from dpcore.words import spaced


def read_upload(key: str, data: bytes, filename: str, columns: str = "") -> Table:
    """The records in a file, from anyone, of a set of the catalogue, or of one's own table.

    ``published`` is True only when the bytes are exactly a published file. A refusal names line and
    field, and no value of a record.
    """
    if key == OWN:
        return read_own(columns, data, filename)
    if columns:
        raise InvalidInput(f"columns are described, but only {OWN} takes a description.")
    file_source = source(key)
    if isinstance(file_source, BuiltIn):
        raise InvalidInput(f"{file_source.entry.title} is built in and takes no file.")
    name, own = quoted(filename), file_source.entry
    owners = _owners(checksum(data))
    if owners and key not in owners:
        other = next(iter(owners.values()))
        raise InvalidInput(
            f"{name} is the file {other.file.name} of {other.entry.title}, but it must be one of "
            f"{own.title}."
        )
    if own.site and not owners:
        raise InvalidInput(
            f"{name} is none of the published files of {own.title}, but it must be one of them: "
            "the file says which site a record comes from."
        )
    raw = read_checked(file_source.layout, data, filename)
    if owners:
        return assemble(
            file_source,
            [raw],
            published=True,
            sites=own.sites[owners[key].place : owners[key].place + 1],
        )
    pinned = any(file.sha256 for file in own.files)
    reason = "is not the published file" if pinned else "has no published checksum"
    return assemble(
        file_source,
        [raw],
        published=False,
        notes=(f"The file {reason}; each of its {spaced(len(raw))} rows was checked instead.",),
    )


class _Owner(NamedTuple):
    entry: Entry
    file: RemoteFile
    place: int


def _owners(digest: str) -> dict[str, _Owner]:
    """The sets that have a file with this checksum, by key; two sets may share one."""
    return {
        entry.key: _Owner(entry, file, place)
        for entry in catalogue()
        for place, file in enumerate(entry.files)
        if file.sha256 == digest
    }
