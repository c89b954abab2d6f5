"""The page of what can be published: an answer at once, by the link's settings."""

import re
import shlex

import pytest

from dpcore.cli import _parser
from tests.pages.shown import charts, open_page, picture, run, said, with_table
from tests.pages.waiting import until

pytestmark = [
    pytest.mark.usefixtures("alone_together", "jobs_at_once"),
    pytest.mark.slow("runs whole pages"),
]
MARK = 'class="described"'
SMALL = {"describe_patients": "300"}


def opened(**link):
    app = open_page("describe", **SMALL, **link)
    until(lambda: app.get("bidi_component"), app)
    return app


def table(app):
    """The table as it is written; "" while it is computed."""
    return "".join(each.proto.body for each in app.get("html") if MARK in each.proto.body)


def test_it_opens_on_the_cohort_by_its_outcome():
    app = opened()
    shown = picture(app)
    assert {one["label"] for one in shown["readings"]} >= {"Typical error", "Worst error"}
    headings = re.findall(r'scope="col">([^<]*)<', table(app))
    assert headings == ["by admitted", "all", "no", "yes"]
    notes = [one["notes"][shown["stop"]] for one in shown["readings"]]
    assert any("δ = 10⁻⁶ · zero-out · Gaussian DP" in note for note in notes)
    assert "noise alone is still" in said(app)  # of so few patients


def test_it_says_how_such_a_table_may_leave():
    app = opened(describe_by="sex", describe_epsilon="3", describe_columns=["age", "bmi"])
    (shown,) = [each.value for each in app.code if "dpcore publish" in each.value]
    words = shlex.split(shown.replace("\\\n", " "))[3:]
    assert words[words.index("--epsilon") + 1] == "3"
    assert {"--by", "sex", "--only", "age,bmi"} <= set(words)
    assert _parser().parse_args(words).command == "publish"
    assert "These records are public, so nothing is paid for them here" in said(app)


def test_the_table_follows_epsilon():
    app = opened()
    before = table(app)
    app.number_input(key="describe_epsilon").set_value(10.0)
    assert table(run(app)) != before
    assert picture(app)["stop"] == len(picture(app)["sentences"]) - 1


@pytest.mark.parametrize("view", ["Table", "Survival"])
def test_the_table_behind_is_at_the_chosen_epsilon(view):
    app = opened(describe_view=view, describe_epsilon="6")
    with_table(app, "describe" if view == "Table" else "survival")
    assert set(app.dataframe[0].value["epsilon"]) == {5.0}
    assert "The rows at ε = 5. The CSV has every ε." in said(app)
    app.number_input(key="describe_epsilon").set_value(0.1)
    assert set(run(app).dataframe[0].value["epsilon"]) == {0.1}


def test_what_a_link_may_not_hold_is_told_and_left_out():
    app = opened(describe_by="<b>age", describe_number="nothing, mean", describe_within="inf")
    warned = app.warning[0].value
    assert all(name in warned for name in ("groups by", "the number", "shares within"))
    assert not {"describe_by", "describe_number", "describe_within"} & set(app.query_params)


def test_the_noise_is_drawn_ten_times():
    app = opened(describe_closer="true", describe_number="age, median")
    until(lambda: {"draws_figure", "histogram_figure"} <= charts(app), app)
    app.selectbox(key="describe_number").set_value("sex: female")
    until(lambda: "“sex: female” of all" in said(app), run(app))
    assert "histogram_figure" not in charts(app)


def test_columns_and_groups_are_chosen_by_a_press():
    app = opened(describe_by="sex")
    app.button_group(key="describe_columns").set_value(["age"])
    until(lambda: table(app), run(app))
    assert "smoker" not in table(app)
    app.button(key="preset Table 1").click()
    until(lambda: "smoker" in table(app), run(app))
    assert re.findall(r'scope="col">([^<]*)<', table(app)) == ["", "all"]


def test_what_is_not_ticked_is_not_told():
    app = opened(describe_by="sex")
    app.button_group(key="describe_statistics").set_value(["means"])
    until(lambda: table(app), run(app))
    assert "age, years" in table(app)
    assert not {"smoker", "median"} & set(re.findall(r"[a-z]+", table(app)))
    (shown,) = [each.value for each in app.code if "dpcore publish" in each.value]
    assert "--statistics means" in shown
    app.button_group(key="describe_statistics").set_value([])
    assert "No statistic is ticked" in run(app).error[0].value


