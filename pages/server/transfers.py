"""Limit the files that a browser sends, and name those that a page hands out for their owner alone.

Streamlit has one limit for the whole server, that of the largest field. A field's own limit is
checked in the browser only, so that of smaller ones is checked here, before Streamlit sees a byte.
Streamlit holds a file until its session ends, also one that was sent again, whose page was left, or
that no field asked for. So a session's oldest files go when all of its fields could not hold them.

Streamlit names a file by a fingerprint of its contents and gives it to whoever asks for the name.
So one who guessed the predictions for somebody, from a model that all have, could ask whether they
were just made. It also leaves out parts of a long file, and of two that differ there keeps one. An
address also says for whom the file was made, so that one found in a history opens nothing.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections import Counter
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime import get_instance, memory_media_file_storage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFileManager

from dpcore.datasets.faults import LARGEST_TABLE, MEGABYTE

SMALL, LARGE = 10, LARGEST_TABLE // MEGABYTE
"""Megabytes; the largest set that is taken by upload (70,000 patients) has 3."""
FIELDS = 12  # one each: Train, Plan, Atlas; two each: Release, Predict, Describe; three: Explore
TOO_LARGE = "File too large"
TOO_MUCH = "The files that one visitor sends at once may have {} MB together, but these have more."

_UPLOAD = re.compile(r".*/_stcore/upload_file/([^/]+)/[^/]+/?")
_large: set[str] = set()
"""The sessions whose page has a field for large files."""
_arriving: Counter[str] = Counter()
"""Bytes of each session that have come of files that are not complete."""
_SECRET = secrets.token_bytes(32)
_LENGTH = 64
"""Of one code in letters."""


def allow(most: int) -> int:
    """Let the running session send files of at most so many megabytes from now on."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        (_large.add if most == LARGE else _large.discard)(context.session_id)
    return most


def forget(session: str) -> None:
    """Forget a session that has ended."""
    _large.discard(session)


def _most(session: str) -> int:
    return LARGE if session in _large else SMALL


def _most_together(session: str) -> int:
    return _most(session) + (FIELDS - 1) * SMALL


def held_files(files: UploadedFileManager) -> MemoryUploadedFileManager:
    """The files that Streamlit holds, of all sessions."""
    # Streamlit's only kind; its interface names no way to see, or to remove, one file.
    assert isinstance(files, MemoryUploadedFileManager)
    return files


def _make_room(session: str) -> None:
    """Drop a session's oldest files where those that come need their room."""
    files, most = held_files(get_instance().uploaded_file_mgr), _most_together(session)
    room = most * MEGABYTE - _arriving[session]
    if room < 0:
        raise HTTPException(413, TOO_MUCH.format(most))
    held = list(files.file_storage.get(session, {}).items())
    total = sum(len(file.data) for _, file in held)
    for file_id, file in held:
        if total <= room:
            break
        files.remove_file(session, file_id)
        total -= len(file.data)


class UploadLimit:
    """ASGI middleware that refuses what is more than a session may send."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_put = scope["type"] == "http" and scope["method"] == "PUT"
        match = _UPLOAD.fullmatch(scope["path"]) if is_put else None
        if match is None:
            await self.app(scope, receive, send)
            return
        session = match[1]
        most = _most(session) * MEGABYTE
        stated = Headers(scope=scope).get("content-length", "")
        if stated.isdecimal() and int(stated) > most:
            await PlainTextResponse(TOO_LARGE, 413)(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            size = len(message.get("body", b""))
            received += size
            _arriving[session] += size
            # What a request states of its length need not be true.
            if received > most:
                raise HTTPException(413, TOO_LARGE)
            _make_room(session)
            return message

        try:
            await self.app(scope, counted, send)
        finally:
            _arriving[session] -= received
            if not _arriving[session]:
                del _arriving[session]


def keep_secret(owner: Callable[[], str]) -> None:
    """Name files by all of their contents, a secret of this process, and their owner.

    `owner` returns who the page is drawn for; "" where everybody may have its files.
    """

    def name(data: bytes, mimetype: str, filename: str | None = None) -> str:
        whose = owner()
        contents = _code(mimetype.encode(), (filename or "").encode(), data, whose.encode())
        return contents + _code(contents.encode(), whose.encode())

    memory_media_file_storage._calculate_file_id = name


def is_for(name: str, owner: str) -> bool:
    """Whether the file of that name was made for this owner."""
    code = _code(name[:_LENGTH].encode(), owner.encode())
    return hmac.compare_digest(name[_LENGTH:].encode(), code.encode())


def _code(*parts: bytes) -> str:
    code = hmac.new(_SECRET, digestmod="sha256")
    for part in parts:
        code.update(len(part).to_bytes(8, "big"))
        code.update(part)
    return code.hexdigest()
