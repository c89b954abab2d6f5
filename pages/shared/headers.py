"""Add headers to every response: no content from elsewhere, no framing; charts' code early."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared import preload

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


class Headers:
    """ASGI middleware that adds `HEADERS` to every response, and `preload.link` to each page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                is_page = headers.get("content-type", "").startswith("text/html")
                if is_page and (link := preload.link(scope["path"])):
                    headers["Link"] = link
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)
