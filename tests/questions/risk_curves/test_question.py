"""The table of curves: the models of the other tabs, bands that noise widens, and refusals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from dpcore.datasets import Preparation, load
from dpcore.datasets.column_parts import part_of, people_at, values_of
from dpcore.datasets.own.description import read_own
from dpcore.errors import InvalidInput
from dpcore.evaluation.baselines import LINEAR, without_privacy
from dpcore.evaluation.clinic.risks import REFERENCE, released
from dpcore.evaluation.scoring import spread
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import RiskModels, Study
from dpcore.progress import silent
from dpcore.questions.question import ask
from dpcore.questions.risk_curves.question import MAX_TOGETHER, RiskCurvesQuestion, average_person
from dpcore.work import files

STUDY = Study(
    dataset="cohort",
    records=300,
    methods=("opera",),
    epsilons=(0.5, 5.0),
    runs=12,
    preparation=Preparation(),
)
EVERY = RiskCurvesQuestion(STUDY)


@pytest.fixture(scope="module")
def table():
    return load("cohort", records=300)


@pytest.fixture(scope="module")
def rows(table):
    return ask(EVERY, records=table)


@pytest.mark.slow("trains many models")
def test_there_is_a_row_for_each_model_column_and_value(rows, table):
    names = [column.name for column in table.entry.used]
    assert rows["column"].unique().tolist() == names
    assert rows.groupby("method", sort=False).size().to_dict() == {"opera": 194, REFERENCE: 97}
    assert (rows.loc[rows["is_reference"], ["log_odds_low", "log_odds_high"]] == 0.0).all(axis=None)
    assert set(rows.loc[rows["method"] == REFERENCE, "status"]) == {"not private"}


@pytest.mark.slow("trains many models")
def test_a_curve_is_the_columns_part_of_the_models_of_the_other_tabs(rows, table):
    parts = splits(table, STUDY.preparation)
    values = values_of(table.entry.column("age"), STUDY.preparation)
    part = part_of(table.entry, STUDY.preparation, values)
    (weights,) = released(RiskModels(STUDY), parts, silent)[0].weights
    age = rows[rows["column"] == "age"]
    average = average_person(table, STUDY.preparation)
    assert set(age["mean_or_mode"]) == {average["age"]} == {table.frame["age"].mean()}
    assert average["smoker"] == float(table.frame["smoker"].mean() > 0.5)
    actual = age[age["epsilon"] == 0.5][["log_odds", "log_odds_low", "log_odds_high"]]
    wanted = np.stack(spread(weights @ part.T, axis=0))
    assert actual.to_numpy() == pytest.approx(wanted.T)
    rows_of_people = people_at(table.entry, STUDY.preparation, values, average)
    wanted = np.stack(spread(expit(weights @ rows_of_people.T), axis=0))
    actual = age[age["epsilon"] == 0.5][[f"risk_at_average{end}" for end in ("", "_low", "_high")]]
    assert actual.to_numpy() == pytest.approx(wanted.T)
    (linear,) = without_privacy(parts).linear
    without = age[age["method"] == REFERENCE]
    assert without["log_odds"].tolist() == pytest.approx((part @ linear).tolist())
    assert set(without["baseline"]) == {LINEAR}


def test_noise_widens_the_band(rows):
    wide = rows["log_odds_high"] - rows["log_odds_low"]
    ends = (rows["method"] == "opera") & ~rows["is_reference"]
    width = wide[ends].groupby([rows["column"], rows["epsilon"]]).max().unstack()
    assert (width[0.5] > 2.0 * width[5.0]).all()
    assert (wide[rows["method"] == REFERENCE] == 0.0).all()


def test_over_several_splits_the_curve_is_their_mean(monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.splits.MAX", 3)
    table = load("breast_cancer")
    study = replace(STUDY, dataset="breast_cancer", records=None, epsilons=(1.0,), runs=6)
    result = ask(RiskCurvesQuestion(study, ("mean radius",)), records=table)
    parts = splits(table, study.preparation)
    values = values_of(table.entry.column("mean radius"), study.preparation)
    part = part_of(table.entry, study.preparation, values)
    without = result[result["method"] == REFERENCE]
    means = np.mean(without_privacy(parts).linear, axis=0)
    assert without["log_odds"].tolist() == pytest.approx((part @ means).tolist())
    assert result.groupby("method")["runs"].first().to_dict() == {"opera": 6, REFERENCE: 1}
    assert set(result["splits"]) == {3}


@pytest.mark.slow("trains many models")
def test_names_that_look_like_numbers_come_back_from_a_job_as_they_were(tmp_path):
    columns = "nan: 0 to 9\n007: one of 01, nan, 1e3\npredict y: one of no, yes"
    lines = [f"{i % 10},{('01', 'nan', '1e3')[i % 3]},{('no', 'yes')[i % 2]}" for i in range(40)]
    table = read_own(columns, "\n".join(["nan,007,y", *lines]).encode(), "mine.csv")
    study = replace(STUDY, dataset="own", records=None, columns=columns, runs=2)
    made = ask(RiskCurvesQuestion(study), records=table)
    (tmp_path / "x.csv").write_text(files.text(made))
    result = files.read(tmp_path / "x.csv")
    assert result["column"].tolist() == made["column"].tolist()
    assert result["level"].tolist() == made["level"].tolist()
    assert set(result["column"]) == {"nan", "007"}
    assert set(result["level"]) == {"", "01", "nan", "1e3"}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"preparation": Preparation(features="fourier")}, "features is 'fourier', but it must be"),
        ({"preparation": Preparation(scaling="data")}, "scaling is 'data', but it must be public"),
        ({"loss": "huber"}, "loss is 'huber', but it must be logistic"),
        ({"methods": ("nonprivate",)}, "methods names no private method"),
    ],
)
def test_models_without_a_curve_for_each_column_are_refused(changed, told):
    with pytest.raises(InvalidInput, match=told):
        RiskCurvesQuestion(replace(STUDY, **changed))


def test_columns_that_are_not_there_and_too_many_are_refused(table):
    with pytest.raises(InvalidInput, match="column is 'hat', but it must be one that the models"):
        ask(replace(EVERY, columns=("hat",)), records=table)
    column = table.entry.columns[0]
    many = tuple(replace(column, name=f"age {place}") for place in range(MAX_TOGETHER + 1))
    with pytest.raises(InvalidInput, match="column stands for 51 columns, but at most 50"):
        EVERY.of(replace(table.entry, columns=many))
    assert len(EVERY.of(replace(table.entry, columns=many[1:]))) == MAX_TOGETHER
    assert EVERY.key != replace(EVERY, columns=("age",)).key
