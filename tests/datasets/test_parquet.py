"""Parquet means what the same table means as text, and a hostile file is one sentence."""

from __future__ import annotations

import datetime
import io

import pyarrow as pa
import pytest
from pyarrow import parquet

from dpcore.datasets import OWN, read_upload
from dpcore.datasets.own.form import look
from dpcore.datasets.text import Field, Layout, read_checked
from dpcore.errors import InvalidInput

COLUMNS = "age: 18 to 90 years\nsmoker: one of no, yes; unknown: blank\npredict score: 0 to 9"
CANARY = "canary-71"


def written(columns: dict[str, object], **options: object) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file, **options)
    return file.getvalue()


def test_parquet_and_text_give_the_same_table_and_the_same_guesses():
    text = b"age,smoker,score,seen\n30,no,1.5,2020-01-02\n41,,,2020-01-03\n50,yes,0.1,\n"
    data = written(
        {
            "age": pa.array([30, 41, 50], pa.int16()),
            "smoker": pa.array(["no", None, "yes"]).dictionary_encode(),
            "score": [1.5, None, 0.1],
            "seen": pa.array(
                [datetime.datetime(2020, 1, 2), datetime.datetime(2020, 1, 3), None],
                pa.timestamp("ns"),
            ),
        }
    )
    table, same = (read_upload(OWN, each, "f", COLUMNS) for each in (data, text))
    assert table.frame.equals(same.frame)
    assert table.label.tolist()[::2] == same.label.tolist()[::2] == [1.5, 0.1]
    assert table.blank.tolist() == [False, True, False]
    assert look(data, "f") == look(text, "f")


# One value in a dictionary: a few kilobytes on the disk, more than 2 GB as text.
REPEATED = pa.DictionaryArray.from_arrays(pa.array([0] * 250_000, pa.int32()), ["y" * 9_000])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (written({"a": [[CANARY]]}), "column 1: it must hold numbers"),
        (written({"a": [{"b": CANARY}]}), "column 1: it must hold numbers"),
        (written({"a": [CANARY.encode()]}), "column 1: it must hold numbers"),
        (written({"a": ["x", CANARY + "\n1"]}), "line 3: 'a': it must be text without a line"),
        (written({"a": [CANARY * 2_000]}), "line 2: 'a': it has 18,000 characters"),
        (written({'a"\n': [CANARY]}), "column 1: its name must"),
        (written({"a" * 20_000: [CANARY]}), "column 1: its name has 20,000 letters"),
        (written({"a": [CANARY], "a ": [CANARY]}), "two columns of one name"),
        (written({f"a{place}": [1] for place in range(2_001)}), "2,001 columns"),
        (written({"a": pa.nulls(1_000_001)}), "more than 1,000,000 rows"),
        (written({"a": REPEATED}), "decompresses to"),
        (written({"a": [CANARY] * 99})[:-40], "must be a whole Parquet file"),
        (b"PAR1" + b"\xff" * 500 + b"PAR1", "must be a whole Parquet file"),
    ],
)
def test_a_hostile_file_is_one_sentence_without_its_values(data, sentence):
    with pytest.raises(InvalidInput, match=sentence) as refusal:
        read_checked(Layout((Field("a", person=True),), header=True), data, "f.parquet")
    assert CANARY not in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_blanks_around_a_name_do_not_count_as_in_a_text():
    data = written({" age ": [30, 41], "smoker": ["no", "yes"], "score\u2028": [1.5, 0.1]})
    assert read_upload(OWN, data, "f", COLUMNS).frame["age"].tolist() == [30, 41]
    assert [syntax.name for syntax in look(data, "f")] == ["age", "smoker", "score"]


def test_a_header_is_refused_without_control_codes():
    fields = (Field("a\x1b[31m" + "b" * 500), Field("c"))
    with pytest.raises(InvalidInput, match=r"column 1 'a\\x1b\[31mb+…'\.$"):
        read_checked(Layout(fields, header=True), b"x,c\n1,2\n", "f.csv")
