"""Who may talk to the server: asked of every request, before Streamlit sees it.

The address it listens on and the hosts it answers to stand in `.streamlit/config.toml`.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

READING = ("GET", "HEAD", "OPTIONS")
CLOSED = ("/_stcore/metrics",)
"""Paths that tell one visitor about the others, and that nothing here needs."""

UNHEARD = ("clear_cache", "set_run_on_save")
"""Messages by which one visitor's browser would change what all the others have."""

POLICY_VIOLATION = 1008


class AccessControl:
    """ASGI middleware: refuses strange hosts and origins, and what one visitor could do to others.

    Parameters
    ----------
    app : ASGI application
        What lies behind.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        status = _refused(scope)
        if status and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        elif status:
            await PlainTextResponse("Refused.", status)(scope, receive, send)
        elif scope["type"] == "websocket":
            await self.app(_as_our_own(scope), _without_unheard(receive), send)
        else:
            await self.app(scope, receive, send)


def _refused(scope: Scope) -> int:
    """The HTTP status of the refusal; 0 where there is none."""
    headers = Headers(scope=scope)
    host, origin = headers.get("host"), headers.get("origin")
    if not is_host_allowed(host):
        return 400
    if scope["path"].rstrip("/").endswith(CLOSED):
        return 404
    looking = scope["type"] == "http" and scope["method"] in READING
    if looking or origin is None or urlsplit(origin).netloc == host:
        return 0
    return 0 if origin in st.get_option("server.corsAllowedOrigins") else 403


def _as_our_own(scope: Scope) -> Scope:
    """The request with the origin that was let in written as this server's.

    Streamlit would look at it again, and compares a strange one with this machine's public address,
    which it asks of another machine.
    """
    headers = MutableHeaders(scope=dict(scope))
    if "origin" in headers:
        origin = urlsplit(headers["origin"])
        headers["origin"] = f"{origin.scheme}://{headers['host']}"
    return {**scope, "headers": headers.raw}


def _without_unheard(receive: Receive) -> Receive:
    """The browser's messages but those in `UNHEARD`."""

    async def heard() -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive" or not _unheard(message.get("bytes")):
                return message

    return heard


def _unheard(data: bytes | None) -> bool:
    said = BackMsg()
    try:
        said.ParseFromString(data or b"")
    except Exception:  # no message at all: Streamlit closes the connection then
        return False
    return said.WhichOneof("type") in UNHEARD
