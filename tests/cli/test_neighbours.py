"""Neighbouring tables as files, through the command itself: all that is told of them but measures.

A person's record is blanked out, replaced, or replaced by one with gaps, and takes the only one of
its class along. Sizes, steps, σ, sensitivities, verdicts, the columns of what is printed and
whether anything is printed at all must be the same; only what is measured on records may differ.
(A table is refused where all of its test records are blank; that is a measure, too.)
"""

import json
from dataclasses import replace
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from dpcore.cli import main
from dpcore.datasets import Preparation, prepare
from dpcore.datasets.own.description import read_own
from dpcore.datasets.partition import drawn
from dpcore.evaluation import splits
from dpcore.evaluation.clinic.risks import with_ends
from dpcore.evaluation.scoring import SCORINGS
from dpcore.models.records import encode
from dpcore.models.systems import register as models
from dpcore.predictors import refusal, register
from dpcore.questions.calibration.question import OF_BIN, OF_WHOLE
from dpcore.questions.decision_curve.question import MEASURES
from dpcore.questions.risk_curves.question import MEASURES as CURVES
from tests.cli.commands import parsed, refused

PEOPLE = 60
SPLITS = 2
"""So many in place of a hundred, of which the first is `prepare`'s own and the others are alike."""
NAMES = ("age", "smoker", "region", "bmi", "outcome")
FEATURES = """
age: 18 to 90 years
smoker: one of no, yes
region: one of north, south, west; unknown: blank
bmi: 15 to 50 kg/m²; unknown: NA
"""
PREDICTED = {
    "class": "predict outcome: one of no, yes",
    "classes": "predict outcome: one of low, middle, high",
    "number": "predict outcome: 0 to 100",
}
ENDS = ("", "_low", "_high", "_noiseless", "_baseline", "_linear")
MEASURED = {
    *(name for each in SCORINGS for name in (*each.run_columns, *each.measured)),
    *(f"{metric.column}{end}" for each in SCORINGS for metric in each.banded for end in ENDS),
    *("objective", "objective_low", "objective_high", "excess_risk"),
    *("value", "value_low", "value_high", "seconds", "baseline"),
    *with_ends(MEASURES),
    *with_ends(OF_WHOLE),
    *with_ends(OF_BIN),
    *("people", "too_small", "judged_on"),
    *with_ends(CURVES),
    "mean_or_mode",
    *("private", "corrected", "change", "test_error", "tested"),
}
MEASURED |= {f"{name}{end}" for name in MEASURED for end in ("_noise_deviation", "_split_error")}
"""What is measured on records, and how long it took: no ε covers it."""

HELD_OUT = drawn(PEOPLE, Preparation())
PLACES = {"learned from": int(np.flatnonzero(~HELD_OUT)[7]), "judged on": int(HELD_OUT.argmax())}


@pytest.fixture(autouse=True)
def few_splits(monkeypatch):
    """Judge on few splits, each of which trains every method anew."""
    monkeypatch.setattr(splits, "MAX", SPLITS)


def person(place, predicts):
    outcome = {"class": "no", "classes": ("low", "middle")[place % 2], "number": place}[predicts]
    region = ("north", "south", "west", "")[place % 4]
    return 20 + place, ("no", "yes")[place % 2], region, (22, "NA", 40)[place % 3], outcome


def changed(predicts):
    """The one record of its class, with the outer values of all; and what stands in its place."""
    rare = {"class": "yes", "classes": "high", "number": 100}[predicts]
    common = person(0, predicts)[-1]
    return {
        "as it was": (90, "yes", "west", 50, rare),
        "blanked": ("", "", "", "", ""),
        "blanked but for its features": (90, "yes", "west", 50, ""),
        "replaced, its class gone": (18, "no", "north", 15, common),
        "replaced by one with gaps": (18, "no", "", "NA", common),
        "replaced by one out of bounds": (1e9, "no", "north", -1e9, rare),
    }


def files(folder, predicts, place, row):
    """Options that name the table with this row in that place, and its description."""
    rows = [person(each, predicts) for each in range(PEOPLE)]
    rows[place] = row
    table, columns = folder / "table.csv", folder / "columns.txt"
    table.write_text("\n".join(",".join(map(str, each)) for each in (NAMES, *rows)) + "\n")
    columns.write_text(FEATURES + PREDICTED[predicts])
    return ["--table", str(table), "--columns", str(columns)]


def told(capsys, arguments):
    """Exit code, and all that is printed, less what is measured."""
    code = main([*arguments, "--json"])
    captured = capsys.readouterr()
    return code, without_measures(json.loads(captured.out)), captured.err


