"""Train for keeping: drawn anew by the system, counted, and never out of the cache."""

import io
import json
import re

import numpy as np
import pytest

from dpcore.accounting.planner import spent
from dpcore.deep.config import together
from dpcore.work import jobs
from pages.train.release import StartedTraining, _together
from tests.pages import test_train
from tests.pages.test_train import QUICK, opened, quick_study, said, trained
from tests.pages.waiting import until

pytestmark = pytest.mark.slow("runs whole pages")

cache = test_train.cache


def keep_one(app, number):
    """Press the button, and wait for the model of that number."""
    app.button(key="train_keep").click().run()
    until(lambda: len(re.findall("not covered", said(app))) >= number, app)
    assert not app.exception


def test_each_training_for_keeping_is_a_release_of_its_own_and_they_add_up():
    app = opened(**QUICK, train_view="Take along")
    trained(app)
    assert "**exploration**" in said(app)
    keep_one(app, 1)
    keep_one(app, 2)
    releases = app.session_state["_kept_train releases"]
    assert [each.study.system_entropy for each in releases] == [True, True]
    weights, settings = [], []
    for each in releases:
        job = jobs.Job(each.study.key)
        weights.append(np.load(io.BytesIO(job.file("weights.npz") or b""))["0.weight"])
        settings.append(json.loads(job.file("settings.json") or b"")["conclusion"])
    # The same settings, and not the same noise.
    assert not np.array_equal(*weights)
    assert [each["status"] for each in settings] == ["proved", "proved"]
    alone = spent(releases[0].training, "pld").epsilon
    assert settings[0]["epsilon"] <= alone * (1 + 1e-9)
    both = together([each.training for each in releases], "pld").epsilon
    assert both is not None
    assert both > 1.2 * alone
    assert f"**All 2 together**: ε = {both:.3g}"[:24] in said(app)


def test_what_is_not_certified_alone_is_not_certified_together():
    study = quick_study()
    known = StartedTraining(study, study.calibrated(1_000).config.training(1_000))
    assert "ε =" in _together([known, known])
    assert "not known" in _together([known, StartedTraining(study, None)])


def test_what_is_stopped_leaves_no_model():
    link = QUICK | {"passes": "400", "units": "64", "schedule": "Constant"}
    app = opened(**link, train_view="Take along")
    until(lambda: "train_keep" in {button.key for button in app.button}, app)
    app.button(key="train_keep").click().run()
    until(lambda: "keep_1_stop" in {button.key for button in app.button}, app)
    app.button(key="keep_1_stop").click().run()
    until(lambda: "nothing was kept" in said(app), app)
    (release,) = app.session_state["_kept_train releases"]
    assert jobs.Job(release.study.key).file("weights.npz") is None
