"""What every test shares: a quiet, repeatable hypothesis, and the way to real data."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

# Where the environment forbids compiled modules to be kept, as in many containers, every process
# would compile every module anew: more than half of the time in which the tests are collected.
if sys.dont_write_bytecode:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False

# Processes side by side share the cores; threads within each would only wait for each other. And
# sums of several threads are rounded otherwise: a command's numbers are compared with the page's.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Jobs stand back behind their page; behind tests they would get a thirtieth of a processor, and
# whoever waits for one the same. From here they can stand back a little only.
if "PYTEST_XDIST_WORKER" in os.environ and hasattr(os, "nice"):
    os.nice(15)

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling, Scheduling

from dpcore.datasets import cache

# A test must not pass or fail by the speed of the machine or by luck of the draw.
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("repeatable")

KILLED = "waits until the system has ended a worker that is killed, and its end is noticed"
WORKER = "waits for what a worker has written, and for its end, while others use the processors"
DASK = "waits for the processes of a Dask cluster"
FLAKY = {
    "evaluation/test_executors.py": {
        "test_two_jobs_run_side_by_side_on_the_cluster": DASK,
        "test_a_worker_that_dies_is_reported_and_takes_no_other_along": DASK,
    },
    "evaluation/test_jobs.py": {
        "test_a_killed_worker_fails_the_job_in_one_sentence_and_it_can_be_started_again": KILLED,
        "test_a_task_that_kills_its_worker_fails_alone": KILLED,
        "test_there_is_one_worker_however_many_hand_in_jobs_and_whoever_kills_it": KILLED,
        "test_a_worker_killed_while_it_has_nothing_to_do_takes_no_job_along": KILLED,
        "test_a_job_lost_with_its_server_is_reported_and_can_be_started_again": KILLED,
        "test_a_job_whose_worker_outlives_the_server_is_found_running_and_can_be_stopped": KILLED,
        "test_rows_are_seen_while_the_task_runs_and_stay_when_it_is_stopped": WORKER,
        "test_a_training_that_was_stopped_is_resumed": WORKER,
    },
    "browser/test_explore_own.py": {
        "test_the_form_is_changed_and_confirmed_and_fits_a_telephone": "Streamlit's browser part "
        "ended the page once (\"'setIn' cannot be called on an ElementNode\"), and not when tried "
        "again",
    },
    "browser/test_shared_jobs.py": {
        "test_a_browser_that_is_closed_ends_what_only_it_waited_for": "measures time: the server "
        "may be held up",
    },
    "browser/test_uploads.py": {
        "test_a_large_table_holds_nobody_up": "measures time: other processes may hold up the page",
        "test_a_browser_that_is_back_at_once_finds_its_file": "waits until Chromium has its line "
        "back",
    },
}
"""Tests that are tried once more when they fail, by file, each with the reason. They depend on a
process that is not ours to hurry: a fault fails twice, a busy machine once."""

LONG = (
    "audit/test_attacks.py",
    "evaluation/test_jobs.py",
    "pages/test_explore.py",
    "evaluation/test_watchers.py",
    "pages/test_explore_own.py",
    "pages/test_train.py",
    "accounting/test_pld.py",
    "pages/test_shared_jobs.py",
    "pages/test_plan.py",
    "pages/test_keeping.py",
    "cli/test_neighbours.py",
    "pages/test_train_keep.py",
    "accounting/test_planner.py",
    "pages/test_links.py",
    "accounting/test_presets.py",
    "reproduction/test_paper_003.py",
    "accounting/test_renyi.py",
)
"""Files that take longest without a browser, busy ones beside those that wait for workers."""


def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are processors: a third of the time is spent waiting.

    The tests that drive a browser wait for it, and for the server, most of their time.
    """
    named = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS")
    return int(named) if named else len(os.sched_getaffinity(0)) + 1


class OneBrowser(LoadFileScheduling):
    """All tests that drive a browser go to one process, the other files to whichever is free.

    Browsers, their servers and the workers of these side by side take the processor's caches from
    each other: the same tests then cost up to twice the processor's time.
    """

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return "browser" if "/browser/" in file else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    """How `--dist=loadfile` shares the tests among the processes."""
    return OneBrowser(config, log)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let the tests that drive a browser go first: they take longest, and one after the other."""
    if (
        "PYTEST_XDIST_WORKER" in os.environ
        and hasattr(os, "nice")
        and item.get_closest_marker("browser") is None
    ):
        os.nice(max(0, 19 - os.nice(0)))


@pytest.fixture(scope="module", autouse=True)
def process_as_before() -> Iterator[None]:
    """Undo what pages that are run by `AppTest` leave of this process.

    `__main__` is replaced, and processes that are spawned later would run it; a page with a field
    for files has freed memory overwritten, which makes a training sixty times as slow.
    """
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
    if "pages.shared.session_end" in sys.modules:
        sys.modules["pages.shared.session_end"].stop_overwriting()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that `FLAKY` names, and begin with the files that take longest.

    A file is run by one process; a long one that came last would be waited for by the others.
    """
    here = Path(__file__).parent
    places = {here / name: place for place, name in enumerate(LONG, 1)}
    missing = [path.name for path in places if not path.exists()]
    if missing:
        raise pytest.UsageError(f"{', '.join(missing)}: named by LONG in conftest.py, not there")

    def place(item: pytest.Item) -> int:
        return 0 if item.path.parent == here / "browser" else places.get(item.path, len(LONG) + 1)

    items.sort(key=place)
    for item in items:
        named = FLAKY.get(item.path.relative_to(here).as_posix(), {})
        reason = named.get(getattr(item, "originalname", None) or item.name)
        if reason is not None:
            item.add_marker(pytest.mark.flaky(reruns=1, reason=reason))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data that `DPCORE_DATA` names; the test is skipped where there is none."""
    named = os.environ.get("DPCORE_DATA")
    if not named or not Path(named).is_dir():
        pytest.skip("DPCORE_DATA names no folder with the real data sets")
    return Path(named)


@pytest.fixture(autouse=True)
def no_private_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What one test could not keep in its cache is not found by the next."""
    monkeypatch.setattr(cache, "_private", None)
    yield
    if cache._private is not None:
        shutil.rmtree(cache._private, ignore_errors=True)


@pytest.fixture
def few_splits(monkeypatch: pytest.MonkeyPatch) -> int:
    """At most three splits of small data sets in this process, each of which costs its time."""
    monkeypatch.setattr("dpcore.evaluation.splits.MAX", 3)
    return 3


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Networks this small only wait for a second one."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
