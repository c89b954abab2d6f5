"""A private twin: its sensitivity, its noise, its payment, its files, and what it is good for."""

from __future__ import annotations

import csv
import io
import json
import shlex
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpcore.cli import main
from dpcore.datasets.own.description import read_own
from dpcore.errors import InvalidInput
from dpcore.release import demonstration, files
from dpcore.release.certificate import Certificate
from dpcore.release.check import check, problems_of
from dpcore.release.documents import digest, leaves
from dpcore.release.ledger.spends import to_json
from dpcore.release.model import entry_of
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.table import read_for_release
from dpcore.release.twin import counting, twin
from dpcore.release.twin.counting import (
    CARD,
    attack,
    neighbours,
    noisy_counts,
    noisy_products,
    products,
)
from dpcore.release.twin.drawing import correlations, cuts, drawn, fitted, nearest
from dpcore.release.twin.twin import private_twin, twin_plan
from dpcore.spreadsheet import cell
from tests.release.test_release import (
    COLUMNS,
    _changed,
    _set,
    assert_paid_before_noise,
    data,
    ledger_with,
    release_table,
)
from tests.release.test_rounded_gaussian import assert_is_normal

HOSTILE = """person: one row each
=age: 18 to 90 years; unknown: -
sex: one of f, =m; unknown: +
visit: 2015-01-01 to 2024-12-31; day first
bmi: -10 to 60 kg; unknown: blank; decimal comma
predict +ill: one of -, +1"""


def of_random_records(columns, count, seed):
    """The exact sums of so many tables of one record each, of any values at all."""
    entry, draw = entry_of(columns), np.random.default_rng(seed)
    wild = [np.nan, np.inf, -np.inf, 1e308, -1e308, 0.0, 1.0, 17.0, 18.0, 90.0, 55.5]
    sizes = counting.sizes(entry)
    cuts = np.array([draw.integers(1, size, 2) for size in sizes])
    tables = []
    for _ in range(count):
        frame = pd.DataFrame(
            {
                column.name: pd.Categorical.from_codes(
                    [draw.integers(-1, len(column.levels))], categories=pd.Index(column.levels)
                )
                if column.kind == "category"
                else [draw.choice(wild)]
                for column in entry.columns
            }
        )
        places, label = (
            counting.cells(entry, frame),
            np.array([draw.integers(-1, 2)], dtype=np.int8),
        )
        tables.append((counting.counts(places, label, sizes), products(places, label, cuts)))
    return tables


def squared(first, second, made):
    """The squared distance of what is measured, in units."""
    counts = sum(int(((a - b) ** 2).sum()) for a, b in zip(first[0], second[0], strict=True))
    pairs = int(((first[1] - second[1]) ** 2).sum())
    return counts * made.units**2 + pairs * made.weight**2


@pytest.mark.parametrize("adjacency", ["zero-out", "replace-one"])
@pytest.mark.parametrize("records", [100, 10_000])
@pytest.mark.parametrize("columns", [COLUMNS, HOSTILE, demonstration.columns()])
def test_no_record_moves_the_sums_farther_than_is_proved_and_one_as_far(
    columns, records, adjacency
):
    made = twin_plan(columns, records, epsilon=1.0, delta=1e-6, adjacency=adjacency).mechanism
    assert (made.weight > 0) == (records == 10_000)
    farthest = squared(*neighbours(entry_of(columns), adjacency), made)
    assert farthest == made.squared_sensitivity
    assert made.sensitivity**2 >= made.squared_sensitivity
    one = of_random_records(columns, 40, seed=1)
    blank = ([np.zeros_like(table) for table in one[0][0]], np.zeros_like(one[0][1]))
    others = [blank] if adjacency == "zero-out" else [blank, *one]
    assert max(squared(first, second, made) for first in one for second in others) <= farthest
    # The ledger, by whose rule an exchange counts twice a blank, takes no less than is proved.
    charged = (2.0 if adjacency == "replace-one" else 1.0) / made.noise_multiplier
    assert made.mu <= charged <= made.mu * (1 + 1e-12)


