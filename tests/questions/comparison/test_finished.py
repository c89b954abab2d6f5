"""Finished trainings found by their job's name, and in what they differ."""

from dataclasses import replace

import pytest

from dpcore.datasets.cache import place
from dpcore.deep.config import TrainingConfig
from dpcore.errors import InvalidInput
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.task import trained
from dpcore.questions.comparison import finished
from dpcore.work import files
from dpcore.work.task import JobContext

STUDY = TrainingStudy(
    config=TrainingConfig(widths=(4,), epochs=2, batch=512, sigma=5.0), epsilon=None
)


@pytest.fixture
def ended(tmp_path, monkeypatch):
    """Two trainings, left where the jobs leave them."""
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    other = replace(STUDY, runs=2, config=replace(STUDY.config, clip=0.5, sigma=2.5))
    result = {}
    for name, study in (("1", STUDY), ("2", other)):
        left = trained(study, JobContext())
        left.rows.to_csv(
            place(files.FOLDER) / f"{study.key}.csv", index=False, na_rep=files.MISSING
        )
        for ending, contents in left.files.items():
            (place(files.FOLDER) / f"{study.key}.{ending}").write_bytes(contents)
        one = finished.finished(study.key)
        assert one is not None
        result[name] = one
    return result


def test_a_training_is_found_with_its_settings_and_where_it_ended(ended):
    table = finished.table(ended).set_index("training")
    assert list(table["clip"]) == [1.0, 0.5]
    assert list(table["runs"]) == [1, 2]
    assert list(table["widths"]) == ["4", "4"]
    for name, one in ended.items():
        last = one.history[one.history["epoch"] == 2]
        assert table.loc[name, "accuracy"] == pytest.approx(last["accuracy_test"].mean())
        assert table.loc[name, "epsilon"] == pytest.approx(last["epsilon"].iloc[0])
        assert table.loc[name, "adjacency"] == "zero-out"
    assert set(finished.histories(ended)["series"]) == {"1", "2"}
    assert finished.differing(ended) == ["runs", "clip"]


def test_what_has_not_ended_is_not_found(tmp_path, monkeypatch):
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    assert finished.finished(STUDY.key) is None
    with pytest.raises(InvalidInput, match=r"job is '\.\./x'"):
        finished.finished("../x")
