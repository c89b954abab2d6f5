"""Train without a browser: the first view, training to its end, stopping, presets, refusals."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st

from dpcore.controls.train import FIRST, PRESETS
from dpcore.datasets import images
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training import measures
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.task import task
from dpcore.questions.comparison import arms
from dpcore.questions.comparison import words as cost_words
from dpcore.questions.training import told as export
from dpcore.questions.training.series import lost
from dpcore.words import plain
from dpcore.work import jobs
from pages.train import calibration
from tests.pages.shown import numbers, open_page, run
from tests.pages.shown import said_with_notes as said
from tests.pages.waiting import until
from tests.typewritten import typewritten

pytestmark = pytest.mark.slow("runs whole pages")

ROOT = Path(__file__).resolve().parents[2]
APP = str(ROOT / "pages" / "main.py")
RECORDS = images.entry("digits").records
# Few epochs and a small network: what is tested is the page.
QUICK = {"passes": "3", "units": "8", "repeats": "2"}


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """One for all tests here: what one has trained, the next finds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DPCORE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def opened(**link):
    app = open_page("train", **link)
    until(lambda: bool(app.metric or app.error or app.info), app)
    return app


def trained(app):
    until(lambda: "Trained." in said(app), app, look_seconds=2.0)
    return app


def noise(app):
    """The first σ, as told; empty before it is solved."""
    result = re.search(r"Noise σ₀ = ([\d.e−-]+),", said(app))
    return result.group(1) if result else ""


def quick_study(**changed):
    """What the page asks for with `QUICK`."""
    config = TrainingConfig(
        widths=(8,),
        epochs=3,
        batch=FIRST["lot"],
        learning_rate=FIRST["rate"],
        clip=FIRST["clipping"],
        decay=FIRST["ratio"],
        delta=FIRST["train_delta"],
    )
    config = replace(config, **changed)
    return TrainingStudy(dataset="digits", config=config, epsilon=FIRST["target_epsilon"], runs=2)


def private(study):
    """The first σ of the private series."""
    every = arms.comparison_arms(study)
    return arms.with_calibrated_sigma(every, RECORDS)["private"].sigma


def test_first_view_shows_noise_and_certified_epsilon_before_training():
    app = opened()
    assert not app.warning
    assert numbers(app)["Certified ε"] == "3"
    study = quick_study(widths=(FIRST["units"],), epochs=FIRST["passes"])
    assert noise(app) == plain(private(study))
    # What is proved comes first, what a paper claims beside it.
    assert said(app).index("**Proof**") < said(app).index("**Claim**")


def test_a_training_that_is_the_best_of_several_has_noise_for_all_of_them():
    app = opened(**QUICK, train_chosen_of="5")
    assert noise(app) == plain(private(quick_study(chosen_of=5)))
    assert "Chosen among 5, declared: it counts all of them. One alone would spend ε = " in said(
        app
    )
    refused = opened(**QUICK, train_chosen_of="5", train_chosen_of_by="Measures of the records")
    assert refused.error[0].value.startswith("Conditions not met: a choice by measures")


def test_a_run_is_watched_to_its_end_and_found_again_from_the_link():
    app = trained(opened(**QUICK))
    studies = arms.comparison_arms(quick_study())
    by_series = {series: jobs.Job(each.key).result() for series, each in studies.items()}
    table = measures.averaged(measures.gathered(by_series))
    ends = table[table["epoch"] == 3].set_index("series")["accuracy_test"]
    shown = numbers(app)
    assert shown["Accuracy"] == f"{100 * ends['private']:.1f} %"
    less = lost(ends["private"], ends["nonprivate"], "accuracy_test")
    assert less == f"{shown['Lost to privacy']} points"
    compared = cost_words.compared(table, "accuracy_test", ended=list(studies))
    parted = cost_words.parted(compared, "accuracy_test")
    assert parted is not None
    assert cost_words.in_words(parted) in said(app)
    # Another session with the same link has it at once, and trains nothing anew.
    again = opened(**QUICK, train_view="Compare runs")
    assert numbers(again) == shown
    assert "Trained." in said(again)
    # It is laid beside others, and stands in the link.
    key = quick_study().key
    assert again.multiselect(key="compared").value == [key]
    assert again.query_params["compare"] == key
    assert again.dataframe[-1].value["accuracy"].iloc[0] == pytest.approx(ends["private"])
    # With other settings that are not trained yet, the link still shows what it names.
    link = {"passes": "1000", "schedule": "Constant", "train_view": "Compare runs"}
    named = [key, studies["constant"].key]
    for name in ("compare", "trained"):
        other = opened(**link, **{name: named})
        assert other.multiselect(key="compared").value == named
    # What is left out of the comparison is still known.
    other.multiselect(key="compared").set_value(named[:1]).run()
    assert other.query_params["trained"] == named[1]


def test_a_batch_that_nobody_chose_fits_and_a_chosen_one_has_a_way_out():
    link = {"schedule": "Constant", "person": "One record more or less", "public_size": "100"}
    app = opened(passes="1000", **link)
    assert app.number_input(key="lot").value == 32
    app.number_input(key="public_size").set_value(40).run()
    assert app.number_input(key="lot").value == 16
    app.number_input(key="lot").set_value(300).run()
    until(lambda: len(app.error) > 0, app)
    assert app.error[0].value.endswith("at most 40.")
    app.button(key="largest_batch").click().run()
    until(lambda: not app.error, app)
    # What is chosen stays.
    app.number_input(key="public_size").set_value(2_000).run()
    assert app.number_input(key="lot").value == 40


