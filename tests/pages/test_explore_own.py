"""Explore with a table of one's own: described, handed over, and explored like any other."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dpcore import cli
from dpcore.datasets import Preparation
from dpcore.datasets.own.notation import read
from dpcore.datasets.partition import drawn
from dpcore.figures.words import plain
from pages.shared import own_texts as texts
from tests.pages.explored import below_title, numbers, only_methods, sentence
from tests.pages.shown import APP
from tests.pages.test_explore_regression import spoken
from tests.pages.waiting import until

pytestmark = [
    pytest.mark.usefixtures("alone", "uploads_in_one_process", "closed_forms"),
    pytest.mark.slow("runs whole pages"),
]

COLUMNS = """\
age: 18 to 90 years
smoker: one of no, yes
predict progression: 0 to 200 points"""


@pytest.fixture
def closed_forms(monkeypatch):
    """What is tested is the file and its description: one method answers, and is not trained."""
    only_methods(monkeypatch, "opera")


ROWS = 2_600
"""So many that the first picture takes one split: fewer are split up to five times."""
ROWS_OF_ONE_SPLIT = 10_000
"""So many that there is one split only, for tests that compute everything more than once."""


def file(rows=ROWS):
    draw = np.random.default_rng(0)
    age, smoker = draw.uniform(20, 85, rows), draw.integers(0, 2, rows)
    progression = 2.0 * (age - 20.0) + 40.0 * smoker + draw.normal(0.0, 10.0, rows)
    lines = [
        f"p{i},{age[i]:.1f},{('no', 'yes')[smoker[i]]},{progression[i]:.1f},{'abc'[i % 3]}"
        for i in range(rows)
    ]
    return ("patient,age,smoker,progression,ward\n" + "\n".join(lines) + "\n").encode()


def opened(columns=COLUMNS, data=None, **link):
    app = AppTest.from_file(APP, default_timeout=180)
    app.query_params["data"] = "Your own table"
    for name, value in {"own_columns": columns, **link}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    if data is not None:
        app.file_uploader(key="upload_own").upload("mine.csv", data)
        app.run()
        assert not app.exception
    return app


def test_a_number_to_predict_is_told_in_errors_and_called_not_private():
    app = opened(data=file(), number_methods="OPERA", view="About the data")
    assert below_title(app).startswith("Your own table · 2,600 records · judged on ")
    assert {"RMSE", "R²"} <= set(numbers(app))
    assert any("not private" in warning.value for warning in app.warning)
    assert not app.error
    said = spoken(app)
    assert "What is predicted: progression, by its public bounds from 0 to 200 points." in said
    assert "takes the ranges and lists of your description to be public." in said
    assert "2 columns were ignored (not described)." in said
    assert "of progression. Errors are counted from the clipped values of progression." in said


def test_what_is_taken_along_gives_the_numbers_on_screen(tmp_path, monkeypatch):
    only_methods(monkeypatch, "opera")
    data = file(ROWS_OF_ONE_SPLIT)
    app = opened(data=data, number_methods="OPERA", focus="OPERA", view="Take along")
    until(lambda: "so far" not in below_title(app), app)
    shown = app.dataframe[0].value
    (tmp_path / "your_file.csv").write_bytes(data)
    (tmp_path / "columns.yaml").write_text(COLUMNS)
    monkeypatch.chdir(tmp_path)
    line = next(block.value for block in app.code if "python -m dpcore" in block.value)
    assert cli.main(shlex.split(line.replace("\\\n", " "))[3:]) == 0
    assert np.allclose(pd.read_csv("out.csv")["rmse"], shown["rmse"])
    assert "columns.yaml holds the description of its columns." in spoken(app)
    (tmp_path / "columns.yaml").unlink()  # the Python holds the description itself
    scope: dict[str, object] = {}
    exec(next(block.value for block in app.code if "import" in block.value), scope)
    mine = pd.concat(scope["curves"], ignore_index=True)  # type: ignore[arg-type]
    assert np.allclose(mine["rmse"], shown["rmse"])
    # What is compared with has no R².
    assert np.allclose(mine["r2"], shown["r2"], equal_nan=True)
    at_one = mine[(mine["method"] == "opera") & (mine["epsilon"] == 1.0)].iloc[0]
    assert numbers(app)["RMSE"] == plain(at_one["rmse"])


def test_who_declares_records_public_may_compare_by_looking():
    app = opened(data=file(), number_methods="OPERA")
    assert any("not private" in warning.value for warning in app.warning)
    (box,) = (each for each in app.checkbox if each.label == texts.DECLARE_PUBLIC)
    assert not box.value
    box.check()
    app.run()
    assert not app.exception
    assert not app.warning
    assert "compared by results" in spoken(app)
    # No link says it for somebody else, and another file is asked about anew.
    assert not any("public" in f"{name}{values}" for name, values in app.query_params.items())
    app.file_uploader(key="upload_own").upload("other.csv", file())
    app.run()
    assert any("not private" in warning.value for warning in app.warning)


@pytest.mark.usefixtures("jobs_of_seven_splits")
def test_one_method_is_shown_by_rule_and_called_so(monkeypatch):
    only_methods(monkeypatch, "opera", "dpgd", "objpert")
    app = opened(data=file(), runs="10", epsilon="1")
    assert "**DP-GD** is being trained." in spoken(app)
    assert set(numbers(app).values()) == {"…"}
    # What the answer waits for comes first, before others are judged on more splits.
    assert app.get("progress")[0].proto.text.startswith("Training DP-GD (1 of ")
    until(lambda: "At ε = 1 " in spoken(app), app)
    assert sentence(app).startswith("At ε = 1 DP-GD is off by ")
    assert ": chosen by a fixed rule, not by looking at your records." in spoken(app)
    assert "best proved" not in spoken(app).lower()


PREDICTS = COLUMNS.replace("predict progression: 0 to 200 points", "predict ill: one of no, yes")


def ill(place, rare="yes"):
    """Of all people one is ill: that in this place, unless something else stands there."""
    lines = [f"{20 + i % 60},{('no', 'yes')[i % 2]},no" for i in range(ROWS)]
    lines[place] = f"40,yes,{rare}" if rare else ",,"
    return ("age,smoker,ill\n" + "\n".join(lines) + "\n").encode()


@pytest.mark.parametrize("part", ["learned from", "judged on"])
def test_the_only_record_of_a_class_may_go_and_nothing_but_measures_changes(part):
    held_out = drawn(ROWS, Preparation())
    place = int(np.flatnonzero(held_out == (part == "judged on"))[2])
    seen = []
    for rare in ("yes", "no", ""):
        app = opened(PREDICTS, ill(place, rare), view="Noise σ")
        assert not app.error
        charts = {chart.key: chart.proto.spec for chart in app.get("plotly_chart")}
        trained = next(
            text.value for text in app.caption if "trained on 2,080 records" in text.value
        )
        seen.append((below_title(app), trained, charts["sigma_figure"]))
        blank = "1 blank records are among those to learn from" in spoken(app)
        assert blank == (rare == "" and part == "learned from")
        assert ("ill is the same in every record" in spoken(app)) == (rare != "yes")
    assert seen[0] == seen[1] == seen[2]


def test_before_the_file_is_there_the_page_says_what_it_takes():
    app = opened(columns="")
    (line,) = [one.value for one in app.main.caption if one.value.startswith("Your own table")]
    assert line.startswith("Your own table. Predict a number, or one of several outcomes")
    assert not app.error
    assert not app.warning
    assert not app.metric
    assert "never from these records" in spoken(app)
    assert any("predict: progression" in block.value for block in app.code)


def clinic(rows=ROWS):
    """Like a clinic's file: every 12th body mass index is a gap."""
    draw = np.random.default_rng(1)
    age, smoker = draw.integers(20, 90, rows), draw.integers(0, 2, rows)
    bmi, systolic = draw.normal(27.0, 4.0, rows), draw.normal(130.0, 15.0, rows)
    ill = draw.random(rows) < 1.0 / (1.0 + np.exp(-0.06 * (age - 60.0) - smoker))
    lines = [
        f"p{i},{age[i]},{'FM'[i % 2]},{('no', 'yes')[smoker[i]]},"
        f"{f'{bmi[i]:.1f}' if i % 12 else ''},{systolic[i]:.0f},{int(ill[i])}"
        for i in range(rows)
    ]
    return ("patient,age,sex,smoker,bmi,systolic,outcome\n" + "\n".join(lines) + "\n").encode()


