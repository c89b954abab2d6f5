"""Read uploaded files outside the server, hold them for one session, and delete them with it.

A session has at most one table, one set of features and one table to release. Each is held by a
process of its own (`dpcore.confined`), which gives the page outlines, curves and what was released.
All, and the jobs that learn from them, end as soon as the browser is gone; Streamlit's own copy of
the file is deleted a little later (`pages.server.sessions`), because a browser that lost its
connection briefly comes back.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import streamlit as st

from dpcore.confined import Confined
from dpcore.datasets.text import quoted
from dpcore.errors import Cancelled
from dpcore.questions.question import Question, task
from dpcore.work import jobs
from dpcore.work.handle import UNDER_WAY
from dpcore.work.task import Task
from pages.server import sessions, transfers
from pages.shared import work
from pages.shared.session import once, store, stored

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from dpcore.datasets import Preparation
    from dpcore.evaluation.uploaded import Brief, Outline

MEGABYTES, RELEASE_MEGABYTES = 1_000, 3_000
"""Memory of a process; the second holds 1,000,000 records of 18 numbers as curves."""
READ_SECONDS, ANSWER_SECONDS = 60.0, 180.0
LOOK_SECONDS = 0.2
MAX_ANSWERS = 100
TABLES = ("sklearn.linear_model", "dpcore.erm.methods", "dpcore.evaluation.uploaded")
HEADERS = ("dpcore.datasets.own.form",)
RELEASES = ("onnx", "dpcore.release.confined_release")
FEATURES = ("dpcore.datasets.images.sets.features_npz", "dpcore.evaluation.uploaded")
Kind = Literal["table", "features"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""A CSV for Explore, and an .npz file for Train."""
FORGET = "Forget my data now"
FORGOTTEN = (
    "Forgotten: the file, everything computed from it, and trainings on it. A description of its "
    "columns stays in the address."
)
LAST_RELEASE = "last release"
FILES = ("model.json", "certificate.yaml")


class Upload:
    """Have a process read one file and hold it until `close`.

    `read` runs in the process with its arguments, and again if that ended for using too much. The
    bytes of a `File` go straight into the process: none is kept here.
    """

    def __init__(
        self,
        name: str,
        filename: str,
        libraries: tuple[str, ...],
        read: Callable[..., Any],
        *arguments: object,
        megabytes: int = MEGABYTES,
    ) -> None:
        self.name, self.filename = name, filename
        self._filename = quoted(filename)
        self._process = Confined(megabytes, libraries)
        self._thread = ThreadPoolExecutor(1, "upload")
        self._reading: tuple[Callable[..., Any], tuple[object, ...]] | None = (read, arguments)
        self._read: tuple[int, Any] = (0, None)
        self._answers: dict[Hashable, Future[Any]] = {}
        self._jobs: set[str] = set()
        self._files: list[str] = []
        self.closed = False

    def answer(self, key: Hashable, call: Callable[..., Any] | None, *arguments: object) -> Any:
        """Return the call's result in the process, computed once; for ``None``, that of reading.

        The page still reacts to the person meanwhile. Refuses an invalid file, and one that needs
        too much time or memory.
        """
        future = self._answers.get(key)
        if future is None:
            if len(self._answers) >= MAX_ANSWERS:
                self._answers.clear()
            try:
                future = self._answers[key] = self._thread.submit(self._run, call, arguments)
            except RuntimeError:  # closed
                st.stop()
        placeholder = None
        while True:
            try:
                return future.result(LOOK_SECONDS)
            except TimeoutError:
                placeholder = placeholder or st.empty()
                placeholder.empty()
            except (CancelledError, Cancelled):
                self._answers.pop(key, None)
                st.stop()

    def _run(self, call: Callable[..., Any] | None, arguments: tuple[object, ...]) -> Any:
        if self._reading is None:
            raise Cancelled
        if self._read[0] != self._process.begun:
            read, data = self._reading
            action = f"Reading {self._filename}"
            sent = (each.getvalue() if isinstance(each, File) else each for each in data)
            contents = self._process.ask(action, read, *sent, seconds=READ_SECONDS)
            self._read = self._process.begun, contents
        if call is None:
            return self._read[1]
        action = f"Computing from {self._filename}"
        return self._process.ask(action, call, *arguments, seconds=ANSWER_SECONDS)

    def ask(self, call: Callable[..., Any], *arguments: object) -> Any:
        """Return the result of the call in the process, for a thread that can wait; never kept.

        Refuses as `answer` does; raises `Cancelled` if it was closed.
        """
        try:
            future = self._thread.submit(self._run, call, arguments)
        except RuntimeError:
            raise Cancelled from None
        try:
            return future.result()
        except CancelledError:
            raise Cancelled from None

    def learn(
        self, place: str, make: Callable[[str], Task], key: str, *, is_sweep: bool = False
    ) -> None:
        """Submit a job that learns from the records, unless they are gone.

        `make` gets the path of the records' file and returns the task.
        """
        from dpcore.evaluation import uploaded

        if self.closed or jobs.Job(key).state in (*UNDER_WAY, "done"):
            return
        path = uploaded.place(secrets.token_hex(8))
        self._files += [path, uploaded.mark(key)]
        self.answer(path, uploaded.hand_over, path)
        try:
            self._jobs.add(key)
            work.submit(place, make(path), is_sweep=is_sweep)
        except BaseException:
            Path(path).unlink(missing_ok=True)
            raise
        if self.closed:  # meanwhile, and maybe before the job was there to be ended
            jobs.Job(key).delete()
            Path(path).unlink(missing_ok=True)

    def close(self) -> None:
        """End the process and the jobs, and remove their files."""
        self.closed = True
        self._reading, self._read = None, (0, None)
        self._process.close()
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._answers.clear()
        for key in list(self._jobs):
            jobs.Job(key).delete()
        for path in list(self._files):
            Path(path).unlink(missing_ok=True)


