"""The decision curve and its sentences, from a table with known numbers."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from dpcore.evaluation.clinic.rows import REFERENCE
from dpcore.evaluation.clinic.task import TREAT_ALL, TREAT_NONE
from dpcore.figures.decisions import DETAIL, decision_curve, worth

THRESHOLDS = (0.1, 0.2, 0.5)
ALL = {0.1: 0.25, 0.2: 0.15, 0.5: -0.4}
"""Net benefit of treating everybody."""


def made(method: str, benefits: dict[float, float], **other: object) -> pd.DataFrame:
    rows = [
        {
            "method": method,
            "title": method,
            "baseline": "",
            "epsilon": math.nan,
            "delta": 1e-5,
            "adjacency": "zero-out",
            "accountant": "analytic Gaussian",
            "status": "",
            "threshold": threshold,
            "net_benefit": benefits[threshold],
            "net_benefit_low": benefits[threshold],
            "net_benefit_high": benefits[threshold],
            "runs": 30,
            "splits": 1,
        }
        | other
        for threshold in THRESHOLDS
    ]
    return pd.DataFrame(rows)


def model(epsilon: float, benefit: float, status: str = "proved", runs: int = 30) -> pd.DataFrame:
    rows = made(
        "opera",
        dict.fromkeys(THRESHOLDS, benefit),
        title="OPERA",
        epsilon=epsilon,
        status=status,
        runs=runs,
    )
    return rows.assign(net_benefit_low=benefit - 0.02, net_benefit_high=benefit + 0.01)


OTHERS = pd.concat(
    [
        made(REFERENCE, dict.fromkeys(THRESHOLDS, 0.3), title="without privacy", baseline="trees"),
        made(TREAT_ALL, ALL, title="treat all"),
        made(TREAT_NONE, dict.fromkeys(THRESHOLDS, 0.0), title="treat none"),
    ],
    ignore_index=True,
)


def short(told: str) -> bool:
    """At most twenty words a sentence; signs are no words."""
    sentences = told.replace(". ", ".\n").splitlines()
    return all(sum(any(map(str.isalpha, word)) for word in one.split()) <= 20 for one in sentences)


@pytest.mark.parametrize("dark", [False, True])
def test_four_lines_are_drawn_and_told(dark: bool) -> None:
    drawn = decision_curve(model(1.0, 0.2), OTHERS, threshold=0.2, dark=dark)
    names = [trace.name for trace in drawn.figure.data if trace.name]
    assert names == ["without privacy: trees", "treat all", "treat none", "OPERA, ε = 1"]
    lines = {
        (line.dash, line.width) for line in (one.line for one in drawn.figure.data if one.name)
    }
    assert len(lines) == 4  # told apart without colours
    low, high = drawn.figure.layout.yaxis.range
    assert -0.4 < low < 0.0 < 0.3 < high
    assert drawn.sentence == (
        "At ε = 1 and a threshold of 20 %, the net benefit of OPERA is 0.2. "
        "9 of 10 runs lie between 0.18 and 0.21. Without privacy it is 0.3, "
        "treating everybody 0.15, treating nobody 0."
    )
    assert drawn.sentence in drawn.alt
    assert short(drawn.alt + " " + DETAIL)
    curve = drawn.figure.data[-1]
    assert "9 of 10 runs: %{customdata[0]:.3~f} to %{customdata[1]:.3~f}<br>" in curve.hovertemplate
    assert "δ = 1e-5 · zero-out · analytic Gaussian" in curve.hovertemplate
    chosen = list(curve.x).index(0.2)
    assert [round(end, 3) for end in curve.customdata[chosen]] == [0.18, 0.21]
    assert "runs" not in drawn.figure.data[0].hovertemplate


def test_the_least_epsilon_is_told_with_that_of_nearly_all_runs() -> None:
    line = pd.concat([model(0.1, 0.1), model(1.0, 0.16), model(10.0, 0.2)])
    told = worth(line, OTHERS, 0.2)
    assert told == (
        "At a threshold of 20 % the model is worth more than treating everybody or nobody from "
        "ε = 1 on. In 19 of 20 runs this holds from ε = 10 on."
    )
    assert short(told)
    few = pd.concat([model(0.1, 0.1, runs=5), model(1.0, 0.16, runs=5)])
    assert worth(few, OTHERS, 0.2).endswith("At no ε here does this hold in all runs.")
    # Of several splits the band is that of the noise alone.
    several = "In 19 of 20 runs on an average split this holds from ε = 10 on."
    assert worth(line.assign(splits=7), OTHERS, 0.2).endswith(several)


def test_a_model_that_is_worth_no_more_is_told_so() -> None:
    line = pd.concat([model(0.1, 0.2), model(10.0, 0.15)])
    told = worth(line, OTHERS, 0.2)
    assert told == (
        "At a threshold of 20 % the model is worth no more than treating everybody or nobody, even "
        "at ε = 10."
    )
    assert short(told)
    unproved = worth(model(1.0, 0.3, status="conditions not met"), OTHERS, 0.2)
    assert unproved == "Nothing is proved here, so there is no least ε."
