"""One setting varied within the same ε: where the trainings ended, and what is refused."""

from dataclasses import replace

import pandas as pd
import pytest

import dpcore
from dpcore.datasets import images
from dpcore.deep.config import TrainingConfig
from dpcore.errors import InvalidInput
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.task import begin
from dpcore.questions.question import task
from dpcore.questions.vary.question import VaryQuestion
from dpcore.work.task import JobContext

RECORDS = 1_437
STUDY = TrainingStudy(
    dataset="digits",
    config=TrainingConfig(widths=(8, 8), epochs=4, batch=256, decay=0.9, learning_rate=1.0),
    epsilon=2.0,
    runs=2,
)
QUESTION = VaryQuestion(STUDY, "sigma", (1.6, 2.4))


def test_the_table_holds_where_each_training_ended():
    studies = QUESTION.studies(RECORDS)
    assert QUESTION.table(begin(studies).history()).empty
    parts: list[pd.DataFrame] = []
    rows = task(QUESTION).run(JobContext(partial=parts.append)).rows
    assert QUESTION.table(parts[0])["value"].isin(QUESTION.values).all()
    table = QUESTION.table(rows)
    assert list(table.columns[:2]) == ["parameter", "value"]
    assert set(table["parameter"]) == {"sigma"}
    assert list(table["value"]) == [1.6, 2.4]
    assert table["sigma"].to_numpy() == pytest.approx((1.6, 2.4))
    assert (table["runs"] == 2).all()
    assert list(table["epoch"]) == [study.config.epochs for study in studies]
    assert table["epsilon"].between(1.8, 2.0).all()
    assert set(table["adjacency"]) == {"zero-out"}
    low, mean, high = (table[f"accuracy_test{end}"] for end in ("_low", "", "_high"))
    assert ((low <= mean) & (mean <= high)).all()
    last = rows[(rows["study"] == 1) & (rows["steps"] == rows["steps"].max())]
    assert table["accuracy_test"].iloc[1] == pytest.approx(last["accuracy_test"].mean())
    pd.testing.assert_frame_equal(dpcore.vary(STUDY, setting="sigma", values=(1.6, 2.4)), table)


def test_a_job_learns_from_the_records_that_it_is_handed():
    examples = images.load("digits")
    study = replace(STUDY, config=replace(STUDY.config, epochs=1), runs=1)
    question = VaryQuestion(study, "clip", (1.0,))
    rows = question.answer(JobContext(records=examples)).rows
    assert set(rows["value"]) == {1.0}
    assert len(rows) == 1


def test_what_gives_way_is_named_and_part_of_the_key():
    assert VaryQuestion(STUDY).gives_way == VaryQuestion(STUDY, gives_way="epochs").gives_way
    assert VaryQuestion(STUDY).key != VaryQuestion(STUDY, gives_way="noise").key
    solved = replace(STUDY.calibrated(RECORDS))
    assert VaryQuestion(solved).key == VaryQuestion(STUDY).key


def test_a_setting_without_effect_is_refused_before_anything_is_loaded():
    study = replace(STUDY, config=replace(STUDY.config, network="linear"))
    with pytest.raises(InvalidInput, match="hidden units"):
        VaryQuestion(study, "units").check(study.entry)
