"""A training's figures say what their tables hold, in traces, in sentences and on hover."""

import pandas as pd
import pytest

from dpcore.accounting.events import constant, geometric
from dpcore.evaluation.training import measures
from dpcore.questions.training import figure

EPOCHS = 4


def table(**ends):
    """Two runs a series whose accuracy grows in a straight line to the given mean."""
    by_series = {
        series: pd.DataFrame(
            [
                {
                    "run": run,
                    "epoch": epoch,
                    "steps": 6 * epoch,
                    "accuracy_test": end * epoch / EPOCHS + (0.02 if run else -0.02),
                    "loss_train": 2.0 - end * epoch / EPOCHS,
                    "epsilon": float("nan") if series == "nonprivate" else 0.5 * epoch,
                    "delta": 1e-5,
                    "adjacency": "add-remove",
                    "accountant": "PLD",
                }
                for run in (0, 1)
                for epoch in range(1, EPOCHS + 1)
            ]
        )
        for series, end in ends.items()
    }
    return measures.gathered(by_series)


def schedule():
    return pd.DataFrame(
        [
            {
                "series": series,
                "epoch": epoch,
                "steps": 6 * epoch,
                "sigma": sigma * decay**epoch,
                "epsilon": 0.5 * epoch,
                "delta": 1e-5,
                "adjacency": "add-remove",
                "accountant": "PLD",
            }
            for series, sigma, decay in (("private", 4.0, 0.5), ("constant", 1.5, 1.0))
            for epoch in range(1, EPOCHS + 1)
        ]
    )


def lines(drawn):
    """Values of each named line."""
    return {trace.name: list(trace.y) for trace in drawn.figure.data if trace.name}


def test_each_series_is_drawn_with_its_means_and_named_in_the_sentence():
    rows = measures.averaged(table(private=0.8, constant=0.7, nonprivate=0.9))
    drawn = figure.learning(rows, "accuracy_test", epochs=EPOCHS)
    assert lines(drawn)["your settings"] == pytest.approx([0.2, 0.4, 0.6, 0.8])
    assert drawn.sentence.startswith("At the end: your settings at 80.0 %, constant σ at 70.0 %")
    assert drawn.sentence in drawn.alt
    named = [trace for trace in drawn.figure.data if trace.name]
    texts = {trace.name: trace.hovertext for trace in named}
    assert all("δ = 10⁻⁵ · add-remove · PLD" in text for text in texts["your settings"])
    assert all("ε" not in text for text in texts["no privacy"])
    assert len({trace.line.dash for trace in named}) == len(named) == 3
    assert len({trace.marker.symbol for trace in named}) == 3
    rows.loc[rows["series"] == "private", "epsilon"] = float("nan")
    sentence = figure.learning(rows, "accuracy_test", epochs=EPOCHS).sentence
    assert "your settings (no certified ε) at 80.0 %" in sentence


@pytest.mark.parametrize(
    ("seen", "midway", "told"),
    [
        ({"private": 2, "nonprivate": 2}, False, "After epoch 2 of 4: your settings at 40.0 %"),
        ({"private": 4, "nonprivate": 4}, True, "In epoch 4 of 4: your settings at 80.0 %"),
        (
            {"private": 4, "nonprivate": 2},
            False,
            "So far, of 4 epochs: your settings at 80.0 % after epoch 4 and ",
        ),
        (
            {"private": 2, "nonprivate": 4},
            True,
            "So far, of 4 epochs: your settings at 40.0 % in epoch 2 and ",
        ),
    ],
)
def test_a_run_in_the_middle_says_where_each_series_is(seen, midway, told):
    rows = measures.averaged(table(private=0.8, nonprivate=0.9))
    rows = rows[rows["epoch"] <= rows["series"].map(seen)]
    drawn = figure.learning(rows, "accuracy_test", epochs=EPOCHS, midway=midway)
    assert drawn.sentence.startswith(told)
    # The axis is that of the whole run, so that nothing jumps while it trains.
    assert drawn.figure.layout.xaxis.range[1] >= EPOCHS


def test_nothing_yet_is_said():
    empty = measures.averaged(measures.gathered({}))
    drawn = figure.learning(empty, "accuracy_test", epochs=EPOCHS, waits="It was stopped.")
    assert drawn.sentence == "It was stopped."
    assert len(drawn.figure.data) == 0


def test_the_course_of_noise_and_of_epsilon_is_rounded_up():
    noise = figure.epsilon_schedule(schedule(), "sigma", epochs=EPOCHS)
    assert lines(noise)["your settings"] == [2.0, 1.0, 0.5, 0.25]
    assert "2 after the first epoch, 0.25 after the last; constant σ 1.5" in noise.sentence
    grown = schedule().assign(epsilon=lambda rows: rows["epsilon"] + 1e-4)
    drawn = figure.epsilon_schedule(grown, "epsilon", epochs=EPOCHS, reached=3)
    assert "0.501 after the first epoch, 2.01 after the last" in drawn.sentence
    assert drawn.sentence.endswith("After epoch 3 it is 1.51.")
    hovered = next(trace.hovertext for trace in drawn.figure.data if trace.name)
    assert "ε = 0.501 so far" in hovered[0]
    drawn = figure.epsilon_schedule(schedule(), "epsilon", epochs=EPOCHS, reached=0)
    assert drawn.sentence.endswith("nothing is spent.")
    none = schedule().assign(epsilon=float("nan"))
    told = figure.epsilon_schedule(none, "epsilon", epochs=EPOCHS).sentence
    assert told == "No finite ε is certified here."


def test_noise_is_drawn_as_stairs():
    trace = figure.noise(geometric(2.0, 0.25, 3, 10), 2.0).figure.data[0]
    assert list(trace.x) == [1, 10, 11, 20, 21, 30]
    assert list(trace.y) == [2.0, 2.0, 1.0, 1.0, 0.5, 0.5]
    assert "step 21: σ = 0.5" in trace.hovertext[4]
    assert "σ/C = 0.25" in trace.hovertext[4]
    assert "stays at σ = 2" in figure.noise(constant(2.0, 5), 1.0).sentence
