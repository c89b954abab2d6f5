"""No worker outlives a file of tests, and no job a test."""

import threading

import pytest

from dpcore.work import executors, jobs
from tests.work.processes import workers
from tests.work.waiting import wait_for


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
