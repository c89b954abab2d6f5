"""The estimators: scikit-learn's conventions, public bounds, the promise, what is left over."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils import estimator_html_repr
from sklearn.utils.estimator_checks import parametrize_with_checks

import dpcore
from dpcore import PrivateHuberSVC, PrivateLinearRegression, PrivateLogisticRegression
from dpcore.accounting.risk import gaussian_advantage, right_of_100
from dpcore.erm import gradient_perturbation, output_perturbation
from dpcore.erm.method import Settings
from dpcore.erm.methods import BEST, method_named, register
from dpcore.erm.newton import minimise
from dpcore.erm.problem import ACCURATE_LAM, Problem
from dpcore.estimators.base import prepared, sound_methods
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.mechanisms import entropy

WIDE = (-1000.0, 1000.0)
CLASSIFIERS = (PrivateLogisticRegression, PrivateHuberSVC)
STRICT = 1e-9
"""Level of tests of what the system draws: another sample every time."""


def loose(kind, **more):
    """One for scikit-learn's checks: little noise, repeatable."""
    if kind is PrivateLinearRegression:
        more.setdefault("target_bounds", more["bounds"])
    return kind(epsilon=1000.0, random_state=0, **more)


FITTING = "check_classifiers_train", "check_regressors_train"
TOO_WIDE = (
    "Noise is sized for the public bounds, which are a thousand times wider here than the data; "
    "private data must not be looked at to find narrower ones."
)
CHECKED = [
    *(loose(kind, bounds=WIDE) for kind in (*CLASSIFIERS, PrivateLinearRegression)),
    *(loose(kind, bounds=WIDE, fit_intercept=False) for kind in CLASSIFIERS),
    *(loose(kind, bounds=(-10.0, 10.0)) for kind in (*CLASSIFIERS, PrivateLinearRegression)),
]


def expected_failures(estimator):
    """What privacy forbids: with these bounds and a constant of 1 the columns are a thousandth."""
    if estimator.bounds == WIDE and estimator.fit_intercept:
        regression = isinstance(estimator, PrivateLinearRegression)
        return {FITTING[regression]: TOO_WIDE}
    return {}


@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures)
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)


DATA = load_breast_cancer(return_X_y=True)
X, Y = DATA[0][:, :8] / DATA[0][:, :8].max(axis=0), DATA[1]
NUMBERS_X, NUMBERS = load_diabetes(return_X_y=True)
UNIT, NUMBER_BOUNDS, TARGETS = (0.0, 1.0), (-0.2, 0.2), (25.0, 346.0)


def regression(**more):
    return PrivateLinearRegression(bounds=NUMBER_BOUNDS, target_bounds=TARGETS, **more)


def every_method():
    kinds = {PrivateLogisticRegression: "logistic", PrivateHuberSVC: "huber"}
    result = [(kind, method) for kind, loss in kinds.items() for method in sound_methods(loss)]
    return [*result, *((PrivateLinearRegression, method) for method in sound_methods("squared"))]


def of(kind, **more):
    if kind is PrivateLinearRegression:
        return regression(**more).fit(NUMBERS_X, NUMBERS)
    return kind(bounds=UNIT, **more).fit(X, Y)


@pytest.mark.parametrize(("kind", "method"), every_method())
def test_every_sound_method_by_name(kind, method):
    model = of(kind, epsilon=0.9, method=method)
    result = model.guarantee_
    assert result.method == method
    assert result.status is Status.PROVED
    assert result.epsilon is not None
    assert 0.85 < result.epsilon <= 0.9
    assert result.adjacency is Adjacency.ZERO_OUT
    assert model.claim_.epsilon is None  # no sound edition is in print with an (ε, δ)
    assert result.public.records == (len(NUMBERS) if kind is PrivateLinearRegression else len(Y))
    assert np.isfinite(model.coef_).all()


def test_the_methods_are_the_registers_and_none_without_privacy():
    learn = {key for key, method in register().items() if "logistic" in method.losses}
    assert set(sound_methods("logistic")) == learn - {"nonprivate"}
    assert BEST not in register()


