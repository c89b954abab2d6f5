"""What one record can change, by search over pairs; the noise, and what is proved of it."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.datasets import Table
from dpcore.datasets.own.description import read_rows
from dpcore.datasets.schema import Column
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_epsilon
from dpcore.mechanisms.whole_gaussian import UNITS
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.summaries.counts import (
    TableSums,
    exact,
    measured_of,
    noisy,
    parts,
    seeded,
    seeded_of,
    sums_of,
)
from dpcore.summaries.mechanism import (
    NOT_KNOWN,
    NumberColumn,
    SummaryMechanism,
    SummaryQuery,
    mechanism_for,
)
from dpcore.summaries.request import STATISTICS, SummaryRequest
from tests.summaries.made import NAMES, described, drawn, words

BUDGET = PrivacyBudget(1.0, 1e-6)


def flat(table, measured):
    """All that a table adds up to, each part times the root of its weight, in records."""
    roots = [np.full(math.prod(shape), weight**0.5) for shape, weight in parts(measured)]
    return exact(table, measured).vector * np.concatenate(roots) / UNITS


def records(*, missing):
    """Each record at the ends and the middle of its columns, blank ones and gaps among them."""
    ages, sexes = (18.0, 40.0, 59.0, 100.0), (0, 1)
    sizes = (14.0, 35.0, 55.0, *([np.nan] if missing else []))
    for age, sex, bmi, stage, label in itertools.product(ages, sexes, sizes, (0, 3), (-1, 0, 1)):
        frame = pd.DataFrame(
            {
                "age": [age],
                "sex": words([sex], ("female", "male")),
                "bmi": [bmi],
                "stage": words([stage], ("I", "II", "III", "IV")),
            }
        )
        yield Table(described(1, missing=missing), frame, np.array([label], dtype=np.int8))


@pytest.mark.slow("adds up every pair of some hundred records")
@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("by", ["", "admitted", "sex"])
@pytest.mark.parametrize(
    ("asked", "weights"),
    [
        ({}, {}),
        ({}, {"squares_weight": 9}),
        ({}, {"layer_weight": 3}),
        *(({"statistics": each}, {}) for each in (("shares",), ("means",), ("quartiles",))),
        ({"statistics": ("shares", "means"), "cross": ("stage:admitted",)}, {}),
        ({"weights": (("age", 4), ("quartiles", 3), ("stage", 2), ("shares", 3))}, {}),
        ({"cross": ("stage:admitted",), "weights": (("stage", 5),)}, {}),
    ],
)
def test_no_pair_of_neighbours_is_further_apart_and_one_is_as_far(missing, by, asked, weights):
    if by == "admitted" and "cross" in asked:
        asked = {**asked, "cross": ("stage:sex",)}
    measured = SummaryRequest(by, NAMES, **asked).measured(described(500, missing=missing))
    columns = tuple(
        replace(one, **weights) if isinstance(one, NumberColumn) else one
        for one in measured.columns
    )
    measured = replace(measured, columns=columns)
    vectors = np.array([flat(table, measured) for table in records(missing=missing)])
    blank = np.zeros_like(vectors[0])
    zero_out = ((vectors - blank) ** 2).sum(axis=1).max()
    gram = vectors @ vectors.T
    lengths = np.diag(gram)
    replaced = (lengths[:, None] + lengths[None, :] - 2.0 * gram).max()
    allowed = [
        float(measured.squared(each)) for each in (Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE)
    ]
    assert zero_out <= allowed[0] * (1 + 1e-9)
    assert replaced <= allowed[1] * (1 + 1e-9)
    assert zero_out == pytest.approx(allowed[0])
    if not weights.get("squares_weight"):  # there the farthest pair lies between these records
        assert replaced == pytest.approx(allowed[1])


@pytest.mark.parametrize("squares", [1, 2, 3, 9, 100])
def test_the_farthest_two_numbers_are_found(squares):
    column = NumberColumn("x", 0.0, 1.0, 0, squares_weight=squares)
    first, second = np.meshgrid(np.linspace(-1, 1, 801), np.linspace(-1, 1, 801))
    apart = ((first - second) ** 2 + squares * (first**2 - second**2) ** 2).max()
    assert apart <= float(column.replaced) <= apart * 1.02


def test_values_that_round_to_the_ends_are_counted():
    ends = pd.DataFrame({"age": [100.0, 18.0 + 0.49 * 41.0 / UNITS]})
    table = replace(drawn(2, 1), frame=ends, label=np.ones(2, dtype=np.int8))
    measured = measured_of(table.entry, ("age",))
    first, second = (flat(table.rows(np.array([place])), measured) for place in (0, 1))
    apart = ((first - second) * UNITS).astype(int).tolist()
    assert sum(step**2 for step in apart) == measured.squared(Adjacency.REPLACE_ONE) * UNITS**2


@pytest.mark.parametrize(
    ("statistics", "names", "squared"),
    [
        (("shares",), NAMES, 2),  # sex and stage; nobody asks how many there are
        (("means",), ("age",), 3),
        (("means",), NAMES, 1 + 2 + 3),
        (("quartiles",), NAMES, 1 + 3 + 4),
        (STATISTICS, NAMES, 1 + 2 + 5 + 6),
    ],
)
def test_what_is_not_asked_for_is_not_measured_and_costs_nothing(statistics, names, squared):
    measured = SummaryRequest(only=names, statistics=statistics).measured(described(500))
    assert measured.squared(Adjacency.ZERO_OUT) == squared
    assert min(weight for _, weight in parts(measured)) == 1
    sums = exact(drawn(500, 1), measured)
    np.testing.assert_array_equal(sums_of(sums.vector, measured).vector, sums.vector)


def test_a_cross_table_costs_as_much_as_one_more_column_of_words():
    for adjacency, more in ((Adjacency.ZERO_OUT, 1), (Adjacency.REPLACE_ONE, 2)):
        without, crossed = (
            SummaryRequest(only=NAMES, cross=cross).measured(described(500)).squared(adjacency)
            for cross in ((), ("sex:stage",))
        )
        assert crossed == without + more


def test_four_times_the_weight_is_half_the_noise_at_the_price_of_the_others():
    weights = (("age", 4), ("shares", 9), ("admitted", 16))
    plain, weighed = (
        mechanism_for(
            BUDGET,
            SummaryRequest("admitted", NAMES, weights=given).measured(described(500)),
            "zero-out",
        )
        for given in ((), weights)
    )
    squared = 16 + 4 * 5 + 9 + 6 + 9
    assert weighed.measured.squared(Adjacency.ZERO_OUT) == squared
    dearer = (squared / plain.measured.squared(Adjacency.ZERO_OUT)) ** 0.5
    age, sex, bmi, _ = weighed.measured.columns
    for weight in (age.sum_weight, age.layer_weight):
        assert weighed.scale_of(weight) == pytest.approx(dearer / 2 * plain.scale_of(1))
    assert weighed.scale_of(sex.weight) == pytest.approx(dearer / 3 * plain.scale_of(1))
    assert weighed.scale_of(bmi.known_weight) == pytest.approx(dearer * plain.scale_of(1))
    assert weighed.scale_of(weighed.measured.size_weight) == pytest.approx(
        dearer / 4 * plain.scale_of(1)
    )


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"cross": ("sex",)}, "two columns"),
        ({"cross": ("sex:stage:age",)}, "two columns"),
        ({"cross": ("sex:sex",)}, "two columns"),
        ({"cross": ("sex:stage",), "by": "sex"}, "makes the groups"),
        ({"cross": ("sex:age",)}, "of words"),
        ({"cross": ("sex:town",)}, "town"),
        ({"cross": ("sex:stage", "sex:stage")}, "twice"),
        ({"cross": ("ward:town",)}, "64 levels"),
        ({"weights": (("town", 2),)}, "weights is"),
        ({"weights": (("admitted", 2),)}, "weights is"),
        ({"weights": (("age", 0),)}, "weight of age"),
        ({"weights": (("age", 10_001),)}, "weight of age"),
        ({"weights": (("age", 200), ("means", 200))}, "sum_weight is 40"),
    ],
)
def test_what_cannot_be_crossed_or_weighed_is_refused_by_name(asked, named):
    many = Column("ward", "category", "ward", levels=tuple("ABCDEFGH"))
    entry = described(500)
    if "64" in named:
        entry = replace(entry, columns=(*entry.columns, many, replace(many, name="town")))
    with pytest.raises(InvalidInput, match=named):
        SummaryRequest(**{"only": NAMES} | asked).measured(entry)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"sum_weight": 0}, "squares_weight"),
        ({"squares_weight": 0}, "squares_weight"),
        ({"sum_weight": 0, "squares_weight": 0, "layers": 0}, "layers"),
    ],
)
def test_parts_that_tell_nothing_alone_are_refused(given, named):
    with pytest.raises(InvalidInput, match=named):
        NumberColumn("x", **{"lower": 0.0, "upper": 1.0, "layers": 1} | given)


def test_means_need_to_know_how_many_there_are():
    with pytest.raises(InvalidInput, match="size_weight"):
        SummaryQuery((NumberColumn("x", 0.0, 1.0, 1),), size_weight=0)


def test_a_statistic_of_no_column_is_refused():
    for request in ({"statistics": ("modes",)}, {"statistics": ("means",), "only": ("sex",)}):
        with pytest.raises(InvalidInput, match="statistics is"):
            SummaryRequest(**request).measured(described(500))


OUTCOMES = {
    "one of no, yes": (["no", "yes", ""], ("no", "yes")),
    "one of a, b, c": (["a", "b", "c", ""], ("a", "b", "c")),
}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_record_without_outcome_is_blank_so_no_group_is_of_those_not_known(outcome):
    told, levels = OUTCOMES[outcome]
    columns = f"age: 18 to 90 years; unknown: blank\npredict ill: {outcome}"
    rows = "".join(f"{20 + place},{value}\n" for place, value in enumerate(told * 10))
    table = read_rows(columns, f"age,ill\n{rows}".encode(), "t.csv")[0]
    measured = SummaryRequest("ill").measured(table.entry)
    assert measured.groups == levels
    assert table.blank.sum() == 10
    assert exact(table, measured).sizes.sum() / UNITS == table.records - 10
    with_others = replace(measured, groups=(*levels, NOT_KNOWN))
    assert not exact(table, with_others).sizes[-1]


def test_a_record_without_an_outcome_that_is_a_number_is_blank_so_it_is_never_unknown():
    columns = "age: 18 to 90 years\npredict weight: 0 to 5 kg"
    table = read_rows(columns, b"age,weight\n30,1\n40,\n50,3\n", "t.csv")[0]
    measured = SummaryRequest(only=("weight",)).measured(table.entry)
    assert not measured.columns[0].may_be_unknown
    assert exact(table, measured).sizes / UNITS == 2 == table.records - table.blank.sum()


def test_a_blank_record_adds_nothing():
    measured = measured_of(described(500), NAMES, "admitted")
    for table in records(missing=True):
        if table.blank[0]:
            assert not flat(table, measured).any()


@pytest.mark.parametrize("adjacency", ["zero-out", "replace-one"])
@pytest.mark.parametrize("rows", [1, 3])
def test_the_noise_keeps_the_budget_and_no_more_than_that(adjacency, rows):
    mechanism = mechanism_for(BUDGET, measured_of(described(500), NAMES), adjacency, rows)
    assert mechanism.epsilon(1e-6) <= 1.0
    less = SummaryMechanism(
        mechanism.measured, Adjacency(adjacency), mechanism.sigma * 999 // 1000, rows
    )
    assert less.epsilon(1e-6) > 1.0
    assert mechanism.epsilon(1e-6) == pytest.approx(
        float(analytic_epsilon(1.0 / mechanism.mu, 1e-6)), rel=1e-9
    )


def test_replace_one_and_more_rows_of_a_person_take_more_noise():
    measured = measured_of(described(500), NAMES, "admitted")
    zero_out, replaced, three = (
        mechanism_for(BUDGET, measured, *how).sigma
        for how in (("zero-out",), ("replace-one",), ("zero-out", 3))
    )
    assert replaced == pytest.approx(2**0.5 * zero_out)
    assert three == pytest.approx(3 * zero_out)


def test_noise_of_some_columns_is_that_of_the_whole_table():
    table = drawn(300, 1)
    measured = SummaryRequest("admitted", NAMES).measured(table.entry)
    mechanism = mechanism_for(BUDGET, measured, "zero-out")
    some = replace(measured, columns=measured.columns[1:3])
    every = noisy(exact(table, measured), mechanism, seeded(5))
    draw = seeded_of(5, measured, some)
    found = noisy(exact(table, some), replace(mechanism, measured=some), draw)
    np.testing.assert_array_equal(found.sizes, every.sizes)
    for name in ("sex", "bmi"):
        of_some, of_all = ({name: each.columns[name]} for each in (found, every))
        vectors = [TableSums(np.zeros(0), each).vector for each in (of_some, of_all)]
        np.testing.assert_array_equal(*vectors)


@pytest.mark.parametrize("draw", [seeded(3), rounded_gaussians])
@pytest.mark.parametrize(("share", "is_right"), [(1.0, True), (2.0 / 3.0, False)])
def test_every_part_has_its_noise(draw, share, is_right):
    table = drawn(500, 1)
    measured = measured_of(table.entry, NAMES, "admitted")
    mechanism = mechanism_for(BUDGET, measured, "zero-out")
    given = (
        mechanism
        if is_right
        else SummaryMechanism(measured, mechanism.adjacency, int(share * mechanism.sigma))
    )
    sums = exact(table, measured)
    moved = noisy(sums, given, draw).vector - sums.vector / UNITS
    noise = moved / mechanism.scale_of(1)
    # Some 700 numbers: a variance off by 5 standard errors of it.
    assert bool(abs(noise.var() - 1.0) < 5.0 * (2.0 / noise.size) ** 0.5) is is_right


@pytest.mark.parametrize(
    ("names", "by", "named"),
    [
        *((("weight",), "", "weight"), (NAMES, "age", "age"), (NAMES, "town", "town")),
        *((("age", "sex", "age"), "", "age twice"), (NAMES, "ward", "all")),
    ],
)
def test_what_cannot_be_measured_is_refused_by_name(names, by, named):
    entry = described(500)
    ward = Column("ward", "category", "ward", levels=("north", "all"))
    with pytest.raises(InvalidInput, match=named):
        measured_of(replace(entry, columns=(*entry.columns, ward)), names, by)
