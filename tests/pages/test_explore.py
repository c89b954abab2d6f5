"""Explore without a browser: the first view, each control, links and files from anyone."""

from __future__ import annotations

import io
import re
import shlex
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore import cli
from dpcore.accounting.risk import odds
from dpcore.controls.explore import EPSILONS, PRESETS, TABS
from dpcore.datasets import Preparation, catalogue, entry, load, prepare
from dpcore.erm.method import noise_advantage
from dpcore.evaluation.study import Study, calibrations_for, problem_for
from dpcore.guarantee import Adjacency, PrivacyBudget, default_delta
from dpcore.predictors import SELDOM_BEST
from dpcore.questions.cost.figure import RIGHT_GUESSES
from dpcore.questions.cost.question import CostQuestion
from dpcore.questions.told import command
from dpcore.words import at_most, plain
from dpcore.work import jobs
from pages.explore.controls import first_choice
from pages.shared import address
from pages.shared.display import PROMISES, to_the_safe_side
from tests.curves import answers
from tests.pages.expert import with_expert_open
from tests.pages.explored import (
    COHORT,
    all_methods,
    answered,
    at,
    below_title,
    figures,
    finished,
    gathered,
    headline,
    only_methods,
    readings,
    right_decisions,
    sentence,
)
from tests.pages.shown import open_page, picture, run, said

pytestmark = [
    pytest.mark.usefixtures("alone_together", "jobs_at_once"),
    pytest.mark.slow("runs whole pages"),
]


@pytest.fixture(autouse=True)
def closed_forms(monkeypatch):
    """Beside the method of the rule there are two, none of which is trained."""
    only_methods(monkeypatch, "outpert", "opera")


BREAST = {"data": "Breast cancer (Wisconsin)"}


def opened(**link):
    """The page with the breast-cancer set, unless the link names another."""
    return at(BREAST | link)


def test_the_numbers_are_those_of_the_package():
    app = opened(focus="DP-GD", threshold="50")
    row = answers(Study(methods=("dpgd",), epsilons=(1.0,), delta=1e-5)).iloc[0]
    assert "judged on 342 of them, 3 splits." in below_title(app)
    shown = readings(app)
    assert shown["Right decisions"] == f"{100 * row['accuracy']:.1f} %"
    missed = f"{row['missed_per_1000']:.0f} · {row['false_per_1000']:.0f}"
    assert shown["Missed · false alarms"] == missed


def test_no_number_is_shown_before_the_first_answer():
    app = open_page("explore", **BREAST, seed="11")
    assert not app.get("bidi_component")
    assert not app.metric
    assert "569 patients" in said(app)
    assert picture(answered(app))["stop"] == EPSILONS.index(1.0)


@pytest.mark.parametrize("link", [BREAST, COHORT | {"patients": "300"}], ids=str)
def test_the_first_answer_stays_when_all_work_has_ended(link):
    app = at(link | {"methods": ["OutPert", "OPERA"]})
    first = headline(app)
    assert len(picture(app)["panels"][0]["lines"]) == 1
    finished(app)
    assert len(picture(app)["panels"][0]["lines"]) == 3
    assert headline(app) == first


def test_a_moved_threshold_trains_nothing():
    app = opened(focus="OPERA", methods="OPERA")
    before, done = headline(app), set(jobs._attempts)
    assert app.slider(key="threshold").value == entry("breast_cancer").action.risk
    app.slider(key="threshold").set_value(50).run()
    assert set(jobs._attempts) == done
    assert headline(app)["readings"] != before["readings"]
    assert "50 %" in picture(app)["panels"][0]["title"]


def test_each_data_set_says_from_which_risk_one_acts_and_why():
    for one in catalogue():
        assert 1 <= one.action.risk <= 99, one.key
        assert re.fullmatch(r"[A-Z][^.!?]*\.", one.action.why), one.key


def test_random_features_take_the_place_of_the_columns(monkeypatch):
    only_methods(monkeypatch, "psgd")
    link = {"feature_map": "Random Fourier (Gaussian kernel)", "fourier_features": "64"}
    app = opened(**link, bandwidth="0.3", methods="PSGD", focus="PSGD", threshold="50")
    assert not app.warning
    made = Preparation(features="fourier", fourier_features=64, bandwidth=0.3)
    study = Study(methods=("psgd",), epsilons=(1.0,), preparation=made)
    assert readings(app)["Right decisions"] == right_decisions(study, 0.5)
    assert "--features fourier" in command(CostQuestion(study))


