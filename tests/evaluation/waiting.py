"""Waiting for a worker, and what it leaves."""

import time

PATIENCE = 60.0


def wait_for(what):
    """Look again and again until it holds."""
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)


def names(cache):
    """Of the files that jobs have in that cache folder."""
    return {path.name for path in (cache / "jobs").iterdir()}
