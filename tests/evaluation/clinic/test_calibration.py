"""Calibration against scikit-learn and statsmodels, its error without the excess of sampling."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.calibration import calibration_curve
from statsmodels.discrete.discrete_model import Logit
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.tools import add_constant

from dpcore.errors import InvalidInput
from dpcore.evaluation.clinic.calibration import risk_calibration


def made(people=2_001):
    """Log odds of models that are too bold, too shy, without a clue, tied and wrong way round."""
    draw = np.random.default_rng(5)
    true = draw.normal(-0.5, 1.2, people)
    positive = draw.random(people) < expit(true)
    clueless = draw.normal(size=people)
    return np.stack([3.0 * true, 0.2 * true - 1.0, clueless, np.round(true), -true]), positive


def test_the_curve_is_that_of_scikit_learn():
    log_odds, positive = made()
    result = risk_calibration(log_odds, positive, bins=7)
    assert (result.people.sum(axis=1) == len(positive)).all()
    for k, row in enumerate(expit(log_odds)):
        filled = result.people[k] > 0
        observed, mean = calibration_curve(positive, row, n_bins=7, strategy="quantile")
        assert result.observed[k, filled] == pytest.approx(observed, abs=1e-12)
        assert result.mean_risk[k, filled] == pytest.approx(mean, abs=1e-12)
        assert np.isnan(result.mean_risk[k, ~filled]).all()
        error = np.abs(observed - mean) @ result.people[k, filled] / len(positive)
        assert result.error[k] == pytest.approx(error, abs=1e-12)
    assert (result.people[3] == 0).any()  # tied risks are in one bin


def test_slope_and_intercept_are_those_of_statsmodels():
    log_odds, positive = made()
    result = risk_calibration(log_odds, positive)
    for k, row in enumerate(log_odds):
        free = Logit(positive, add_constant(row)).fit(disp=False, tol=1e-12)
        assert result.slope[k] == pytest.approx(free.params[1], abs=1e-9)
        held = GLM(positive, np.ones(len(row)), family=Binomial(), offset=row).fit(tol=1e-12)
        assert result.intercept[k] == pytest.approx(held.params[0], abs=1e-9)
    assert result.slope[:2] == pytest.approx([1 / 3, 5.0], rel=0.15)
    assert result.slope[4] < 0.0


def test_the_excess_is_what_resampling_finds():
    log_odds, positive = made(400)
    result = risk_calibration(log_odds[:3], positive)
    draw = np.random.default_rng(6)
    spread = np.sqrt(result.observed * (1.0 - result.observed) / result.people)
    shares = result.observed + spread * draw.normal(size=(20_000, *spread.shape))
    weights = result.people / len(positive)
    resampled = (weights * np.abs(result.mean_risk - shares)).sum(axis=2).mean(axis=0)
    assert result.debiased_error == pytest.approx(2.0 * result.error - resampled, abs=5e-4)
    assert (result.error - result.debiased_error).max() > 0.005


def test_many_models_in_blocks_are_as_one_by_one(monkeypatch):
    log_odds, positive = made(300)
    together = risk_calibration(log_odds, positive)
    monkeypatch.setattr("dpcore.evaluation.clinic.calibration.BLOCK_ENTRIES", 700)
    apart = risk_calibration(log_odds, positive)
    for name in ("slope", "intercept", "debiased_error", "observed"):
        assert getattr(apart, name) == pytest.approx(getattr(together, name), nan_ok=True)


@pytest.mark.parametrize(
    ("log_odds", "positive", "intercept"),
    [
        ([0.0, 0.0, 0.0, 0.0], [1, 0, 0, 0], -np.log(3.0)),
        ([0.0, 1.0, 2.0, 3.0], [0, 0, 1, 1], -1.5),
        ([0.0, 1.0, 1.0, 2.0], [1, 1, 0, 0], -1.0),
        ([0.0, 1.0, 2.0, 3.0], [1, 1, 1, 1], np.nan),
        ([np.inf, -np.inf, 0.0, 1.0], [1, 0, 1, 0], np.nan),
        ([-800.0, -800.0, -800.0, -800.0], [1, 0, 1, 0], 800.0),
        ([5e-324, 0.0, 0.0, 0.0], [0, 1, 1, 0], 0.0),
        ([0.0, 0.0, 0.0, 1e-320, 1e-320, 1e-320], [0, 0, 1, 1, 1, 0], 0.0),
    ],
)
def test_a_slope_that_does_not_exist_is_no_number(log_odds, positive, intercept):
    result = risk_calibration(np.array(log_odds), np.array(positive))
    assert np.isnan(result.slope[0])
    assert result.intercept[0] == pytest.approx(intercept, abs=1e-6, nan_ok=True)
    assert 0.0 <= result.debiased_error[0] <= result.error[0] <= 1.0


def test_what_cannot_be_judged_is_refused():
    log_odds, positive = made(50)
    with pytest.raises(InvalidInput, match="0 test records"):
        risk_calibration(np.empty((1, 0)), np.empty(0, dtype=bool))
    with pytest.raises(InvalidInput, match="log_odds has 49 columns, but it must have 50"):
        risk_calibration(log_odds[:, 1:], positive)
    with pytest.raises(InvalidInput, match="bins is 0, but it must be"):
        risk_calibration(log_odds, positive, bins=0)
    log_odds[0, 0] = np.nan
    with pytest.raises(InvalidInput, match="no number"):
        risk_calibration(log_odds, positive)
