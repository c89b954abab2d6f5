"""How often a summary's 95 % intervals hold what they are for: `python -m benchmarks.coverage`.

Tables are drawn from a known generator (`tests/summaries/made.py`), and so is their noise, anew
each time. Held should be the population by the intervals of both, and the table's own value by
those of noise alone. Goals: .935 for each number and .945 of all together; at most .97 where at
least 20 cases are expected, but for quartiles, whose intervals end at edges of cells. --repetitions
(2,000), --records (3,000) and --epsilon (1) change it. --survival asks the same of curves of
survival by sex, of cohorts whose law is known. Minutes on one core.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dpcore.datasets import Table
from dpcore.datasets.sets import cohort
from dpcore.guarantee import PrivacyBudget
from dpcore.summaries.counts import exact, in_records, measured_of, noisy, seeded, values_of
from dpcore.summaries.estimates import ALIVE, DEVIATION, QUANTILES, SummaryNumber, without_noise
from dpcore.summaries.follow_up import follow_up_of
from dpcore.summaries.mechanism import FollowUpColumn, SummaryQuery, mechanism_for
from dpcore.summaries.survival import LESS, MEDIAN, RESTRICTED_MEAN, level_at, numbers
from dpcore.words import plain
from tests.summaries.made import NAMES, drawn
from tests.summaries.test_estimates import told

POPULATION = 4_000_000
Key = tuple[str, str, str, str]


def population() -> dict[Key, float]:
    """Every number of next to everybody."""
    table = drawn(POPULATION, 7)
    found = {key: one.value for key, one in told(table).items()}
    for group, of in (("all", (-1, 1)), ("yes", (1,)), ("no", (-1,))):
        for name in ("age", "bmi"):
            values = values_of(table, name)[np.isin(table.label, of)]
            values = values[~np.isnan(values)]
            found[name, "mean", "", group] = float(values.mean())
            found[name, DEVIATION, "", group] = float(values.std())
            for statistic, order in QUANTILES.items():
                found[name, statistic, "", group] = float(np.quantile(values, order))
    return found


def survivors(records: int, seed: int) -> Table:
    """A cohort of so many patients, another one for each seed."""
    patients = cohort.draw_patients(records, seed)
    return replace(patients, follow_up=cohort.draw_follow_up(patients, seed))


def true_curves(measured: SummaryQuery) -> dict[Key, float]:
    """Every number of the curves, by the law of survival of next to everybody."""
    (column,) = measured.columns
    assert isinstance(column, FollowUpColumn)
    everybody = cohort.draw_patients(POPULATION // 10, 7)
    sexes, end = everybody.frame["sex"].to_numpy(), column.end
    fine = np.linspace(0.0, end, 4 * column.intervals + 1)
    found: dict[Key, float] = {}
    for group in ("all", "female", "male"):
        members = everybody.rows(np.flatnonzero((sexes == group) | (group == "all")))
        alive = np.array([cohort.survival(members, month).mean() for month in fine])
        for at, share in zip(column.ends, alive[4::4], strict=True):
            found[column.name, ALIVE, level_at(at), group] = float(share)
        within = f"within {plain(end)}"
        reached = np.interp(-0.5, -alive, fine) if alive[-1] < 0.5 else end
        found[column.name, MEDIAN, within, group] = float(reached)
        found[column.name, RESTRICTED_MEAN, within, group] = float(np.trapezoid(alive, fine))
    for statistic, level in ((ALIVE, level_at(end)), (RESTRICTED_MEAN, within)):
        male, female = (found[column.name, statistic, level, sex] for sex in ("male", "female"))
        found[column.name, statistic, f"{level}{LESS}female", "male"] = male - female
    return found


class KnownPopulation(NamedTuple):
    """Tables of a known population: how one is drawn, what is measured, and what is true."""

    drawn: Callable[[int, int], Table]
    measured: SummaryQuery
    truth: dict[Key, float]


def of_columns(records: int) -> KnownPopulation:
    """Tables of columns of numbers and words."""
    entry = drawn(records, 7).entry
    return KnownPopulation(drawn, measured_of(entry, NAMES, "admitted"), population())


def of_survival(records: int) -> KnownPopulation:
    """Tables of times to death."""
    measured = follow_up_of(cohort.ENTRY, by="sex", records=records)
    return KnownPopulation(survivors, measured, true_curves(measured))


def named(found: Iterable[SummaryNumber]) -> dict[Key, SummaryNumber]:
    """Numbers by column, statistic, level and group."""
    return {(one.column, one.statistic, one.level, one.group): one for one in found}


def main() -> None:
    """Print how often each number's intervals hold, and all together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=2_000)
    parser.add_argument("--records", type=int, default=3_000)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--survival", action="store_true")
    options = parser.parse_args()
    n = options.records
    setting = (of_survival if options.survival else of_columns)(n)
    truth, measured = setting.truth, setting.measured
    mechanism = mechanism_for(PrivacyBudget(options.epsilon, 1e-6), measured, "zero-out")
    held: dict[Key, list[tuple[bool, bool]]] = {}
    for seed in range(options.repetitions):
        sums = exact(setting.drawn(n, 100 + seed), measured)
        own = named(numbers(in_records(sums.vector, measured), without_noise(mechanism), n))
        for key, one in named(numbers(noisy(sums, mechanism, seeded(seed)), mechanism, n)).items():
            both = one.low <= truth[key] <= one.high
            alone = one.noise_low - 1e-9 <= own[key].value <= one.noise_high + 1e-9
            held.setdefault(key, []).append((both, alone))
    shares = {key: np.mean(each, axis=0) for key, each in held.items()}
    for key, (both, alone) in sorted(shares.items(), key=lambda item: item[1][0]):
        print(f"{both:.4f} {alone:.4f} {' '.join(filter(None, key))}")
    every = np.mean(np.concatenate(list(held.values())), axis=0)
    by_cells = (*QUANTILES, MEDIAN)
    most = max(each[0] for key, each in shares.items() if key[1] not in by_cells)
    print(f"all together {every[0]:.4f} for the population, {every[1]:.4f} for the table")
    print(f"least {min(each[0] for each in shares.values()):.4f}, goal .935")
    print(f"least for the table {min(each[1] for each in shares.values()):.4f}, goal .935")
    print(f"most but for quartiles and medians {most:.4f}, goal .97")


if __name__ == "__main__":
    main()
