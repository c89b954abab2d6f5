import hashlib
import io
import os
import zipfile
from dataclasses import replace

import pytest
import requests

from dpcore import datasets
from dpcore.datasets import DataUnavailable, RemoteFile
from dpcore.datasets.files import availability, fetch, recognised
from dpcore.errors import InvalidInput

CONTENT = b"some records\n" * 20_000


def sha(data):
    return hashlib.sha256(data).hexdigest()


def zipped(name, data):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr(name, data)
    return whole.getvalue()


PLAIN = replace(
    datasets.entry("heart"),
    files=(RemoteFile("heart/a.data", sha(CONTENT), url="https://example.org/a.data"),),
)
ARCHIVE = zipped("inside.csv", CONTENT)
ZIPPED = replace(
    datasets.entry("bank"),
    files=(
        RemoteFile(
            "bank/inside.csv",
            sha(CONTENT),
            url="https://example.org/whole.zip",
            member="inside.csv",
            archive_sha256=sha(ARCHIVE),
        ),
    ),
)


def serve(monkeypatch, content):
    """Let the publisher send `content`; the addresses asked for are listed."""
    asked: list[str] = []

    class Response:
        headers = {"content-length": str(len(content))}  # noqa: RUF012

        def raise_for_status(self):
            return None

        def iter_content(self, chunk_size):
            for start in range(0, len(content), chunk_size):
                yield content[start : start + chunk_size]

    def get(url, **settings):
        assert settings["timeout"]
        asked.append(url)
        return Response()

    monkeypatch.setattr(requests, "get", get)
    return asked


def test_a_file_is_downloaded_once_with_progress_and_then_taken_from_the_cache(monkeypatch):
    asked = serve(monkeypatch, CONTENT)
    shares: list[float] = []
    assert availability(PLAIN) == "download"
    assert fetch(PLAIN, lambda share, _: shares.append(share)) == (CONTENT,)
    assert shares == sorted(shares)
    assert (len(set(shares)) > 3, max(shares)) == (True, 1)
    assert availability(PLAIN) == "local"
    assert fetch(PLAIN) == (CONTENT,)
    assert asked == ["https://example.org/a.data"]


def test_a_file_is_taken_out_of_an_archive_and_of_no_other(monkeypatch):
    serve(monkeypatch, ARCHIVE)
    assert fetch(ZIPPED) == (CONTENT,)
    for other in (zipped("inside.csv", b"other"), zipped("elsewhere.csv", CONTENT), b"no archive"):
        serve(monkeypatch, other)
        files = (replace(ZIPPED.files[0], archive_sha256=sha(other)),)
        with pytest.raises(DataUnavailable, match="not the published file"):
            fetch(replace(ZIPPED, files=files))


def test_what_the_publisher_sends_must_have_the_pinned_checksum(monkeypatch, tmp_path):
    serve(monkeypatch, CONTENT + b"one more record\n")
    with pytest.raises(DataUnavailable, match=r"What example\.org sent for a\.data is not the pub"):
        fetch(PLAIN)
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_a_set_without_a_published_checksum_is_checked_row_by_row(monkeypatch, tmp_path, made_up):
    monkeypatch.setenv("DPCORE_DATA", str(tmp_path))
    (tmp_path / "ipums_br").mkdir()
    place = tmp_path / "ipums_br" / "IPUMS-BR.dat"
    place.write_bytes(made_up("ipums_br", 50))
    table = datasets.load("ipums_br")
    assert (table.records, len(table.frame.columns), table.published) == (50, 52, False)
    place.write_bytes(made_up("ipums_br", 50).replace(b"\n", b" 7\n", 1))
    with pytest.raises(InvalidInput, match=r"line 1.* 54 fields"):
        datasets.load("ipums_br")


def md5(data):
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def test_where_only_an_md5_is_known_it_is_held_against_every_way(monkeypatch, tmp_path):
    file = RemoteFile("heart/b.data", md5=md5(CONTENT), url="https://example.org/b.data?download=1")
    entry = replace(PLAIN, files=(file,))
    serve(monkeypatch, CONTENT + b"one more record\n")
    with pytest.raises(DataUnavailable, match=r"sent for b\.data is not the published file"):
        fetch(entry)
    asked = serve(monkeypatch, CONTENT)
    assert fetch(entry) == fetch(entry) == (CONTENT,)
    assert asked == ["https://example.org/b.data?download=1"]
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["heart-b.data"]
    monkeypatch.setenv("DPCORE_DATA", str(tmp_path))
    (tmp_path / "heart").mkdir()
    (tmp_path / "heart" / "b.data").write_bytes(b"other")
    with pytest.raises(DataUnavailable, match=rf"MD5 {md5(b'other')[:12]}…, but it must be"):
        fetch(entry)


def test_another_file_may_stand_in_for_one_in_the_local_folder(monkeypatch, tmp_path):
    other = RemoteFile("heart/other.data", sha(b"other"))
    entry = replace(PLAIN, files=(replace(PLAIN.files[0], also=(other,)),))
    monkeypatch.setenv("DPCORE_DATA", str(tmp_path))
    (tmp_path / "heart").mkdir()
    assert availability(entry) == "download"
    (tmp_path / "heart" / "other.data").write_bytes(b"other")
    assert availability(entry) == "local"
    assert fetch(entry) == (b"other",)
    assert recognised(entry.files[0], b"other") == other
    assert recognised(entry.files[0], CONTENT) == entry.files[0]
    assert recognised(entry.files[0], b"neither") is None
    (tmp_path / "heart" / "other.data").write_bytes(b"neither")
    assert availability(entry) == "local"
    with pytest.raises(DataUnavailable, match=r"heart/other\.data .* not the published one"):
        fetch(entry)


def test_a_cache_that_cannot_be_written_is_done_without_and_one_that_holds_the_file_is_read(
    tmp_path, monkeypatch
):
    serve(monkeypatch, CONTENT)
    (tmp_path / "a file").write_text("in the way")
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path / "a file" / "cache"))
    assert fetch(PLAIN) == (CONTENT,)
    # Found again as long as the program runs.
    assert availability(PLAIN) == "local"
    asked = serve(monkeypatch, b"another")
    assert fetch(PLAIN) == (CONTENT,)
    assert asked == []


def test_nobody_else_can_read_a_download(tmp_path, monkeypatch):
    serve(monkeypatch, CONTENT)
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path / "cache"))
    before = os.umask(0)
    try:
        fetch(PLAIN)
    finally:
        os.umask(before)
    result = [tmp_path / "cache", *(tmp_path / "cache").iterdir()]
    assert [path.stat().st_mode & 0o077 for path in result] == [0, 0]
