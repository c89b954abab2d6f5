"""`python -m benchmarks.trials`: trials by the thousand, and a count of what came of them."""

from __future__ import annotations

import argparse
import sys

from benchmarks.trials import browsed, commands, files, links


def main() -> int:
    """Run the trials asked for; 1 where any failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", type=int, default=0)
    parser.add_argument("--files", type=int, default=0)
    parser.add_argument("--links", type=int, default=0)
    parser.add_argument("--browsed", type=int, default=0, help="links in a real browser")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failures = 0
    for name, run_trials in (
        ("commands", commands.run_trials),
        ("files", files.run_trials),
        ("links", links.run_trials),
        ("browsed", browsed.run_trials),
    ):
        number = getattr(options, name)
        if not number:
            continue
        tally = run_trials(number, options.seed)
        summary = ", ".join(f"{count:,} {verdict}" for verdict, count in tally.counts.most_common())
        print(f"{name}: {summary}; at most {tally.most_mebibytes:.0f} MiB more than before")
        failures += len(tally.failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
