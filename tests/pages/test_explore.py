"""Explore without a browser: the first view, each control, links and files from anyone."""

from __future__ import annotations

import ast
import io
import json
import re
import shlex
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore import cli
from dpcore.accounting.risk import odds
from dpcore.controls.explore import EPSILONS, PRESETS, TABS, TAKE_ALONG
from dpcore.datasets import Preparation, entry, load, prepare
from dpcore.erm import accurate
from dpcore.erm.privacy_curve import noise_advantage
from dpcore.evaluation import curves, references
from dpcore.evaluation.baselines import baselines
from dpcore.evaluation.curves import SAME_LAM, WITHOUT_PRIVACY, answers
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study, calibrations_for, problem_for
from dpcore.evaluation.task import JobContext
from dpcore.export import explore as export
from dpcore.figures.words import at_most, plain
from dpcore.guarantee import Adjacency, PrivacyBudget, default_delta
from dpcore.predictors import SELDOM_BEST, refusal, register, titles
from pages.explore import curve_jobs, texts
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
    numbers,
    only_methods,
    sentence,
)
from tests.pages.shown import open_page

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]

SECONDS = 180
STAND_IN = "Shown: ε = 1, the nearest below · "


@pytest.fixture(autouse=True)
def closed_forms(monkeypatch):
    """The best is that of two methods, none of which is trained, unless a test takes all."""
    only_methods(monkeypatch, "outpert", "opera")


BREAST = {"data": "Breast cancer (Wisconsin)"}
COHORT = {"data": "Synthetic clinical cohort"}


def at(link):
    app = open_page("explore", **link)
    assert not app.exception
    return app


def opened(**link):
    """The page with the breast-cancer set, unless the link names another."""
    return at(BREAST | link)


def spoken(app):
    return " ".join(element.value for element in app.markdown)


def test_first_view_answers_without_a_click(monkeypatch):
    all_methods(monkeypatch)
    app = at({})
    assert app.title[0].value == "What does privacy cost?"
    line = "Synthetic clinical cohort · 3,000 made-up patients · judged on 10,000 others"
    # What is predicted stands with the data it is predicted from.
    assert below_title(app) == f"{line}. Predict an unplanned admission within 12 months."
    assert sum("Predict an unplanned" in text.value for text in app.main.caption) == 1
    # A table of one's own is found without a search through all others.
    assert app.sidebar.selectbox(key="data").options[0] == "Your own table"
    # One data set with its size, one paper and whatever else there is under Expert.
    assert [box.key for box in app.sidebar.selectbox] == ["data", "start_from"]
    assert [one.key for one in app.sidebar.select_slider] == ["patients"]
    assert not app.sidebar.get("pills")
    shown = numbers(app)
    assert set(shown) == {"Accuracy", "Missed · false alarms", RIGHT_GUESSES}
    assert app.metric[0].label == "Accuracy so far"  # more is to come
    assert shown[RIGHT_GUESSES] == "56 of 100"
    drawn = {chart.key for chart in app.get("plotly_chart")}
    # With a theme of Streamlit's the browser draws each chart twice.
    assert {chart.proto.theme for chart in app.get("plotly_chart")} == {""}
    assert drawn == {"accuracy_figure", "people_figure"}
    assert not app.error
    assert not app.warning


def done(study):
    """What its job leaves."""
    work = curves.work if isinstance(study, Study) else references.work
    return work(study, JobContext()).rows  # type: ignore[arg-type]


def agree(app, row):
    shown = numbers(app)
    assert shown["Accuracy"] == f"{100 * row['accuracy']:.1f} %"
    missed = f"{row['missed_per_1000']:.0f} · {row['false_per_1000']:.0f}"
    assert shown["Missed · false alarms"] == missed


