"""The server: `pages/main.py` for every session, for requests of this machine's pages only.

`streamlit run app.py` and `uvicorn app:app` both start it.
"""

from __future__ import annotations

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
from pages.explore.warm_up import first_view
from pages.shared import media_names, session_end, signed_out
from pages.shared.access import AccessControl
from pages.shared.headers import Headers
from pages.shared.upload_limit import UploadLimit

LONGEST_HEADERS = 65_536
"""Bytes of the headers of a request."""


@asynccontextmanager
async def alive(app: st.App) -> AsyncIterator[None]:
    """While the server runs: the first view is made ready, and left sessions are ended.

    First of all goes what a server that was killed has kept of its visitors' records.
    """
    Thread(target=_begin, daemon=True).start()
    async with session_end.session_watcher(app):
        yield


def _begin() -> None:
    from dpcore.evaluation.uploaded import remove_leftovers  # slow to load

    remove_leftovers()
    first_view()


try:
    settings.check(of_server=True)
    read_roles(settings.ROLES.text)
except InvalidInput as refusal:
    raise SystemExit(str(refusal)) from None

# The cookies of a sign-in hold all that its provider says, such as somebody's groups, twice. A
# page's connection takes 8 kB of them otherwise, and other requests 16: with more a page hangs.
h11_impl.DEFAULT_MAX_INCOMPLETE_EVENT_SIZE = http11.MAX_LINE_LENGTH = LONGEST_HEADERS
media_names.keep_secret(lambda: signed_out.owner(signed_out.visitor()))
app = st.App(
    Path(__file__).parent / "pages" / "main.py",
    middleware=[
        Middleware(each) for each in (Headers, AccessControl, signed_out.SignOut, UploadLimit)
    ],
    lifespan=alive,
)
