"""Tables as the survey's models see them: public, record by record, refused outside bounds."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import Preparation, load
from dpcore.datasets.partition import drawn
from dpcore.errors import InvalidInput
from dpcore.models.records import BLANK, Records, RecordShape, encode, shape_of


@pytest.fixture(scope="module")
def cohort():
    return load("cohort")


def test_the_shape_is_known_without_the_records(cohort):
    train, test = encode(cohort)
    shape = shape_of(cohort.entry)
    assert train.shape == test.shape == shape
    assert (len(train), len(test)) == (3_000, 10_000)
    assert shape.size == 3_000
    assert shape.columns == len(cohort.entry.used)
    rows = train.rows()
    assert rows.shape == (3_000, shape.dimension)
    lengths = np.linalg.norm(rows, axis=1)
    assert lengths.max() <= 1.0
    assert lengths.min() >= 1.0 - 1e-6


def test_numbers_are_scaled_by_public_bounds_and_categories_by_their_codes(cohort):
    train, test = encode(cohort)
    for records in (train, test):
        assert np.abs(records.numbers).max() <= 1.0
        assert set(np.unique(records.labels)) == {0, 1}
    for records, table in ((train, cohort), (test, cohort.further)):
        assert np.array_equal(records.labels, table.label > 0)


def test_a_blanked_record_is_blank_in_its_place_and_moves_no_other(cohort):
    # A table without further records is split.
    cohort = replace(cohort, further=None)
    label, frame = cohort.label.copy(), cohort.frame.copy()
    test = drawn(cohort.records, Preparation())
    for place in (int(np.flatnonzero(~test)[5]), int(np.flatnonzero(test)[5])):
        label[place] = 0
        frame.loc[place] = np.nan
    before, after = encode(cohort), encode(replace(cohort, label=label, frame=frame))
    for one, two in zip(before, after, strict=True):
        assert len(one) == len(two)
        assert np.flatnonzero(one.labels != two.labels).tolist() == [5]
        assert two.labels[5] == BLANK
        assert two.signs[5] == 0.0
        for rows in (two.points(), two.rows()):
            assert not rows[5].any()
        others = np.delete(np.arange(len(one)), 5)
        assert np.array_equal(one.rows()[others], two.rows()[others])
        assert len(two.known) == len(one) - 1
    assert encode(cohort, labels=False)[0].known.labels.size == 2_400


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("numbers", [[1.5]], "outside"),
        ("numbers", [[np.nan]], "outside"),
        ("categories", [[3]], "beyond its levels"),
        ("categories", [[-1]], "beyond its levels"),
        ("labels", [2], "neither 0 nor 1"),
        ("labels", [-1], "a blank record holds a value"),
        ("numbers", [[0.0, 0.0]], "another shape"),
    ],
)
def test_what_would_break_a_sensitivity_is_refused(field, value, said):
    good = {"numbers": [[0.5]], "categories": [[2]], "labels": [1]}
    with pytest.raises(InvalidInput, match=said):
        Records(
            RecordShape(10, 1, (3,)),
            **{name: np.array(v) for name, v in {**good, field: value}.items()},
        )


@pytest.mark.parametrize("records", [2, 3, 8, 13, 569])
def test_the_public_size_is_that_of_the_training_part(records):
    table = load("breast_cancer").rows(np.arange(records))
    assert shape_of(table.entry).size == len(encode(table)[0])


@pytest.mark.parametrize("key", ["diabetes", "optical_digits", "breast_cancer"])
def test_a_model_that_uses_no_labels_sees_none_and_takes_every_table(key):
    table = load(key)
    train, test = encode(table, labels=False)
    assert len(train) + len(test) == table.records
    assert not train.labels.any()
    assert not test.labels.any()
    assert train.points().shape[1] == shape_of(table.entry).dimension