def pressed(app, label):
    (button,) = (each for each in app.button if each.label == label)
    button.click().run()
    assert not app.exception
    return app


SUGGESTED = """\
age: 0 to 120 years; unknown: blank
sex: one of F, M
smoker: one of no, yes
bmi: 10 to 70 kg/m²; unknown: blank
systolic: 60 to 260 mmHg; unknown: blank
predict outcome: one of 0, 1"""


def test_a_range_that_most_values_are_outside_of_is_told_first():
    app = opened(SUGGESTED.replace("10 to 70", "1 to 7"), clinic())
    (told,) = (each.value for each in app.warning if "outside the range" in each.value)
    assert told.startswith("Most values of bmi are outside the range of your description")
    assert "never from these records" in told
    app.text_area(key="own_columns").set_value(SUGGESTED.replace("10 to 70", "10 to 30")).run()
    assert not any("outside the range" in each.value for each in app.warning)
    # A range that cuts off some stands beside the answer, and one that cuts off hardly any not.
    assert "More than one in twenty values of bmi are outside the range" in spoken(app)
    app.text_area(key="own_columns").set_value(SUGGESTED).run()
    assert "one in twenty" not in spoken(app)


def test_an_outcome_from_0_to_1_is_asked_about():
    app = opened(SUGGESTED.replace("one of 0, 1", "0 to 1"), clinic())
    assert "Linear regression, trained on" in spoken(app)
    asked = [caption.value for caption in app.sidebar.caption]
    assert "A number from 0 to 1 is predicted. Is it yes or no?" in asked
    pressed(app, "Write: one of 0, 1")
    assert "Logistic regression, trained on" in spoken(app)
    assert read(app.text_area(key="own_columns").value) == read(SUGGESTED)


