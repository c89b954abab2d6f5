"""The panel: its lines, when it looks again, when the page is drawn anew, what buttons do."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpcore.errors import InvalidInput
from dpcore.work import executors, jobs
from dpcore.work.handle import BackgroundAnswer
from pages.shared import work
from pages.shared.work import JobLine, Late, State, WatchedAnswers
from tests.pages.waiting import until
from tests.work.tasks import Counting


@dataclass
class Fake:
    """A thing that is in the state that the test says, and notes what is done to it."""

    name: str
    drawn: State
    now: State
    words: str = "Counting"
    quiet: bool = False
    news: bool = False
    seconds: float = 0.25
    done: list[str] = field(default_factory=list)

    def state(self):
        return self.now

    def has_news(self):
        return self.news

    def line(self):
        if self.quiet or self.now == "done":
            return None
        if self.now == "running":
            return JobLine(f"{self.words}: half of it", 0.5)
        return JobLine(f"{self.words}: {self.now}.", button="Go on")

    def start(self):
        self.done.append("start")

    def stop(self):
        self.done.append("stop")
        self.now = "stopped"

    def again(self):
        self.done.append("again")
        self.now = "running"


class Scene:
    """A page over fake things, and how often it was drawn."""

    def __init__(self, *things):
        self.things = things
        self.drawn = 0
        self.app = AppTest.from_function(_page)
        self.app.session_state["scene"] = self
        self.app.run()
        assert not self.app.exception

    def click(self, key):
        self.app.button(key=key).click().run()
        assert not self.app.exception

    @property
    def bars(self):
        return [bar.text for bar in self.app.get("progress")]

    @property
    def captions(self):
        return [caption.value for caption in self.app.caption]

    @property
    def buttons(self):
        return [button.label for button in self.app.button]


def _page():
    import streamlit as st

    from pages.shared import work

    scene = st.session_state["scene"]
    scene.drawn += 1
    if scene.drawn > 1:  # a page drawn anew is drawn with what is there by then
        for thing in scene.things:
            thing.drawn = thing.now
    work.watch([thing for thing in scene.things if thing.drawn != "done"])


def test_each_thing_has_a_line_and_what_is_under_way_is_begun():
    going, failed = Fake("a", "running", "running"), Fake("b", "failed", "failed", "Adding")
    scene = Scene(going, failed)
    assert scene.drawn == 1
    assert scene.bars == ["Counting: half of it"]
    assert scene.captions == []
    assert [warning.value for warning in scene.app.warning] == ["Adding: failed."]
    assert scene.buttons == ["Stop", "Go on"]
    assert (going.done, failed.done) == (["start"], [])


@pytest.mark.parametrize("now", ["done", "failed", "stopped", "new"])
def test_the_page_is_drawn_anew_when_a_state_is_not_as_it_was_drawn(now):
    thing = Fake("a", "running", now)
    scene = Scene(thing, Fake("b", "running", "running"))
    assert scene.drawn == 2
    # What it was drawn without may be there; it is not begun again.
    assert thing.done == []


def test_the_page_is_drawn_anew_for_news_in_the_same_state():
    thing = Fake("a", "running", "running", news=True)
    scene = Scene(Fake("b", "running", "running"))
    assert scene.drawn == 1
    scene.things = (thing,)
    with pytest.MonkeyPatch.context() as patched:
        # Drawn anew, it has no more news.
        patched.setattr(Fake, "has_news", lambda fake: fake.news and scene.drawn < 3)
        scene.app.run()
    assert scene.drawn == 3


@pytest.mark.parametrize("thing", [Fake("a", "running", "running", quiet=True), None])
def test_nothing_is_drawn_for_what_is_quiet_or_for_nothing(thing):
    scene = Scene(*[thing] if thing else [])
    assert (scene.drawn, scene.bars, scene.captions, scene.buttons) == (1, [], [], [])


def test_stop_and_go_on_reach_the_one_whose_line_it_is():
    first, second = Fake("a", "running", "running"), Fake("b", "running", "running")
    scene = Scene(first, second)
    scene.click("b_stop")
    assert (first.done.count("stop"), second.done.count("stop")) == (0, 1)
    assert scene.captions == ["Counting: stopped."]
    scene.click("b_start")
    assert (first.done.count("again"), second.done.count("again")) == (0, 1)
    assert len(scene.bars) == 2


@pytest.mark.parametrize(
    ("states", "seconds"),
    [
        (["running"], 0.25),
        (["stopping"], 0.25),
        (["stopped", "running"], 0.25),
        (["stopped", "failed", "new"], None),
    ],
)
def test_it_looks_again_only_while_something_moves(monkeypatch, states, seconds):
    noun: list[float | None] = []

    def fragment(run_every):
        noun.append(run_every)
        return lambda look: look

    monkeypatch.setattr(st, "fragment", fragment)
    still: list[bool] = []
    things = [Fake(str(place), each, each) for place, each in enumerate(states)]
    work.watch(things, draw=still.append)
    assert noun == [seconds]
    # A table is drawn only where it stays.
    assert still == [seconds is None]


def test_threads_keep_quiet_for_a_second_and_share_one_line(monkeypatch):
    go = threading.Event()
    held, there = BackgroundAnswer(lambda _: go.wait(60.0)), BackgroundAnswer(lambda _: 7)
    watched = WatchedAnswers([Late("a", "Solving", held), Late("b", "Judging", held)])
    assert watched.state() == watched.drawn == "running"
    assert watched.line() is None
    monkeypatch.setattr(work, "QUIET_SECONDS", 0.0)
    line = watched.line()
    assert line is not None
    assert (line.words, line.button) == ("Solving (and 1 more) …", "Stop")
    # One answer that is there draws the page anew.
    assert there.result(10.0) == 7
    watched = WatchedAnswers([Late("a", "Solving", held), Late("b", "Judging", there)])
    assert (watched.drawn, watched.state()) == ("running", "done")
    go.set()


def test_two_sessions_ask_and_one_of_them_stops_or_asks_for_something_else():
    go = threading.Event()

    def page(question, stops):
        import streamlit as st

        from pages.shared import work

        answer, waiting = work.answer_to("answer", "Asking", question, st.session_state["compute"])
        watched = work.watched(waiting)
        if stops:
            watched[0].stop()
        st.write(f"{watched[0].state() if watched else 'done'} {answer}")

    def compute(progress):
        while not go.wait(0.001):
            progress(0.5, "")
        return 1

    def said(app, question="one", stops=False):
        app.session_state["compute"] = compute
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


def _jobs_page():
    import streamlit as st

    from pages.shared import work

    watched = work.WatchedJobs("count", "count", st.session_state["tasks"], work.submit)
    st.session_state["drawn"] = watched.drawn
    work.watch([watched])


def jobs_page(**tasks):
    app = AppTest.from_function(_jobs_page, default_timeout=60)
    app.session_state["tasks"] = tasks
    app.run()
    assert not app.exception
    return app


@pytest.mark.slow("runs whole pages, which wait for jobs")
@pytest.mark.usefixtures("alone")
def test_jobs_are_begun_at_the_second_look_and_stopped_and_gone_on_with_together():
    tasks = {"Counting": Counting(upto=9_000, seconds=0.05), "Adding": Counting(9_001, 0.05)}
    app = jobs_page(**tasks)
    assert jobs._attempts == {}
    app.run()
    assert set(jobs._attempts) == {task.key for task in tasks.values()}
    app.button(key="count_stop").click().run()
    assert {jobs.Job(task.key).state for task in tasks.values()} == {"cancelled"}
    assert app.session_state["drawn"] == "stopping"
    until(lambda: app.session_state["drawn"] == "stopped", app)
    assert app.caption[0].value == "Counting: stopped."
    # It stays stopped however often the page is drawn.
    app.run()
    assert {jobs.Job(task.key).state for task in tasks.values()} == {"cancelled"}
    app.button(key="count_start").click().run()
    assert app.session_state["drawn"] == "running"
    assert {jobs.Job(task.key).state for task in tasks.values()} <= {"queued", "running"}


@pytest.mark.usefixtures("alone")
def test_a_job_that_failed_says_why_as_it_stands(monkeypatch):
    def nobody(*_, **__):
        raise InvalidInput("*There* is no `room`.")

    monkeypatch.setattr(executors, "submit", nobody)
    app = jobs_page(Counting=Counting(upto=2))
    app.run()
    until(lambda: app.session_state["drawn"] == "failed", app)
    assert [warning.value for warning in app.warning] == [r"Counting: \*There\* is no \`room\`."]
    assert [button.label for button in app.button] == ["Train again"]
    monkeypatch.undo()
    app.button(key="count_start").click().run()
    until(lambda: app.session_state["drawn"] == "done", app)
    assert not app.button


@pytest.mark.usefixtures("alone")
def test_a_full_queue_is_waited_for_and_told_to_who_asks_for_more(monkeypatch):
    monkeypatch.setattr(jobs, "MAX_UNFINISHED", 0)
    app = jobs_page(Counting=Counting(upto=2))
    app.run()
    (bar,) = app.get("progress")
    assert bar.text == "Counting: waiting for room in the queue"
    app.button(key="count_stop").click().run()
    assert app.session_state["drawn"] == "stopped"
    app.button(key="count_start").click().run()
    assert "jobs are in the queue" in app.toast[0].value
    monkeypatch.setattr(jobs, "MAX_UNFINISHED", 10)
    until(lambda: app.session_state["drawn"] == "done", app)