def test_what_a_bound_for_one_person_holds_for_is_said_while_curves_come():
    sentence = texts.BOUND_SO_FAR.format(title="OPERA")

    def told(app):
        (heading,) = (one.value for one in app.subheader if "for one person" in one.value)
        return heading, spoken(app).count(sentence)

    # Above the picture's small print, and where the words to copy are.
    assert told(opened(meaning="true")) == ("What ε = 1 means for one person so far", 2)
    # The bound of a method that somebody chose does not wait for others.
    assert told(opened(meaning="true", focus="OPERA")) == ("What ε = 1 means for one person", 0)


@pytest.mark.usefixtures("seven_splits")
def test_once_everything_is_compared_no_bound_is_so_far(monkeypatch):
    monkeypatch.setattr(curve_jobs, "is_done", lambda study: True)
    monkeypatch.setattr(curve_jobs, "results", done)
    app = opened(meaning="true")
    assert [one.value for one in app.subheader if "so far" in one.value] == []


@pytest.mark.usefixtures("seven_splits")
def test_the_numbers_are_those_of_the_package(monkeypatch):
    study = Study(methods=("opera",), epsilons=(1.0,), delta=1e-5)
    app = opened(focus="OPERA")
    agree(app, at_first(study))
    assert "in 5 of 7 splits so far. Predict " in below_title(app)
    # As once the jobs are done.
    monkeypatch.setattr(curve_jobs, "is_done", lambda study: True)
    monkeypatch.setattr(curve_jobs, "results", done)
    app.run()
    assert not app.exception
    assert "judged on 569 of them, in 7 splits. Predict " in below_title(app)
    agree(app, answers(study).iloc[0])
    assert re.search(
        r"Noise moves a single model by ±[\d.]+ points; which records are tested leaves ±[01]\.\d "
        r"points\.",
        app.metric[0].help,
    )
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
    noun = opened(**link, bandwidth="0.6")
    assert noun.warning[0].value == (
        "The link asks for a bandwidth of “0.6”, which this page does not offer; it uses "
        "bandwidth 0.7."
    )


def test_the_best_is_taken_from_all_methods_whichever_are_drawn(monkeypatch):
    all_methods(monkeypatch)
    app, poorer = opened(), opened(methods="OutPert")
    words = r": best proved of ((\d+) of (\d+) methods compared) by results"
    counted = re.search(words, spoken(app))
    assert counted is not None
    count, done, total = counted.groups()
    assert int(done) < int(total) < len(every_method("logistic", entry("cohort")))
    # One count, in the same words.
    assert f"{count}; the rest" in sentence(app)
    # The method of the chosen ε, which the sentence begins with, is not what stays close.
    assert re.search("the line [a-z ]+ within 2 points", spoken(app))
    assert numbers(app) == numbers(poorer)
    assert sentence(app) == sentence(poorer)
    compared = opened(methods="OutPert", view="Chosen methods")
    best = re.search(r"([\w-]+): best proved of ", spoken(app))
    assert best is not None
    assert f"the least loss first: {best[1]} " in spoken(compared)
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
        if tab == TAKE_ALONG:
            (code,) = [block.value for block in other.code if block.language == "python"]
    # What is ticked and what the first screen is about; it tells how far it is.
    best = re.search(r"([\w-]+): best proved of ", spoken(app))
    assert best is not None
    (taken,) = [
        ast.literal_eval(one.value)
        for one in ast.walk(ast.parse(code))
        if isinstance(one, ast.keyword) and one.arg == "methods"
    ]
    named = {titles()[method] for method in taken}
    assert named == {titles()[method] for method in Study.methods} | {best[1]}
    assert "progress=" in code


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
        (line,) = (
            shape
            for shape in figures["accuracy_figure"]["layout"]["shapes"]
            if shape["x0"] == shape["x1"]
        )
        assert line["x0"] == float(epsilon)
        accuracy = numbers(app)["Accuracy"]
        seen.add(accuracy)
        start = f"At ε = {epsilon} the best proved model so far is right for {accuracy} of "
        assert sentence(app).startswith(start)
        assert f"{abs(cost(app)[0])} points " in sentence(app)
        assert all(f"ε = {epsilon}, proved" in metric.help for metric in app.metric)
        assert all("δ = 1e-5" in metric.help for metric in app.metric)
        assert "zero-out · analytic Gaussian" in app.metric[0].help
    assert len(seen) == 3


