"""Explore with a table of one's own: described, handed over, and explored like any other."""

from __future__ import annotations

import shlex

import numpy as np
import pandas as pd
import pytest

from dpcore import cli
from dpcore.datasets import Preparation
from dpcore.datasets.partition import drawn
from dpcore.words import plain
from dpcore.work import jobs
from pages.shared import own_table
from tests.pages.explored import answered, below_title, finished, only_methods, readings, sentence
from tests.pages.shown import open_page, run, said

pytestmark = [
    pytest.mark.usefixtures("alone", "uploads_in_one_process", "jobs_at_once", "closed_forms"),
    pytest.mark.slow("runs whole pages"),
]

COLUMNS = """\
age: 18 to 90 years
smoker: one of no, yes
predict progression: 0 to 200 points"""


@pytest.fixture
def closed_forms(monkeypatch):
    """What is tested is the file and its description: one method beside that of the rule."""
    only_methods(monkeypatch, "opera")


ROWS = 2_600
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
    app = open_page("explore", data="Your own table", own_columns=columns, **link)
    return app if data is None else uploaded(app, data)


def uploaded(app, data, name="mine.csv"):
    app.file_uploader(key="upload_own").upload(name, data)
    return run(app)


def is_called_private(app):
    return any("not private" in warning.value for warning in app.warning)


def test_what_is_taken_along_gives_the_numbers_on_screen(tmp_path, monkeypatch):
    only_methods(monkeypatch, "opera")
    data = file(ROWS_OF_ONE_SPLIT)
    app = answered(opened(data=data, number_methods="OPERA", focus="OPERA", view="Take along"))
    shown = finished(app).dataframe[0].value
    (tmp_path / "your_file.csv").write_bytes(data)
    (tmp_path / "columns.yaml").write_text(COLUMNS)
    monkeypatch.chdir(tmp_path)
    line = next(block.value for block in app.code if "python -m dpcore" in block.value)
    assert cli.main(shlex.split(line.replace("\\\n", " "))[3:]) == 0
    assert np.allclose(pd.read_csv("cost.csv")["rmse"], shown["rmse"])
    (tmp_path / "columns.yaml").unlink()  # the Python holds the description itself
    scope: dict[str, object] = {}
    exec(next(block.value for block in app.code if "import" in block.value), scope)
    mine = scope["table"]
    assert isinstance(mine, pd.DataFrame)
    assert np.allclose(mine["rmse"], shown["rmse"])
    # What is compared with has no R².
    assert np.allclose(mine["r2"], shown["r2"], equal_nan=True)
    at_one = mine[(mine["method"] == "opera") & (mine["epsilon"] == 1.0)].iloc[0]
    assert readings(app)["RMSE"] == plain(at_one["rmse"])


def test_others_are_compared_once_the_records_are_declared_public(monkeypatch):
    only_methods(monkeypatch, "opera", "outpert")
    app = answered(opened(data=file(), number_methods="OPERA", view="Take along"))
    assert sentence(app).startswith("At ε = 1 the model is off by ")
    finished(app)
    alone = set(jobs._attempts)
    assert is_called_private(app)
    (box,) = (each for each in app.checkbox if each.label == own_table.DECLARE_PUBLIC)
    assert not box.value
    before = sentence(app)
    box.check()
    run(app)
    assert not app.warning
    finished(app)
    assert len(jobs._attempts) == len(alone) + 1
    assert sentence(app) == before
    # No link says it for somebody else, and another file is asked about anew.
    assert not any("public" in f"{name}{values}" for name, values in app.query_params.items())
    assert is_called_private(uploaded(app, file(), "other.csv"))


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
        app = answered(opened(PREDICTS, ill(place, rare), view="Noise σ", focus="OPERA"))
        assert not app.error
        charts = {chart.key: chart.proto.spec for chart in app.get("plotly_chart")}
        trained = next(
            text.value for text in app.caption if "trained on 2 080 records" in text.value
        )
        seen.append((below_title(app), trained, charts["sigma_figure"]))
        blank = "1 blank records are among those to learn from" in said(app)
        assert blank == (rare == "" and part == "learned from")
        assert ("ill is the same in every record" in said(app)) == (rare != "yes")
    assert seen[0] == seen[1] == seen[2]


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
    button.click()
    return run(app)


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
    narrow = SUGGESTED.replace("10 to 70", "10 to 30")
    answered(app.text_area(key="own_columns").set_value(narrow).run())
    assert not any("outside the range" in each.value for each in app.warning)
    # A range that cuts off some stands beside the answer, and one that cuts off hardly any not.
    assert "More than one in twenty values of bmi are outside the range" in said(app)
    answered(app.text_area(key="own_columns").set_value(SUGGESTED).run())
    assert "one in twenty" not in said(app)


@pytest.mark.parametrize("columns", ["", SUGGESTED])
def test_a_file_that_cannot_be_read_is_refused_with_what_to_do(columns):
    app = opened(columns, b"age,\0")
    (error,) = app.error
    assert "'mine.csv', line 1: it holds a zero byte" in error.value
    assert "What may the columns hold?" not in said(app)
    (error,) = uploaded(app, b"PK\x03\x04\x14\0\x06\0xl/workbook.xml").error
    assert "'mine.csv' is an Excel workbook or an archive" in error.value


@pytest.mark.parametrize(
    ("columns", "word"),
    [
        (COLUMNS.replace("0 to 200", "200 to 0"), "progression has the range 200 to 0"),
        (COLUMNS.replace("0 to 200 points", ""), "does not say what is predicted"),
        ("fields: [![x](http://example.org/x.png)]", "line 1"),
    ],
)
def test_a_wrong_description_in_a_link_is_refused_in_one_sentence(columns, word):
    app = opened(columns=columns)
    (error,) = app.error
    assert word in error.value
    assert "http" not in error.value
