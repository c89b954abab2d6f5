"""Explore without a browser: the first view, each control, links and files from anyone."""

from __future__ import annotations

import io
import json
import re
import shlex
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore import cli
from dpcore.accounting.risk import odds
from dpcore.controls.explore import EPSILONS, PRESETS, TABS
from dpcore.datasets import Preparation, entry, load, prepare
from dpcore.erm.privacy_curve import noise_advantage
from dpcore.evaluation import curves, references
from dpcore.evaluation.baselines import baselines
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study, calibrations_for, problem_for
from dpcore.evaluation.task import JobContext
from dpcore.export import explore as export
from dpcore.figures.words import at_most, plain
from dpcore.guarantee import Adjacency, PrivacyBudget, default_delta
from dpcore.predictors import SELDOM_BEST
from dpcore.questions.cost.question import answers
from pages.explore import curve_jobs
from pages.explore.controls import every_method, first_choice
from pages.explore.view import gather
from pages.shared import query
from pages.shared.texts import RIGHT_GUESSES
from tests.pages.expert import with_expert_open
from tests.pages.explored import (
    all_methods,
    at_first,
    below_title,
    cost,
    number,
    only_methods,
    sentence,
)
from tests.pages.shown import charts, numbers, open_page, run, said
from tests.pages.waiting import until

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]


@pytest.fixture(autouse=True)
def closed_forms(monkeypatch):
    """The best is that of two methods, none of which is trained, unless a test takes all."""
    only_methods(monkeypatch, "outpert", "opera")


BREAST = {"data": "Breast cancer (Wisconsin)"}
COHORT = {"data": "Synthetic clinical cohort"}


def at(link):
    return open_page("explore", **link)


def opened(**link):
    """The page with the breast-cancer set, unless the link names another."""
    return at(BREAST | link)


def done(study):
    """What its job leaves."""
    work = curves.work if isinstance(study, Study) else references.work
    return work(study, JobContext()).rows  # type: ignore[arg-type]


@pytest.mark.usefixtures("seven_splits")
def test_the_numbers_are_those_of_the_package(monkeypatch):
    study = Study(methods=("opera",), epsilons=(1.0,), delta=1e-5)
    app = opened(focus="OPERA")
    for row, words in (
        (at_first(study), "in 5 of 7 splits so far."),
        (answers(study).iloc[0], "judged on 569 of them, in 7 splits."),
    ):
        assert words in below_title(app)
        shown = numbers(app)
        assert shown["Accuracy"] == f"{100 * row['accuracy']:.1f} %"
        missed = f"{row['missed_per_1000']:.0f} · {row['false_per_1000']:.0f}"
        assert shown["Missed · false alarms"] == missed
        # As once the jobs are done.
        monkeypatch.setattr(curve_jobs, "is_done", lambda study: True)
        monkeypatch.setattr(curve_jobs, "results", done)
        run(app)
    lam = baselines(splits(load("breast_cancer"), Preparation())).lam
    assert f"The linear one has λ = {plain(lam)}, " in app.metric[0].help


@pytest.mark.usefixtures("seven_splits")
@pytest.mark.parametrize("edition", ["sound", "published"])
@pytest.mark.parametrize(
    ("missing", "splits"),
    [("", 7), ("references", 5), ("opera", 5), ("nonprivate", 5)],
)
def test_while_jobs_run_everything_is_compared_on_the_same_splits(
    monkeypatch, edition, missing, splits
):
    def is_done(study):
        name = study.methods[0] if isinstance(study, Study) else "references"
        return name != missing

    only_methods(monkeypatch, "opera", "dpgd")
    monkeypatch.setattr(curve_jobs, "grid", lambda *_: (1.0,))
    monkeypatch.setattr(curve_jobs, "is_done", is_done)
    monkeypatch.setattr(curve_jobs, "results", done)
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")
    methods = ("nonprivate", "opera", "dpgd")
    view = gather(replace(first_choice(), study=Study(methods=methods, edition=edition)))
    assert view.splits == splits
    for rows in (view.table, view.everything):
        assert set(rows["method"]) | {"nonprivate"} == set(methods)
        assert set(rows["splits"]) == {splits}
        assert set(rows["accuracy_baseline"]) == {view.compared.value}


