"""The server: `pages/main.py` for every session, for requests of this machine's pages only.

`streamlit run app.py` and `uvicorn app:app` both start it.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread

import streamlit as st
from starlette.middleware import Middleware
from uvicorn.protocols.http import h11_impl
from websockets import http11

from dpcore import settings
from dpcore.errors import InvalidInput
from dpcore.release.roles import read_roles
from pages.server import sessions, sign_in, transfers
from pages.server.requests import AccessControl, SecurityHeaders
from pages.server.transfers import UploadLimit

LONGEST_HEADERS = 65_536
"""Bytes of the headers of a request."""


@asynccontextmanager
async def alive(app: st.App) -> AsyncIterator[None]:
    """While the server runs: the first view is made ready, and left sessions are ended.

    First of all goes what a server that was killed has kept of its visitors' records.
    """
    Thread(target=_begin, daemon=True).start()
    async with sessions.session_watcher(app):
        yield


def _begin() -> None:
    from dpcore.evaluation.uploaded import remove_leftovers  # slow to load

    remove_leftovers()
    # Streamlit warns of each cache used and each element drawn outside a session.
    logger = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")
    logger.addFilter(_quiet)
    try:
        _make_first_view_ready()
    finally:
        logger.removeFilter(_quiet)


def _make_first_view_ready() -> None:
    """Load the libraries, and begin to compute what Explore's first visitor waits for."""
    # The first element of a server looks through all modules loaded until then.
    st.empty()
    from dpcore.questions.question import Question, task
    from dpcore.work import jobs
    from pages.explore import answer, controls, detail, view  # slow to load

    del answer, detail
    contents = view.gather(controls.first_choice())
    if isinstance(contents, view.Pending):
        for question in contents.first.studies.values():
            assert isinstance(question, Question)
            jobs.submit(task(question))


def _quiet(_: logging.LogRecord) -> bool:
    return False


try:
    settings.check(of_server=True)
    read_roles(settings.ROLES.text)
except InvalidInput as refusal:
    raise SystemExit(str(refusal)) from None

# The cookies of a sign-in hold all that its provider says, such as somebody's groups, twice. A
# page's connection takes 8 kB of them otherwise, and other requests 16: with more a page hangs.
h11_impl.DEFAULT_MAX_INCOMPLETE_EVENT_SIZE = http11.MAX_LINE_LENGTH = LONGEST_HEADERS
transfers.keep_secret(lambda: sign_in.owner(sign_in.visitor()))
app = st.App(
    Path(__file__).parent / "pages" / "main.py",
    middleware=[
        Middleware(each) for each in (SecurityHeaders, AccessControl, sign_in.SignOut, UploadLimit)
    ],
    lifespan=alive,
)
