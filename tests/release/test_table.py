"""A release knows of a table what is described, and one number; how tables are written."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.datasets import prepare
from dpcore.datasets.encoding import features_of
from dpcore.datasets.images.sets import features_npz
from dpcore.datasets.own.description import Mendable, read_own
from dpcore.datasets.persons import lots_for_exploration
from dpcore.datasets.preparation import Preparation
from dpcore.release.made_up import stand_in
from dpcore.release.table import facts, network_file, read_for_release

COLUMNS = """person: patient, at most 3 rows
number of persons: public
age: 18 to 90 years
visit: 2020-01-01 to 2020-12-31; unknown: blank
ward: one of north, south; unknown: ?
predict ill: one of no, yes"""
HEADER = "patient,age,visit,ward,ill\n"
ROWS = [f"p{row % 9},{18 + row},2020-03-{row % 28 + 1:02},north,yes\n" for row in range(60)]


def test_everything_known_is_given_declared_or_paid():
    assert [(fact.what, fact.how) for fact in facts(COLUMNS)] == [
        ("a person", "given"),
        ("number of persons", "declared public"),
        *((name, "given") for name in ("age", "visit", "ward", "ill")),
        ("weights of the model", "paid"),
    ]


@pytest.mark.parametrize("line", COLUMNS.splitlines()[:2])
def test_a_release_asks_for_what_is_not_said_and_offers_to_say_it(line):
    columns = COLUMNS.replace(f"{line}\n", "")
    with pytest.raises(Mendable) as refused:
        facts(columns)
    (mend,) = refused.value.mends
    assert len(facts(mend.columns)) == 7


@pytest.mark.parametrize(
    "theirs",
    [
        ["p0,,,,\n"] * 7,
        ["p0,90,2020-12-31,?,no\n"] * 7,
        ["p0,-1e9,1999-01-01,south,no\n", "p0,1e9,2099-01-01,south,yes\n"] + ["p0,5,,?,no\n"] * 5,
    ],
    ids=["blank", "extreme", "outside"],
)
def test_what_one_person_has_moves_that_persons_rows_alone(theirs):
    other = [*ROWS]
    for row, line in zip(range(0, 60, 9), theirs, strict=True):
        other[row] = line
    one, two = (
        read_for_release(
            COLUMNS, (HEADER + "".join(rows)).encode(), "f", lambda n: lots_for_exploration(n, 3)
        )
        for rows in (ROWS, other)
    )
    assert one.table.entry == two.table.entry
    assert one.persons is not None
    assert two.persons is not None
    assert one.table.entry.records == one.count == 9
    assert one.table.counts == two.table.counts == {}
    assert one.table.records == 27
    assert np.array_equal(one.persons.first, two.persons.first)
    # All but the first three rows, which are that person's.
    features, same = (
        features_of(each.table.entry, each.table.frame, Preparation(intercept=True))[3:]
        for each in (one, two)
    )
    assert np.array_equal(features, same)
    assert np.array_equal(one.table.label[3:], two.table.label[3:])
    assert not np.array_equal(one.table.label[:3], two.table.label[:3])


def test_lots_of_a_release_are_drawn_anew():
    data = (HEADER + "".join(ROWS)).encode()
    kept = [read_for_release(COLUMNS, data, "f").persons for _ in range(3)]
    assert len({each.index.tobytes() for each in kept if each is not None}) == 3


@pytest.mark.parametrize(("person", "count"), [("one row each", 60), ("patient, at most 1 row", 9)])
def test_which_way_sums_are_taken_is_said_by_the_description(person, count):
    columns = COLUMNS.replace("patient, at most 3 rows", person)
    result = read_for_release(columns, (HEADER + "".join(ROWS)).encode(), "f")
    assert result.count == result.table.records == count
    assert result.persons is None
    # Nobody has a second row, but the description allows it.
    several = read_for_release(COLUMNS, (HEADER + "".join(ROWS[:9])).encode(), "f")
    assert several.persons is not None


OF_A_NETWORK = """\
age: 18 to 90 years
smoker: one of no, yes
predict progression: one of stable, worse"""


def test_it_holds_the_prepared_records_and_the_names_of_both_outcomes():
    csv = stand_in(OF_A_NETWORK, 400)
    split = prepare(read_own(OF_A_NETWORK, csv.encode(), "standin.csv"))
    result = features_npz.decode(network_file(csv, OF_A_NETWORK), "standin.npz")
    np.testing.assert_allclose(result.train_inputs, split.x_train, rtol=1e-6)
    np.testing.assert_allclose(result.test_inputs, split.x_test, rtol=1e-6)
    assert (result.train_targets == (split.y_train > 0)).all()
    assert (result.test_targets == (split.y_test > 0)).all()
    assert result.entry.names == (split.entry.negative, split.entry.positive)
    assert len(result.train_inputs) == 320


def test_a_blank_record_is_a_null_record():
    header, first, *rest = stand_in(OF_A_NETWORK, 50).splitlines()
    age, smoker, _ = first.split(",")
    csv = "\n".join([header, *(f"{age},{smoker}," for _ in range(25)), *rest])
    result = features_npz.decode(network_file(csv, OF_A_NETWORK), "standin.npz")
    blank = result.train_targets == features_npz.NULL_CLASS
    assert 0 < blank.sum() < len(blank)
    assert (result.train_inputs[blank] == 0.0).all()
