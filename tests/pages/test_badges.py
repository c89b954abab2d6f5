"""The line that states a guarantee: ε never without δ, adjacency and accountant."""

from __future__ import annotations

import re

from dpcore.guarantee import Adjacency, Guarantee
from pages.shared.badges import statement


def test_epsilon_is_stated_with_delta_adjacency_and_accountant_and_rounded_up() -> None:
    one = Guarantee(0.123456, 1.23456e-6, Adjacency.REPLACE_ONE, "PLD", "A note.")
    line = statement(one)
    epsilon, delta = (float(text) for text in re.findall(r"[εδ] = ([\d.e-]+)", line))
    assert 0.123456 <= epsilon < 0.1245
    assert 1.23456e-6 <= delta < 1.25e-6
    assert line.endswith(" · replace-one · PLD. A note.")


def test_without_delta_and_without_a_number_nothing_is_made_up() -> None:
    pure = statement(Guarantee(1.0, 0.0, Adjacency.ZERO_OUT, "Laplace"))
    assert "ε = 1, δ = 0" in pure
    claimed = statement(Guarantee(1.0, None, Adjacency.ZERO_OUT, "the paper"))
    assert "δ" not in claimed
    assert "vacuous" in statement(Guarantee(1.0, 1.0, Adjacency.ZERO_OUT, "the paper"))
    refused = statement(Guarantee(None, 1e-5, Adjacency.ZERO_OUT, "PLD", "Too little noise."))
    assert refused == "No number. Too little noise."
