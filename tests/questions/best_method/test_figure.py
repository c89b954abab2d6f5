"""The frontier's figure and what it says."""

import pandas as pd
import pytest

from dpcore.questions.best_method.figure import best_rows, frontier
from tests.questions.best_method.test_reach import ONE, OTHER

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
