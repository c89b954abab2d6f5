"""Corrected risks: what the counts cost and teach, unchanged where noise hides all."""

import dataclasses
import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as library
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM

from dpcore.erm.method import Settings, Training, noise_generator
from dpcore.erm.methods import method_named
from dpcore.erm.problem import Problem
from dpcore.erm.recalibration import (
    COUNT_STREAM,
    GRID,
    KNOTS,
    MAX_SHARE,
    curves,
    fit,
    knots,
    noisy_counts,
    recalibrate,
    release,
    share_for,
    training_budget,
)
from dpcore.errors import InvalidInput
from dpcore.evaluation.clinic.calibration import risk_calibration
from dpcore.guarantee import Adjacency, Edition, PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_mu

ZERO, REPLACE = Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE


def planned(problem, total, method="dpgd", steps=None):
    share = training_budget(total, problem.records)
    (made,) = method_named(method).calibrate(
        problem, [share.epsilon], share.delta, Edition.SOUND, Settings(steps)
    )
    return recalibrate(made, total)


def exact_counts(data, model, adjacency):
    problem = Problem("logistic", 1.0, *data[0].shape, adjacency)
    plan = dataclasses.replace(planned(problem, PrivacyBudget(1.0, 1e-5)), sigma=0.0)
    training = Training(problem, *data, [plan.training], 1, 0)
    return noisy_counts(training, [plan], model[None, None])[0, 0]


def test_no_pair_of_neighbours_is_further_apart_and_one_is_as_far(adjacency):
    draw = np.random.default_rng(0)
    plan = planned(Problem("logistic", 1.0, 30, 3, adjacency), PrivacyBudget(1.0, 1e-5))
    bound = plan.sensitivity
    assert bound == (1.0 if adjacency is ZERO else math.sqrt(2.0))
    rows = draw.normal(size=(30, 3))
    rows /= 1.001 * np.linalg.norm(rows, axis=1, keepdims=True)
    labels = np.where(draw.random(30) < 0.4, 1.0, -1.0)
    distances = []
    for trial in range(60):
        model = draw.normal(size=3) * 10.0 ** draw.uniform(-3.0, 3.0)
        best = model / np.linalg.norm(model)
        first, second = (rows.copy(), labels.copy()), (rows.copy(), labels.copy())
        if trial == 0:  # at the two outer knots
            first[0][0], second[0][0] = best, -best
        if trial == 1:  # at one of them, of different classes
            first[0][0] = second[0][0] = best
        second[1][0] = -first[1][0] if trial == 1 else draw.choice([-1.0, 1.0])
        if adjacency is ZERO:
            second[0][0], second[1][0] = 0.0, 0.0
        apart = exact_counts(first, model, adjacency) - exact_counts(second, model, adjacency)
        distances.append(np.linalg.norm(apart))
    assert max(distances) <= bound
    assert distances[:2] == pytest.approx([bound, bound], rel=1e-5)
    assert np.median(distances) < 0.99 * bound


def test_counts_are_exact_and_blank_records_are_in_none(data):
    rows, labels = data(4_000, 5)
    blank = np.arange(4_000) % 7 == 0
    rows[blank], labels[blank] = 0.0, 0.0
    model = np.array([5.0, -1.0, 0.5, 0.0, 2.0])
    counts = exact_counts((rows, labels), model, ZERO)
    backwards = exact_counts((rows[::-1], labels[::-1]), model, ZERO)
    assert np.array_equal(counts, backwards)  # to the last bit: no order of addition matters
    assert np.array_equal(counts * GRID, np.round(counts * GRID))
    assert counts.sum(axis=1).tolist() == [np.sum(labels < 0), np.sum(labels > 0)]
    places = knots(model)
    assert counts[1] @ places == pytest.approx((rows @ model)[labels > 0].sum(), abs=0.01)
    assert not exact_counts((0.0 * rows, 0.0 * labels), model, ZERO).any()


def test_noise_is_what_was_planned_and_no_other(adjacency, data, assert_normal):
    rows, labels = data(200, 3)
    problem = Problem("logistic", 1.0, 200, 3, adjacency)
    plan, model = planned(problem, PrivacyBudget(2.0, 1e-5)), np.array([1.0, 2.0, 0.0])
    for seed in (11, None):
        training = Training(problem, rows, labels, [plan.training], 60, seed)
        noisy = noisy_counts(training, [plan], np.tile(model, (1, 60, 1)))[0]
        assert_normal(noisy - exact_counts((rows, labels), model, adjacency), plan.sigma)


