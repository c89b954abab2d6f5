"""The schedule is drawn as it is."""

from dpcore.accounting.schedules import constant, geometric
from dpcore.figures import schedule


def test_noise_is_drawn_as_stairs():
    trace = schedule.noise(geometric(2.0, 0.25, 3, 10), 2.0).figure.data[0]
    assert list(trace.x) == [1, 10, 11, 20, 21, 30]
    assert list(trace.y) == [2.0, 2.0, 1.0, 1.0, 0.5, 0.5]
    assert "step 21: σ = 0.5" in trace.hovertext[4]
    assert "σ/C = 0.25" in trace.hovertext[4]
    assert "stays at σ = 2" in schedule.noise(constant(2.0, 5), 1.0).sentence
