"""A person of several rows adds one bounded vector: the mean of that person's gradients."""

import itertools
import json
import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from dpcore.datasets.persons import bounded, lots_for_exploration
from dpcore.errors import InvalidInput
from dpcore.release import grid
from dpcore.release.attack import ABOUT as ABOUT_ATTACK
from dpcore.release.attack import OF_ROWS
from dpcore.release.certificate import certificate
from dpcore.release.check import check
from dpcore.release.mechanism import Mechanism, descend
from dpcore.release.mechanism import Path as Steps
from dpcore.release.model import preparation_for
from dpcore.release.release import release_model
from dpcore.release.scorer import LOSSES, Linear, scorer
from dpcore.release.table import read_for_release
from tests.release.test_grid import steep
from tests.release.test_release import ABOUT, ledger_with

COLUMNS = """person: patient, at most 3 rows
number of persons: public
age: 18 to 90 years
sex: one of f, m; unknown: NA
bmi: 10 to 60
predict ill: one of no, yes"""
HEADER = "patient,age,sex,bmi,ill"
MAX = 3


def made(count, seed=0):
    """Rows of length 1, shape (4, rows), and whose they are."""
    draw = np.random.default_rng(seed)
    person = np.repeat(np.arange(count), draw.integers(1, MAX + 1, count))
    rows = draw.normal(size=(4, len(person)))
    rows /= np.linalg.norm(rows, axis=0)
    return rows, bounded(person, MAX, lots_for_exploration(len(person)))


@pytest.mark.parametrize("hidden", [0, 3])
def test_a_persons_vector_is_the_rounded_mean_and_hangs_on_that_person_alone(hidden):
    rows, persons = made(40)
    kind = scorer("logistic", 4, hidden)
    weights, gradients = np.random.default_rng(1).normal(size=kind.parameters), kind.gradients
    together = grid.contributions(rows, weights, gradients, persons.first)
    exact = gradients(rows, weights) * grid.UNITS
    means, first = grid._means(exact, persons.first), np.zeros(1, dtype=np.int64)
    for one, where in enumerate(np.split(np.arange(rows.shape[1]), persons.first[1:])):
        for order in itertools.permutations(where.tolist()):
            theirs = np.ascontiguousarray(rows[:, list(order)])
            alone = grid.contributions(theirs, weights, gradients, first)
            np.testing.assert_array_equal(alone[:, 0], together[:, one])
            # Rounding to the grid would hide most differences of a last bit.
            mean = grid._means(np.ascontiguousarray(exact[:, list(order)]), first)
            np.testing.assert_array_equal(mean[:, 0], means[:, one])
        for units, values in zip(together[:, one], exact[:, where], strict=True):
            mean = sum(map(Fraction, values.tolist())) / len(where)
            assert abs(Fraction(int(units)) - mean) <= Fraction(1, 2) * (1 + Fraction(1, 4096)) + (
                Fraction(1, 2**30)
            )
    for block in (1, 5, 1_000):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(grid, "ROWS", block)
            result = grid.total(rows, weights, gradients, persons)
        np.testing.assert_array_equal(result, together.sum(axis=1))


@pytest.mark.parametrize("most", [2, 3, 10_000])
def test_the_sensitivity_is_that_of_one_row_and_attained_by_k(most):
    row = np.array([[0.6], [0.8]])
    first = np.zeros(1, dtype=np.int64)
    one = grid.contributions(row, np.zeros(2), steep)
    several = grid.contributions(np.repeat(row, most, axis=1), np.zeros(2), steep, first)
    assert np.abs(several - one).max() <= 1
    assert math.hypot(*several[:, 0].tolist()) >= grid.UNITS - 1
    # A row that is far too long, or none, hides behind no other: the person is what is checked.
    rows = np.repeat(row, most, axis=1)
    for bad in (2.0**900, np.inf, np.nan):
        rows[:, 0] = bad
        result = grid.contributions(rows, np.zeros(2), steep, first)
        assert math.hypot(*result[:, 0].tolist()) <= grid.bound(2)
    assert not grid.contributions(np.ones((4, most)), np.zeros(4), steep, first).any()
    # Where rows counted 1 each, the person would be beyond the bound, and count nothing.
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(grid, "_means", partial(np.add.reduceat, axis=1))
        assert not grid.contributions(np.repeat(row, 2, axis=1), np.zeros(2), steep, first).any()


def lines(count=30, seed=6):
    """Each person's lines of a file."""
    draw = np.random.default_rng(seed)
    return [
        [
            f"p{person},{draw.uniform(10, 99):.2f},{draw.choice(['f', 'm', 'NA'])},"
            f"{draw.uniform(9, 61):.2f},{draw.choice(['no', 'yes'])}"
            for _ in range(draw.integers(1, MAX + 1))
        ]
        for person in range(count)
    ]


