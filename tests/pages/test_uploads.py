"""What learns from a visitor's file ends with the file."""

from concurrent.futures import Future
from pathlib import Path

import pytest

from dpcore.evaluation import uploaded
from dpcore.work import executors, files, jobs
from pages.shared import uploads, work
from tests.work.tasks import Counting


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture
def upload(monkeypatch):
    """A file without a process that reads it, whose jobs never end by themselves."""
    result = uploads.Upload("file", "mine.csv", (), uploaded.hand_over)
    monkeypatch.setattr(result, "answer", lambda place, call, path: Path(path).touch())
    monkeypatch.setattr(executors, "submit", lambda *arguments, **settings: Future())
    return result


def test_a_job_that_is_handed_in_while_the_file_goes_is_ended(cache, upload, monkeypatch):
    def submit(place, task, *, is_sweep):
        upload.close()
        jobs.submit(task)

    monkeypatch.setattr(work, "submit", submit)
    task = Counting()
    upload.learn("curves", lambda path: task, task.key)
    assert jobs.Job(task.key).state == "cancelled"
    assert files.of_job(task.key) == []
    assert [path for path in cache.rglob("*") if path.is_file()] == []


def test_what_was_learned_from_a_file_goes_also_where_the_server_was_killed(
    cache, upload, monkeypatch
):
    monkeypatch.setattr(work, "submit", lambda place, task, is_sweep: jobs.submit(task))
    task, others = Counting(), Counting(name="of no file")
    upload.learn("curves", lambda path: task, task.key)
    jobs.submit(others)
    for key in (task.key, others.key):
        (cache / "jobs" / f"{key}.csv").write_text("number\n1\n")
        (cache / "jobs" / f"{key}.state").write_text("weights")
    uploaded.remove_leftovers()  # another server begins while this one runs
    assert jobs.Job(task.key).state == "done"
    monkeypatch.setattr(uploaded, "_runs", lambda process: False)
    uploaded.remove_leftovers()
    assert files.of_job(task.key) == []
    assert jobs.Job(others.key).state == "done"
    assert list((cache / "uploads").iterdir()) == []
    upload.close()
