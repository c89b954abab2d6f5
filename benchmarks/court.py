"""The library court: how often mended twins are refuted, and what real libraries come to.

Run: python -m benchmarks.court [--repeats 200] [--only KEY] [--real NAME=PYTHON ...]. A claim that
holds may be refuted at 99 % once in a hundred; of 200 repeats at most 6 may be. With `--real` the
code of a library draws the outputs of a case, in the interpreter named, which needs numpy and that
library alone (`benchmarks/court_process.py` says which, and draws); nothing is installed here.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.court_process import REAL
from dpcore.audit.bounds import Verdict
from dpcore.audit.court import cases
from dpcore.audit.court.case import Array, Case, try_case
from dpcore.questions.court.question import row_of, told

MOST_ALARMS = 6


@dataclass(frozen=True, kw_only=True)
class RealCase(Case):
    """A case whose outputs are drawn by a library's own code, in its interpreter."""

    name: str
    python: str

    def draw(self, runs: int, seed: int, *, mended: bool) -> tuple[Array, Array]:
        process = Path(__file__).with_name("court_process.py")
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "scores.npz"
            words = [self.python, str(process), self.name, str(runs), str(seed), str(target)]
            alone = {**os.environ, "OMP_NUM_THREADS": "1"}
            done = subprocess.run(words, check=True, capture_output=True, text=True, env=alone)
            print(done.stdout, end="")
            with np.load(target) as scores:
                return scores["first"], scores["second"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--real", action="append", default=[], metavar="NAME=PYTHON")
    options = parser.parse_args()
    for name, python in (each.split("=", 1) for each in options.real):
        key, outputs = REAL[name][:2]
        real = RealCase(**{**vars(cases()[key]), "name": name, "python": python})
        tried = try_case(real, outputs=outputs)
        print(f"{name}, {key}: {told(row_of(real, tried))} {tried.seconds:.1f} s")
    for key, each in {} if options.real else cases().items():
        if options.only and key not in options.only:
            continue
        broken, started = try_case(each), time.perf_counter()
        alarms = sum(
            try_case(each, mended=True, seed=seed).verdict is Verdict.REFUTED
            for seed in range(options.repeats)
        )
        print(
            f"{key}: {told(row_of(each, broken))} {broken.seconds:.1f} s. Twin: "
            f"{alarms} alarms in {options.repeats} (of 200 at most {MOST_ALARMS}), "
            f"{time.perf_counter() - started:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