@pytest.mark.parametrize(
    ("kind", "epsilon", "method"),
    [
        (PrivateLogisticRegression, 1.0, "dpgd"),
        (PrivateHuberSVC, 99.0, "dpgd"),
        (PrivateLogisticRegression, 100.0, "objpert"),
        (PrivateLinearRegression, 2.9, "dpgd"),
        (PrivateLinearRegression, 3.0, "objpert"),
    ],
)
def test_the_best_method_is_a_rule_in_public_values(kind, epsilon, method):
    assert of(kind, epsilon=epsilon).guarantee_.method == method


def test_models_are_good_where_the_noise_is_little():
    assert PrivateLogisticRegression(10, bounds=UNIT).fit(X, Y).score(X, Y) > 0.88
    assert PrivateHuberSVC(10, bounds=UNIT).fit(X, Y).score(X, Y) > 0.88
    assert regression(epsilon=100).fit(NUMBERS_X, NUMBERS).score(NUMBERS_X, NUMBERS) > 0.4
    images, digits = load_digits(return_X_y=True)
    model = PrivateLogisticRegression(10, bounds=(0, 16)).fit(images, digits)
    assert model.score(images, digits) > 0.8
    assert np.allclose(model.predict_proba(images).sum(axis=1), 1.0)


@pytest.mark.parametrize("kind", [*CLASSIFIERS, PrivateLinearRegression])
def test_without_public_bounds_nothing_is_fitted(kind):
    with pytest.raises(ValueError, match="bounds is None, but it must be given") as refused:
        kind().fit(X, Y)
    assert isinstance(refused.value, dpcore.InvalidInput)
    with pytest.raises(dpcore.InvalidInput, match="target_bounds is None"):
        PrivateLinearRegression(bounds=UNIT).fit(X, Y)


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"delta": 0.9}, "delta"),
        ({"method": "nonprivate"}, "method"),
        ({"adjacency": "add-remove"}, "adjacency"),
        ({"lam": 0}, "lam"),
        ({"fit_intercept": "yes"}, "fit_intercept"),
        ({"random_state": -1}, "random_state"),
        ({"bounds": (1, 0)}, "bounds"),
        ({"bounds": (0, math.inf)}, "bounds"),
        ({"bounds": (-1.7e308, 1.7e308)}, "bounds"),
        ({"bounds": [(0, 1)] * 3}, "bounds has shape"),
        ({"classes": [0]}, "classes holds 1 class"),
        ({"classes": [0, 2]}, "y holds"),
        ({"classes": [0, "a"]}, "classes holds texts and numbers"),
    ],
)
def test_a_bad_parameter_is_refused_by_fit_and_named(more, field):
    model = PrivateLogisticRegression(**{"bounds": UNIT} | more)
    with pytest.raises(ValueError, match=field):
        model.fit(X, Y)
    assert not hasattr(model, "coef_")


def test_values_outside_the_bounds_are_clipped():
    outside = X * 3.0 - 1.0
    clipped = np.clip(outside, 0.0, 1.0)
    models = [
        PrivateLogisticRegression(bounds=UNIT, random_state=1).fit(x, Y) for x in (outside, clipped)
    ]
    assert np.array_equal(models[0].coef_, models[1].coef_)
    assert np.array_equal(models[0].predict_proba(outside), models[0].predict_proba(clipped))
    wild = np.where(NUMBERS > 200.0, 1e300, NUMBERS)
    models = [
        regression(random_state=1).fit(NUMBERS_X, y) for y in (wild, np.minimum(wild, TARGETS[1]))
    ]
    assert np.array_equal(models[0].coef_, models[1].coef_)
    told = models[0].predict(NUMBERS_X * 100.0)
    assert told.min() >= TARGETS[0]
    assert told.max() <= TARGETS[1]


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("norm", ["unit", "clip"])
def test_rows_are_never_longer_than_one_and_hang_on_their_own_record_only(intercept, norm):
    generator = np.random.default_rng(0)
    x = generator.standard_cauchy((200, 5)) * 10.0 ** generator.integers(-5, 300, (200, 1))
    bounds = np.array([(-1.0, 1.0), (0.0, 1e-3), (-5.0, -4.0), (-1e200, 1e200), (3.0, 4.0)])
    rows = prepared(x, bounds, intercept=intercept, norm=norm)
    assert np.linalg.norm(rows, axis=1).max() <= 1.0
    other = x.copy()
    other[7] = 0.0
    changed = prepared(other, bounds, intercept=intercept, norm=norm)
    assert np.array_equal(np.delete(rows, 7, axis=0), np.delete(changed, 7, axis=0))


