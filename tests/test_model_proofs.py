"""What the account takes a model to be is what the model's own calibration proves."""

import itertools

import pytest

from dpcore.accounting.entries import CLASSICAL, COVERED, GAUSSIAN, PROOFS, PURE, noise_multiplier
from dpcore.erm.losses import LOSSES
from dpcore.erm.method import Settings
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition
from dpcore.models.records import RecordShape
from dpcore.predictors import PublicShape, predictor_named, register

BUDGETS = ((0.05, 1e-7), (0.9, 1e-5), (4.0, 1e-3))
PREDICTED = ((2, "class"), (3, "classes"))
SIZES = ((200, 5), (20_000, 40))


def made(method, epsilon, delta, adjacency):
    """Calibrations of a method on several shapes of data."""
    predictor = predictor_named(method)
    for records, columns in SIZES:
        for (classes, predicts), loss in itertools.product(PREDICTED, LOSSES):
            if (classes > 2 and loss == "squared") or predictor.refusal(loss, predicts):
                continue
            problem = Problem(loss, 0.01, records, columns, adjacency, classes=classes)
            shape = PublicShape(problem, RecordShape(records, columns, (2, 7)))
            yield from predictor.calibrate(shape, [epsilon], delta, Edition.SOUND, Settings())


def test_every_method_has_its_proof():
    private = [key for key in register() if key != "nonprivate"]
    without = [key for key in private if key not in PROOFS]
    assert not without, (
        f"{', '.join(without)}: no kind of proof, so that no account counts it. State it in "
        "dpcore/accounting/entries.py."
    )
    assert list(PROOFS) == private


@pytest.mark.slow("trains models")
@pytest.mark.parametrize("method", PROOFS)
def test_a_model_costs_what_the_account_counts(method):
    for (epsilon, delta), adjacency in itertools.product(BUDGETS, COVERED):
        if method == CLASSICAL and epsilon >= 1.0:
            continue
        counted = 1.0 / noise_multiplier(epsilon, delta)
        for calibration in made(method, epsilon, delta, adjacency):
            proof, mu = calibration.proof, calibration.gaussian_mu
            assert proof.bound <= epsilon * (1.0 + 1e-12)
            assert proof.delta is not None
            if PROOFS[method] == PURE:
                assert proof.delta == 0.0
            elif PROOFS[method] == GAUSSIAN:
                # 1 % less noise than is counted would fail the first, 1 % more the second.
                assert mu is not None
                assert mu <= counted
                assert mu >= 0.999 * counted or method == CLASSICAL
            else:
                assert 0.0 < proof.delta <= delta * (1.0 + 1e-12)
                assert mu is None


@pytest.mark.parametrize("method", PROOFS)
def test_what_is_not_covered_has_no_calibration(method):
    with pytest.raises(InvalidInput, match="adjacency"):
        next(made(method, 1.0, 1e-5, Adjacency.ADD_REMOVE))
