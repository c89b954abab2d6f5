"""Other measures: the same sentences as for accuracy, turned round where less is better."""

from functools import partial

import pandas as pd
import pytest

from dpcore.evaluation.scoring import AREA as MEASURE
from dpcore.evaluation.scoring import Metric
from dpcore.figures.curves import ReferenceLine
from dpcore.figures.quality import ACCURACY, Quality
from dpcore.questions.best_method.figure import best_rows, frontier, reach
from dpcore.questions.cost import chosen

AREA = Quality(MEASURE)
RMSE = Quality(Metric("rmse", -1.0, 100.0))
REFERENCES = (ReferenceLine("no privacy", 10.0), ReferenceLine("always the mean", 60.0))


def errors(table):
    """An accuracy a as the error 100 (1 - a) of a range of 100."""
    turned = {
        "rmse": 100.0 * (1.0 - table["accuracy"]),
        "rmse_low": 100.0 * (1.0 - table["accuracy_high"]),
        "rmse_high": 100.0 * (1.0 - table["accuracy_low"]),
    }
    return table.drop(columns=[c for c in table if c.startswith("accuracy")]).assign(**turned)


def told(best, wanted, titles, quality=AREA, epsilon=0.01, **more):
    named = {"titles": titles, "records": 300, "records_are": "patients", "epsilon": epsilon}
    return frontier(best, wanted, quality=quality, **named, **more).sentence


def test_the_least_error_comes_first(table, titles):
    rows = errors(table[table["epsilon"] == 10.0])
    drawn = chosen.accuracy(rows, REFERENCES, titles=titles, quality=RMSE)
    order = [trace.y[0] for trace in drawn.figure.data]
    assert order == rows.sort_values("rmse")["method"].map(titles).tolist()
    assert "in RMSE against the model without privacy" in drawn.sentence


def test_the_best_method_and_the_epsilon_that_an_error_takes(table, titles):
    table = table[table["method"] != "dpgd"]
    turned = errors(table)
    best = best_rows(turned, RMSE.measure)
    for epsilon, rows in turned.groupby("epsilon"):
        assert best.loc[best["epsilon"] == epsilon, "rmse"].iloc[0] == rows["rmse"].min()
    result = reach(best, 20.0, RMSE.measure)
    same = reach(best_rows(table), 0.8)
    assert (result.epsilon, result.lucky, result.safe, result.method) == (
        *(same.epsilon, same.lucky, same.safe, same.method),
    )
    assert result.best == pytest.approx(100.0 * (1.0 - same.best))
    assert told(best, 20.0, titles, RMSE).startswith(f"RMSE 20 takes ε = {result.epsilon:g},")
    nowhere = reach(best, 0.5, RMSE.measure)
    assert (nowhere.epsilon, nowhere.method) == (None, "")


def test_numbers_are_written_in_points_or_in_their_unit():
    assert (ACCURACY.signed(-0.034), RMSE.signed(3.456)) == ("−3.4", "+3.46")
    assert (ACCURACY.amount(-0.034), RMSE.amount(-3.456)) == ("3.4 points", "3.46")
    assert (ACCURACY.gap(-0.034), RMSE.gap(-3.456)) == ("−3.4 points", "an RMSE 3.46 lower")
    assert (ACCURACY.named(0.91), RMSE.named(54.1)) == ("91.0 %", "RMSE 54.1")
    assert (AREA.signed(-0.0004), AREA.signed(0.0126)) == ("0", "+0.013")


def test_a_method_that_is_no_better_than_a_coin_is_not_called_the_best(table, titles):
    areas = table.rename(columns=lambda name: name.replace("accuracy", "auc"))
    best = best_rows(areas, AREA.measure)
    best["auc_low"] = [0.4 if epsilon < 1.0 else 0.7 for epsilon in best["epsilon"]]
    said = partial(told, best, 0.8, titles, epsilon=1.0)
    below = best.loc[best["epsilon"] < 1.0, "epsilon"].max()
    assert f"Up to ε = {below:g} some single runs of the best one" in said(guess=0.5)
    assert "do no better than tossing a coin (0.5). Best by mean AUC" in said(guess=0.5)
    assert "coin" not in said(guess=0.3)
    assert "Best by mean" not in said(guess=0.9)


def test_what_a_measure_may_cost_is_counted_in_its_own_way():
    # Points of accuracy, AUC itself, percent of an error.
    assert (ACCURACY.as_shown(0.8296), AREA.as_shown(0.8296)) == (0.83, 0.83)
    assert RMSE.as_shown(54.27) == 54.3
    assert ACCURACY.worst_allowed(0.9, 2.0) == pytest.approx(0.88)
    assert AREA.worst_allowed(0.9, 0.02) == pytest.approx(0.88)
    assert RMSE.worst_allowed(50.0, 10.0) == pytest.approx(55.0)


def test_what_reads_as_two_points_fewer_is_within_two_points():
    rows = pd.DataFrame(
        {
            **{"method": "one", "epsilon": [1.0, 10.0]},
            **{f"accuracy{end}": [0.8296, 0.84] for end in ("", "_low", "_high")},
        }
    )
    goal = ACCURACY.as_shown(ACCURACY.worst_allowed(ACCURACY.as_shown(0.85), 2.0))
    assert ACCURACY.amount(ACCURACY.difference(0.8296, 0.85)) == "2.0 points"
    assert reach(rows, goal).epsilon == 10.0
    assert reach(ACCURACY.rows_as_shown(rows), goal).epsilon == 1.0
