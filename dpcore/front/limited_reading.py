"""Read a file of unknown origin where what it may take is limited, as the pages do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from dpcore.datasets.parquet import is_parquet
from dpcore.datasets.text import quoted

MEGABYTES, SECONDS = 3_000, 600.0
"""Of reading one file; the largest that is taken needs 1,130 MB."""

Value = TypeVar("Value")


def read_limited(read: Callable[..., Value], data: bytes, filename: str, **others: object) -> Value:
    """The result of `read`; where only reading shows the memory needed, in a process apart."""
    call = partial(read, data=data, filename=filename, **others)
    if not is_parquet(data):
        return call()
    from dpcore.confined import Confined

    process = Confined(MEGABYTES, (read.__module__, "pyarrow.compute", "pyarrow.parquet"))
    try:
        result: Value = process.ask(f"Reading {quoted(filename)}", call, seconds=SECONDS)
        return result
    finally:
        process.close()