@dataclass(frozen=True)
class File:
    """A file uploaded to this session, by Streamlit's id; Streamlit keeps its bytes.

    A person may declare its records public, and no link can. `getvalue` works in any thread.
    """

    file_id: str
    name: str
    getvalue: Callable[[], bytes]
    is_public: bool = False


@dataclass(frozen=True)
class MadeUpFile(File):
    """A file of made-up records that another page hands over."""

    note: str = ""


def hand_over(name: str, contents: bytes, note: str, kind: Kind = "table") -> None:
    """Hand made-up records to the pages that take such a file; `note` as of a `MadeUpFile`."""
    digest = hashlib.sha256(contents).hexdigest()
    file = MadeUpFile(f"made {digest}", name, lambda: contents, is_public=True, note=note)
    store(_handed_over_key(kind), file)


def _handed_over_key(kind: Kind) -> str:
    return "made file" if kind == "table" else f"made {kind}"


def handed_over(kind: Kind = "table") -> MadeUpFile | None:
    """Draw which file another page has handed over, and the button that drops it."""
    file: MadeUpFile | None = stored(_handed_over_key(kind))
    if file is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f":material/description: {file.name}: made-up records")
            st.button(
                "Drop",
                key=f"drop_{_handed_over_key(kind).replace(' ', '_')}",
                icon=":material/close:",
                type="tertiary",
                on_click=store,
                args=(_handed_over_key(kind), None),
            )
    return file


def field(label: str, key: str, most: int = transfers.SMALL, **more: Any) -> File | None:
    """Draw the upload field and, once it holds a file, the button that deletes it.

    `most` is `upload_limit.SMALL` or `LARGE`.
    """
    forgotten_count = stored("forgotten") or 0
    upload: UploadedFile | None = st.file_uploader(
        label,
        key=f"{key}_{forgotten_count}" if forgotten_count else key,
        max_upload_size=transfers.allow(most),
        **more,
    )
    if upload is None:
        return None
    file = File(upload.file_id, upload.name, sessions.contents_of(upload.file_id))
    st.button(
        FORGET,
        key=f"forget_{key}",
        icon=":material/delete_forever:",
        on_click=forget,
        width="stretch",
        help="Removes the file, everything computed from it, and trainings on it, at once. It also "
        "happens by itself soon after this page is closed.",
    )
    return file


