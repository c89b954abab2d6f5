"""Figures of papers 003 and 004: they open on Train from Explore, and are judged by what is drawn.

How each is judged is tested in `tests/reproduction/test_drawn.py`.
"""

from __future__ import annotations

import pytest

from dpcore.controls.network_figures import FIGURES
from dpcore.controls.train import PRESETS
from dpcore.reproduction.report import NOT_SUPPORTED, UNCHECKED
from tests.pages.expert import with_expert_open
from tests.pages.shown import open_page, run, said
from tests.pages.waiting import until

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]

OF_003 = "Paper 003, figure 2: ε = 8"
OF_004, WITH_EFFECTS = "Paper 004, figure 3: ε = 1", "Paper 004, figure 5: ε = 0.3"
QUICK = {"passes": "2", "units": "8", "target_epsilon": "1", "shape": "As paper 004 prints it"}


@pytest.mark.usefixtures("jobs_wait")
@pytest.mark.parametrize("title", [OF_003, OF_004, WITH_EFFECTS])
def test_a_figure_of_networks_opens_on_train_with_its_settings(title):
    app = open_page("explore")
    assert set(FIGURES) < set(app.selectbox(key="start_from").options)
    app.selectbox(key="start_from").set_value(title)
    run(app)
    settings = PRESETS[title]
    assert app.title[0].value == "What does privacy do to a network?"
    assert app.selectbox(key="train_preset").value == title
    with_expert_open(app)
    assert app.number_input(key="lot").value == settings["lot"]
    assert app.number_input(key="target_epsilon").value == settings["target_epsilon"]
    assert app.select_slider(key="train_delta").value == settings["train_delta"]
    assert app.selectbox(key="shape").value == settings["shape"]
    assert not app.warning
    assert not app.error


@pytest.mark.usefixtures("jobs_at_once")
@pytest.mark.parametrize("is_a_figure", [True, False])
def test_what_a_paper_concludes_stands_beside_a_figure_that_is_drawn(monkeypatch, is_a_figure):
    if is_a_figure:  # its own records are not at hand
        monkeypatch.setattr("pages.train.controls.matching", lambda: [OF_004])
    app = open_page("train", **QUICK)
    until(lambda: "Trained." in said(app), app)
    told = said(app)
    assert ("What the paper concludes" in told) == is_a_figure
    assert told.count(f"**{UNCHECKED}**") == is_a_figure
    assert (f"**{NOT_SUPPORTED}**: Algorithm 1" in told) == is_a_figure


@pytest.mark.usefixtures("jobs_at_once")
def test_the_effects_of_a_setting_are_judged_as_figure_2_of_003(monkeypatch):
    monkeypatch.setattr("pages.train.controls.matching", lambda: [OF_003])
    link = {"dataset": "Synthetic chest X-ray features", "network": "Linear"}
    link |= {"passes": "1", "lot": "5000", "ratio": "0.99", "when": "Every step", "repeats": "1"}
    app = open_page("train", **link, effect="noise decay R", train_view="Effect of a setting")
    until(lambda: any(one.key == "effect_start" for one in app.button), app)
    app.button(key="effect_start").click()
    run(app)
    until(lambda: "What the paper concludes" in said(app), app)
    assert "A larger R spends less a step" in said(app)


@pytest.mark.usefixtures("jobs_at_once")
def test_paper_004_s_effects_stand_beside_isotropic_noise_s(monkeypatch):
    monkeypatch.setattr("pages.train.controls.matching", lambda: [OF_004, WITH_EFFECTS])
    app = open_page("train", **QUICK, effect="hidden units", train_view="Effect of a setting")
    until(lambda: any(one.key == "effect_start" for one in app.button), app)
    app.button(key="effect_start").click()
    run(app)
    until(lambda: said(app).count("What the paper concludes") == 2, app)
    assert "number of hidden units changes accuracy" in said(app)
    assert set(app.dataframe[-1].value["series"]) == {"private", "constant"}
