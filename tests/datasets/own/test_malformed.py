"""Tables that are wrong in every way: one clear sentence a fault, and no value of a record."""

import io
import re

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dpcore.datasets.own.description import described, read_rows
from dpcore.errors import InvalidInput

COLUMNS = """person: patient, at most 3 rows
age: 18 to 90 years
sex: one of female, male
visit: 2015-01-01 to 2024-12-31
crp: 0 to 500 mg/l; unknown: blank
predict ill: one of no, yes"""
NAMES = ("patient", "age", "sex", "visit", "crp", "ill", "note")
CANARY = "canary"


def records(draw):
    """Some right records, with a canary in each name and note."""
    return [
        [
            f"{CANARY}{draw.integers(9)}",
            f"{draw.integers(18, 90)}",
            ("female", "male")[draw.integers(2)],
            f"20{draw.integers(15, 25)}-0{draw.integers(1, 10)}-{draw.integers(10, 29)}",
            "" if draw.random() < 0.1 else f"{draw.random():.3f}",
            ("no", "yes")[draw.integers(2)],
            f"{CANARY} said so",
        ]
        for _ in range(draw.integers(5, 40))
    ]


def written(rows, names=NAMES):
    return "\n".join([",".join(names), *map(",".join, rows), ""]).encode()


def as_parquet(rows):
    columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def cell(place, *values):
    """A table with one of these values in a column, and the line and column that are named."""

    def make(rows, draw):
        line = int(draw.integers(len(rows)))
        rows[line][place] = str(draw.choice(values))
        data = as_parquet(rows) if draw.random() < 0.3 else written(rows)
        return data, f"line {line + 2}: {NAMES[place]}( is empty, but it)? must be "

    return make


def several(rows, draw):
    for row in rows:
        row[1] = CANARY
    listed = ", ".join(f"{line}" for line in range(2, min(len(rows), 20) + 1))
    return written(rows), f"lines {listed} and {min(len(rows), 20) + 1}: age must be "


def ragged(rows, draw):
    line = int(draw.integers(len(rows)))
    rows[line] = rows[line][: draw.integers(1, 7)] if draw.random() < 0.5 else [*rows[line], CANARY]
    return written(rows), f"line {line + 2}: it has {len(rows[line])} fields?, but it must have 7"


def badly_quoted(rows, draw):
    line = int(draw.integers(len(rows)))
    rows[line][1] = '"' + rows[line][1]
    return written(rows), f"line {line + 2}: it has 2 fields, but it must have 7"


def open_quotation(rows, draw):
    line = int(draw.integers(len(rows) - 1))
    rows[line][6] = '"' + rows[line][6]
    return written(rows), f"line {line + 2}: its quotation marks must open and close"


def twice_the_same_name(rows, draw):
    names = list(NAMES)
    place = int(draw.integers(1, 6))
    names[6] = names[place]
    return written(rows, tuple(names)), f"line 1: the header names '{names[place]}' more than once"


def without_a_name(rows, draw):
    names = list(NAMES)
    place = int(draw.integers(6))
    names[place] = "else"
    return written(rows, tuple(names)), f"line 1: the header does not name '{NAMES[place]}',"


def without_a_header(rows, draw):
    return written(rows[1:], tuple(rows[0])), "No header was found"


FAULTS = {
    "number": cell(1, CANARY, "1e400", "inf", "nan", "1_0", "1 000", "", "12,5;"[:2] + "x", "4e9"),
    "level": cell(2, CANARY, "Female", "", "f", "0"),
    "day": cell(3, CANARY, "2020-02-30", "31.12.2020", "20201231", "", "2020-13-01"),
    "gap": cell(4, "NA", "?", CANARY, "unknown"),
    "outcome": cell(5, CANARY, "Yes", "1", "maybe"),
    "person": cell(0, "", " "),
    "several": several,
    "ragged": ragged,
    "quotation": badly_quoted,
    "open quotation": open_quotation,
    "two of a name": twice_the_same_name,
    "no such name": without_a_name,
    "no header": without_a_header,
}


@pytest.mark.slow("reads large or many files")
@pytest.mark.parametrize("fault", FAULTS)
def test_fifteen_tables_with_a_fault_are_refused_in_plain_sentences(fault):
    for seed in range(15):
        draw = np.random.default_rng([seed, *fault.encode()])
        data, said = FAULTS[fault](records(draw), draw)
        with pytest.raises(InvalidInput) as refused:
            read_rows(COLUMNS, data, "f")
        sentences = str(refused.value).splitlines()
        assert re.search(said, sentences[0]), sentences[0]
        # A table of more than twenty wrong lines says so; no other has a second fault.
        assert len(sentences) == 1 or (fault == "several" and "first 20" in sentences[1])
        for sentence in sentences:
            assert CANARY not in sentence
            assert sentence.endswith(".")
            assert len(sentence) < 400


def test_the_tables_are_right_without_their_fault():
    for seed in range(15):
        rows = records(np.random.default_rng(seed))
        text, person = read_rows(COLUMNS, b"\xef\xbb\xbf" + written(rows), "f")
        same, also = read_rows(COLUMNS, as_parquet(rows), "f")
        assert text.frame.equals(same.frame)
        assert np.array_equal(person, also)


def test_a_range_of_many_digits_is_refused_at_once():
    # With two ways to divide the digits one such link stopped the server for minutes.
    digits = 2_900 * "9"
    with pytest.raises(InvalidInput, match="must be a range such as 0 to 100 mg/dl"):
        described(f"a: {digits} to {digits}x\npredict b: one of no, yes")