def test_what_is_public_is_stated():
    taken = PrivateLogisticRegression(bounds=UNIT).fit(X, Y).guarantee_.public
    assert (taken.records, taken.classes, taken.classes_given) == (len(Y), (0, 1), False)
    given = PrivateLogisticRegression(bounds=UNIT, classes=[1, 0, 2]).fit(X, Y)
    assert given.classes_.tolist() == [0, 1, 2]
    assert given.guarantee_.public.classes_given
    assert given.coef_.shape == (3, X.shape[1])
    one = PrivateLogisticRegression(bounds=UNIT, classes=["no", "yes"])
    assert one.fit(X, np.full(len(Y), "no")).guarantee_.status is Status.PROVED
    assert regression().fit(NUMBERS_X, NUMBERS).guarantee_.public.target_bounds == TARGETS


def test_claim_and_proof_stand_apart():
    model = PrivateLogisticRegression(2.0, method="outpert", bounds=UNIT).fit(X, Y)
    result = model.guarantee_
    assert (result.epsilon, result.delta) == (None, None)
    assert result.status is Status.CONDITIONS_NOT_MET
    assert "below 1 only" in result.reason
    assert result.certified_epsilon is not None
    assert dpcore.risk(result).right == 100


@pytest.mark.parametrize("adjacency", ["zero-out", "replace-one"])
def test_the_promise_is_the_calibrations_of_these_public_values(adjacency):
    model = PrivateLogisticRegression(0.5, 1e-6, bounds=UNIT, adjacency=adjacency).fit(X, Y)
    problem = Problem("logistic", ACCURATE_LAM, *(X.shape + np.array([0, 1])), Adjacency(adjacency))
    (made,) = method_named("dpgd").calibrate(problem, [0.5], 1e-6, Edition.SOUND, Settings())
    result = model.guarantee_
    assert (result.epsilon, result.delta) == (made.proof.epsilon, made.proof.delta)
    assert (result.by, result.adjacency) == (made.proof.by, Adjacency(adjacency))
    by_noise = right_of_100(gaussian_advantage(made.gaussian_mu))
    assert dpcore.risk(result).right == by_noise < dpcore.risk(0.5, 1e-6).right


@pytest.mark.parametrize("seed", [7, np.random.RandomState(7), np.random.default_rng(7)])
def test_a_seed_is_for_exploration_only(seed):
    models = [
        PrivateLogisticRegression(epsilon, bounds=UNIT, random_state=copy.deepcopy(seed)).fit(X, Y)
        for epsilon in (0.5, 2.0)
    ]
    for model in models:
        result = model.guarantee_
        assert result.status is Status.EXPLORATION
        assert (result.epsilon, result.delta, result.certified_epsilon) == (None, None, None)
        assert dpcore.risk(result).right == 100
    again = clone(models[0]).fit(X, Y) if isinstance(seed, int) else models[0]
    assert np.array_equal(again.coef_, models[0].coef_)


def test_one_seed_at_two_noises_gives_the_weights_away_and_the_system_does_not():
    """Why a seed proves nothing: a line through two releases leads to the weights without noise."""

    def centre(seed):
        models = [
            PrivateLogisticRegression(
                epsilon, method="outpert_pure", bounds=UNIT, random_state=seed, lam=0.1
            ).fit(X, Y)
            for epsilon in (0.2, 0.8)
        ]
        low, high = (np.append(model.coef_, model.intercept_) for model in models)
        return high + (high - low) / 3.0  # its noise is inverse to ε

    rows = prepared(X, np.array([UNIT] * X.shape[1]), intercept=True, norm="unit")
    problem = Problem("logistic", 0.1, *rows.shape, Adjacency.ZERO_OUT)
    exact = minimise(problem, rows, 2.0 * Y - 1.0)
    assert np.allclose(centre(5), exact, atol=1e-4)
    assert np.linalg.norm(centre(None) - exact) > 0.01


