from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.duration.survfunc import SurvfuncRight

from dpcore.datasets import Preparation, load, prepare
from dpcore.datasets.sets.cohort import ENTRY, probability, survival
from dpcore.errors import InvalidInput


def test_a_smaller_cohort_is_the_beginning_of_a_larger_one():
    small, large = load("cohort", records=1_000, seed=3), load("cohort", records=10_000, seed=3)
    assert small.frame.equals(large.frame.iloc[:1_000])
    assert np.array_equal(small.label, large.label[:1_000])
    assert small.follow_up.equals(large.follow_up.iloc[:1_000])


def test_no_patient_changed_when_times_were_drawn_beside():
    table = load("cohort", records=1_000, seed=3)
    codes = table.frame.assign(sex=table.frame["sex"].cat.codes).to_numpy(dtype=float)
    assert round(codes.sum(), 1) == 309_540.0
    assert int((table.label > 0).sum()) == 330
    assert not {"followed", "died"} & (set(table.frame) | {each.name for each in ENTRY.columns})
    assert prepare(table).dimension == prepare(replace(table, follow_up=None)).dimension


@pytest.mark.parametrize("months", [12.0, 36.0, 60.0])
@pytest.mark.parametrize("sex", ["female", "male"])
def test_times_follow_the_true_law_of_survival(months, sex):
    table = load("cohort", records=40_000, seed=2)
    members = table.rows(np.flatnonzero(table.frame["sex"] == sex))
    time, died = members.follow_up["followed"], members.follow_up["died"]
    curve = SurvfuncRight(time, died)
    alive = curve.surv_prob[np.searchsorted(curve.surv_times, months, side="right") - 1]
    truth = survival(members, months).mean()
    assert abs(alive - truth) < 4.0 * (truth * (1.0 - truth) / members.records) ** 0.5
    assert time.between(0, 60).all()
    assert (died[time == 60] == 0).all()


@pytest.mark.parametrize("records", [100, 4_096, 30_000])
def test_a_cohort_of_any_size_is_judged_on_the_same_further_patients(records):
    table, usual = load("cohort", records=records, seed=3), load("cohort", seed=3)
    assert table.further is not None
    assert usual.further is not None
    assert table.further.frame.equals(usual.further.frame)
    assert np.array_equal(table.further.label, usual.further.label)
    judged, wanted = prepare(table), prepare(usual)
    assert judged.records == table.records == records
    assert judged.tested == table.further.records == 10_000
    assert np.array_equal(judged.x_test, wanted.x_test)
    assert np.array_equal(judged.y_test, wanted.y_test)
    # A share for testing and the split's seed leave nobody out and move nobody.
    moved = prepare(table, Preparation(test_fraction=0.5, seed=9))
    assert np.array_equal(moved.x_train, judged.x_train)
    assert np.array_equal(moved.x_test, judged.x_test)


@pytest.mark.slow("reads large or many files")
def test_the_further_patients_are_in_no_cohort():
    table = load("cohort", records=100_000, seed=3)
    assert table.further is not None
    learned = set(map(tuple, table.frame.astype(str).to_numpy()))
    further = table.further.frame.astype(str).to_numpy()
    # Rounded values let a few strangers agree in everything; a shared stream would repeat all.
    assert sum(tuple(row) in learned for row in further) < 0.001 * len(further)
    other = load("cohort", seed=4).further
    assert other is not None
    assert not other.frame.equals(table.further.frame)


@pytest.mark.parametrize("records", [99, 1_000_001, 100.5, "many", True])
def test_a_size_out_of_range_is_refused(records):
    with pytest.raises(InvalidInput, match="records is"):
        load("cohort", records=records)


@settings(max_examples=10)
@given(seed=st.integers(0, 2**63 - 1))
def test_the_generator_stays_within_its_own_codebook(seed):
    frame = load("cohort", records=500, seed=seed).frame
    for column in ENTRY.columns:
        values = frame[column.name]
        assert not values.isna().any()
        if column.kind == "number":
            assert values.between(*column.bounds).all()
        elif column.kind == "indicator":
            assert values.isin([0, 1]).all()
        else:
            assert tuple(values.cat.categories) == column.levels


def test_labels_are_as_frequent_as_the_true_model_says():
    table = load("cohort", records=200_000, seed=11)
    chance = probability(table.frame)
    positive = table.label == 1
    order = np.argsort(chance)
    for part in np.array_split(order, 10):
        spread = np.sqrt(np.mean(chance[part] * (1 - chance[part])) / len(part))
        assert abs(positive[part].mean() - chance[part].mean()) < 4 * spread