def test_the_right_noise_is_on_every_sum_and_less_or_more_would_be_seen():
    columns = "\n".join(
        [*(f"x{number}: 0 to 1" for number in range(150)), "predict y: one of a, b"]
    )
    made = twin_plan(columns, 10**5, epsilon=2.0, delta=1e-6).mechanism
    counts = [np.arange(28).reshape(-1, 2) for _ in range(150)]
    pairs = np.arange(150 * 149 // 2)
    on_pairs = (noisy_products(pairs, made) - pairs) * (made.weight / made.sigma)
    on_counts = (np.stack(noisy_counts(counts, made)) - counts[0]) / made.noise
    for result in (on_pairs, on_counts.ravel()):
        assert_is_normal(result)


@pytest.mark.slow("releases models many times over")
@pytest.mark.parametrize("adjacency", ["zero-out", "replace-one"])
def test_the_attack_stays_below_the_proof_and_refutes_half_the_noise(adjacency):
    entry = entry_of(COLUMNS)
    made = twin_plan(COLUMNS, 3_000, epsilon=1.0, delta=1e-6, adjacency=adjacency).mechanism
    assert made.weight
    result = attack(entry, made, 1e-6, runs=20_000)
    assert result.above(made) == ""
    assert 0.5 * made.mu < result.mu_lower_bound
    half = attack(
        entry, made, 1e-6, runs=20_000, draw=lambda sigma, n: rounded_gaussians(sigma // 2, n)
    )
    assert half.above(made)


def made_from(ledger, **more):
    return private_twin(
        release_table(),
        ledger=ledger,
        data_set="clinic",
        actor="Dr. B",
        **{"epsilon": 4.0, "delta": 1e-6} | more,
    )


def test_no_noise_is_drawn_before_the_payment_is_final():
    assert_paid_before_noise(twin, "noisy_counts", made_from)


def test_a_payment_is_for_one_twin_which_stands_in_the_ledger():
    ledger = ledger_with("memory", "replace-one")
    table = release_table()
    settings: dict[str, Any] = {"ledger": ledger, "data_set": "clinic", "actor": "Dr. B"}
    made = twin_plan(COLUMNS, 300, epsilon=4.0, delta=1e-6, adjacency="replace-one")
    for wrong, told in (
        (twin_plan(COLUMNS, 300, epsilon=4.0, delta=1e-6), "replace-one"),
        (twin_plan(COLUMNS, 9, epsilon=4.0, delta=1e-6, adjacency="replace-one"), "300 records"),
    ):
        with pytest.raises(InvalidInput, match=told):
            twin.prepare(wrong, table, **settings)
    paid = twin.pay(twin.prepare(made, table, **settings), ledger)
    with pytest.raises(InvalidInput, match="paid for another plan"):
        twin.measure(replace(paid, prepared=replace(paid.prepared, plan=made.at(8.0))))
    result = twin.seal(twin.measure(paid), ledger)
    with pytest.raises(InvalidInput, match="one only"):
        twin.measure(paid)
    _, spent, attached = ledger.history("clinic")
    facts, proof = (result.card.document[part] for part in ("facts", "proof"))
    assert attached.details["certificate_hash"] == Certificate(result.card.document).hash
    assert facts["ledger"]["chain_head"] == spent.hash
    assert spent.details["spend"] == to_json(made.spend)
    assert facts["hashes"]["twin"] == digest(result.files()["twin.csv"].decode())
    assert proof["epsilon"] <= 4.0
    assert result.csv != made_from(ledger).csv
    assert ledger.verify() == []


def test_a_card_holds_and_a_change_of_any_field_is_rejected():
    ledger = ledger_with("memory", "replace-one")
    result = made_from(ledger)
    text = result.card.to_yaml()
    assert check(text, ledger, files={"twin.csv": result.csv.encode}).problems == ()
    document = json.loads(json.dumps(dict(result.card.document)))
    for path, value in leaves(document).items():
        forged = json.loads(json.dumps(document))
        _set(forged, path, _changed(value, np.random.default_rng(1)))
        assert problems_of(Certificate(forged)), path
    # Rewritten as a whole it is found with the ledger alone, and with less noise at once.
    for path, value, needed in (
        ("records", 301, ledger),
        ("mechanism.weight", 1_000, ledger),
        ("mechanism.sigma", document["facts"]["mechanism"]["sigma"] // 2, None),
    ):
        forged = json.loads(json.dumps(document["facts"]))
        _set(forged, path, value)
        assert check(CARD.card(forged).to_yaml(), needed).problems, path
    for file in ("certificate", "twin"):
        assert check(text.replace("dpcore twin 1", f"dpcore {file} 2")).problems


def test_nothing_is_paid_where_the_attack_finds_more_than_is_proved(monkeypatch):
    ledger, counts = ledger_with("memory"), counting.counts
    monkeypatch.setattr(counting, "counts", lambda *given: [2 * table for table in counts(*given)])
    monkeypatch.setattr(twin, "attack", partial(attack, runs=5_000))
    with pytest.raises(InvalidInput, match="nothing was paid"):
        made_from(ledger)
    assert len(ledger.history("clinic")) == 1


def test_hostile_texts_leave_as_no_formula_and_read_by_the_twins_own_description():
    ledger, draw = ledger_with("memory"), np.random.default_rng(3)
    lines = ["=age,sex,visit,bmi,+ill"]
    for number in range(200):
        age = "-" if number % 7 == 0 else f"{draw.uniform(10, 99):.1f}"
        bmi = "" if number % 5 == 0 else f'"{draw.uniform(-9, 59):.1f}"'.replace(".", ",")
        outcome = "" if number == 11 else draw.choice(["-", "+1"])
        lines.append(f"{age},{draw.choice(['f', '=m', '+'])},31.12.2019,{bmi},{outcome}")
    hostile = f"number of persons: public\n{HOSTILE}"
    read = read_for_release(hostile, "\n".join(lines).encode(), "t.csv")
    result = private_twin(
        read, ledger=ledger, data_set="clinic", actor="B", epsilon=9.0, delta=1e-6
    )
    for text in (field for row in csv.reader(io.StringIO(result.csv)) for field in row):
        is_number = text.replace(",", "").replace(".", "").lstrip("-").isdigit()
        assert is_number or cell(text) == text
    table, again = read.table, read_own(result.columns, result.files()["twin.csv"], "twin.csv")
    assert again.records == 200
    assert not again.blank.any()
    for column, other in zip(table.entry.columns, again.entry.columns, strict=True):
        assert (column.kind, column.lower, column.days) == (other.kind, other.lower, other.days)
        gaps = table.frame[column.name].isna().sum()
        assert (
            abs(again.frame[other.name].isna().sum() - gaps) < 40 * bool(column.missing_marks) + 1
        )


def test_without_noise_the_twin_has_the_tables_own_counts():
    table = read_own(COLUMNS, data(), "t.csv")
    known = table.rows(np.flatnonzero(~table.blank))
    entry, sizes = known.entry, counting.sizes(known.entry)
    exact = counting.counts(counting.cells(entry, known.frame), known.label, sizes)
    fit = fitted([counts.astype(float) for counts in exact], known.records)
    made = drawn(entry, fit, np.eye(len(exact)), np.random.default_rng(0))
    again = counting.counts(counting.cells(entry, made[0]), made[1], sizes)
    for counts, actual in zip(exact, again, strict=True):
        np.testing.assert_array_equal(counts, actual)


def test_counts_are_moved_to_the_nearest_that_can_be():
    draw = np.random.default_rng(4)
    for _ in range(20):
        counts, total = draw.normal(5.0, 30.0, 8), draw.uniform(1.0, 90.0)
        result = nearest(counts, total)
        assert result.min() >= 0.0
        assert result.sum() == pytest.approx(total)
        others = draw.dirichlet(np.full(8, 0.3), 200) * total
        assert ((others - counts) ** 2).sum(1).min() >= ((result - counts) ** 2).sum()


def test_correlations_are_found_from_signs_on_either_side_of_any_cut():
    right, draw = np.array([[1.0, 0.6, -0.3], [0.6, 1.0, 0.0], [-0.3, 0.0, 1.0]]), np.random
    numbers = draw.default_rng(5).multivariate_normal(np.zeros(3), right, size=60_000).T
    label = np.where(np.arange(60_000) % 3 == 0, 1, -1).astype(np.int8)
    edges = [np.array([-1.0, 0.0, 1.0]), np.array([0.7]), np.array([-0.5, 0.2])]
    places = np.array([np.digitize(row, at) for row, at in zip(numbers, edges, strict=True)])
    sizes = [len(at) + 1 for at in edges]
    exact = counting.counts(places, label, sizes)
    fit = fitted([counts.astype(float) for counts in exact], 60_000)
    at = cuts(fit)
    means = products(places, label, at) / 60_000
    np.testing.assert_allclose(correlations(fit, at, means, 0.0), right, atol=0.03)
    # What is all noise is taken for none.
    assert abs(correlations(fit, at, means, 1.0) - np.eye(3)).max() < 0.1
    label[:] = 0
    assert not products(places, label, at).any()


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ("x: 0 to 1\npredict y: 0 to 5", "one of two"),
        ("=x: 0 to 1\n’=x: 0 to 1\npredict y: one of a, b", "twice"),
    ],
)
def test_what_has_no_twin_is_refused_in_one_sentence(columns, told):
    with pytest.raises(InvalidInput, match=told):
        twin_plan(columns, 100, epsilon=1.0, delta=1e-6)


def test_a_twin_by_command_is_paid_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ledger = ledger_with("l.db")
    Path("t.csv").write_bytes(data(100))
    Path("columns.txt").write_text(COLUMNS)
    command = shlex.split(
        "twin --table t.csv --columns columns.txt --ledger l.db --data-set clinic --actor B "
        "--epsilon 2 --delta 1e-6 --accept-clipping --output out"
    )
    assert main(command) == 0
    described = Path("out/columns.txt").read_text()
    assert read_own(described, Path("out/twin.csv").read_bytes(), "twin.csv").records == 100
    checked = shlex.split("certificate check out/twin.yaml --ledger l.db --twin")
    assert main([*checked, "out/twin.csv"]) == 0
    Path("other.csv").write_bytes(Path("out/twin.csv").read_bytes()[:-9])
    assert main([*checked, "other.csv"]) == 2
    assert main(command) == 2  # the folder is there: nothing is paid
    assert len(ledger.history("clinic")) == 3

    def full(*_):
        raise InvalidInput("The disk is full.")

    monkeypatch.setattr(files, "write", full)
    capsys.readouterr()
    assert main([*command[:-1], "other"]) == 2
    assert "Entry 4 of the ledger stays paid, without a twin." in capsys.readouterr().err