def test_models_are_compared_with_methods_and_seldom_best_ones_where_they_are_chosen(monkeypatch):
    all_methods(monkeypatch)
    choice = replace(first_choice(), study=Study("cohort", records=100))

    def coming(view):
        return {study.methods[0] for study in curve_studies(view)}

    def curve_studies(view):
        return [one.study for one in view.others.studies.values()] if view.others else []

    first = gathered(choice)
    assert {"decision-tree", "naive-bayes"} <= coming(first)
    assert not set(SELDOM_BEST) & set(first.whole.methods)
    assert set(first.waiting) == coming(first)
    listed = gathered(replace(choice, lists_all=True))
    assert (coming(listed), listed.count) == (coming(first), first.count)
    # With one method in focus nothing is trained but what is chosen.
    one = replace(choice, focus="opera")
    chosen = replace(choice.study, methods=("nonprivate", "opera", "pate"))
    assert coming(gathered(replace(one, study=chosen))) == {"nonprivate", "pate"}


def test_neither_a_tab_nor_another_method_changes_the_answer():
    app = opened()
    for link in ({"methods": "OutPert"}, *({"view": tab} for tab in TABS)):
        assert headline(opened(**link)) == headline(app), link
    focused = opened(methods="OutPert", focus="OutPert")
    assert headline(focused) != headline(app)


def test_the_sentence_says_the_numbers_beside_it():
    shown = picture(opened())
    _, cases, guesses = shown["readings"]
    for place in range(len(EPSILONS)):
        said_here = shown["sentences"][place].replace("**", "")
        epsilon, people, missed, instead, false, other = figures(said_here)[:6]
        assert (epsilon, people) == (EPSILONS[place], 1000)
        assert [missed, false] == figures(cases["values"][place])
        assert [instead, other] == figures(cases["notes"][place])[1:]
        assert guesses["values"][place].removesuffix(" of 100").split()[-1] in said_here


@pytest.mark.parametrize("link", [{"loss": "Huber SVM"}, {"data": "Diabetes progression"}], ids=str)
def test_what_is_lost_is_the_difference_of_the_numbers_shown(link):
    shown = picture(opened(**link))
    for epsilon in (0.01, 0.7, 100.0):
        place = EPSILONS.index(epsilon)
        measured = shown["readings"][0]["values"][place]
        _, value, lost, without, *_ = figures(shown["sentences"][place].replace("RMSE", ""))
        assert value == figures(measured)[0]
        assert lost == pytest.approx(abs(value - without), abs=1e-9)
        assert without == figures(shown["panels"][0]["rules"][0]["label"])[0]


def test_epsilon_moves_the_picture_and_is_said_where_there_is_no_curve():
    seen = set()
    for epsilon in ("0.01", "1", "100"):
        app = opened(epsilon=epsilon)
        assert picture(app)["stop"] == EPSILONS.index(float(epsilon))
        assert sentence(app).startswith(f"At ε = {epsilon}, ")
        seen.add(readings(app)["Right decisions"])
    assert len(seen) == 3
    # Between two stops it is said which one is shown.
    for epsilon, shown in ((1.2, True), (1.5, False), (1.3, True)):
        app.number_input(key="epsilon").set_value(epsilon).run()
        assert picture(app)["stop"] == EPSILONS.index(1.5 if epsilon == 1.5 else 1.0)
        stand_in = "Shown: ε = 1, the nearest below · "
        assert any(each.value.startswith(stand_in) for each in app.caption) == shown


def test_an_expert_control_that_is_changed_stays_in_force_when_they_are_closed():
    app = with_expert_open(opened())
    app.selectbox(key="loss").set_value("huber").run()
    shown = headline(answered(app))
    app.session_state["expert"] = False
    run(app)
    # It is drawn, closed or not: the address holds the values of drawn controls only.
    assert app.selectbox(key="loss").value == "huber"
    assert headline(app) == shown
    app.selectbox(key="loss").set_value("logistic").run()
    assert [box.key for box in app.sidebar.selectbox] == ["data", "start_from"]


def test_each_drop_down_changes_the_page():
    app = with_expert_open(opened(focus="OPERA"))
    for key, value in (
        ("missing", "impute"),
        ("adjacency", "replace-one"),
        ("loss", "huber"),
        ("scaling", "data"),
        ("data", "cohort"),
    ):
        before = headline(app)
        answered(app.selectbox(key=key).set_value(value).run())
        # Nothing is missing in the breast-cancer set, so filling gaps changes nothing there.
        assert (headline(app) == before) == (key == "missing"), key
        # A leak of data is said aloud.
        leaks = any("leak" in warning.value for warning in app.warning)
        assert leaks == (key in ("scaling", "data")), key


