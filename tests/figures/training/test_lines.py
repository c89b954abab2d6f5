"""A training's figures say what their tables hold, in traces, in sentences and on hover."""

import pandas as pd
import pytest

from dpcore.evaluation import comparison
from dpcore.evaluation.comparison import Compared
from dpcore.figures import training as figures

EPOCHS = 4


def table(**ends):
    """Two runs a series whose accuracy grows in a straight line to the given mean."""
    histories = {
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
    return comparison.gathered(histories)


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
    rows = comparison.averaged(table(private=0.8, nonprivate=0.9))
    drawn = figures.learning(rows, "accuracy_test", epochs=EPOCHS)
    assert lines(drawn)["your settings"] == pytest.approx([0.2, 0.4, 0.6, 0.8])
    told = "At the end: your settings at 80.0 % and no privacy at 90.0 %."
    assert drawn.sentence.startswith(told)
    assert "Means over 2 repetitions" in drawn.sentence
    assert drawn.sentence in drawn.alt
    texts = {trace.name: trace.hovertext for trace in drawn.figure.data if trace.name}
    assert all("δ = 1e-5 · add-remove · PLD" in text for text in texts["your settings"])
    assert all("no privacy" in text for text in texts["no privacy"])
    assert all("ε" not in text for text in texts["no privacy"])


def test_a_line_without_a_certified_epsilon_is_said_to_have_none():
    rows = comparison.averaged(table(private=0.8, constant=0.7, nonprivate=0.9))
    rows.loc[rows["series"] == "private", "epsilon"] = float("nan")
    drawn = figures.learning(rows, "accuracy_test", epochs=EPOCHS)
    assert drawn.sentence.startswith(
        "At the end: your settings (no certified ε) at 80.0 %, constant σ at 70.0 % and no privacy "
        "at 90.0 %."
    )


def test_a_run_in_the_middle_says_where_it_is():
    rows = comparison.averaged(table(private=0.8))
    drawn = figures.learning(rows[rows["epoch"] <= 2], "accuracy_test", epochs=EPOCHS)
    assert drawn.sentence.startswith("After epoch 2 of 4: your settings at 40.0 %.")
    stopped = figures.learning(rows, "accuracy_test", epochs=EPOCHS, midway=True)
    assert stopped.sentence.startswith("In epoch 4 of 4: your settings at 80.0 %.")
    # The axis is that of the whole run, so that nothing jumps while it trains.
    assert drawn.figure.layout.xaxis.range[1] >= EPOCHS


def test_a_series_that_is_still_behind_is_not_said_to_be_at_its_end():
    rows = comparison.averaged(table(private=0.8, nonprivate=0.9))
    behind = rows[(rows["series"] != "nonprivate") | (rows["epoch"] <= 2)]
    sentence = figures.learning(behind, "accuracy_test", epochs=EPOCHS).sentence
    assert sentence.startswith("So far, of 4 epochs: your settings at 80.0 % after epoch 4 and ")
    assert " after epoch 2." in sentence
    behind = rows[(rows["series"] != "private") | (rows["epoch"] <= 2)]
    sentence = figures.learning(behind, "accuracy_test", epochs=EPOCHS, midway=True).sentence
    assert sentence.startswith("So far, of 4 epochs: your settings at 40.0 % in epoch 2 and ")


@pytest.mark.parametrize("dark", [False, True])
def test_series_differ_in_dash_and_marker(dark):
    rows = comparison.averaged(table(private=0.8, constant=0.7, nonprivate=0.9))
    drawn = figures.learning(rows, "loss_train", epochs=EPOCHS, dark=dark)
    named = [trace for trace in drawn.figure.data if trace.name]
    assert len({trace.line.dash for trace in named}) == len(named) == 3
    assert len({trace.marker.symbol for trace in named}) == 3
    assert len({trace.line.color for trace in named}) == 3


def test_nothing_yet_is_said():
    empty = comparison.averaged(comparison.gathered({}))
    drawn = figures.learning(empty, "accuracy_test", epochs=EPOCHS)
    assert drawn.sentence == "Waiting for the first epoch."
    assert len(drawn.figure.data) == 0
    drawn = figures.learning(empty, "accuracy_test", epochs=EPOCHS, waits="It was stopped.")
    assert drawn.sentence == "It was stopped."
    drawn = figures.ablation(empty, "accuracy_test")
    assert drawn.sentence == "The points come as repetitions end."


def test_a_run_that_was_stopped_before_its_first_step_has_spent_nothing():
    drawn = figures.epsilon_schedule(schedule(), "epsilon", epochs=EPOCHS, reached=0)
    assert drawn.sentence.endswith("nothing is trained yet, and nothing is spent.")
    assert not drawn.figure.layout.shapes
    drawn = figures.epsilon_schedule(schedule(), "epsilon", epochs=EPOCHS)
    assert "nothing is trained" not in drawn.sentence


def test_the_course_of_noise_and_of_epsilon():
    noise = figures.epsilon_schedule(schedule(), "sigma", epochs=EPOCHS)
    assert lines(noise)["your settings"] == [2.0, 1.0, 0.5, 0.25]
    assert noise.sentence == (
        "Noise σ: your settings 2 after the first epoch, 0.25 after the last; "
        "constant σ 1.5 throughout."
    )
    spent = figures.epsilon_schedule(schedule(), "epsilon", epochs=EPOCHS, reached=3)
    assert spent.sentence.endswith("After epoch 3 it is 1.5.")


def test_certified_epsilons_are_rounded_up():
    grown = schedule().assign(epsilon=lambda rows: rows["epsilon"] + 1e-4)
    drawn = figures.epsilon_schedule(grown, "epsilon", epochs=EPOCHS, reached=3)
    assert "your settings 0.501 after the first epoch, 2.01 after the last" in drawn.sentence
    assert drawn.sentence.endswith("After epoch 3 it is 1.51.")
    hovered = next(trace.hovertext for trace in drawn.figure.data if trace.name)
    assert "ε = 0.501 so far" in hovered[0]


def test_without_a_certified_epsilon_the_course_says_so():
    rows = schedule().assign(epsilon=float("nan"))
    assert figures.epsilon_schedule(rows, "epsilon", epochs=EPOCHS).sentence == (
        "No finite ε is certified here."
    )


@pytest.mark.parametrize(
    ("clipped", "noisy", "blamed"), [(0.7, 0.85, "clipping"), (0.85, 0.7, "noise")]
)
def test_what_cost_accuracy_is_named(clipped, noisy, blamed):
    rows = table(nonprivate=0.9, clipped=clipped, noisy=noisy, private=0.6)
    drawn = figures.ablation(comparison.last(rows), "accuracy_test")
    assert "Against 90.0 % without privacy" in drawn.sentence
    assert "both together −30.0 points" in drawn.sentence
    assert drawn.sentence.endswith(f"The larger part is {blamed}.")
    # Upright and narrow, so that they are read on a phone.
    axis = drawn.figure.layout.xaxis
    assert axis.tickangle == 0
    assert axis.ticktext[1] == f"Clipping<br>only<br>{clipped:.1%}".replace("%", " %")


def compared(value, clipped, reference, epoch=None):
    return Compared(value, value, value, 1, reference, clipped, epoch)


def test_what_privacy_costs_is_one_bar_of_two_parts_that_sum_to_the_total():
    # Exactly 4.65 points, of which 4.05 and 0.6: rounded apart, the parts would not sum up.
    now = compared(0.8555, 0.86151, 0.90204)
    drawn = figures.cost(now, "accuracy_test", waits="")
    lengths = {trace.name: trace.x[0] for trace in drawn.figure.data}
    assert lengths == pytest.approx({"clipping": -4.0, "noise": -0.7})
    assert drawn.sentence == (
        "Privacy costs 4.7 points against 90.2 % without it: clipping costs 4.0, "
        "the noise costs 0.7."
    )
    assert drawn.sentence in drawn.alt
    # Clipping has its line's colour, noise that of the line with noise only.
    lines = [figures.SERIES[series].look.on(False) for series in ("clipped", "noisy")]
    assert [trace.marker.color for trace in drawn.figure.data] == lines
    apart = figures.parted(now, "accuracy_test")
    assert apart is not None
    table = figures.cost_table(apart, "accuracy_test", "exploration only")
    assert list(table["accuracy_test"]) == [0.90204, 0.86151, 0.8555]
    assert list(table["change as shown"])[1:] == [-0.04, -0.007]
    assert list(table["status"]) == ["not private", "not private", "exploration only"]


def test_noise_that_helps_by_chance_is_drawn_to_the_other_side():
    drawn = figures.cost(compared(0.866, 0.862, 0.902), "accuracy_test", waits="")
    low, high = drawn.figure.layout.xaxis.range
    assert low < -4.0
    assert high > 0.4
    assert drawn.sentence == (
        "Privacy costs 3.6 points against 90.2 % without it: clipping costs 4.0, "
        "the noise gains 0.4. A gain may be chance."
    )


def test_an_area_is_lost_in_parts_too():
    assert figures.lost(0.85, 0.9, "accuracy_test") == "−5.0 points"
    assert figures.lost(0.85, 0.9, "auc_test") == "−0.05"
    drawn = figures.cost(compared(0.8012, 0.9008, 0.95, epoch=3), "auc_test", waits="")
    assert drawn.sentence == (
        "Privacy costs 0.149 AUC against 0.95 without it, after epoch 3: clipping costs 0.049, "
        "the noise costs 0.1."
    )


def test_what_is_not_told_apart_yet_is_waited_for():
    for now in (None, compared(0.8, None, 0.9), compared(0.8, None, None)):
        drawn = figures.cost(now, "accuracy_test", waits="It waits.")
        assert drawn.sentence == "It waits."
        assert not drawn.figure.data


def test_a_decay_that_makes_the_first_noise_far_larger_is_warned_of():
    assert figures.large_first_noise(49.9, 5.0) == ""
    assert figures.large_first_noise(78_410.0, 12.187) == (
        "Noise begins at σ₀ = 78,410, 6,434 times what constant noise takes at the same ε (12.2): "
        "early epochs learn next to nothing."
    )
