"""What privacy costs a network, as a bar of two parts."""

import pytest

from dpcore.evaluation.training import measures
from dpcore.questions.comparison import figure
from dpcore.questions.comparison.words import Compared, parted


def compared(value, clipped, reference, epoch=None):
    return Compared(value, value, value, 1, reference, clipped, epoch)


def test_what_privacy_costs_is_one_bar_of_two_parts_that_sum_to_the_total():
    # Exactly 4.65 points, of which 4.05 and 0.6: rounded apart, the parts would not sum up.
    now = compared(0.8555, 0.86151, 0.90204)
    drawn = figure.cost(now, "accuracy_test", waits="")
    lengths = {trace.name: trace.x[0] for trace in drawn.figure.data}
    assert lengths == pytest.approx({"clipping": -4.0, "noise": -0.7})
    for part in ("costs 4.7 points", "clipping costs 4.0", "noise costs 0.7"):
        assert part in drawn.sentence
    apart = parted(now, "accuracy_test")
    assert apart is not None
    table = figure.cost_table(apart, "accuracy_test", "exploration only")
    assert list(table["accuracy_test"]) == [0.90204, 0.86151, 0.8555]
    assert list(table["change as shown"])[1:] == [-0.04, -0.007]
    assert list(table["status"]) == ["not private", "not private", "exploration only"]


def test_noise_that_helps_by_chance_is_drawn_to_the_other_side():
    drawn = figure.cost(compared(0.866, 0.862, 0.902), "accuracy_test", waits="")
    low, high = drawn.figure.layout.xaxis.range
    assert low < -4.0
    assert high > 0.4
    assert "the noise gains 0.4. A gain may be chance." in drawn.sentence


def test_nothing_yet_is_said():
    empty = measures.averaged(measures.gathered({}))
    drawn = figure.ablation(empty, "accuracy_test")
    assert drawn.sentence == "The points come as repetitions end."
    for now in (None, compared(0.8, None, 0.9), compared(0.8, None, None)):
        drawn = figure.cost(now, "accuracy_test", waits="It waits.")
        assert drawn.sentence == "It waits."
        assert not drawn.figure.data