@pytest.mark.parametrize(("adjacency", "steps"), [(ZERO, None), (REPLACE, 1)])
@pytest.mark.parametrize(
    ("epsilon", "delta", "records"),
    [
        (0.1, 1e-5, 300),
        (1.0, 1e-5, 3_000),
        (1.0, 1e-5, 60_000),
        (3.0, 1e-7, 300),
        (8.0, 1e-3, 9_000),
    ],
)
def test_training_and_counts_together_are_within_the_budget(
    adjacency, steps, epsilon, delta, records
):
    total = PrivacyBudget(epsilon, delta)
    plan = planned(Problem("logistic", 1e-3, records, 12, adjacency), total, steps=steps)
    assert (plan.proof.epsilon, plan.proof.delta) == (epsilon, delta)
    assert plan.proof.adjacency is adjacency
    trained, interval = plan.training, 2e-4 * max(1.0, epsilon)

    def together(share, *, above):
        """ε by dp_accounting, above or below the exact one, with this share of the counts' σ."""
        parts = [
            library.from_gaussian_mechanism(
                multiplier, pessimistic_estimate=above, value_discretization_interval=interval
            )
            for multiplier in (
                trained.sigma / trained.sensitivity / math.sqrt(trained.steps),
                share * plan.sigma / plan.sensitivity,
            )
        ]
        return float(parts[0].compose(parts[1]).get_epsilon_for_delta(delta))

    assert together(1.0, above=False) <= epsilon
    # Nor is anything left of it, beyond the accountant's own steps.
    assert together(1.0, above=True) == pytest.approx(epsilon, abs=2.0 * interval)
    assert together(0.5, above=False) > epsilon


def test_the_share_is_small_and_comes_from_public_values():
    for epsilon in (0.01, 0.1, 1.0, 3.0, 10.0):
        shares = []
        for records in (100, 3_000, 60_000, 10**7):
            total = PrivacyBudget(epsilon, 1e-5)
            shares.append(share_for(total, records))
            assert 0.95 * epsilon <= training_budget(total, records).epsilon < epsilon
        assert shares == sorted(shares, reverse=True)
        assert 0.0 < shares[-1] < shares[0] == MAX_SHARE
    # A large set gets no less noise on a count than n/1,500.
    plan = planned(Problem("logistic", 1e-3, 60_000, 12, ZERO), PrivacyBudget(3.0, 1e-5))
    assert plan.sigma == pytest.approx(60_000 / 1_500, rel=1e-6)


@pytest.mark.parametrize("method", ["dpgd", "psgd", "opera", "dpnewton"])
def test_every_method_with_one_gaussian_curve_can_be_corrected(method):
    total = PrivacyBudget(0.9, 1e-5)
    plan = planned(Problem("logistic", 0.1, 500, 4, ZERO), total, method)
    limit = analytic_mu(0.9, 1e-5)
    assert 0.99 * limit < plan.gaussian_mu <= limit
    assert plan.alone.bound < 0.3 * 0.9


def test_too_sure_risks_of_a_private_model_become_right():
    draw = np.random.default_rng(4)
    rows = draw.normal(size=(26_000, 4))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    risks = expit(2.0 * np.sin(2.5 * rows[:, 0]) - 0.7)
    labels = np.where(draw.random(26_000) < risks, 1.0, -1.0)
    train, test = slice(0, 6_000), slice(6_000, None)
    problem = Problem("logistic", 1e-4, 6_000, 4, ZERO)
    plan = planned(problem, PrivacyBudget(3.0, 1e-5))
    training = Training(problem, rows[train], labels[train], [plan.training], 6, 0)
    models = method_named("dpgd").release(training)
    scores = models @ rows[test].T
    positive = labels[test] > 0
    corrected = release(training, [plan], models).at(scores)
    before, after = (
        risk_calibration(each[0], positive).debiased_error.mean() for each in (scores, corrected)
    )
    assert before > 0.05
    assert after < before / 3.0
    # Nobody with a larger score has a smaller risk.
    order = np.argsort(scores[0, 0])
    assert (np.diff(corrected[0, 0, order]) >= 0.0).all()