def test_random_features_take_the_place_of_the_columns(monkeypatch):
    only_methods(monkeypatch, "psgd")
    link = {"feature_map": "Random Fourier (Gaussian kernel)", "fourier_features": "64"}
    app = opened(**link, bandwidth="0.3", methods="PSGD", focus="PSGD")
    assert not app.warning
    made = Preparation(features="fourier", fourier_features=64, bandwidth=0.3)
    study = Study(methods=("psgd",), epsilons=(1.0,), preparation=made)
    assert numbers(app)["Accuracy"] == f"{100 * at_first(study)['accuracy']:.1f} %"
    assert "--features fourier" in export.command(study)


def test_the_best_is_taken_from_all_methods_whichever_are_drawn(monkeypatch):
    all_methods(monkeypatch)
    app, poorer = opened(), opened(methods="OutPert")
    words = r": best proved of ((\d+) of (\d+) methods compared) by results"
    counted = re.search(words, said(app))
    assert counted is not None
    count, done, total = counted.groups()
    assert int(done) < int(total) < len(every_method("logistic", entry("cohort")))
    assert f"{count}; the rest" in sentence(app)
    assert numbers(app) == numbers(poorer)
    assert sentence(app) == sentence(poorer)
    focused = opened(methods="OutPert", focus="OutPert")
    assert number(numbers(focused)["Accuracy"]) < number(numbers(app)["Accuracy"])


def test_models_are_compared_with_methods_and_seldom_best_ones_where_they_are_chosen(monkeypatch):
    all_methods(monkeypatch)
    choice = replace(first_choice(), study=Study("cohort", records=100))

    def trained(view):
        studies = [study for jobs in view.untrained for study in jobs.studies.values()]
        return {study.methods[0] for study in studies if isinstance(study, Study)}

    first = gather(choice)
    assert {"dpgd", "decision-tree", "naive-bayes"} <= trained(first)
    assert not set(SELDOM_BEST) & set(first.whole.methods)
    assert set(first.waiting) == trained(first)
    listed = gather(replace(choice, lists_all=True))
    assert (trained(listed), listed.count) == (trained(first), first.count)
    # With one method in focus nothing is trained but what is chosen: a link that names its methods
    # opens as it did before there were models to choose.
    one = replace(choice, ranks=False)
    assert trained(gather(one)) == {"dpgd"}
    chosen = replace(choice.study, methods=("nonprivate", "pate"))
    assert trained(gather(replace(one, study=chosen))) == {"pate"}


def test_a_tab_never_changes_the_answer(monkeypatch):
    all_methods(monkeypatch)
    app = opened()
    for tab in TABS:
        other = opened(view=tab)
        assert other.session_state["view"] == tab
        assert (sentence(other), numbers(other)) == (sentence(app), numbers(app)), tab


@pytest.mark.parametrize(
    "link", [{}, {"compared_by": "AUC"}, {"data": "Diabetes progression"}], ids=str
)
def test_the_two_parts_of_the_cost_add_up_as_they_are_shown(link, monkeypatch):
    all_methods(monkeypatch)
    app = opened(**link)
    for epsilon in (0.01, 0.7, 100.0):
        app.number_input(key="epsilon").set_value(epsilon).run()
        assert not app.exception
        total, form, noise = cost(app)
        assert total == form + noise
        without = re.search(r"without privacy \(([\d.,]+)", sentence(app))
        assert without is not None
        assert total == number(app.metric[0].value) - number(without[1])
        assert f"{abs(total)} " in sentence(app)


