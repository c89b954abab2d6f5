"""What learns from a visitor's file ends with the file."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import pytest

from dpcore.evaluation import executors, jobs, uploaded
from pages.shared import shared_jobs, uploads
from tests.evaluation.tasks import Counting


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    return tmp_path


def test_a_job_that_is_handed_in_while_the_file_goes_is_ended(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = uploads.Upload("file", "mine.csv", (), uploaded.hand_over)
    monkeypatch.setattr(upload, "answer", lambda place, call, path: Path(path).touch())
    monkeypatch.setattr(executors, "submit", lambda *arguments, **settings: Future())

    def submit(place: str, task: Counting) -> None:
        upload.close()
        jobs.submit(task)

    monkeypatch.setattr(shared_jobs, "submit", submit)
    task = Counting()
    upload.learn("curves", lambda path: task, task.key)
    job = jobs.find(task.key)
    assert job is None or job.state == "cancelled"
    assert jobs.files(task.key) == []
    assert [path for path in cache.rglob("*") if path.is_file()] == []
