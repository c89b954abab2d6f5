"""Real patients for the tests of the evaluation."""

from __future__ import annotations

import pytest

from dpcore.datasets import Preparation, Split, load, prepare


@pytest.fixture(scope="session")
def cancer() -> Split:
    return prepare(load("breast_cancer"), Preparation())