def test_epsilon_moves_the_numbers_the_sentence_and_the_line_in_the_chart():
    seen = set()
    for epsilon in ("0.01", "1", "100"):
        app = opened(epsilon=epsilon)
        figures = {chart.key: json.loads(chart.proto.spec) for chart in app.get("plotly_chart")}
        shapes = figures["accuracy_figure"]["layout"]["shapes"]
        assert [one["x0"] for one in shapes if one["x0"] == one["x1"]] == [float(epsilon)]
        accuracy = numbers(app)["Accuracy"]
        seen.add(accuracy)
        start = f"At ε = {epsilon} the best proved model so far is right for {accuracy} of "
        assert sentence(app).startswith(start)
    assert len(seen) == 3
    # Between two curves it is said which one is shown.
    for epsilon, shown in ((1.2, True), (1.5, False), (1.3, True)):
        app.number_input(key="epsilon").set_value(epsilon).run()
        stand_in = "Shown: ε = 1, the nearest below · "
        assert any(each.value.startswith(stand_in) for each in app.caption) == shown


def test_the_slider_follows_the_field_and_the_field_the_slider():
    app = opened(epsilon="3")
    slider, field = app.select_slider(key="epsilon_slider"), app.number_input(key="epsilon")
    assert (slider.value, field.value) == (3.0, 3.0)
    field.set_value(0.08).run()
    assert app.select_slider(key="epsilon_slider").value == 0.07
    assert app.number_input(key="epsilon").value == 0.08
    app.select_slider(key="epsilon_slider").set_value(0.01).run()
    assert app.number_input(key="epsilon").value == 0.01
    assert sentence(app).startswith("At ε = 0.01 ")
    # The field alone is in the address.
    assert "epsilon_slider" not in app.query_params
    # A run that changes nothing leaves the slider to the reader, who may be moving it.
    assert not app.run().select_slider(key="epsilon_slider").proto.set_value
    # The browser takes the default where the run that had set it was interrupted.
    for epsilon, stop in (("0.9", 0.7), ("0.0015", 0.0015)):
        slider = run(opened(epsilon=epsilon)).select_slider(key="epsilon_slider")
        assert list(slider.proto.default) == [EPSILONS.index(stop)]
        assert slider.value == stop


def test_an_expert_control_that_is_changed_stays_in_force_when_they_are_closed():
    app = with_expert_open(opened())
    app.selectbox(key="loss").set_value("huber").run()
    shown = numbers(app)
    app.session_state["expert"] = False
    run(app)
    # It is drawn, closed or not: the address holds the values of drawn controls only.
    assert app.selectbox(key="loss").value == "huber"
    assert numbers(app) == shown
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
        before = numbers(app)
        app.selectbox(key=key).set_value(value).run()
        assert not app.exception
        # Nothing is missing in the breast-cancer set, so filling gaps changes nothing there.
        assert (numbers(app) == before) == (key == "missing"), key
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


@pytest.mark.parametrize(("delta", "patients"), [("1e-6", "300"), ("1e-5", "30,000"), ("", "300")])
def test_a_link_with_a_delta_means_it_and_one_without_means_the_rule(delta, patients):
    link = {"delta": delta} if delta else {}
    app = with_expert_open(opened(**COHORT, patients=patients, **link))
    assert app.segmented_control(key="delta_way").value == ("My own" if delta else "By rule")
    by_rule = plain(default_delta(int(patients.replace(",", ""))))
    assert delta_note(app).startswith(f"δ = {delta or by_rule}; ")
    assert not app.warning


def test_what_takes_long_is_computed_once_something_in_sight_shows_it():
    first = gather(first_choice())
    assert (
        first.everything[["auc", "auc_noiseless", "objective", "excess_risk"]]
        .isna()
        .to_numpy()
        .all()
    )
    assert first.table["accuracy"].notna().all()
    whole = gather(replace(first_choice(), left_out=()))
    shared = [name for name in whole.everything if not whole.everything[name].isna().any()]
    assert {"auc", "objective"} <= set(shared)
    told = [name for name in shared if not first.everything[name].isna().any()]
    assert {"accuracy", "accuracy_low", "missed_per_1000", "sigma"} <= set(told)
    pd.testing.assert_frame_equal(first.everything[told], whole.everything[told])
    by_area = gather(replace(first_choice(), measure="auc", left_out=("objective", "excess_risk")))
    assert by_area.everything["auc"].equals(whole.everything["auc"])
    assert by_area.everything["objective"].isna().all()


