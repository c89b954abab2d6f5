"""Who waits for a job: it ends with its last watcher, not with the first one who stops."""

import os
import stat
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from dpcore.datasets.cache import place
from dpcore.errors import Cancelled, InvalidInput
from dpcore.work import files, handle, jobs
from tests.work.processes import environment
from tests.work.tasks import Counting, Resuming
from tests.work.waiting import names, rows_of, wait_for

pytestmark = pytest.mark.usefixtures("no_worker_is_left", "cache")

LONG = Counting(10_000, seconds=0.02)
SHORT = Counting(100, seconds=0.02)
SOON = 1.5


@pytest.mark.slow("starts and stops worker processes")
def test_one_who_stops_does_not_end_it_for_another(cache):
    job = jobs.submit(SHORT, watcher="anne")
    assert jobs.submit(SHORT, watcher="bert") == job
    wait_for(lambda: job.state == "running")
    job.leave("anne")
    assert len(rows_of(job)) == 100
    wait_for(lambda: names(cache) == {f"{job.key}.csv", f"{job.key}.note.txt"})


@pytest.mark.slow("starts and stops worker processes")
def test_it_ends_with_the_last(cache):
    job = jobs.submit(LONG, watcher="anne")
    job.watch("bert")
    wait_for(lambda: job.state == "running" and job.partial() is not None)
    job.leave("bert")
    job.leave("bert")  # a second time changes nothing
    assert job.state == "running"
    job.leave("anne")
    assert job.state == "cancelled"
    wait_for(lambda: names(cache) == {f"{job.key}.partial"})


@pytest.mark.parametrize("unwatched_first", [False, True])
def test_one_that_was_handed_in_alone_is_ended_by_nobody_who_watches(unwatched_first):
    by = ({}, {"watcher": "anne"})
    for settings in by if unwatched_first else by[::-1]:
        job = jobs.submit(LONG, **settings)
    wait_for(lambda: job.state == "running")
    job.leave("anne")
    assert job.state == "running"
    job.cancel()
    with pytest.raises(Cancelled):
        rows_of(job)


@pytest.mark.slow("starts and stops worker processes")
def test_one_whose_only_watcher_is_gone_ends_within_the_timer(cache, monkeypatch):
    monkeypatch.setattr(handle, "EXPIRES_SECONDS", SOON)
    there = {"anne": True, "bert": True}
    job = jobs.submit(LONG, watcher="anne", alive=lambda: there["anne"])
    job.watch("bert", lambda: there["bert"])
    wait_for(lambda: job.state == "running")
    there["anne"] = False
    time.sleep(2 * SOON)
    assert job.state == "running"
    there["bert"] = False
    wait_for(lambda: job.state == "cancelled")
    wait_for(lambda: names(cache) <= {f"{job.key}.partial"})


@pytest.mark.slow("starts and stops worker processes")
def test_a_watcher_back_in_time_keeps_it(monkeypatch):
    monkeypatch.setattr(handle, "EXPIRES_SECONDS", 3.0)
    there = [True]
    job = jobs.submit(LONG, watcher="anne", alive=lambda: there[0])
    wait_for(lambda: job.state == "running")
    for there[0] in (False, True, False, True):
        time.sleep(1.5)
    assert job.state == "running"
    job.leave("anne")


@pytest.mark.parametrize("watcher", ["", "a-b", "../a", "*"])
def test_a_watcher_has_a_name_of_letters_and_digits(watcher):
    job = jobs.submit(LONG)
    with pytest.raises(InvalidInput, match="letters and digits"):
        job.watch(watcher)
    job.cancel()


# Watches a job until it is told to stop, or killed.
OTHER = """
import sys
from dpcore.work import jobs
from tests.work.tasks import Counting
job = jobs.submit(Counting(int(sys.argv[1]), seconds=float(sys.argv[2])), watcher=sys.argv[3])
print(job.state, flush=True)
sys.stdin.readline()
job.leave(sys.argv[3])
print(job.state, flush=True)
sys.stdin.readline()
"""


def other(task, watcher):
    given = (str(task.upto), str(task.seconds), watcher)
    return subprocess.Popen(
        [sys.executable, "-c", OTHER, *given],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )


def said(process):
    return process.stdout.readline().strip()


def tell(process):
    process.stdin.write("\n")
    process.stdin.flush()


@pytest.mark.slow("starts and stops worker processes")
def test_another_process_that_stops_does_not_end_it_here():
    job = jobs.submit(LONG, watcher="anne")
    wait_for(lambda: job.state == "running")
    with other(LONG, "bert") as process:
        assert said(process) == "running"
        tell(process)
        assert said(process) == "running"
        tell(process)
    assert job.state == "running"
    with other(LONG, "bert") as process:
        assert said(process) == "running"
        job.leave("anne")
        assert job.state == "running"
        tell(process)
        assert said(process) == "new"  # nothing of it is left for others
        wait_for(lambda: job.state == "cancelled")
        tell(process)


def modes(folder):
    """What others may do with each file and folder."""
    result = {}
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError):
            result[path.name] = stat.S_IMODE(path.stat().st_mode) & 0o077
    return result


@pytest.mark.slow("starts and stops worker processes")
def test_nobody_else_can_read_what_a_job_writes(tmp_path, monkeypatch):
    fresh = tmp_path / "fresh"
    monkeypatch.setenv("DPCORE_CACHE", str(fresh))
    before = os.umask(0)
    try:
        job = jobs.submit(Resuming(200, seconds=0.02), watcher="anne")
        endings = set()

        def seen():
            is_done = job.state == "done"  # before a look, which then finds the result
            result = modes(fresh)
            assert set(result.values()) == {0}
            endings.update(name.rsplit(".", 1)[-1] for name in result)
            return is_done

        wait_for(seen)
    finally:
        os.umask(before)
    assert {"job", "watch", "progress", "partial", "state", "csv"} <= endings
    # Its state goes with the result.
    wait_for(lambda: names(fresh) == {f"{job.key}.csv"})


@pytest.mark.slow("starts and stops worker processes")
def test_a_job_that_failed_leaves_no_state(cache):
    failed = jobs.submit(Resuming(40, seconds=0.02, fails_at=20), watcher="anne")
    wait_for(lambda: failed.state == "failed")
    assert not failed.resumable
    wait_for(lambda: f"{failed.key}.state" not in names(cache))


def test_a_folder_of_an_earlier_release_is_closed_to_others(cache):
    (cache / "jobs").mkdir(mode=0o755)
    assert place(files.FOLDER) == cache / "jobs"
    assert modes(cache / "jobs") == {"jobs": 0}
