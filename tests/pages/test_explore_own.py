"""Explore with a table of one's own: described, handed over, and explored like any other."""

from __future__ import annotations

import shlex

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dpcore import cli
from dpcore.datasets import Preparation
from dpcore.datasets.prepare import drawn
from dpcore.figures.words import plain
from tests.pages.test_explore_regression import APP, alone, spoken

__all__ = ["alone"]

COLUMNS = """\
age: 18 to 90 years
smoker: one of no, yes
predict progression: 0 to 200 points"""


def file(rows: int = 300) -> bytes:
    draw = np.random.default_rng(0)
    age, smoker = draw.uniform(20, 85, rows), draw.integers(0, 2, rows)
    progression = 2.0 * (age - 20.0) + 40.0 * smoker + draw.normal(0.0, 10.0, rows)
    lines = [
        f"p{i},{age[i]:.1f},{('no', 'yes')[smoker[i]]},{progression[i]:.1f},{'abc'[i % 3]}"
        for i in range(rows)
    ]
    return ("patient,age,smoker,progression,ward\n" + "\n".join(lines) + "\n").encode()


def opened(columns: str = COLUMNS, data: bytes | None = None, **link: str | list[str]) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=180)
    app.query_params["data"] = "Your own table"
    for name, value in {"own_columns": columns, "v": "2", **link}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    if data is not None:
        app.file_uploader(key="upload_own").upload("mine.csv", data)
        app.run()
        assert not app.exception
    return app


def test_a_number_to_predict_is_told_in_errors_and_called_not_private() -> None:
    app = opened(data=file(), number_methods="OPERA", view="About the data")
    assert app.title[0].value == "Your own table · 300 records · Linear regression"
    assert {"RMSE", "R²"} <= {metric.label for metric in app.metric}
    assert any("not private" in warning.value for warning in app.warning)
    assert not app.error
    said = spoken(app)
    assert "What is predicted: progression, by its public bounds from 0 to 200 points." in said
    assert "takes the ranges and lists of your description to be public." in said
    assert "2 columns were ignored (not described)." in said
    assert "of progression. Errors are counted from the clipped values of progression." in said


def test_what_is_taken_along_gives_the_numbers_on_screen(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(data=file(), number_methods="OPERA", view="Take along")
    shown = app.dataframe[0].value
    (tmp_path / "your_file.csv").write_bytes(file())
    (tmp_path / "columns.txt").write_text(COLUMNS)
    monkeypatch.chdir(tmp_path)
    line = next(block.value for block in app.code if "python -m dpcore" in block.value)
    (first, *_) = line.split("--output closed_form.csv")
    assert cli.main([*shlex.split(first.replace("\\\n", " "))[3:], "--output", "out.csv"]) == 0
    assert np.allclose(pd.read_csv("out.csv")["rmse"], shown["rmse"])
    assert "columns.txt holds the description of its columns." in spoken(app)
    (tmp_path / "columns.txt").unlink()  # the Python holds the description itself
    scope: dict[str, object] = {}
    exec(next(block.value for block in app.code if "import" in block.value), scope)
    mine = pd.concat(scope["curves"], ignore_index=True)  # type: ignore[arg-type]
    assert np.allclose(mine["rmse"], shown["rmse"])
    assert np.allclose(mine["r2"], shown["r2"])
    at_one = mine[(mine["method"] == "opera") & (mine["epsilon"] == 1.0)].iloc[0]
    assert {m.label: m.value for m in app.metric}["RMSE"] == plain(at_one["rmse"])


PREDICTS = COLUMNS.replace("predict progression: 0 to 200 points", "predict ill: one of no, yes")


def ill(place: int, rare: str = "yes") -> bytes:
    """Of 120 people one is ill: that in this place, unless something else stands there."""
    lines = [f"{20 + i % 60},{('no', 'yes')[i % 2]},no" for i in range(120)]
    lines[place] = f"40,yes,{rare}" if rare else ",,"
    return ("age,smoker,ill\n" + "\n".join(lines) + "\n").encode()


@pytest.mark.parametrize("part", ["learned from", "judged on"])
def test_the_only_record_of_a_class_may_go_and_nothing_but_measures_changes(part: str) -> None:
    held_out = drawn(120, Preparation())
    place = int(np.flatnonzero(held_out == (part == "judged on"))[2])
    seen = []
    for rare in ("yes", "no", ""):
        app = opened(PREDICTS, ill(place, rare))
        assert not app.error
        sigma = next(metric.value for metric in app.metric if metric.label == "Noise σ")
        trained = next(text.value for text in app.caption if "Trained on 96 records" in text.value)
        seen.append((app.title[0].value, trained, sigma))
        blank = "1 blank records are among those to learn from" in spoken(app)
        assert blank == (rare == "" and part == "learned from")
        assert ("ill is the same in every record" in spoken(app)) == (rare != "yes")
    assert seen[0] == seen[1] == seen[2]


def test_before_the_file_is_there_the_page_says_what_it_takes() -> None:
    app = opened(columns="")
    assert app.title[0].value.startswith("Your own table")
    assert not app.error
    assert not app.warning
    assert not app.metric
    assert "never from these records" in spoken(app)
    assert any("predict progression: 0 to 350" in block.value for block in app.code)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (COLUMNS.replace("0 to 200", "200 to 0"), "progression has the range 200 to 0"),
        (COLUMNS.replace("0 to 200 points", ""), "no line that begins with “predict”"),
        ("![x](http://example.org/x.png): 0 to 1", "line 1 must be the name of a column"),
    ],
)
def test_a_wrong_description_in_a_link_is_refused_in_one_sentence(columns: str, said: str) -> None:
    app = opened(columns=columns)
    assert len(app.error) == 1
    assert said in app.error[0].value
    assert "example" not in spoken(app) + app.error[0].value


def test_a_slip_in_the_description_or_a_look_at_other_data_changes_nothing_else() -> None:
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


def test_a_file_that_is_not_as_described_is_refused_at_its_line() -> None:
    app = opened(data=file().replace(b",yes,", b",perhaps,", 1))
    assert len(app.error) == 1
    assert "smoker is 'perhaps', but it must be one of no, yes" in app.error[0].value
    assert not app.metric
    assert not app.get("plotly_chart")


def test_two_outcomes_are_told_in_accuracy() -> None:
    columns = "age: 18 to 90 years\nprogression: 0 to 200\npredict smoker: one of no, yes"
    app = opened(columns, file(), methods="OPERA", view="Per 1,000")
    assert app.title[0].value == "Your own table · 300 records · Logistic regression"
    assert "Accuracy" in {metric.label for metric in app.metric}
    assert not app.error


def test_a_number_that_a_model_without_noise_meets_exactly_is_drawn() -> None:
    rows = file(60).decode().splitlines()
    meets = [",".join([*row.split(",")[:3], "100", "a"]) for row in rows[1:]]
    # One record of the test set alone has another value.
    test = next(i for i, held_out in enumerate(drawn(60, Preparation())) if held_out)
    meets[test] = meets[test].replace(",100,", ",150,")
    app = opened(data="\n".join([rows[0], *meets]).encode(), number_methods="OPERA")
    assert not app.error
    assert "Objective" in [tab.label for tab in app.tabs]
