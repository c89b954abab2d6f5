"""What a session waits for: answers of threads, jobs of workers, and one panel that shows both.

A session leaves work when it stops it, changes its settings or loses its browser; the work ends
with the last session that waits for it. Changing to another page keeps the jobs, but for the first
page's curves, which make room for Train's.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpcore.datasets import DataUnavailable, load
from dpcore.progress import Progress
from dpcore.words import lasting
from dpcore.work import jobs
from dpcore.work.handle import UNDER_WAY, BackgroundAnswer, watched_by
from dpcore.work.task import StudyProtocol, Task
from pages.shared.session import once, store, stored
from pages.shared.verbatim import refuse, verbatim

if TYPE_CHECKING:
    import pandas as pd

State = Literal["new", "running", "stopping", "stopped", "failed", "done"]
"""Waiting for a click; running or queued; stopped, with its last rows still to come; stopped by the
person; ended with a reason; finished."""
Value = TypeVar("Value")

CURVES = "curves"  # name of the place on Explore
JOB_SECONDS, ANSWER_SECONDS = 0.7, 0.15  # between two polls
NEWS_SECONDS = 5.0  # between two drawings of a page for one more job that is done
# Seconds that a page waits for an answer before it goes on without it: most are done by then.
PATIENCE = 0.05
# A shorter wait for an answer shows no line on the page.
QUIET_SECONDS = 1.0


def present() -> Callable[[], bool]:
    """Return a function that says, in any thread, whether this session's browser is connected."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return lambda: True
    session, server = context.session_id, runtime.get_instance()
    return lambda: server.is_active_session(session)


def me() -> str:
    """The session's unique name, of letters and digits."""
    return once("name", lambda: secrets.token_hex(8))


def only(place: str, keys: Collection[str]) -> None:
    """Leave the jobs that this session waits for at a place, except these.

    Places of a page are named in letters: several may wait for one job.
    """
    kept = [jobs.Job(key) for key in keys]
    for job in watched_by(me() + place):
        if job not in kept:
            job.leave(me() + place)


def submit(place: str, task: Task, *, is_sweep: bool = False) -> None:
    """Submit a task to the workers, or join its job; `QueueFull` if too many are unfinished.

    A sweep is one of many tasks that nobody looks at one by one.
    """
    watcher = me() + place
    jobs.submit(task, watcher=watcher, alive=present(), owner=me(), is_sweep=is_sweep)
    if stopped(task.key):
        _wish(task.key, None)


def join(place: str, key: str) -> None:
    """Wait for a running job, unless this session has stopped it."""
    if not stopped(key):
        jobs.Job(key).watch(me() + place, present())


def stop(key: str) -> None:
    """Leave a job at every place, at the person's request."""
    job = jobs.Job(key)
    for watcher in job.watchers:
        if watcher.startswith(me()):
            job.leave(watcher)
    _wish(key, "stopped")


def begin(key: str) -> None:
    """Note that the person started the job, until they stop it."""
    _wish(key, "begun")


def begun(key: str) -> bool:
    """Whether the person started it in this session, and has not stopped it since."""
    return bool(stored(f"wish {key}") == "begun")


def stopped(key: str) -> bool:
    """Whether the person stopped it in this session, and has not started it since."""
    return bool(stored(f"wish {key}") == "stopped")


def state(key: str) -> str:
    """State of a job for this session: "cancelled" if it was stopped here.

    Another session may still wait for a job that was stopped here.
    """
    current = jobs.Job(key).state
    return "cancelled" if stopped(key) and current in UNDER_WAY else current


# Not copied at each use, as other cached data are: no page changes a table in place.
@st.cache_resource(max_entries=180, show_spinner=False)
def result(key: str) -> pd.DataFrame:
    """The rows of a finished job."""
    return jobs.Job(key).result()


def _wish(key: str, wish: Literal["begun", "stopped"] | None) -> None:
    store(f"wish {key}", wish)


@dataclass(frozen=True)
class Late:
    """An answer that the page is drawn without."""

    name: str  # it was asked for by
    words: str  # what it does, for the screen
    answer: BackgroundAnswer[Any]


Waiting = list[Late]


def answer_to(
    name: str,
    words: str,
    key: Hashable,
    work: Callable[[Progress], Value],
    *,
    wait: float = PATIENCE,
    quick: bool = False,
) -> tuple[Value | None, Waiting]:
    """Return the answer if it comes within `wait` seconds; else it is to be watched.

    It is computed once for all sessions. The session leaves its former answer of this name and
    another key.
    """
    box: list[BackgroundAnswer[Value]] = _answers(name, key, work, quick)
    wish, previous = f"answer {name}", stored(f"answer {name}")
    if previous is not None and previous is not box:
        previous[0].leave(me())
        _wish(wish, None)
    if not stopped(wish):
        if box[0].state == "cancelled":
            box[0] = BackgroundAnswer(work, quick=quick)
        box[0].watch(me(), present())
    store(f"answer {name}", box)
    value = box[0].result(wait)
    return value, [] if value is not None else [Late(wish, words, box[0])]


