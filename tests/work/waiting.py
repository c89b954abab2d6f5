"""Waiting for a worker, and what it leaves."""

import time

from dpcore.work.handle import UNDER_WAY

PATIENCE = 60.0


def wait_for(what):
    """Look again and again until it holds."""
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)


def rows_of(job):
    """What a job gives, once it has ended."""
    wait_for(lambda: job.state not in UNDER_WAY)
    return job.result()


def names(cache):
    """Of the files that jobs have in that cache folder."""
    return {path.name for path in (cache / "jobs").iterdir()}
