"""A described table as a file for networks: the records of the convex methods, and no other."""

import numpy as np

from dpcore.datasets import prepare
from dpcore.datasets.images.sets import features_npz
from dpcore.datasets.own.rows import read_own
from dpcore.release.made_up import stand_in
from dpcore.release.table import network_file

COLUMNS = """\
age: 18 to 90 years
smoker: one of no, yes
predict progression: one of stable, worse"""


def test_it_holds_the_prepared_records_and_the_names_of_both_outcomes():
    csv = stand_in(COLUMNS, 400)
    split = prepare(read_own(COLUMNS, csv.encode(), "standin.csv"))
    result = features_npz.decode(network_file(csv, COLUMNS), "standin.npz")
    np.testing.assert_allclose(result.train_inputs, split.x_train, rtol=1e-6)
    np.testing.assert_allclose(result.test_inputs, split.x_test, rtol=1e-6)
    assert (result.train_targets == (split.y_train > 0)).all()
    assert (result.test_targets == (split.y_test > 0)).all()
    assert result.entry.names == (split.entry.negative, split.entry.positive)
    assert len(result.train_inputs) == 320


def test_a_blank_record_is_a_null_record():
    header, first, *rest = stand_in(COLUMNS, 50).splitlines()
    age, smoker, _ = first.split(",")
    csv = "\n".join([header, *(f"{age},{smoker}," for _ in range(25)), *rest])
    result = features_npz.decode(network_file(csv, COLUMNS), "standin.npz")
    blank = result.train_targets == features_npz.NULL_CLASS
    assert 0 < blank.sum() < len(blank)
    assert (result.train_inputs[blank] == 0.0).all()
