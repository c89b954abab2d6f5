"""The figure of one setting's effect: its points, its sentence, what gave way, hover."""

import pandas as pd

from dpcore.evaluation import effects
from dpcore.questions.vary import figure

CLIP, DECAY = effects.effect("clip"), effects.effect("decay")


def table(means, band=0.02, **columns):
    """Where a training ended with each value."""
    return pd.DataFrame(
        [
            {
                "value": value,
                "epoch": 10,
                "steps": 60,
                "accuracy_test": mean,
                "accuracy_test_low": mean - band,
                "accuracy_test_high": mean + band,
                "runs": 3,
                "sigma": 2.0 * value,
                "epsilon": 2.999,
                "delta": 1e-5,
                "adjacency": "add-remove",
                "accountant": "PLD",
            }
            for value, mean in means.items()
        ]
    ).assign(**columns)


def test_every_epsilon_on_hover_has_delta_adjacency_and_accountant():
    rows = table({0.9: 0.8, 1.0: 0.7})
    texts = figure.effect(rows, DECAY, "accuracy_test", now=1.0).figure.data[-1].hovertext
    assert all("δ = 10⁻⁵ · add-remove · PLD" in text for text in texts)
    free = figure.effect(rows.assign(epsilon=float("nan")), DECAY, "epoch", now=1.0)
    assert all("nothing is certified" in text for text in free.figure.data[-1].hovertext)


def test_the_best_value_and_the_present_one_are_named():
    rows = table({2.0: 0.7, 0.5: 0.9, 1.0: 0.8})
    drawn = figure.effect(rows, CLIP, "accuracy_test", now=1.0)
    line = drawn.figure.data[-1]
    assert list(line.x) == [0.5, 1.0, 2.0]
    assert list(line.y) == [0.9, 0.8, 0.7]
    assert "90.0 %, at C = 0.5; as set, at 1, it is 80.0 %" in drawn.sentence
    assert drawn.sentence in drawn.alt
    told = figure.effect(rows, CLIP, "sigma", now=0.5).sentence
    assert "1 is the first noise σ₀ at C = 0.5 and 4 at 2" in told


def test_bands_that_overlap_are_called_chance():
    rows = table({1.0: 0.8, 2.0: 0.81}, band=0.05)
    assert "it may be chance" in figure.effect(rows, CLIP, "accuracy_test", now=1.0).sentence
    assert "chance" not in figure.effect(rows, CLIP, "accuracy_test", now=2.0).sentence


def test_isotropic_noise_stands_beside_with_a_name_and_a_sentence_of_its_own():
    rows, beside = table({1.0: 0.8, 2.0: 0.9}), table({1.0: 0.3, 2.0: 0.5})
    drawn = figure.effect(rows, CLIP, "accuracy_test", now=1.0, beside=beside)
    lines = [trace for trace in drawn.figure.data if trace.hovertext]
    assert [trace.showlegend for trace in drawn.figure.data] == [False, None, False, None]
    assert [line.name for line in lines] == ["your settings", "constant σ"]
    assert list(lines[1].y) == [0.3, 0.5]
    assert drawn.figure.layout.yaxis.range[0] < 0.3
    assert "constant σ it is 30.0 % to 50.0 %" in drawn.sentence
    sigmas = figure.effect(rows, CLIP, "sigma", now=1.0, beside=beside)
    assert len([trace for trace in sigmas.figure.data if trace.hovertext]) == 1
    waiting = figure.effect(rows, CLIP, "accuracy_test", now=1.0, beside=beside[:0])
    assert "constant σ" not in waiting.sentence
