"""Whatever a browser says or leaves unsaid, a file is no larger than its page asked for.

Nor are all files of a session, or of all sessions, more than the server may hold.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import re
import tomllib
from collections.abc import Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.server import transfers
from pages.server.transfers import FIELDS, LARGE, SMALL, UploadLimit

ROOT = Path(__file__).resolve().parents[3]
MEGABYTE = 1024 * 1024


numbers = itertools.count()


@pytest.fixture(autouse=True)
def files(monkeypatch):
    """What Streamlit holds."""
    held = MemoryUploadedFileManager("")
    runtime = SimpleNamespace(uploaded_file_mgr=held)
    monkeypatch.setattr(transfers, "get_instance", lambda: runtime)
    monkeypatch.setattr(transfers, "_large", {"releases"})
    return held


def held(files, session):
    """Megabytes of the files of a session, the oldest first."""
    return [len(file.data) // MEGABYTE for file in files.file_storage[session].values()]


@functools.cache
def zeros(megabytes):
    return bytes(megabytes * MEGABYTE)


def hold(files, session, megabytes):
    name = f"file {next(numbers)}"
    files.add_file(session, UploadedFileRec(name, "a.csv", "text/csv", zeros(megabytes)))


class Arriving:
    """A file whose last megabyte has not come yet."""

    def __init__(self, session, megabytes):
        self.parts, self.status = megabytes, 0
        scope = {
            "type": "http",
            "method": "PUT",
            "path": f"/_stcore/upload_file/{session}/a-file",
            "headers": [],
        }
        self.request: Coroutine[Any, Any, None] = UploadLimit(self._application)(
            scope, self._receive, self._send
        )
        try:
            self.request.send(None)
        except HTTPException as refused:
            self.status, self.sentence = refused.status_code, refused.detail

    async def _application(self, scope, receive, send):
        while True:
            await receive()

    async def _receive(self):
        if not self.parts:
            await _Pause()
        self.parts -= 1
        return {"type": "http.request", "body": bytes(MEGABYTE), "more_body": True}

    async def _send(self, message):
        raise AssertionError


class _Pause:
    def __await__(self):
        yield


def sent(session, megabytes, *, stated=None):
    """The status that a file of this size is answered with, and how much of it was taken."""
    taken, status = 0, 204
    parts: list[Message] = [
        {"type": "http.request", "body": bytes(MEGABYTE), "more_body": part < megabytes - 1}
        for part in range(megabytes)
    ]

    async def application(scope, receive, send):
        nonlocal taken
        while (message := await receive())["more_body"]:
            taken += len(message["body"])
        taken += len(message["body"])

    async def receive():
        return parts.pop(0)

    async def send(message):
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


def test_a_file_is_as_large_as_its_page_asked_for():
    assert sent("explores", SMALL) == (204, SMALL)
    assert sent("releases", SMALL + 5) == (204, SMALL + 5)
    for stated in (None, 1):  # a length need not be stated, nor true
        assert sent("explores", SMALL + 5, stated=stated) == (413, SMALL)
    assert sent("explores", SMALL, stated=SMALL + 1) == (413, 0)
    assert sent("releases", SMALL, stated=LARGE) == (204, SMALL)
    assert sent("releases", SMALL, stated=LARGE + 1) == (413, 0)
    transfers.forget("releases")
    assert sent("releases", SMALL + 5) == (413, SMALL)


def test_the_oldest_files_of_a_session_go_when_its_fields_could_not_hold_them(files):
    for megabytes in (9, *[10] * (FIELDS - 1)):
        hold(files, "explores", megabytes)
    hold(files, "other", 10)
    assert sent("explores", 1) == (204, 1)
    assert held(files, "explores") == [9, *[10] * (FIELDS - 1)]
    assert sent("explores", 2) == (204, 2)
    assert held(files, "explores") == [10] * (FIELDS - 1)
    assert held(files, "other") == [10]
    for _ in range(2):
        hold(files, "releases", LARGE)
    assert sent("releases", SMALL) == (204, SMALL)
    assert held(files, "releases") == [LARGE]


def test_files_that_come_at_once_have_no_more_room(files):
    coming = [Arriving("explores", SMALL) for _ in range(FIELDS)]
    assert not any(each.status for each in coming)
    late = Arriving("explores", 1)
    assert late.status == 413
    assert f" {FIELDS * SMALL} MB " in late.sentence
    for each in coming:  # their browser has gone
        each.request.close()
    last = Arriving("explores", 1)
    assert not last.status
    last.request.close()
    assert not transfers._arriving


def test_a_session_has_its_room_whatever_others_hold(files):
    for session in range(30):
        for _ in range(5):
            hold(files, f"session {session}", 10)
    assert sent("explores", SMALL) == (204, SMALL)


def test_every_field_states_its_limit_and_the_server_allows_the_largest():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert config["server"]["maxUploadSize"] == LARGE == 300
    fields = 0
    for path in (ROOT / "pages").rglob("*.py"):
        for drawn in re.findall(
            r"file_uploader\((.*?)\n +\)", path.read_text("utf-8"), flags=re.DOTALL
        ):
            fields += 1
            assert "max_upload_size=transfers.allow(" in drawn, path
    assert fields == 4
    drawn_by = [path for path in (ROOT / "pages").rglob("*.py") if path.parent.name != "shared"]
    texts = "".join(path.read_text("utf-8") for path in drawn_by)
    single = len(re.findall(r"uploads\.field\(|st\.file_uploader\(", texts))
    # That of a table, and that of its description.
    assert single + 2 * len(re.findall(r"own_table\.controls\(", texts)) == FIELDS


def address(contents):
    files = MemoryMediaFileStorage("/media")
    return files.load_and_get_id(contents, "text/csv", MediaFileKind.DOWNLOADABLE, "a.csv")


def test_an_address_hangs_on_all_that_is_in_a_file_and_on_a_secret(monkeypatch):
    importlib.import_module("app")  # what the server runs
    first = address(b"1,0.5,yes")
    assert address(b"1,0.5,yes") == first
    long = bytearray(3_000_000)
    before = address(bytes(long))
    long[200_000] = 1
    assert address(bytes(long)) != before
    monkeypatch.setattr(transfers, "_SECRET", bytes(32))
    assert address(b"1,0.5,yes") != first
