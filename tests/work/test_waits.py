"""About how long a job in the queue still waits."""

import pytest

from dpcore.work import executors
from dpcore.work.executors import Kind, Turn, Worker
from tests.work.waiting import wait_for

ALONE = Kind(is_long=True)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """The time, which only a test moves on; nothing is remembered."""
    now = [0.0]
    monkeypatch.setattr(executors.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(executors, "_times", {})
    return now


@pytest.fixture
def do(clock, monkeypatch):
    """Have work of a kind done, which takes so many seconds and may fail."""

    def work(seconds, is_good):
        clock[0] += seconds
        if not is_good:
            raise ValueError

    def do(alike, seconds, is_good=True):
        worker.submit(Turn("", lambda: work(seconds, is_good), alike)).exception()

    worker = Worker(ALONE)
    monkeypatch.setattr(worker, "_do", lambda work: work())
    yield do
    worker.shutdown()


def test_it_is_told_by_what_jobs_of_the_kind_took(clock, do):
    curves = [Turn("", str, "curve") for _ in range(3)]
    assert executors.seconds([(each, 0.0) for each in curves]) is None
    do("curve", 10.0)
    curves[0].begun = 10.0
    clock[0] = 13.0
    # Three of 10 s, the first since 3 s ago.
    assert executors.seconds([(each, 0.0) for each in curves]) == pytest.approx(27.0)
    # Its own progress tells more.
    assert executors.seconds([(curves[0], 0.75)]) == pytest.approx(1.0)
    assert executors.seconds([(curves[0], 0.75), (Turn("", str, "training"), 0.0)]) is None
    assert executors.seconds([]) == 0.0


def test_a_job_that_was_stopped_tells_nothing_of_the_kind(do):
    do("curve", 1.0, is_good=False)
    assert executors.seconds([(Turn("", str, "curve"), 0.0)]) is None
    do("curve", 4.0)
    assert executors.seconds([(Turn("", str, "curve"), 0.0)]) == pytest.approx(4.0)


def test_a_worker_says_what_it_does_before(monkeypatch):
    worker, held = Worker(ALONE), []
    monkeypatch.setattr(worker, "_do", lambda work: wait_for(lambda: held))
    turns = [Turn(owner, str) for owner in "aaab"]
    futures = [worker.submit(turn) for turn in turns]
    wait_for(futures[0].running)
    first, second, third, other = turns
    assert worker.ahead(futures[1]) == [first, other]
    assert worker.ahead(futures[2]) == [first, other, second]
    assert worker.ahead(futures[3]) == [first]
    assert worker.ahead(futures[0]) == []
    futures[1].cancel()
    assert worker.ahead(third.future) == [first, other]
    held.append(1)
    worker.shutdown()