@pytest.mark.parametrize("columns", ["", SUGGESTED])
def test_a_file_that_cannot_be_read_is_refused_with_what_to_do(columns):
    app = opened(columns, b"age,\0")
    (error,) = app.error
    assert "'mine.csv', line 1: it holds a zero byte" in error.value
    assert "What may the columns hold?" not in spoken(app)
    app.file_uploader(key="upload_own").upload("mine.csv", b"PK\x03\x04\x14\0\x06\0xl/workbook.xml")
    app.run()
    (error,) = app.error
    assert "'mine.csv' is an Excel workbook or an archive" in error.value
    assert "save the sheet as CSV" in error.value


@pytest.mark.parametrize("columns", ["", COLUMNS])
def test_the_first_screen_is_read_at_a_glance(columns):
    app = opened(columns)
    # Behind a click: the description in words, and what stands beside the link.
    in_words = {text.value for text in app.expander[0].markdown}
    said = [*app.title, *app.markdown, *app.info, *app.caption]
    in_words.add("Opens this page with the same settings. Uploaded records are not in it.")
    shown = " ".join(text.value for text in said if text.value not in in_words)
    assert len(shown.split()) <= 120
    assert ("now choose your file" in shown.lower()) == bool(columns)
    assert "among the controls** (on narrow screens, » opens them)" in shown


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (COLUMNS.replace("0 to 200", "200 to 0"), "progression has the range 200 to 0"),
        (COLUMNS.replace("0 to 200 points", ""), "does not say what is predicted"),
        ("fields: [![x](http://example.org/x.png)]", "line 1"),
    ],
)
def test_a_wrong_description_in_a_link_is_refused_in_one_sentence(columns, said):
    app = opened(columns=columns)
    assert len(app.error) == 1
    assert said in app.error[0].value
    assert "http" not in app.error[0].value


