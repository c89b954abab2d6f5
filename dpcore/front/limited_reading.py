"""Read a file of unknown origin where what it may take is limited, as the pages do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from dpcore.datasets.parquet import is_parquet
from dpcore.datasets.text import quoted

MEGABYTES, SECONDS = 3_000, 600.0
"""Of reading one file; the largest that is taken needs 1,130 MB."""

Value = TypeVar("Value")


def read_limited(read: Callable[..., Value], *arguments: object, data: bytes, name: str) -> Value:
    """The result of `read`; a file whose memory only reading it shows is read in a process apart.

    Parameters
    ----------
    read : callable
        A function of a module.
    arguments : objects
        All of its arguments.
    data : bytes
        The file, which is among them.
    name : str
        What to call it in a refusal.

    Raises
    ------
    InvalidInput
        If `read` raises it, or takes too much time or memory.
    """
    if not is_parquet(data):
        return read(*arguments)
    from dpcore.confined import Confined

    process = Confined(MEGABYTES, (read.__module__, "pyarrow.compute", "pyarrow.parquet"))
    try:
        result: Value = process.ask(f"Reading {quoted(name)}", read, *arguments, seconds=SECONDS)
        return result
    finally:
        process.close()
