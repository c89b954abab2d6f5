"""Watch jobs that this session waits for, maybe together with other sessions.

A session leaves a job when it stops it, changes its settings or loses its browser; the job ends
with the last session that waits for it. Changing to another page keeps the jobs, but for the first
page's curves, which make room for Train's.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpcore.evaluation import jobs
from dpcore.evaluation.task import StudyProtocol, Task
from dpcore.words import lasting
from pages.shared.job_panel import JobLine, State
from pages.shared.session import once, store, stored
from pages.shared.verbatim import verbatim

if TYPE_CHECKING:
    import pandas as pd

CURVES = "curves"  # name of the place on Explore
# The page waits this long for the last rows of a stopped worker, which come a little later, where
# it is unknown whether the worker has noticed the stop.
LATE_SECONDS = 4.0
NEWS_SECONDS = 5.0  # between two drawings of a page for one more job that is done


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


def only(name: str, keys: Collection[str]) -> None:
    """Leave the jobs that this session waits for at a place, except these.

    Places of a page are named in letters: several may wait for one job.
    """
    keys_by_place = _keys_by_place()
    for key in keys_by_place.get(name, set()) - set(keys):
        jobs.Job(key).leave(me() + name)
    store("jobs held", {**keys_by_place, name: keys_by_place.get(name, set()) & set(keys)})


def submit(name: str, task: Task, *, is_sweep: bool = False) -> jobs.Job:
    """Submit a task to the workers, or join its job; `QueueFull` if too many are unfinished.

    A sweep is one of many tasks that nobody looks at one by one.
    """
    watcher = me() + name
    job = jobs.submit(task, watcher=watcher, alive=present(), owner=me(), is_sweep=is_sweep)
    store(f"job stopped {task.key}", None)
    _add(name, task.key)
    return job


def join(name: str, key: str) -> None:
    """Wait for a running job, unless this session has stopped it."""
    if not stopped(key):
        jobs.Job(key).watch(me() + name, present())
        _add(name, key)


def stop(key: str) -> None:
    """Leave a job at every place, at the person's request."""
    keys_by_place = _keys_by_place()
    for name, keys in keys_by_place.items():
        if key in keys:
            jobs.Job(key).leave(me() + name)
    store("jobs held", {name: keys - {key} for name, keys in keys_by_place.items()})
    store(f"job stopped {key}", time.monotonic())
    store(f"job begun {key}", False)


def begin(key: str) -> None:
    """Note that the person started the job, until they stop it."""
    store(f"job stopped {key}", None)
    store(f"job begun {key}", True)


def begun(key: str) -> bool:
    """Whether the person started it in this session, and has not stopped it since."""
    return bool(stored(f"job begun {key}"))


def stopped(key: str) -> bool:
    """Whether the person stopped it in this session, and has not started it since."""
    return stored(f"job stopped {key}") is not None


def state(key: str) -> str:
    """State of a job for this session: "new" if there is none, "cancelled" if stopped here.

    Another session may still wait for a job that was stopped here.
    """
    job = jobs.find(key)
    if job is None:
        return "new"
    current = job.state
    return "cancelled" if stopped(key) and current in ("queued", "running") else current


# Not copied at each use, as other cached data are: no page changes a table in place.
@st.cache_resource(max_entries=180, show_spinner=False)
def result(key: str) -> pd.DataFrame:
    """The rows of a finished job."""
    return jobs.Job(key).result()


@dataclass
class WatchedJobs:
    """Start, stop and show jobs together; see `job_panel.Watched`."""

    name: str
    place: str
    studies: Mapping[str, StudyProtocol]
    submit: Callable[[str, Any], None] | None  # (place, study); none where nothing is restarted
    seconds: float = 0.7
    should_run: Callable[[], bool] | None = None  # by default, unless the person stopped them
    about: str = ""  # key of the study that the person starts and stops; by default the first
    begin: str = ""
    idle: Callable[[State], str] | None = None  # the line while neither running nor failed
    late: bool = False  # whether to wait for rows that come after a stop
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
        if all(one_state == "done" for one_state in states):
            return "done"
        if is_wanted and not all(one_state in ("done", "failed") for one_state in states):
            return "running"
        if "failed" in states:
            return "failed"
        if self.late and any(map(_stopping, self.keys)):
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
        finished_states = {
            "running": ("done", "failed"),
            "failed": ("done", "new", "cancelled"),
        }.get(current, ("done",))
        unfinished = (
            name for name, study in self.studies.items() if state(study.key) not in finished_states
        )
        name = next(unfinished, next(iter(self.studies)))
        if current in ("running", "failed"):
            share, message = _progress(self.studies[name].key)
            text = f"{name}: {message}"
            if current == "running":
                return JobLine(text, share)
        else:
            text = self.idle(current) if self.idle else f"{name}: stopped."
        button = {"new": self.begin, "failed": "Train again"}.get(current, "Go on")
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
            st.toast(verbatim(str(refusal)), icon=":material/hourglass:")

    def _hand_in(self, *states: str) -> None:
        for study in self.studies.values():
            if self.submit and state(study.key) in states:
                self.submit(self.place, study)


def _stopping(key: str) -> bool:
    stopped_at = stored(f"job stopped {key}")
    is_recent = stopped_at is not None and time.monotonic() - stopped_at < LATE_SECONDS
    return is_recent or jobs.Job(key).stopping


def _progress(key: str) -> tuple[float, str]:
    job = jobs.find(key)
    if job is None:
        return 0.0, "waiting for room in the queue" if jobs.full() else "starting"
    return job.progress, verbatim(f"{job.message}{_wait(job)}")


def _wait(job: jobs.Job) -> str:
    """Whose jobs a queued one waits for, and about how long; empty where it waits for none."""
    if not job.ahead:
        return ""
    seconds = job.waiting_seconds
    time_left = "" if seconds is None else f"; about {lasting(seconds)}, as the last ones took"
    return f", also of other pages and people{time_left}"


def _keys_by_place() -> dict[str, set[str]]:
    return stored("jobs held") or {}


def _add(name: str, key: str) -> None:
    keys_by_place = _keys_by_place()
    store("jobs held", {**keys_by_place, name: keys_by_place.get(name, set()) | {key}})
