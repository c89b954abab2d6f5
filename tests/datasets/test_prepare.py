from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dpcore.datasets import PAPER_000, Preparation, load, prepare, read_upload
from dpcore.datasets.encoding import bring_to_norm
from dpcore.errors import InvalidInput

EVERY_WAY = [
    Preparation(missing=missing, scaling=scaling, interval=interval, norm=norm, intercept=intercept)
    for missing in ("drop", "impute")
    for scaling in ("public", "data")
    for interval in ("symmetric", "unit")
    for norm in ("unit", "clip")
    for intercept in (False, True)
] + [Preparation(features=features) for features in ("additive", "fine", "fourier")]
FROM_FILES = ("adult", "bank", "heart", "cardio", "ipums_br")


def way_of(preparation):
    words = (preparation.missing, preparation.scaling, preparation.interval, preparation.norm)
    words += (preparation.features,)
    return "-".join(words) + ("-intercept" if preparation.intercept else "")


def table_of(key, made_up, rows=60):
    return read_upload(key, made_up(key, rows), "made-up") if key in FROM_FILES else load(key)


def exact_norms(x):
    """Norms in extended precision, so that rounding cannot hide a row above 1."""
    return np.sqrt((x.astype(np.longdouble) ** 2).sum(axis=1))


@pytest.mark.parametrize("key", ["breast_cancer", "cohort", *FROM_FILES])
@pytest.mark.parametrize("preparation", EVERY_WAY, ids=way_of)
def test_no_row_has_a_norm_above_one(key, preparation, made_up):
    split = prepare(table_of(key, made_up), preparation)
    for x in (split.x_train, split.x_test):
        assert np.isfinite(x).all()
        assert np.all(exact_norms(x) <= 1)
        assert np.all(exact_norms(x.astype(np.float32)) <= 1)
        assert np.all(np.linalg.norm(x, axis=1) <= 1)
        assert x.shape[1] == len(split.feature_names)
        if preparation.norm == "unit":
            norms = exact_norms(x)
            assert np.all((norms > 1 - 1e-6) | (norms == 0))
    assert set(np.unique(split.y_train)) | set(np.unique(split.y_test)) == {-1.0, 1.0}


@pytest.mark.slow("reads large or many files")
@given(
    hnp.arrays(
        float,
        st.tuples(st.integers(1, 4), st.integers(1, 200)),
        elements=st.floats(-1, 1, allow_subnormal=False),
    ),
    st.booleans(),
)
def test_bringing_to_norm_never_overshoots_and_keeps_the_direction(x, only_above):
    before = x.copy()
    bring_to_norm(x, only_above=only_above)
    assert np.isfinite(x).all()
    assert np.all(exact_norms(x) <= 1)
    assert np.all(np.sign(x) * np.sign(before) >= 0)
    assert np.all(x[~before.any(axis=1)] == 0)
    inside = exact_norms(before) < 0.999
    assert not only_above or np.allclose(x[inside], before[inside], rtol=0, atol=1e-100)


def hostile_record(table, row):
    """The same table with one record exchanged for a quite different one, and its label turned."""
    frame = table.frame.copy()
    for column in table.entry.columns:
        if column.kind == "number":
            frame.loc[row, column.name] = 1e6
        elif column.kind == "indicator":
            frame.loc[row, column.name] = 1.0 - frame.loc[row, column.name]
        else:
            frame.loc[row, column.name] = column.levels[-1]
    label = table.label.copy()
    label[row] = -label[row]
    return replace(table, frame=frame, label=label)


@pytest.mark.parametrize("key", ["breast_cancer", "cohort", *FROM_FILES])
@pytest.mark.parametrize(
    "preparation", [way for way in EVERY_WAY if way.scaling == "public"], ids=way_of
)
def test_exchanging_one_record_changes_one_row_and_nothing_else(key, preparation, made_up):
    table = table_of(key, made_up)
    complete = np.flatnonzero(~table.frame.isna().any(axis=1).to_numpy())
    before = prepare(table, preparation)
    after = prepare(hostile_record(table, int(complete[0])), preparation)
    assert before.feature_names == after.feature_names
    changed = 0
    for side in ("train", "test"):
        x, other = getattr(before, f"x_{side}"), getattr(after, f"x_{side}")
        y, turned = getattr(before, f"y_{side}"), getattr(after, f"y_{side}")
        assert x.shape == other.shape
        differs = (x != other).any(axis=1)
        assert np.array_equal(differs, y != turned)
        changed += int(differs.sum())
    assert changed == 1


@pytest.mark.parametrize("missing", ["drop", "impute"])
def test_a_record_that_becomes_incomplete_moves_no_other_record(missing):
    table = load("breast_cancer")
    entry = table.entry
    column = replace(entry.columns[0], missing_marks=("?",))
    marked = replace(entry, columns=(column, *entry.columns[1:]))
    frame = table.frame.copy()
    frame.loc[17, entry.columns[0].name] = np.nan
    preparation = Preparation(missing=missing)
    before = prepare(replace(table, entry=marked), preparation)
    after = prepare(replace(table, entry=marked, frame=frame), preparation)
    gone = missing == "drop"
    assert len(before.y_train) + len(before.y_test) == table.records
    assert len(after.y_train) + len(after.y_test) == table.records - gone
    assert before.complete == after.complete == gone
    assert not prepare(table, preparation).complete  # no gap is possible there
    lost = 0
    for side in ("x_train", "x_test"):
        kept = {row.tobytes() for row in getattr(after, side)}
        lost += sum(row.tobytes() not in kept for row in getattr(before, side))
    assert lost == 1


