"""Names the code of charts in each page's headers: the browser loads it while the page is computed.

Every page opens with a chart. Streamlit's browser part asks for the code of charts, its largest
file, only when the first one has arrived.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CHART_CODE = "PlotlyChart.*.js"


def link() -> str:
    """Value of the header `Link`; empty where Streamlit's files are named otherwise."""
    scripts = Path(st.__file__).parent / "static" / "static" / "js"
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    root = f"/{base}" if base else ""
    return ", ".join(
        f"<{root}/static/js/{script.name}>; rel=modulepreload"
        for script in sorted(scripts.glob(CHART_CODE))
    )


class Preload:
    """ASGI middleware that adds `link` to each page.

    Parameters
    ----------
    app : ASGI application
        The application that answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.link = link()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the header to a page."""

        async def send_with_link(message: Message) -> None:
            if message["type"] == "http.response.start" and self.link:
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers["Link"] = self.link
            await send(message)

        await self.app(scope, receive, send_with_link if scope["type"] == "http" else send)
