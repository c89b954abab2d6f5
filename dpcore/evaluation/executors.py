"""Where long jobs are done: worker processes of this machine, or a Dask cluster."""

from __future__ import annotations

import os
from concurrent.futures import Executor
from functools import cache
from typing import Any

from dpcore.errors import InvalidInput

SCHEDULER = "DPCORE_SCHEDULER"
WORKERS = 1  # each worker uses every core in its matrix products
IDLE_SECONDS = 600
PATIENCE = "10s"


def executor() -> Executor:
    """The cluster whose address `DPCORE_SCHEDULER` holds, or else processes of this machine.

    Raises
    ------
    InvalidInput
        If the cluster can't be reached, or the package for it is not there.
    """
    address = os.environ.get(SCHEDULER, "").strip()
    if address:
        client = _client(address)
        if client.status != "running":  # the scheduler has gone; it may be back
            _client.cache_clear()
            client = _client(address)
        # Not pure: a job that failed is done again when it is asked for again.
        found: Executor = client.get_executor(pure=False)
        return found
    from loky import get_reusable_executor

    local: Executor = get_reusable_executor(
        max_workers=WORKERS, timeout=IDLE_SECONDS, initializer=_yield_to_the_page
    )
    return local


@cache
def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise InvalidInput(
            f"{SCHEDULER} is {address!r}, but the package distributed, which it needs, is not "
            "installed."
        ) from None
    try:
        return Client(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError):
        raise InvalidInput(
            f"{SCHEDULER} is {address!r}, but no Dask scheduler answers there."
        ) from None


def _yield_to_the_page() -> None:
    """Workers run at low priority, so that the page answers at once on a small machine."""
    if hasattr(os, "nice"):
        os.nice(10)