def test_a_slider_that_the_browser_meets_late_stands_at_epsilon():
    """It takes the default where the run that had set it was interrupted."""
    for epsilon, stop in (("1", 1.0), ("0.9", 0.7), ("0.0015", 0.0015)):
        app = opened(epsilon=epsilon)
        app.run()
        slider = app.select_slider(key="epsilon_slider")
        assert list(slider.proto.default) == [EPSILONS.index(stop)]
        assert slider.value == stop


def stood_in(app):
    """Whether what is shown is that of ε = 1, as the line below ε says."""
    return any(caption.value.startswith(STAND_IN) for caption in app.caption)


def test_an_epsilon_between_two_curves_says_at_which_it_was_computed():
    app = opened(epsilon="1.2")
    assert "At ε = 1 " in sentence(app)
    assert stood_in(app)
    assert not stood_in(opened(epsilon="1.5"))
    app.number_input(key="epsilon").set_value(1.3).run()
    assert stood_in(app)


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


def test_smaller_epsilon_never_raises_the_odds():
    app, told = opened(), []
    for epsilon in (0.001, 0.3, 1.0, 10.0, 100.0):
        app.number_input(key="epsilon").set_value(epsilon).run()
        assert not app.exception
        told.append(numbers(app)[RIGHT_GUESSES])
    assert told[0] == "under 51 of 100"
    assert told[-1] == "over 99 of 100"
    between = [int(text.split()[0]) for text in told[1:-1]]
    assert between == sorted(between)
    assert between[0] > 51


def test_an_expert_control_that_is_changed_stays_in_force_when_they_are_closed():
    app = with_expert_open(opened())
    app.selectbox(key="loss").set_value("huber").run()
    shown = numbers(app)
    app.session_state["expert"] = False
    app.run()
    assert not app.exception
    # It is drawn, closed or not: the address holds the values of drawn controls only.
    assert app.selectbox(key="loss").value == "huber"
    assert numbers(app) == shown
    assert "1 setting changed under Expert." in [note.value for note in app.sidebar.caption]
    # Nothing else is: the browser would go through it at each move of ε.
    assert not app.sidebar.get("pills")
    app.selectbox(key="loss").set_value("logistic").run()
    assert [box.key for box in app.sidebar.selectbox] == ["data", "start_from"]


def test_a_link_opens_what_it_changes():
    app = opened(loss="Huber SVM", runs="100")
    assert "2 settings changed under Expert." in [note.value for note in app.sidebar.caption]
    assert app.select_slider(key="runs").value == 100


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


@pytest.mark.parametrize("patients", ["3,000", "30,000"])
def test_delta_by_rule_never_opens_with_a_warning(patients):
    app = with_expert_open(opened(data="Synthetic clinical cohort", patients=patients))
    assert not app.warning
    records = int(patients.replace(",", ""))
    delta = default_delta(records)
    assert delta_note(app).startswith(f"δ = {plain(delta)}; ")
    assert f"for {records:,} records" in delta_note(app)


def test_an_own_delta_is_shown_with_n_and_warned_about_where_a_phone_shows_it():
    app = with_expert_open(opened())
    app.segmented_control(key="delta_way").set_value("My own").run()
    app.select_slider(key="delta").set_value(0.01).run()
    assert not app.exception
    assert delta_note(app) == "δ = 0.01; n·δ ≈ 4.55 for 455 records"
    # On a phone the sidebar is closed, so the page itself must say it.
    assert sum("is at least 1/n" in warning.value for warning in app.main.warning) == 1
    assert not app.sidebar.warning


