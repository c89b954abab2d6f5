"""The job panel: its lines, when it looks again, when the page is drawn anew, what buttons do."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from functools import partial

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpcore.errors import InvalidInput
from dpcore.evaluation import executors, jobs
from pages.shared import background, job_panel, shared_jobs
from pages.shared.background import BackgroundTask, WatchedAnswers
from pages.shared.job_panel import JobLine, State
from tests.evaluation.tasks import Counting


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

    def look(self):
        self.app.run()

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

    from pages.shared import job_panel

    scene = st.session_state["scene"]
    scene.drawn += 1
    if scene.drawn > 1:  # a page drawn anew is drawn with what is there by then
        for thing in scene.things:
            thing.drawn = thing.now
    job_panel.watch([thing for thing in scene.things if thing.drawn != "done"])


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
        scene.look()
    assert scene.drawn == 3


@pytest.mark.slow("runs whole pages, which wait for jobs")
@pytest.mark.usefixtures("cache")
def test_jobs_that_are_shown_one_by_one_have_news_of_each_but_not_too_often(monkeypatch):
    tasks = {"First": Counting(upto=2), "Second": Counting(upto=3)}
    monkeypatch.setattr(shared_jobs, "stored", lambda key: None)
    made = partial(shared_jobs.WatchedJobs, "count", "count", tasks, shared_jobs.submit)
    one_by_one, together = made(one_by_one=True), made()
    monkeypatch.setattr(shared_jobs, "NEWS_SECONDS", 0.0)
    assert not one_by_one.has_news()
    job = jobs.submit(tasks["First"], watcher="a")
    deadline = time.monotonic() + 60.0
    while job.state != "done":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert one_by_one.state() == one_by_one.drawn == "running"
    assert one_by_one.has_news()
    assert not together.has_news()
    # Drawn with it, the page has nothing to add.
    assert not made(one_by_one=True).has_news()
    monkeypatch.setattr(shared_jobs, "NEWS_SECONDS", 1e9)
    assert not one_by_one.has_news()


def test_nothing_is_drawn_for_what_is_quiet_or_for_nothing():
    scene = Scene(Fake("a", "running", "running", quiet=True))
    assert (scene.bars, scene.captions, scene.buttons) == ([], [], [])
    scene = Scene()
    assert (scene.drawn, scene.buttons) == (1, [])


def test_stop_and_go_on_reach_the_one_whose_line_it_is():
    first, second = Fake("a", "running", "running"), Fake("b", "running", "running")
    scene = Scene(first, second)
    scene.click("b_stop")
    assert (first.done.count("stop"), second.done.count("stop")) == (0, 1)
    assert scene.captions == ["Counting: stopped."]
    scene.click("b_start")
    assert (first.done.count("again"), second.done.count("again")) == (0, 1)
    assert len(scene.bars) == 2


def test_a_line_without_a_button_has_none(monkeypatch):
    monkeypatch.setattr(Fake, "line", lambda self: JobLine("Over.", button=""))
    assert Scene(Fake("a", "stopped", "stopped")).buttons == []


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
    job_panel.watch(things, draw=still.append)
    assert noun == [seconds]
    # A table is drawn only where it stays.
    assert still == [seconds is None]


@pytest.fixture
def held():
    """A thread's task that goes on until the test is over."""
    go = threading.Event()

    def work(progress):
        while not go.wait(0.001):
            progress(0.5, "")
        return 1

    yield BackgroundTask(work)
    go.set()


def test_threads_keep_quiet_for_a_second_and_share_one_line(monkeypatch, held):
    watched = WatchedAnswers([("a", "Solving", held), ("b", "Judging", held)])
    assert watched.state() == watched.drawn == "running"
    assert watched.line() is None
    monkeypatch.setattr(background, "QUIET_SECONDS", 0.0)
    line = watched.line()
    assert line is not None
    assert line.words == "Solving (and 1 more) …"
    assert line.button == "Stop"


def test_one_answer_that_is_there_draws_the_page_anew(held):
    there = BackgroundTask(lambda _: 7)
    assert there.answer(10.0) == 7
    watched = WatchedAnswers([("a", "Solving", held), ("b", "Judging", there)])
    assert (watched.drawn, watched.state()) == ("running", "done")


