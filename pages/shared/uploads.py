"""Files of one's own: read apart from the server, held for one session, and forgotten with it.

A session has at most one table and one set of features. Each is held by a process of its own
(`dpcore.confined`), of which the page sees outlines and curves. Both, and the jobs that learn from
them, end as soon as the browser is gone; what Streamlit itself holds of the file ends a little
later (`pages.shared.session_end`), because a browser that lost its line for a moment comes back.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.confined import Confined
from dpcore.datasets.text import quoted
from dpcore.errors import Cancelled
from dpcore.evaluation import jobs
from dpcore.evaluation.forgetting import forget as forget_job
from dpcore.evaluation.task import Task
from pages.shared import session_end, shared_jobs
from pages.shared.session import keep, kept, once, recall, remember

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from dpcore.datasets import Preparation
    from dpcore.evaluation.curves import Baselines
    from dpcore.evaluation.study import Study
    from dpcore.evaluation.training.study import TrainingStudy, TrainingSweep
    from dpcore.evaluation.uploaded import Brief, Outline

MEGABYTES = 1_000
READ_SECONDS, ANSWER_SECONDS = 60.0, 180.0
LOOK_SECONDS = 0.2
MOST_ANSWERS = 100
TABLES = ("sklearn.linear_model", "dpcore.methods", "dpcore.evaluation.uploaded")
FEATURES = ("dpcore.datasets.images.sets.features_npz", "dpcore.evaluation.uploaded")
FORGET = "Forget my data now"
FORGOTTEN = (
    "Forgotten: the file, everything computed from it, and trainings on it. A description of its "
    "columns stays in the address."
)


class Upload:
    """One file, read and held by a process; it ends with `close`.

    Parameters
    ----------
    name : str
        Names the file and this session.
    filename : str
        What the person calls it.
    libraries : tuple of str
        As for `Confined`.
    read : callable
    given : objects
        Where it begins, there, and again should the process have ended for taking too much.
    """

    def __init__(
        self,
        name: str,
        filename: str,
        libraries: tuple[str, ...],
        read: Callable[..., Any],
        *given: object,
    ) -> None:
        self.name = name
        self._filename = quoted(filename)
        self._process = Confined(MEGABYTES, libraries)
        self._thread = ThreadPoolExecutor(1, "upload")
        self._reading: tuple[Callable[..., Any], tuple[object, ...]] | None = (read, given)
        self._read: tuple[int, Any] = (0, None)
        self._answers: dict[Hashable, Future[Any]] = {}
        self._jobs: set[str] = set()
        self._files: list[str] = []
        self.closed = False

    def answer(self, key: Hashable, call: Callable[..., Any] | None, *given: object) -> Any:
        """What the call returns there, computed once; of ``None``, what reading returned.

        While it takes its time, whatever the person does next is heard.

        Raises
        ------
        InvalidInput
            If the file is not what it should be, or takes too much.
        """
        future = self._answers.get(key)
        if future is None:
            if len(self._answers) >= MOST_ANSWERS:
                self._answers.clear()
            try:
                future = self._answers[key] = self._thread.submit(self._asked, call, given)
            except RuntimeError:  # closed
                st.stop()
        spot = None
        while True:
            try:
                return future.result(LOOK_SECONDS)
            except TimeoutError:
                spot = spot or st.empty()
                spot.empty()
            except (CancelledError, Cancelled):
                self._answers.pop(key, None)
                st.stop()

    def _asked(self, call: Callable[..., Any] | None, given: tuple[object, ...]) -> Any:
        if self._reading is None:
            raise Cancelled
        if self._read[0] != self._process.begun:
            read, data = self._reading
            what = f"Reading {self._filename}"
            found = self._process.ask(what, read, *data, seconds=READ_SECONDS)
            self._read = self._process.begun, found
        if call is None:
            return self._read[1]
        what = f"Computing from {self._filename}"
        return self._process.ask(what, call, *given, seconds=ANSWER_SECONDS)

    def learn(
        self, place: str, make: Callable[[str], Task], key: str, preparation: Any = None
    ) -> None:
        """Have a job learn from the records, unless they are gone.

        Parameters
        ----------
        place : str
            As for `shared_jobs.submit`.
        make : callable
            Takes the path of the records' file and gives the task.
        key : str
            The task's.
        preparation : Preparation, optional
            Of a table.

        Raises
        ------
        QueueFull
        """
        from dpcore.evaluation import uploaded

        job = jobs.find(key)
        if self.closed or (job is not None and job.state in ("queued", "running", "done")):
            return
        path = uploaded.place(secrets.token_hex(8))
        self._files.append(path)
        self.answer(path, uploaded.hand_over, path, preparation)
        try:
            self._jobs.add(key)
            shared_jobs.submit(place, make(path))
        except BaseException:
            Path(path).unlink(missing_ok=True)
            raise

    def close(self) -> None:
        """End the process and the jobs, and remove what they left."""
        self.closed = True
        self._reading, self._read = None, (0, None)
        self._process.close()
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._answers.clear()
        for key in self._jobs:
            forget_job(key)
        for path in self._files:
            Path(path).unlink(missing_ok=True)


@dataclass(frozen=True)
class File:
    """A file that this session was handed, by Streamlit's name; its bytes stay where they are.

    Parameters
    ----------
    file_id, name : str
        Streamlit's name, and the person's.
    """

    file_id: str
    name: str

    def getvalue(self) -> bytes:
        """Its bytes."""
        return session_end.contents(self.file_id)


def field(label: str, key: str, **more: Any) -> File | None:
    """The field for a file, and, once there is one, the button that has it forgotten."""
    times = recall("forgotten") or 0
    session_end.expect()
    upload: UploadedFile | None = st.file_uploader(
        label, key=f"{key}_{times}" if times else key, **more
    )
    if upload is None:
        return None
    session_end.handed(upload)
    file = File(upload.file_id, upload.name)
    upload.close()  # a copy, one in each run
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
    """Have this session's files, and all that came of them, gone."""
    for each in (kept("table"), kept("features")):
        if each is not None:
            each.close()
    keep("table", None)
    keep("features", None)
    # What they are held in is the session's: nobody else's goes with it.
    for private in (_table, _features, curve_rows, figure):
        private.clear()
    remember("forgotten", (recall("forgotten") or 0) + 1)
    session_end.forget_files()
    st.toast(FORGOTTEN, icon=":material/delete:")


