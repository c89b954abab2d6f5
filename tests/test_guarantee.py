"""The shared words: budgets are checked, and a vacuous statement is called so."""

import pytest

from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Guarantee, PrivacyBudget


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