@pytest.fixture
def cache(tmp_path):
    """No job from elsewhere, and none left behind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DPCORE_CACHE", str(tmp_path))
        patch.setattr(jobs, "_attempts", {})
        yield
        for key in list(jobs._attempts):
            jobs.Job(key).cancel()


def _jobs_page():
    import streamlit as st

    from pages.shared import job_panel, shared_jobs

    watched = shared_jobs.WatchedJobs(
        "count", "count", st.session_state["tasks"], shared_jobs.submit, late=True
    )
    st.session_state["drawn"] = watched.drawn
    job_panel.watch([watched])


def jobs_page(**tasks):
    app = AppTest.from_function(_jobs_page, default_timeout=60)
    app.session_state["tasks"] = tasks
    app.run()
    assert not app.exception
    return app


def until(app, state):
    deadline = time.monotonic() + 60.0
    while app.session_state["drawn"] != state:
        assert time.monotonic() < deadline, f"it was never {state}"
        time.sleep(0.1)
        app.run()
        assert not app.exception


@pytest.mark.slow("runs whole pages, which wait for jobs")
@pytest.mark.usefixtures("cache")
def test_jobs_are_begun_at_the_second_look_and_stopped_and_gone_on_with_together():
    tasks = {"Counting": Counting(upto=9_000, seconds=0.05), "Adding": Counting(9_001, 0.05)}
    app = jobs_page(**tasks)
    assert jobs._attempts == {}
    app.run()
    assert set(jobs._attempts) == {task.key for task in tasks.values()}
    app.button(key="count_stop").click().run()
    assert {jobs.Job(task.key).state for task in tasks.values()} == {"cancelled"}
    assert app.session_state["drawn"] == "stopping"
    until(app, "stopped")
    assert app.caption[0].value == "Counting: stopped."
    # It stays stopped however often the page is drawn.
    app.run()
    assert {jobs.Job(task.key).state for task in tasks.values()} == {"cancelled"}
    app.button(key="count_start").click().run()
    assert app.session_state["drawn"] == "running"
    assert {jobs.Job(task.key).state for task in tasks.values()} <= {"queued", "running"}


@pytest.mark.usefixtures("cache")
def test_a_job_that_failed_says_why_as_it_stands(monkeypatch):
    def nobody(*_, **__):
        raise InvalidInput("*There* is no `room`.")

    monkeypatch.setattr(executors, "submit", nobody)
    app = jobs_page(Counting=Counting(upto=2))
    app.run()
    until(app, "failed")
    assert [warning.value for warning in app.warning] == [r"Counting: \*There\* is no \`room\`."]
    assert [button.label for button in app.button] == ["Train again"]
    monkeypatch.undo()
    app.button(key="count_start").click().run()
    until(app, "done")
    assert not app.button


@pytest.mark.usefixtures("cache")
def test_a_full_queue_is_waited_for_and_told_to_who_asks_for_more(monkeypatch):
    monkeypatch.setattr(jobs, "MAX_UNFINISHED", 0)
    app = jobs_page(Counting=Counting(upto=2))
    app.run()
    (bar,) = app.get("progress")
    assert bar.text == "Counting: waiting for room in the queue"
    app.button(key="count_stop").click().run()
    assert app.session_state["drawn"] == "stopping"
    app.button(key="count_start").click().run()
    assert "jobs are in the queue" in app.toast[0].value
    monkeypatch.setattr(jobs, "MAX_UNFINISHED", 10)
    until(app, "done")


def _stages_page():
    import streamlit as st

    from pages.shared import job_panel, shared_jobs
    from pages.shared.shared_jobs import WatchedJobs

    tasks, submit = st.session_state["tasks"], shared_jobs.submit
    first = WatchedJobs("first", "count", {"First": tasks["First"]}, submit)
    others = {name: task for name, task in tasks.items() if name != "First"}
    stages = [first, WatchedJobs("others", "count", others, submit)]
    st.session_state["drawn"] = "/".join(stage.drawn for stage in stages)
    job_panel.watch(stages, [WatchedJobs("whole", "count", tasks, submit)])


@pytest.mark.usefixtures("cache")
def test_stages_share_one_line_and_one_button():
    tasks = {"First": Counting(upto=2), "Second": Counting(upto=3), "Long": Counting(9_002, 0.05)}
    app = AppTest.from_function(_stages_page, default_timeout=60)
    app.session_state["tasks"] = tasks
    deadline = time.monotonic() + 60.0
    while tasks["Long"].key not in jobs._attempts or jobs.Job(tasks["Second"].key).state != "done":
        assert time.monotonic() < deadline, "the short ones were never done"
        app.run()
    app.run()
    assert app.session_state["drawn"] == "done/running"
    assert [button.label for button in app.button] == ["Stop"]
    app.button(key="whole_stop").click().run()
    assert app.session_state["drawn"] == "done/stopped"
    # It goes on though what its stage began with was done before it was stopped.
    app.button(key="whole_start").click().run()
    assert app.session_state["drawn"] == "done/running"
