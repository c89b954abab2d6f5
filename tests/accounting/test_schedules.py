"""Schedules and events: conventions, grouping, refusals."""

import numpy as np
import pytest

from dpcore.accounting import schedules
from dpcore.accounting.events import (
    Composed,
    Gaussian,
    PoissonSampled,
    Repeated,
    Step,
    from_schedule,
    steps,
)
from dpcore.errors import InvalidInput


def test_decay_multiplies_the_variance():
    result = schedules.geometric(2.8, 0.99, 8, 100)
    assert np.square(result.sigmas[1:]) / np.square(result.sigmas[:-1]) == pytest.approx([0.99] * 7)
    assert (result.sigmas[0], result.counts, result.steps) == (2.8, (100,) * 8, 800)


def test_kinds_give_the_steps_they_say():
    assert schedules.constant(2.0, 5).each_step().tolist() == [2.0] * 5
    assert schedules.linear(2.0, 1.0, 3).each_step().tolist() == [2.0, 1.5, 1.0]
    assert schedules.custom([1.0, 1.0, 2.0, 1.0]).counts == (2, 1, 1)
    assert schedules.geometric(1.0, 1.0, 4, 3) == schedules.constant(1.0, 12)


@pytest.mark.parametrize("sigma", [0.02, 1.0, 1e6])
def test_merged_levels_spend_about_as_much(sigma):
    result = schedules.geometric(sigma, 0.99, 400, 3)
    merged = result.merged(50)
    assert len(merged.sigmas) == 50
    assert merged.steps == result.steps
    assert all(result.sigmas[-1] <= each <= result.sigmas[0] for each in merged.sigmas)
    assert result.merged(400).sigmas == pytest.approx(result.sigmas, rel=1e-9)
    if sigma >= 1.0:
        spent = [np.expm1(each.each_step() ** -2.0).sum() for each in (result, merged)]
        assert spent[1] == pytest.approx(spent[0], rel=1e-9)


def test_equal_steps_are_counted_together():
    one = PoissonSampled(0.1, Gaussian(2.0, 2.0))
    repeated = Composed((one, Repeated(one, 2)))
    event = Composed((Repeated(one, 3), Gaussian(1.0), one, Repeated(repeated, 2)))
    assert steps(event) == (
        Step("gaussian", 1.0, "poisson", 0.1, 10),
        Step("gaussian", 1.0, "none", 1.0, 1),
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: schedules.geometric(1.0, 1.1, 3),
        lambda: schedules.geometric(1.0, 0.5, 3000),
        lambda: schedules.custom([]),
        lambda: schedules.constant(-1.0, 3),
        lambda: schedules.constant(1.0, 0),
        lambda: Composed(()),
        lambda: PoissonSampled(0.0, Gaussian(1.0)),
        lambda: Repeated(Gaussian(1.0), 0),
        lambda: from_schedule(schedules.constant(1.0, 2), rate=0.5),
    ],
)
def test_what_makes_no_sense_is_refused(make):
    with pytest.raises(InvalidInput):
        make()  # type: ignore[operator]