def without_measures(value):
    if isinstance(value, dict):
        return {k: None if k in MEASURED else without_measures(v) for k, v in value.items()}
    return [without_measures(each) for each in value] if isinstance(value, list) else value


def differing(capsys, folder, predicts, place, rest):
    """Which neighbours are told from the table as it was by what is not a measure."""
    result = {
        name: told(capsys, [*rest, *files(folder, predicts, place, row)])
        for name, row in changed(predicts).items()
    }
    assert result["as it was"][0] == 0
    return [name for name, what in result.items() if what != result["as it was"]]


def learning(predicts):
    loss = "squared" if predicts == "number" else "logistic"
    able = [key for key in register() if not refusal(key, loss, predicts, is_own=True)]
    rest = ["--epsilon", "0.5,4", "--runs", "2", "--steps", "3"]
    return ["sweep", "--every-run", "--methods", ",".join(able), *rest]


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("predicts", "part", "adjacency"),
    [
        ("class", "learned from", "zero-out"),
        ("class", "learned from", "replace-one"),
        ("class", "judged on", "zero-out"),
        ("classes", "learned from", "zero-out"),
        ("number", "learned from", "zero-out"),
        ("number", "judged on", "replace-one"),
    ],
)
def test_a_sweep_tells_nothing_of_a_record_but_measures(
    capsys, tmp_path, predicts, part, adjacency
):
    rest = [*learning(predicts), "--adjacency", adjacency]
    assert differing(capsys, tmp_path, predicts, PLACES[part], rest) == []
    summary = [
        *rest,
        "--methods",
        "opera,dpgd",
    ]
    assert differing(capsys, tmp_path, predicts, PLACES[part], summary) == []


TRAINED = "--methods opera --epsilon 0.5 --runs 2"
JUDGED = {
    "decision-curve": f"decision-curve {TRAINED} --threshold 0.2,0.5",
    "calibration": f"calibration {TRAINED} --corrected --bins 3",
    "groups of a category": f"groups {TRAINED} --by region",
    "groups of a number": f"groups {TRAINED} --by age",
    "risk-curves": f"risk-curves {TRAINED} --features additive",
    "corrected by hand": f"risk-curves {TRAINED} --correct edits.json",
}


@pytest.mark.slow("trains on every neighbour")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", JUDGED)
def test_what_a_clinic_asks_tells_nothing_of_a_record_but_measures(
    name, capsys, tmp_path, monkeypatch
):
    # Trees have seconds of their own, and what wins is a measure.
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")
    monkeypatch.chdir(tmp_path)
    Path("edits.json").write_text('{"age": {"line": 0.5}}')
    for place in PLACES.values():
        assert differing(capsys, tmp_path, "class", place, JUDGED[name].split()) == []


class Unmarked(HTMLParser):
    """What of a report is not marked as measured: elements, their attributes, and text."""

    EMPTY = ("meta",)

    def __init__(self, text):
        super().__init__()
        self.seen: list[object] = []
        self._depth = self._within = 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self._depth += tag not in self.EMPTY
        if not self._within:
            self.seen.append((tag, attrs))
            if ("class", "measured") in attrs:
                self._within = self._depth

    def handle_endtag(self, tag):
        if self._depth == self._within:
            self._within = 0
        self._depth -= 1

    def handle_data(self, data):
        if not self._within:
            self.seen.append(data)


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("predicts", ["class", "number"])
def test_a_report_tells_nothing_of_a_record_outside_its_marked_parts(
    capsys, tmp_path, monkeypatch, predicts
):
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")
    rest = ["report", "--methods", "opera", "--epsilon", "0.5", "--runs", "2"]
    judging = ["--threshold", "0.4", "--by", "region", "--corrected"]
    rest += judging if predicts == "class" else []
    for place in PLACES.values():
        whole, unmarked = set(), []
        for row in changed(predicts).values():
            assert main([*rest, *files(tmp_path, predicts, place, row)]) == 0
            printed = capsys.readouterr()
            whole.add(printed.out)
            unmarked.append((Unmarked(printed.out).seen, printed.err))
        assert all(each == unmarked[0] for each in unmarked)
        assert len(whole) > 1  # what is marked does move
        assert "90" in str(unmarked[0])  # a public bound, which is not


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("key", list(models()))
def test_a_model_of_the_survey_tells_nothing_of_a_record_but_measures(capsys, tmp_path, key):
    for adjacency in models()[key].adjacencies:
        rest = ["model", "--model", key, "--epsilon", "0.5,4", "--runs", "2"]
        rest += ["--adjacency", str(adjacency)]
        for place in PLACES.values():
            assert differing(capsys, tmp_path, "class", place, rest) == []


