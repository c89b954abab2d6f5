"""Check each request before Streamlit sees it, and add headers to each response.

The address and the hosts that are answered are set in `.streamlit/config.toml`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
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
POLICY = "; ".join(
    (
        "default-src 'self'",
        # Streamlit's page has an inline script, Plotly compiles its WebGL shaders, and components'
        # modules are loaded from the page's own memory.
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "frame-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
}
CHART_CODE, PICTURE_CODE = "PlotlyChart.*.js", "BidiComponent.*.js"
"""Streamlit's browser part asks for either only when the first chart has arrived; Plotly's, its
largest file, then runs for as long as half a page takes."""
PICTURE_FIRST = ("/", "/explore")
"""Ends of the paths of pages that open with a picture: its code is a hundredth of Plotly's."""
LATER = 3_000
"""Milliseconds after which such a page loads Plotly, for its tabs."""


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


class SecurityHeaders:
    """Add to every response `HEADERS`, and to a page the code of its charts (ASGI middleware)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                is_page = headers.get("content-type", "").startswith("text/html")
                if is_page and (link := preload_link(scope["path"])):
                    headers["Link"] = link
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


def preload_link(path: str) -> str:
    """Return the header `Link` of a page; empty where Streamlit's files are named otherwise."""
    code = PICTURE_CODE if path.endswith(PICTURE_FIRST) else CHART_CODE
    return ", ".join(f"<{each}>; rel=modulepreload" for each in _paths(code))


def preload_script() -> str:
    """Return what runs the code in the browser, once: it is the module that Streamlit asks for."""
    imports = "".join(
        f"import({json.dumps(path)}).catch(() => {{}});" for path in _paths(CHART_CODE)
    )
    first = f"{json.dumps(PICTURE_FIRST)}.some((end) => location.pathname.endsWith(end))"
    return f"<script>setTimeout(() => {{{imports}}}, {first} ? {LATER} : 0)</script>"


def _paths(code: str) -> list[str]:
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    root = f"/{base}" if base else ""
    return [f"{root}/static/js/{name}" for name in _names(code)]


@cache  # asked for at each run of a page
def _names(pattern: str) -> list[str]:
    scripts = Path(st.__file__).parent / "static" / "static" / "js"
    return sorted(script.name for script in scripts.glob(pattern))
