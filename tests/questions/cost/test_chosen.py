"""Methods at the chosen ε, and cases among a thousand."""

from __future__ import annotations

import math

from scipy.stats import binomtest

from dpcore.figures.curves import ReferenceLine
from dpcore.questions.cost import chosen

REFERENCES = [ReferenceLine("non-private", 0.95), ReferenceLine("majority", 0.63, "dot")]


def test_the_chosen_epsilon_counts_points_and_names_claims_that_do_not_hold(table, titles):
    drawn = chosen.accuracy(table[table["epsilon"] == 1.0], REFERENCES, titles=titles)
    assert "DP-GD +1.0, OPERA −22.5 and OutPert −22.5" in drawn.sentence
    assert [trace.y[0] for trace in drawn.figure.data] == ["DP-GD", "OPERA", "OutPert"]
    status = table["status"].mask(table["method"] == "dpgd", "claim not supported")
    at_one = table.assign(status=status)[table["epsilon"] == 1.0]
    drawn = chosen.accuracy(at_one, REFERENCES, titles=titles)
    assert "the least loss first: OPERA " in drawn.sentence
    assert "not proved here: DP-GD (promises too much) +1.0" in drawn.sentence
    assert [trace.y[0] for trace in drawn.figure.data][-1] == "DP-GD (promises too much)"


def cases(rows, titles, others, records=100_000):
    return chosen.patients(
        rows,
        others,
        titles=titles,
        positive="ill",
        negative="well",
        records_are="patients",
        ill=333.0,
        test_records=records,
    )


def test_cases_among_a_thousand_are_drawn_and_said(table, titles):
    others = [chosen.Cases("no privacy", 9.0, 18.0)]
    drawn = cases(table[table["epsilon"] == 1.0], titles, others)
    assert [trace.marker.pattern.shape for trace in drawn.figure.data] == ["", "/"]
    for part in ("333 are cases of ill", "misses 9 of them and raises 18", "OPERA misses 138"):
        assert part in drawn.sentence


def test_cases_judged_from_few_records_are_given_as_ranges(table, titles):
    opera = table[(table["epsilon"] == 1.0) & (table["method"] == "opera")]
    rates = {"missed_per_1000": 333.0 * 11 / 27, "false_per_1000": 667.0 * 11 / 53}
    drawn = cases(opera.assign(**rates), titles, [], 80)
    # Of the 80 test records 27 are ill: missed ones are counted among these alone.
    for count, among, most, words in (
        (11, 27, 333.0, "OPERA misses about 136 [{}] of them"),
        (11, 53, 667.0, "raises about 138 [{}] false alarms"),
    ):
        low, high = binomtest(count, among).proportion_ci(method="wilson")
        between = f"{math.floor(most * low)} to {math.ceil(most * high)}"
        assert words.format(between) in drawn.sentence
