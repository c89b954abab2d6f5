"""What every test shares: a quiet, repeatable hypothesis, and the way to real data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A test must not pass or fail by the speed of the machine or by luck of the draw.
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data that `DPCORE_DATA` names; the test is skipped where there is none."""
    named = os.environ.get("DPCORE_DATA")
    if not named or not Path(named).is_dir():
        pytest.skip("DPCORE_DATA names no folder with the real data sets")
    return Path(named)
