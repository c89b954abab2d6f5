"""Cancels jobs on records that must be deleted, and removes all their files."""

from __future__ import annotations

import threading
import time

from dpcore.evaluation import jobs, work

LOOK_SECONDS, PATIENCE_SECONDS = 0.2, 600.0


def delete_job(key: str) -> threading.Thread:
    """End a job and remove its files, also those that its worker writes until it notices.

    Returns
    -------
    threading.Thread
        Ends when no more files can come.
    """
    job = jobs.Job(key)
    job.cancel()
    _remove(key)
    thread = threading.Thread(target=_remove_late, args=(job,), daemon=True, name="forgetting")
    thread.start()
    return thread


def _remove_late(job: jobs.Job) -> None:
    late = time.monotonic() + PATIENCE_SECONDS
    while job.at_work and time.monotonic() < late:
        time.sleep(LOOK_SECONDS)
    _remove(job.key)


def _remove(key: str) -> None:
    for path in jobs.files(key):
        work.remove(path)
