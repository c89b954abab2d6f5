"""Check which requests the server answers, before Streamlit sees them.

The address and the hosts it answers to are set in `.streamlit/config.toml`.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

READ_METHODS = ("GET", "HEAD", "OPTIONS")
CLOSED_PATHS = ("/_stcore/metrics",)
"""Paths that show one visitor data of others, and that nothing here needs."""

BLOCKED_MESSAGES = ("clear_cache", "set_run_on_save")
"""Message types by which one visitor would change the state of all others."""

POLICY_VIOLATION = 1008


class AccessControl:
    """Refuse foreign hosts and origins, and what would affect other visitors (ASGI middleware)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        status = _refusal_status(scope)
        if status and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        elif status:
            await PlainTextResponse("Refused.", status)(scope, receive, send)
        elif scope["type"] == "websocket":
            await self.app(_with_own_origin(scope), _without_blocked(receive), send)
        else:
            await self.app(scope, receive, send)


def _refusal_status(scope: Scope) -> int:
    headers = Headers(scope=scope)
    host, origin = headers.get("host"), headers.get("origin")
    if not is_host_allowed(host):
        return 400
    if scope["path"].rstrip("/").endswith(CLOSED_PATHS):
        return 404
    reads_only = scope["type"] == "http" and scope["method"] in READ_METHODS
    if reads_only or origin is None or urlsplit(origin).netloc == host:
        return 0
    return 0 if origin in st.get_option("server.corsAllowedOrigins") else 403


def _with_own_origin(scope: Scope) -> Scope:
    """The request with its allowed origin replaced by this server's own.

    Streamlit checks the origin again, and compares a foreign one with this machine's public
    address, which it asks of another machine.
    """
    headers = MutableHeaders(scope=dict(scope))
    if "origin" in headers:
        origin = urlsplit(headers["origin"])
        headers["origin"] = f"{origin.scheme}://{headers['host']}"
    return {**scope, "headers": headers.raw}


def _without_blocked(receive: Receive) -> Receive:
    """Drop from the browser's messages those in `BLOCKED_MESSAGES`, and what is no message."""

    async def next_allowed() -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive" or not _is_blocked(message.get("bytes")):
                return message

    return next_allowed


def _is_blocked(data: bytes | None) -> bool:
    message = BackMsg()
    if data is None:  # sent as a text, which Streamlit cannot read
        return True
    try:
        message.ParseFromString(data)
    except Exception:  # no valid message: Streamlit would print a traceback
        return True
    return message.WhichOneof("type") in BLOCKED_MESSAGES
