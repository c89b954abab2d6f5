"""A survey's model at work on Atlas: its curve, its promise, and the same figures elsewhere."""

import io
import shlex

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dpcore import cli
from dpcore.controls.atlas import RUN
from dpcore.evaluation.models import ModelStudy, curve, summary
from dpcore.models.systems import model_named, register
from dpcore.questions.model.figure import answer, reference
from dpcore.questions.model.question import ModelQuestion
from dpcore.questions.told import command
from dpcore.words import percent
from dpcore.work import jobs
from tests.pages.shown import run, said, with_table
from tests.pages.waiting import until
from tests.work.tasks import Counting

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]

PAGE = """
from pages.atlas import running
running.draw({key!r})
"""


def opened(key, **link):
    app = AppTest.from_string(PAGE.format(key=key), default_timeout=180)
    for name, value in link.items():
        app.query_params[name] = value
    return run(app)


def answered(app):
    """The page once its curve is there."""
    until(lambda: "without noise and" in said(app), app)
    return app


def test_the_answer_comes_first_and_is_that_of_the_command_line(capsys):
    app = answered(opened("naive-bayes", run_runs="5"))
    study = ModelStudy(model="naive-bayes", dataset="breast_cancer", runs=5)
    wanted = summary(curve(study))
    assert app.markdown[0].value == answer(wanted, model_named("naive-bayes"))
    line = with_table(app, "naive-bayes_breast_cancer").code[0].value
    assert line == command(ModelQuestion(study))
    assert cli.main(shlex.split(line.replace("\\\n", " "))[3:-2]) == 0
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert list(printed["value"]) == pytest.approx(list(wanted["value"]))


def test_a_claim_that_fails_is_not_shown_as_proved():
    app = answered(opened("pca-wishart", run_runs="5", run_neighbour="One record replaced"))
    assert "run_neighbour" not in {box.key for box in app.selectbox}
    assert app.markdown[0].value.startswith("**Not protected as claimed:** ")
    assert "When ε = 1 is asked for, nothing is proved." in said(app)
    assert "What is proved instead is ε = 0 with δ = 0.283." in said(app)


def test_a_baseline_on_half_of_the_records_says_so_beside_its_number():
    app = answered(opened("pate", run_runs="5"))
    wanted = summary(curve(ModelStudy(model="pate", dataset="breast_cancer", runs=5)))
    number = percent(reference(wanted, "trivial"))
    assert number in app.markdown[0].value
    assert "Only half of the test records judge here" in app.caption[0].value
    assert "learned from 455 patients, judged on 57." in said(app)


def press(app, label):
    return next(each for each in app.button if each.label == label).click().run()


@pytest.mark.usefixtures("one_at_a_time")
def test_a_job_can_be_stopped_and_goes_on_when_asked():
    # The one worker is busy meanwhile, so that the job can't be done too soon.
    before = jobs.submit(Counting(upto=10_000, seconds=0.1))
    try:
        app = opened("decision-tree", run_data="Synthetic clinical cohort", run_runs="5")
        app.run()  # it is begun at the second look
        study = ModelStudy(model="decision-tree", dataset="cohort", runs=5)
        job = jobs.Job(ModelQuestion(study).key)
        assert job.state == "queued"
        assert "Proof" in said(app)  # which waits for no curve
        app = press(app, "Stop")
        assert job.state == "cancelled"
        app = press(app, "Go on")
        assert job.state == "queued"
    finally:
        before.cancel()
    answered(app)
    assert job.state == "done"
    assert app.markdown[0].value == answer(summary(curve(study)), model_named("decision-tree"))


@pytest.mark.parametrize("key", list(register()))
def test_every_control_of_a_link_is_one_that_is_allowed(key):
    app = opened(key)
    for box in app.selectbox:
        assert set(box.options) <= set(RUN[box.key].kind.texts())


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("naive-bayes", "Naive Bayes learns to tell two classes apart, and Diabetes progression"),
        ("k-means", ""),
    ],
)
def test_a_model_of_two_classes_says_why_a_table_is_not_for_it(model, told):
    app = opened(model, run_data="Diabetes progression", run_runs="5")
    assert "".join(one.value for one in app.info).startswith(told)
    assert bool(app.info) == bool(told)
    assert not app.error