def forget() -> None:
    """Delete this session's files, and everything computed from them."""
    for upload in (stored("table"), stored("features"), stored("release")):
        if upload is not None:
            upload.close()
    store("table", None)
    store("features", None)
    store("release", None)
    for kind in KINDS:
        store(_handed_over_key(kind), None)
    store("syntaxes", None)
    # These caches belong to the session: other sessions lose nothing.
    for cached in (_table, _features, _release, curve_rows, cached_in_session):
        cached.clear()
    store("forgotten", (stored("forgotten") or 0) + 1)
    sessions.forget_files()
    st.toast(FORGOTTEN, icon=":material/delete:")


def _name(*parts: str) -> str:
    """A name for a file and how it is read; unique to this session, whatever others upload."""
    digest = hashlib.sha256(once("upload", secrets.token_bytes))
    for part in parts:
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


@st.cache_resource(max_entries=1, show_spinner=False, scope="session", on_release=Upload.close)
def _table(name: str, _key: str, _columns: str, _file: File) -> Upload:
    from dpcore.evaluation import uploaded

    arguments = (_key, _file, _file.name, _columns)
    return Upload(name, _file.name, TABLES, uploaded.take_table, *arguments)


@st.cache_resource(max_entries=1, show_spinner=False, scope="session", on_release=Upload.close)
def _features(name: str, _file: File) -> Upload:
    from dpcore.evaluation import uploaded

    return Upload(name, _file.name, FEATURES, uploaded.take_examples, _file, _file.name)


def table(key: str, columns: str, file: File) -> str:
    """Hold a table; returns its name in a `Study`."""
    upload = _table(_name(file.file_id, key, columns), key, columns, file)
    store("table", upload)
    return upload.name


@st.cache_resource(max_entries=1, show_spinner=False, scope="session", on_release=Upload.close)
def _release(name: str, _columns: str, _file: File) -> Upload:
    from dpcore.release import confined_release

    arguments = (_columns, _file, _file.name)
    return Upload(
        name,
        _file.name,
        RELEASES,
        confined_release.load_table,
        *arguments,
        megabytes=RELEASE_MEGABYTES,
    )


def release(columns: str, file: File) -> Upload:
    """Hold a table to release a model of; its answer to "" is the number of persons."""
    upload = _release(_name(file.file_id, columns), columns, file)
    store("release", upload)
    return upload


def outline(name: str, preparation: Preparation) -> Outline:
    """The outline of the named table, prepared."""
    from dpcore.evaluation import uploaded

    result: Outline = _current("table", name).answer(preparation, uploaded.outline, preparation)
    return result


def records(name: str) -> int:
    """How many records the named table has, which is public."""
    from dpcore.evaluation import uploaded

    count: int = _current("table", name).answer("records", uploaded.records)
    return count


def learn(question: Question, *, is_sweep: bool) -> None:
    """Submit a question about the table; see `Upload.learn`."""
    upload = stored("table")
    if upload is not None and upload.name == question.upload:
        upload.learn(
            work.CURVES, lambda path: task(question, path), question.key, is_sweep=is_sweep
        )


def features(file: File) -> tuple[str, Brief]:
    """Hold features; returns their name and their outline."""
    upload = _features(_name(file.file_id), file)
    store("features", upload)
    return upload.name, upload.answer("", None)


def train(place: str, make: Callable[[str], Task], key: str, name: str, *, is_sweep: bool) -> None:
    """Submit training on the named features; see `Upload.learn`."""
    upload = stored("features")
    if upload is not None and upload.name == name:
        upload.learn(place, make, key, is_sweep=is_sweep)


def _current(kind: str, name: str) -> Upload:
    upload: Upload | None = stored(kind)
    if upload is None or upload.closed or upload.name != name:
        st.stop()
    return upload


@st.cache_data(max_entries=60, show_spinner=False, scope="session")
def curve_rows(key: str) -> pd.DataFrame:
    """The curves of a finished job that learned from an uploaded table."""
    return jobs.Job(key).result()


@st.cache_resource(max_entries=200, show_spinner=False, scope="session")
def cached_in_session(key: str, _make: Callable[[], Any]) -> Any:
    """A value computed from uploaded data once in this session: the same object each time."""
    return _make()


def store_release(files: Mapping[str, bytes]) -> None:
    """Store the model and its certificate for the other pages of this session."""
    store(LAST_RELEASE, {name: files[name] for name in FILES if name in files})


def stored_release() -> dict[str, bytes]:
    """Name and contents of the stored files; empty if this session has released nothing."""
    return dict(stored(LAST_RELEASE) or {})