def test_counts_have_noise_of_their_own():
    training = noise_generator(3, 1).standard_normal(200)
    counts = noise_generator(3, 1, COUNT_STREAM).standard_normal(200)
    assert abs(np.corrcoef(training, counts)[0, 1]) < 0.3
    problem = Problem("logistic", 1.0, 20, 2, ZERO)
    plan = planned(problem, PrivacyBudget(1.0, 1e-5))
    rows, labels = np.zeros((20, 2)), np.zeros(20)
    # Two models for keeping share no number; in exploration all ε of a run share their draw.
    for seed, shared in ((None, False), (0, True)):
        twice = Training(problem, rows, labels, [plan.training] * 2, 1, seed)
        first, second = noisy_counts(twice, [plan, plan], np.ones((2, 1, 2)))
        assert np.array_equal(first, second) is shared


@pytest.mark.parametrize("model", [[0.0, 0.0], [1e-300, 0.0], [1e99, -1e99]])
def test_a_model_of_any_length_gives_a_curve(model):
    rows, labels = np.array([[0.6, 0.8], [-1.0, 0.0], [0.0, 0.0]]), np.array([1.0, -1.0, 0.0])
    problem = Problem("logistic", 1.0, 3, 2, ZERO)
    plan = planned(problem, PrivacyBudget(1.0, 1e-5))
    training = Training(problem, rows, labels, [plan.training], 1, 0)
    result = release(training, [plan], np.array([[model]]))
    assert result.knots.shape == result.log_odds.shape == (1, 1, KNOTS)
    assert np.isfinite(result.log_odds).all()
    assert (np.diff(result.log_odds) >= 0.0).all()


def test_what_cannot_be_corrected_is_refused():
    total = PrivacyBudget(1.0, 1e-5)
    problem = Problem("logistic", 0.1, 100, 3, ZERO)
    number = Problem("squared", 0.1, 100, 3, ZERO)
    classes = dataclasses.replace(problem, classes=3)
    for what, method, said in (
        (problem, "objpert", "method is 'objpert', but"),
        (problem, "nonprivate", "method is 'nonprivate', but"),
        (number, "dpgd", "predicts is 'a number', but"),
        (classes, "dpgd", "predicts is '3 classes', but"),
    ):
        with pytest.raises(InvalidInput, match=said):
            planned(what, total, method)
    (whole,) = method_named("dpgd").calibrate(problem, [1.0], 1e-5, Edition.SOUND, Settings())
    for nearly in (0.9, 1.0, 1.0 + 1e-15, 1.0 + 1e-13):  # whose rest is lost in rounding
        with pytest.raises(InvalidInput, match=r"ε of the training is 1, but"):
            recalibrate(whole, PrivacyBudget(nearly, 1e-5))
    for budget, said in (((1e-9, 1e-5), "epsilon is 1e-9, but"), ((1.0, 0.0), "delta is 0, but")):
        with pytest.raises(InvalidInput, match=said):
            training_budget(PrivacyBudget(*budget), 100)


def test_counts_of_something_else_are_refused():
    problem = Problem("logistic", 0.1, 4, 2, ZERO)
    plan, other = (planned(problem, PrivacyBudget(epsilon, 1e-5)) for epsilon in (1.0, 2.0))
    rows, labels = 0.5 * np.ones((4, 2)), np.array([1.0, -1.0, 1.0, 1.0])
    training = Training(problem, rows, labels, [plan.training], 2, 0)
    models, long = np.ones((1, 2, 2)), dataclasses.replace(training, features=2.0 * rows)
    for what, plans, released, said in (
        (training, [other], models, "plans hold another training"),
        (training, [plan], models[:, :1], r"shape of the models is .* \(1, 2, 2\)"),
        *((training, [plan], w * models, "a weight beyond 10¹⁰⁰") for w in (np.nan, np.inf, 1e300)),
        (long, [plan], models, "largest ‖x‖₂ is"),
    ):
        with pytest.raises(InvalidInput, match=said):
            noisy_counts(what, plans, released)


PLACES = np.linspace(-6.0, 6.0, 32)
INNER = np.abs(PLACES) < 2.5


def counts_of(log_odds, people):
    """Expected counts of scores that are normal with the standard deviation 1.2."""
    mass = np.exp(-0.5 * (PLACES / 1.2) ** 2)
    total = people * mass / mass.sum()
    risks = expit(log_odds(PLACES))
    return np.stack([total * (1.0 - risks), total * risks])


