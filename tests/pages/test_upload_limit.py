"""Whatever a browser says or leaves unsaid, a file is no larger than its page asked for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send

from pages.shared import upload_limit
from pages.shared.upload_limit import LARGE, SMALL, UploadLimit

ROOT = Path(__file__).resolve().parents[2]
MEGABYTE = 1024 * 1024


def sent(session: str, megabytes: int, *, stated: int | None = None) -> tuple[int, int]:
    """The status that a file of this size is answered with, and how much of it was taken."""
    taken, status = 0, 204
    parts: list[Message] = [
        {"type": "http.request", "body": bytes(MEGABYTE), "more_body": part < megabytes - 1}
        for part in range(megabytes)
    ]

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal taken
        while (message := await receive())["more_body"]:
            taken += len(message["body"])
        taken += len(message["body"])

    async def receive() -> Message:
        return parts.pop(0)

    async def send(message: Message) -> None:
        nonlocal status
        status = message.get("status", status)

    stated_bytes = [] if stated is None else [(b"content-length", b"%d" % (stated * MEGABYTE))]
    scope = {
        "type": "http",
        "method": "PUT",
        "path": f"/explorer/_stcore/upload_file/{session}/a-file",
        "headers": stated_bytes,
    }
    # Nothing here waits, so no event loop is needed: one may be running already.
    try:
        with pytest.raises(StopIteration):
            UploadLimit(application)(scope, receive, send).send(None)
    except HTTPException as refused:
        status = refused.status_code
    return status, taken // MEGABYTE


def test_a_file_is_as_large_as_its_page_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_limit, "_large", {"releases"})
    assert sent("explores", SMALL) == (204, SMALL)
    assert sent("releases", SMALL + 5) == (204, SMALL + 5)
    for stated in (None, 1):  # a length need not be stated, nor true
        assert sent("explores", SMALL + 5, stated=stated) == (413, SMALL)
    assert sent("explores", SMALL, stated=SMALL + 1) == (413, 0)
    assert sent("releases", SMALL, stated=LARGE) == (204, SMALL)
    assert sent("releases", SMALL, stated=LARGE + 1) == (413, 0)
    upload_limit.forget("releases")
    assert sent("releases", SMALL + 5) == (413, SMALL)


def test_every_field_states_its_limit_and_the_server_allows_the_largest() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert config["server"]["maxUploadSize"] == LARGE == 300
    fields = 0
    for path in (ROOT / "pages").rglob("*.py"):
        for drawn in re.findall(
            r"file_uploader\((.*?)\n +\)", path.read_text("utf-8"), flags=re.DOTALL
        ):
            fields += 1
            assert "max_upload_size=upload_limit.allow(" in drawn, path
    assert fields == 3
