"""Corrected risks: what both parts cost together, and that they are the engine's own."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.controls.explore import EPSILONS
from dpcore.datasets import Preparation, load
from dpcore.erm import recalibration
from dpcore.erm.method import Training
from dpcore.erm.methods import method_named
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.evaluation.clinic.calibration import risk_calibration
from dpcore.evaluation.clinic.risks import REFERENCE, corrections_for
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study, calibrations_for, delta_for, problem_for
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_delta
from dpcore.questions.calibration.question import CalibrationQuestion
from dpcore.questions.question import ask
from dpcore.work.task import JobContext

STUDY = Study(
    dataset="cohort",
    records=300,
    methods=("dpgd",),
    epsilons=(0.5, 5.0),
    runs=4,
    preparation=Preparation(),
)
CORRECTED = CalibrationQuestion(STUDY, bins=5, corrected=True)


@pytest.fixture(autouse=True)
def no_trees_are_tried(monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")


def spent(trained, plan, epsilon):
    """δ at ε of a training with this μ and of a plan's counts, from their noise alone."""
    together = math.hypot(trained, plan.sensitivity / plan.sigma)
    return float(analytic_delta(epsilon, 1.0 / together))


@pytest.mark.parametrize("adjacency", [Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE])
@pytest.mark.parametrize("records", [80, 3_000])
def test_training_and_correction_never_cost_more_than_what_is_asked_for(adjacency, records):
    study = replace(
        STUDY, methods=("opera", "dpftrl", "dpgd"), epsilons=EPSILONS[::5], adjacency=adjacency
    )
    problem, delta = Problem("logistic", 0.01, records, 5, adjacency), 1e-5
    whole = calibrations_for(study, problem, delta)
    for method, plans in corrections_for(study, problem, delta).items():
        assert [plan.proof.epsilon for plan in plans] == list(study.epsilons)
        for plan, uncorrected in zip(plans, whole[method], strict=True):
            total, trained = plan.requested.epsilon, plan.training.gaussian_mu
            assert trained is not None
            assert uncorrected.gaussian_mu is not None
            assert spent(trained, plan, total) <= delta
            # A model that was trained on all of ε has nothing left to correct it by.
            assert spent(uncorrected.gaussian_mu, plan, total) > delta


@pytest.mark.slow("trains many models")
def test_the_table_is_the_engines_own_and_a_jobs_is_the_same():
    split = splits(load("cohort", records=300), STUDY.preparation)[0]
    problem, delta = problem_for(STUDY, split), delta_for(STUDY, split)
    plans = corrections_for(STUDY, problem, delta)["dpgd"]
    training = Training(
        plans[0].training.problem,
        split.x_train,
        split.y_train,
        [plan.training for plan in plans],
        STUDY.runs,
        STUDY.seed,
    )
    models = method_named("dpgd").release(training)
    log_odds = recalibration.release(training, plans, models).at(models @ split.x_test.T)
    rows = CORRECTED.answer(JobContext()).rows
    for place, epsilon in enumerate(STUDY.epsilons):
        judged = risk_calibration(log_odds[place], split.y_test > 0, 5)
        here = rows[rows["epsilon"] == epsilon]
        assert here["training_epsilon"].unique() == [plans[place].training.requested.epsilon]
        assert here["accountant"].unique() == [plans[place].proof.by]
        assert here["calibration_error"].iloc[0] == pytest.approx(judged.debiased_error.mean())
        assert here["calibration_slope"].iloc[0] == pytest.approx(judged.slope.mean())
        for name in ("mean_risk", "observed", "people"):
            expected = getattr(judged, name).mean(axis=0)
            np.testing.assert_allclose(here[name], expected, atol=1e-12)
        assert here["people"].sum() == pytest.approx(len(split.y_test))
        assert (here["observed_low"] < here["observed_high"]).any()
    without = rows[rows["method"] == REFERENCE]
    assert (without["observed_low"] == without["observed"]).all()
    pd.testing.assert_frame_equal(rows, ask(CORRECTED))
    plain = ask(replace(CORRECTED, corrected=False))
    assert plain["training_epsilon"].isna().all()
    assert (plain["epsilon"].dropna() == rows["epsilon"].dropna()).all()
    error = "calibration_error"
    assert rows.loc[rows["epsilon"] == 5.0, error].iloc[0] != plain[error].iloc[5]


@pytest.mark.parametrize(
    ("study", "told"),
    [
        (replace(STUDY, methods=("objpert",)), "'objpert', but it must be proved by the curve"),
        (replace(STUDY, methods=("inputpert",)), "'inputpert', where people blur their own"),
        (replace(STUDY, epsilons=(1e-6,), delta=0.1), "epsilon is 1e-6, but it must be larger"),
    ],
)
def test_what_cannot_be_corrected_is_refused(study, told):
    problem = Problem("logistic", 0.01, 240, 5, Adjacency.ZERO_OUT)
    with pytest.raises(InvalidInput, match=told):
        corrections_for(study, problem, study.delta or 1e-5)


def test_bins_and_corrections_have_keys_of_their_own():
    others = (
        CalibrationQuestion(STUDY),
        CalibrationQuestion(STUDY, bins=5),
        CalibrationQuestion(STUDY, corrected=True),
    )
    assert len({one.key for one in others}) == 3
    with pytest.raises(InvalidInput, match="bins is 0, but it must be"):
        CalibrationQuestion(STUDY, bins=0)
