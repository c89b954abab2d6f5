"""The frontier's figure and what it says."""

import pytest

from dpcore.evaluation.frontier import best_rows, reach
from dpcore.figures.frontier import frontier
from tests.evaluation.test_frontier import ONE, OTHER, pd

TITLES = {"one": "One", "other": "Other"}
BEST = best_rows(pd.concat([ONE, OTHER]))


def drawn_of(wanted, epsilon=1.0, best=BEST, *, so_far=False):
    drawn = frontier(
        best,
        reach(best, wanted),
        titles=TITLES,
        records=455,
        records_are="patients",
        epsilon=epsilon,
        so_far=so_far,
    )
    assert drawn.sentence in drawn.alt
    assert ("best proved method so far" in drawn.alt) == so_far
    return drawn


def said(wanted, epsilon=1.0, best=BEST, **more):
    return drawn_of(wanted, epsilon, best, **more).sentence


def test_where_it_is_reached_and_by_whom():
    text = said(0.70, 1.0)
    assert "70.0 % takes ε = 1, with One, on average" in text
    assert "The best runs reach it from ε = 0.1 on. " in text
    assert "From ε = 1 on it is reached by 19 of 20 runs." in text
    assert "would be needed" not in text
    assert text.endswith("Other (ε = 0.1) and One (ε = 1 to 10).")


def test_a_comparison_that_goes_on_names_the_best_so_far():
    assert "among the proved methods: Other" in said(0.70, 1.0)
    assert "among the proved methods so far: Other" in said(0.70, 1.0, so_far=True)


def test_a_band_of_several_splits_is_that_of_an_average_one():
    several = BEST.assign(splits=7)
    assert "reached by 19 of 20 runs on an average split." in said(0.70, 1.0, several)
    assert "From ε = 1 on it is reached by all runs." in said(0.70, 1.0, BEST.assign(runs=5))


def test_a_smaller_epsilon_asks_for_more_records():
    assert "At ε = 0.1 it is not reachable with 455 patients. About 4,550 would" in said(0.70, 0.1)


def test_out_of_reach_is_said_plainly():
    text = said(0.95, 1.0)
    assert "95.0 % is not reached with 455 patients at any ε here: the proved methods" in text
    assert text.count("the proved methods") == 2
    assert "a larger ε will not" in text
    assert "At no ε here is it reached by 19 of 20 runs." in said(0.88, 10.0)


def test_an_accuracy_that_is_lost_again_is_not_called_out_of_reach():
    table = BEST.assign(accuracy=[0.65, 0.95, 0.90])
    text = said(0.93, best=table)
    assert "93.0 % is reached at ε = 1, 95.0 % at best, but lost again" in text
    assert "not reached" not in text


def test_the_epsilons_named_are_those_that_are_shown():
    table = pd.concat([BEST.assign(epsilon=[1e-9, 1e-6, 1e-3], method="other"), BEST])
    drawn = drawn_of(0.7, best=table)
    shown = drawn.figure.layout.xaxis.range
    assert 10.0 ** shown[0] == pytest.approx(1e-3)
    assert "Other (ε = 0.001 to 0.1) and One (ε = 1 to 10)." in drawn.sentence


def test_an_epsilon_left_of_what_is_shown_is_not_named():
    table = BEST.assign(epsilon=[1e-6, 1e-3, 1.0])
    assert reach(table, 0.5).epsilon == pytest.approx(1e-6)
    text = said(0.5, best=table)
    assert "50.0 % takes ε below 0.001, with Other" in text
    assert "1e-6" not in text
    assert "takes ε = 0.001," in said(0.7, best=table.iloc[1:])


def test_each_method_has_its_own_mark():
    named = [trace for trace in drawn_of(0.7).figure.data if trace.name]
    assert [trace.name for trace in named] == ["Other", "One"]
    assert list(named[1].x) == pytest.approx([1.0, 10.0])
    assert list(named[1].error_y.arrayminus) == pytest.approx([0.05, 0.05])


def test_cases_are_counted_at_the_epsilon_that_suffices():
    table = BEST.assign(missed_per_1000=[90.0, 66.4, 50.0], false_per_1000=[120.0, 79.6, 70.0])
    assert "it then misses 66 cases and raises 80 false alarms." in said(0.70, best=table)
