"""Made-up records read by their own description, and say what noise costs before it is paid."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from dpcore.datasets.own.description import read_own
from dpcore.errors import Cancelled, InvalidInput
from dpcore.release import demonstration, release
from dpcore.release.attack import attack
from dpcore.release.made_up import TABLES, made_up_records, rehearse, stand_in
from dpcore.release.model import entry_of
from dpcore.release.plan import plan
from dpcore.release.table import read_for_release

OUTCOME = "predict y: one of a, b"


@pytest.mark.parametrize(
    ("low", "high"),
    [(18, 90), (0.12345678, 0.12345679), (20200101, 20201231), (-5, 1000000000), (0, 1)],
)
def test_every_number_is_within_its_range_and_few_are_the_same(low, high):
    columns = f"x: {low} to {high}\n{OUTCOME}"
    csv = stand_in(columns, 300)
    x = pd.read_csv(io.StringIO(csv))["x"]
    assert x.between(low, high).all()
    assert x.nunique() > 60
    assert read_own(columns, csv.encode(), "standin.csv").records == 300


@pytest.mark.parametrize(
    "columns", ["age: 18 to 90\npredict y: one of =x, ’=x", f"=s: 1 to 2\n’=s: 1 to 2\n{OUTCOME}"]
)
def test_what_would_become_one_by_the_safe_mark_is_refused(columns):
    with pytest.raises(InvalidInput):
        stand_in(columns, 10)


def test_no_column_decides_alone():
    entry = entry_of(demonstration.columns())
    for seed in range(10):
        frame, labels = made_up_records(entry, 4_000, np.random.default_rng(seed))
        for column in entry.columns:
            if column.kind != "number":
                # What one yes or no tells by itself is far from what all tell together.
                values = pd.Series(labels).groupby(np.asarray(frame[column.name]))
                alone = (values.mean().abs() * values.size()).sum() / len(labels)
                assert 0.5 + alone / 2.0 < 0.72


COLUMNS = demonstration.columns()


@pytest.mark.slow("releases models many times over")
def test_a_rehearsal_shows_that_less_noise_costs_less():
    private, usual, loose = (
        rehearse(plan(COLUMNS, 1_000, epsilon=epsilon, delta=1e-6)) for epsilon in (0.05, 1.0, 20.0)
    )
    assert private.mean + 0.05 < usual.mean < loose.mean + 0.01
    assert 0.7 < loose.without < 0.9
    assert abs(loose.mean - loose.without) < 0.02


def test_several_made_up_tables_are_rehearsed_on_and_by_public_seeds_alone():
    made = plan(COLUMNS, 1_000, epsilon=1.0, delta=1e-6, steps=30)
    done: list[float] = []
    first = rehearse(made, progress=lambda share, _: done.append(share))
    assert first == rehearse(made)
    assert first != rehearse(made, seed=1)
    for shares in (first.without_noise, first.with_noise):
        assert len(set(shares)) == TABLES == 5
    assert first.without - first.mean == pytest.approx(sum(first.losses) / TABLES)
    assert done == pytest.approx(sorted(done))
    assert 0.9 < max(done) < 1.0 + 1e-9


def test_a_rehearsal_ends_when_it_is_cancelled():
    def cancel(share, words):
        if words == "table 2 of 5":
            raise Cancelled

    with pytest.raises(Cancelled):
        rehearse(plan(COLUMNS, 1_000, epsilon=1.0, delta=1e-6, steps=30), progress=cancel)


@pytest.mark.slow("releases models many times over")
def test_the_demonstration_is_attacked_as_before_a_real_payment(monkeypatch):
    monkeypatch.setattr(release, "attack", attack)
    ledger = demonstration.ledger()
    records = read_for_release(COLUMNS, demonstration.table(), demonstration.FILE)
    made = plan(COLUMNS, records.count, epsilon=demonstration.EPSILON, delta=demonstration.DELTA)
    assert ledger.left(demonstration.DATA_SET).more(made.spend) >= 2
    prepared = release.prepare(
        made,
        records,
        about=demonstration.ABOUT,
        ledger=ledger,
        data_set=demonstration.DATA_SET,
        actor=demonstration.ACTOR,
    )
    assert 0.3 < prepared.attack.lower_bound < made.mechanism.epsilon(demonstration.DELTA)
    assert prepared.attack.mu_lower_bound == pytest.approx(made.mechanism.mu, rel=0.2)
