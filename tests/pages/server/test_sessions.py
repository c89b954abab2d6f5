"""Ending sessions whose browser has gone: all that they hold goes, and the watcher outlives it."""

from __future__ import annotations

from unittest.mock import create_autospec

import pytest
from streamlit.runtime import Runtime, media_file_manager
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.server import sessions, transfers


@pytest.fixture
def runtime(monkeypatch):
    """A runtime of the sessions "one" and "two", neither of whose browsers is there."""
    monkeypatch.setattr(sessions, "_sessions", {"one", "two"})
    monkeypatch.setattr(sessions, "_let_go", [float("-inf")])
    fake: Runtime = create_autospec(Runtime, instance=True)
    fake.is_active_session.return_value = False  # type: ignore[attr-defined]
    fake.uploaded_file_mgr = MemoryUploadedFileManager("")  # type: ignore[misc]
    monkeypatch.setattr(sessions, "exists", lambda: True)
    monkeypatch.setattr(sessions, "get_instance", lambda: fake)
    return fake


def closed(runtime):
    """The sessions that were closed."""
    return [call.args[0] for call in runtime.close_session.call_args_list]  # type: ignore[attr-defined]


def upload(runtime, session):
    file = UploadedFileRec("id", "late.csv", "text/csv", b"private")
    transfers.held_files(runtime.uploaded_file_mgr).add_file(session, file)


def test_a_session_whose_browser_has_gone_is_closed_and_the_others_stay(runtime):
    runtime.is_active_session.side_effect = lambda name: name == "two"  # type: ignore[attr-defined]
    for session in ("one", "two"):
        upload(runtime, session)
    sessions._end_absent(runtime, {}, patience=0.0)
    assert closed(runtime) == ["one"]
    assert sessions._sessions == {"two"}
    assert not runtime.uploaded_file_mgr.get_files("one", ["id"])
    assert runtime.uploaded_file_mgr.get_files("two", ["id"])


def test_a_file_that_is_complete_after_the_end_of_its_session_goes_too(runtime):
    upload(runtime, "gone")
    absent_since: dict[str, float] = {}
    sessions._end_absent(runtime, absent_since, patience=100.0)
    assert runtime.uploaded_file_mgr.get_files("gone", ["id"])  # its browser may come back
    sessions._end_absent(runtime, absent_since, patience=0.0)
    assert not runtime.uploaded_file_mgr.get_files("gone", ["id"])


def test_a_session_that_cannot_be_ended_leaves_the_others_to_end(runtime, caplog):
    runtime.close_session.side_effect = RuntimeError  # type: ignore[attr-defined]
    for session in ("one", "two"):
        upload(runtime, session)
    sessions._end_absent(runtime, {}, patience=0.0)
    assert caplog.text.count("could not be ended") == 2
    assert sorted(closed(runtime)) == ["one", "two"]
    assert not sessions._sessions
    assert not any(runtime.uploaded_file_mgr.get_files(one, ["id"]) for one in ("one", "two"))


def test_a_file_to_download_is_gone_soon_after_its_session(runtime, monkeypatch):
    monkeypatch.setattr(media_file_manager, "_get_session_id", lambda: "one")
    storage = MemoryMediaFileStorage("/media")
    runtime.media_file_mgr = files = MediaFileManager(storage)  # type: ignore[misc]
    url = files.add(b"1,0.5,yes", "text/csv", "place", "a.csv", is_for_static_download=True)
    name = url.rpartition("/")[2]
    sessions._look({}, patience=0.0)
    assert storage.get_file(name).content == b"1,0.5,yes"
    files.clear_session_refs("one")
    for _ in range(2):
        sessions._look({}, patience=0.0)
    with pytest.raises(MediaFileStorageError):
        storage.get_file(name)