def test_two_columns_are_crossed_by_a_choice():
    link = {"describe_columns": ["sex", "smoker"], "describe_number": "sex × smoker: male × yes"}
    app = opened(describe_by="no groups", describe_cross="sex × smoker", **link)
    assert "male × yes" in table(app)
    assert picture(app)["panels"][0]["title"].startswith("Error of “sex × smoker: male × yes”")
    (shown,) = [each.value for each in app.code if "dpcore publish" in each.value]
    assert "--cross sex:smoker" in shown
    app.button(key="preset Table 1").click()
    until(lambda: "systolic" in table(app), run(app))
    assert "male × yes" not in table(app)


COLUMNS = "age: 18 to 90 years\nsex: one of f, m; unknown: blank\npredict ill: one of no, yes"
ROWS = "30,f,no\n61,m,yes\n45,,yes\n78,m,no\n" * 50


@pytest.mark.usefixtures("uploads_in_one_process")
def test_a_table_of_ones_own_is_summarised_and_marked():
    app = open_page("describe", describe_data="Your own table", own_columns=COLUMNS)
    app.file_uploader(key="upload_own").upload("mine.csv", f"age,sex,ill\n{ROWS}".encode())
    until(lambda: table(app), run(app))
    assert "200 records" in said(app)
    assert "not private" in app.warning[0].value
    assert re.findall(r'scope="col">([^<]*)<', table(app)) == ["by ill", "all", "no", "yes"]
    code = " ".join(each.value for each in with_table(app, "describe").code)
    assert "--table your_file.csv" in code
    (link,) = (
        each.proto for each in app.get("page_link") if each.proto.label == "Pay for this table"
    )
    assert "release_loss=Table+of+numbers" in link.query_string
    assert "release_table=My+own+table" in link.query_string


@pytest.mark.usefixtures("uploads_in_one_process")
def test_names_of_ones_own_are_shown_as_they_are():
    columns = "*age*: 0 to 1\n<i>x: one of <b>f, *m*\npredict ill: one of no, yes"
    app = open_page("describe", describe_data="Your own table", own_columns=columns)
    rows = "0.5,<b>f,no\n0.25,*m*,yes\n" * 50
    app.file_uploader(key="upload_own").upload("mine.csv", f"*age*,<i>x,ill\n{rows}".encode())
    until(lambda: table(app), run(app))
    assert "&lt;i&gt;x" in table(app)
    assert "&lt;b&gt;f" in table(app)
    labels = set(app.button_group(key="describe_columns").options)
    assert not labels & {"*age*", "<i>x"}


def test_survival_is_shown_as_curves_that_move_with_epsilon():
    app = opened(describe_view="Survival", describe_by="sex")
    shown = picture(app)
    assert [line["name"] for line in shown["curves"]["stops"][0]] == ["sex: female", "sex: male"]
    assert len(shown["curves"]["stops"]) == len(shown["sentences"])
    assert "event-free at 60" in table(app)
    assert "Bands are pointwise" in said(app)
    (leaving,) = [each.value for each in app.code if "dpcore publish" in each.value]
    words = shlex.split(leaving.replace("\\\n", " "))[3:]
    assert {"--time", "followed", "--event", "died=yes", "--by", "sex"} <= set(words)
    assert _parser().parse_args(words).command == "publish"
    before = table(app)
    app.number_input(key="describe_epsilon").set_value(10.0)
    assert table(run(app)) != before


def test_a_preset_leads_to_survival_and_back():
    app = opened()
    by_title = {each.label: each for each in app.button}
    by_title["Survival by sex"].click()
    until(lambda: "event-free" in table(app), run(app))
    next(each for each in app.button if each.label == "Table 1").click()
    until(lambda: "smoker" in table(app), run(app))
    assert "event-free" not in table(app)


def test_a_table_without_a_follow_up_is_told_what_is_missing():
    app = open_page("describe", describe_view="Survival", describe_data="Breast cancer (Wisconsin)")
    assert {each.label for each in app.selectbox} >= {"Time", "Event"}


@pytest.mark.usefixtures("uploads_in_one_process")
def test_time_and_event_of_ones_own_table_are_chosen():
    columns = "months: 0 to 60 months\n<i>x: one of <b>f, *m*\npredict died: one of no, yes"
    link = {"describe_view": "Survival", "survival_event": "died=yes", "own_columns": columns}
    app = open_page("describe", describe_data="Your own table", **link)
    rows = "12.5,<b>f,no\n30,*m*,yes\n60,*m*,no\n" * 50
    app.file_uploader(key="upload_own").upload("mine.csv", f"months,<i>x,died\n{rows}".encode())
    until(lambda: table(app), run(app))
    assert "event-free at 60" in table(app)
    assert app.selectbox(key="survival_time").options == ["months"]
    assert app.selectbox(key="survival_event").options[-1] == "died=no"
    app.selectbox(key="describe_by").set_value("<i>x")
    until(lambda: "&lt;b&gt;f" in table(app), run(app))
    assert "not private" in app.warning[0].value