@pytest.mark.parametrize(
    "truth",
    [
        lambda s: s,
        lambda s: 0.8 + 0.5 * s,
        lambda s: 2.0 * s - 1.0,
        lambda s: np.where(s > 0.0, 2.0 * s, 0.5 * s),
        lambda s: 2.0 * np.tanh(s),
    ],
    ids=["right", "too bold", "too shy", "bent", "saturating"],
)
def test_many_records_show_any_rising_curve(truth):
    actual = curves(counts_of(truth, 1e7)[None], PLACES[None], np.array([5.0]))
    risks = expit(actual.log_odds[0])
    assert np.abs(risks - expit(truth(PLACES)))[INNER].max() < 0.01
    scores = np.array([[-3.0, 0.1, 7.0]])
    assert actual.at(scores)[0, 1] == pytest.approx(truth(0.1), abs=0.08)
    assert actual.at(scores)[0, 2] == actual.log_odds[0, -1]


def test_the_curve_never_falls_whatever_the_counts():
    draw = np.random.default_rng(2)
    for sigma in (0.0, 3.0, 1e4):
        counts = np.stack(
            [
                draw.normal(scale=1e4, size=(2, 32)),
                np.zeros((2, 32)),
                np.where(np.arange(32) == 7, 1e9, 0.0) * np.ones((2, 1)),
                counts_of(lambda s: -2.0 * s, 1e6),
                np.full((2, 32), -1e12),
            ]
        )
        result = curves(counts, np.tile(PLACES, (5, 1)), np.full(5, sigma))
        assert np.isfinite(result.log_odds).all()
        assert (np.diff(result.log_odds, axis=1) >= 0.0).all()
        assert result.log_odds[4] == pytest.approx(PLACES)  # nothing was counted
    assert np.ptp(result.log_odds[3][INNER]) < 0.2  # of a reversed model: nobody differs


def test_many_at_once_are_what_scikit_learn_finds_of_each():
    draw = np.random.default_rng(0)
    values = draw.normal(size=(3, 2, 400)) * np.array([0.1, 1.0, 6.0])[:, None, None]
    outcomes = draw.random(400) < 0.4
    design = np.concatenate([np.ones((3, 1, 400)), values], axis=1)
    strengths = np.array([0.0, 0.5, 20.0])
    precision = strengths[:, None, None] * np.diag([0.0, 1.0, 1.0])
    shape = (3, 400)
    theta, done = fit(
        design, np.zeros(shape), np.ones(shape), np.broadcast_to(outcomes, shape) * 1.0, precision
    )
    assert done.all()
    for row, strength, result in zip(values, strengths, theta, strict=True):
        weight = np.inf if strength == 0.0 else 1.0 / strength
        peer = LogisticRegression(C=weight, tol=1e-12, max_iter=10_000).fit(row.T, outcomes)
        assert result == pytest.approx([*peer.intercept_, *peer.coef_[0]], abs=1e-6)


def test_shares_of_trials_with_an_offset():
    trials = np.array([[5.0, 12.0, 30.0, 22.5, 8.0]])
    successes = np.array([[0.5, 3.0, 14.25, 16.0, 7.5]])
    x = np.array([[-2.0, -1.0, 0.0, 1.0, 2.0]])
    design = np.stack([np.ones_like(x), x], axis=1)
    theta, _ = fit(design, 0.3 * x, trials, successes, np.zeros((1, 2, 2)))
    both = np.concatenate([successes, trials - successes]).T
    peer = GLM(both, design[0].T, family=Binomial(), offset=0.3 * x[0]).fit(tol=1e-14)
    assert theta[0] == pytest.approx(peer.params, abs=1e-12)


def test_what_has_no_minimum_is_told_apart_from_what_has_one_far_away():
    x = np.linspace(-1.0, 1.0, 20)
    design = np.broadcast_to(np.stack([np.ones(20), x]), (2, 2, 20))
    separated, overlapping = x > 0.0, x > 0.0
    overlapping = overlapping.copy()
    overlapping[[9, 10]] = overlapping[[10, 9]]
    outcomes = np.stack([separated, overlapping]) * 1.0
    theta, done = fit(design, np.zeros((2, 20)), np.ones((2, 20)), outcomes, np.zeros((2, 2, 2)))
    assert done.tolist() == [False, True]
    assert theta[1, 1] > 10.0
