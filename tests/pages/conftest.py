"""What tests of pages share: components are looked for once, no fragment is in another."""

from __future__ import annotations

import functools
from concurrent.futures import Future
from typing import Any

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

from dpcore.confined import Confined
from dpcore.errors import Cancelled
from dpcore.evaluation import curves
from dpcore.work import executors, jobs
from pages.explore import loaders
from pages.shared import uploads


class Lent:
    """A place in a process that others used before, and that outlives it."""

    def __init__(self, process):
        self._process: Confined | None = process
        self.begun = process.begun

    def ask(self, *call, **limit):
        """As of `Confined`."""
        if self._process is None:
            raise Cancelled
        return self._process.ask(*call, **limit)

    def close(self):
        """Ask nothing more."""
        self._process = None


@pytest.fixture(scope="session", autouse=True)
def components_looked_for_once():
    """Read the metadata of all installed packages once.

    Each new `AppTest` looks for components among them, 0.1 s that a server takes only at its start.
    """
    scan = functools.cache(manifest_scanner.scan_component_manifests)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(autouse=True)
def at_this_machine(monkeypatch):
    """`AppTest` has no connection; it stands for this machine's browser."""
    monkeypatch.setattr(type(st.context), "ip_address", None)


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """No real data by accident, and no result from an earlier run."""
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    monkeypatch.delenv("DPCORE_DATA", raising=False)


@pytest.fixture(scope="module")
def one_folder(tmp_path_factory):
    """The cache of a whole file of tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def alone_together(one_folder, monkeypatch):
    """As `alone`, but what one test has computed is there for the others of its file."""
    monkeypatch.setenv("DPCORE_CACHE", str(one_folder))
    monkeypatch.delenv("DPCORE_DATA", raising=False)


@pytest.fixture(scope="module", autouse=True)
def few_draws_for_bands():
    """Bands of closed forms come from few draws: no page's test is about how exact they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curves, "BAND_DRAWS", 20)
        yield


@pytest.fixture(scope="session")
def one_process():
    """A process for files, whose start takes longer than most of its answers."""
    process = Confined(uploads.MEGABYTES, uploads.TABLES + uploads.HEADERS + uploads.FEATURES)
    yield process
    process.close()


@pytest.fixture
def uploads_in_one_process(one_process, monkeypatch):
    """Files of all sessions are read in one process, a new one in the place of the last.

    That each session has a process of its own, which ends with it, is tested in browsers.
    """
    monkeypatch.setattr(uploads, "Confined", lambda *_: Lent(one_process))


@pytest.fixture
def jobs_at_once(few_splits, monkeypatch):
    """Jobs are done as they are handed in, in this process and on few splits.

    What pages say of jobs goes by their files, which are the same. Workers are tested in
    `tests.work.test_jobs`.
    """

    def submit(work, *given, **_):
        future: Future[Any] = Future()
        try:
            future.set_result(work(*given))
        except Exception as error:
            future.set_exception(error)
        return future

    loaders._splits.clear()
    monkeypatch.setattr(executors, "submit", submit)
    monkeypatch.setattr(executors, "make_ready", lambda: None)
    yield
    loaders._splits.clear()


@pytest.fixture
def jobs_wait(monkeypatch):
    """No job begins: what is tested stands on the page before the first answer."""
    monkeypatch.setattr(executors, "submit", lambda *_, **__: Future())


@pytest.fixture(autouse=True)
def no_job_left(monkeypatch):
    """End what a page had begun to train: nobody closes it, and the next test would wait for it.

    It ends before `monkeypatch` does, which names the folder of the jobs.
    """
    yield
    for key in list(jobs._attempts):
        jobs.Job(key).cancel()
    jobs._attempts.clear()


@pytest.fixture(autouse=True)
def no_fragment_in_another(monkeypatch):
    """Refuse a fragment drawn by another, which may end a busy visitor's page.

    As the outer one runs again, the server drops the places it has not sent yet, and still sends
    what the inner one drew in them: the browser then has no such place ("'setIn' cannot be called
    on an ElementNode").
    """
    original = st.fragment

    def fragment(function=None, **options):
        if function is None:
            return functools.partial(fragment, **options)
        wrapped = original(function, **options)

        @functools.wraps(function)
        def call(*args, **kwargs):
            assert ThreadState.get().fragment_id is None, f"{function} is in another fragment"
            return wrapped(*args, **kwargs)

        return call

    monkeypatch.setattr(st, "fragment", fragment)