def noiseless(lam, epsilon=0.8):
    """What output perturbation blurs."""
    rows = prepared(X, np.array([UNIT] * X.shape[1]), intercept=True, norm="unit")
    problem = Problem("logistic", lam, *rows.shape, Adjacency.ZERO_OUT)
    method = method_named("outpert")
    made = method.calibrate(problem, [epsilon], 1e-5, Edition.SOUND, Settings())
    return output_perturbation.centres(problem, rows, 2.0 * Y - 1.0, made)[0]


SEED = 1_234_567_891


@pytest.mark.parametrize("seed", [None, SEED])
def test_nothing_of_the_records_the_seed_or_the_noise_is_left(seed):
    model = PrivateLogisticRegression(
        0.8, method="outpert", lam=0.1, bounds=UNIT, random_state=seed
    ).fit(X, Y)
    stored = pickle.dumps(model)
    secrets = [X[3].tobytes(), np.ascontiguousarray(X[:, 0]).tobytes(), Y[:50].tobytes()]
    rows = prepared(X, np.array([UNIT] * X.shape[1]), intercept=True, norm="unit")
    exact = noiseless(0.1)
    secrets += [rows[3].tobytes(), exact.tobytes(), exact[:-1].tobytes()]
    secrets += [SEED.to_bytes(4, "little"), str(SEED).encode(), b"bit_generator", b"PCG64"]
    assert not [secret for secret in secrets if secret in stored]
    assert model.coef_.tobytes() in stored
    again = pickle.loads(stored)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.guarantee_ == model.guarantee_
    assert again.random_state is None
    told = repr(model) + str(model._repr_mimebundle_()) + str(model.guarantee_)
    told += estimator_html_repr(model)
    assert str(SEED) not in told
    learned = {name: each for name, each in vars(model).items() if name.endswith("_")}
    public = {"classes_", "claim_", "guarantee_", "n_features_in_"}
    assert set(learned) == public | {"coef_", "intercept_"}
    for each in (learned["coef_"], learned["intercept_"]):
        assert each.base is None  # no view of more
        assert not np.isin(each, exact).any()


def last_noise(problem_size, epsilon):
    """σ of each weight that DP-GD ends with where no record says anything: a linear recursion."""
    records, dimension = problem_size
    problem = Problem("logistic", ACCURATE_LAM, records, dimension, Adjacency.ZERO_OUT)
    (made,) = method_named("dpgd").calibrate(problem, [epsilon], 1e-5, Edition.SOUND, Settings())
    sigma = dpcore.sigma(epsilon, 1e-5) * math.sqrt(made.steps) / records
    reach = [
        made.learning_rate * (1.0 - 0.9 ** (made.steps - step)) / 0.1 for step in range(made.steps)
    ]
    return sigma * math.hypot(*reach)


@pytest.mark.parametrize("wrong", [1.0, 2.0 / 3.0, 1.5])
@pytest.mark.parametrize("seeded", [False, True])
def test_the_noise_is_as_wide_as_the_promise_needs(wrong, seeded):
    records, columns, models = 60, 40, 25
    nothing, y = np.zeros((records, columns)), np.arange(records) % 2
    weights = np.concatenate(
        [
            PrivateLogisticRegression(
                1.0, bounds=(-1, 1), fit_intercept=False, random_state=seed if seeded else None
            )
            .fit(nothing, y)
            .coef_.ravel()
            for seed in range(models)
        ]
    )
    total = float(np.sum((weights * wrong / last_noise((records, columns), 1.0)) ** 2))
    level = stats.chi2(len(weights))
    accepted = min(level.cdf(total), level.sf(total)) > STRICT
    assert accepted == (wrong == 1.0)


