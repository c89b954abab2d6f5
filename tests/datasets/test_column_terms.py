"""What a person corrects of a column: exactly that changes, and nobody else's log odds."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import load, read_upload
from dpcore.datasets.column_parts import (
    average_factor,
    part_of,
    people_at,
    unscaled,
    values_of,
)
from dpcore.datasets.column_terms import LINE, terms_of
from tests.datasets.test_column_parts import WAYS


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
            factor = lengths(rows, entry, way, terms.values, person)
            assert rows @ (after - weights) == pytest.approx(factor * curve, abs=1e-7)


def lengths(rows, entry, way, values, person):
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
