"""A command reads a file of unknown origin where its memory is limited."""

import pytest

import dpcore
from dpcore.cli import publish, release, twin
from dpcore.errors import InvalidInput
from dpcore.front import experiments
from dpcore.release.model import ReleasedModel
from tests.cli.commands import refused
from tests.datasets.test_parquet import understated, written

COLUMNS = "age: 18 to 90 years\npredict case: one of no, yes\n"
PERSONS = f"person: one row each\nnumber of persons: public\n{COLUMNS}"
SENTENCE = "Reading 'f.parquet' took more than 300 MB, the most that is allowed."
NEEDED = {"sweep": (), "model": (), "release": release.NEEDED, "twin": twin.NEEDED}
NEEDED["publish"] = publish.NEEDED

pytestmark = pytest.mark.slow("reads files of many megabytes")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(experiments, "MEGABYTES", 300)
    (tmp_path / "columns.txt").write_text(COLUMNS)
    (tmp_path / "persons.txt").write_text(PERSONS)
    (tmp_path / "f.parquet").write_bytes(understated(20_000_000, 10, "age", "case"))
    return tmp_path


@pytest.mark.parametrize("command", NEEDED)
def test_a_file_that_understates_its_size_is_one_sentence(folder, capsys, command):
    described = "persons" if NEEDED[command] else "columns"
    given = dict.fromkeys(NEEDED[command], "1")
    given |= {"table": f"{folder}/f.parquet", "columns": f"{folder}/{described}.txt"}
    options = [word for name, value in given.items() for word in (f"--{name}", value)]
    assert SENTENCE in refused(capsys, command, *options)


def test_it_is_one_sentence_for_predictions_and_at_the_front_door(folder, capsys):
    model = ReleasedModel(COLUMNS, "plain", "logistic", (1.0, 0.0))
    (folder / "model.json").write_text(model.to_json())
    files = ("--model", f"{folder}/model.json", "--table", f"{folder}/f.parquet")
    assert "decompresses to more than 32 MB" in refused(capsys, "predict", *files)
    with pytest.raises(InvalidInput, match="took more than 300 MB"):
        dpcore.load("own", file=folder / "f.parquet", columns=COLUMNS)


def test_an_honest_file_is_read(folder):
    (folder / "honest.parquet").write_bytes(
        written({"age": (30, 50, 70), "case": ("no", "yes", "yes")})
    )
    table = dpcore.load("own", file=folder / "honest.parquet", columns=COLUMNS)
    assert table.frame["age"].tolist() == [30.0, 50.0, 70.0]
