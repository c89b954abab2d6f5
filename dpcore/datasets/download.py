"""Where a file of the catalogue is found: local folder, cache, or its original publisher.

The local folder is named by the environment variable DPCORE_DATA and looked in first; the cache is
pooch's for this user, or the folder that DPCORE_CACHE names. Whatever the way, the bytes are held
against the pinned checksum before anyone reads them.
"""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from dpcore.datasets.schema import Entry, RemoteFile
from dpcore.errors import InvalidInput

Progress = Callable[[float, str], None]
Availability = Literal["built in", "local", "download", "upload"]

FOLDER_VARIABLE = "DPCORE_DATA"
CACHE_VARIABLE = "DPCORE_CACHE"
_TIMEOUT = 30.0
"""Seconds without an answer from the publisher before giving up."""
_CHUNK = 64 * 1024


class DataUnavailable(InvalidInput):
    """A data set is not at hand, or not the published one; the sentence says what to do."""


def availability(entry: Entry) -> Availability:
    """How the set can be had here; answered without the network.

    Returns
    -------
    {"built in", "local", "download", "upload"}
        "local" means every file lies in the local folder or in the cache.
    """
    if not entry.files:
        return "built in"
    if all(_local_path(file) or _in_cache(file) for file in entry.files):
        return "local"
    return "download" if all(file.url for file in entry.files) else "upload"


def fetch(entry: Entry, progress: Progress | None = None) -> tuple[bytes, ...]:
    """The bytes of each file of `entry`, their checksums found right where one is pinned.

    Parameters
    ----------
    entry : Entry
        A set with files.
    progress : callable, optional
        Told the share done, from 0 to 1, and what is going on.

    Raises
    ------
    DataUnavailable
        If a file is not at hand and cannot be had, or is not the published one.
    """
    count = len(entry.files)
    contents = []
    for place, file in enumerate(entry.files):
        report = _portion(progress, place, count)
        path = _local_path(file)
        if path is not None:
            report(0.0, f"Reading {file.name}")
            contents.append(_read_local(file, path))
        else:
            contents.append(_read_cached(entry, file, report))
        report(1.0, f"{file.name} is here")
    return tuple(contents)


def checksum(data: bytes) -> str:
    """SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _portion(progress: Progress | None, place: int, count: int) -> Progress:
    """`progress` for one file of several."""

    def report(share: float, message: str) -> None:
        if progress is not None:
            progress((place + min(max(share, 0.0), 1.0)) / count, message)

    return report


def _local_path(file: RemoteFile) -> Path | None:
    folder = os.environ.get(FOLDER_VARIABLE, "").strip()
    if not folder:
        return None
    path = Path(folder).expanduser() / file.path
    return path if path.is_file() else None


def _cache_folder() -> Path:
    folder = os.environ.get(CACHE_VARIABLE, "").strip()
    if folder:
        return Path(folder).expanduser()
    import pooch

    return Path(pooch.os_cache("epsilon-explorer"))


def _cached_name(file: RemoteFile) -> str:
    """Name in the cache: of the archive where there is one, with the folder to keep names apart."""
    name = file.url.rsplit("/", 1)[-1]
    return f"{file.path.split('/', 1)[0]}-{name}"


def _in_cache(file: RemoteFile) -> bool:
    return bool(file.url) and (_cache_folder() / _cached_name(file)).is_file()


def _read_local(file: RemoteFile, path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataUnavailable(
            f"The file {file.path} in the folder that {FOLDER_VARIABLE} names cannot be read "
            f"({error.strerror}); make it readable or remove it."
        ) from None
    if file.sha256 and checksum(data) != file.sha256:
        raise DataUnavailable(
            f"The file {file.path} in the folder that {FOLDER_VARIABLE} names is not the published "
            f"one (SHA-256 {checksum(data)[:12]}…, but it must be {file.sha256[:12]}…); replace it "
            "or remove it."
        )
    return data


def _read_cached(entry: Entry, file: RemoteFile, report: Progress) -> bytes:
    """From the cache, where pooch puts it first if it is not there."""
    if not file.url:
        raise DataUnavailable(
            f"{entry.title} is not at hand: {_sentence_end(entry.how_to_get)}; upload the file, or "
            f"put it at {file.path} in a folder and name that folder in {FOLDER_VARIABLE}."
        )
    import pooch
    import requests

    # `report` says the same where it can be seen.
    pooch.get_logger().setLevel("WARNING")
    report(0.0, f"Downloading {file.name} from {_host(file.url)}")
    try:
        path = pooch.retrieve(
            file.url,
            known_hash="sha256:" + (file.archive_sha256 or file.sha256),
            fname=_cached_name(file),
            path=_cache_folder(),
            downloader=pooch.HTTPDownloader(
                progressbar=_Bar(report, f"Downloading {file.name} from {_host(file.url)}"),
                chunk_size=_CHUNK,
                timeout=_TIMEOUT,
            ),
        )
        data = Path(path).read_bytes()
        if file.member:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                data = archive.read(file.member)
    except requests.RequestException as error:
        raise DataUnavailable(
            f"{entry.title} is not at hand and {file.url} cannot be reached; connect to the "
            f"network and try again, or get the file elsewhere, put it at {file.path} in a folder "
            f"and name that folder in {FOLDER_VARIABLE}."
        ) from error
    except OSError as error:
        raise DataUnavailable(
            f"{file.name} cannot be kept in the cache ({error.strerror or error}); name a folder "
            f"that can be written to in {CACHE_VARIABLE}."
        ) from error
    except (ValueError, KeyError, zipfile.BadZipFile) as error:
        # pooch raises ValueError for a wrong checksum.
        raise DataUnavailable(_not_the_published(file)) from error
    if checksum(data) != file.sha256:
        raise DataUnavailable(_not_the_published(file))
    return data


def _not_the_published(file: RemoteFile) -> str:
    return (
        f"What {_host(file.url)} sent for {file.name} is not the published file (its checksum "
        f"differs); get a good copy and put it at {file.path} in a folder that {FOLDER_VARIABLE} "
        "names."
    )


def _host(url: str) -> str:
    return url.split("/")[2]


def _sentence_end(sentence: str) -> str:
    """A sentence made ready to be followed by a semicolon."""
    return sentence[:1].lower() + sentence[1:].rstrip(".")


class _Bar:
    """The progress bar that pooch asks for: it sets `total`, then reports bytes."""

    def __init__(self, report: Progress, message: str) -> None:
        self.total = 0
        self._done = 0
        self._report = report
        self._message = message

    def update(self, count: int) -> None:
        """Bytes that have come since the last call."""
        self._done += count
        if self.total:
            self._report(self._done / self.total, self._message)

    def reset(self) -> None:
        """Start counting again."""
        self._done = 0

    def close(self) -> None:
        """Nothing to clean up."""