def read(rows):
    table = read_for_release(COLUMNS, "\n".join([HEADER, *rows]).encode(), "t.csv")
    assert table.persons is not None
    prepared = grid.rows(table.table.entry, table.table.frame, preparation_for("plain"))
    return prepared * table.table.label.astype(float), table.persons, table.count


def test_rows_in_any_order_among_others_give_the_same_model():
    people = lines()
    rows = [row for theirs in people for row in theirs]
    mixed = np.random.default_rng(1).permutation(rows).tolist()
    mechanism = Mechanism("zero-out", 6, grid.UNITS, 1_000, 7)

    def weights(rows):
        signed, persons, count = read(rows)
        steps, noise = Steps(Linear("logistic", 6), 1e-3, 2.0, count), itertools.count(0, 997)
        return descend(
            *(signed, mechanism, steps, lambda _, n: list(itertools.islice(noise, n))),
            persons=persons,
        )

    np.testing.assert_array_equal(weights(rows), weights(mixed))
    # One row fewer is another model: the test would see it.
    assert not np.array_equal(weights(rows), weights(rows[:-1]))


@pytest.mark.parametrize("hidden", [0, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_files_that_differ_in_one_person_move_no_sum_by_more_than_is_proved(loss, hidden):
    """Whatever that person's rows hold, and however many there are."""
    people = lines()[1:]
    same = [["p0,90,m,60,yes"] * rows for rows in (1, MAX, 40)]
    theirs = [
        *(["p0,,,,"] * rows for rows in (1, 2)),
        *same,
        ["p0,18,f,10,no"] * MAX,
        ["p0,90,m,60,yes", "p0,-1e9,NA,1e9,no"],
        ["p0,54,f,35,yes", "p0,,,,"],
    ]
    files = [read([*rows, *(row for each in people for row in each)]) for rows in theirs]
    draw, farthest = np.random.default_rng(6), {"zero-out": 0.0, "replace-one": 0.0}
    kind = scorer(loss, 6, hidden)
    for _ in range(30):
        weights = draw.normal(size=kind.parameters) * 10.0 ** draw.uniform(-2, 6)
        sums = [
            grid.total(signed, weights, kind.gradients, persons).tolist()
            for signed, persons, _ in files
        ]
        blank = [math.dist(each, sums[0]) for each in sums[1:]]
        assert blank[0] == 0.0
        farthest["zero-out"] = max(farthest["zero-out"], *blank)
        other = (math.dist(*pair) for pair in itertools.combinations(sums, 2))
        farthest["replace-one"] = max(farthest["replace-one"], *other)
    for adjacency, moved in farthest.items():
        most = Mechanism(adjacency, kind.parameters, grid.UNITS, 1, 1).sensitivity
        assert 0.65 * most < moved <= most


def of(ledger, hidden=0):
    data = "\n".join([HEADER, *(row for each in lines() for row in each)]).encode()
    return release_model(
        read_for_release(COLUMNS, data, "t.csv"),
        about=ABOUT,
        ledger=ledger,
        data_set="clinic",
        actor="Dr. B",
        epsilon=4.0,
        delta=1e-6,
        steps=5,
        hidden=hidden,
    )


def test_rows_that_count_1_each_are_found_before_anything_is_paid(monkeypatch):
    total = grid.total
    monkeypatch.setattr(grid, "total", lambda *given: total(*given[:3]))
    ledger = ledger_with("memory")
    with pytest.raises(InvalidInput, match="nothing was paid"):
        of(ledger)
    assert len(ledger.history("clinic")) == 1


@pytest.mark.parametrize("hidden", [0, 2])
def test_a_certificate_says_what_one_person_is(hidden):
    ledger = ledger_with("memory")
    released = of(ledger, hidden)
    facts = released.certificate.document["facts"]
    assert (facts["person"], facts["training"]["records"]) == ({"rows": MAX}, 30)
    assert check(released.certificate.to_yaml(), ledger, released.model).problems == ()
    # Rewritten as a whole, it no longer fits the model's columns.
    for person in ({"rows": 4}, None):
        forged = json.loads(json.dumps(facts)) | {"person": person}
        if person is None:
            del forged["person"]
        told = OF_ROWS.format(rows=4) + ABOUT_ATTACK if person else ABOUT_ATTACK
        forged["attack"]["about"] = told
        text = certificate(forged).to_yaml()
        assert check(text).problems == ()
        assert "what one person is" in " ".join(check(text, None, released.model).problems)
    for person in ({"rows": 0}, {"rows": True}, {"rows": 3, "more": 1}, {}, None):
        with pytest.raises(InvalidInput, match=r"person"):
            certificate({**facts, "person": person})
