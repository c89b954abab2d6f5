"""The best proved method at each ε, the ε that an accuracy takes, and what the figure says."""

import math

import pandas as pd
import pytest

from dpcore.accounting.risk import gaussian_advantage
from dpcore.predictors import predictor_named
from dpcore.questions.best_method.figure import best_rows, frontier, reach, records_needed


def rows(method, accuracies, status="proved"):
    return pd.DataFrame(
        {
            "epsilon": list(accuracies),
            "method": method,
            "edition": "sound",
            "accuracy": list(accuracies.values()),
            "accuracy_low": [value - 0.05 for value in accuracies.values()],
            "accuracy_high": [value + 0.05 for value in accuracies.values()],
            "delta": 1e-5,
            "adjacency": "replace-one",
            "accountant": "some theorem",
            "status": status,
            "runs": 30,
            "splits": 1,
        }
    )


ONE = rows("one", {0.1: 0.60, 1.0: 0.80, 10.0: 0.90})
OTHER = rows("other", {0.1: 0.65, 1.0: 0.75, 10.0: math.nan})
BROKEN = rows("broken", {0.1: 0.99, 1.0: 0.99, 10.0: 0.99}, "claim not supported")
FREE = rows("nonprivate", {0.1: 0.95, 1.0: 0.95, 10.0: 0.95}, "not private")


def test_the_best_proved_method_is_named_at_each_epsilon():
    result = best_rows(pd.concat([BROKEN, ONE, FREE, OTHER]))
    assert result["epsilon"].tolist() == [0.1, 1.0, 10.0]
    assert result["method"].tolist() == ["other", "one", "one"]
    assert result["accuracy"].tolist() == [0.65, 0.80, 0.90]


@pytest.mark.parametrize(("accuracy", "named"), [(0.8995, "quieter"), (0.8985, "one")])
def test_of_methods_as_good_the_one_that_allows_fewest_right_guesses_is_best(accuracy, named):
    loud = ONE.assign(noise_advantage=math.nan)
    quiet = rows("quieter", {0.1: 0.60, 1.0: 0.70, 10.0: accuracy}).assign(
        noise_advantage=[gaussian_advantage(mu) for mu in (0.01, 0.1, 1.5)]
    )
    result = best_rows(pd.concat([loud, quiet]))
    assert result["method"].tolist() == ["quieter", "one", named]
    looser = quiet.assign(noise_advantage=1.0)
    # Its own noise says no more than (ε, δ), so that the mean decides.
    assert best_rows(pd.concat([loud, looser]))["method"].tolist() == ["one"] * 3


def test_where_only_some_methods_were_tried_none_is_best():
    early = rows("other", {0.001: 0.50, 0.1: 0.65, 1.0: 0.75})
    assert best_rows(pd.concat([ONE, early]))["epsilon"].tolist() == [0.1, 1.0]


def test_nothing_proved_leaves_nothing():
    best = best_rows(pd.concat([BROKEN, FREE]))
    assert best.empty
    assert reach(best, 0.5).epsilon is None


@pytest.mark.parametrize(
    ("wanted", "lucky", "epsilon", "safe", "method"),
    [
        (0.55, 0.1, 0.1, 0.1, "other"),
        (0.70, 0.1, 1.0, 1.0, "one"),
        (0.83, 1.0, 10.0, 10.0, "one"),
        (0.88, 10.0, 10.0, None, "one"),
        (0.93, 10.0, None, None, ""),
        (0.97, None, None, None, ""),
    ],
)
def test_an_accuracy_is_reached_for_good(wanted, lucky, epsilon, safe, method):
    actual = reach(best_rows(pd.concat([ONE, OTHER])), wanted)
    reached = (actual.lucky, actual.epsilon, actual.safe, actual.method)
    assert reached == (lucky, epsilon, safe, method)


def test_a_dip_later_on_does_not_count_as_reached():
    best = best_rows(rows("one", {0.1: 0.9, 1.0: 0.6, 10.0: 0.9}))
    assert reach(best, 0.8).epsilon == 10.0


