"""The references of private models: what they are, and that no setting of a model moves them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import special
from sklearn.linear_model import LogisticRegression

from dpcore.datasets import PAPER_000, Preparation, load
from dpcore.erm.newton import ridge_path
from dpcore.evaluation.baselines import CROSS_VALIDATION_LAMS, baselines, usual
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study, problem_for
from tests.curves import answers
from tests.evaluation.splits import made_split

pytestmark = pytest.mark.usefixtures("few_splits")


def test_the_guess_is_the_majority_of_the_training_records():
    split = made_split()
    split = replace(split, y_train=np.ones_like(split.y_train), y_test=-np.ones_like(split.y_test))
    assert baselines(split).guess == 0.0


def test_the_lambda_has_the_best_cross_validated_likelihood(cancer):
    problem = problem_for(Study(), cancer)
    order = np.random.default_rng(cancer.preparation.seed).permutation(cancer.records)
    forms = problem.forms(cancer.x_train, cancer.y_train)[order]
    fold = np.arange(len(forms)) % 5
    scores = {}
    for lam in CROSS_VALIDATION_LAMS:
        likelihoods = []
        for held in range(5):
            weights = ridge_path(problem.function, forms[fold != held], [lam])[0]
            margins = forms[fold == held].at(weights)
            likelihoods.append(np.mean(np.log(special.expit(margins))))
        scores[lam] = np.mean(likelihoods)
    chosen = baselines(cancer).lam
    nearest = min(scores, key=lambda lam: abs(np.log(lam / chosen)))
    assert nearest == pytest.approx(chosen)
    assert nearest == max(scores, key=lambda lam: scores[lam])


def logistic(split, lam):
    """Accuracy of scikit-learn's model: its C is 1/(λ n)."""
    model = LogisticRegression(
        C=1.0 / (lam * split.records), fit_intercept=False, tol=1e-10, max_iter=10_000
    )
    return float(model.fit(split.x_train, split.y_train).score(split.x_test, split.y_test))


@pytest.mark.parametrize(("key", "records"), [("breast_cancer", None), ("cohort", 2_000)])
def test_it_is_the_mean_over_the_splits_of_scikit_learns_logistic_regression(key, records):
    parts = splits(load(key, records=records), Preparation())
    alone = [baselines(part) for part in parts]
    wanted = [logistic(part, one.lam) for part, one in zip(parts, alone, strict=True)]
    actual = baselines(parts)
    assert actual.value == pytest.approx(np.mean(wanted), abs=1e-9)
    assert actual.guess == pytest.approx(np.mean([one.guess for one in alone]), abs=1e-12)
    lams = [one.lam for one in alone]
    assert actual.lam == pytest.approx(np.exp(np.mean(np.log(lams))))
    # Another λ would be noticed.
    strong = np.mean([logistic(part, 1.0) for part in parts])
    assert abs(actual.value - strong) > 0.005


def test_cases_are_those_of_the_records_whose_misses_are_counted():
    parts = splits(load("breast_cancer"), Preparation())
    result = baselines(parts)
    assert result.positive == pytest.approx(np.mean([np.mean(one.y_test > 0) for one in parts]))
    # Among all records there are others: the splits test some of them more often.
    assert abs(result.positive - float((load("breast_cancer").label > 0).mean())) > 1e-6
    # Who answers no misses exactly these.
    blind = [replace(one, y_train=-np.ones(one.records)) for one in parts]
    never = baselines(blind)
    assert never.measured["missed_per_1000"] == pytest.approx(1000.0 * result.positive)


def test_more_records_tested_make_the_range_narrower_around_the_mean():
    parts = splits(load("breast_cancer"), Preparation())
    alone, result = [baselines(part) for part in parts], baselines(parts)

    # Three splits of 114 test records are 342 different ones.
    for name, (low, high) in result.ranges.items():
        assert low < result.measured[name] < high
        single = np.mean([np.ptp(one.ranges[name]) for one in alone])
        assert high - low == pytest.approx(single * np.sqrt(114 / 342), rel=1e-9)


OTHERWISE = {
    "methods": ("nonprivate", "opera"),
    "epsilons": (0.3,),
    "loss": "huber",
    "huber_width": 0.1,
    "lam": 0.3,
    "delta": 1e-7,
    "edition": "published",
    "adjacency": "replace-one",
    "runs": 4,
    "seed": 5,
    "steps": 17,
    "radius": 3.0,
    "preparation": replace(PAPER_000, intercept=True),
}


def carried(study):
    rows = answers(study)
    names = [name for name in rows if name.endswith("_baseline")]
    (one,) = rows[names].drop_duplicates().to_dict("records")
    return pd.Series(one)


def changes():
    base = Study(methods=("opera",), epsilons=(1.0,), runs=2)
    alone = [
        replace(base, **{name: value})
        for name, value in OTHERWISE.items()
        if name not in ("huber_width", "radius")
    ]
    free = replace(base, lam=0.0, radius=3.0, steps=20)
    return [base, *alone, free, replace(base, loss="huber", huber_width=0.1)]


@pytest.mark.slow("trains many models")
def test_no_setting_of_a_study_moves_it():
    base, *others = changes()
    wanted = carried(base)
    for study in others:
        pd.testing.assert_series_equal(carried(study), wanted, check_exact=True)
    # The data set does, and which records are tested.
    for study in (
        replace(base, dataset="cohort", records=500),
        replace(base, preparation=Preparation(seed=1)),
    ):
        assert (carried(study) != wanted).all()


def test_it_is_prepared_as_usual_whatever_the_private_model_is():
    chosen = Preparation(norm="clip", intercept=True, seed=4, test_fraction=0.3, scaling="data")
    assert usual(chosen) == Preparation(seed=4, test_fraction=0.3)
