"""Work in the background: what is late is asked for again, what is stopped ends."""

from __future__ import annotations

import threading
import time

import pytest

from app_pages.parts.background import Task, missing
from dpcore.errors import InvalidInput


def ended(task: Task[int]) -> None:
    deadline = time.monotonic() + 10.0
    while not task.future.done() and time.monotonic() < deadline:
        time.sleep(0.01)


def test_an_answer_arrives() -> None:
    task = Task(lambda progress: 7)
    assert task.answer(10.0) == 7
    assert (task.done, task.stopped) == (True, False)


def test_a_task_that_ends_after_the_page_was_drawn_is_still_waited_for() -> None:
    go = threading.Event()
    task = Task(lambda progress: go.wait(10.0))
    drawn = task.answer()
    go.set()
    task.answer(10.0)
    assert task.done
    # The page was drawn without it: it must not be taken for shown.
    assert [name for name, _, _ in missing("x", "words", task, drawn)] == ["x"]
    assert missing("x", "words", task, task.answer()) == []


def test_a_task_is_stopped_where_it_reports() -> None:
    begun = threading.Event()

    def work(progress: object) -> int:
        for step in range(100_000):
            begun.set()
            progress(step / 100_000, "")  # type: ignore[operator]
            time.sleep(0.001)
        return 1

    task: Task[int] = Task(work)
    assert begun.wait(10.0)
    task.stop()
    ended(task)
    assert (task.done, task.stopped) == (False, True)
    assert task.answer() is None


def test_its_own_error_is_raised() -> None:
    def work(progress: object) -> int:
        raise InvalidInput("σ is 0, but it must be above 0.")

    task: Task[int] = Task(work)
    with pytest.raises(InvalidInput):
        task.answer(10.0)
    assert task.done
