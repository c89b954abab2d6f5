"""Read a table uploaded from the browser: recognised by checksum, or checked row by row."""

from __future__ import annotations

from dpcore.datasets.catalogue import assemble, catalogue, source
from dpcore.datasets.download import checksum
from dpcore.datasets.own import OWN, read_own
from dpcore.datasets.schema import Table
from dpcore.datasets.sources import BuiltIn
from dpcore.datasets.text import quoted, read_checked, read_verified
from dpcore.errors import InvalidInput


def read_upload(key: str, data: bytes, filename: str, columns: str = "") -> Table:
    """The records in an uploaded file of the data set called `key`.

    Parameters
    ----------
    key : str
        Name in the catalogue of a set that comes in files, or ``own`` for any other table.
    data : bytes
        The file, from anyone.
    filename : str
        What to call it in a refusal; nothing else depends on it.
    columns : str
        For ``own`` only: what its columns may hold (`dpcore.datasets.own.described`).

    Returns
    -------
    Table
        ``published`` is True only when the bytes are exactly a published file.

    Raises
    ------
    InvalidInput
        One sentence naming the first line that is wrong, the field, the value and what is allowed.
    """
    if key == OWN:
        return read_own(columns, data, filename)
    if columns:
        raise InvalidInput(f"columns are described, but only {OWN} takes a description.")
    file_source = source(key)
    if isinstance(file_source, BuiltIn):
        raise InvalidInput(f"{file_source.entry.title} is built in and takes no file.")
    name, digest = quoted(filename), checksum(data)
    for entry in catalogue():
        for file in entry.files:
            if file.sha256 != digest:
                continue
            if entry.key != key:
                raise InvalidInput(
                    f"{name} is the file {file.name} of {entry.title}, but it must be one of "
                    f"{file_source.entry.title}."
                )
            return assemble(file_source, [read_verified(file_source.layout, data)], published=True)
    raw = read_checked(file_source.layout, data, filename)
    pinned = any(file.sha256 for file in file_source.entry.files)
    reason = "is not the published file" if pinned else "has no published checksum"
    return assemble(
        file_source,
        [raw],
        published=False,
        notes=(f"The file {reason}; each of its {len(raw):,} rows was checked instead.",),
    )
