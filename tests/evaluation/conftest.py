"""Real patients for the tests of the evaluation."""

import pytest

from dpcore.datasets import Preparation, load, prepare


@pytest.fixture(scope="session")
def cancer():
    return prepare(load("breast_cancer"), Preparation())