def test_an_unproved_epsilon_is_said_and_the_odds_follow_what_is_certified():
    study = Study(methods=("outpert",), edition="published", epsilons=(3.0,), delta=1e-5)
    problem = problem_for(study, prepare(load("breast_cancer"), Preparation()))
    calibrated = calibrations_for(study, problem, 1e-5)["outpert"][0]
    certified = calibrated.certified.epsilon
    assert certified is not None
    assert certified < 1.0
    app = opened(edition="As in the paper", focus="OutPert", epsilon="3")
    assert "Conditions not met: ε = 3 is not proved here." in said(app)
    assert f"noise that is added is ε = {at_most(certified)}" in said(app)
    budget, noise = PrivacyBudget(certified, 1e-5), noise_advantage(calibrated)
    right = odds(budget, Adjacency.ZERO_OUT, noise).right
    assert right < odds(budget, Adjacency.ZERO_OUT).right
    assert numbers(app)[RIGHT_GUESSES] == f"{right} of 100"


def test_scaling_by_the_data_leaves_no_bound_and_no_best_method():
    link = {"scaling": "By the data's own range (leaks)"}
    assert numbers(opened(**link, focus="OPERA"))[RIGHT_GUESSES] == "no bound"
    app = opened(**link)
    assert set(numbers(app).values()) == {"…"}
    assert "accuracy_figure" not in charts(app)


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
    assert len(app.metric) == 3
    for warning in app.warning:
        assert warning.value.count("\n- ") < query.MAX_REFUSALS  # nothing is left out
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


def test_an_uploaded_file_is_explored_called_not_private_and_taken_along_as_a_file():
    app = opened(data="Cardiovascular disease (check-ups)", view="Take along")
    assert "kaggle.com" in said(app)
    app.file_uploader[0].upload("mine.csv", cardio_file(400))
    run(app)
    assert "· 400 patients ·" in below_title(app)
    assert any("not private" in warning.value for warning in app.warning)
    (line,) = (block.value for block in app.code if "python -m dpcore" in block.value)
    assert "--table your_file.csv" in line
    assert "--dataset cardio" in line
    assert "--columns" not in line
    assert any("file='your_file.csv'" in block.value for block in app.code)


def test_the_csv_to_take_along_marks_its_measures(monkeypatch):
    taken: list[bytes] = []
    monkeypatch.setattr("streamlit.download_button", lambda _, data, **__: taken.append(data))
    app = opened(view="Take along", methods=["OPERA"])
    table = pd.read_csv(io.BytesIO(taken[-1]))
    assert set(table.pop("measures")) == {"not private"}
    assert list(table.columns) == list(app.dataframe[0].value.columns)


def test_the_commands_to_take_along_give_the_table_on_screen(tmp_path, monkeypatch):
    only_methods(monkeypatch, "outpert", "dpgd")
    link = {"methods": ["OutPert", "DP-GD"], "runs": "10", "steps": "5"} | COHORT
    app = opened(view="Take along", edition="As in the paper", patients="300", **link)
    until(lambda: "dpgd" in set(app.dataframe[0].value["method"]), app)
    shown = app.dataframe[0].value
    assert len(shown[["method", "edition"]].drop_duplicates()) == 5
    (script,) = (block.value for block in app.code if "python -m dpcore" in block.value)
    monkeypatch.chdir(tmp_path)
    for line in script.replace("\\\n", " ").splitlines():
        python, dash_m, package, *rest = shlex.split(line)
        assert (python, dash_m, package) == ("python", "-m", "dpcore")
        assert cli.main(rest) == 0
    parts = [pd.read_csv(tmp_path / name) for name in ("sound.csv", "published.csv")]
    table = pd.concat(parts, ignore_index=True)
    assert set(table.pop("measures")) == {"not private"}
    assert list(table.columns) == list(shown.columns)
    assert (table["method"] == shown["method"].to_numpy()).all()
    for column in shown.columns:
        if shown[column].dtype.kind in "fi":
            assert np.allclose(table[column], shown[column], rtol=1e-9, equal_nan=True), column
        else:
            assert (table[column].fillna("") == shown[column].fillna("")).all(), column
