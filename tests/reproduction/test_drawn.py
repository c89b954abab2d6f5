"""What papers 003 and 004 conclude from a figure, judged by what Train draws of it."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from dpcore.controls.train import CONTROLS, PRESETS
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.reproduction import paper_003, paper_004
from dpcore.reproduction.drawn import of_effect, of_training
from dpcore.reproduction.report import NOT_SUPPORTED, PARTLY, SUPPORTED, UNCHECKED, ExperimentOrder


def study_of(title):
    """The study that the page makes of a preset."""
    values = PRESETS[title]
    fields = CONTROLS.fields(values, "config")
    if values["network"] == "perceptron":
        fields["widths"] = (values["units"],) * values["layers"]
    return TrainingStudy(config=TrainingConfig(**fields), **CONTROLS.fields(values))


def ends(metric, epsilon=1.0, **values):
    """Where trainings ended, each a mean without spread."""
    return pd.DataFrame(
        [
            {
                "series": series,
                **{f"{metric}_test{end}": value for end in ("", "_low", "_high")},
                "epsilon": None if series == "private" else epsilon,
            }
            for series, value in values.items()
        ]
    )


@pytest.mark.parametrize("epsilon", [2.0, 8.0])
def test_figure_1_of_003_opens_as_it_is_run_again(epsilon):
    study = study_of(f"Paper 003, figure 1: ε = {epsilon:g}")
    assert study.config == replace(
        paper_003.CHEST, decay_every="epoch", sigma=study.config.sigma, sampling="poisson"
    )
    assert (study.dataset, study.epsilon, study.runs) == (
        paper_003.STAND_IN,
        epsilon,
        paper_003.RUNS,
    )


@pytest.mark.slow("solves for noise that decays every step")
def test_figure_2_of_003_starts_from_about_the_paper_s_noise():
    study = study_of("Paper 003, figure 2: ε = 8")
    assert study.epsilon == paper_003.FIXED
    calibrated = study.with_calibrated_sigma(paper_003.RECORDS)
    assert calibrated.sigma == pytest.approx(paper_003.CHEST.sigma, rel=0.03)
    assert replace(calibrated, sigma=paper_003.CHEST.sigma, epochs=8) == paper_003.CHEST


@pytest.mark.parametrize(
    ("title", "epsilon", "delta"),
    [
        *(("figure 3: ε = {:g}", level, paper_004.DELTA) for level in paper_004.LEVELS),
        ("figure 5: ε = {:g}", paper_004.STRUCTURE_EPSILON, paper_004.DELTA),
        ("figure 4: ε = {:g}, δ = 10⁻⁵", paper_004.GRID_EPSILONS[0], paper_004.GRID_DELTAS[0]),
        ("figure 4: ε = {:g}, δ = 0.01", paper_004.GRID_EPSILONS[-1], paper_004.GRID_DELTAS[-1]),
    ],
)
def test_figures_of_004_open_as_they_are_run_again(monkeypatch, title, epsilon, delta):
    study = study_of("Paper 004, " + title.format(epsilon))
    monkeypatch.setattr(paper_004.images, "load", paper_004.images.entry)
    order = ExperimentOrder("x", "out", None, 1, None, lambda *_: None)
    plain = paper_004.setting("mnist", epsilon, order, delta)
    assert study == paper_004.readings(plain, 60_000)["published"]


def verdicts(conclusions):
    return [one.verdict for one in conclusions]


@pytest.mark.parametrize("private", [0.8, 0.6])
def test_what_stands_in_settles_nothing_and_the_stated_epsilon_is_judged(private):
    made = ends("auc", private=private, constant=0.7, nonprivate=0.9, clipped=0.9)
    for epsilon, stated in ((2.0, SUPPORTED), (8.0, PARTLY)):
        study = study_of(f"Paper 003, figure 1: ε = {epsilon:g}")
        better, near, private_at = of_training((3, 1), study, made)
        assert verdicts([better, near, private_at]) == [UNCHECKED, UNCHECKED, stated]
        assert f"In {int(private > 0.7)} of 1 places" in better.seen
        assert f"({epsilon:g}, 10⁻⁴)-private" in private_at.claim


@pytest.mark.parametrize(("rise", "wanted"), [(1.0, SUPPORTED), (-1.0, NOT_SUPPORTED)])
@pytest.mark.parametrize("key", ["decay", "sigma", "clip"])
def test_figure_2_of_003_is_judged_by_one_setting(key, rise, wanted):
    way = -rise if key == "clip" else rise
    places = [0, 1, 2]
    made = pd.DataFrame(
        {
            "parameter": key,
            "value": [1.0 + place for place in places],
            "auc_test": [0.7 + 0.01 * way * place for place in places],
            "steps": [int(400 + 50 * way * place) for place in places],
        }
    )
    study = study_of("Paper 003, figure 2: ε = 8")
    epochs, effect, stated = of_effect((3, 2), study, paper_003.RECORDS, made, None)
    assert verdicts([epochs, effect, stated]) == [wanted, UNCHECKED, PARTLY]
    assert "4" in epochs.seen
    assert ("smaller C" in epochs.claim) == (key == "clip")


@pytest.mark.parametrize(("gain", "wanted"), [(0.1, SUPPORTED), (0.005, NOT_SUPPORTED)])
def test_figure_3_of_004_is_judged_at_the_one_epsilon(gain, wanted):
    made = ends("accuracy", private=0.7 + gain, constant=0.7, nonprivate=0.95, clipped=0.9)
    study = study_of("Paper 004, figure 3: ε = 0.3")
    better, against_print, theorem = of_training((4, 3), study, made)
    assert verdicts([better, against_print, theorem]) == [wanted, UNCHECKED, NOT_SUPPORTED]
    assert "at ε = 0.3 (" in better.claim
    assert "88.55" in against_print.seen


@pytest.mark.parametrize(
    ("title", "gain", "wanted"),
    [
        ("ε = 0.01, δ = 10⁻⁵", 0.1, SUPPORTED),
        ("ε = 0.01, δ = 10⁻⁵", 0.02, PARTLY),
        ("ε = 0.01, δ = 10⁻⁵", -0.1, NOT_SUPPORTED),
        ("ε = 1.2, δ = 0.01", 0.01, SUPPORTED),
        ("ε = 1.2, δ = 0.01", 0.1, NOT_SUPPORTED),
    ],
)
def test_a_corner_of_figure_4_of_004_is_judged_by_its_own_claim(title, gain, wanted):
    made = ends("accuracy", private=0.7 + gain, constant=0.7, nonprivate=0.95)
    corner, theorem = of_training((4, 4), study_of(f"Paper 004, figure 4: {title}"), made)
    assert verdicts([corner, theorem]) == [wanted, NOT_SUPPORTED]
    assert ("low privacy" in corner.claim) == title.startswith("ε = 1.2")


@pytest.mark.parametrize(
    ("key", "ours", "plain", "wanted"),
    [
        ("batch", 0.0, 0.1, [SUPPORTED, SUPPORTED]),
        ("batch", 0.1, 0.0, [NOT_SUPPORTED, NOT_SUPPORTED]),
        ("units", 0.01, 0.1, [PARTLY]),
        ("clip", 0.1, 0.0, [SUPPORTED]),
    ],
)
def test_figure_5_of_004_is_judged_by_one_setting_of_both_noises(key, ours, plain, wanted):
    made, isotropic = (
        pd.DataFrame(
            {"parameter": key, "value": [1.0, 2.0], "accuracy_test": [start, start + rise]}
        )
        for start, rise in ((0.7, ours), (0.5, plain))
    )
    study = study_of("Paper 004, figure 5: ε = 0.3")
    assert verdicts(of_effect((4, 5), study, 60_000, made, isotropic)) == wanted
