"""Decide who uses the page: one rule for every page, for paying, and for files.

Who signs in does so by Streamlit (OpenID Connect), where it is configured; `dpcore.release.roles`
decides what they may. Streamlit's sign-out deletes the browser's cookie. What it said stays good
for a month, for whoever has a copy, in another tab for as long as that is open, and after the
server was started anew.
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
from streamlit.auth_util import (
    get_cookie_with_chunks,
    get_secrets_auth_section,
    is_authlib_installed,
)
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from dpcore.datasets.cache import digest
from dpcore.errors import InvalidInput
from dpcore.release.roles import Actor, Reached, Role, SignIn, decided, read_roles
from dpcore.settings import ROLES
from pages.server import transfers

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
"""Files that pages make (`transfers.keep_secret`); fonts and icons have other names."""
_ended: set[str] = set()
NO_PACKAGE = "Sign-in is configured, but its package is not installed: streamlit[auth]."
BY_HEADERS = (
    "server.trustedUserHeaders is set, so that a request’s own header could say who somebody is: "
    "with sign-in it must be empty."
)
SHORTEST_SECRET = 32
GUESSABLE = (
    "cookie_secret in .streamlit/secrets.toml has {length} signs and could be guessed: it needs "
    f"at least {SHORTEST_SECRET}, drawn at random."
)


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
    if file is None or transfers.is_for(file[1], ""):
        return False
    return not transfers.is_for(file[1], owner(_claims(Request(scope).cookies)))


def allowed(role: Role) -> Actor | str:
    """Say who the visitor is, or in one sentence why they may not do what needs the role.

    Call it in every run, and again right before a spend: a role may have been taken away.
    """
    section = get_secrets_auth_section()
    is_configured = bool(section)
    if is_configured and not is_authlib_installed():
        return NO_PACKAGE
    if is_configured and st.get_option("server.trustedUserHeaders"):
        return BY_HEADERS
    length = len(str(section.get("cookie_secret", "")))
    if 0 < length < SHORTEST_SECRET:
        return GUESSABLE.format(length=length)
    reached = Reached(
        st.get_option("server.address"),
        st.get_option("server.allowedHosts"),
        st.get_option("server.corsAllowedOrigins"),
        st.context.ip_address,
    )
    if not is_configured:
        return decided(role, reached, None)
    try:
        roles = read_roles(ROLES.text)
    except InvalidInput as refusal:
        return str(refusal)
    return decided(role, reached, SignIn(visitor(), roles))


def still(person: Actor, role: Role, claims: Mapping[str, object]) -> bool:
    """Say whether somebody who was allowed is so still, by these claims; also outside of a run."""
    if not person.email:
        return True
    if has_ended(claims):
        return False
    try:
        return read_roles(ROLES.text).get(person.email, Role.READER).covers(role)
    except InvalidInput:
        return False


def is_offered() -> bool:
    """Say whether one can sign in here."""
    return bool(get_secrets_auth_section()) and is_authlib_installed()


def begin() -> None:
    """Lead to the provider; the page goes on with who comes back."""
    section = get_secrets_auth_section()
    named = [name for name, part in section.items() if isinstance(part, Mapping)]
    # Without a provider of its own, the section names some.
    st.login(None if "client_id" in section or not named else named[0])
