"""Background sweeps: found again, cancelled, killed, refused; no worker outlives the tests."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from dpcore.datasets import load
from dpcore.datasets.cache import place
from dpcore.deep.config import TrainingConfig
from dpcore.errors import Cancelled, InvalidInput
from dpcore.evaluation.curves import all_curves
from dpcore.evaluation.splits import splits, splits_of
from dpcore.evaluation.study import Study
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.task import task as training_task
from dpcore.evaluation.training.task import train
from dpcore.questions import question
from dpcore.questions.cost.question import CostQuestion
from dpcore.work import executors, files, jobs, worker
from tests.work.processes import CHILDREN, environment, workers
from tests.work.tasks import Counting
from tests.work.waiting import names, rows_of, wait_for

pytestmark = pytest.mark.usefixtures("no_worker_is_left", "cache")

QUICK = Study(methods=("opera", "dpgd"), epsilons=(0.5, 5.0), runs=2)
# For tests of what becomes of a job, whatever it computes.
BRIEF = replace(QUICK, methods=("opera",))
# Minutes of work, so that it is still running when a test asks.
LONG = Study(methods=("sgdpert",), epsilons=(1.0,), runs=200, steps=300_000, edition="published")


killed = pytest.mark.flaky(reruns=1, reason="waits until the system has ended a killed worker")
busy = pytest.mark.flaky(reruns=1, reason="waits for a worker while others use the processors")
stopped = pytest.mark.filterwarnings("ignore:A worker stopped:UserWarning")


def submit(study, path=""):
    return jobs.submit(question.task(CostQuestion(study), path))


def key_of(study):
    return CostQuestion(study).key


@pytest.mark.slow("starts, stops and kills worker processes")
def test_a_job_gives_the_answers_of_the_study_and_leaves_one_file(cache):
    job = submit(QUICK)
    assert job.key == key_of(QUICK)
    rows = rows_of(job)
    # The worker may sum in another order: threads are shared out differently there.
    parts = splits_of(QUICK.dataset, QUICK.records, QUICK.preparation)
    assert rows["splits"].tolist() == [71] * 4
    assert rows["runs"].tolist() == [20 * 71] * 2 + [2 * 71] * 2
    pd.testing.assert_frame_equal(rows, all_curves(QUICK, parts), rtol=1e-10)
    assert (job.state, job.fraction, job.message) == ("done", 1.0, "done")
    wait_for(lambda: names(cache) == {f"{key_of(QUICK)}.csv"})


@pytest.mark.slow("starts, stops and kills worker processes")
def test_a_job_makes_room_for_its_result(cache):
    ancient = place(files.FOLDER) / "ancient.csv"
    with ancient.open("wb") as file:
        file.truncate(worker.MAX_BYTES)  # sparse: no room is taken
    os.utime(ancient, (0, 0))
    rows_of(submit(BRIEF))
    wait_for(lambda: names(cache) == {f"{key_of(BRIEF)}.csv", f"{key_of(BRIEF)}.counts.npz"})


@pytest.mark.slow("starts, stops and kills worker processes")
def test_a_result_is_found_without_training_again_until_it_is_lost(cache):
    rows_of(submit(BRIEF))
    file = cache / "jobs" / f"{key_of(BRIEF)}.csv"
    written = file.stat().st_mtime_ns
    job = submit(BRIEF)
    assert job.state == "done"
    assert job.result()["method"].tolist() == ["opera"] * 2
    assert file.stat().st_mtime_ns == written
    jobs._attempts.clear()  # as in another process
    assert len(jobs.Job(key_of(BRIEF)).result()) == 2
    file.unlink()
    assert job.state == "new"
    with pytest.raises(Cancelled):
        rows_of(job)
    assert len(rows_of(submit(BRIEF))) == 2


@pytest.mark.slow("starts, stops and kills worker processes")
def test_progress_grows_while_the_job_runs_and_cancel_stops_it(cache):
    job = submit(LONG)
    seen = []

    def moving():
        if job.state == "running":
            seen.append(job.fraction)
        return len(set(seen)) >= 3

    wait_for(moving)
    assert seen == sorted(seen)
    assert 0.0 < seen[-1] < 1.0
    assert job.message.startswith("split ")
    assert submit(LONG) == job  # the same job, not a second one
    assert not job.stopping
    job.cancel()
    assert (job.state, job.message) == ("cancelled", "cancelled")
    assert job.stopping
    with pytest.raises(Cancelled):
        rows_of(job)
    wait_for(lambda: not job.stopping)
    wait_for(lambda: names(cache) == set())


@pytest.mark.slow("starts, stops and kills worker processes")
def test_a_cancelled_job_can_be_started_again(cache):
    study = replace(LONG, seed=1)
    first = submit(study)
    wait_for(lambda: first.state == "running")
    first.cancel()
    # At once: the worker may not have noticed the cancel yet, and must not take it for the new job.
    again = submit(study)
    assert again.state in ("queued", "running")
    wait_for(lambda: again.state == "running" and again.fraction > 0.0)
    again.cancel()
    wait_for(lambda: names(cache) == set())


@pytest.mark.slow("starts, stops and kills worker processes")
@pytest.mark.usefixtures("one_at_a_time")
def test_a_queued_job_that_is_cancelled_never_starts(cache):
    first = submit(replace(LONG, seed=2))
    wait_for(lambda: first.state == "running")
    waiting = [submit(replace(LONG, seed=seed)) for seed in (3, 4, 5, 6)]
    assert {job.state for job in waiting} == {"queued"}
    assert waiting[-1].fraction == 0.0
    for job in waiting:
        job.cancel()
    assert {job.state for job in waiting} == {"cancelled"}
    first.cancel()
    quick = submit(BRIEF)
    assert len(rows_of(quick)) == 2
    assert {job.state for job in waiting} == {"cancelled"}
    wait_for(lambda: names(cache) == {f"{key_of(BRIEF)}.csv", f"{key_of(BRIEF)}.counts.npz"})


@pytest.mark.slow("starts, stops and kills worker processes")
@killed
@stopped
def test_a_killed_worker_fails_the_job_in_one_sentence_and_it_can_be_started_again(cache):
    study = replace(LONG, seed=7)
    job = submit(study)
    wait_for(lambda: job.state == "running")
    for process in workers():
        os.kill(process, signal.SIGKILL)
    wait_for(lambda: job.state == "failed")
    assert "SIGKILL" in job.message
    assert "\n" not in job.message
    wait_for(lambda: names(cache) == set())
    again = submit(study)
    assert again.state in ("queued", "running")
    wait_for(lambda: again.state == "running")
    again.cancel()
    assert len(rows_of(submit(BRIEF))) == 2


def test_a_worker_with_other_code_or_another_folder_refuses_the_job(cache):
    # Its result would bear a name that nobody looks for, and the page would train for ever.
    task, folder = question.task(CostQuestion(BRIEF)), str(place(files.FOLDER))
    with pytest.raises(InvalidInput, match="start it anew"):
        worker.work(task, "the key by other sources", folder, "start")
    with pytest.raises(InvalidInput, match="DPCORE_CACHE must name a folder that every worker"):
        worker.work(task, task.key, folder, f"{task.key}-start")
    assert names(cache) == set()


@pytest.mark.slow("starts, stops and kills worker processes")
def test_a_study_that_cannot_run_fails_with_its_own_sentence(cache):
    job = submit(Study(methods=("opera",), epsilons=(1.0,), lam=0.0))
    wait_for(lambda: job.state == "failed")
    assert job.message.startswith("radius R is None")
    wait_for(lambda: names(cache) == set())


@pytest.mark.slow("starts, stops and kills worker processes")
def test_uploaded_records_wait_for_the_job_and_are_read_once(tmp_path):
    study = replace(BRIEF, upload="a digest", methods=("nonprivate",))
    table = load("breast_cancer")
    half = replace(table, frame=table.frame[::2].reset_index(drop=True), label=table.label[::2])
    waiting = tmp_path / "records"
    waiting.write_bytes(pickle.dumps(half))
    rows = rows_of(submit(study, str(waiting)))
    assert not waiting.exists()
    wanted = all_curves(study, splits(half, study.preparation))
    assert set(rows["splits"]) == {100}
    assert rows["objective"].to_numpy() == pytest.approx(wanted["objective"].to_numpy(), rel=1e-12)


@busy
def test_rows_are_seen_while_the_task_runs_and_stay_when_it_is_stopped(cache):
    job = jobs.submit(Counting(10_000, seconds=0.02))
    assert job.partial() is None
    wait_for(lambda: (rows := job.partial()) is not None and len(rows) >= 3)
    first = len(job.partial())
    wait_for(lambda: len(job.partial()) > first)
    job.cancel()
    wait_for(lambda: names(cache) == {f"{job.key}.partial"})
    assert job.state == "cancelled"
    assert job.partial()["number"].tolist() == list(range(len(job.partial())))
    assert len(job.partial()) > first


@pytest.mark.slow("starts, stops and kills worker processes")
@busy
def test_a_training_that_was_stopped_is_resumed(cache):
    config = TrainingConfig(network="linear", epochs=150, batch=64, sigma=3.0)
    study = TrainingStudy("digits", config=config, epsilon=None)
    job = jobs.submit(training_task(study))
    wait_for(lambda: (rows := job.partial()) is not None and len(rows) >= 3)
    assert not job.resumable
    job.cancel()
    wait_for(lambda: names(cache) == {f"{job.key}.partial", f"{job.key}.state"})
    assert (job.state, job.resumable) == ("cancelled", True)
    left = job.partial()
    assert 3 <= len(left) < 150
    # Another process, or this one after a restart, finds it.
    jobs._attempts.clear()
    actual = jobs.Job(study.key)
    assert (actual.state, actual.resumable) == ("cancelled", True)
    job = jobs.submit(training_task(study))
    rows = rows_of(job)
    wanted = train(study)
    pd.testing.assert_frame_equal(
        rows.drop(columns="seconds"), wanted.drop(columns="seconds"), rtol=1e-6
    )
    # The first part was not done again.
    same = rows["seconds"].to_numpy()[: len(left) - 1] == left["seconds"].to_numpy()[:-1]
    assert same.all()
    endings = ("csv", "weights.npz", "settings.json", "measures.json")
    wait_for(lambda: names(cache) == {f"{job.key}.{ending}" for ending in endings})


def test_what_a_stopped_start_left_goes_with_the_result(cache):
    (place(files.FOLDER) / f"{Counting().key}.partial").write_text("number,square\n0,0\n")
    job = jobs.submit(Counting())
    assert rows_of(job)["number"].tolist() == [0, 1, 2]
    wait_for(lambda: names(cache) == {f"{job.key}.csv", f"{job.key}.note.txt"})
    assert job.file("../jobs/secret") is None


@pytest.mark.slow("starts, stops and kills worker processes")
def test_nobody_waits_behind_a_long_job_or_behind_all_that_another_has_handed_in():
    training = jobs.submit(Counting(10_000, seconds=0.02, is_long=True), owner="a")
    wait_for(lambda: training.state == "running")
    # What takes seconds does not wait for a training.
    curves = jobs.submit(Counting(name="curves"), owner="b")
    assert len(rows_of(curves)) == 3
    assert training.state == "running"
    seconds, others = (
        [jobs.submit(Counting(name=owner + name, is_long=True), owner=owner) for name in names]
        for owner, names in (("a", "xy"), ("b", "xy"))
    )
    assert [len(job.ahead) for job in (*others, *seconds)] == [1, 3, 2, 4]
    training.cancel()
    done = []

    def all_done():
        done.extend(job for job in (*seconds, *others) if job.state == "done" and job not in done)
        return len(done) == 4

    wait_for(all_done)
    assert done.index(others[0]) < done.index(seconds[1])


BEGINS_WITHIN = 2.0
"""Seconds until the job of what somebody looks at begins, once there is a process for it."""


@pytest.mark.slow("starts, stops and kills worker processes")
def test_what_somebody_looks_at_begins_at_once_whatever_is_swept():
    sweep = [jobs.submit(Counting(10_000, 0.02, name), is_sweep=True) for name in "abc"]
    training = jobs.submit(Counting(10_000, 0.02, is_long=True))
    assert len(rows_of(jobs.submit(Counting()))) == 3
    wait_for(lambda: sweep[0].state == "running" and training.state == "running")
    # The second had waited among the others.
    for task in (Counting(10_000, 0.02, "tab"), Counting(10_000, 0.02, "b")):
        begun, looked_at = time.monotonic(), jobs.submit(task)
        wait_for(lambda job=looked_at: job.state == "running")
        if task.name == "tab":  # the other needs a process of its own, which has to start
            assert time.monotonic() - begun < BEGINS_WITHIN
    assert [job.state for job in sweep] == ["running", "running", "queued"]
    assert training.state == "running"
    for task in ("a", "b", "c", "tab"):
        jobs.Job(Counting(10_000, 0.02, task).key).cancel()
    training.cancel()


@pytest.mark.slow("starts, stops and kills worker processes")
def test_the_process_that_worked_last_works_next():
    worker = executors.Worker(executors.IN_SIGHT)

    def by(work, *given):
        turn = executors.Turn("", partial(work, *given))
        return worker.submit(turn)

    try:
        several = [by(time.sleep, 1.0) for _ in range(2)]
        for each in several:
            each.result()
        wait_for(lambda: len(worker._idle) == 2)
        last = by(os.getpid).result()
        wait_for(lambda: len(worker._idle) == 2)
        assert by(os.getpid).result() == last
    finally:
        worker.shutdown()


def test_owners_take_turns():
    assert executors.in_turn("aaab") == [0, 3, 1, 2]
    assert executors.in_turn("aab", served="a") == [2, 0, 1]
    assert executors.in_turn("abcab", served="cba") == [2, 1, 0, 4, 3]
    assert executors.in_turn("") == []


def test_a_full_queue_refuses_in_one_sentence(cache, monkeypatch):
    monkeypatch.setattr(jobs, "MAX_UNFINISHED", 2)
    first, second = (jobs.submit(Counting(10_000, seconds=0.02, name=name)) for name in "ab")
    with pytest.raises(jobs.QueueFull, match=r"^Counting to 3 has to wait: 2 jobs are in the"):
        jobs.submit(Counting())
    assert jobs.Job(Counting().key).state == "new"
    assert jobs.submit(Counting(10_000, seconds=0.02, name="a")) == first  # is in it already
    second.cancel()
    third = jobs.submit(Counting())
    first.cancel()
    assert len(rows_of(third)) == 3


@pytest.mark.slow("starts, stops and kills worker processes")
@killed
@pytest.mark.skipif(not CHILDREN.exists(), reason="processes are counted in /proc")
@stopped
def test_there_is_one_worker_however_many_hand_in_jobs_and_whoever_kills_it(cache):
    executors.close()  # what other tests have left
    counted = []
    ended = threading.Event()

    def count():
        while not ended.wait(0.01):
            counted.append(len(workers()))

    counting = threading.Thread(target=count)
    counting.start()
    # Each from a thread of its own, as each session of the page has one.
    tasks = [Counting(8, seconds=0.05, name=name) for name in "abcdefgh"]
    handing_in = [
        threading.Thread(target=partial(jobs.submit, task, is_sweep=True)) for task in tasks
    ]
    for thread in handing_in:
        thread.start()
    for thread in handing_in:
        thread.join()
    result = [jobs.Job(task.key) for task in tasks]
    wait_for(lambda: sum(job.state == "done" for job in result) >= 2)
    wait_for(lambda: any(job.state == "running" for job in result))
    for process in workers():
        os.kill(process, signal.SIGKILL)
    wait_for(lambda: {job.state for job in result} <= {"done", "failed"})
    ended.set()
    counting.join()
    states = [job.state for job in result]
    assert max(counted) == 1
    # Only the one in its hands is lost.
    assert sorted(states) == ["done"] * 7 + ["failed"]
    wait_for(lambda: not [name for name in names(cache) if name.endswith((".job", ".progress"))])


@pytest.mark.slow("starts, stops and kills worker processes")
@killed
@stopped
def test_a_worker_killed_while_it_has_nothing_to_do_takes_no_job_along():
    for name in "abc":
        assert len(rows_of(jobs.submit(Counting(name=name)))) == 3
        for process in workers():
            os.kill(process, signal.SIGKILL)
        time.sleep(1.0)  # its end is noticed a moment later


def test_no_job_begins_once_the_workers_are_closed(monkeypatch):
    executors.close()
    begun, go = [], threading.Event()

    def do(_, work):
        begun.append(work())
        return go.wait(60.0)

    monkeypatch.setattr(executors.Worker, "_do", do)
    given = [
        executors.submit(str, name, kind=executors.Kind(name[0] == "l", is_sweep=True))
        for name in ("l1", "s1", "s2")
    ]
    wait_for(lambda: sorted(begun) == ["l1", "s1"])
    closing = threading.Thread(target=executors.close)
    closing.start()
    wait_for(given[2].cancelled)
    go.set()
    closing.join()
    assert sorted(begun) == ["l1", "s1"]


# Starts a job and is killed before it is done, as a server may be.
KILLED_SERVER = """
import os, signal, sys, time
from dpcore.work import jobs
from tests.work.processes import workers
from tests.work.tasks import Counting
job = jobs.submit(Counting(int(sys.argv[1]), seconds=0.05))
while job.state != "running" or job.partial() is None:
    time.sleep(0.05)
