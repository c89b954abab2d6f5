"""What happens when a browser has gone: its session ends on a timer, and its files with it.

Streamlit keeps the session of a browser that has gone, files included, until the next visitor
comes. A browser that only lost its line is back within seconds, and finds everything.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
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

SECONDS = "DPCORE_FORGET_SECONDS"
USUAL_SECONDS = 20.0
LOOK_SECONDS = 1.0
SWEEPS = (0.0, 3.0, 10.0)
"""Seconds after a session's end at which memory is swept: a script may still be on its way out."""


@dataclass(frozen=True)
class _Session:
    """What is held for one browser: Streamlit's session, and the names of its files."""

    its: weakref.ref[AppSession]
    files: set[str] = field(default_factory=set)

    def empty(self) -> None:
        """Let go of what its files hold, whoever still has one of Streamlit's many copies."""
        if self.files:
            for each in gc.get_objects():
                if type(each) is UploadedFile and each.file_id in self.files:
                    each.close()
            self.files.clear()

    def end(self) -> None:
        """Let go of everything: Streamlit's loop keeps the last session until the next comes."""
        self.empty()
        session = self.its()
        if session is not None:
            session.session_state.clear()
            # Its parts that run by themselves hold what they were drawn with.
            session._fragment_storage.clear()


M_PERTURB, OVERWRITTEN = -6, 0x5A
"""For glibc's `mallopt`: what is freed is filled with this byte."""

# Objects of up to so many bytes Python puts into blocks of its own, in steps of 16; and about how
# much of one size it has free.
PYTHON_LARGEST, PYTHON_STEP, PYTHON_FREE = 512, 16, 2_000_000
BYTES_HEAD = sys.getsizeof(b"")

_here: dict[str, _Session] = {}
"""By Streamlit's name of the session."""


def here() -> None:
    """Note the session that runs: it is watched from now on."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and context.session_id not in _here and exists():
        session = get_instance().get_app_session(context.session_id)
        if session is not None:
            _here[context.session_id] = _Session(weakref.ref(session))


def handed(file: UploadedFile) -> None:
    """Note a file that the session that runs was handed."""
    context = get_script_run_ctx()
    if context is not None and context.session_id in _here:
        _here[context.session_id].files.add(file.file_id)


def contents(file_id: str) -> bytes:
    """The bytes of a file that the session that runs was handed; none if it is gone."""
    context = get_script_run_ctx()
    if context is None:
        return b""
    found = context.uploaded_file_mgr.get_files(context.session_id, [file_id])
    return found[0].data if found else b""


def forget_files() -> None:
    """Have Streamlit drop the files of the session that runs, at once."""
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)
        if context.session_id in _here:
            _here[context.session_id].empty()
    _sweep_soon()


@asynccontextmanager
async def watched(app: App) -> AsyncIterator[None]:
    """While the server runs, end the sessions whose browser has gone."""
    watching = asyncio.create_task(_watch())
    try:
        yield
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


_due: list[float] = []


def _sweep_soon() -> None:
    now = time.monotonic()
    _due.extend(now + seconds for seconds in SWEEPS)


async def _watch() -> None:
    patience = float(os.environ.get(SECONDS) or USUAL_SECONDS)
    gone: dict[str, float] = {}
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if exists():
            _end(get_instance(), gone, patience)
        now = time.monotonic()
        if any(due <= now for due in _due):
            _due[:] = [due for due in _due if due > now]
            await asyncio.to_thread(_sweep)


def _end(runtime: Runtime, gone: dict[str, float], patience: float) -> None:
    now = time.monotonic()
    for session in list(_here):
        if runtime.is_active_session(session):
            gone.pop(session, None)
        elif now - gone.setdefault(session, now) >= patience:
            runtime.close_session(session)
            _here.pop(session).end()
            del gone[session]
            _sweep_soon()


def expect() -> None:
    """From now on memory is written over when it is freed: a file may come."""
    libc = _libc()
    if libc is not None:
        libc.mallopt(M_PERTURB, OVERWRITTEN)


def _sweep() -> None:
    """Give freed memory back to the system, and write over what of it Python keeps for itself."""
    gc.collect()
    for size in range(PYTHON_STEP, PYTHON_LARGEST + 1, PYTHON_STEP):
        zeros = [bytes(max(1, size - BYTES_HEAD)) for _ in range(PYTHON_FREE // size)]
        del zeros
        time.sleep(0)  # let others run
    libc = _libc()
    if libc is not None:
        libc.malloc_trim(0)


def _libc() -> ctypes.CDLL | None:
    """The C library, where it is known how its memory works."""
    return ctypes.CDLL(None) if platform.libc_ver()[0] == "glibc" else None
