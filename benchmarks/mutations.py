"""How many of sixty one-line mutations of the code the tests catch.

They were drawn once by a fixed seed, one a function: comparisons, signs, constants and the like, in
accounting, calibration, training of networks, evaluation, release, own tables and pages.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SECONDS = 3600.0


def mutate(text: str, line: str, mutated: str) -> str:
    """The text with its one line of these words, wherever it is indented, replaced."""
    lines = text.split("\n")
    (place,) = (place for place, each in enumerate(lines) if each.strip() == line)
    lines[place] = lines[place].replace(line, mutated)
    return "\n".join(lines)


def nearest(file: str) -> Path:
    """The folder of tests that mirrors a file's, or the next one above that there is."""
    folder = Path("tests", *Path(file).parent.parts[file.startswith("dpcore/") :])
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    return folder


def first_failure(tree: Path, tests: Path, options: list[str]) -> str | None:
    """The first test that fails; one that never ends is a failure, too."""
    command = (sys.executable, "-m", "pytest", "-q", "-x", "--tb=no", *options, str(tests))
    try:
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "never ends"
    for line in done.stdout.split("\n"):
        if line.startswith(("FAILED ", "ERROR ")):
            return line.split()[1]
    return None if done.returncode in (0, 5) else f"exit {done.returncode}"


def main() -> None:
    """Try them in a copy of the tree: the nearest tests first, then all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="by the slow tests, too")
    parser.add_argument("--only", type=int, action="append", help="a row's number, from 0")
    given = parser.parse_args()
    with open(Path(__file__).with_suffix(".csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    chosen = given.only or range(len(rows))
    caught = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__"))
        for number in chosen:
            row = rows[number]
            path = tree / row["file"]
            text = path.read_text("utf-8")
            path.write_text(mutate(text, row["line"], row["mutated"]), "utf-8")
            options = ["--all"] if given.all else []
            by = first_failure(tree, nearest(row["file"]), options) or first_failure(
                tree, Path("tests"), options
            )
            path.write_text(text, "utf-8")
            caught += by is not None
            print(f"{number:3} {row['part']:11} {row['file']}: {by or 'survived'}", flush=True)
    print(f"{caught} of {len(chosen)} caught")


if __name__ == "__main__":
    main()
