"""End a session, and delete its files, some seconds after its browser has gone.

Streamlit keeps the session of such a browser, files included, until the next visitor comes. A
browser that only lost its connection is back within seconds, and finds everything.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from streamlit.runtime import Runtime, exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.starlette import App

from dpcore.settings import FORGET_SECONDS
from pages.server import transfers

LOOK_SECONDS = 1.0
# A script that draws a file to download may still run for so long after something was let go.
DOWNLOAD_SECONDS = 10.0

_log = logging.getLogger(__name__)
_sessions: set[str] = set()
"""Streamlit's ids of the sessions that are watched."""
_let_go = [float("-inf")]
"""Time at which something of a person was let go last."""


def watch_session() -> None:
    """Watch the running session from now on."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and exists():
        _sessions.add(context.session_id)


def contents_of(file_id: str) -> Callable[[], bytes]:
    """How to read a file of the running session, in any thread; it is empty once it is gone."""
    context = get_script_run_ctx()
    if context is None:
        return bytes
    uploaded_files, session = context.uploaded_file_mgr, context.session_id

    def contents() -> bytes:
        files = uploaded_files.get_files(session, [file_id])
        return files[0].data if files else b""

    return contents


def forget_file(file_id: str) -> None:
    """Delete one file of the running session at once."""
    context = get_script_run_ctx()
    if context is not None:
        files = transfers.held_files(context.uploaded_file_mgr)
        files.remove_file(context.session_id, file_id)
    _let_go[0] = time.monotonic()


def forget_files() -> None:
    """Delete the files of the running session at once."""
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)
    _let_go[0] = time.monotonic()


@asynccontextmanager
async def session_watcher(app: App) -> AsyncIterator[None]:
    """End the sessions whose browser has gone, while the server runs."""
    task = asyncio.create_task(_watch())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _watch() -> None:
    patience = FORGET_SECONDS.seconds
    absent_since: dict[str, float] = {}
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            _look(absent_since, patience)
        except Exception:
            _log.exception("The sessions that are left could not be looked for.")


def _look(absent_since: dict[str, float], patience: float) -> None:
    if not exists():
        return
    runtime = get_instance()
    _end_absent(runtime, absent_since, patience)
    if time.monotonic() - _let_go[0] < DOWNLOAD_SECONDS:
        # Streamlit lets go of a file to download only the second time that it finds it on no page,
        # which without another visitor never comes.
        runtime.media_file_mgr.remove_orphaned_files()


def _end_absent(runtime: Runtime, absent_since: dict[str, float], patience: float) -> None:
    now = time.monotonic()
    files = transfers.held_files(runtime.uploaded_file_mgr)
    # A file that was complete only after the end of its session is held all the same.
    for session in {*_sessions, *list(files.file_storage)}:
        if runtime.is_active_session(session):
            absent_since.pop(session, None)
        elif now - absent_since.setdefault(session, now) >= patience:
            del absent_since[session]
            _let_go[0] = now
            _sessions.discard(session)
            transfers.forget(session)
            files.remove_session_files(session)
            try:
                runtime.close_session(session)
            except Exception:
                # One failure must not keep other sessions from ending.
                _log.exception("A session could not be ended.")