@st.cache_resource(max_entries=300, show_spinner=False)
def _answers(
    name: str, key: Hashable, _work: Callable[[Progress], Value], quick: bool
) -> list[BackgroundAnswer[Value]]:
    """A one-element list with the answer, so that a cancelled one can be replaced."""
    return [BackgroundAnswer(_work, quick=quick)]


def is_stopped(waiting: Waiting) -> bool:
    """Whether one of the answers was stopped before it was there."""
    return any(late.answer.state == "cancelled" for late in waiting)


@dataclass(frozen=True)
class JobLine:
    """What is done and how far it is, or why it rests (Markdown), and its button's label.

    `share` is ``None`` where it is not running; without a label there is no button.
    """

    words: str
    share: float | None = None
    button: str = "Stop"


class Watched:
    """Work that the panel shows.

    Parameters
    ----------
    name : str
        For the keys of its buttons.
    drawn : str
        The state in which the page was drawn.
    seconds : float
        Seconds between two polls.
    """

    name: str
    drawn: State
    seconds: float

    def state(self) -> State:
        """The current state."""
        raise NotImplementedError

    def has_news(self) -> bool:
        """Whether the page is to be drawn anew in the same state: more of it is there."""
        return False

    def line(self) -> JobLine | None:
        """Its line; ``None`` while it needs none."""
        return None

    def start(self) -> None:
        """Start it if needed; called at each poll while it is running."""

    def stop(self) -> None:
        """Stop it at the person's request."""

    def again(self) -> None:
        """Start or continue it at the person's request."""


@dataclass
class WatchedJobs(Watched):
    """Jobs that are started, stopped and shown together."""

    name: str
    place: str
    studies: Mapping[str, StudyProtocol]
    submit: Callable[[str, Any], None] | None  # (place, study); none where nothing is restarted
    seconds: float = JOB_SECONDS
    should_run: Callable[[], bool] | None = None  # by default, unless the person stopped them
    about: str = ""  # key of the study that the person starts and stops; by default the first
    begin: str = ""
    idle: Callable[[State], str] | None = None  # the line while neither running nor failed
    one_by_one: bool = False  # whether the page shows each that is done before all are
    at_once: bool = False  # whether they begin while the page is first drawn
    drawn: State = field(init=False)
    shown: int = field(init=False)
    """Number of those that were done when the page was drawn."""
    drawn_at: float = field(init=False)

    def __post_init__(self) -> None:
        self.about = self.about or self.keys[0]
        states = self._states()
        self.drawn, self.shown = self._joint(states), states.count("done")
        self.drawn_at = time.monotonic()

    @property
    def keys(self) -> list[str]:
        return [study.key for study in self.studies.values()]

    def state(self) -> State:
        """Joint state: done if all are done, failed if one failed and none is running."""
        return self._joint(self._states())

    def _states(self) -> list[str]:
        return [state(key) for key in self.keys]

    def _joint(self, states: list[str]) -> State:
        is_wanted = self.should_run() if self.should_run else not stopped(self.about)
        if all(each == "done" for each in states):
            return "done"
        if is_wanted and not all(each in ("done", "failed") for each in states):
            return "running"
        if "failed" in states:
            return "failed"
        if any(jobs.Job(key).stopping for key in self.keys):
            return "stopping"
        return "stopped" if "cancelled" in states or stopped(self.about) else "new"

    def has_news(self) -> bool:
        """Whether one more is done; not too often, as the page is drawn as a whole."""
        is_due = self.one_by_one and time.monotonic() - self.drawn_at >= NEWS_SECONDS
        return is_due and self._states().count("done") > self.shown

    def line(self) -> JobLine | None:
        """Progress of the first unfinished one, or why they do not go on."""
        current = self.state()
        if current == "done":
            return None
        passed = {"running": ("done", "failed"), "failed": ("done", "new", "cancelled")}
        left = [
            name
            for name, study in self.studies.items()
            if state(study.key) not in passed.get(current, ("done",))
        ]
        name = next(iter([*left, *self.studies]))
        button = {"new": self.begin, "failed": "Train again"}.get(current, "Go on")
        if current in ("running", "failed"):
            share, message = _progress(self.studies[name].key)
            text = f"{name}: {message}"
            if current == "running":
                return JobLine(text, share)
        else:
            text = self.idle(current) if self.idle else f"{name}: stopped."
        return JobLine(text, button=button if self.submit else "")

    def start(self) -> None:
        """Submit what is neither running nor done, and join what is running.

        Acts from the second poll on unless `at_once`, not while the page is first drawn: a worker
        that imports its libraries then would take the processor from the browser.
        """
        polled_key = f"look {' '.join(self.keys)}"
        if self.at_once or stored(polled_key):
            with suppress(jobs.QueueFull):  # submitted again at the next poll
                # A queued one may be in sight now.
                self._hand_in("new", "cancelled", "queued")
            for key in self.keys:
                join(self.place, key)
        store(polled_key, True)

    def stop(self) -> None:
        """Leave them all, at every place; their rows so far stay."""
        for key in {self.about, *self.keys}:
            stop(key)

    def again(self) -> None:
        """Submit them at the person's request, failed ones included."""
        for key in {self.about, *self.keys}:
            begin(key)
        try:
            self._hand_in("new", "cancelled", "failed")
        except jobs.QueueFull as refusal:
            tell_full(refusal)

    def _hand_in(self, *states: str) -> None:
        for study in self.studies.values():
            if self.submit and state(study.key) in states:
                self.submit(self.place, study)