def _name(*parts: str) -> str:
    """A name for what one file is read as; nobody else's is the same, whatever they hand in."""
    whole = hashlib.sha256(once("upload", secrets.token_bytes))
    for part in parts:
        whole.update(part.encode() + b"\0")
    return whole.hexdigest()


@st.cache_resource(max_entries=1, show_spinner=False, scope="session", on_release=Upload.close)
def _table(name: str, _key: str, _columns: str, _file: File) -> Upload:
    from dpcore.evaluation import uploaded

    given = (_key, _file.getvalue(), _file.name, _columns)
    return Upload(name, _file.name, TABLES, uploaded.take_table, *given)


@st.cache_resource(max_entries=1, show_spinner=False, scope="session", on_release=Upload.close)
def _features(name: str, _file: File) -> Upload:
    from dpcore.evaluation import uploaded

    given = (_file.getvalue(), _file.name)
    return Upload(name, _file.name, FEATURES, uploaded.take_examples, *given)


def table(key: str, columns: str, file: File) -> str:
    """Hold a table; its name in a `Study`."""
    found = _table(_name(file.file_id, key, columns), key, columns, file)
    keep("table", found)
    return found.name


def outline(name: str, preparation: Preparation) -> Outline:
    """What is told of the table of that name, prepared.

    Raises
    ------
    InvalidInput
    """
    from dpcore.evaluation import uploaded

    found: Outline = _held("table", name).answer(preparation, uploaded.outline, preparation)
    return found


def curves(study: Study, bare: Study) -> tuple[pd.DataFrame, Baselines]:
    """Closed-form curves and the models without privacy; see `dpcore.evaluation.uploaded.drawn`.

    Raises
    ------
    InvalidInput
    """
    from dpcore.evaluation import uploaded

    asked = _held("table", study.upload)
    found: tuple[pd.DataFrame, Baselines] = asked.answer(study.key, uploaded.drawn, study, bare)
    return found


def learn_curves(study: Study) -> None:
    """Have a worker train on the table; see `Upload.learn`."""
    from dpcore.evaluation import curves

    found = kept("table")
    if found is not None and found.name == study.upload:
        found.learn(
            shared_jobs.CURVES,
            lambda path: curves.task(study, path),
            study.key,
            study.preparation,
        )


def features(file: File) -> tuple[str, Brief]:
    """Hold features; their name, and what is told of them.

    Raises
    ------
    InvalidInput
    """
    found = _features(_name(file.file_id), file)
    keep("features", found)
    return found.name, found.answer("", None)


def train(place: str, asked: TrainingStudy | TrainingSweep, name: str) -> None:
    """Have a worker train on the features of that name; see `Upload.learn`."""
    from dpcore.evaluation.training.task import task

    found = kept("features")
    if found is not None and found.name == name:
        found.learn(place, lambda path: task(asked, path), asked.key)


def _held(kind: str, name: str) -> Upload:
    found: Upload | None = kept(kind)
    if found is None or found.closed or found.name != name:
        st.stop()
    return found


@st.cache_data(max_entries=60, show_spinner=False, scope="session")
def curve_rows(key: str) -> pd.DataFrame:
    """The curves of a finished job that learned from a table of one's own."""
    return jobs.Job(key).result()


@st.cache_resource(max_entries=200, show_spinner=False, scope="session")
def figure(key: str, _draw: Callable[[], Any]) -> Any:
    """A figure of one's own data: the same object each time, for this session."""
    return _draw()
