"""A deleted job leaves no file, however late its worker notices."""

from concurrent.futures import Future

import pytest

from dpcore.datasets.cache import place
from dpcore.errors import Cancelled
from dpcore.work import executors, files, jobs, worker
from tests.work.tasks import Counting
from tests.work.waiting import names

pytestmark = pytest.mark.usefixtures("no_worker_is_left", "cache")


def test_a_result_that_is_deleted_at_once_is_all_that_was_there(cache, monkeypatch):
    task, where = Counting(), place(files.FOLDER)
    name, write_results = f"{task.key}-start", worker._leave
    (where / f"{name}.job").touch()

    def deleted_at_once(*arguments):
        write_results(*arguments)
        assert f"{task.key}.csv" in names(cache)
        for path in files.of_job(task.key):
            files.remove(path)

    monkeypatch.setattr(worker, "_leave", deleted_at_once)
    worker.work(task, task.key, str(where), name)
    assert names(cache) == set()


def test_what_comes_after_a_result_goes_too(cache, monkeypatch):
    at_work = Future()
    monkeypatch.setattr(executors, "submit", lambda *arguments, **settings: at_work)
    job, where = jobs.submit(Counting()), place(files.FOLDER)
    (where / f"{job.key}.csv").write_text("number\n1\n")
    job.delete()
    assert names(cache) == set()
    (where / f"{jobs._attempts[job.key].name}.partial").write_text("number\n1\n")
    at_work.set_result(None)
    assert names(cache) == set()


def test_the_files_of_the_same_job_that_was_started_anew_stay(cache, monkeypatch):
    futures = []

    def submit(*arguments, **settings):
        futures.append(Future())
        futures[-1].set_running_or_notify_cancel()
        return futures[-1]

    monkeypatch.setattr(executors, "submit", submit)
    deleted, where = jobs.submit(Counting()), place(files.FOLDER)
    deleted.delete()
    job = jobs.submit(Counting())
    (where / f"{jobs._attempts[job.key].name}.progress").write_text("0.5\tnumber 1")
    futures[0].set_exception(Cancelled())  # only now its worker notices
    assert job.state == "running"
    (where / f"{job.key}.csv").write_text("number\n1\n")
    futures[1].set_result(None)
    assert job.state == "done"
    assert list(job.result()["number"]) == [1]
    job.delete()
    assert names(cache) == set()