def test_the_preparation_of_the_paper_is_flagged_because_one_record_moves_the_others():
    table = load("cohort", records=500)
    split = prepare(table, PAPER_000)
    assert split.leaks
    assert split.leaks[0].startswith("leaks:")
    assert not prepare(table).leaks
    moved = prepare(hostile_record(table, 0), PAPER_000)
    assert (split.x_train != moved.x_train).any(axis=1).mean() > 0.9


def test_values_outside_the_public_bounds_are_clipped_and_counted():
    table = load("cohort", records=500)
    frame = table.frame.copy()
    frame.loc[3, "age"], frame.loc[4, "age"], frame.loc[5, "bmi"] = 300.0, -4.0, 1e9
    split = prepare(replace(table, frame=frame))
    assert "Values clipped to the public bounds: 2 of age, 1 of bmi." in split.notes
    at_bound = frame.copy()
    at_bound.loc[3, "age"], at_bound.loc[4, "age"], at_bound.loc[5, "bmi"] = 100.0, 18.0, 55.0
    same = prepare(replace(table, frame=at_bound))
    assert np.array_equal(split.x_train, same.x_train)
    assert not same.notes
    assert split.mostly_clipped == ()


def test_columns_are_named_of_which_many_known_values_are_clipped():
    table = replace(load("cohort", records=500), further=None)
    frame = table.frame.copy()
    frame.loc[:24, "age"] = 300.0
    assert prepare(replace(table, frame=frame)).often_clipped == ()
    frame.loc[25, "age"] = -1.0
    assert prepare(replace(table, frame=frame)).often_clipped == ("age",)
    frame.loc[:250, "age"] = 300.0
    frame.loc[:, "bmi"] = np.nan
    frame.loc[:2, "bmi"] = (1e9, 1e9, 30.0)
    split = prepare(replace(table, frame=frame), Preparation(missing="impute"))
    assert (split.often_clipped, set(split.mostly_clipped)) == ((), {"age", "bmi"})


def test_every_record_is_used_once():
    table = load("breast_cancer")
    split = prepare(table)
    rows = np.concatenate([split.x_train, split.x_test])
    assert len(rows) == table.records
    other = prepare(table, Preparation(seed=1))
    assert not np.array_equal(split.y_train, other.y_train)
    others = np.concatenate([other.x_train, other.x_test])
    assert np.array_equal(np.unique(rows, axis=0), np.unique(others, axis=0))


def test_unknown_values_are_dropped_or_filled_in_from_public_values(made_up):
    table = read_upload("heart", made_up("heart", 200), "made-up")
    incomplete = table.counts["incomplete"]
    assert incomplete > 10
    dropped = prepare(table, Preparation(missing="drop"))
    assert len(dropped.y_train) + len(dropped.y_test) == 200 - incomplete
    assert any("were dropped" in note for note in dropped.notes)
    filled = prepare(table, Preparation(norm="clip", interval="unit"))
    assert len(filled.y_train) + len(filled.y_test) == 200
    assert "thal unknown" in filled.feature_names
    assert "thal unknown" not in dropped.feature_names
    unknown = filled.feature_names.index("thal unknown")
    levels = [i for i, name in enumerate(filled.feature_names) if name.startswith("thal = ")]
    for row in filled.x_train:
        assert np.count_nonzero(row[[*levels, unknown]]) == 1


def test_a_signed_logarithm_keeps_the_sign(made_up):
    table = read_upload("bank", made_up("bank", 60), "made-up")
    frame = table.frame.copy()
    frame["balance"] = [-5_000.0, 5_000.0] * 30
    frame.loc[0, "balance"] = 0.0
    split = prepare(replace(table, frame=frame), Preparation(test_fraction=0.02))
    values = split.x_train[:, split.feature_names.index("balance")]
    assert len({np.sign(value) for value in values}) == 2


def test_columns_left_out_are_used_only_when_asked_for(made_up):
    table = read_upload("bank", made_up("bank"), "made-up")
    assert "duration" not in prepare(table).feature_names
    assert "duration" in prepare(table, Preparation(include=("duration",))).feature_names
    with pytest.raises(InvalidInput, match="include is 'salary'"):
        prepare(table, Preparation(include=("salary",)))


def test_a_number_that_does_not_vary_is_no_division_by_zero():
    table = load("cohort", records=200)
    frame = table.frame.copy()
    frame["bmi"] = 25.0
    split = prepare(replace(table, frame=frame, further=None), PAPER_000)
    assert np.all(split.x_train[:, split.feature_names.index("bmi")] == 0)


WRONG = {
    "missing": ["ignore"],
    "scaling": ["private"],
    "interval": ["[0,1]"],
    "norm": [2],
    "test_fraction": [0, 1, float("nan")],
    "seed": [-1, 0.5],
    "turn": [-1, 1_000],
    "intercept": ["yes"],
    "features": ["wave"],
    "fourier_features": [7, 0],
    "bandwidth": [0.0],
    "log_transform": [1],
}


@pytest.mark.parametrize(("field", "value"), [(key, v) for key in WRONG for v in WRONG[key]])
def test_a_bad_setting_is_refused_by_name(field, value):
    with pytest.raises(InvalidInput, match=f"^{field} is"):
        Preparation(**{field: value})


def test_too_few_records_for_a_split_are_refused():
    table = load("cohort", records=100)
    one = replace(table, frame=table.frame.iloc[:1], label=table.label[:1], further=None)
    with pytest.raises(InvalidInput, match="at least one of each"):
        prepare(one)