def test_a_slip_in_the_description_or_a_look_at_other_data_changes_nothing_else():
    app = opened(data=file(), number_methods="OPERA")
    app.text_area(key="own_columns").set_value(COLUMNS + "\nbmi: wide").run()
    assert "bmi holds 'wide'" in app.error[0].value
    assert not app.metric
    app.text_area(key="own_columns").set_value(COLUMNS).run()
    assert not app.error
    assert app.pills(key="number_methods").value == ["opera"]
    assert app.metric
    app.selectbox(key="data").set_value("breast_cancer").run()
    assert not app.text_area
    app.selectbox(key="data").set_value("own").run()
    assert not app.exception
    assert app.text_area(key="own_columns").value == COLUMNS
    assert app.query_params["own_columns"] == COLUMNS


def test_a_file_that_is_not_as_described_is_refused_at_its_line():
    app = opened(data=file().replace(b",yes,", b",perhaps,", 1))
    assert len(app.error) == 1
    assert "line 3: smoker must be one of no, yes." in app.error[0].value
    assert not app.metric
    assert not app.get("plotly_chart")


def test_two_outcomes_are_told_in_accuracy():
    columns = "age: 18 to 90 years\nprogression: 0 to 200\npredict smoker: one of no, yes"
    app = opened(columns, file(), methods="OPERA", view="Per 1,000")
    assert below_title(app).startswith("Your own table · 2,600 records · ")
    assert "Accuracy" in numbers(app)
    assert not app.error


def test_where_no_model_beats_always_no_the_answer_says_so_with_their_areas():
    draw = np.random.default_rng(0)
    age = draw.uniform(20, 85, ROWS_OF_ONE_SPLIT)
    is_case = draw.uniform(size=len(age)) < 0.02 + 0.1 * (age - 20) / 65
    lines = [
        f"{a:.1f},{('no', 'yes')[ill]}" for a, ill in zip(age, is_case.astype(int), strict=True)
    ]
    data = ("age,died\n" + "\n".join(lines) + "\n").encode()
    columns = "age: 18 to 90 years\npredict died: one of no, yes"
    app = opened(columns, data, methods="OPERA", focus="OPERA")
    said = " ".join(sentence(app).split())
    assert "are cases: too few" not in spoken(app)
    assert "Neither is better than always giving the most frequent answer (92" in said
    assert re.search(r"By AUC they have 0\.\d+ and 0\.\d+; a coin has 0\.5\.", said)


def test_a_number_that_a_model_without_noise_meets_exactly_is_drawn():
    rows = file(60).decode().splitlines()
    meets = [",".join([*row.split(",")[:3], "100", "a"]) for row in rows[1:]]
    # One record of the test set alone has another value.
    test = next(i for i, held_out in enumerate(drawn(60, Preparation())) if held_out)
    meets[test] = meets[test].replace(",100,", ",150,")
    app = opened(data="\n".join([rows[0], *meets]).encode(), number_methods="OPERA")
    assert not app.error
    assert "Objective" in app.pills(key="view").options


def test_boosted_trees_take_the_place_of_the_linear_model_once_they_are_there():
    """On an outcome that follows a product of two columns, which no linear model knows."""
    draw = np.random.default_rng(0)
    x, z = draw.uniform(-1.0, 1.0, (2, ROWS_OF_ONE_SPLIT))
    lines = [f"{a:.3f},{b:.3f},{('no', 'yes')[int(a * b > 0)]}" for a, b in zip(x, z, strict=True)]
    data = "\n".join(["x,z,outcome", *lines]).encode()
    columns = "x: -1 to 1\nz: -1 to 1\npredict outcome: one of no, yes"
    app = opened(columns, data, focus="OPERA", view="Net benefit")

    def without_privacy():
        result = re.search(r"without privacy \((\d+\.\d) %\)", sentence(app))
        assert result is not None
        return float(result[1])

    assert without_privacy() < 70.0
    until(lambda: without_privacy() > 95.0, app)
    # Decisions by them are counted from one's own records likewise.
    until(lambda: "Predictive value" in numbers(app), app)
    result = re.search(r"Without privacy it is (0\.\d+), treating everybody", spoken(app))
    assert result is not None
    assert float(result[1]) > 0.45