def delta_note(app):
    return next(caption.value for caption in app.sidebar.caption if "n·δ" in caption.value)


def test_an_own_delta_is_shown_with_n_and_warned_about_where_a_phone_shows_it():
    app = with_expert_open(opened())
    app.segmented_control(key="delta_way").set_value("My own").run()
    app.select_slider(key="delta").set_value(0.01).run()
    assert delta_note(app) == "δ = 0.01; n·δ ≈ 4.55 for 455 records"
    # On a phone the sidebar is closed, so the page itself must say it.
    assert sum("is at least 1/n" in warning.value for warning in app.main.warning) == 1


@pytest.mark.parametrize(("delta", "patients"), [("1e-6", "300"), ("1e-5", "1000"), ("", "300")])
def test_a_link_with_a_delta_means_it_and_one_without_means_the_rule(delta, patients):
    link = {"delta": delta} if delta else {}
    app = with_expert_open(opened(**COHORT, patients=patients, **link))
    assert app.segmented_control(key="delta_way").value == ("My own" if delta else "By rule")
    meant = float(delta) if delta else default_delta(int(patients))
    assert delta_note(app).startswith(f"δ = {plain(meant)}; ")
    assert not app.warning


def test_an_unproved_epsilon_is_said_and_the_odds_follow_what_is_certified():
    study = Study(methods=("outpert",), edition="published", epsilons=(3.0,), delta=1e-5)
    problem = problem_for(study, prepare(load("breast_cancer"), Preparation()))
    calibrated = calibrations_for(study, problem, 1e-5)["outpert"][0]
    certified = calibrated.certified.epsilon
    assert certified is not None
    assert certified < 1.0
    app = opened(edition="As in the paper", focus="OutPert", epsilon="3")
    assert "Conditions not met: ε = 3 is not proved here." in sentence(app)
    assert f"noise that is added is ε = {at_most(certified)}" in sentence(app)
    budget, noise = PrivacyBudget(certified, 1e-5), noise_advantage(calibrated)
    right = odds(budget, Adjacency.ZERO_OUT, noise).right
    assert right < odds(budget, Adjacency.ZERO_OUT).right
    assert readings(app)[RIGHT_GUESSES] == f"{right} of 100"


@pytest.mark.parametrize("focus", [{"focus": "OPERA"}, {}], ids=str)
def test_scaling_by_the_data_leaves_no_bound(focus):
    app = opened(scaling="By the data's own range (leaks)", **focus)
    assert readings(app)[RIGHT_GUESSES] == "all of 100"
    assert "is not proved here" in sentence(app)


# Each control is checked by itself, so that one link may ask for several things in vain.
HOSTILE = [
    {
        "epsilon": "0",
        "delta": "2",
        "data": "../../etc/passwd",
        "loss": "__import__('os')",
        "edition": "both",
        "lambda": "-1",
        "runs": "1e9",
    },
    {
        "epsilon": "-1",
        "data": "<script>alert(1)</script>",
        "methods": "'; drop table",
        "lambda_value": "-3",
        "adjacency": "add-remove",
    },
    {
        "epsilon": "nan",
        "steps": "many",
        "scaling": "x" * 5000,
        "intercept": "maybe",
        "focus": "nobody",
    },
    {"epsilon": "1e999", "patients": "10", "data": "Synthetic clinical cohort"},
    {"epsilon": ["1", "2", "3"]},
    {"epsilon": ""},
    {"epsilon": "\u202e1", "data": "\x00"},
]


@pytest.mark.parametrize("link", HOSTILE, ids=lambda link: " ".join(link))
def test_a_hostile_link_still_gives_a_whole_page(link):
    app = opened(**link)
    assert not app.error
    assert len(readings(app)) == 3
    for warning in app.warning:
        assert warning.value.count("\n- ") < address.MAX_REFUSALS  # nothing is left out
        assert all(len(line) < 300 for line in warning.value.splitlines())
        assert "<" not in warning.value


def test_what_a_link_asks_in_vain_is_said_once_and_the_rest_is_kept():
    link: dict[str, str | list[str]] = {"methods": ["OPERA", "nobody"], "unknown": ["a", "b"]}
    # GRPUA is known, but not among the chosen methods.
    link |= {"patients": "999999999", "steps": "1e99", "view": "Nowhere", "focus": "GRPUA"}
    app = opened(loss="Huber SVM", delta="1e-6", epsilon="nan", **link)
    (warning,) = app.warning
    for told in ("999999999", "Nowhere", "GRPUA", "nan", "1e99", "nobody", "unknown"):
        assert warning.value.count(f"“{told}”") == 1
    assert app.selectbox(key="loss").value == "huber"
    assert app.select_slider(key="delta").value == 1e-6
    assert app.pills(key="methods").value == ["opera"]
    assert set(app.query_params) == {"data", "methods", "loss", "delta", "delta_way"}
    assert "nobody" not in app.query_params["methods"]


