"""Jobs that this session waits for; others may wait for the same ones.

A session that stops a job, changes what it asks for or loses its browser leaves the job, which ends
with the last who waits for it. A page that is left for another one keeps its jobs.
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
from pages.shared.job_panel import Line, State
from pages.shared.session import flag, keep, kept, lower_flag, once, raise_flag
from pages.shared.verbatim import verbatim

if TYPE_CHECKING:
    import pandas as pd

CURVES = "curves"
"""The place on Explore."""
# What a worker that was stopped leaves comes a little later; so long it is waited for where nobody
# can say whether the worker has noticed.
LATE_SECONDS = 4.0


def present() -> Callable[[], bool]:
    """A question that any thread may ask: whether this session's browser is connected."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return lambda: True
    session, server = context.session_id, runtime.get_instance()
    return lambda: server.is_active_session(session)


def me() -> str:
    """The session's name, which no other has; letters and digits."""
    return once("name", lambda: secrets.token_hex(8))


def only(name: str, keys: Collection[str]) -> None:
    """Leave what this session waited for under the same name, but for these.

    Parameters
    ----------
    name : str
        Of a place on a page, in letters: one job may be waited for in several.
    keys : collection of str
        Of jobs.
    """
    held = _held()
    for key in held.get(name, set()) - set(keys):
        jobs.Job(key).leave(me() + name)
    keep("jobs held", {**held, name: held.get(name, set()) & set(keys)})


def submit(name: str, task: Task) -> jobs.Job:
    """Hand it to the workers, or wait for it with those who did.

    Raises
    ------
    QueueFull
        If too many jobs are unfinished.
    """
    job = jobs.submit(task, watcher=me() + name, alive=present())
    keep(f"job stopped {task.key}", None)
    _hold(name, task.key)
    return job


def join(name: str, key: str) -> None:
    """Wait for a job that is under way, unless this session has stopped it."""
    if not stopped(key):
        jobs.Job(key).watch(me() + name, present())
        _hold(name, key)


def stop(key: str) -> None:
    """Leave a job, wherever it is waited for, because the person said so."""
    held = _held()
    for name, keys in held.items():
        if key in keys:
            jobs.Job(key).leave(me() + name)
    keep("jobs held", {name: keys - {key} for name, keys in held.items()})
    keep(f"job stopped {key}", time.monotonic())
    lower_flag(f"job begun {key}")


def begin(key: str) -> None:
    """Note that the person wants it, until they stop it."""
    keep(f"job stopped {key}", None)
    raise_flag(f"job begun {key}")


def begun(key: str) -> bool:
    """Whether the person has asked for it in this session, and has not stopped it since."""
    return flag(f"job begun {key}")


def stopped(key: str) -> bool:
    """Whether the person has stopped it in this session, and has not asked for it since."""
    return kept(f"job stopped {key}") is not None


def state(key: str) -> str:
    """Of a job for this session: "new" where there is none, "cancelled" where it was stopped here.

    Another session may still wait for one that was stopped here.
    """
    job = jobs.find(key)
    if job is None:
        return "new"
    now = job.state
    return "cancelled" if stopped(key) and now in ("queued", "running") else now


@st.cache_data(max_entries=180, show_spinner=False)
def result(key: str) -> pd.DataFrame:
    """The rows of a job that is done."""
    return jobs.Job(key).result()


