"""Which rows of a table count where one person may have several.

The unit of privacy is the person: two tables are neighbours where one has all rows of a person that
the other lacks (or has another person's in their place). Each person keeps at most k rows, chosen
by a keyed hash of that person's name and the rows' order among that person's own. So the choice is
a function of one person's rows (and of the key) alone, and it is no part of what ε pays for: for
every key, neighbouring tables give selections that differ in the rows of one person. A release then
does one of two things:

- clip the sum of a person's rows (gradients, features, counts) to norm C: the sum over all persons
  has sensitivity C where a person is added or removed, 2 C where one is replaced; or
- clip each row to norm C and take k C, or 2 k C, in their place.

`rows_kept`, `dropped` and the number of persons are read off the records: a release pays for them
or states that they are public. It must split into training and test by person, never by place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import reject

MOST_ROWS_A_PERSON = 10_000


@dataclass(frozen=True)
class Persons:
    """The rows that count. Not private: everything here is read off the records.

    Parameters
    ----------
    index : ndarray of int64, shape (rows_kept,)
        Rows of the table that are kept, ascending.
    person : ndarray of int64, shape (rows_kept,)
        Number of each kept row's person, from 0 in the order of their first rows: the groups whose
        sums a release clips.
    rows_kept, dropped : int
    """

    index: NDArray[np.int64]
    person: NDArray[np.int64]
    rows_kept: int
    dropped: int


def persons(names: Sequence[str], most: int, key: bytes) -> Persons:
    """At most `most` rows of each person.

    Parameters
    ----------
    names : sequence of str, n rows
        The person of each row.
    most : int
        k, public.
    key : bytes
        16 to 64 bytes, of `os.urandom` where the choice shall not be foreseen.

    Raises
    ------
    InvalidInput
        If `most` or the key's length is out of range.
    """
    if not 1 <= most <= MOST_ROWS_A_PERSON:
        raise reject("rows a person", most, f"1 to {MOST_ROWS_A_PERSON:,}")
    if not 16 <= len(key) <= 64:
        raise reject("bytes of the key", len(key), "16 to 64")
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, []).append(row)
    index, person = [], []
    for number, (name, own) in enumerate(rows.items()):
        kept = own
        if len(own) > most:
            lots = sorted((_lot(key, name, order), row) for order, row in enumerate(own))
            kept = [row for _, row in lots[:most]]
        index.extend(kept)
        person.extend([number] * len(kept))
    chosen, groups = np.array(index, dtype=np.int64), np.array(person, dtype=np.int64)
    order = np.argsort(chosen)
    return Persons(chosen[order], groups[order], len(chosen), len(names) - len(chosen))


def _lot(key: bytes, name: str, order: int) -> bytes:
    message = order.to_bytes(8, "big") + name.encode()
    return hashlib.blake2b(message, digest_size=16, key=key).digest()
