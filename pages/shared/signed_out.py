"""Decide which sign-ins count: one rule for every page, for paying, and for files.

Streamlit's sign-out deletes the browser's cookie. What it said stays good for a month, for whoever
has a copy, in another tab for as long as that is open, and after the server was started anew.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping

import streamlit as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.auth_util import get_cookie_with_chunks
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from dpcore.datasets.cache import digest
from pages.shared import media_names

PATH = "/auth/logout"
ISSUED_AT, EXPIRES = "iat", "exp"
"""Seconds of the clock that every OpenID Connect token names."""
PERSON = ("iss", "sub", "email")
TOLD_APART_BY = (*PERSON, "nonce", EXPIRES, ISSUED_AT)
LONGEST_SECONDS = 12 * 3_600
# Who signed out before this server was started is not known.
STARTED = int(time.time())
REFUSED = "This file is for somebody who is signed in."

_MEDIA = re.compile(r".*/media/([0-9a-f]{128})(\.[^/]*)?")
"""Files that pages make (`media_names`); fonts and icons are elsewhere, and have other names."""
_ended: set[str] = set()


def has_ended(claims: Mapping[str, object]) -> bool:
    """Say whether the sign-in with these claims does not count, or no longer.

    One counts that was issued since the server was started and less than twelve hours ago, whose
    token has not expired, and that has not been ended by signing out.
    """
    issued, expires, now = claims.get(ISSUED_AT), claims.get(EXPIRES), time.time()
    if not isinstance(issued, int | float) or not isinstance(expires, int | float):
        return True
    counts = issued >= STARTED and now < issued + LONGEST_SECONDS and now < expires
    return not counts or _key(claims) in _ended


def visitor() -> dict[str, object]:
    """Return what the provider says of the page's visitor; empty without a sign-in."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return {}
    try:
        claims: dict[str, object] = dict(st.user.to_dict())
    except OSError:  # no home folder, where a provider would be named: nobody signs in
        return {}
    return {} if has_ended(claims) else claims


def owner(claims: Mapping[str, object]) -> str:
    """Return whose files are given to nobody else; "" where nobody is signed in."""
    is_signed_in = claims.get("is_logged_in") is True and not has_ended(claims)
    return digest(repr([claims.get(name) for name in PERSON])) if is_signed_in else ""


def _key(claims: Mapping[str, object]) -> str:
    return digest(repr([claims.get(name) for name in TOLD_APART_BY]))


def _claims(cookies: Mapping[str, str]) -> dict[str, object]:
    """Read a browser's cookie; empty where this server did not sign it."""

    def signed(name: str) -> bytes | None:
        value = cookies.get(name, "").encode("latin-1", "replace")
        return decode_signed_value(get_cookie_secret(), name, value)

    text = get_cookie_with_chunks(signed, USER_COOKIE_NAME)
    return {} if text is None else json.loads(text)


class SignOut:
    """ASGI middleware that ends the sign-in of a browser that signs out.

    It also refuses a file that was made for somebody who is signed in to everybody else.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].rstrip("/").endswith(PATH):
            _ended.add(_key(_claims(Request(scope).cookies)))
        is_refused = scope["type"] == "http" and _is_anothers_file(scope)
        application = PlainTextResponse(REFUSED, 403) if is_refused else self.app
        await application(scope, receive, send)


def _is_anothers_file(scope: Scope) -> bool:
    file = _MEDIA.fullmatch(scope["path"])
    if file is None or media_names.is_for(file[1], ""):
        return False
    return not media_names.is_for(file[1], owner(_claims(Request(scope).cookies)))