def test_a_link_with_a_delta_or_a_lambda_means_it():
    app = opened(delta="1e-6", data="Synthetic clinical cohort", patients="300")
    assert app.segmented_control(key="delta_way").value == "My own"
    assert app.select_slider(key="delta").value == 1e-6
    assert delta_note(with_expert_open(app)).startswith("δ = 1e-6; ")
    # What it was before there was a rule on the page, also where the rule says otherwise.
    app = opened(delta="1e-5", data="Synthetic clinical cohort", patients="30,000")
    assert delta_note(with_expert_open(app)).startswith("δ = 1e-5; ")
    app = opened(lambda_value="0.1")
    assert app.segmented_control(key="lambda").value == "My own"
    assert app.select_slider(key="lambda_value").value == 0.1
    refused = with_expert_open(opened(delta="2"))
    assert refused.segmented_control(key="delta_way").value == "By rule"
    assert "it uses δ by rule" in refused.warning[0].value


@pytest.mark.parametrize(
    ("data", "rough"), [("Diabetes progression", True), (COHORT["data"], False)]
)
def test_few_test_records_are_said_to_be_few(data, rough):
    app = opened(data=data)
    shown = [text.value for text in app.main.markdown]
    told = [text for text in shown if "test records. Judged from them alone" in text]
    assert len(told) == rough
    # Right below the answer, in its letters: not in the small print below the page.
    answer = next(place for place, text in enumerate(shown) if "At ε = " in text)
    assert shown[answer + 1 : answer + 1 + rough] == told


def test_expert_controls_change_nothing_when_opened_and_explain_every_method():
    app = opened()
    before = numbers(app)
    with_expert_open(app)
    assert set(app.pills(key="methods").value) == {"outpert", "opera", "dpgd"}
    assert app.segmented_control(key="delta_way").value == "By rule"
    assert numbers(app) == before
    notes = " ".join(e.value for e in (*app.sidebar.markdown, *app.sidebar.caption))
    private = [
        result
        for key, result in register().items()
        if key != "nonprivate" and not refusal(key, "logistic", "class")
    ]
    assert len(private) == len(app.pills(key="methods").options)
    for method in private:
        for said in (f"**{method.title}.** {method.idea}", *method.limits, method.paper):
            assert said in notes


def test_the_convex_case_asks_for_a_radius():
    app = with_expert_open(opened(**{"lambda": "My own", "lambda_value": "0"}))
    assert app.select_slider(key="radius").value == 10.0
    assert "λ = 0." in " ".join(caption.value for caption in app.caption)


def test_nine_of_ten_runs_that_hardly_differ_are_told_with_a_decimal():
    told = opened(**COHORT, epsilon="100").metric[0].help
    assert re.search(r" 9 of 10 runs: \d+\.\d % to \d+\.\d %\. ", told)


def test_the_settings_that_cost_least_accuracy_are_named():
    link = {"lambda": "Near zero", "loss": "Huber SVM", "huber_width": "2"}
    app = opened(**link, view="Take along")
    assert not app.warning
    assert app.select_slider(key="huber_width").value == accurate.HUBER_WIDTH
    assert f"λ = {plain(accurate.LAM)}." in " ".join(caption.value for caption in app.caption)
    taken = " ".join(code.value for code in app.code)
    assert "--huber-width 2 " in taken
    assert f"--lam {accurate.LAM!r} " in taken
    with pytest.raises(KeyError):
        opened().select_slider(key="huber_width")


def test_the_published_edition_shows_claim_and_proof_apart():
    app = opened(edition="As in the paper", view="Claim and proof", epsilon="2")
    text = spoken(app)
    assert "**Claim** (what the paper says)" in text
    assert "**Proof** (what holds for this noise)" in text
    assert "ε < 1 (ε = 2)" in text
    assert "No number." in text


