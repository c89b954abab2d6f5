"""Answers of threads: they end with the last who waits for them, also where a browser is gone."""

from __future__ import annotations

import threading
import time

import pytest

from dpcore.work import handle
from dpcore.work.handle import BackgroundAnswer
from tests.work.waiting import wait_for


def reporting():
    """An answer that is computed until it is stopped."""
    begun = threading.Event()

    def work(progress):
        while True:
            progress(0.5, "half of it")
            begun.set()
            time.sleep(0.001)

    answer: BackgroundAnswer[None] = BackgroundAnswer(work)
    assert begun.wait(10.0)
    return answer


def test_it_tells_how_far_it_is_and_then_what_came_of_it():
    go = threading.Event()

    def work(progress):
        progress(0.25, "counting")
        go.wait(10.0)
        return 7

    answer = BackgroundAnswer(work)
    wait_for(lambda: answer.fraction == 0.25)
    assert (answer.state, answer.message, answer.result()) == ("running", "counting", None)
    go.set()
    assert answer.result(10.0) == 7
    answer.cancel()  # too late
    assert (answer.state, answer.result()) == ("done", 7)


def test_an_error_of_its_own_is_its_answer():
    answer = BackgroundAnswer(lambda _: 1 / 0)
    wait_for(lambda: answer.state == "failed")
    with pytest.raises(ZeroDivisionError):
        answer.result()


def test_it_is_stopped_once_the_last_has_left_it():
    answer = reporting()
    answer.watch("anne")
    answer.watch("bert")
    answer.leave("anne")
    time.sleep(0.1)
    assert answer.state == "running"
    answer.leave("bert")
    assert answer.state == "cancelled"
    wait_for(lambda: answer.future.done())
    assert (answer.state, answer.result()) == ("cancelled", None)


def test_one_whose_last_browser_is_gone_ends_by_itself(monkeypatch):
    monkeypatch.setattr(handle, "BEAT_SECONDS", 0.05)
    monkeypatch.setattr(handle, "EXPIRES_SECONDS", 0.3)
    there = {"anne": False, "bert": True}
    answer = reporting()
    answer.watch("anne", lambda: there["anne"])
    answer.watch("bert", lambda: there["bert"])
    time.sleep(0.6)
    assert answer.state == "running"
    there["bert"] = False
    wait_for(lambda: answer.state == "cancelled")
