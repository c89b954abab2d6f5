"""Both tails of a binomial distribution are SciPy's, deep down, too."""

import numpy as np
import pytest
from scipy import stats

from dpcore.accounting.binomial import beyond, up_to


@pytest.mark.parametrize("trials", [1, 2, 7, 100, 5_000, 10**6])
def test_both_tails_are_those_of_scipy(trials):
    for chance in (0.0, 1e-6, 1e-3, 0.01, 0.2, 0.5, 0.9, 1.0):
        spread = np.sqrt(trials * chance * (1.0 - chance)) + 1.0
        around = trials * chance + spread * np.linspace(-9.0, 9.0, 61)
        counts = np.unique(np.clip(np.round(around), -1, trials + 1)).astype(int)
        assert beyond(counts, trials, chance) == pytest.approx(
            stats.binom.sf(counts, trials, chance), rel=1e-11, abs=1e-290
        )
        assert up_to(counts, trials, chance) == pytest.approx(
            stats.binom.cdf(counts, trials, chance), rel=1e-11, abs=1e-290
        )
