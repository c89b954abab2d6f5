"""Waits for what a page shows: the page is run again, as a browser does."""

import time

from dpcore.work import jobs

SECONDS = 240.0
MAX_BETWEEN = 2.0
"""Seconds: looking uses the processor that the worker needs."""


def until(there, *apps, look_seconds=0.3):
    """Run the pages again until it is there, less often the longer a job is under way."""
    deadline = time.monotonic() + SECONDS
    while not there():
        assert time.monotonic() < deadline, f"not within {SECONDS:g} seconds"
        next_look = time.monotonic() + look_seconds
        look_seconds = min(1.5 * look_seconds, max(look_seconds, MAX_BETWEEN))
        time.sleep(0.05)
        while time.monotonic() < next_look and _is_any_under_way() and not there():
            time.sleep(0.05)
        for app in apps:
            app.run()
            assert not app.exception


def _is_any_under_way():
    return any(jobs.Job(key).state in ("queued", "running") for key in list(jobs._attempts))
