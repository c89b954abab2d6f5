"""What every test shares: a quiet, repeatable hypothesis, and the way to real data."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from itertools import chain
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
from xdist.scheduler import LoadFileScheduling

from dpcore.datasets import cache

# A test must not pass or fail by the speed of the machine or by luck of the draw.
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("repeatable")


def pytest_xdist_auto_num_workers():
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

    def _split_scope(self, nodeid):
        file: str = super()._split_scope(nodeid)
        return "browser" if "/browser/" in file else file


def pytest_xdist_make_scheduler(config, log):
    """How `--dist=loadfile` shares the tests among the processes."""
    return OneBrowser(config, log)


def pytest_runtest_setup(item):
    """Let the tests that drive a browser go first: they take longest, and one after the other."""
    if (
        "PYTEST_XDIST_WORKER" in os.environ
        and hasattr(os, "nice")
        and item.path.parent.name != "browser"
    ):
        os.nice(max(0, 19 - os.nice(0)))


@pytest.fixture(scope="module", autouse=True)
def process_as_before():
    """Undo that `AppTest` replaces `__main__`: processes that are spawned later would run it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


def pytest_addoption(parser):
    """Let the command line ask for the slow tests, and for golden files written anew."""
    parser.addoption("--all", action="store_true", help="run the slow tests, too")
    parser.addoption(
        "--renew", action="store_true", help="write tests/golden/ anew (--all test_golden.py)"
    )


def pytest_collection_modifyitems(config, items):
    """Leave the slow tests to `--all`, or to whoever names them, and begin with what takes longest.

    A file is run by one process; a long one that came last would be waited for by the others.
    """
    slow = {item: mark for item in items if (mark := item.get_closest_marker("slow"))}
    for item, mark in slow.items():
        if not mark.args:
            raise pytest.UsageError(f"{item.nodeid}: the marker slow must say its reason")
    if not config.getoption("--all") and not any("::" in name for name in config.args):
        config.hook.pytest_deselected(items=list(slow))
        items[:] = [item for item in items if item not in slow]
        slow = {}
    sizes = Counter(item.path for item in items)
    slowest = Counter(item.path for item in slow)
    items.sort(
        key=lambda item: (
            item.path.parent.name != "browser",
            -slowest[item.path],
            -sizes[item.path],
        )
    )


def pytest_terminal_summary(terminalreporter):
    """With `--all`, list what takes over two seconds and is not marked as slow."""
    if not terminalreporter.config.getoption("--all"):
        return
    seconds: Counter[str] = Counter()
    for report in chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport) and "slow" not in report.keywords:
            seconds[report.nodeid] += report.duration
    unmarked = [(name, each) for name, each in seconds.most_common() if each > 2.0]
    if unmarked:
        terminalreporter.section("over two seconds and not marked as slow")
        for name, each in unmarked:
            terminalreporter.line(f"{each:6.1f} s  {name}")


@pytest.fixture(scope="session")
def data_folder():
    """The folder of real data that `DPCORE_DATA` names; the test is skipped where there is none."""
    named = os.environ.get("DPCORE_DATA")
    if not named or not Path(named).is_dir():
        pytest.skip("DPCORE_DATA names no folder with the real data sets")
    return Path(named)


@pytest.fixture(autouse=True)
def no_private_folder(monkeypatch):
    """What one test could not keep in its cache is not found by the next."""
    monkeypatch.setattr(cache, "_private", None)
    yield
    if cache._private is not None:
        shutil.rmtree(cache._private, ignore_errors=True)


@pytest.fixture
def one_at_a_time(monkeypatch):
    """One job in sight at a time, begun by a process that no earlier test has left."""
    from dpcore.work import executors

    executors.close()
    monkeypatch.setattr(executors, "MAX_IN_SIGHT", 1)
    yield
    executors.close()


@pytest.fixture
def few_splits(monkeypatch):
    """At most three splits of small data sets in this process, each of which costs its time."""
    monkeypatch.setattr("dpcore.evaluation.splits.MAX", 3)
    return 3


@pytest.fixture(scope="module")
def one_thread():
    """Networks this small only wait for a second one."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
