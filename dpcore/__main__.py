"""`python -m dpcore`, and the command `dpcore`: the same jobs without a browser."""

import sys

from dpcore.cli import main


def run() -> int:
    """Run the command of the process on a terminal of any encoding; the exit code."""
    # Where it can't show a Greek letter, its escape (valid in JSON too) beats an error.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    return main()


if __name__ == "__main__":
    raise SystemExit(run())
