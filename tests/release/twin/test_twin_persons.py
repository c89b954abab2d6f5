"""A twin of persons with several rows: one row of each counts, by lots; the same sensitivity."""

import json

import numpy as np
import pytest
from scipy import stats

from dpcore.datasets.own import notation as description
from dpcore.datasets.own.description import read_own
from dpcore.datasets.own.notation import Person
from dpcore.errors import InvalidInput
from dpcore.release.check import check
from dpcore.release.model import entry_of
from dpcore.release.table import read_for_release
from dpcore.release.twin import counting
from dpcore.release.twin.counting import CARD, products
from dpcore.release.twin.twin import private_twin, twin_plan
from tests.release.test_release import ledger_with
from tests.release.twin.test_twin import squared

MAX = 3
COLUMNS = f"""person: who, at most {MAX} rows
number of persons: public
age: 18 to 90 years; unknown: blank
sex: one of f, m
smoker: one of no, yes
predict ill: one of no, yes"""


def rows_of(person, count, draw):
    """So many rows of one person, some of them blank."""
    return [
        f"p{person},{draw.choice(['', '20', '55.5', '90'])},{draw.choice(['f', 'm'])},"
        f"{draw.choice(['no', 'yes'])},{draw.choice(['', 'no', 'yes'])}"
        for _ in range(count)
    ]


def read(people, columns=COLUMNS, **more):
    lines = ["who,age,sex,smoker,ill", *(row for rows in people for row in rows)]
    return read_for_release(columns, "\n".join(lines).encode(), "t.csv", **more)


def lots_of(people, own):
    """Lots that hang on each person alone, whatever rows the others have."""
    return np.concatenate(
        [
            each.integers(0, 2**64, len(rows), dtype=np.uint64)
            for rows, each in zip(people, own, strict=True)
        ]
    )


def exact_sums(table, entry):
    """What is measured of a table, before the noise."""
    places = counting.cells(entry, table.table.frame)
    label = np.sign(table.table.label).astype(np.int8)
    cuts = np.ones((len(places), 2), dtype=np.int64)
    return counting.counts(places, label, counting.sizes(entry)), products(places, label, cuts)


@pytest.mark.slow("releases models many times over")
@pytest.mark.parametrize("adjacency", ["zero-out", "replace-one"])
def test_all_rows_of_one_person_move_the_sums_no_farther_than_one_row(adjacency):
    made = twin_plan(COLUMNS, 10_000, epsilon=1.0, delta=1e-6, adjacency=adjacency).mechanism
    assert made.weight
    entry, draw = entry_of(COLUMNS), np.random.default_rng(7)
    farthest, of_all_rows = 0, 0
    for seed in range(60):
        people = [rows_of(person, int(draw.integers(1, 6)), draw) for person in range(8)]
        blank = [f"{row.split(',')[0]},,f,no," for row in people[3]]
        other = rows_of(3, int(draw.integers(1, 6)), draw)
        changed = [*people[:3], blank if adjacency == "zero-out" else other, *people[4:]]
        result, whole = [], []
        for table in (people, changed):
            own = [np.random.default_rng([seed, person]) for person in range(8)]
            again = [np.random.default_rng([seed, person, 1]) for person in range(8)]
            held = read(table, lots=lambda _, t=table, g=own: lots_of(t, g))
            assert held.persons is not None
            kept = np.split(held.persons.index, held.persons.first[1:])
            few = [list(map(str, rows)) for rows in kept]
            one = held.one_row_each(lambda _, t=few, g=again: lots_of(t, g))
            assert (one.count, one.persons) == (8, None)
            result.append(exact_sums(one, entry))
            whole.append(exact_sums(held, entry))
        farthest = max(farthest, squared(*result, made))
        of_all_rows = max(of_all_rows, squared(*whole, made))
    assert 0 < farthest <= made.squared_sensitivity
    # Were all of a person's rows counted, the proof would be wrong, and this test would see it.
    assert of_all_rows > made.squared_sensitivity


@pytest.mark.slow("releases models many times over")
def test_each_row_of_a_person_has_the_same_chance():
    rows = [f"p0,{age},f,no,yes" for age in (20, 30, 40, 50, 60)]
    ages = [float(read([rows]).one_row_each().table.frame["age"].iloc[0]) for _ in range(200)]
    result, counts = np.unique(ages, return_counts=True)
    assert list(result) == [20.0, 30.0, 40.0, 50.0, 60.0]
    assert stats.chisquare(counts).pvalue > 1e-6
    # The first row always, or one of the first three only, would be seen.
    assert stats.chisquare([200, 0, 0, 0, 0]).pvalue < 1e-6
    assert stats.chisquare([70, 65, 65, 0, 0]).pvalue < 1e-6


def test_the_twin_has_a_row_a_person_and_its_card_says_how():
    draw = np.random.default_rng(2)
    table = read([rows_of(person, 1 + person % 5, draw) for person in range(90)])
    ledger = ledger_with("memory")
    made = private_twin(table, ledger=ledger, data_set="clinic", actor="B", epsilon=4.0, delta=1e-6)
    said = description.read(made.columns)
    assert (said.person, said.number_is_public) == (Person(), True)
    assert read_own(made.columns, made.csv.encode(), "twin.csv").records == 90
    assert "who" not in made.csv
    document = made.card.document
    assert "of whom one row counts, chosen by lots" in document["claim"]
    assert "number of persons is public" in document["proof"]["neighbours"]
    assert "persons.py" in document["proof"]["by"][0]
    # The most rows that the description allows is in nothing that leaves.
    assert f"at most {MAX}" not in made.card.to_yaml() + made.columns
    text = made.card.to_yaml()
    assert check(text, ledger, files={"twin.csv": made.csv.encode}).problems == ()
    facts = json.loads(json.dumps(document["facts"]))
    for person in ({"rows": 2}, {"rows": 1, "more": 1}, 1):
        with pytest.raises(InvalidInput, match="person"):
            CARD.card({**facts, "person": person})
