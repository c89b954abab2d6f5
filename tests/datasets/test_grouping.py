"""Groups by a column: public, in the order of the split's rows, for any schema."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import Preparation, catalogue, entry, load, prepare
from dpcore.datasets.grouping import columns, grouping
from dpcore.datasets.own.description import described, read_own
from dpcore.datasets.schema import Column
from dpcore.errors import InvalidInput

COLUMNS = """
age: 18 to 90 years
region: one of north, nan, everybody; unknown: blank
bmi: 15 to 50 kg/m²; unknown: NA
predict outcome: one of no, yes
"""


def bands(low, high, unit="", **more):
    column = Column("x", "number", "", unit, low, high, bounds_reason="test", **more)
    return grouping(replace(entry("cohort"), columns=(column,)), "x").edges


def test_ages_are_cut_at_decades_and_numbers_at_round_values():
    assert bands(0, 120, "years") == tuple(range(10, 120, 10))
    assert bands(14, 55) == (15, 20, 25, 30, 35, 40, 45, 50)
    assert bands(0.0, 0.2) == (0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18)
    assert bands(0, 99_999, transform="log1p") == (1, 10, 100, 1_000, 10_000)
    assert bands(-50, 500, transform="signed log1p") == (-10, -1, 0, 1, 10, 100)
    assert bands(0, 0.5, transform="log1p") == ()


@pytest.mark.parametrize(
    ("low", "high"), [(-1e308, 1e308), (1e16, 1e16 + 2), (0, 5e-324), (-1e-300, 1e300)]
)
def test_hostile_bounds_give_few_bands_inside_them(low, high):
    for unit in ("", "years"):
        edges = bands(low, high, unit)
        assert len(edges) <= 20
        assert all(low < edge < high for edge in edges)


def test_every_column_of_the_catalogue_divides_and_names_differ():
    for one in catalogue():
        assert len(columns(one)) == len(one.columns)
        for name in columns(one):
            names = grouping(one, name).names
            assert len(set(names)) == len(names) >= 2
            assert all(group.startswith(f"{name} ") for group in names)


def test_groups_are_those_of_the_splits_rows():
    table = load("cohort", records=300)
    for seed in (0, 3):
        split = prepare(table, Preparation(seed=seed))
        for name, level in (("sex", "sex = male"), ("smoker", "smoker")):
            rows, groups = grouping(table.entry, name).of_tested(table, split.preparation)
            assert len(rows) == len(groups) == len(split.y_test)
            feature = split.x_test[:, split.feature_names.index(level)]
            assert (groups == (feature > 0)).all()


def own(rows):
    text = "\n".join(["age,region,bmi,outcome", *rows])
    return read_own(COLUMNS, text.encode(), "own.csv")


def test_gaps_are_a_group_and_blank_or_dropped_records_are_in_none():
    kinds = ["18,north,15,no", "19.9,nan,NA,yes", "20,,50,no", "90,everybody,60,yes", ",,,"]
    table = own(kinds * 20)
    for missing in ("impute", "drop"):
        preparation = Preparation(missing=missing, test_fraction=0.5)
        split = prepare(table, preparation)
        for name in columns(table.entry):
            rows, groups = grouping(table.entry, name).of_tested(table, preparation)
            assert (table.label[rows] == split.y_test).all()
            expected = {
                "age": [0, 0, 1, 7],
                "region": [0, 1, 3, 2],
                "bmi": [0, 7, 6, 6],
            }[name]
            assert groups.tolist() == [expected[row % 5] for row in rows]
    names = grouping(table.entry, "region").names
    assert names == ("region = north", "region = nan", "region = everybody", "region unknown")
    assert not np.isin(np.arange(4, 100, 5), rows).any()


@pytest.mark.parametrize("listed", ["m, w", "1, 2", "no, yes"])
def test_two_groups_have_the_words_of_ones_own_table(listed):
    made = described(f"age: 18 to 90\nsex: one of {listed}\npredict ill: one of no, yes")
    assert grouping(made, "sex").names == tuple(f"sex = {word}" for word in listed.split(", "))
    # A 0 or 1 of a codebook that says what it answers is shown as no or yes.
    assert grouping(entry("heart"), "exang").names == ("exang = no", "exang = yes")


def test_a_column_that_models_do_not_use_divides_too_and_no_other_does():
    assert "duration" in columns(entry("bank"))
    assert "duration" not in {column.name for column in entry("bank").used}
    with pytest.raises(InvalidInput, match=r"column is 'shoe size', but it must be one of the col"):
        grouping(described(COLUMNS), "shoe size")
