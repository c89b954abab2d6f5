"""About how long a job in the queue still waits."""

import pytest

from dpcore.evaluation import waits
from dpcore.evaluation.waits import Wait


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """The time, which only a test moves on; nothing is remembered."""
    now = [0.0]
    monkeypatch.setattr(waits.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(waits, "_seconds", {})
    monkeypatch.setattr(waits, "_freed", {})
    return now


def test_it_is_told_by_what_jobs_of_the_kind_took(clock):
    curves = [Wait("curve", 0.0) for _ in range(4)]
    assert waits.seconds([(each, 0.0) for each in curves]) is None
    clock[0] = 10.0
    curves[0].ended(finished=True)
    clock[0] = 13.0
    # Three of 10 s, the first since the worker was free again, 3 s ago.
    assert waits.seconds([(each, 0.0) for each in curves[1:]]) == pytest.approx(27.0)
    # Its own progress tells more.
    assert waits.seconds([(curves[1], 0.75)]) == pytest.approx(1.0)
    assert waits.seconds([(curves[1], 0.75), (Wait("training", 12.0), 0.0)]) is None
    assert waits.seconds([]) == 0.0


def test_a_job_that_was_stopped_tells_nothing_of_the_kind(clock):
    first, second = Wait("curve", 0.0), Wait("curve", 0.0)
    clock[0] = 1.0
    first.ended(finished=False)
    assert waits.seconds([(second, 0.0)]) is None
    clock[0] = 5.0
    second.ended(finished=True)
    assert waits.seconds([(Wait("curve", 5.0), 0.0)]) == pytest.approx(4.0)


def test_a_cluster_does_several_at_once(monkeypatch):
    monkeypatch.setenv("DPCORE_SCHEDULER", "tcp://here")
    assert waits.seconds([(Wait("curve", 0.0), 0.5)]) is None
