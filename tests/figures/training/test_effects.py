"""The figure of one setting's effect: its points, its sentence, what gave way, hover."""

import pandas as pd
import pytest

from dpcore.evaluation import effects
from dpcore.figures import training as figures

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


def test_the_best_value_and_the_present_one_are_named():
    rows = table({2.0: 0.7, 0.5: 0.9, 1.0: 0.8})
    drawn = figures.effect(rows, CLIP, "accuracy_test", now=1.0)
    line = drawn.figure.data[-1]
    assert list(line.x) == [0.5, 1.0, 2.0]
    assert list(line.y) == [0.9, 0.8, 0.7]
    assert drawn.sentence.startswith(
        "The best accuracy of 3 values is 90.0 %, at C = 0.5; as set, at 1, it is 80.0 %. Means"
    )
    assert drawn.sentence in drawn.alt
    assert drawn.figure.layout.xaxis.type == "log"


def test_bands_that_overlap_are_called_chance():
    rows = table({1.0: 0.8, 2.0: 0.81}, band=0.05)
    assert "it may be chance" in figures.effect(rows, CLIP, "accuracy_test", now=1.0).sentence
    assert "chance" not in figures.effect(rows, CLIP, "accuracy_test", now=2.0).sentence


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        ("sigma", "Within the same ε, 1 is the first noise σ₀ at C = 0.5 and 4 at 2."),
        ("epoch", "10 epochs are run with each value."),
    ],
)
def test_what_gave_way_is_told(column, sentence):
    rows = table({0.5: 0.9, 2.0: 0.7})
    assert figures.effect(rows, CLIP, column, now=0.5).sentence == sentence


def test_every_epsilon_on_hover_has_delta_adjacency_and_accountant():
    rows = table({0.9: 0.8, 1.0: 0.7})
    texts = figures.effect(rows, DECAY, "accuracy_test", now=1.0).figure.data[-1].hovertext
    assert all("δ = 1e-5 · add-remove · PLD" in text for text in texts)
    free = figures.effect(rows.assign(epsilon=float("nan")), DECAY, "epoch", now=1.0)
    assert all("nothing is certified" in text for text in free.figure.data[-1].hovertext)


def test_nothing_yet_is_said():
    empty = pd.DataFrame({"parameter": [], "value": []})
    drawn = figures.effect(empty, CLIP, "accuracy_test", now=1.0)
    assert drawn.sentence == "Waiting for the first epoch."


def test_finished_trainings_have_looks_of_their_own():
    result = figures.runs([str(number) for number in range(2, 2 + figures.MAX_RUNS)])
    assert [each.title for each in result.values()][:2] == ["training 2", "training 3"]
    assert len({each.look.dash for each in result.values()}) == figures.MAX_RUNS
    assert len({each.look.marker for each in result.values()}) == figures.MAX_RUNS