@pytest.mark.parametrize("wrong", [1.0, 2.0 / 3.0, 1.5])
def test_output_noise_is_as_wide_as_its_sensitivity_needs(wrong):
    lam, epsilon, exact = 0.05, 0.8, noiseless(0.05)
    drawn = []
    for _ in range(40):
        model = PrivateLogisticRegression(epsilon, method="outpert", lam=lam, bounds=UNIT)
        model.fit(X, Y)
        drawn.append(np.append(model.coef_, model.intercept_) - exact)
    # Zero-out moves the minimiser by 1/(nλ) at most, and descent's own distance comes on top.
    sigma = math.sqrt(2.0 * math.log(1.25e5)) / epsilon / (len(Y) * lam)
    total = float(np.sum((np.array(drawn) * wrong / sigma) ** 2))
    level = stats.chi2(np.size(drawn))
    assert (min(level.cdf(total), level.sf(total)) > STRICT) == (wrong == 1.0)


def test_no_two_classes_share_their_noise():
    nothing, y = np.zeros((60, 4)), np.arange(60) % 3
    model = PrivateLogisticRegression(bounds=(-1, 1), fit_intercept=False).fit(nothing, y)
    assert len(np.unique(model.coef_)) == model.coef_.size


GAPS = {"NaN": math.nan, "None": None, "infinite": math.inf, "minus": -math.inf, "NA": pd.NA}
KINDS = (*CLASSIFIERS, PrivateLinearRegression)
SECRET = "4711-secret"


def unfitted(kind, **more):
    return regression(**more) if kind is PrivateLinearRegression else kind(bounds=UNIT, **more)


def refused(fit, field):
    """The one sentence that refuses records; it names no value and no number of them."""
    with pytest.raises(dpcore.InvalidInput) as refusal:
        fit()
    sentence = str(refusal.value)
    assert sentence.startswith(f"{field} holds ")
    assert SECRET not in sentence
    assert not any(digit in sentence.removeprefix(field) for digit in "0123456789")
    return sentence


@pytest.mark.parametrize("form", [np.asarray, list, pd.DataFrame])
@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_row_with_a_gap_is_refused_by_its_column(kind, gap, form):
    rows = X[:30].astype(object)
    rows[[4, 7, 9], 2] = GAPS[gap]
    model = unfitted(kind)
    sentence = refused(lambda: model.fit(form(rows.tolist()), Y[:30]), "column 3 of X")
    assert not hasattr(model, "coef_")
    model.fit(form(X[:30].tolist()), Y[:30])
    assert refused(lambda: model.predict(form(rows.tolist())), "column 3 of X") == sentence


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_outcome_that_is_a_gap_is_refused(kind, gap):
    outcomes = Y[:30].astype(object)
    outcomes[[1, 2]] = GAPS[gap]
    refused(lambda: unfitted(kind).fit(X[:30], outcomes), "y")
    refused(lambda: unfitted(kind).fit(X[:30], pd.Series(outcomes)), "y")
    if gap in ("NaN", "infinite", "minus"):
        refused(lambda: unfitted(kind).fit(X[:30], outcomes.astype(float)), "y")


@pytest.mark.parametrize("kind", KINDS)
def test_no_refusal_repeats_what_a_record_holds(kind):
    rows = X[:30].astype(object)
    rows[4, 7] = SECRET
    refused(lambda: unfitted(kind).fit(rows, Y[:30]), "column 8 of X")
    with pytest.raises(ValueError, match="Complex data not supported") as refusal:
        unfitted(kind).fit(X[:30] + 0.25j, Y[:30])
    assert "0.25" not in str(refusal.value)
    outcomes = Y[:30].astype(object)
    outcomes[3] = SECRET
    refused(lambda: unfitted(kind).fit(X[:30], outcomes), "y")
    with pytest.raises(dpcore.InvalidInput, match="y holds a class that is not listed") as refusal:
        PrivateHuberSVC(bounds=UNIT, classes=["a", "b"]).fit(X[:2], ["a", SECRET])
    assert SECRET not in str(refusal.value)


