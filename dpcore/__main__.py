"""`python -m dpcore`: the same jobs without a browser."""

import sys

from dpcore.cli import main

# Where the terminal can't show a Greek letter, its escape (valid in JSON too) beats an error.
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]

raise SystemExit(main())