@pytest.mark.slow("runs whole commands, which train")
def test_a_mutant_that_drops_who_has_a_gap_is_found_out(capsys, tmp_path):
    # It is offered, for papers that do so, and says that such neighbours are not covered.
    rest = [*learning("class"), "--missing", "drop"]
    place = PLACES["learned from"]
    assert differing(capsys, tmp_path, "class", place, rest) == ["replaced by one with gaps"]
    main([*rest, *files(tmp_path, "class", place, person(0, "class"))])
    said = capsys.readouterr().err
    assert "one with a gap is left out of n, and not covered" in said
    main([*learning("class"), *files(tmp_path, "class", place, person(0, "class"))])
    assert "not covered" not in capsys.readouterr().err


def without_blanks(columns, data, filename):
    """The mutant: who is blank is taken out of the table, and n with them."""
    table = read_own(columns, data, filename)
    kept, blank = ~table.blank, int(table.blank.sum())
    entry = replace(table.entry, records=table.records - blank)
    return replace(table, entry=entry, frame=table.frame[kept], label=table.label[kept])


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.parametrize("command", ["sweep", "model"])
def test_a_mutant_that_splits_by_the_records_there_are_is_found_out(
    capsys, tmp_path, monkeypatch, command
):
    rest = learning("class") if command == "sweep" else ["model", "--epsilon", "1", "--runs", "2"]
    place = PLACES["learned from"]
    # The package has a function of the module's name.
    module = import_module("dpcore.datasets.catalogue")
    monkeypatch.setattr(module, "read_own", without_blanks)
    result = differing(capsys, tmp_path, "class", place, rest)
    assert result == ["blanked", "blanked but for its features"]


def moved(one, other):
    """How many of the others are on another side of the split, in either reading of a table."""
    sides = []
    for table in (one, other):
        known = table.label != 0
        held_out = drawn(table.records, Preparation())[known]
        sides.append({tuple(row) for row in table.frame[known][held_out].astype(str).to_numpy()})
    return len(sides[0] ^ sides[1])


def test_a_blanked_record_moves_nobody_across_the_split(tmp_path):
    place, rows = PLACES["learned from"], changed("class")
    columns = FEATURES + PREDICTED["class"]
    read = {}
    for name in ("as it was", "blanked"):
        files(tmp_path, "class", place, rows[name])
        read[name] = (columns, (tmp_path / "table.csv").read_bytes(), "table.csv")
    one, other = read_own(*read["as it was"]), read_own(*read["blanked"])
    assert moved(one, other) == 0
    assert moved(one, without_blanks(*read["blanked"])) > 5
    for whole, blanked in zip(encode(one), encode(other), strict=True):
        assert len(whole) == len(blanked)
        assert (whole.labels != blanked.labels).sum() == (len(whole) == prepare(one).records)


@pytest.mark.parametrize("command", ["sweep", "model"])
def test_a_file_that_is_not_there_or_not_described_is_refused(command, capsys, tmp_path):
    table, columns = files(tmp_path, "class", PLACES["learned from"], person(0, "class"))[1::2]
    for arguments, sentence in (
        (["--table", table], "takes no file"),
        (["--table", table, "--dataset", "own"], "columns is missing"),
        (["--columns", columns], "table is missing"),
        (["--dataset", "own"], "table is missing"),
        (["--table", table, "--columns", columns, "--dataset", "heart"], "one's own"),
        (["--table", str(tmp_path / "none.csv"), "--columns", columns], "a file that can be read"),
        (["--table", str(tmp_path), "--columns", columns], "a file that can be read"),
        (["--table", "x" * 300, "--columns", columns], "that"),
        (["--table", table, "--columns", table], "line 1 must be the name"),
    ):
        assert sentence in refused(capsys, command, *arguments), arguments


def test_a_split_without_any_test_record_is_left_out(capsys, tmp_path):
    table, columns = files(tmp_path, "class", 0, person(0, "class"))[1::2]
    lines = Path(table).read_text().splitlines()
    rows = zip(HELD_OUT, lines[1:], strict=True)
    Path(table).write_text("\n".join([lines[0], *(",,,," if out else row for out, row in rows)]))
    sweep = (
        "sweep",
        "--every-run",
        "--table",
        table,
        "--columns",
        columns,
        "--methods",
        "opera",
        "--runs",
        "99",
    )
    told = parsed(capsys, *sweep, "--epsilon", "1")["cost"]
    assert {row["split"] for row in told} == {*range(SPLITS - 1)}
    Path(table).write_text("\n".join([lines[0], *[",,,,"] * len(HELD_OUT)]))
    assert "48 records for training and 0 for testing" in refused(capsys, *sweep)