print(*workers(), file=open(sys.argv[2], "w"), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def of_killed_server(tmp_path_factory):
    """From how far it counts to a killed server's job and its workers."""
    list_of_workers = tmp_path_factory.mktemp("workers") / "pids"

    def start(numbers):
        given = [sys.executable, "-c", KILLED_SERVER, str(numbers), str(list_of_workers)]
        assert subprocess.run(given, env=environment()).returncode == -signal.SIGKILL
        job = jobs.Job(Counting(numbers, seconds=0.05).key)
        return job, list_of_workers.read_text().split()

    return start


@pytest.mark.slow("starts, stops and kills worker processes")
@killed
def test_a_job_lost_with_its_server_is_reported_and_can_be_started_again(
    cache, monkeypatch, of_killed_server
):
    monkeypatch.setattr(jobs, "ALIVE_SECONDS", 1.5)
    job, _ = of_killed_server(40)
    wait_for(lambda: job.state == "failed")
    assert job.message == jobs.LOST
    assert job.partial()["number"].tolist()[0] == 0
    again = jobs.submit(Counting(40, seconds=0.05))
    assert again.state in ("queued", "running")
    assert len(rows_of(again)) == 40
    wait_for(lambda: names(cache) == {f"{job.key}.csv", f"{job.key}.note.txt"})


@pytest.mark.slow("starts, stops and kills worker processes")
@pytest.mark.skipif(not CHILDREN.exists(), reason="processes are counted in /proc")
def test_the_workers_of_a_killed_server_end_within_seconds(cache, of_killed_server):
    _, left = of_killed_server(100_000)
    began = time.monotonic()
    wait_for(lambda: not any(Path(f"/proc/{each}").exists() for each in left))
    assert time.monotonic() - began < 5.0


@pytest.mark.parametrize("key", ["", "../secret", "a*", "ключ", "a-b", "a.b"])
def test_a_key_that_is_none_leads_nowhere(key):
    assert jobs.Job("0" * 24).state == "new"
    with pytest.raises(InvalidInput, match="letters and digits"):
        jobs.Job(key)
