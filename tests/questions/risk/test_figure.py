"""The attacker's figure says what its table says, in the words of its adjacency."""

import pytest

from dpcore.accounting import tradeoff
from dpcore.accounting.risk import odds
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_mu
from dpcore.questions.risk.figure import SERIES, hundred, hundred_table, roc
from dpcore.words import percent_at_most

RATE = 0.01


def drawn(adjacency=Adjacency.ZERO_OUT, *, epsilon=1.0, exact=True, rate=RATE, dark=False):
    curves = {"budget": tradeoff.from_budget(epsilon, 1e-5, adjacency)}
    if exact:
        mu = float(analytic_mu(epsilon, 1e-5))
        curves["exact"] = tradeoff.from_gaussian(mu, adjacency)
    marks = {key: float(tradeoff.power(curve, rate)) for key, curve in curves.items()}
    return roc(tradeoff.table(curves), marks, rate, dark=dark)


def test_the_mark_stands_on_its_line_at_the_chosen_rate():
    for trace in drawn(rate=0.1).figure.data:
        if trace.mode == "markers":
            line = next(
                other
                for other in drawn(rate=0.1).figure.data
                if other.mode == "lines" and other.legendgroup == trace.legendgroup
            )
            below = max(y for x, y in zip(line.x, line.y, strict=True) if x <= 0.1)
            above = min(y for x, y in zip(line.x, line.y, strict=True) if x >= 0.1)
            assert tuple(trace.x) == (0.1,)
            assert below <= trace.y[0] <= above


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_the_sentence_has_the_numbers_and_the_adjacency(adjacency):
    result = drawn(adjacency)
    hits = float(tradeoff.power(tradeoff.from_budget(1.0, 1e-5, adjacency), RATE))
    mu = float(analytic_mu(1.0, 1e-5))
    less = float(tradeoff.power(tradeoff.from_gaussian(mu, adjacency), RATE))
    for text in (result.sentence, result.alt):
        assert percent_at_most(less) in text
        assert percent_at_most(hits) in text
    replaced = adjacency is Adjacency.REPLACE_ONE
    assert ("records that are another's" in result.sentence) == replaced
    assert ("people who are not in the data" in result.sentence) != replaced
    alone = drawn(adjacency, exact=False)
    assert f"at most {percent_at_most(hits)} of the" in alone.sentence
    assert SERIES["exact"] not in {trace.name for trace in alone.figure.data}


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 50.0, 100.0])
def test_the_table_of_the_hundred_adds_up(epsilon):
    told = odds(PrivacyBudget(epsilon, 1e-5), Adjacency.REPLACE_ONE)
    table = hundred_table(told)
    assert table["people"].sum() == 100
    assert table["people"].iloc[:2].sum() == 50 + told.by_release
    assert set(table["question"]) == {told.question}
    names = [trace.name for trace in hundred(told).figure.data]
    assert names == [f"{row.people} {row.guess}" for row in table.itertuples()]