@pytest.mark.parametrize("is_applied", [True, False])
def test_a_paper_s_settings_are_in_the_address_where_its_run_or_the_next_broke_off(is_applied):
    app = opened(methods="OPERA", focus="OPERA")
    preset = "Paper 002, figure 2: RMSE"
    address = {"number_methods": ["InputPert", "ObjPert", "OutPert, δ = 0"]}
    if is_applied:  # and the next run knows an older address
        app.selectbox(key="start_from").select(preset).run()
        for key in ("number_methods", "adjacency", "data"):
            del app.query_params[key]
    else:
        app.session_state["_kept_explore preset"] = (PRESETS[preset], address)
    assert run(app).query_params["number_methods"] == address["number_methods"]


CARDIO_HEAD = "id;age;gender;height;weight;ap_hi;ap_lo;cholesterol;gluc;smoke;alco;active;cardio\n"


def cardio_file(rows):
    draw = np.random.default_rng(0).integers
    lines = [
        f"{i};{draw(14_000, 23_000)};{draw(1, 3)};{draw(150, 190)};{draw(50, 110)}.0;"
        f"{draw(100, 170)};{draw(60, 99)};{draw(1, 4)};{draw(1, 4)};{draw(0, 2)};{draw(0, 2)};"
        f"{draw(0, 2)};{i % 2}"
        for i in range(rows)
    ]
    return (CARDIO_HEAD + "\n".join(lines) + "\n").encode()


@pytest.mark.usefixtures("uploads_in_one_process")
def test_an_uploaded_file_is_explored_called_not_private_and_taken_along_as_a_file():
    link = {"data": "Cardiovascular disease (check-ups)", "focus": "OPERA", "runs": "10"}
    app = open_page("explore", **link, view="Take along")
    assert "kaggle.com" in said(app)
    app.file_uploader[0].upload("mine.csv", cardio_file(400))
    answered(run(app))
    assert "· 400 patients ·" in below_title(app)
    assert any("not private" in warning.value for warning in app.warning)
    (line,) = (block.value for block in app.code if "python -m dpcore" in block.value)
    assert "--table your_file.csv" in line
    assert "--dataset cardio" in line
    assert "--columns" not in line
    assert any("file='your_file.csv'" in block.value for block in app.code)


def test_the_csv_to_take_along_marks_its_measures(monkeypatch):
    taken: list[bytes] = []

    def button(label, data, **_):
        if label == "Download CSV":
            taken.append(data())

    monkeypatch.setattr("streamlit.download_button", button)
    app = opened(view="Take along", methods=["OPERA"])
    table = pd.read_csv(io.BytesIO(taken[-1]))
    assert set(table.pop("measures")) == {"not private"}
    assert list(table.columns) == list(app.dataframe[0].value.columns)


def test_the_commands_to_take_along_give_the_table_on_screen(tmp_path, monkeypatch):
    link = {"methods": ["OutPert", "DP-GD"], "runs": "10", "steps": "5"} | COHORT
    app = at(link | {"view": "Take along", "edition": "As in the paper", "patients": "300"})
    shown = finished(app).dataframe[0].value
    assert len(shown[["method", "edition"]].drop_duplicates()) == 5
    (script,) = (block.value for block in app.code if "python -m dpcore" in block.value)
    monkeypatch.chdir(tmp_path)
    for line in script.replace("\\\n", " ").splitlines():
        python, dash_m, package, *rest = shlex.split(line)
        assert (python, dash_m, package) == ("python", "-m", "dpcore")
        assert cli.main(rest) == 0
    parts = [pd.read_csv(tmp_path / name) for name in ("sound.csv", "published.csv")]
    table = to_the_safe_side(pd.concat(parts, ignore_index=True), PROMISES)
    assert set(table.pop("measures")) == {"not private"}
    assert list(table.columns) == list(shown.columns)
    assert (table["method"] == shown["method"].to_numpy()).all()
    for column in shown.columns:
        if shown[column].dtype.kind in "fi":
            assert np.allclose(table[column], shown[column], rtol=1e-9, equal_nan=True), column
        else:
            assert (table[column].fillna("") == shown[column].fillna("")).all(), column