@dataclass
class WatchedJobs:
    """Jobs that are begun, stopped and shown together; see `job_panel.Watched`.

    Parameters
    ----------
    name : str
        For the keys of their buttons.
    place : str
        As for `only`.
    studies : mapping of str to StudyProtocol
        By what is being done, for the line on screen.
    submit : callable or None
        (place, study): hands one to the workers. ``None`` for what is never begun anew.
    seconds : float
        Between two looks.
    wanted : callable, optional
        Whether they are to be begun, and gone on with, by themselves; those that the person has not
        stopped if left out.
    about : str
        Key of the study that the person begins and stops, where it is not the first.
    begin : str
        The words of the button that has them begun where they are new.
    idle : callable, optional
        What is said in a state in which they are neither under way nor failed.
    late : bool
        Whether the rows that come after a stop are waited for.
    """

    name: str
    place: str
    studies: Mapping[str, StudyProtocol]
    submit: Callable[[str, Any], None] | None
    seconds: float = 0.7
    wanted: Callable[[], bool] | None = None
    about: str = ""
    begin: str = ""
    idle: Callable[[State], str] | None = None
    late: bool = False
    drawn: State = field(init=False)

    def __post_init__(self) -> None:
        self.about = self.about or self.keys[0]
        self.drawn = self.state()

    @property
    def keys(self) -> list[str]:
        """The studies'."""
        return [study.key for study in self.studies.values()]

    def state(self) -> State:
        """As one: done when all are, failed when one has and none is under way."""
        states = [state(key) for key in self.keys]
        wanted = self.wanted() if self.wanted else not stopped(self.about)
        if all(each == "done" for each in states):
            return "done"
        if wanted and not all(each in ("done", "failed") for each in states):
            return "running"
        if "failed" in states:
            return "failed"
        if self.late and any(map(_stopping, self.keys)):
            return "stopping"
        return "stopped" if "cancelled" in states or stopped(self.about) else "new"

    def line(self) -> Line | None:
        """How far the first is that has not ended, or why they do not go on."""
        now, words = self.state(), next(iter(self.studies))
        if now == "done":
            return None
        if now in ("running", "failed"):
            over = ("done", "failed") if now == "running" else ("done", "new", "cancelled")
            shown = (each for each, study in self.studies.items() if state(study.key) not in over)
            words = next(shown, words)
            share, message = _progress(self.studies[words].key)
            words = f"{words}: {message}"
            if now == "running":
                return Line(words, share)
        else:
            words = self.idle(now) if self.idle else f"{words}: stopped."
        button = {"new": self.begin, "failed": "Train again"}.get(now, "Go on")
        return Line(words, button=button if self.submit else "")

    def start(self) -> None:
        """Hand in what is neither under way nor there, and wait for what is under way.

        From the second look on, not while the page is first drawn: a worker that imports its
        libraries then would take the processor from the browser.
        """
        look = f"look {' '.join(self.keys)}"
        if flag(look):
            with suppress(jobs.QueueFull):  # there is room again at one of the next looks
                self._hand_in("new", "cancelled")
            for key in self.keys:
                join(self.place, key)
        raise_flag(look)

    def stop(self) -> None:
        """Leave them all, wherever they are waited for; what they have left stays."""
        for key in {self.about, *self.keys}:
            stop(key)

    def again(self) -> None:
        """Hand them in because the person said so; also what failed before."""
        begin(self.about)
        try:
            self._hand_in("new", "cancelled", "failed")
        except jobs.QueueFull as full:
            st.toast(str(full), icon=":material/hourglass:")

    def _hand_in(self, *states: str) -> None:
        for study in self.studies.values():
            if self.submit and state(study.key) in states:
                self.submit(self.place, study)


def _stopping(key: str) -> bool:
    """Whether rows of what was stopped may still come."""
    since = kept(f"job stopped {key}")
    recent = since is not None and time.monotonic() - since < LATE_SECONDS
    return recent or jobs.Job(key).stopping


def _progress(key: str) -> tuple[float, str]:
    """The share that is done, and what is being done or why it failed."""
    job = jobs.find(key)
    if job is None:
        return 0.0, "waiting for room in the queue" if jobs.full() else "starting"
    return job.progress, verbatim(job.message)


def _held() -> dict[str, set[str]]:
    return kept("jobs held") or {}


def _hold(name: str, key: str) -> None:
    held = _held()
    keep("jobs held", {**held, name: held.get(name, set()) | {key}})
