"""Jobs on a Dask cluster: a local scheduler with two workers."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dpcore.errors import InvalidInput
from dpcore.evaluation import executors, jobs
from dpcore.settings import SCHEDULER
from tests.evaluation.tasks import Counting
from tests.evaluation.waiting import PATIENCE, names, wait_for

distributed = pytest.importorskip("distributed")
# Raised inside Dask while it shuts down, or because a worker was killed on purpose.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address
        for client in list(distributed.Client._instances):
            client.close()


@pytest.fixture(autouse=True)
def cluster(address: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(SCHEDULER.name, address)
    return cache


def test_two_jobs_run_side_by_side_on_the_cluster(cluster: Path) -> None:
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
    assert third.result(PATIENCE)["square"].tolist() == [0, 1, 4]
    assert third.file("note.txt") == b"after"
    left = {f"{job.key}.partial" for job in (first, second)}
    wait_for(lambda: names(cluster) == left | {f"{third.key}.csv", f"{third.key}.note.txt"})


def test_a_worker_that_dies_is_reported_and_takes_no_other_along() -> None:
    other = jobs.submit(Counting(100, seconds=0.05, name="other"))
    deadly = jobs.submit(Counting(dies=True))
    wait_for(lambda: deadly.state == "failed")
    assert deadly.message == "The worker stopped (WorkerStopped); start it again to retry."
    again = jobs.submit(Counting(dies=True))
    wait_for(lambda: again.state == "failed")
    assert len(other.result(PATIENCE)) == 100


def test_a_scheduler_that_does_not_answer_is_named(
    monkeypatch: pytest.MonkeyPatch, cluster: Path
) -> None:
    monkeypatch.setattr(executors, "PATIENCE", "0.3s")
    monkeypatch.setenv(SCHEDULER.name, "tcp://127.0.0.1:9")
    job = jobs.submit(Counting())
    said = "DPCORE_SCHEDULER is 'tcp://127.0.0.1:9', but no Dask scheduler answers there."
    assert (job.state, job.message) == ("failed", said)
    assert names(cluster) == set()
    with pytest.raises(InvalidInput, match="no Dask scheduler answers there"):
        job.result(PATIENCE)
    # Once there are workers, starting it again is all it takes.
    monkeypatch.setenv(SCHEDULER.name, "")
    assert len(jobs.submit(Counting()).result(PATIENCE)) == 3
    executors.close()


def test_without_the_package_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def missing(name: str, *arguments: Any, **named: Any) -> Any:
        if name == "distributed":
            raise ImportError(name)
        return original(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", missing)
    monkeypatch.setenv(SCHEDULER.name, "tcp://127.0.0.1:8")
    assert "the package distributed, which it needs, is not" in jobs.submit(Counting()).message
