"""Jobs on a Dask cluster: a local scheduler with two workers."""

import subprocess
import sys
import time

import pytest

from dpcore.settings import SCHEDULER
from dpcore.work import executors, jobs
from dpcore.work import executors as cluster_module
from tests.browser.server import free_port
from tests.work.tasks import Counting
from tests.work.waiting import PATIENCE, names, rows_of, wait_for

distributed = pytest.importorskip("distributed")
# Raised inside Dask while it shuts down, or because a worker was killed on purpose.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def address():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address
        for client in list(distributed.Client._instances):
            client.close()


@pytest.fixture(autouse=True)
def cluster(address, cache, monkeypatch):
    monkeypatch.setenv(SCHEDULER.name, address)
    return cache


@pytest.mark.slow("starts worker processes")
@pytest.mark.flaky(reruns=1, reason="waits for the processes of a Dask cluster")
def test_two_jobs_run_side_by_side_on_the_cluster(cluster):
    tasks = [Counting(10_000, seconds=0.02, name=name) for name in "ab"]
    first, second = (jobs.submit(task) for task in tasks)
    wait_for(lambda: first.state == second.state == "running")
    wait_for(lambda: first.partial() is not None and second.partial() is not None)
    assert first.message.startswith("number ")
    first.cancel()
    second.cancel()
    assert (first.state, second.state) == ("cancelled", "cancelled")
    # The workers notice, and are free again.
    third = jobs.submit(Counting(name="after"))
    assert rows_of(third)["square"].tolist() == [0, 1, 4]
    assert third.file("note.txt") == b"after"
    left = {f"{job.key}.partial" for job in (first, second)}
    wait_for(lambda: names(cluster) == left | {f"{third.key}.csv", f"{third.key}.note.txt"})


@pytest.mark.slow("starts worker processes")
@pytest.mark.flaky(reruns=1, reason="waits for the processes of a Dask cluster")
def test_a_worker_that_dies_is_reported_and_takes_no_other_along():
    other = jobs.submit(Counting(100, seconds=0.05, name="other"))
    deadly = jobs.submit(Counting(dies=True))
    wait_for(lambda: deadly.state == "failed")
    assert deadly.message.startswith("The worker that began it stopped")
    again = jobs.submit(Counting(dies=True))
    wait_for(lambda: again.state == "failed")
    assert len(rows_of(other)) == 100


@pytest.mark.slow("starts worker processes")
def test_a_scheduler_that_does_not_answer_is_named(monkeypatch, cluster):
    monkeypatch.setattr("dpcore.work.executors.PATIENCE", 2.0)
    monkeypatch.setenv(SCHEDULER.name, "tcp://127.0.0.1:9")
    began = time.monotonic()
    job = jobs.submit(Counting())
    assert time.monotonic() - began < 1.0  # nobody is held up
    wait_for(lambda: job.state == "failed")
    assert "'tcp://127.0.0.1:9'" in job.message
    assert names(cluster) == set()
    assert "no Dask scheduler answers there" in job.message
    # Once there are workers, starting it again is all it takes.
    monkeypatch.setenv(SCHEDULER.name, "")
    assert len(rows_of(jobs.submit(Counting()))) == 3
    executors.close()


@pytest.mark.slow("starts worker processes")
def test_a_scheduler_that_is_lost_is_the_reason(monkeypatch):
    port = free_port()
    command = ["-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--no-dashboard"]
    with subprocess.Popen(
        [sys.executable, *command, "--port", str(port)], stderr=subprocess.DEVNULL
    ) as scheduler:
        try:
            monkeypatch.setenv(SCHEDULER.name, f"tcp://127.0.0.1:{port}")
            monkeypatch.setattr("dpcore.work.executors.PATIENCE", PATIENCE)
            waiting = jobs.submit(Counting(name="no worker ever comes"))
            found = cluster_module.at(SCHEDULER.text)
            wait_for(lambda: found._client is not None)
        finally:
            scheduler.kill()
    wait_for(lambda: waiting.state == "failed")
    assert "connection to the Dask scheduler was lost" in waiting.message
