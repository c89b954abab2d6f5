"""What is said of a training: its time, and a large first noise."""

import pytest

from dpcore.evaluation.training.duration import Duration
from dpcore.questions.training import words


@pytest.mark.parametrize(
    ("seconds", "low", "high", "text"),
    [
        (0.2, 0.1, 0.4, "about 1 s, between 1 s and 1 s"),
        (24.0, 18.7, 41.2, "about 24 s, between 19 s and 41 s"),
        (241.0, 170.0, 430.0, "about 4 min, between 3 min and 7 min"),
        (2_700.0, 80.0, 6_000.0, "about 45 min, between 80 s and 1.7 hours"),
        (45_360.0, 7_560.0, 90_000.0, "about 13 hours, between 2.1 hours and 25 hours"),
    ],
)
def test_an_estimate_has_few_digits_and_its_range(seconds, low, high, text):
    assert words.in_time(Duration(seconds, low, high)) == text


def test_a_decay_that_makes_the_first_noise_far_larger_is_warned_of():
    assert words.large_first_noise(49.9, 5.0) == ""
    assert "σ₀ = 78 410, 6 434 times" in words.large_first_noise(78_410.0, 12.187)
