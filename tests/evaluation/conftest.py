"""Real patients for the tests of the evaluation, and what tests of jobs need."""

import threading

import pytest

from dpcore.datasets import Preparation, load, prepare
from dpcore.evaluation import executors, jobs
from tests.evaluation.processes import workers
from tests.evaluation.waiting import wait_for


@pytest.fixture(scope="session")
def cancer():
    return prepare(load("breast_cancer"), Preparation())


@pytest.fixture(scope="module")
def no_worker_is_left():
    before = set(threading.enumerate())
    yield
    executors.close()
    assert workers() == []
    wait_for(lambda: set(threading.enumerate()) <= before)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache folder, and no job in this process's memory."""
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    monkeypatch.setattr(jobs, "_attempts", {})
    return tmp_path