def test_records_set_aside_as_public_are_not_trained_on():
    link = {"shape": "Scaled with the clipping", "scaled_by": "Records set aside as public"}
    app = opened(**QUICK, **link, set_aside="400", scale_for="Least loss by curvature")
    config = replace(quick_study().config, noise="scaled", weights="public", cost="curvature")
    study = replace(quick_study(), config=config, public=400)
    config = study.with_calibrated_sigma(RECORDS - 400)
    assert noise(app) == plain(config.sigma)
    assert "--public 400" in export.command(study)


def test_opacus_adds_the_same_noise():
    opacus = opened(**QUICK, train_view="Take along").code[-1].value
    assert f"noise_multiplier={private(quick_study()) / FIRST['clipping']!r}" in opacus


def test_clipping_and_noise_are_trained_apart_when_asked_why():
    app = opened(**QUICK, train_view="Why accuracy fell")

    def told():
        # The sentence comes while the last of them trains, the table once none does.
        return "clipping alone" in said(app) and "noise alone" in said(app) and bool(app.dataframe)

    until(told, app, look_seconds=2.0)
    series = set(app.dataframe[-1].value["series"])
    assert {"clipped", "noisy", "nonprivate", "private"} <= series


def test_a_run_that_is_stopped_before_its_first_step_has_spent_nothing():
    link = {"passes": "1000", "repeats": "30", "schedule": "Constant", "units": "24"}
    study = replace(quick_study(widths=(24,), epochs=1000, decay=1.0), runs=30)
    job = jobs.submit(task(study))
    job.cancel()
    app = opened(**link)
    until(lambda: not job.stopping, app)
    shown = numbers(run(app))
    assert shown["Certified ε"] == "0"
    assert shown["Accuracy"] == shown["Lost to privacy"] == "none"


def test_what_stood_there_for_other_settings_goes_before_anything_is_computed(monkeypatch):
    app = opened(**QUICK)
    assert numbers(app)

    def slow(*_):
        st.stop()

    with monkeypatch.context() as patch:
        patch.setattr(calibration, "calibrate", slow)
        app.number_input(key="lot").set_value(128).run()
    assert not app.metric
    assert "Computing …" in said(app)
    app.run()
    until(lambda: bool(app.metric), app)
    assert numbers(app)["Certified ε"] == "3"
    assert "Computing …" not in said(app)


def test_what_does_not_fit_the_images_is_not_offered():
    app = opened(network="CNN", expert="true")
    (warning,) = app.warning
    assert "the network “CNN”, which this page does not offer" in warning.value
    app.selectbox(key="dataset").set_value("mnist").run()
    app.selectbox(key="features").set_value("scattering").run()
    app.segmented_control(key="network").set_value("cnn").run()
    # Convolutional networks take images.
    assert app.selectbox(key="features").value == "raw"
    assert "Scattering does not fit the other settings" in said(app)
    app.selectbox(key="dataset").set_value("breast_cancer").run()
    assert app.segmented_control(key="network").value == "perceptron"
    assert app.selectbox(key="features").options == ["As they are"]
    assert not app.error


def reached(app):
    """The epoch that the answer is of."""
    result = re.search(r"epoch (\d+) of", typewritten(said(app)))
    return int(result[1]) if result else 0


def test_a_long_run_waits_for_a_click_and_can_be_stopped():
    app = opened(passes="1000", repeats="30", schedule="Constant", units="8")
    assert "Press Start" in said(app)
    app.button(key="train_start").click().run()
    until(lambda: numbers(app)["Accuracy"] != "…", app)
    app.button(key="train_stop").click().run()
    until(lambda: "stopped in epoch" in said(app), app)
    # What was spent is that of the epochs before, not of the run that was planned.
    assert float(numbers(app)["Certified ε"]) < 3.0
    until(lambda: "Go on" in {button.label for button in app.button}, app)
    before = reached(app)
    app.button(key="train_start").click().run()
    seen: list[int] = []
    until(lambda: bool(seen.append(reached(app)) or seen[-1] > before), app)
    # Nothing is trained again from the first epoch.
    assert min(epoch for epoch in seen if epoch) >= before
    app.button(key="train_stop").click().run()
    until(lambda: "Stopped." in said(app), app)


def test_paper_004_s_noise_is_a_claim_without_a_certificate():
    app = opened(**QUICK, shape="As paper 004 prints it")
    assert numbers(app)["Certified ε"] == "none"
    assert "No bound" in said(app)
    assert "What this page trains: exploration only" not in said(app)
    assert ": conditions not met" in said(app)


def test_each_preset_fills_the_controls_or_says_what_to_do():
    app = opened(**QUICK)
    for name, wanted in PRESETS.items():
        app.selectbox(key="train_preset").set_value(name).run()
        here = images.availability(wanted["dataset"]) in ("built in", "local")
        until(lambda: bool(app.info) or bool(noise(app)), app)
        assert not app.exception, name
        assert not app.error, name
        assert app.selectbox(key="dataset").value == wanted["dataset"]
        assert app.number_input(key="passes").value == wanted["passes"]
        assert app.selectbox(key="train_preset").value == name
        if not here:
            what_to_do = images.entry(wanted["dataset"]).how_to_get
            assert what_to_do in said(app) + " ".join(info.value for info in app.info), name


def test_the_page_itself_imports_no_torch():
    code = (
        "import sys\n"
        "from streamlit.testing.v1 import AppTest\n"
        f"app = AppTest.from_file({APP!r}, default_timeout=180)\n"
        "app.run()\n"
        "app.switch_page('train/train.py')\n"
        "app.run()\n"
        "assert not app.exception\n"
        "print('torch' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
