"""The shared words: budgets are checked, and a vacuous statement is called so."""

import re

import pytest

from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Guarantee, PrivacyBudget
from tests.typewritten import typewritten


@pytest.mark.parametrize(
    ("epsilon", "delta", "field"),
    [
        (0.0, 1e-5, "epsilon"),
        (-1.0, 1e-5, "epsilon"),
        (float("inf"), 1e-5, "epsilon"),
        (float("nan"), 1e-5, "epsilon"),
        (1.0, -1e-5, "delta"),
        (1.0, 1.0, "delta"),
        (1.0, float("nan"), "delta"),
    ],
)
def test_a_bad_budget_is_refused(epsilon, delta, field):
    with pytest.raises(InvalidInput, match=f"{field} is .*, but it must be a finite number"):
        PrivacyBudget(epsilon, delta)


def test_a_budget_is_kept_as_floats():
    budget = PrivacyBudget("1", 0)
    assert (budget.epsilon, budget.delta) == (1.0, 0.0)
    assert type(budget.delta) is float


@pytest.mark.parametrize(
    ("delta", "vacuous"), [(None, False), (0.0, False), (0.999, False), (1.0, True), (7.0, True)]
)
def test_from_delta_one_on_a_statement_says_nothing(delta, vacuous):
    assert Guarantee(0.1, delta, Adjacency.ZERO_OUT, "a paper").vacuous is vacuous


def test_epsilon_is_stated_with_delta_adjacency_and_accountant_and_rounded_up():
    one = Guarantee(0.123456, 1.23456e-6, Adjacency.REPLACE_ONE, "PLD", "A note.")
    line = one.statement
    epsilon, delta = (float(text) for text in re.findall(r"[εδ] = ([\d.e-]+)", typewritten(line)))
    assert 0.123456 <= epsilon < 0.1245
    assert 1.23456e-6 <= delta < 1.25e-6
    assert line.endswith(" · replace-one · PLD. A note.")


@pytest.mark.parametrize(
    ("guarantee", "told"),
    [
        (Guarantee(1.0, 0.0, Adjacency.ZERO_OUT, "Laplace"), "ε = 1, δ = 0 · zero-out"),
        (Guarantee(1.0, None, Adjacency.ZERO_OUT, "the paper"), "ε = 1 · zero-out"),
        (Guarantee(1.0, 1.0, Adjacency.ZERO_OUT, "the paper"), "vacuous"),
        (Guarantee(None, 1e-5, Adjacency.ZERO_OUT, "PLD", "Too little."), "No number. Too little."),
    ],
)
def test_without_delta_and_without_a_number_nothing_is_made_up(guarantee, told):
    assert told in guarantee.statement
