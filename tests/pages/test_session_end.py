"""Ending sessions whose browser has gone: all that they hold goes, and the watcher outlives it."""

from __future__ import annotations

import weakref
from types import SimpleNamespace
from unittest.mock import create_autospec

import pytest
from streamlit.runtime import Runtime, media_file_manager
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.state import SessionState
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.shared import session_end, upload_limit


def app_session() -> AppSession:
    """Streamlit's session without its server: what `end` clears is Streamlit's own."""

    class Bare(AppSession):
        __init__, __del__ = object.__init__, lambda self: None  # type: ignore[assignment]

    session = Bare()
    session._session_state = SessionState()
    session._fragment_storage = MemoryFragmentStorage()
    session._session_state._new_session_state["answer"] = "private"
    session._fragment_storage._fragments["fragment"] = lambda: "private"
    metadata = session._session_state._new_widget_state.widget_metadata
    metadata["button"] = SimpleNamespace(callback=lambda: "private")  # type: ignore[assignment]
    return session


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Runtime:
    """A runtime none of whose browsers is there."""
    monkeypatch.setattr(session_end, "_sessions", {})
    monkeypatch.setattr(session_end, "_sweep_times", [])
    monkeypatch.setattr(session_end, "_may_upload", set())
    fake: Runtime = create_autospec(Runtime, instance=True)
    fake.is_active_session.return_value = False  # type: ignore[attr-defined]
    fake.uploaded_file_mgr = MemoryUploadedFileManager("")  # type: ignore[misc]
    return fake


def test_state_fragments_and_callbacks_of_an_ended_session_are_gone(runtime: Runtime) -> None:
    # Something in Streamlit may hold the session longer than its browser is there.
    session = app_session()
    session_end._sessions["one"] = session_end._Session(weakref.ref(session))
    session_end._may_upload.add("one")
    session_end._end_absent(runtime, {}, patience=0.0)
    runtime.close_session.assert_called_once_with("one")  # type: ignore[attr-defined]
    assert not session.session_state._new_session_state
    assert not session._fragment_storage.contains("fragment")
    assert not session.session_state._new_widget_state.widget_metadata
    assert session_end._sweep_times
    assert not session_end._sessions


def test_a_file_that_is_complete_after_the_end_of_its_session_goes_too(runtime: Runtime) -> None:
    files = upload_limit.held_files(runtime.uploaded_file_mgr)
    files.add_file("gone", UploadedFileRec("late", "late.csv", "text/csv", b"private"))
    absent_since: dict[str, float] = {}
    session_end._end_absent(runtime, absent_since, patience=100.0)
    assert files.get_files("gone", ["late"])  # its browser may come back
    session_end._end_absent(runtime, absent_since, patience=0.0)
    assert not files.get_files("gone", ["late"])
    assert session_end._sweep_times


def test_a_session_that_cannot_be_ended_leaves_the_others_to_end(
    runtime: Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    sessions = {name: app_session() for name in ("one", "two")}
    for name, session in sessions.items():
        session_end._sessions[name] = session_end._Session(weakref.ref(session))
    session_end._may_upload.add("one")
    sessions["one"]._session_state = None  # type: ignore[assignment]
    session_end._end_absent(runtime, {}, patience=0.0)
    assert "could not be cleared" in caplog.text
    assert not sessions["two"].session_state._new_session_state
    assert session_end._sweep_times
    assert not session_end._sessions


def test_a_file_to_download_is_gone_when_memory_was_swept(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = MemoryMediaFileStorage("/media")
    runtime.media_file_mgr = files = MediaFileManager(storage)  # type: ignore[misc]
    monkeypatch.setattr(session_end, "PYTHON_FREE", 0)
    monkeypatch.setattr(session_end, "exists", lambda: True)
    monkeypatch.setattr(session_end, "get_instance", lambda: runtime)
    monkeypatch.setattr(media_file_manager, "_get_session_id", lambda: "one")
    url = files.add(b"1,0.5,yes", "text/csv", "place", "a.csv", is_for_static_download=True)
    name = url.rpartition("/")[2]
    session_end._sweep()
    assert storage.get_file(name).content == b"1,0.5,yes"
    files.clear_session_refs("one")
    for _ in session_end.SWEEPS:
        session_end._sweep()
    with pytest.raises(MediaFileStorageError):
        storage.get_file(name)


def test_memory_is_overwritten_only_while_someone_may_upload(runtime: Runtime) -> None:
    sessions = {name: app_session() for name in ("one", "two")}
    for name, session in sessions.items():
        session_end._sessions[name] = session_end._Session(weakref.ref(session))
    session_end._may_upload.add("one")
    gone = {"two"}
    runtime.is_active_session.side_effect = lambda name: name not in gone  # type: ignore[attr-defined]
    session_end._end_absent(runtime, {}, patience=0.0)
    assert session_end._may_upload == {"one"}
    # Nor is it swept after one that had no field for a file.
    assert not session_end._sweep_times
    gone.add("one")
    session_end._end_absent(runtime, {}, patience=0.0)
    assert not session_end._may_upload
    assert session_end._sweep_times
