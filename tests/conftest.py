"""What every test shares: a quiet, repeatable hypothesis, and the way to real data."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

if "PYTEST_XDIST_WORKER" in os.environ:
    # Processes side by side share the cores; threads within each would only wait for each other.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from dpcore.datasets import cache

# A test must not pass or fail by the speed of the machine or by luck of the draw.
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("repeatable")

# They wait for a browser, a server or a worker process.
WAITING = ("browser", "pages", "evaluation/test_jobs.py", "evaluation/test_executors.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try a failed test that waits once more: a fault fails twice, a busy machine once."""
    waiting = [Path(__file__).parent / name for name in WAITING]
    for item in items:
        if any(item.path.is_relative_to(place) for place in waiting):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data that `DPCORE_DATA` names; the test is skipped where there is none."""
    named = os.environ.get("DPCORE_DATA")
    if not named or not Path(named).is_dir():
        pytest.skip("DPCORE_DATA names no folder with the real data sets")
    return Path(named)


@pytest.fixture(autouse=True)
def no_private_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What one test could not keep in its cache is not found by the next."""
    monkeypatch.setattr(cache, "_private", None)
    yield
    if cache._private is not None:
        shutil.rmtree(cache._private, ignore_errors=True)
