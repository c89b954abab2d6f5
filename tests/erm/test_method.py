"""What every method shares: budgets, conditions on the data, and a stream of noise of its own."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.datasets.catalogue import load
from dpcore.erm.method import Settings, data_conditions, noise_generator
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Edition, PrivacyBudget
from dpcore.methods import method_named


def test_noise_repeats_no_stream_that_makes_or_splits_data() -> None:
    drawn = noise_generator(7, 0).standard_normal(8)
    for other in (7, [7], [7, 0], [7, 0, 0], [0, 7]):
        assert not np.isin(np.random.default_rng(other).standard_normal(64), drawn).any()
    # NumPy's trap, which is why the third number is there.
    same = np.random.default_rng([7, 0]).standard_normal(8)
    assert np.array_equal(same, np.random.default_rng(7).standard_normal(8))


@pytest.mark.parametrize("seed", [0, 5])
def test_noise_is_not_what_made_the_synthetic_patients(seed) -> None:
    # Same seed for cohort and runs: no column may be the noise of a run over again.
    table = load("cohort", records=400, seed=seed)
    columns = table.frame.select_dtypes("number").to_numpy(dtype=float)
    for run in range(2):
        drawn = noise_generator(seed, run).standard_normal(400 * 4).reshape(4, 400)
        for z in drawn:
            for column in columns.T:
                assert abs(np.corrcoef(z, column)[0, 1]) < 0.25  # five standard errors


def test_runs_and_seeds_have_streams_of_their_own() -> None:
    first = [noise_generator(s, r).standard_normal() for s in (0, 1, 2**32) for r in range(5)]
    assert len(set(first)) == 15


def test_budgets_need_a_delta() -> None:
    problem, method = Problem("logistic", 0.1, 1_234, 3), method_named("dpgd")
    made = method.calibrate(problem, [0.1, 1], 1e-5, Edition.SOUND, Settings())
    assert [c.requested for c in made] == [PrivacyBudget(0.1, 1e-5), PrivacyBudget(1.0, 1e-5)]
    for delta in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(InvalidInput, match="delta is"):
            method.calibrate(problem, [1.0], delta, Edition.SOUND, Settings())


def test_the_conditions_on_the_data_name_n_and_the_adjacency() -> None:
    norm, size = data_conditions(Problem("logistic", 0.1, 1_234, 3))
    assert norm.met
    assert size.met
    assert size.text == "n = 1,234 is public (replace-one)"
