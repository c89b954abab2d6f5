"""Which sign-ins have ended: everywhere, and not only in the browser that signed out.

Streamlit's sign-out deletes the browser's cookie. What it said stays good for a month, for whoever
has a copy, and in another tab for as long as that is open.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.auth_util import get_cookie_with_chunks
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from dpcore.datasets.cache import digest

PATH = "/auth/logout"
ISSUED_AT = "iat"
"""What tells a sign-in from the next one of the same person (OpenID Connect)."""
TOLD_APART_BY = ("iss", "sub", "email", "nonce", "exp", ISSUED_AT)
_ended: set[str] = set()


def has_ended(claims: Mapping[str, object]) -> bool:
    """Whether the sign-in with these claims has ended, since the server was started."""
    return _key(claims) in _ended


def _key(claims: Mapping[str, object]) -> str:
    return digest(repr([claims.get(name) for name in TOLD_APART_BY]))


def _claims(cookies: Mapping[str, str]) -> dict[str, object]:
    """What a browser's cookie says of its visitor; empty where this server did not sign it."""

    def signed(name: str) -> bytes | None:
        value = cookies.get(name, "").encode("latin-1", "replace")
        return decode_signed_value(get_cookie_secret(), name, value)

    text = get_cookie_with_chunks(signed, USER_COOKIE_NAME)
    return {} if text is None else json.loads(text)


class SignOut:
    """ASGI middleware that ends the sign-in of a browser that signs out.

    Parameters
    ----------
    app : ASGI application
        The application that gets the requests.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Note the sign-in that ends, and pass the request on."""
        if scope["type"] == "http" and scope["path"].rstrip("/").endswith(PATH):
            claims = _claims(Request(scope).cookies)
            if ISSUED_AT in claims:
                _ended.add(_key(claims))
        await self.app(scope, receive, send)
