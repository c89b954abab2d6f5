"""How large a file may be that a browser sends: what its page asked for, and no more.

Streamlit has one limit for the whole server, that of the largest field. A field's own limit is
checked in the browser only, so that of smaller ones is checked here, before Streamlit sees a byte.
"""

from __future__ import annotations

import re

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpcore.datasets.limits import LARGEST_TABLE, MEGABYTE

SMALL, LARGE = 10, LARGEST_TABLE // MEGABYTE
"""In megabytes; the largest set that is taken by upload (70,000 patients) is 3."""
TOO_LARGE = "File too large"

_UPLOAD = re.compile(r".*/_stcore/upload_file/([^/]+)/[^/]+/?")
_large: set[str] = set()
"""The sessions whose page has a field for large files."""


def allow(most: int) -> int:
    """Let the running session send files of at most so many megabytes from now on.

    Parameters
    ----------
    most : int
        `SMALL` or `LARGE`.

    Returns
    -------
    int
        The same, for the field.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        (_large.add if most == LARGE else _large.discard)(context.session_id)
    return most


def forget(session: str) -> None:
    """Forget a session that has ended."""
    _large.discard(session)


class UploadLimit:
    """ASGI middleware that refuses files that are larger than their session may send.

    Parameters
    ----------
    app : ASGI application
        The application that gets the others.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        is_put = scope["type"] == "http" and scope["method"] == "PUT"
        match = _UPLOAD.fullmatch(scope["path"]) if is_put else None
        if match is None:
            await self.app(scope, receive, send)
            return
        most = (LARGE if match[1] in _large else SMALL) * MEGABYTE
        stated = Headers(scope=scope).get("content-length", "")
        if stated.isdecimal() and int(stated) > most:
            await PlainTextResponse(TOO_LARGE, 413)(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            # What a request states of its length need not be true.
            if received > most:
                raise HTTPException(413, TOO_LARGE)
            return message

        await self.app(scope, counted, send)
