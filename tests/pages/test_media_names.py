"""The address of a file tells nothing to those who know, or guess, what is in it."""

import importlib

from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from pages.shared import media_names


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
    monkeypatch.setattr(media_names, "_SECRET", bytes(32))
    assert address(b"1,0.5,yes") != first