class Entropy:
    """Stands in for the operating system: the same bytes for the same seed."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)
        self.taken: list[bytes] = []

    def urandom(self, count):
        self.taken.append(self.generator.bytes(count))
        return self.taken[-1]


@pytest.mark.parametrize("adjacency", ["zero-out", "replace-one"])
@pytest.mark.parametrize("method", ["sgdpert", "grpua"])
def test_batches_come_from_pcg64_with_256_bits_of_the_systems_entropy(
    method, adjacency, monkeypatch
):
    drawn: list[tuple[tuple[int, int, int, bool], Any]] = []
    batches = gradient_perturbation._batches

    def noted(generator, *sizes):
        assert isinstance(generator.bit_generator, np.random.PCG64)
        drawn.append((sizes, batches(generator, *sizes)))
        return drawn[-1][1]

    monkeypatch.setattr(gradient_perturbation, "_batches", noted)
    fits = []
    for seed in (1, 1, 2):
        source = Entropy(seed)
        monkeypatch.setattr(entropy, "os", source)
        model = PrivateLogisticRegression(method=method, bounds=UNIT, adjacency=adjacency)
        model.fit(X[:60], Y[:60])
        fits.append((model, source, drawn[:]))
        drawn.clear()
    (first, source, picked), (again, _, picked_again), (other, _, picked_otherwise) = fits
    assert len(source.taken[0]) == 32
    secret = int.from_bytes(source.taken[0], "little")
    seeds = np.random.SeedSequence(secret, pool_size=8)
    expected = np.random.Generator(np.random.PCG64(seeds))
    for sizes, batch in picked:
        assert all(map(np.array_equal, batches(expected, *sizes), batch))
    assert len(picked) == len(picked_again) == len(picked_otherwise) > 0
    for (_, batch), (_, repeated), (_, elsewhere) in zip(
        picked, picked_again, picked_otherwise, strict=True
    ):
        assert all(map(np.array_equal, batch, repeated))
        assert not all(map(np.array_equal, batch, elsewhere))
    assert np.array_equal(first.coef_, again.coef_)
    assert not np.isin(first.coef_, other.coef_).any()
    assert first.guarantee_.status is Status.PROVED


@pytest.mark.parametrize(("kind", "method"), every_method())
def test_no_fit_touches_numpys_global_state_and_two_draw_other_noise(kind, method):
    models = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002
        before = np.random.get_state()  # noqa: NPY002
        models.append(of(kind, epsilon=0.9, method=method))
        after = np.random.get_state()  # noqa: NPY002
        assert all(map(np.array_equal, before, after))
    assert not np.isin(models[0].coef_, models[1].coef_).any()


def test_the_guarantee_leaves_out_what_scaled_the_records_before():
    rows = np.random.default_rng(0).random((300, 2))
    labels, told = rows[:, 0] > 0.5, []
    for value in (0.5, 1e6):
        rows[0] = value
        model = make_pipeline(
            StandardScaler(), PrivateLogisticRegression(5, bounds=(-3, 3), method="dpgd")
        )
        told.append(model.fit(rows, labels).predict_proba([[0.9, 0.5]])[0, 1])
        guarantee = model[-1].guarantee_
        assert guarantee.scope in str(guarantee)
        assert all(word in guarantee.scope for word in ("handed", "StandardScaler", "bounds"))
    assert told[0] - told[1] > 0.3


def test_they_work_in_pipelines_and_cross_validation():
    model = make_pipeline(
        FunctionTransformer(np.log1p), PrivateLogisticRegression(5, bounds=(0, np.log(2)))
    )
    assert model.fit(X, Y)[-1].guarantee_.epsilon == 5.0
    assert clone(model)[-1].get_params()["bounds"] == (0, np.log(2))
    assert len(cross_val_score(model, X, Y, cv=3)) == 3
    assert cross_val_score(regression(epsilon=50), NUMBERS_X, NUMBERS, cv=3).mean() > 0.2
