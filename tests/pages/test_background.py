"""Work in the background: what is late is asked for again, what is stopped ends."""

from __future__ import annotations

import threading
import time

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.errors import InvalidInput
from pages.shared import background
from pages.shared.background import BackgroundTask, missing


def ended(task):
    deadline = time.monotonic() + 10.0
    while not task.future.done() and time.monotonic() < deadline:
        time.sleep(0.01)


def test_an_answer_arrives():
    task = BackgroundTask(lambda progress: 7)
    assert task.answer(10.0) == 7
    assert (task.done, task.stopped) == (True, False)


def test_a_task_that_ends_after_the_page_was_drawn_is_still_waited_for():
    go = threading.Event()
    task = BackgroundTask(lambda progress: go.wait(10.0))
    drawn = task.answer()
    go.set()
    task.answer(10.0)
    assert task.done
    # The page was drawn without it: it must not be taken for shown.
    assert [name for name, _, _ in missing("x", "words", task, drawn)] == ["x"]
    assert missing("x", "words", task, task.answer()) == []


def reporting():
    """A task that goes on until it is let go, and what lets it go."""
    begun, go = threading.Event(), threading.Event()

    def work(progress):
        while not go.is_set():
            progress(0.5, "")
            begun.set()
            time.sleep(0.001)
        return 1

    task: BackgroundTask[int] = BackgroundTask(work)
    assert begun.wait(10.0)
    return task, go


def test_a_task_is_stopped_where_it_reports():
    task, _ = reporting()
    task.join("anne", lambda: True)
    task.leave("anne")
    ended(task)
    assert (task.done, task.stopped) == (False, True)
    assert task.answer() is None


def test_one_who_leaves_does_not_stop_it_for_another():
    task, go = reporting()
    task.join("anne", lambda: True)
    task.join("bert", lambda: True)
    task.leave("anne")
    time.sleep(0.1)
    assert not task.stopped
    go.set()
    assert task.answer(10.0) == 1


def test_a_task_whose_last_browser_is_gone_ends_by_itself(monkeypatch):
    monkeypatch.setattr(background, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(background, "EXPIRES_SECONDS", 0.3)
    there = {"anne": False, "bert": True}
    task, _ = reporting()
    task.join("anne", lambda: there["anne"])
    task.join("bert", lambda: there["bert"])
    time.sleep(0.6)
    assert not task.stopped
    there["bert"] = False
    ended(task)
    assert task.stopped


def test_two_sessions_ask_and_one_of_them_stops_or_asks_for_something_else():
    go = threading.Event()

    def page(question, stops):
        import streamlit as st

        from pages.shared import background

        task = background.ask("answer", question, st.session_state["work"])
        (watched,) = background.watched([("answer", "Asking", task)])
        if stops:
            watched.stop()
        st.write(f"{watched.state()} {task.answer()}")

    def work(progress):
        while not go.wait(0.001):
            progress(0.5, "")
        return 1

    def said(app, question="one", stops=False):
        app.session_state["work"] = work
        app.kwargs = {"question": question, "stops": stops}
        return str(app.run().markdown[0].value)

    first, second, third = (
        AppTest.from_function(page, kwargs={"question": "one", "stops": False}) for _ in range(3)
    )
    try:
        assert [said(app) for app in (first, second, third)] == ["running None"] * 3
        assert said(first, stops=True) == "stopped None"
        assert said(first) == "stopped None"
        assert said(second, "another") == "running None"
        assert said(third) == "running None"
    finally:
        go.set()
    third_answer = ""
    deadline = time.monotonic() + 10.0
    while third_answer != "done 1" and time.monotonic() < deadline:
        third_answer = said(third)
    assert third_answer == "done 1"
    # What another has carried on with is there for who stopped it, too.
    assert said(first) == "done 1"


def test_its_own_error_is_raised():
    def work(progress):
        raise InvalidInput("σ is 0, but it must be above 0.")

    task: BackgroundTask[int] = BackgroundTask(work)
    with pytest.raises(InvalidInput):
        task.answer(10.0)
    assert task.done
