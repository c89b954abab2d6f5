"""Read a file that a user names, or those of the catalogue: local, cached, or the publisher's.

Those of the catalogue are compared with the pinned checksum before anyone reads them.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import zipfile
from pathlib import Path
from typing import Literal

from dpcore.datasets import cache
from dpcore.datasets.schema import Description, RemoteFile
from dpcore.errors import InvalidInput, reject
from dpcore.progress import Progress
from dpcore.settings import DATA


def contents(field: str, name: str | Path, most: int) -> bytes:
    """All bytes of the file called `name`, or one more than `most` of one that is larger."""
    try:
        path = Path(name).expanduser()
        if stat.S_ISREG(path.stat().st_mode):
            with path.open("rb") as file:
                return file.read(most + 1)
        allowed = "a file that can be read (it is a folder or a device)"
    except OSError as error:
        allowed = f"a file that can be read ({error.strerror})"
    except (ValueError, RuntimeError):  # a zero byte; a home that nobody has
        allowed = "a file that can be read"
    raise reject(field, str(name), allowed)


Availability = Literal["built in", "local", "download", "upload", "folder"]

_TIMEOUT = 30.0
"""Seconds without an answer from the publisher before giving up."""
_CHUNK = 64 * 1024


class DataUnavailable(InvalidInput):
    """A data set is not at hand, or not the published one; the sentence says what to do."""


def availability(entry: Description) -> Availability:
    """How the set can be obtained, without the network; "local" where every file is here."""
    if not entry.files:
        return "built in"
    if all(_local(file) or _in_cache(file) for file in entry.files):
        return "local"
    return "download" if all(file.url for file in entry.files) else "upload"


def fetch(entry: Description, progress: Progress | None = None) -> tuple[bytes, ...]:
    """The bytes of each file, verified where a checksum is pinned; `DataUnavailable` otherwise."""
    count = len(entry.files)
    contents = []
    for index, file in enumerate(entry.files):
        report = _file_progress(progress, index, count)
        local = _local(file)
        if local is not None:
            report(0.0, f"Reading {local[0].name}")
            contents.append(_read_local(file, *local))
        else:
            contents.append(_read_cached(entry, file, report))
        report(1.0, f"{file.name} is here")
    return tuple(contents)


def checksum(data: bytes) -> str:
    """SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _file_progress(progress: Progress | None, index: int, count: int) -> Progress:
    def report(share: float, message: str) -> None:
        if progress is not None:
            progress((index + min(max(share, 0.0), 1.0)) / count, message)

    return report


def recognised(file: RemoteFile, data: bytes) -> RemoteFile | None:
    """Which of `file` and the files taken in its place `data` is; None when it is none of them."""
    accepted = (each for each in (file, *file.also) if not _difference(data, each.sha256, each.md5))
    return next(accepted, None)


def local_folder() -> Path | None:
    """The folder that DPCORE_DATA names, whether or not it exists; None where it names none."""
    return DATA.path


def _local(file: RemoteFile) -> tuple[RemoteFile, Path] | None:
    """The file, or else one taken in its place, and its path in the local folder."""
    folder = local_folder()
    if folder is None:
        return None
    for candidate in (file, *file.also):
        if (folder / candidate.path).is_file():
            return candidate, folder / candidate.path
    return None


def _cached_name(file: RemoteFile) -> str:
    """Name in the cache, the archive's where there is one; the folder keeps names distinct."""
    name = file.url.rsplit("/", 1)[-1].split("?", 1)[0]
    return f"{file.path.split('/', 1)[0]}-{name}"


def _in_cache(file: RemoteFile) -> bool:
    return bool(file.url) and os.path.isfile(cache.path_of(_cached_name(file)))


def _read_local(file: RemoteFile, local_file: RemoteFile, path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataUnavailable(
            f"The file {local_file.path} in the folder that {DATA.name} names cannot be read "
            f"({error.strerror}); make it readable or remove it."
        ) from None
    if recognised(file, data) is None:
        difference = _difference(data, local_file.sha256, local_file.md5)
        raise DataUnavailable(
            f"The file {local_file.path} in the folder that {DATA.name} names is not the "
            f"published one ({difference}); replace it or remove it."
        )
    return data


def _difference(data: bytes, sha256: str, md5: str) -> str:
    """How the data differ from the pinned checksum, the first of the two; "" where they do not."""
    kind, expected = ("SHA-256", sha256) if sha256 else ("MD5", md5)
    actual = checksum(data) if sha256 else hashlib.md5(data, usedforsecurity=False).hexdigest()
    if expected in ("", actual):
        return ""
    return f"{kind} {actual[:12]}…, but it must be {expected[:12]}…"


def _read_cached(entry: Description, file: RemoteFile, report: Progress) -> bytes:
    if not file.url:
        raise DataUnavailable(
            f"{entry.title} is not at hand: {_sentence_end(entry.how_to_get)}; upload the file, or "
            f"put it at {file.path} in a folder and name that folder in {DATA.name}."
        )
    data = _cached(file)
    if data is None:
        data = _download(entry, file, report)
    if file.member:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                data = archive.read(file.member)
        except (ValueError, KeyError, zipfile.BadZipFile) as error:
            raise DataUnavailable(_not_the_published(file)) from error
    if recognised(file, data) is None:
        raise DataUnavailable(_not_the_published(file))
    return data


def _cached(file: RemoteFile) -> bytes | None:
    try:
        data = cache.path_of(_cached_name(file)).read_bytes()
    except OSError:
        return None
    differs = _difference(data, file.archive_sha256 or file.sha256, file.md5)
    return None if differs else data


def _download(entry: Description, file: RemoteFile, report: Progress) -> bytes:
    import pooch
    import requests

    pinned = file.archive_sha256 or file.sha256
    # `report` shows the same where the user sees it.
    pooch.get_logger().setLevel("WARNING")
    report(0.0, f"Downloading {file.name} from {_host(file.url)}")
    try:
        path = pooch.retrieve(
            file.url,
            known_hash=f"sha256:{pinned}" if pinned else f"md5:{file.md5}",
            fname=_cached_name(file),
            path=cache.place(),
            downloader=pooch.HTTPDownloader(
                progressbar=_Bar(report, f"Downloading {file.name} from {_host(file.url)}"),
                chunk_size=_CHUNK,
                timeout=_TIMEOUT,
            ),
        )
        return Path(path).read_bytes()
    except requests.RequestException as error:
        raise DataUnavailable(
            f"{entry.title} is not at hand and {file.url} cannot be reached; connect to the "
            f"network and try again, or get the file elsewhere, put it at {file.path} in a folder "
            f"and name that folder in {DATA.name}."
        ) from error
    except OSError as error:
        raise DataUnavailable(f"{file.name} is not at hand. {cache.sentence(error)}") from error
    except ValueError as error:  # a wrong checksum
        raise DataUnavailable(_not_the_published(file)) from error


def _not_the_published(file: RemoteFile) -> str:
    return (
        f"What {_host(file.url)} sent for {file.name} is not the published file (its checksum "
        f"differs); get a good copy and put it at {file.path} in a folder that {DATA.name} "
        "names."
    )


def _host(url: str) -> str:
    return url.split("/")[2]


def _sentence_end(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")


class _Bar:
    """The progress bar that pooch requires: pooch sets `total`, then reports bytes."""

    def __init__(self, report: Progress, message: str) -> None:
        self.total = 0
        self._done = 0
        self._report = report
        self._message = message

    def update(self, count: int) -> None:
        self._done += count
        if self.total:
            self._report(self._done / self.total, self._message)

    def reset(self) -> None:
        self._done = 0

    def close(self) -> None: ...
