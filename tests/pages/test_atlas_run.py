"""A survey's model at work on Atlas: its curve, its promise, and the same figures elsewhere."""

import io
import shlex
import time

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dpcore import cli
from dpcore.controls.atlas import RUN
from dpcore.datasets import load, prepare
from dpcore.evaluation import jobs
from dpcore.evaluation.models import ModelStudy, curve, summary
from dpcore.export.atlas import model_command
from dpcore.figures.models import answer, reference
from dpcore.figures.words import percent
from dpcore.models.register import model_named, register
from tests.evaluation.tasks import Counting
from tests.pages.shown import with_table

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]

PATIENCE = 180.0

PAGE = """
from pages.atlas import running
running.draw({key!r})
"""


def opened(key, **link):
    app = AppTest.from_string(PAGE.format(key=key), default_timeout=PATIENCE)
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def spoken(app):
    return " ".join(element.value for element in app.markdown)


def answered(app):
    """The page once its curve is there."""
    until = time.monotonic() + PATIENCE
    while "without noise and" not in spoken(app):
        assert time.monotonic() < until
        time.sleep(0.2)
        app.run()
        assert not app.exception
    return app


def test_the_answer_comes_first_and_is_that_of_the_command_line(capsys):
    app = answered(opened("naive-bayes", run_runs="5"))
    study = ModelStudy(model="naive-bayes", dataset="breast_cancer", runs=5)
    wanted = summary(curve(study))
    assert app.markdown[0].value == answer(wanted, model_named("naive-bayes"))
    assert all(part in app.markdown[0].help for part in ("ε = 1, δ = ", "zero-out", "Gaussian"))
    line = with_table(app, "naive-bayes_breast_cancer").code[0].value
    assert line == model_command(study)
    assert cli.main(shlex.split(line)[3:]) == 0
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert list(printed["value"]) == pytest.approx(list(wanted["value"]))


def test_the_promise_names_adjacency_delta_and_accountant():
    app = answered(opened("naive-bayes", run_neighbour="One record replaced", run_delta="1e-4"))
    said = [text.value for text in app.markdown]
    model = model_named("naive-bayes")
    assert any(model.claim in text and "Claim" in text for text in said)
    assert any(model.proof in text and "Proof" in text for text in said)
    proof = next(text for text in said if "is asked for" in text)
    for word in ("When ε = 1 is asked for, proved: ε = 1,", "δ = 1e-4", "replace-one", "Gaussian"):
        assert word in proof


def test_a_claim_that_fails_is_not_shown_as_proved():
    app = answered(opened("pca-wishart", run_runs="5", run_neighbour="One record replaced"))
    assert any("under zero-out alone, so it is not comparable" in one.value for one in app.caption)
    assert "run_neighbour" not in {box.key for box in app.selectbox}
    said = spoken(app)
    assert "promises too much" in said
    assert app.markdown[0].value.startswith("**Not protected as claimed:** ")
    assert "When ε = 1 is asked for, claimed: ε = 1, δ = 0 · zero-out" in said
    assert "When ε = 1 is asked for, nothing is proved. The noise is never negative" in said
    assert "What is proved instead is ε = 0 with δ = 0.283." in said
    assert "ε = 0 with δ = 1 - exp(-ε/3)" in said
    assert "Our corrected version: proved" not in said


def test_a_baseline_on_half_of_the_records_says_so_beside_its_number():
    app = answered(opened("pate", run_runs="5"))
    wanted = summary(curve(ModelStudy(model="pate", dataset="breast_cancer", runs=5)))
    number = percent(reference(wanted, "trivial"))
    assert number in app.markdown[0].value
    assert "Only half of the test records judge here" in app.caption[0].value
    assert number in app.caption[0].value
    assert "Our corrected version: proved" in spoken(app)
    assert "learned from 455 patients, judged on 57." in app.caption[1].value
    other = answered(opened("naive-bayes", run_runs="5"))
    assert not any("half of the test records" in text.value for text in other.caption)
    # As many as Explore has.
    split = prepare(load("breast_cancer"))
    counts = f"learned from {split.records} patients, judged on {len(split.y_test)}."
    assert counts in other.caption[0].value


def test_many_records_are_worked_on_by_a_job_that_the_page_finds_again():
    app = opened("decision-tree", run_data="Synthetic clinical cohort", run_runs="5")
    answered(app)
    study = ModelStudy(model="decision-tree", dataset="cohort", runs=5)
    job = jobs.find(study.key)
    assert job is not None
    assert job.state == "done"
    assert app.markdown[0].value == answer(summary(curve(study)), model_named("decision-tree"))


def button(app, label):
    return next(each for each in app.button if each.label == label)


def test_a_job_can_be_stopped_and_goes_on_when_asked():
    # The one worker is busy meanwhile, so that the job can't be done too soon.
    before = jobs.submit(Counting(upto=10_000, seconds=0.1))
    try:
        app = opened("decision-tree", run_data="Synthetic clinical cohort", run_runs="5")
        app.run()  # it is begun at the second look
        study = ModelStudy(model="decision-tree", dataset="cohort", runs=5)
        job = jobs.find(study.key)
        assert job is not None
        assert job.state == "queued"
        assert "Proof" in spoken(app)  # which waits for no curve
        app = button(app, "Stop").click().run()
        assert job.state == "cancelled"
        assert f"{study.title}: stopped." in [caption.value for caption in app.caption]
        app = button(app, "Go on").click().run()
        assert job.state == "queued"
    finally:
        before.cancel()
    answered(app)


def test_records_that_are_not_here_are_told_how_to_get():
    app = opened("k-means", run_data="Adult (US census income)")
    assert "download" in app.info[0].value.lower()
    assert "When ε = 1 is asked for, proved: " in spoken(app)


@pytest.mark.parametrize("key", list(register()))
def test_every_control_of_a_link_is_one_that_is_allowed(key):
    app = opened(key)
    for box in app.selectbox:
        assert set(box.options) <= set(RUN[box.key].kind.texts())


def test_components_are_found_in_a_table_without_classes():
    app = answered(opened("pca-gaussian", run_data="Diabetes progression", run_runs="5"))
    assert not app.info
    code = with_table(app, "pca-gaussian_diabetes").code[0].value
    assert "--dataset diabetes" in code


def test_a_model_of_two_classes_says_why_a_table_is_not_for_it():
    app = opened("naive-bayes", run_data="Diabetes progression", run_runs="5")
    assert [one.value for one in app.info] == [
        "Naive Bayes learns to tell two classes apart, and Diabetes progression predicts a "
        "number. Choose other data."
    ]
    assert not app.get("plotly_chart")
    assert not app.error
