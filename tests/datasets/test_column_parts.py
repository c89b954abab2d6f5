"""A column's own part: what it tells of two records that differ in that column only, exactly."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.datasets import Preparation, load, prepare, read_upload
from dpcore.datasets.column_parts import (
    LINE,
    average_factor,
    part_of,
    people_at,
    terms_of,
    unscaled,
    values_of,
)
from dpcore.datasets.partition import divided

WAYS = [
    Preparation(),
    Preparation(features="additive"),
    Preparation(features="fine", interval="unit"),
    Preparation(features="additive", log_transform=False, missing="drop"),
    Preparation(norm="clip", intercept=True),
]
TRANSFORMS = {
    "none": lambda value: value,
    "log1p": np.log1p,
    "signed log1p": lambda value: np.sign(value) * np.log1p(np.abs(value)),
}


def shares(column, values, way):
    """Where numbers stand between their public bounds, by the definition."""
    transform = TRANSFORMS[column.transform if way.log_transform else "none"]
    low, high = (transform(np.float64(end)) for end in column.bounds)
    at = (transform(np.clip(values, *column.bounds)) - low) / (high - low)
    return np.where(np.isnan(at), 0.5, at)


def squared(column, values, way):
    """What a column adds to the squared length of a row, by the definition of the features."""
    if column.kind == "category":
        return np.ones(len(values))
    numbers = values.to_numpy(dtype=float)
    if column.kind == "indicator":
        return numbers**2
    at = shares(column, numbers, way)
    line = (2.0 * at - 1.0 if way.interval == "symmetric" else at) ** 2
    return {"plain": line, "additive": line + 0.25, "fine": np.ones(len(at))}[way.features]


def lengths(entry, frame, way):
    """By what each row is divided."""
    total = sum(squared(column, frame[column.name], way) for column in entry.used)
    length = np.sqrt(total + way.intercept)
    return np.maximum(length, 1.0) if way.norm == "clip" else length


def average(entry, way):
    """The length of a row of values that are evenly spread, by integrals."""
    each = {"plain": 1 / 3, "additive": 1 / 3 + 1 / 4, "fine": 1.0}[way.features]
    of_kind = {"number": each, "category": 1.0, "indicator": 0.5}
    return float(np.sqrt(sum(of_kind[column.kind] for column in entry.used) + way.intercept))


def decisions(table, frame, way, weights):
    """Scores of records, in their order, of a model that `prepare` has made rows for."""
    label = np.where(np.arange(len(frame)) % 2, 1, -1).astype(np.int8)
    whole = replace(table, frame=frame, label=label, further=None)
    split = prepare(whole, way)
    _, train, test = divided(whole, way)
    scores = np.empty(len(frame))
    scores[train], scores[test] = split.x_train @ weights, split.x_test @ weights
    return scores


def given(values, frame):
    """One record, given every value of a column in turn."""
    column = values.column
    made = pd.concat([frame] * len(values), ignore_index=True)
    if column.kind == "category":
        held = [level if level in column.levels else None for level in values.levels]
        made[column.name] = pd.Categorical(held, categories=list(column.levels))
    else:
        made[column.name] = values.numbers or (0.0, 1.0)
    return made


@pytest.mark.slow("reads large or many files")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way.features}-{way.norm}-{way.interval}")
@pytest.mark.parametrize("key", ["cohort", "adult"])
def test_two_records_that_differ_in_one_column_differ_by_its_part(key, way, made_up):
    table = load(key) if key == "cohort" else read_upload(key, made_up(key, 60), "made-up")
    complete = ~table.frame.isna().any(axis=1).to_numpy()
    frame, entry = table.frame[complete].iloc[[7]], table.entry
    dimension = prepare(table, way).dimension
    weights = np.random.default_rng(5).normal(size=dimension)
    person = {
        one.name: float(frame[one.name].cat.codes.iloc[0])
        if one.kind == "category"
        else float(frame[one.name].iloc[0])
        for one in entry.used
    }
    for column in entry.used:
        values = values_of(column, way)
        part = part_of(entry, way, values) @ weights
        assert part[values.reference] == 0.0
        people = given(values, frame)
        alike = people_at(entry, way, values, person)
        assert alike @ weights == pytest.approx(decisions(table, people, way, weights), abs=1e-12)
        if column.kind == "number":
            # Beyond the bounds, and unknown, which counts as the middle.
            ends = people.iloc[[-1, 0, 0]].copy()
            ends[column.name] = [column.bounds[1] + 10.0, column.bounds[0] - 0.5, np.nan]
            people = pd.concat([people, ends], ignore_index=True)
            part = np.concatenate([part, part[[-1, 0, values.reference]]])
            if way.missing == "drop" and column.missing_marks:
                people, part = people.iloc[:-1], part[:-1]
        scores = decisions(table, people, way, weights)
        length, mean = lengths(entry, people, way), average(entry, way)
        told = scores * length - (scores * length)[values.reference]
        assert told == pytest.approx(part * mean, rel=1e-5, abs=1e-6)


def test_a_wrong_length_is_noticed():
    table, way = load("cohort"), WAYS[0]
    assert average_factor(table.entry, way) == pytest.approx(1 / average(table.entry, way), 1e-5)
    assert average_factor(table.entry, WAYS[1]) < 0.9 * average_factor(table.entry, way)
    # Columns that are few and short are not scaled where only long rows are.
    short = replace(table.entry, columns=table.entry.columns[:1])
    assert average_factor(short, replace(way, norm="clip")) == 1.0


def some_people(entry, way, count=4):
    """People with values drawn from all that the schema allows, unknown ones too."""
    rng, people = np.random.default_rng(3), []
    for _ in range(count):
        person = {}
        for column in entry.used:
            values = values_of(column, way)
            ends = column.bounds if column.kind == "number" else ()
            person[column.name] = rng.uniform(*ends) if ends else float(rng.integers(len(values)))
        people.append(person)
    return people


@pytest.mark.slow("reads large or many files")
@pytest.mark.parametrize(
    ("key", "way"), [*(("cohort", way) for way in WAYS), ("adult", WAYS[1]), ("adult", WAYS[3])]
)
def test_log_odds_move_by_the_change_of_the_curve_and_by_nothing_else(key, way, made_up):
    entry = load(key).entry if key == "cohort" else read_upload(key, made_up(key, 60), "x").entry
    people, rng = some_people(entry, way), np.random.default_rng(7)
    for column in entry.used:
        terms = terms_of(entry, way, column)
        part = part_of(entry, way, terms.values)
        weights = rng.normal(size=part.shape[1])
        before = terms.heights(weights)
        assert terms.shape @ before == pytest.approx(part @ weights, abs=1e-9)
        wanted = before + rng.normal(size=len(before))
        after = terms.corrected(weights, wanted)
        assert terms.heights(after) == pytest.approx(wanted, abs=1e-9)
        assert part @ after == pytest.approx(terms.shape @ wanted, abs=1e-9)
        # Of everybody: the change of the curve at the own value, times the record's own factor.
        assert not terms.moves.any()
        curve = terms.shape @ (wanted - before)
        for person in people:
            rows = people_at(entry, way, terms.values, person)
            factor = lengths_of_terms(rows, entry, way, terms.values, person)
            assert rows @ (after - weights) == pytest.approx(factor * curve, abs=1e-7)


def lengths_of_terms(rows, entry, way, values, person):
    """f/F of each of these people, by what a feature that all have is scaled to."""
    before = unscaled(entry, way, values, person)
    place = np.argmax(np.abs(before), axis=1)
    each = np.arange(len(rows))
    return rows[each, place] / before[each, place] / average_factor(entry, way)


def test_the_terms_are_a_line_steps_and_levels_in_the_columns_unit():
    entry = load("cohort").entry
    age, sex = (entry.column(name) for name in ("age", "sex"))
    line = terms_of(entry, WAYS[0], age)
    assert (line.names, terms_of(entry, WAYS[1], sex).names) == ((LINE,), ("male",))
    assert line.shape[[0, -1], 0] == pytest.approx([-0.5, 0.5])
    curve = terms_of(entry, WAYS[1], age)
    assert curve.cuts[1:] == pytest.approx(18 + 82 * np.arange(1, 13) / 13)
    # Step 12 stands above the middle: what lies beyond it is higher by just its height.
    raised = curve.shape @ np.eye(13)[12]
    beyond = np.array(curve.values.numbers) > curve.cuts[12]
    assert raised == pytest.approx(np.where(beyond, 1.0, 0.0), abs=1e-6)


def test_where_records_have_nothing_in_common_steps_move_everybody_and_it_is_told():
    entry = load("cohort").entry
    numbers = tuple(one for one in entry.columns if one.kind == "number")
    bare, column = replace(entry, columns=numbers), numbers[0]
    terms = terms_of(bare, WAYS[1], column)
    assert terms.moves[0] == pytest.approx(0.0, abs=1e-9)
    assert np.abs(terms.moves[1:]) == pytest.approx(0.5, abs=1e-6)
    assert not terms_of(bare, replace(WAYS[1], intercept=True), column).moves.any()
    assert terms_of(bare, WAYS[0], column).moves == pytest.approx([0.0])
