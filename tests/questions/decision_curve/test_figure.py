"""The decision curve and its sentences, from a table with known numbers."""

import math

import pandas as pd

from dpcore.evaluation.clinic.risks import REFERENCE
from dpcore.questions.decision_curve.figure import decision_curve, worth
from dpcore.questions.decision_curve.question import TREAT_ALL, TREAT_NONE
from tests.figures.conftest import series

THRESHOLDS = (0.1, 0.2, 0.5)
ALL = {0.1: 0.25, 0.2: 0.15, 0.5: -0.4}
"""Net benefit of treating everybody."""


def made(benefits, epsilon=math.nan, **other):
    rows = [
        series(epsilon, threshold=threshold, net_benefit=benefit)
        | {"net_benefit_low": benefit, "net_benefit_high": benefit}
        | other
        for threshold, benefit in benefits.items()
    ]
    return pd.DataFrame(rows)


def model(epsilon, benefit, **other):
    rows = made(dict.fromkeys(THRESHOLDS, benefit), epsilon, **other)
    return rows.assign(net_benefit_low=benefit - 0.02, net_benefit_high=benefit + 0.01)


OTHERS = pd.concat(
    [
        made(dict.fromkeys(THRESHOLDS, 0.3), method=REFERENCE, baseline="trees"),
        made(ALL, method=TREAT_ALL, title="treat all", baseline=""),
        made(dict.fromkeys(THRESHOLDS, 0.0), method=TREAT_NONE, title="treat none", baseline=""),
    ],
    ignore_index=True,
)


def test_four_lines_are_drawn_and_told():
    drawn = decision_curve(model(1.0, 0.2), OTHERS, threshold=0.2)
    names = [trace.name for trace in drawn.figure.data if trace.name]
    assert names == ["without privacy: trees", "treat all", "treat none", "OPERA, ε = 1"]
    lines = {(one.line.dash, one.line.width) for one in drawn.figure.data if one.name}
    assert len(lines) == 4  # told apart without colours
    low, high = drawn.figure.layout.yaxis.range
    assert -0.4 < low < 0.0 < 0.3 < high
    for part in ("OPERA is 0.2.", "between 0.18 and 0.21", "it is 0.3", "everybody 0.15"):
        assert part in drawn.sentence
    assert drawn.sentence in drawn.alt
    curve = drawn.figure.data[-1]
    assert "δ = 10⁻⁵ · zero-out · analytic Gaussian" in curve.hovertemplate
    chosen = list(curve.x).index(0.2)
    assert [round(end, 3) for end in curve.customdata[chosen]] == [0.18, 0.21]


def test_the_least_epsilon_is_told_with_that_of_nearly_all_runs():
    line = pd.concat([model(0.1, 0.1), model(1.0, 0.16), model(10.0, 0.2)])
    told = worth(line, OTHERS, 0.2)
    assert "from ε = 1 on. In 19 of 20 runs this holds from ε = 10 on." in told
    few = pd.concat([model(0.1, 0.1, runs=5), model(1.0, 0.16, runs=5)])
    assert worth(few, OTHERS, 0.2).endswith("At no ε here does this hold in all runs.")
    # Of several splits the band is that of the noise alone.
    several = "In 19 of 20 runs on an average split this holds from ε = 10 on."
    assert worth(line.assign(splits=7), OTHERS, 0.2).endswith(several)


def test_a_model_that_is_worth_no_more_is_told_so():
    line = pd.concat([model(0.1, 0.2), model(10.0, 0.15)])
    assert "worth no more than" in worth(line, OTHERS, 0.2)
    unproved = worth(model(1.0, 0.3, status="conditions not met"), OTHERS, 0.2)
    assert unproved == "Nothing is proved here, so there is no least ε."
