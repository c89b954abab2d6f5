"""Maps of numbers to features: public places, rows of norm 1, one record one row, and a rule."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import Preparation, load, prepare
from dpcore.datasets.features import (
    CURVES,
    FINE_CURVES,
    MAPS,
    MIN_RECORDS,
    STEPS,
    by_noise,
    enough_records,
    fourier_names,
    frequencies,
    random_fourier,
)
from dpcore.datasets.own.description import read_own
from dpcore.erm.problem import default_lam
from dpcore.errors import InvalidInput
from dpcore.evaluation.study import Study, problem_for

ADDITIVE = Preparation(features="additive")
BY_RULE = Preparation(features="rule")


@pytest.mark.parametrize("steps", STEPS.values())
def test_every_value_has_one_norm_and_is_told_apart_at_the_cuts_alone(steps):
    shares = np.linspace(0.0, 1.0, 1_001)
    made = steps.of(shares)
    assert made.shape == (1_001, steps.count)
    assert np.linalg.norm(made, axis=1) == pytest.approx(steps.weight)
    bins = (shares[:, np.newaxis] >= steps.cuts).sum(axis=1)
    assert set(bins) == set(range(steps.count + 1))
    for here in range(steps.count + 1):
        assert len(np.unique(made[bins == here], axis=0)) == 1
    assert len(np.unique(made, axis=0)) == steps.count + 1


@pytest.mark.parametrize(("features", "counted"), [("additive", 4), ("fine", 24)])
def test_a_step_counts_as_the_square_of_its_weight_of_a_feature(features, counted):
    table = load("cohort")
    lines, curves = prepare(table), prepare(table, replace(ADDITIVE, features=features))
    numbers = sum(column.kind == "number" for column in table.entry.used)
    others = lines.dimension - numbers
    steps = STEPS[features]
    assert curves.dimension == others + (steps.count + steps.keeps_number) * numbers
    assert curves.counted == others + counted * numbers
    assert np.linalg.norm(curves.x_train, axis=1).max() <= 1.0
    assert lines.counted == lines.dimension
    here, there = (
        problem_for(Study("cohort", preparation=split.preparation), split)
        for split in (lines, curves)
    )
    assert there.lam == default_lam(curves.records, curves.counted) > here.lam


def test_few_records_for_each_column_of_numbers_are_straight_lines():
    for numbers in (0, 1, 5, 30):
        taken = [enough_records(records, numbers) for records in range(1, 1_000)]
        edge = MIN_RECORDS * max(numbers, 1) - 1
        assert taken == [False] * edge + [True] * (999 - edge)
    few, many = prepare(load("breast_cancer"), BY_RULE), prepare(load("cohort"), BY_RULE)
    assert (few.preparation.features, dict(few.maps)) == ("plain", {})
    assert tuple(many.maps) == MAPS
    for features, split in many.maps.items():
        assert split.preparation.features == features
    assert all(any("By rule" in note for note in split.notes) for split in (few, many))


def test_the_map_has_two_edges_and_never_falls_back_as_noise_shrinks():
    # n μ/√d with n = 100 and d = 4 is 50 μ.
    taken = [by_noise(100, 4, ratio / 50.0) for ratio in np.linspace(0.0, 300.0, 3_001)]
    first, second = taken.index("additive") / 10.0, taken.index("fine") / 10.0
    assert (first, second) == pytest.approx((CURVES, FINE_CURVES), abs=0.11)
    assert sorted(taken, key=MAPS.index) == taken
    ranks = [MAPS.index(by_noise(n, 90, 0.2)) for n in range(10, 20_000, 10)]
    assert ranks == sorted(ranks)
    assert set(ranks) == {0, 1, 2}


def test_records_with_gaps_have_no_say_in_the_number_of_records():
    described = "a: 0 to 1; unknown: blank\npredict y: one of no, yes"
    table, gappy = (read_own(described, _rows(gaps), "t.csv") for gaps in (0, 20))
    drop = replace(BY_RULE, missing="drop")
    assert prepare(gappy, drop).records < MIN_RECORDS <= prepare(table, drop).records
    assert tuple(prepare(gappy, drop).maps) == tuple(prepare(table, drop).maps) == MAPS


def _rows(gaps):
    lines = [
        f"{'' if place < gaps else place / 30},{'yes' if place % 2 else 'no'}"
        for place in range(30)
    ]
    return "\n".join(["a,y", *lines]).encode()


def test_there_are_no_steps_at_the_data_s_own_range():
    with pytest.raises(InvalidInput, match=r"^scaling is 'data', but it must be public"):
        Preparation(features="additive", scaling="data")
    made = prepare(load("cohort"), replace(BY_RULE, scaling="data"))
    assert (made.preparation.features, dict(made.maps)) == ("plain", {})


def test_a_map_of_too_many_values_is_left_out_by_public_numbers(monkeypatch):
    table = load("cohort", records=400)
    fits = table.records * prepare(table, BY_RULE).maps["fine"].dimension
    for most, maps in ((fits, MAPS), (fits - 1, MAPS[:2])):
        monkeypatch.setattr("dpcore.datasets.features.MAX_VALUES", most)
        assert tuple(prepare(table, BY_RULE).maps) == maps


def rows(count, columns, seed=0):
    result = np.random.default_rng(seed).normal(size=(count, columns))
    return result / np.linalg.norm(result, axis=1, keepdims=True)


@pytest.mark.parametrize("bandwidth", [0.3, 1.0, 4.0])
def test_products_are_the_kernels_up_to_the_error_of_the_draw(bandwidth):
    x = rows(40, 6)
    features = 4_096
    made = random_fourier(x, features, bandwidth)
    distance = np.linalg.norm(x[:, None] - x[None], axis=2)
    kernel = np.exp(-(distance**2) / (2.0 * bandwidth**2))
    # Each product is a mean of D/2 cosines; five standard errors at most.
    assert np.abs(made @ made.T - kernel).max() < 5.0 / np.sqrt(features)
    # A bandwidth off by a fifth would be seen, where the kernel is neither 0 nor 1.
    if bandwidth == 1.0:
        wrong = np.exp(-(distance**2) / (2.0 * (1.2 * bandwidth) ** 2))
        assert np.abs(made @ made.T - wrong).max() > 5.0 / np.sqrt(features)


@pytest.mark.parametrize("features", [2, 16, 1_000])
def test_every_row_has_norm_one_and_a_blank_one_stays_blank(features):
    x = rows(30, 5)
    x[7] = 0.0
    lengths = np.linalg.norm(random_fourier(x, features, 0.5), axis=1)
    assert lengths[7] == 0.0
    assert np.delete(lengths, 7) == pytest.approx(1.0, abs=1e-12)


def test_the_frequencies_are_drawn_without_data_and_more_of_them_refine_fewer():
    assert np.array_equal(frequencies(5, 8, 1.0), frequencies(5, 32, 1.0)[:, :4])
    assert np.array_equal(frequencies(5, 8, 0.5), 2.0 * frequencies(5, 8, 1.0))
    assert fourier_names(4) == ["cosine 1", "cosine 2", "sine 1", "sine 2"]
