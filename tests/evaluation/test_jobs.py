"""Background sweeps: found again, cancelled, killed, refused; no worker outlives the tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from loky import get_reusable_executor

from dpcore.datasets import Split
from dpcore.errors import Cancelled, InvalidInput
from dpcore.evaluation import jobs
from dpcore.evaluation.curves import answers
from dpcore.evaluation.study import Study

QUICK = Study(methods=("opera", "dpgd"), epsilons=(0.5, 5.0), runs=2)
# Minutes of work, so that it is still running when a test asks.
LONG = Study(methods=("sgdpert",), epsilons=(1.0,), runs=200, steps=300_000, edition="published")

PATIENCE = 60.0


def wait_for(what: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)


@pytest.fixture(scope="module", autouse=True)
def no_worker_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    executor = get_reusable_executor(reuse=True)
    workers = list(executor._processes.values())
    executor.shutdown(wait=True, kill_workers=True)
    wait_for(lambda: not any(worker.is_alive() for worker in workers))
    wait_for(lambda: set(threading.enumerate()) <= before)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    monkeypatch.setattr(jobs, "_starts", {})
    return tmp_path


def worker_processes() -> list[int]:
    return list(get_reusable_executor(reuse=True)._processes)


def names(cache: Path) -> set[str]:
    return {path.name for path in (cache / "sweeps").iterdir()}


def test_a_job_gives_the_answers_of_the_study_and_leaves_one_file(cache: Path) -> None:
    job = jobs.submit(QUICK)
    assert job.key == QUICK.key
    rows = job.result(PATIENCE)
    pd.testing.assert_frame_equal(rows, answers(QUICK), check_exact=True)
    assert (job.state, job.progress, job.message) == ("done", 1.0, "done")
    wait_for(lambda: names(cache) == {f"{QUICK.key}.csv"})


def test_a_result_is_found_without_training_again(cache: Path) -> None:
    jobs.submit(QUICK).result(PATIENCE)
    written = (cache / "sweeps" / f"{QUICK.key}.csv").stat().st_mtime_ns
    job = jobs.submit(QUICK)
    assert job.state == "done"
    assert job.result()["method"].tolist() == ["opera"] * 2 + ["dpgd"] * 2
    assert (cache / "sweeps" / f"{QUICK.key}.csv").stat().st_mtime_ns == written


def test_a_job_makes_room_for_its_result(cache: Path) -> None:
    ancient = jobs.folder() / "ancient.csv"
    with ancient.open("wb") as file:
        file.truncate(jobs.MOST_BYTES)  # sparse: no room is taken
    os.utime(ancient, (0, 0))
    jobs.submit(QUICK).result(PATIENCE)
    wait_for(lambda: names(cache) == {f"{QUICK.key}.csv"})


def test_another_process_finds_the_result(cache: Path) -> None:
    jobs.submit(QUICK).result(PATIENCE)
    code = (
        "import sys; from dpcore.evaluation import jobs; job = jobs.find(sys.argv[1]); "
        "print(job.state, job.progress, len(job.result()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, QUICK.key],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path or "." for path in sys.path)},
    )
    assert done.stdout.split() == ["done", "1.0", "4"]


def test_an_unknown_key_is_not_found() -> None:
    assert jobs.find("0" * 24) is None


def test_progress_grows_while_the_job_runs_and_cancel_stops_it(cache: Path) -> None:
    job = jobs.submit(LONG)
    seen: list[float] = []

    def moving() -> bool:
        if job.state == "running":
            seen.append(job.progress)
        return len(set(seen)) >= 3

    wait_for(moving)
    assert seen == sorted(seen)
    assert 0.0 < seen[-1] < 1.0
    assert "step" in job.message
    assert jobs.submit(LONG) == job  # the same job, not a second one
    job.cancel()
    assert (job.state, job.message) == ("cancelled", "cancelled")
    with pytest.raises(Cancelled):
        job.result(PATIENCE)
    wait_for(lambda: names(cache) == set())


def test_a_cancelled_job_can_be_started_again(cache: Path) -> None:
    study = replace(LONG, seed=1)
    first = jobs.submit(study)
    wait_for(lambda: first.state == "running")
    first.cancel()
    # At once: the worker may not have noticed the cancel yet, and must not take it for the new job.
    again = jobs.submit(study)
    assert again.state in ("queued", "running")
    wait_for(lambda: again.state == "running" and again.progress > 0.0)
    again.cancel()
    wait_for(lambda: names(cache) == set())


def test_a_queued_job_that_is_cancelled_never_starts(cache: Path) -> None:
    first = jobs.submit(replace(LONG, seed=2))
    wait_for(lambda: first.state == "running")
    waiting = [jobs.submit(replace(LONG, seed=seed)) for seed in (3, 4, 5, 6)]
    assert {job.state for job in waiting} == {"queued"}
    assert waiting[-1].progress == 0.0
    for job in waiting:
        job.cancel()
    assert {job.state for job in waiting} == {"cancelled"}
    first.cancel()
    quick = jobs.submit(QUICK)
    assert len(quick.result(PATIENCE)) == 4
    assert {job.state for job in waiting} == {"cancelled"}
    wait_for(lambda: names(cache) == {f"{QUICK.key}.csv"})


@pytest.mark.filterwarnings("ignore:A worker stopped:UserWarning")
def test_a_killed_worker_fails_the_job_in_one_sentence_and_it_can_be_started_again(
    cache: Path,
) -> None:
    study = replace(LONG, seed=7)
    job = jobs.submit(study)
    wait_for(lambda: job.state == "running")
    for process in worker_processes():
        os.kill(process, signal.SIGKILL)
    wait_for(lambda: job.state == "failed")
    assert job.message.startswith("The worker stopped (")
    assert job.message.endswith("; start it again to retry.")
    assert "\n" not in job.message
    wait_for(lambda: names(cache) == set())
    again = jobs.submit(study)
    assert again.state in ("queued", "running")
    wait_for(lambda: again.state == "running")
    again.cancel()
    assert len(jobs.submit(QUICK).result(PATIENCE)) == 4


def test_a_worker_with_other_code_refuses_the_job(cache: Path) -> None:
    # Its result would bear a name that nobody looks for, and the page would train for ever.
    with pytest.raises(InvalidInput, match="start it anew"):
        jobs._work(QUICK, None, "the key by other sources", str(jobs.folder()), "start")
    assert names(cache) == set()


def test_a_study_that_cannot_run_fails_with_its_own_sentence(cache: Path) -> None:
    job = jobs.submit(Study(methods=("opera",), epsilons=(1.0,), lam=0.0))
    wait_for(lambda: job.state == "failed")
    assert job.message == "radius R is None, but it must be given when λ = 0: a number above 0."
    with pytest.raises(InvalidInput, match="radius R"):
        job.result(PATIENCE)
    wait_for(lambda: names(cache) == set())


def test_uploaded_records_travel_with_the_job(cancer: Split) -> None:
    study = replace(QUICK, upload="a digest", methods=("nonprivate",))
    half = replace(cancer, x_train=cancer.x_train[::2], y_train=cancer.y_train[::2])
    rows = jobs.submit(study, half).result(PATIENCE)
    wanted = answers(study, split=half)
    assert rows["objective"].to_numpy() == pytest.approx(wanted["objective"].to_numpy(), rel=1e-12)


def test_a_lost_result_is_trained_again(cache: Path) -> None:
    job = jobs.submit(QUICK)
    job.result(PATIENCE)
    (cache / "sweeps" / f"{QUICK.key}.csv").unlink()
    assert job.state == "cancelled"
    with pytest.raises(Cancelled):
        job.result(PATIENCE)
    assert len(jobs.submit(QUICK).result(PATIENCE)) == 4
