"""The ledger: time of a decision, kills, and what choosing freely costs.

Run: python -m benchmarks.ledger [--entries 10000] [--kills 200] [--url URL]

- time: a spend on a ledger of that many entries, in milliseconds (median, 95 and 99 in 100), beside
  the floor: one row inserted and committed into SQLite with the same settings.
- kills: 50 writers, of which so many are killed at random moments, and what is lost or overspent.
- price: ε that the filter takes for one entry at δ = 1e-5, beside PLD, which knows beforehand that
  there will be no other.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from dpcore.accounting.accountants import certify_along
from dpcore.guarantee import Adjacency
from dpcore.release.ledger import GaussianSpend, Ledger, PureSpend, SubsampledGaussianSpend
from dpcore.release.ledger.filter import ACCEPTS, LedgerAccount, terms

SPENDS = (
    lambda place: GaussianSpend(2e3 + place % 97),
    lambda place: SubsampledGaussianSpend(20.0 + place % 89, 0.001, 10 + place % 5),
    lambda place: PureSpend(1e-5 * (1 + place % 83)),
)
PRICED = {
    "DP-SGD σ/C 1.1, q 0.01, 1,000 steps": SubsampledGaussianSpend(1.1, 0.01, 1000),
    "DP-SGD σ/C 2, q 0.1, 500 steps": SubsampledGaussianSpend(2.0, 0.1, 500),
    "one release, σ/C 5": GaussianSpend(5.0),
    "100 releases, σ/C 40": GaussianSpend(40.0, 100),
}
DELTA = 1e-5
TERMS = {"person_unit": "one record", "adjacency": Adjacency.ZERO_OUT, "owner": "A"}


def shown(seconds: list[float]) -> str:
    """Median, 95th and 99th percentile in milliseconds."""
    return " / ".join(f"{np.percentile(seconds, at) * 1e3:.2f}" for at in (50, 95, 99))


def timed(entries: int, folder: Path) -> None:
    ledger = Ledger.open(folder / "ledger.db")
    ledger.create("clinic", epsilon=100.0, delta=DELTA, **TERMS)
    wall_seconds, processor_seconds = [], []
    for place in range(entries):
        spend = SPENDS[place % len(SPENDS)](place)
        start, work = time.perf_counter(), time.process_time()
        ledger.spend("clinic", spend, actor="B", purpose="x")
        wall_seconds.append(time.perf_counter() - start)
        processor_seconds.append(time.process_time() - work)
    tenth = max(1, entries // 10)
    print(f"a spend, median / p95 / p99 in ms, first tenth: {shown(wall_seconds[:tenth])}")
    print(f"                                    last tenth: {shown(wall_seconds[-tenth:])}")
    print(f"                   of which processor, first tenth: {shown(processor_seconds[:tenth])}")
    print(
        f"                                        last tenth: {shown(processor_seconds[-tenth:])}"
    )
    start = time.perf_counter()
    assert ledger.verify() == []
    print(f"verify of {entries:,} entries: {time.perf_counter() - start:.1f} s")
    ledger.close()
    floor = sqlite3.connect(folder / "floor.db", isolation_level=None)
    floor.execute("PRAGMA synchronous=EXTRA")
    floor.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, text TEXT)")
    floor_seconds = []
    for place in range(tenth):
        start = time.perf_counter()
        floor.execute("BEGIN IMMEDIATE")
        floor.execute("INSERT INTO rows VALUES (?, ?)", (place, "x" * 1_500))
        floor.execute("COMMIT")
        floor_seconds.append(time.perf_counter() - start)
    floor.close()
    print(f"floor, one row committed                      : {shown(floor_seconds)}")


def killed(url: str, kills: int) -> None:
    program = [
        sys.executable,
        "-m",
        "tests.release.ledger.writers",
        url,
        "50",
        str(kills),
        "0.001",
        "0",
    ]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    print(f"50 writers, {kills} kills on {url.split(':')[0]}: {answer}")


def priced() -> None:
    print("ε at δ = 1e-5: PLD / filter of what it needs alone / filter that accepts all")
    for name, spend in PRICED.items():
        step = spend.step()
        (proved,) = certify_along([step], [step.count], DELTA, Adjacency.ZERO_OUT)
        own = "gaussian" if isinstance(spend, GaussianSpend) else "renyi"
        spent_epsilons = []
        for accepts in ((own,), ACCEPTS):
            agreed = terms(epsilon=3.0, delta=DELTA, accepts=accepts, **TERMS)
            spent_epsilons.append(
                LedgerAccount(agreed, 3.0, DELTA).spent(spend, {}).epsilon_spent()
            )
        print(f"{name}: {proved.bound:.2f} / {spent_epsilons[0]:.2f} / {spent_epsilons[1]:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--url", help="an empty PostgreSQL database, in place of SQLite, for kills")
    options = parser.parse_args()
    priced()
    with tempfile.TemporaryDirectory() as folder:
        timed(options.entries, Path(folder))
        killed(options.url or f"{folder}/killed.db", options.kills)


if __name__ == "__main__":
    main()