@pytest.mark.parametrize("loss", ["Logistic regression", "Huber SVM"])
def test_every_tab_draws(loss):
    app = opened(loss=loss)
    for tab in TABS:
        app.session_state["view"] = tab
        app.run()
        assert not app.exception, tab
        assert not app.error, tab


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
    for tab, key in (("Objective", "objective_figure"), ("Excess risk", "excess_figure")):
        app = at(COHORT | {"view": tab})
        (figure,) = [chart for chart in app.get("plotly_chart") if chart.key == key]
        lines = [line for line in json.loads(figure.proto.spec)["data"] if line["name"] == "OPERA"]
        assert lines
        assert all(value is not None for line in lines for value in line["y"])


@pytest.mark.parametrize("tab", ["Objective", "Excess risk"])
def test_methods_that_minimise_another_objective_are_named(tab):
    def told(**link):
        return " ".join(caption.value for caption in opened(view=tab, **link).caption)

    both = ["OPERA", "DP-GD"]
    assert "but DP-GD learned with a 64th of it" in told(methods=both)
    # All the same where λ is named, or where none has a share of it.
    assert "learned with a 64th" not in told(methods=both, lambda_value="0.1")
    assert "learned with a 64th" not in told(methods=["OPERA"])


def test_models_can_be_compared_by_their_area():
    app = opened(compared_by="AUC", view="Best method", methods=["OPERA"], may_lose="0.03")
    assert not app.warning
    result = numbers(app)
    assert "Accuracy" not in result
    assert 0.9 < float(result["AUC"]) <= 1.0
    assert "an AUC of" in spoken(app)
    needed = re.search(r"AUC (0\.\d+) takes ε = ", spoken(app))
    assert needed is not None
    app.number_input(key="may_lose").set_value(0.05).run()
    assert not app.exception
    lower = re.search(r"AUC (0\.\d+) takes ε = ", spoken(app))
    assert lower is not None
    assert float(lower[1]) == pytest.approx(float(needed[1]) - 0.02, abs=0.0011)


def test_there_is_no_area_of_a_number():
    app = opened(data="Diabetes progression", compared_by="AUC")
    assert "AUC" not in numbers(app)
    assert "compared_by" not in [each.key for each in app.segmented_control]


def test_no_method_at_all_is_a_choice():
    app = opened(methods="", view="Chosen methods")
    assert not app.warning
    assert not app.error
    # The best one is still among all.
    first = opened()
    assert numbers(app) == numbers(first)
    assert "is not proved here" not in spoken(first)
    # Records that judge and learn in turn are counted once.
    assert "569 patients · judged on 569 of them, in 5 of 71 splits so far." in below_title(first)
    assert "cost_figure" in {chart.key for chart in app.get("plotly_chart")}


def test_an_unproved_epsilon_is_said_and_the_odds_follow_what_is_certified():
    study = Study(methods=("outpert",), edition="published", epsilons=(3.0,), delta=1e-5)
    problem = problem_for(study, prepare(load("breast_cancer"), Preparation()))
    calibrated = calibrations_for(study, problem, 1e-5)["outpert"][0]
    certified = calibrated.certified.epsilon
    assert certified is not None
    assert certified < 1.0
    app = opened(edition="As in the paper", focus="OutPert", epsilon="3")
    assert "At ε = 3 OutPert is right for " in spoken(app)
    assert "Conditions not met: ε = 3 is not proved here. The classical Gaussian" in spoken(app)
    assert f"noise that is added is ε = {at_most(certified)}" in spoken(app)
    budget, noise = PrivacyBudget(certified, 1e-5), noise_advantage(calibrated)
    right = odds(budget, Adjacency.ZERO_OUT, noise).right
    assert right < odds(budget, Adjacency.ZERO_OUT).right
    assert numbers(app)[RIGHT_GUESSES] == f"{right} of 100"


def test_scaling_by_the_data_leaves_no_bound():
    app = opened(scaling="By the data's own range (leaks)", focus="OPERA")
    assert numbers(app)[RIGHT_GUESSES] == "no bound"
    assert "No ε is certified for it." in spoken(app)


def test_where_nothing_is_proved_there_is_no_best_method():
    app = opened(scaling="By the data's own range (leaks)")
    assert set(numbers(app).values()) == {"…"}
    assert "**No method** is proved at any ε here." in spoken(app)
    assert "accuracy_figure" not in {chart.key for chart in app.get("plotly_chart")}


