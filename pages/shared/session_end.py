"""Ends a session, and deletes its files, some seconds after its browser has gone.

Streamlit keeps the session of such a browser, files included, until the next visitor comes. A
browser that only lost its connection is back within seconds, and finds everything.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import platform
import sys
import time
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from streamlit.runtime import Runtime, exists, get_instance
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile
from streamlit.starlette import App

from dpcore.settings import FORGET_SECONDS
from pages.shared import upload_limit

LOOK_SECONDS = 1.0
SWEEPS = (0.0, 3.0, 10.0)
"""Seconds after the end of a session that may have had a file at which memory is swept: a script
may still be running. After any other session Python collects by itself."""


@dataclass(frozen=True)
class _Session:
    """Streamlit's session of one browser, and the names of its files."""

    app_session: weakref.ref[AppSession]
    files: set[str] = field(default_factory=set)

    def empty(self) -> None:
        """Close the files, including every copy that Streamlit still holds."""
        if self.files:
            for item in gc.get_objects():
                if type(item) is UploadedFile and item.file_id in self.files:
                    item.close()
            self.files.clear()

    def end(self, runtime: Runtime, session_id: str) -> None:
        """Close the session and clear its state, parts of which Streamlit would keep."""
        self.empty()
        session = self.app_session()
        runtime.close_session(session_id)
        if session is not None:
            session.session_state.clear()
            # Fragments and widget callbacks hold the values they were drawn with.
            session._fragment_storage.clear()
            session.session_state._new_widget_state.widget_metadata.clear()


M_PERTURB, OVERWRITTEN = -6, 0x5A
"""For glibc's `mallopt`: freed memory is filled with this byte."""

# Python's allocator pools objects up to this size, in steps of 16, and holds about this many free
# bytes of each size.
PYTHON_LARGEST, PYTHON_STEP, PYTHON_FREE = 512, 16, 4_000_000
BYTES_HEAD = sys.getsizeof(b"")

_log = logging.getLogger(__name__)
_sessions: dict[str, _Session] = {}
"""By Streamlit's session id."""
_may_upload: set[str] = set()
"""The sessions that have been shown a field for a file."""


def watch_session() -> None:
    """Watch the running session from now on."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and context.session_id not in _sessions and exists():
        session = get_instance().get_app_session(context.session_id)
        if session is not None:
            _sessions[context.session_id] = _Session(weakref.ref(session))


def watch_file(file: UploadedFile) -> None:
    """Watch a file uploaded to the running session."""
    context = get_script_run_ctx()
    if context is not None and context.session_id in _sessions:
        _sessions[context.session_id].files.add(file.file_id)


def file_contents(file_id: str) -> bytes:
    """The bytes of a file uploaded to the running session; empty if it is gone."""
    context = get_script_run_ctx()
    if context is None:
        return b""
    files = context.uploaded_file_mgr.get_files(context.session_id, [file_id])
    return files[0].data if files else b""


def forget_file(file_id: str) -> None:
    """Delete one file of the running session at once."""
    context = get_script_run_ctx()
    if context is not None:
        files = upload_limit.held_files(context.uploaded_file_mgr)
        files.remove_file(context.session_id, file_id)
        sweep_soon()


def forget_files() -> None:
    """Delete the files of the running session at once."""
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)
        if context.session_id in _sessions:
            _sessions[context.session_id].empty()
    sweep_soon()


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


_sweep_times: list[float] = []


def sweep_soon() -> None:
    """Sweep memory: something of a person was let go."""
    now = time.monotonic()
    _sweep_times.extend(now + delay for delay in SWEEPS)


async def _watch() -> None:
    patience = FORGET_SECONDS.seconds
    absent_since: dict[str, float] = {}
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            await _look(absent_since, patience)
        except Exception:
            _log.exception("The sessions that are left could not be looked for.")


async def _look(absent_since: dict[str, float], patience: float) -> None:
    if exists():
        _end_absent(get_instance(), absent_since, patience)
    now = time.monotonic()
    if any(sweep_time <= now for sweep_time in _sweep_times):
        _sweep_times[:] = [sweep_time for sweep_time in _sweep_times if sweep_time > now]
        await asyncio.to_thread(_sweep)
        if not _sweep_times and not _may_upload:
            stop_overwriting()


def _end_absent(runtime: Runtime, absent_since: dict[str, float], patience: float) -> None:
    now = time.monotonic()
    files = upload_limit.held_files(runtime.uploaded_file_mgr)
    # A file that was complete only after the end of its session is held all the same.
    for session in {*_sessions, *list(files.file_storage)}:
        if runtime.is_active_session(session):
            absent_since.pop(session, None)
        elif now - absent_since.setdefault(session, now) >= patience:
            del absent_since[session]
            upload_limit.forget(session)
            if session in _may_upload:
                _may_upload.discard(session)
                sweep_soon()
            if session not in _sessions:
                files.remove_session_files(session)
                sweep_soon()
                continue
            try:
                _sessions.pop(session).end(runtime, session)
            except Exception:
                # One failure must not keep other sessions from ending.
                _log.exception("A session could not be cleared.")


def overwrite_freed_memory() -> None:
    """Overwrite memory when it is freed: a file may be uploaded to the running session."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        _may_upload.add(context.session_id)
    libc = _libc()
    if libc is not None:
        # Arrow's own pool keeps what it frees as it was.
        import pyarrow

        pyarrow.set_memory_pool(pyarrow.system_memory_pool())
        libc.mallopt(M_PERTURB, OVERWRITTEN)


def stop_overwriting() -> None:
    """Leave freed memory as it is: large blocks take up to sixty times as long otherwise."""
    libc = _libc()
    if libc is not None:
        libc.mallopt(M_PERTURB, 0)


def _sweep() -> None:
    """Return freed memory to the system, and overwrite what Python keeps of it."""
    if exists():
        # Streamlit lets go of a file to download only the second time that it finds it on no page,
        # which without another visitor never comes.
        get_instance().media_file_mgr.remove_orphaned_files()
    gc.collect()
    for size in range(PYTHON_STEP, PYTHON_LARGEST + 1, PYTHON_STEP):
        zeros = [bytes(max(1, size - BYTES_HEAD)) for _ in range(PYTHON_FREE // size)]
        del zeros
        time.sleep(0)  # let others run
    libc = _libc()
    if libc is not None:
        libc.malloc_trim(0)


def _libc() -> ctypes.CDLL | None:
    """The C library if it is glibc, else ``None``."""
    return ctypes.CDLL(None) if platform.libc_ver()[0] == "glibc" else None
