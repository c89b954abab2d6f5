"""Jobs that this session waits for; others may wait for the same ones.

A session that stops a job, changes what it asks for or loses its browser leaves the job, which ends
with the last who waits for it. A page that is left for another one keeps its jobs.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpcore.evaluation import jobs
from dpcore.evaluation.task import Task
from pages.shared.session import keep, kept, once

CURVES = "curves"
"""The place on Explore."""


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
    keep("jobs left", _left() - {task.key})
    _hold(name, task.key)
    return job


def join(name: str, key: str) -> None:
    """Wait for a job that is under way, unless this session has stopped it."""
    if key not in _left():
        jobs.Job(key).watch(me() + name, present())
        _hold(name, key)


def stop(key: str) -> None:
    """Leave a job, wherever it is waited for, because the person said so."""
    held = _held()
    for name, keys in held.items():
        if key in keys:
            jobs.Job(key).leave(me() + name)
    keep("jobs held", {name: keys - {key} for name, keys in held.items()})
    keep("jobs left", _left() | {key})


def state(key: str) -> str:
    """Of a job for this session: "new" where there is none, "cancelled" where it was stopped here.

    Another session may still wait for one that was stopped here.
    """
    job = jobs.find(key)
    if job is None:
        return "new"
    found = job.state
    return "cancelled" if key in _left() and found in ("queued", "running") else found


def _held() -> dict[str, set[str]]:
    return kept("jobs held") or {}


def _hold(name: str, key: str) -> None:
    held = _held()
    keep("jobs held", {**held, name: held.get(name, set()) | {key}})


def _left() -> set[str]:
    return kept("jobs left") or set()