# Each control is checked by itself, so that one link may ask for several things in vain.
HOSTILE = [
    {
        "epsilon": "0",
        "delta": "2",
        "data": "../../etc/passwd",
        "loss": "__import__('os')",
        "methods": ["OPERA", "nobody"],
        "edition": "both",
        "lambda": "-1",
        "runs": "1e9",
        "steps": "-5",
    },
    {
        "epsilon": "-1",
        "delta_way": "Nobody's",
        "data": "<script>alert(1)</script>",
        "methods": "'; drop table",
        "lambda": "My own",
        "lambda_value": "-3",
        "steps": "1e99",
        "adjacency": "add-remove",
    },
    {
        "epsilon": "nan",
        "steps": "many",
        "scaling": "x" * 5000,
        "intercept": "maybe",
        "view": "Nowhere",
        "focus": "nobody",
        "unknown": "thing",
        "full_length": "maybe",
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


@pytest.mark.parametrize(
    "link",
    [
        {"epsilon": "nan"},
        {
            "data": "nowhere",
            "methods": ["OPERA", "nobody"],
            "runs": "1e9",
            "steps": "-5",
            "lambda": "-1",
        },
    ],
    ids=["one", "many"],
)
def test_what_a_link_asks_in_vain_is_said_and_the_rest_is_kept(link):
    app = opened(loss="Huber SVM", delta="1e-6", **link)
    (warning,) = app.warning
    assert warning.value.startswith("The link asks for")
    assert max(1, warning.value.count("\n- ")) == len(link)
    assert app.selectbox(key="loss").value == "huber"
    assert app.select_slider(key="delta").value == 1e-6
    if "methods" in link:
        assert app.pills(key="methods").value == ["opera"]


def test_many_vain_wishes_make_one_message_and_leave_the_address():
    app = opened(
        patients="999999999",
        steps="1e99",
        view="Nowhere",
        focus="nobody",
        epsilon="nan",
        methods=["OPERA", "nobody"],
        loss="Huber SVM",
    )
    assert len(app.warning) == 1
    told = app.warning[0].value
    for said in ("“999999999”", "“Nowhere”", "“nobody”", "“nan”", "“1e99”", "1 to 1,000,000"):
        assert said in told
    assert "1e+06" not in told
    assert set(app.query_params) <= {"data", "methods", "loss"}
    assert "nobody" not in app.query_params["methods"]


def test_settings_that_no_control_has_leave_the_address_and_are_named():
    unknown: dict[str, str | list[str]] = {"unknown": ["thing", "other"], "<b>": "x"}
    # GRPUA is known, but not among the chosen methods.
    app = opened(loss="Huber SVM", epsilon="nan", focus="GRPUA", **unknown)
    assert len(app.warning) == 1
    told = app.warning[0].value
    assert told.count("the setting “unknown”, which this page does not have.") == 1
    assert "the setting “b”" in told
    assert "“nan”" in told
    assert "“GRPUA”" in told
    assert set(app.query_params) == {"data", "loss"}


def test_a_sound_link_is_followed_without_a_word():
    app = opened(
        loss="Huber SVM",
        methods=["OPERA", "DP-GD"],
        edition="As in the paper",
        epsilon="0.5",
        delta="1e-6",
        adjacency="One record blanked out",
        runs="100",
        view="Per 1,000",
        focus="DP-GD",
    )
    assert not app.warning
    assert app.number_input(key="epsilon").value == 0.5
    assert app.pills(key="methods").value == ["opera", "dpgd"]
    assert app.selectbox(key="adjacency").value == "zero-out"


def test_a_papers_settings_set_every_control_and_are_in_the_address():
    app = opened(epsilon="0.1")
    assert app.selectbox(key="start_from").value is None
    app.selectbox(key="start_from").select("Paper 002, figure 2: RMSE").run()
    assert not app.exception
    assert below_title(app).startswith("Diabetes progression · 442 patients")
    assert set(app.pills(key="number_methods").value) == {"inputpert", "objpert", "outpert_pure"}
    assert app.select_slider(key="delta").value == 1e-5
    assert app.number_input(key="epsilon").value == 1.0
    assert app.query_params["number_methods"] == ["InputPert", "ObjPert", "OutPert, δ = 0"]
    # Another value and they are nobody's settings; ε alone may move.
    app.number_input(key="epsilon").set_value(0.5).run()
    assert app.selectbox(key="start_from").value == "Paper 002, figure 2: RMSE"
    app.selectbox(key="adjacency").select("zero-out").run()
    assert app.selectbox(key="start_from").value is None
    assert app.selectbox(key="adjacency").value == "zero-out"


def test_a_paper_s_settings_survive_a_run_that_knows_an_older_address():
    # It was asked for before the browser had the addresses that the last run wrote.
    app = opened(methods="OPERA", focus="OPERA")
    app.selectbox(key="start_from").select("Paper 002, figure 2: RMSE").run()
    named = {key: app.query_params[key] for key in ("number_methods", "adjacency", "data")}
    for key in named:
        del app.query_params[key]
    app.run()
    assert {key: app.query_params.get(key) for key in named} == named


def test_a_paper_s_settings_are_in_the_address_though_setting_them_broke_off():
    # As after a choice whose run was interrupted before anything was written.
    app = opened(methods="OPERA", focus="OPERA")
    values = PRESETS["Paper 002, figure 2: RMSE"]
    address = {"number_methods": ["InputPert", "ObjPert", "OutPert, δ = 0"]}
    app.session_state["_kept_explore preset"] = (values, address)
    app.run()
    assert not app.exception
    assert app.query_params["number_methods"] == address["number_methods"]


def trusted(app):
    return next(text.value for text in app.markdown if text.value.startswith("- **Whoever adds"))


def test_whom_to_trust_stands_beside_the_proof_of_blurred_records():
    app = opened(methods="InputPert", view="Claim and proof", epsilon="0.01")
    sums, mixed, alone = trusted(app).splitlines()
    assert "ε = 0.01, δ = 1e-5 · zero-out" in sums
    assert mixed.startswith("- **A mixer**")
    assert "hiding among clones" in mixed
    assert alone.startswith("- **Nobody**")
    # People who may stay away make everyone else add more.
    more = opened(methods="InputPert", view="Claim and proof", epsilon="0.01", may_miss="300")
    assert trusted(more).splitlines()[0] != sums
    assert "300 may stay away" in trusted(more)
    assert trusted(more).splitlines()[2] != alone


def test_every_proof_says_whom_to_trust():
    app = opened(methods=["OPERA", "DP-GD", "InputPert"], view="Claim and proof")
    noun = [text.value for text in app.markdown if "Whom do I have to trust?" in text.value]
    cards = [text.value for text in app.markdown if text.value.startswith("**Claim** ")]
    assert len(noun) == len(cards) == 3
    assert sum("The one who holds the records and runs this" in text for text in noun) == 2
    # What is said of a claim without a number is said once.
    told = [text.value for text in (*app.markdown, *app.caption) if "not in print" in text.value]
    assert told == ["No number. This edition is not in print."]


def test_papers_own_messages_are_shown_under_local_privacy_only():
    app = opened(
        methods="InputPert", view="Claim and proof", edition="As in the paper", epsilon="0.5"
    )
    told = spoken(app)
    assert "local privacy only" in told
    assert "**Nobody**" in told
    assert "are lost in the text at hand" in told
    assert "may_miss" not in {number.key for number in app.number_input}


def test_a_value_that_bypasses_the_browser_is_refused_in_one_sentence():
    app = opened()
    app.session_state["steps"] = 10**9
    app.run()
    assert not app.exception
    assert len(app.error) <= 1


def test_records_that_need_an_account_come_with_instructions():
    app = opened(data="Cardiovascular disease (check-ups)")
    assert "kaggle.com" in spoken(app)
    assert app.get("file_uploader")
    assert any("the file has to be chosen again" in text.value for text in app.sidebar.caption)


def test_records_that_can_be_fetched_offer_to_be():
    app = opened(data="Heart disease (Cleveland)")
    labels = [button.label for button in app.button]
    # On a machine that has fetched them before, the page shows them at once.
    assert "Download it now" in labels or app.metric


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
    app.file_uploader[0].upload("mine.csv", cardio_file(400))
    app.run()
    assert not app.exception
    assert "· 400 patients ·" in below_title(app)
    assert any("not private" in warning.value for warning in app.warning)
    (line,) = (block.value for block in app.code if "python -m dpcore" in block.value)
    assert "--table your_file.csv" in line
    assert "--dataset cardio" in line
    assert "--columns" not in line
    assert any("file='your_file.csv'" in block.value for block in app.code)


def test_a_wrong_file_is_refused_with_its_line():
    app = opened(data="Cardiovascular disease (check-ups)")
    good = cardio_file(20).decode().splitlines()
    good[5] = good[5].replace(";", ";x", 1)
    app.file_uploader[0].upload("mine.csv", "\n".join(good).encode())
    app.run()
    assert not app.exception
    assert len(app.error) == 1
    assert "line 6" in app.error[0].value
    # The name of the data set above it, and nothing below.
    assert "Cardiovascular disease (check-ups)" in [text.value for text in app.main.caption]
    assert not app.metric
    assert not app.get("plotly_chart")
    assert not app.main.get("pills")


def test_the_python_to_take_along_gives_the_numbers_on_screen(monkeypatch):
    only_methods(monkeypatch, "outpert", "opera")
    link = {"methods": ["OPERA"], "loss": "Huber SVM", "delta": "1e-6", "focus": "OPERA"}
    # One split: the numbers on screen are final at once.
    app = opened(**COHORT, patients="300", view="Take along", epsilon="2", seed="5", **link)
    scope: dict[str, object] = {}
    code = next(block.value for block in app.code if "import" in block.value)
    exec(code, scope)
    mine = pd.concat(scope["curves"], ignore_index=True)  # type: ignore[arg-type]
    shown = app.dataframe[0].value
    assert set(shown["method"]) >= {SAME_LAM, "opera", WITHOUT_PRIVACY}
    assert "nonprivate" not in set(shown["method"])
    for column in ("accuracy", "objective", "sigma", "missed_per_1000", "accuracy_low"):
        assert np.allclose(
            mine.sort_values(["method", "epsilon"])[column],
            shown.sort_values(["method", "epsilon"])[column],
            equal_nan=True,
        )
    at_two = mine[(mine["method"] == "opera") & (mine["epsilon"] == 2.0)].iloc[0]
    assert numbers(app)["Accuracy"] == f"{100 * at_two['accuracy']:.1f} %"


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
    until = time.monotonic() + SECONDS
    while "dpgd" not in set(app.dataframe[0].value["method"]):
        assert time.monotonic() < until, "DP-GD was not trained in time"
        time.sleep(0.2)
        app.run()
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


def test_the_papers_own_length_is_offered_for_few_records_as_published():
    def offered(app):
        return "full_length" in {toggle.key for toggle in app.toggle}

    assert not offered(opened(edition="Corrected"))
    assert not offered(opened(edition="As in the paper", data="Synthetic clinical cohort"))
    app = opened(edition="As in the paper", full_length="true", view="Take along")
    assert not app.exception
    assert app.toggle(key="full_length").value
    code = " ".join(block.value for block in app.code)
    assert "--full-length" in code
    assert "full_length=True" in code


def test_the_noise_is_drawn_down_to_where_it_stops_growing():
    app = opened(view="Noise σ")
    assert any("The noise stops growing" in text.proto.help for text in app.markdown)
    assert not app.exception
