"""A command reads a file of unknown origin where its memory is limited."""

import pytest

import dpcore
from dpcore.cli import release, twin
from dpcore.errors import InvalidInput
from dpcore.front import limited_reading
from dpcore.release.model import ReleasedModel
from tests.cli.commands import refused
from tests.datasets.test_parquet import understated, written

COLUMNS = "age: 18 to 90 years\npredict case: one of no, yes\n"
PERSONS = f"person: one row each\nnumber of persons: public\n{COLUMNS}"
SENTENCE = "Reading 'f.parquet' took more than 300 MB, the most that is allowed."


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(limited_reading, "MEGABYTES", 300)
    (tmp_path / "columns.txt").write_text(COLUMNS)
    (tmp_path / "persons.txt").write_text(PERSONS)
    (tmp_path / "f.parquet").write_bytes(understated(20_000_000, 10, "age", "case"))
    return tmp_path


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.parametrize("command", ["sweep", "model"])
def test_a_file_that_understates_its_size_is_one_sentence(folder, capsys, command):
    files = ("--table", f"{folder}/f.parquet", "--columns", f"{folder}/columns.txt")
    assert SENTENCE in refused(capsys, command, *files)


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.parametrize("command", [release, twin])
def test_it_is_one_sentence_before_a_release(folder, capsys, command):
    given = dict.fromkeys(command.NEEDED, "1")
    given |= {"table": f"{folder}/f.parquet", "columns": f"{folder}/persons.txt"}
    options = [word for name, value in given.items() for word in (f"--{name}", value)]
    assert SENTENCE in refused(capsys, command.__name__.rpartition(".")[2], *options)


@pytest.mark.slow("runs whole commands, which train")
def test_it_is_one_sentence_where_predictions_are_asked_for(folder, capsys):
    model = ReleasedModel(COLUMNS, "plain", "logistic", (1.0, 0.0))
    (folder / "model.json").write_text(model.to_json())
    files = ("--model", f"{folder}/model.json", "--table", f"{folder}/f.parquet")
    assert "decompresses to more than 32 MB" in refused(capsys, "predict", *files)


@pytest.mark.slow("runs whole commands, which train")
def test_it_is_one_sentence_at_the_front_door(folder):
    with pytest.raises(InvalidInput, match="took more than 300 MB"):
        dpcore.load("own", file=folder / "f.parquet", columns=COLUMNS)


@pytest.mark.slow("runs whole commands, which train")
def test_an_honest_file_is_read_as_the_same_text_is(folder):
    rows = [(30, "no"), (50, "yes"), (70, "yes")]
    ages, cases = zip(*rows, strict=True)
    (folder / "honest.parquet").write_bytes(written({"age": ages, "case": cases}))
    (folder / "honest.csv").write_text("age,case\n" + "".join(f"{a},{c}\n" for a, c in rows))
    tables = [
        dpcore.load("own", file=folder / f"honest.{kind}", columns=COLUMNS)
        for kind in ("parquet", "csv")
    ]
    assert tables[0].frame.equals(tables[1].frame)
    assert tables[0].label.tolist() == tables[1].label.tolist()
