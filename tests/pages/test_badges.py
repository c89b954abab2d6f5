"""The line that states a guarantee: ε never without δ, adjacency and accountant."""

import re

import pytest

from dpcore.guarantee import Adjacency, Guarantee
from pages.shared.badges import statement
from tests.typewritten import typewritten


def test_epsilon_is_stated_with_delta_adjacency_and_accountant_and_rounded_up():
    one = Guarantee(0.123456, 1.23456e-6, Adjacency.REPLACE_ONE, "PLD", "A note.")
    line = statement(one)
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
    assert told in statement(guarantee)
