"""Work in the background: what is late is asked for again, what is stopped ends."""

from __future__ import annotations

import threading
import time

from streamlit.testing.v1 import AppTest

from pages.shared import background
from pages.shared.background import BackgroundTask, missing
from tests.pages.waiting import until


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
    """A task that goes on until it is stopped."""
    begun = threading.Event()

    def work(progress):
        while True:
            progress(0.5, "")
            begun.set()
            time.sleep(0.001)

    task: BackgroundTask[None] = BackgroundTask(work)
    assert begun.wait(10.0)
    return task


def test_a_task_is_stopped_once_the_last_has_left_it():
    task = reporting()
    task.join("anne", lambda: True)
    task.join("bert", lambda: True)
    task.leave("anne")
    time.sleep(0.1)
    assert not task.stopped
    task.leave("bert")
    until(task.future.done)
    assert (task.done, task.stopped) == (False, True)
    assert task.answer() is None


def test_a_task_whose_last_browser_is_gone_ends_by_itself(monkeypatch):
    monkeypatch.setattr(background, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(background, "EXPIRES_SECONDS", 0.3)
    there = {"anne": False, "bert": True}
    task = reporting()
    task.join("anne", lambda: there["anne"])
    task.join("bert", lambda: there["bert"])
    time.sleep(0.6)
    assert not task.stopped
    there["bert"] = False
    until(task.future.done)
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
    until(lambda: said(third) == "done 1")
    # What another has carried on with is there for who stopped it, too.
    assert said(first) == "done 1"
