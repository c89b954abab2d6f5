"""Cancels jobs on records that must be deleted, and removes all their files."""

from __future__ import annotations

import threading
import time

from dpcore.evaluation import jobs

LOOK_SECONDS, PATIENCE_SECONDS = 0.2, 600.0


def delete_job(key: str) -> threading.Thread:
    """End a job and remove its files, also those that its worker writes until it notices."""
    job = jobs.Job(key)
    job.cancel()
    attempt = job.attempt
    job.remove_files(attempt)
    thread = threading.Thread(
        target=_remove_late, args=(job, attempt), daemon=True, name="forgetting"
    )
    thread.start()
    return thread


def _remove_late(job: jobs.Job, attempt: str) -> None:
    late = time.monotonic() + PATIENCE_SECONDS
    while job.attempt == attempt and job.at_work and time.monotonic() < late:
        time.sleep(LOOK_SECONDS)
    job.remove_files(attempt)
