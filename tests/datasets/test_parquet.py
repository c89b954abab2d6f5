"""Parquet means what the same table means as text, and a hostile file is one sentence."""

import datetime
import io

import pyarrow as pa
import pytest
from pyarrow import parquet

from dpcore.confined import Confined
from dpcore.datasets import OWN, read_upload
from dpcore.datasets import parquet as own_parquet
from dpcore.datasets.faults import LARGEST_TABLE, Faults
from dpcore.datasets.own.form import look
from dpcore.datasets.text import Field, Layout, read_checked
from dpcore.errors import InvalidInput

COLUMNS = "age: 18 to 90 years\nsmoker: one of no, yes; unknown: blank\npredict score: 0 to 9"
CANARY = "canary-71"
HEADERS = ("dpcore.datasets.own.form",)


def written(columns, metadata=0, **options):
    """A file with so many letters beside its columns."""
    file = io.BytesIO()
    table = pa.table(columns).replace_schema_metadata({"m": "x" * metadata})
    parquet.write_table(table, file, **options)
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


def repeated(letters, times):
    """One value in a dictionary: a few kilobytes on the disk, gigabytes as text."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * times, pa.int32()), ["y" * letters])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (written({"a": [[CANARY]]}), "column 'a': it must hold numbers"),
        (written({"a": [{"b": CANARY}]}), "column 'a': it must hold numbers"),
        (written({"a": [CANARY.encode()]}), "column 'a': it must hold numbers"),
        (written({"a": pa.array([1], pa.duration("s"))}), "column 'a': it must hold numbers"),
        (written({'a"\n': [CANARY]}), "No header was found in 'f.parquet'"),
        (written({"a": [CANARY], "a ": [CANARY]}), "names 'a' more than once"),
        (written({f"a{place}": [1] for place in range(2_001)}), "2 001 columns"),
        (written({"a": pa.nulls(1_000_001)}), "more than 1 000 000 rows"),
        (written({"a": repeated(9_000, 250_000)}), "decompresses to"),
        (written({"a": repeated(300_000, 8_192)}), "decompresses to"),
        (written({"a": pa.array([1])}, metadata=5_000_000), "describes its columns in"),
        (written({"a": [CANARY] * 99})[:-40], "must be a whole Parquet file"),
        (b"PAR1" + b"\xff" * 500 + b"PAR1", "must be a whole Parquet file"),
    ],
)
def test_a_hostile_file_is_one_sentence_without_its_values(data, sentence):
    with pytest.raises(InvalidInput, match=sentence) as refusal:
        read_checked(Layout((Field("a", person=True),), header=True), data, "f.parquet")
    assert CANARY not in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_header_is_refused_without_control_codes():
    fields = (Field("a\x1b[31m" + "b" * 500), Field("c"))
    with pytest.raises(InvalidInput, match=r"not name 'a\\x1b\[31mb+…', but"):
        read_checked(Layout(fields, header=True), b"x,c\n1,2\n", "f.csv")


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_text_is_read_however_it_is_written(encoding, kind):
    columns = {"a": pa.array(["no", None, "yes"], kind)}
    data = written(columns, use_dictionary=False, column_encoding={"a": encoding})
    layout = Layout((Field("a", words=("no", "yes"), missing_marks=("",)),), header=True)
    codes = read_checked(layout, data, "f.parquet")["a"].cat.codes
    assert codes.tolist() == [0, -1, 1]


def test_bytes_that_are_no_text_are_named_by_line_and_column():
    wrong = pa.array([b"no", CANARY.encode() + b"\xff", None]).cast(pa.binary()).buffers()
    text = pa.Array.from_buffers(pa.string(), 3, wrong)
    for column in (text, text.dictionary_encode()):
        data = written({"age": [30, 41, 50], "smoker": column, "score": [1, 2, 3]})
        with pytest.raises(InvalidInput) as refusal:
            read_upload(OWN, data, "f", COLUMNS)
        sentence = "line 3: 'smoker': it holds bytes that are not text, but it must be UTF-8 text."
        assert sentence in str(refusal.value)
        assert CANARY not in str(refusal.value)


def varint(number):
    """A number as a footer has it, seven bits a byte."""
    if number < 128:
        return bytes([number])
    return bytes([number & 127 | 128]) + varint(number >> 7)


def understated(letters, times, *names):
    """A file whose footer claims two bytes for what its pages decompress to."""
    columns = dict.fromkeys(names, ["y" * letters] * times)
    data = written(columns, compression="zstd", use_dictionary=False, write_statistics=False)
    group = parquet.read_metadata(io.BytesIO(data)).row_group(0)
    for size in {group.total_byte_size, group.column(0).total_uncompressed_size}:
        claim = varint(2 * size)
        assert claim in data
        data = data.replace(claim, b"\x82" + b"\x80" * (len(claim) - 2) + b"\x00")
    return data


@pytest.fixture(scope="module")
def process():
    confined = Confined(600, ("pandas", "pyarrow.compute", "pyarrow.parquet", *HEADERS))
    yield confined
    confined.close()


@pytest.mark.slow("reads large or many files")
@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (written({"a": repeated(300_000, 8_192)}), "decompresses to more than 300 MB"),
        (
            written({"a": repeated(30_000_000, 100)}, compression="zstd"),
            "decompresses to more than 300 MB",
        ),
        (written({f"a{each}": repeated(9_999, 8_192) for each in range(50)}), "decompresses to"),
        (
            understated(20_000_000, 40, "a"),
            "^Reading took more than 600 MB, the most that is allowed",
        ),
    ],
)
def test_a_small_file_takes_no_more_memory_than_a_large_one(process, data, sentence):
    assert len(data) < 100_000
    with pytest.raises(InvalidInput, match=sentence):
        process.ask("Reading", look, data, "f.parquet", seconds=60)
    assert process.begun == 1


def test_a_table_of_many_columns_is_read_a_few_rows_at_a_time(monkeypatch):
    monkeypatch.setattr(own_parquet, "CELLS", 40)
    data = written({name: range(100) for name in "abc"})
    faults, fields = Faults("f"), tuple(map(Field, "abc"))
    blocks = [*own_parquet.blocks(data, faults, [0, 1, 2], LARGEST_TABLE)]
    assert max(len(block.rows) for block in blocks) == 13
    frame = read_checked(Layout(fields, header=True), data, "f.parquet")
    assert (frame.to_numpy() == frame.index.to_numpy()[:, None]).all()