def test_noise_counts_against_records_times_epsilon():
    assert records_needed(300, 1.0, 0.1) == 3_000
    assert records_needed(300, 0.1, 1.0) == 300
    # √n teachers vote.
    powers = {key: predictor_named(key).records_power for key in ("pate", "dpgd", "naive-bayes")}
    assert powers == {"pate": 2, "dpgd": 1, "naive-bayes": 1}
    assert records_needed(300, 1.0, 0.1, powers["pate"]) == 30_000


TITLES = {"opera": "One", "dpgd": "Other"}
BEST = best_rows(pd.concat([ONE.assign(method="opera"), OTHER.assign(method="dpgd")]))


def drawn_of(wanted, epsilon=1.0, best=BEST, *, so_far=False):
    drawn = frontier(
        best,
        wanted,
        titles=TITLES,
        records=455,
        records_are="patients",
        epsilon=epsilon,
        so_far=so_far,
    )
    assert drawn.sentence in drawn.alt
    assert ("best proved method so far" in drawn.alt) == so_far
    return drawn


SEVERAL = BEST.assign(splits=7)
LOST_AGAIN = BEST.assign(accuracy=[0.65, 0.95, 0.90])
CASES = BEST.assign(missed_per_1000=[90.0, 66.4, 50.0], false_per_1000=[120.0, 79.6, 70.0])


@pytest.mark.parametrize(
    ("wanted", "epsilon", "best", "told"),
    [
        (0.70, 1.0, BEST, "70.0 % takes ε = 1, with One, on average"),
        (0.70, 1.0, BEST, "The best runs reach it from ε = 0.1 on. "),
        (0.70, 1.0, BEST, "From ε = 1 on it is reached by 19 of 20 runs."),
        (0.70, 1.0, BEST, "Other (ε = 0.1) and One (ε = 1 to 10)."),
        (0.70, 1.0, SEVERAL, "reached by 19 of 20 runs on an average split."),
        (0.70, 1.0, BEST.assign(runs=5), "From ε = 1 on it is reached by all runs."),
        (0.70, 0.1, BEST, "At ε = 0.1 it is not reachable with 455 patients. About 4 550 would"),
        (0.95, 1.0, BEST, "95.0 % is not reached with 455 patients at any ε here"),
        (0.88, 10.0, BEST, "At no ε here is it reached by 19 of 20 runs."),
        (0.93, 1.0, LOST_AGAIN, "93.0 % is reached at ε = 1, 95.0 % at best, but lost again"),
        (0.70, 1.0, CASES, "it then misses 66 cases and raises 80 false alarms."),
    ],
)
def test_what_the_frontier_says(wanted, epsilon, best, told):
    assert told in drawn_of(wanted, epsilon, best).sentence


def test_a_comparison_that_goes_on_names_the_best_so_far():
    assert "among the proved methods: Other" in drawn_of(0.70).sentence
    assert "among the proved methods so far: Other" in drawn_of(0.70, so_far=True).sentence


def test_the_epsilons_named_are_those_that_are_shown():
    table = pd.concat([BEST.assign(epsilon=[1e-9, 1e-6, 1e-3], method="dpgd"), BEST])
    drawn = drawn_of(0.7, best=table)
    assert 10.0 ** drawn.figure.layout.xaxis.range[0] == pytest.approx(1e-3)
    assert "Other (ε = 0.001 to 0.1) and One (ε = 1 to 10)." in drawn.sentence
    table = BEST.assign(epsilon=[1e-6, 1e-3, 1.0])
    assert "50.0 % takes ε below 0.001, with Other" in drawn_of(0.5, best=table).sentence
    assert "takes ε = 0.001," in drawn_of(0.7, best=table.iloc[1:]).sentence


def test_each_method_has_its_own_mark():
    named = [trace for trace in drawn_of(0.7).figure.data if trace.name]
    assert [trace.name for trace in named] == ["Other", "One"]
    assert list(named[1].x) == pytest.approx([1.0, 10.0])
    assert list(named[1].error_y.arrayminus) == pytest.approx([0.05, 0.05])
