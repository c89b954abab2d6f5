"""Train without a browser: the first view, training to its end, stopping, presets, refusals."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st

from dpcore.controls.train_presets import FIRST, PRESETS
from dpcore.datasets import images
from dpcore.deep.config import TrainingConfig
from dpcore.errors import InvalidInput
from dpcore.evaluation import comparison, executors, jobs
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.task import task
from dpcore.export import train as export
from dpcore.figures import training as figures
from dpcore.figures.words import plain
from pages.train import calibration, live, texts
from pages.train.controls import TrainChoice
from tests.pages.shown import numbers, open_page
from tests.pages.shown import said_with_notes as said
from tests.pages.waiting import until

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


@pytest.fixture(autouse=True)
def nothing_goes_on():
    yield
    for key in list(jobs._attempts):
        jobs.Job(key).cancel()


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


def quick_study():
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
    return TrainingStudy(dataset="digits", config=config, epsilon=FIRST["target_epsilon"], runs=2)


def test_first_view_shows_noise_and_certified_epsilon_before_training():
    app = opened()
    assert not app.exception
    assert not app.warning
    shown = numbers(app)
    assert shown["Certified ε"] == "3"
    study = TrainingStudy(
        dataset="digits",
        config=TrainingConfig(
            widths=(FIRST["units"],),
            epochs=FIRST["passes"],
            batch=FIRST["lot"],
            decay=FIRST["ratio"],
        ),
        epsilon=3.0,
    )
    assert noise(app) == plain(
        comparison.with_calibrated_sigma(comparison.comparison_arms(study), RECORDS)[
            "private"
        ].sigma
    )
    assert "δ = 1e-5 · zero-out · PLD" in said(app)
    asked = next(text for text in app.caption if "30 epochs, ε = 3, δ = 1e-5." in text.value)
    assert "zero-out" in asked.help
    assert "PLD" in asked.help
    assert "constant σ" in said(app)
    assert "paper 003, equations (3) and (4)" in said(app)
    # What is proved comes first, what a paper claims beside it.
    assert said(app).index("**Proof**") < said(app).index("**Claim**")
    assert app.selectbox(key="train_preset").value == "Digits (built in)"


def test_a_first_noise_that_drowns_early_epochs_is_warned_of():
    (warning,) = opened(passes="60", units="8", ratio="0.85").warning
    assert warning.value.startswith("Noise begins at σ₀ = ")
    # What helps is called as on the page, with where it stands.
    assert "“Decay R of the variance” nearer to 1, which stands under “Expert”" in warning.value


def test_a_run_is_watched_to_its_end_and_found_again_from_the_link():
    app = trained(opened(**QUICK))
    assert not app.exception
    studies = comparison.comparison_arms(quick_study())
    histories = {series: jobs.Job(each.key).result() for series, each in studies.items()}
    table = comparison.averaged(comparison.gathered(histories))
    ends = table[table["epoch"] == 3].set_index("series")["accuracy_test"]
    shown = numbers(app)
    assert shown["Accuracy"] == f"{100 * ends['private']:.1f} %"
    lost = figures.lost(ends["private"], ends["nonprivate"], "accuracy_test")
    assert lost == f"{shown['Lost to privacy']} points"
    parted = figures.parted(
        comparison.compared(table, "accuracy_test", ended=list(studies)), "accuracy_test"
    )
    assert parted is not None
    apart = figures.in_words(parted)
    assert re.fullmatch(r"clipping (costs|gains) \d+\.\d, the noise (costs|gains) \d+\.\d", apart)
    reference = f"{100 * ends['nonprivate']:.1f} %"
    assert f"points: {apart}; {reference} without privacy" in said(app)
    amount = lost.lstrip("+−")
    assert f"{amount} against {reference} without it: {apart}." in said(app)
    assert f"constant σ at {100 * ends['constant']:.1f} %" in said(app)
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
    named = [key, studies["constant"].key]
    other = opened(passes="1000", schedule="Constant", train_view="Compare runs", compare=named)
    assert other.multiselect(key="compared").value == named
    assert "They differ in decay R." in said(other)
    options = other.multiselect(key="compared").options
    # Each names its epochs and its schedule.
    assert [option.count("3 epochs, ") for option in options] == [1, 1]
    assert "noise variance × 0.95 every epoch" in options[0]
    assert "constant noise" in options[1]
    # A reload knows also what is not compared.
    kept = opened(passes="1000", schedule="Constant", train_view="Compare runs", trained=named)
    assert kept.multiselect(key="compared").value == named
    assert kept.query_params["compare"] == named
    # What is left out of the comparison is still known.
    kept.multiselect(key="compared").set_value(named[:1]).run()
    assert kept.query_params["trained"] == named[1]


def test_shapes_of_noise_stand_side_by_side_with_what_is_certified():
    app = opened(**QUICK, train_view="Shapes of noise")
    until(lambda: "shapes_of_noise" in {each.key[4:] for each in app.get("download_button")}, app)
    assert not app.exception
    rows = app.dataframe[-1].value.set_index("series")
    assert list(rows.index) == ["isotropic", "scaled", "published"]
    assert rows.loc["isotropic", "epsilon"] == rows.loc["scaled", "epsilon"] <= 3.0
    assert rows["epsilon"].isna()["published"]
    assert rows.loc["published", "claimed_epsilon"] == 3.0
    assert "no ε certified" in said(app)


def test_a_batch_that_nobody_chose_fits_and_a_chosen_one_has_a_way_out():
    link = {"schedule": "Constant", "person": "One record more or less", "public_size": "100"}
    app = opened(passes="1000", **link)
    assert app.number_input(key="lot").value == 32
    app.number_input(key="public_size").set_value(40).run()
    assert app.number_input(key="lot").value == 16
    assert not app.error
    app.number_input(key="lot").set_value(300).run()
    until(lambda: len(app.error) > 0, app)
    (error,) = app.error
    assert error.value.endswith("at most 40.")
    app.button(key="largest_batch").click().run()
    until(lambda: not app.error, app)
    # What is chosen stays.
    app.number_input(key="public_size").set_value(2_000).run()
    assert app.number_input(key="lot").value == 40


def test_long_comparisons_wait_for_a_click_of_their_own():
    app = opened(passes="1000", schedule="Constant", train_view="Shapes of noise")
    until(lambda: "shapes_start" in {button.key for button in app.button}, app)
    app.button(key="shapes_start").click().run()
    until(lambda: "shapes_stop" in {button.key for button in app.button}, app)
    app.button(key="shapes_stop").click().run()
    until(lambda: "shapes_start" in {button.key for button in app.button}, app)
    assert not app.exception
    assert "train_start" in {button.key for button in app.button}


def test_records_set_aside_as_public_are_not_trained_on():
    link = {"shape": "Scaled with the clipping", "scaled_by": "Records set aside as public"}
    app = opened(**QUICK, **link, set_aside="400", scale_for="Least loss by curvature")
    assert not app.exception
    config = TrainingConfig(
        widths=(8,),
        epochs=3,
        batch=FIRST["lot"],
        decay=FIRST["ratio"],
        noise="scaled",
        weights="public",
        cost="curvature",
    )
    study = TrainingStudy(config=config, epsilon=3.0, runs=2, public=400)
    config = study.with_calibrated_sigma(RECORDS - 400)
    assert noise(app) == plain(config.sigma)
    assert "--public 400" in export.command(study)


def features_file(**changed):
    """Forty records of three features in two classes."""
    rng = np.random.default_rng(0)
    labels = np.arange(40) % 2
    features = (rng.normal(size=(40, 3)) + labels[:, None]).astype(np.float32)
    arrays = {"train_features": features, "train_labels": labels}
    arrays |= {"test_features": features, "test_labels": labels, "names": np.array(["no", "yes"])}
    held = io.BytesIO()
    np.savez(held, **(arrays | changed))
    return held.getvalue()


def test_features_of_one_s_own_are_trained_on_and_called_not_private():
    title = images.entry("features_npz").title
    app = opened(dataset=title, **QUICK, lot="10")
    assert [info.value.startswith("Choose the file") for info in app.info] == [True]
    app.file_uploader(key="train_upload").upload("mine.npz", features_file(train_labels=[7]))
    app.run()
    assert len(app.error) == 1
    assert "train_labels in" in app.error[0].value
    numbers_to_predict = np.linspace(0.0, 350.0, 40)
    app.file_uploader(key="train_upload").upload(
        "mine.npz", features_file(train_labels=numbers_to_predict)
    )
    app.run()
    (error,) = app.error
    assert "train_labels in 'mine.npz' is float64 of shape (40,)" in error.value
    app.file_uploader(key="train_upload").upload("mine.npz", features_file())
    app.run()
    trained(app)
    assert not app.exception
    assert not app.error
    assert "not private" in app.warning[0].value
    assert numbers(app)["Accuracy"].endswith("%")


def test_the_effect_of_a_setting_waits_for_a_click():
    app = opened(**QUICK, train_view="Effect of a setting", effect="clipping norm C")
    until(lambda: "effect_start" in {button.key for button in app.button}, app)
    assert "C = 0.25, 0.5, 1, 2, 4; 2 repetitions each" in said(app)
    app.selectbox(key="effect").set_value("hidden units").run()
    until(lambda: "hidden units = 2, 4, 8, 16, 32" in said(app), app)
    app.segmented_control(key="network").set_value("linear").run()
    until(lambda: bool(app.info), app)
    assert "hidden units that can be chosen" in app.info[0].value
    assert not app.exception


def controls(app):
    """Labels of the controls in the sidebar, besides the switch of a tab."""
    side = app.sidebar
    return [
        control.label
        for kind in ("selectbox", "segmented_control", "number_input", "select_slider", "toggle")
        for control in side.get(kind)
    ]


def test_few_controls_are_in_sight_and_a_changed_one_stays_drawn():
    app = opened()
    assert len(controls(app)) <= 8
    assert "Load a paper's experiment" in controls(app)
    assert "Learning rate" not in controls(app)
    app = opened(rate="0.25")
    assert app.number_input(key="rate").value == 0.25
    assert "1 setting changed under Expert." in said(app)
    assert "rate" in app.query_params
    app = opened(expert="true")
    assert {"Learning rate", "Repetitions", "Seed", "Inputs"} <= set(controls(app))


def test_what_does_not_fit_the_images_is_not_offered():
    app = opened(network="CNN", expert="true")
    (warning,) = app.warning
    assert "the network “CNN”, which this page does not offer" in warning.value
    assert not app.error
    assert app.segmented_control(key="network").options == ["Linear", "Perceptron"]
    assert "Scattering, whitened" not in app.selectbox(key="features").options
    app.selectbox(key="dataset").set_value("mnist").run()
    assert "Scattering, whitened" in app.selectbox(key="features").options
    app.selectbox(key="features").set_value("scattering").run()
    app.segmented_control(key="network").set_value("cnn").run()
    # Convolutional networks take images.
    assert app.selectbox(key="features").options == ["As they are", "Set upright"]
    assert app.selectbox(key="features").value == "raw"
    assert "Scattering does not fit the other settings" in said(app)
    app.selectbox(key="dataset").set_value("breast_cancer").run()
    assert app.segmented_control(key="network").value == "perceptron"
    assert app.selectbox(key="features").options == ["As they are"]
    assert "CNN does not fit the other settings" in said(app)
    assert not app.error
    assert not app.exception


def test_a_full_queue_is_waited_for(monkeypatch):
    monkeypatch.setattr(jobs, "MAX_UNFINISHED", 0)
    app = opened(**QUICK, train_seed="5")
    app.run()
    progress = [each.text for each in app.get("progress")]
    assert progress == ["Training, your settings: waiting for room in the queue"]
    assert not app.exception
    monkeypatch.undo()
    trained(app)


def test_without_workers_the_reason_is_told(monkeypatch):
    def nobody(*_, **__):
        raise InvalidInput("DPCORE_SCHEDULER is 'tcp://here', but no Dask scheduler answers there.")

    monkeypatch.setattr(executors, "submit", nobody)
    app = opened(**QUICK, train_seed="6")
    until(lambda: bool(app.warning), app)
    assert "no Dask scheduler answers there" in app.warning[-1].value
    assert app.button(key="train_start").label == "Train again"
    assert not app.exception


def test_opacus_stands_beside_the_command_and_says_in_what_it_differs():
    app = opened(**QUICK, train_view="Take along")
    command, snippet, opacus = [block.value for block in app.code][-3:]
    assert command.startswith("python -m dpcore train --dataset digits")
    assert "TrainingStudy('digits'" in snippet
    sigma = comparison.with_calibrated_sigma(comparison.comparison_arms(quick_study()), RECORDS)[
        "private"
    ].sigma
    assert f"noise_multiplier={sigma / FIRST['clipping']!r}" in opacus
    assert "Opacus would sample 1 in 6 records" in said(app)
    assert not app.exception


@pytest.mark.parametrize("key", ["digits", "chest_features", "breast_cancer"])
def test_what_a_data_set_alone_can_be_told_stands_under_the_command(key):
    app = opened(**QUICK | {"dataset": images.entry(key).title}, train_view="Take along")
    own = images.source(key).settings
    assert [f"`{setting}`: {setting.help}" in said(app) for setting in own] == [True] * len(own)
    assert (texts.OWN_SETTINGS in said(app)) is (key != "digits")
    assert not app.exception


def test_clipping_and_noise_are_trained_apart_when_asked_why():
    app = opened(**QUICK, train_view="Why accuracy fell")

    def told():
        # The sentence comes while the last of them trains, the table once none does.
        return "clipping alone" in said(app) and "noise alone" in said(app) and bool(app.dataframe)

    until(told, app, look_seconds=2.0)
    assert not app.exception
    series = set(app.dataframe[-1].value["series"])
    assert {"clipped", "noisy", "nonprivate", "private"} <= series


def reached(app):
    """The epoch that the answer is of."""
    result = re.search(r"epoch ([\d,]+) of", said(app))
    return int(result.group(1).replace(",", "")) if result else 0


def test_a_long_run_waits_for_a_click_and_can_be_stopped():
    app = opened(passes="1000", repeats="30", schedule="Constant", units="8")
    assert "Start" in {button.label for button in app.button}
    assert "Press Start" in said(app)
    assert "not trained yet" in said(app)
    until(lambda: "Press Start (about" in said(app), app)
    told = re.search(r"Press Start \(about ([\d.]+ \w+), between [\d.]+ \w+ and ", said(app))
    assert told is not None
    app.button(key="train_start").click().run()
    until(lambda: numbers(app)["Accuracy"] != "…", app)
    app.button(key="train_stop").click().run()
    until(lambda: "Stopped." in said(app), app)
    until(lambda: "stopped in epoch" in said(app), app)
    assert not app.exception
    # What was spent is that of the epochs before, not of the run that was planned.
    assert float(numbers(app)["Certified ε"]) < 3.0
    assert "stopped in epoch" in said(app)
    assert numbers(app)["Accuracy"] != "…"
    until(lambda: "Go on" in {button.label for button in app.button}, app)
    before = reached(app)
    app.button(key="train_start").click().run()
    seen: list[int] = []
    until(lambda: bool(seen.append(reached(app)) or seen[-1] > before), app)
    # Nothing is trained again from the first epoch.
    assert min(epoch for epoch in seen if epoch) >= before
    app.button(key="train_stop").click().run()
    until(lambda: "Stopped." in said(app), app)
    assert not app.exception


def test_a_run_that_is_stopped_before_its_first_step_has_spent_nothing():
    link = {"passes": "1000", "repeats": "30", "schedule": "Constant", "units": "24"}
    config = replace(quick_study().config, widths=(24,), epochs=1000, decay=1.0)
    study = replace(quick_study(), config=config, runs=30)
    job = jobs.submit(task(study))
    job.cancel()
    app = opened(**link)
    until(lambda: not job.stopping, app)
    app.run()
    assert not app.exception
    shown = numbers(app)
    assert shown["Certified ε"] == "0"
    assert shown["Accuracy"] == shown["Lost to privacy"] == "none"
    assert said(app).count("Stopped before its first step: nothing is trained yet") >= 2
    assert "nothing trained yet; 3 for the whole run; δ = 1e-5" in said(app)
    assert "waiting for the first epoch" not in said(app).lower()


def test_what_stood_there_for_other_settings_goes_before_anything_is_computed(monkeypatch):
    app = opened(**QUICK)
    assert numbers(app)

    def slow(*_):
        st.stop()

    with monkeypatch.context() as patch:
        patch.setattr(calibration, "calibrate", slow)
        app.number_input(key="lot").set_value(128).run()
    assert not app.exception
    assert not app.metric
    assert "Computing …" in said(app)
    app.run()
    until(lambda: bool(app.metric), app)
    assert numbers(app)["Certified ε"] == "3"
    assert "Computing …" not in said(app)


def test_what_is_under_way_is_watched_on_a_page_that_is_loaded_anew():
    link = {"passes": "1000", "repeats": "30", "schedule": "Constant", "units": "4"}
    app = opened(**link)
    app.button(key="train_start").click().run()
    until(lambda: numbers(app)["Accuracy"] != "…", app)
    anew = opened(**link)
    assert "Stop" in {button.label for button in anew.button}
    assert "Not trained yet" not in said(anew)
    anew.button(key="train_stop").click().run()
    until(lambda: "Stopped." in said(anew), anew)
    assert not anew.exception


def test_records_that_are_missing_can_be_fetched_from_here(monkeypatch, tmp_path):
    monkeypatch.setenv("DPCORE_DATA", str(tmp_path))
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    st.cache_data.clear()  # another test may have counted the records
    app = opened(**QUICK, dataset=images.entry("heart").title)
    assert images.entry("heart").how_to_get in " ".join(info.value for info in app.info)
    assert app.button(key="train_download").label == "Download it now"
    assert not app.exception


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


def test_paper_004_s_noise_is_a_claim_without_a_certificate():
    app = opened(**QUICK, shape="As paper 004 prints it")
    shown = numbers(app)
    assert shown["Certified ε"] == "none"
    assert "paper 004, theorem 1" in said(app)
    assert "The gradient of all private records decides" in said(app)
    assert "No bound" in said(app)
    assert "What this page trains: exploration only" not in said(app)
    assert ": conditions not met" in said(app)
    assert not [each for each in app.segmented_control if each.key == "schedule"]
    assert not app.exception


def test_settings_that_do_not_fit_together_are_said_in_one_sentence():
    app = opened(lot="2000")
    assert not app.exception
    (error,) = app.error
    assert all(part in error.value for part in ("batch size is 2000", "1 and at most 1,437"))


def test_hostile_values_in_the_link_are_refused_in_a_sentence_each():
    link: dict[str, str | list[str]] = {
        "target_epsilon": "-1",
        "rate": "nan",
        "lot": "<script>",
        "passes": "1e99",
        "dataset": "../../etc",
        "shape": "?",
        "train_view": "Nothing",
        "what": "ever",
        "set_aside": "0",
        "lambda_order": "-1",
    }
    more: dict[str, str | list[str]] = {
        "scaled_by": "Anywhere",
        "effect": "magic",
        "compare": ["../../etc", "0" * 24],
    }
    for noun, sentences in ((link, 10), (more, 4)):
        app = opened(**noun)
        assert not app.exception
        (warning,) = app.warning
        assert warning.value.startswith("The link asks for:")
        assert warning.value.count("\n- ") == sentences
        assert "<" not in warning.value
        assert numbers(app)["Certified ε"] == "3"


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


def test_few_test_records_and_a_private_network_that_is_better_are_explained():
    study = replace(quick_study(), dataset="heart")
    table = pd.DataFrame(
        {
            "series": ["private", "nonprivate"],
            "epoch": [1, 1],
            "accuracy_test": [0.9, 0.8],
            "accuracy_test_low": [0.9, 0.8],
            "accuracy_test_high": [0.9, 0.8],
            "runs": [1, 1],
        }
    )
    noun = TrainChoice(study, images.entry("digits"), "accuracy_test", None, RECORDS)

    def told(tested):
        return live.caution(
            noun, comparison.compared(table, noun.metric, ended=("private", "nonprivate")), tested
        )

    assert told((30, 30)).startswith("The private network comes out better than the one ")
    assert "There are only 60 test records" in told((30, 30))
    assert told((30, 30)).endswith("So every accuracy and difference here is rough.")
    assert "There are only" not in told((5000, 5000))
    table["accuracy_test"] = [0.8, 0.9]
    assert "comes out better" not in told((30, 30))


@pytest.mark.parametrize(
    ("nonprivate", "states", "note"),
    [
        ([1, 2], {"private": "done", "nonprivate": "running"}, "epoch 2 of 3; one repetition"),
        ([1, 2, 3], {"private": "done", "nonprivate": "running"}, "one repetition"),
        ([1, 2, 3], {"private": "done", "nonprivate": "done"}, "one repetition"),
    ],
)
def test_both_numbers_are_of_one_epoch(nonprivate, states, note):
    study, epochs = quick_study(), [1, 2, 3, *nonprivate]
    steps = study.config.steps_an_epoch(RECORDS)
    table = pd.DataFrame(
        {
            "series": ["private"] * 3 + ["nonprivate"] * len(nonprivate),
            "epoch": epochs,
            "steps": [steps * epoch for epoch in epochs],
            "accuracy_test": [0.1 * epoch for epoch in epochs],
            "accuracy_test_low": 0.0,
            "accuracy_test_high": 1.0,
            "runs": 1,
        }
    )
    choice = TrainChoice(study, images.entry("digits"), "accuracy_test", None, RECORDS)
    calibrated: Any = SimpleNamespace(config=study.config, records=RECORDS)
    measured, lost = live._measured(choice, calibrated, table, states, untouched=False)
    assert measured[1:3] == (f"{10 * nonprivate[-1]}.0 %", note)
    assert lost[1].lstrip("+−") == "0.0"
    assert lost[2].endswith("both after epoch 2") == (nonprivate == [1, 2])
