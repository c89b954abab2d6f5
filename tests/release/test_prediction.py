"""What a released model says of one person, and of the records of a file."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from dpcore.errors import InvalidInput
from dpcore.questions.prediction import figure
from dpcore.release import model as of_model
from dpcore.release import prediction
from dpcore.release.model import ReleasedModel, dimension, read_model
from dpcore.release.prediction import PersonValues, batch, curve, outcomes, parts, predict, value_of
from dpcore.release.scorer import Network
from dpcore.words import spaced

COLUMNS = """age: 18 to 90 years
sex: one of f, m; unknown: NA
smoker: one of no, yes
bmi: 10 to 60 kg; unknown: blank
predict ill: one of no, =yes"""
WEIGHTS = (0.5, -1.0, 0.25, 2.0, 1.5, -0.5, 0.1)
LOGISTIC, HUBER = (ReleasedModel(COLUMNS, "plain", loss, WEIGHTS) for loss in ("logistic", "huber"))
PEOPLE: list[PersonValues] = [
    {"age": 61.5, "sex": "m", "smoker": "yes", "bmi": 27.0},
    {"age": 18.0, "sex": None, "smoker": "no", "bmi": None},
]


def in_a_file(person):
    marks = {"sex": "NA", "bmi": ""}
    texts = [marks[name] if value is None else str(value) for name, value in person.items()]
    return f"{','.join(person)}\n{','.join(texts)}\n".encode()


def curved():
    count = dimension(LOGISTIC.entry, "additive")
    weights = np.random.default_rng(1).normal(size=count).tolist()
    return ReleasedModel(COLUMNS, "additive", "logistic", tuple(weights))


def network():
    weights = np.random.default_rng(2).normal(size=Network("logistic", 7, 3).parameters).tolist()
    return ReleasedModel(COLUMNS, "plain", "logistic", tuple(weights), hidden=3)


@pytest.mark.parametrize(
    "model",
    [LOGISTIC, HUBER, curved(), network()],
    ids=["logistic", "huber", "additive", "network"],
)
@pytest.mark.parametrize("person", PEOPLE, ids=["whole", "with gaps"])
def test_a_form_says_what_a_file_says(model, person):
    _, line = csv.reader(io.StringIO(predict(model, in_a_file(person), "t.csv")))
    rows = parts(model, person)
    assert rows["outcome"].iloc[0] == pytest.approx(float(line[1]), abs=1e-12)
    # A part is what putting the reference in the value's place undoes.
    for _, row in rows.iterrows():
        name = row["column"]
        there = person | {name: prediction.reference_of(model, model.entry.column(name))}
        assert outcomes(model, [there])[0] == row["at_reference"]
        told = curve(model, person, name)
        assert told.loc[told["here"], "outcome"].tolist() == [row["outcome"]]
    assert (rows["part"] == rows["outcome"] - rows["at_reference"]).all()
    assert rows["part"].abs().max() > 0.01


def test_what_the_columns_do_not_allow_is_refused_by_name():
    age, sex, smoker, bmi = LOGISTIC.entry.columns
    assert value_of(sex, None) is value_of(bmi, None) is None
    for column, value in ((age, None), (age, 17.9), (age, float("nan")), (smoker, None)):
        with pytest.raises(InvalidInput, match=column.name):
            value_of(column, value)
    with pytest.raises(InvalidInput, match="sex"):
        value_of(sex, "=x")


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\xff\xfe{", b"[" * 100_000),
        json.dumps({"format": "dpcore model 1", "columns": COLUMNS, "features": "plain"}).encode(),
        LOGISTIC.to_json().replace("0.5,", "NaN,", 1).encode(),
        LOGISTIC.to_json().replace("18 to 90", "90 to 18").encode(),
        LOGISTIC.to_json().replace("predict ill", "predict " + "x" * 7_000).encode(),
        LOGISTIC.to_json().encode() + b" " * of_model.MAX_BYTES,
    ],
)
def test_a_hostile_model_is_one_sentence(data):
    with pytest.raises(InvalidInput) as refusal:
        read_model(data)
    assert len(str(refusal.value)) < 400


@pytest.mark.parametrize(
    ("people", "shown"),
    [
        (100, ("26", "fewer than 1", "more than 99", "fewer than 1")),
        (1_000, ("262", "4", "996", "fewer than 1")),
    ],
)
def test_a_risk_is_told_in_people(people, shown):
    told = [figure.frequency(risk, people) for risk in (0.262, 0.004, 0.9961, 1e-9)]
    assert told == [f"{count} of {spaced(people)}" for count in shown]


def test_a_file_is_predicted_and_its_errors_repeat_no_value():
    model = LOGISTIC.to_json().encode()
    lines = b"".join(in_a_file(person).splitlines(keepends=True)[1] for person in PEOPLE)
    head = in_a_file(PEOPLE[0]).splitlines(keepends=True)[0]
    made = batch(model, b"", head + lines, "t.csv")
    rows = list(csv.reader(io.StringIO(made.csv)))[1:]
    assert made.records == len(rows) == 2
    assert made.positive == sum(row[2] == "'=yes" for row in rows)
    for line in (b"secret,f,no,20", b"20,secret,no,20", b"20,f,no,secret", b"20,f,secret,20"):
        with pytest.raises(InvalidInput, match=r"'t.csv', line 4: \w+ must be") as refusal:
            batch(model, b"", head + lines + line, "t.csv")
        assert "secret" not in str(refusal.value)