def tell_full(refusal: jobs.QueueFull) -> None:
    """Say, for a moment, that the queue has no room."""
    st.toast(verbatim(str(refusal)), icon=":material/hourglass:")


def _progress(key: str) -> tuple[float, str]:
    job = jobs.Job(key)
    if job.state == "new":
        return 0.0, "waiting for room in the queue" if jobs.full() else "starting"
    others = ""
    if job.ahead:
        seconds = job.waiting_seconds
        time_left = "" if seconds is None else f"; about {lasting(seconds)}, as the last ones took"
        others = f", also of other pages and people{time_left}"
    return job.fraction, verbatim(f"{job.message}{others}")


class WatchedAnswers(Watched):
    """Answers in one line; one that is there draws the page anew."""

    seconds = ANSWER_SECONDS

    def __init__(self, waiting: Waiting, name: str = "answers") -> None:
        self.name = name
        self._waiting = waiting
        self.drawn: State = "running" if self._running() else "stopped"

    def _running(self) -> Waiting:
        """Those this session has not stopped; other sessions may still wait for a stopped one."""
        return [late for late in self._waiting if not stopped(late.name)]

    def state(self) -> State:
        """Joint state: done once one answer is there, or must be requested again."""
        running = self._running()
        is_there = any(late.answer.state in ("done", "failed") for late in self._waiting)
        if is_there or is_stopped(running):
            return "done"
        return "running" if running else "stopped"

    def line(self) -> JobLine | None:
        """One line for all answers; ``None`` during the first `QUIET_SECONDS`."""
        running = self._running()
        if not running:
            words = "; ".join(late.words for late in self._waiting)
            return JobLine(f"Stopped: {words}.", button="Go on")
        now = time.monotonic()
        long = [late for late in running if now - late.answer.began >= QUIET_SECONDS]
        if not long:
            return None
        more = f" (and {len(running) - 1} more)" if len(running) > 1 else ""
        return JobLine(f"{long[0].words}{more} …", long[0].answer.fraction)

    def stop(self) -> None:
        """Leave all that are running."""
        for late in self._running():
            _wish(late.name, "stopped")
            late.answer.leave(me())

    def again(self) -> None:
        """Let the page ask for them again."""
        for late in self._waiting:
            _wish(late.name, None)


def watched(waiting: Waiting, name: str = "answers") -> list[WatchedAnswers]:
    """Missing answers for the panel; empty if the page has every answer."""
    return [WatchedAnswers(waiting, name)] if waiting else []


def watch(watched: Sequence[Watched], draw: Callable[[bool], None] | None = None) -> None:
    """Draw a line for each, and redraw the page once a state differs from the drawn one.

    Polls while any is running, which nothing else does. `draw` draws the lines and all else that
    changes meanwhile, at each poll; its argument says whether this is the last drawing: while it is
    redrawn, a table's file would be gone before it is fetched.
    """
    if not watched:
        return
    poll_seconds = [each.seconds for each in watched if each.drawn in ("running", "stopping")]

    @st.fragment(run_every=min(poll_seconds, default=None))
    def poll() -> None:
        # A button in here reruns only this fragment.
        if any(each.state() != each.drawn or each.has_news() for each in watched):
            st.rerun()
        for each in watched:
            if each.drawn == "running":
                each.start()
        if draw is not None:
            draw(not poll_seconds)
            return
        for each in watched:
            show(each)

    poll()


def show(watched: Watched) -> None:
    """Draw the line of one, with its button."""
    line = watched.line()
    if line is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if line.share is not None:
            st.progress(min(1.0, max(0.0, line.share)), text=line.words)
            key, icon, action = "stop", ":material/stop_circle:", watched.stop
        else:
            if watched.state() == "failed":
                st.warning(line.words, icon=":material/error:")
            else:
                st.caption(line.words)
            key, icon, action = "start", ":material/play_arrow:", watched.again
        if line.button:
            st.button(line.button, key=f"{watched.name}_{key}", icon=icon, on_click=action)


def download(key: str) -> None:
    """Download a public data set, with progress on the page."""
    bar = st.progress(0.0, text="Asking the publisher")

    def progress(share: float, text: str) -> None:
        bar.progress(min(1.0, share), text=text)

    try:
        load(key, progress=progress)
    except DataUnavailable as refusal:
        refuse(refusal, ":material/cloud_off:")
    else:
        st.rerun()
