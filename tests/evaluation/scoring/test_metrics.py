"""Rates, areas and objectives against naive ones; closed forms against sampling."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, recall_score, roc_auc_score

from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.evaluation.scoring import metrics
from tests.evaluation.splits import made_split

NORMS = ("unit", "mixed", "null")


def problem_of(split, loss="logistic", lam=0.01):
    return Problem(loss, lam, split.records, split.dimension)


def models(split, count=7, seed=0):
    return np.random.default_rng(seed).standard_normal((count, split.dimension))


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
@pytest.mark.parametrize(("right", "records"), [(0, 1), (0, 20), (18, 20), (7, 7), (63, 114)])
def test_the_interval_of_a_share_is_wilsons(right, records, confidence):
    wanted = binomtest(right, records).proportion_ci(confidence, method="wilson")
    actual = metrics.accuracy_interval(right / records, records, confidence)
    assert actual == pytest.approx((wanted.low, wanted.high), rel=1e-12, abs=1e-15)


def test_the_interval_refuses_what_is_no_share():
    with pytest.raises(InvalidInput, match=r"accuracy is 1\.1"):
        metrics.accuracy_interval(1.1, 20)
    with pytest.raises(InvalidInput, match="test records is 0"):
        metrics.accuracy_interval(0.5, 0)


@pytest.mark.parametrize("norms", NORMS)
def test_rates_are_those_of_scikit_learn(norms):
    split = made_split(norms=norms)
    weights = models(split)
    result = metrics.rates(weights, split.x_test, split.y_test)
    for row, one in enumerate(weights):
        said = np.where(split.x_test @ one > 0, 1.0, -1.0)
        assert result.accuracy[row] == pytest.approx(accuracy_score(split.y_test, said))
        assert result.true_positive[row] == pytest.approx(recall_score(split.y_test, said))
        assert result.true_negative[row] == pytest.approx(
            recall_score(split.y_test, said, pos_label=-1.0)
        )
    assert result.balanced == pytest.approx((result.true_positive + result.true_negative) / 2)


def test_rates_do_not_depend_on_the_size_of_a_block(monkeypatch):
    split = made_split()
    weights = models(split)
    whole = metrics.rates(weights, split.x_train, split.y_train)
    monkeypatch.setattr(metrics, "BLOCK_ENTRIES", 50)
    parts = metrics.rates(weights, split.x_train, split.y_train)
    assert np.array_equal(whole.accuracy, parts.accuracy)
    assert np.array_equal(whole.true_positive, parts.true_positive)


@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize("norms", NORMS)
def test_training_scores_are_the_naive_objective_and_accuracy(loss, norms):
    split = made_split(norms=norms)
    problem, weights = problem_of(split, loss), 3.0 * models(split)
    objective, accuracy = metrics.training_scores(problem, weights, split.x_train, split.y_train)
    for row, one in enumerate(weights):
        margins = split.y_train * (split.x_train @ one)
        if loss == "logistic":
            losses = np.logaddexp(0.0, -margins)
        else:
            quadratic = (1 - margins) ** 2 / 2 + (1 - margins) / 2 + 1 / 8  # h = 1/2
            losses = np.where(margins > 1.5, 0.0, np.where(margins < 0.5, 1.0 - margins, quadratic))
        naive = losses.mean() + 0.5 * problem.lam * one @ one
        assert objective[row] == pytest.approx(naive, rel=3e-6)
        said = np.where(split.x_train @ one > 0, 1.0, -1.0)
        assert accuracy[row] == pytest.approx(np.mean(said == split.y_train))


def sampled_differences(split, loss, sigmas, widened, draws=20_000):
    """(closed form - sampled mean) in standard errors: accuracy, both rates, objective, per σ."""
    problem = problem_of(split, loss, lam=0.05)
    centres = np.repeat(2.0 * models(split, 1), len(sigmas), axis=0)
    noise = np.random.default_rng(11).standard_normal((draws, split.dimension))
    scales = widened * np.array(sigmas)
    test = metrics.expected_rates(centres, scales, split.x_test, split.y_test)
    objective = metrics.expected_objectives(problem, centres, scales, split.x_train, split.y_train)
    result = []
    for row, sigma in enumerate(sigmas):
        drawn = centres[row] + sigma * noise
        rates = metrics.rates(drawn, split.x_test, split.y_test)
        values, _ = metrics.training_scores(problem, drawn, split.x_train, split.y_train)
        for closed, sample in (
            (test.accuracy[row], rates.accuracy),
            (test.true_positive[row], rates.true_positive),
            (test.true_negative[row], rates.true_negative),
            (objective[row], values),
        ):
            result.append((closed - sample.mean()) / (sample.std() / np.sqrt(draws)))
    return result


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize("norms", NORMS)
def test_expectations_agree_with_sampling_and_reject_a_wider_noise(loss, norms):
    split = made_split(norms=norms)
    sigmas = (0.3, 1.0, 4.0)
    right = sampled_differences(split, loss, sigmas, widened=1.0)
    assert max(abs(x) for x in right) < 4.0
    # The same comparison must notice 10 % more noise, at every σ, in accuracy or objective.
    wrong = sampled_differences(split, loss, sigmas, widened=1.1)
    for place in range(len(sigmas)):
        assert max(abs(x) for x in wrong[4 * place : 4 * place + 4]) > 6.0


@pytest.mark.parametrize("norms", NORMS)
def test_without_noise_the_expectations_are_the_values(norms):
    split = made_split(norms=norms)
    weights, still = models(split), np.zeros(7)
    expected = metrics.expected_rates(weights, still, split.x_test, split.y_test)
    actual = metrics.rates(weights, split.x_test, split.y_test)
    assert expected.accuracy == pytest.approx(actual.accuracy, abs=1e-12)
    assert expected.true_positive == pytest.approx(actual.true_positive, abs=1e-12)
    assert expected.true_negative == pytest.approx(actual.true_negative, abs=1e-12)
    zero = metrics.expected_rates(
        np.zeros((1, split.dimension)), np.zeros(1), split.x_test, split.y_test
    )
    assert zero.true_positive[0] == 0.0
    assert zero.true_negative[0] == 1.0


def test_a_missing_class_has_no_rate_and_is_not_counted():
    split = made_split()
    positive = split.y_test > 0
    result = metrics.expected_rates(
        models(split, 1), np.ones(1), split.x_test[positive], split.y_test[positive]
    )
    assert np.isnan(result.true_negative[0])
    assert np.isnan(result.balanced[0])
    assert result.accuracy[0] == result.true_positive[0]


@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize("norms", ["unit", "mixed"])
def test_pooling_many_records_changes_next_to_nothing(loss, norms, monkeypatch):
    split = made_split(records=3 * metrics.BINS, tests=3 * metrics.BINS, norms=norms)
    problem = problem_of(split, loss)
    sigmas = np.array([0.0, 1e-3, 0.1, 1.0, 10.0])
    centres = np.repeat(4.0 * models(split, 1), len(sigmas), axis=0)

    def both():
        rates = metrics.expected_rates(centres, sigmas, split.x_test, split.y_test)
        objective = metrics.expected_objectives(
            problem, centres, sigmas, split.x_train, split.y_train
        )
        return rates.accuracy, objective

    pooled = both()
    monkeypatch.setattr(metrics, "BINS", 10**9)
    monkeypatch.setattr(metrics, "CELLS", 10**9)
    exact = both()
    assert pooled[0] == pytest.approx(exact[0], abs=1e-4)
    assert pooled[1] == pytest.approx(exact[1], rel=1e-6 if norms == "unit" else 1e-4)
    assert not np.array_equal(pooled[1], exact[1])


@pytest.mark.parametrize("norms", NORMS)
def test_shared_draws_score_as_each_model_on_its_own(norms):
    split = made_split(records=600, norms=norms)
    problem = problem_of(split)
    centres, sigmas = models(split, 4), np.array([0.0, 0.1, 1.0, 20.0])
    draws = np.random.default_rng(5).standard_normal((30, split.dimension))
    hits = metrics.noisy_accuracies(centres, sigmas, draws, split.x_train, split.y_train)
    values = metrics.noisy_objectives(problem, centres, sigmas, draws, split.x_train, split.y_train)
    for row, sigma in enumerate(sigmas):
        drawn = centres[row] + sigma * draws
        objective, accuracy = metrics.training_scores(problem, drawn, split.x_train, split.y_train)
        # A margin within rounding of 0 may be judged either way.
        assert hits[row] == pytest.approx(accuracy, abs=1.5 / split.records)
        assert values[row] == pytest.approx(objective, rel=1e-5)


SIGMAS = np.array([0.0, 0.05, 0.5, 5.0])


@pytest.mark.parametrize("norms", NORMS)
def test_areas_are_those_of_scikit_learn(norms):
    split = made_split(norms=norms)
    weights = models(split)
    actual = metrics.auc_of_models(weights, split.x_test, split.y_test)
    # In single precision, as ours: two nearly equal scores may tie there.
    scores = weights.astype(np.float32) @ split.x_test.astype(np.float32).T
    wanted = [roc_auc_score(split.y_test, score) for score in scores]
    assert actual == pytest.approx(wanted, abs=1e-9)


def test_areas_do_not_depend_on_the_size_of_a_block(monkeypatch):
    split = made_split()
    weights = models(split)
    whole = metrics.auc_of_models(weights, split.x_train, split.y_train)
    monkeypatch.setattr(metrics, "BLOCK_ENTRIES", 50)
    again = metrics.auc_of_models(weights, split.x_train, split.y_train)
    assert whole == pytest.approx(again, abs=1e-12)


def standard_errors_apart(norms, widened, draws=4_000):
    """The largest (closed form - mean over sampled models), in standard errors of that mean."""
    split = made_split(tests=90, norms=norms)
    signed = split.x_test * split.y_test[:, None]
    centre = signed.mean(axis=0, keepdims=True) / np.linalg.norm(signed.mean(axis=0))
    closed = metrics.expected_auc(
        np.repeat(centre, len(SIGMAS), axis=0), widened * SIGMAS, split.x_test, split.y_test
    )
    noise = np.random.default_rng(3).standard_normal((draws, split.dimension))
    apart = []
    for expected, sigma in zip(closed[1:], SIGMAS[1:], strict=True):
        actual = metrics.auc_of_models(centre + sigma * noise, split.x_test, split.y_test)
        apart.append((expected - actual.mean()) / (actual.std() / math.sqrt(draws)))
    return float(np.abs(apart).max())


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize("norms", NORMS)
def test_the_closed_form_is_the_mean_of_sampled_models(norms):
    assert standard_errors_apart(norms, 1.0) < 4.0
    assert standard_errors_apart(norms, 2.0 / 3.0) > 8.0


@pytest.mark.parametrize("norms", NORMS)
def test_without_noise_it_is_the_area_itself(norms):
    split = made_split(tests=90, norms=norms)
    weights = models(split)
    actual = metrics.expected_auc(weights, np.zeros(len(weights)), split.x_test, split.y_test)
    wanted = [roc_auc_score(split.y_test, split.x_test @ one) for one in weights]
    assert actual == pytest.approx(wanted, abs=1e-9)
    nothing = metrics.expected_auc(
        np.zeros((1, split.dimension)), np.zeros(1), split.x_test, split.y_test
    )
    assert nothing[0] == 0.5


def test_equal_records_of_both_classes_are_a_tie_whatever_the_noise():
    features, labels = np.ones((4, 2)), np.array([1.0, 1.0, -1.0, -1.0])
    result = metrics.expected_auc(np.ones((2, 2)), np.array([0.0, 3.0]), features, labels)
    assert result.tolist() == [0.5, 0.5]


def test_a_missing_class_has_no_area():
    split = made_split(tests=30)
    ones = np.ones(len(split.y_test))
    centres, sigmas = models(split, 2), np.array([0.0, 1.0])
    draws = np.random.default_rng(0).standard_normal((5, split.dimension))
    assert np.isnan(metrics.auc_of_models(centres, split.x_test, ones)).all()
    assert np.isnan(metrics.expected_auc(centres, sigmas, split.x_test, ones)).all()
    assert np.isnan(metrics.noisy_areas(centres, sigmas, draws, split.x_test, ones)).all()


@pytest.mark.parametrize(("positive", "negative"), [(30, 50), (7, 11), (40, 40), (1, 90)])
def test_pairs_are_distinct_and_use_all_records_alike(positive, negative):
    labels = np.repeat([1.0, -1.0], [positive, negative])
    most = positive * negative * 2 // 3
    ones, others = metrics._pairs(labels, most)
    assert len(set(zip(ones.tolist(), others.tolist(), strict=True))) == most == len(ones)
    assert (labels[ones] > 0).all()
    assert (labels[others] < 0).all()
    for result, many in ((ones, positive), (others - positive, negative)):
        counts = np.bincount(result, minlength=many)
        assert np.ptp(counts) <= max(1, math.ceil(most / math.lcm(positive, negative)))
    every = metrics._pairs(labels, positive * negative)
    assert len(set(zip(*(each.tolist() for each in every), strict=True))) == positive * negative


def test_sampled_pairs_come_close_to_all(monkeypatch):
    split = made_split(tests=1_200)
    signed = split.x_test * split.y_test[:, None]
    centres = np.repeat(signed.mean(axis=0, keepdims=True), len(SIGMAS), axis=0)
    every = metrics.expected_auc(centres, SIGMAS, split.x_test, split.y_test)
    monkeypatch.setattr(metrics, "PAIRS", 2**14)
    some = metrics.expected_auc(centres, SIGMAS, split.x_test, split.y_test)
    assert not np.array_equal(some, every)
    # With little noise the pairs that are left out are made up for; with more, almost.
    assert some[0] == every[0]
    assert some == pytest.approx(every, abs=2e-3)
    little = np.array([1e-6])
    near = metrics.expected_auc(centres[:1], little, split.x_test, split.y_test)
    assert near == pytest.approx(every[:1], abs=1e-6)
    monkeypatch.setattr(metrics, "LEVEL", 1.0)
    plain = metrics.expected_auc(centres[:1], little, split.x_test, split.y_test)
    assert plain != pytest.approx(every[:1], abs=1e-4)


@pytest.mark.parametrize("norms", NORMS)
def test_noisy_areas_are_those_of_single_models(norms):
    split = made_split(tests=90, norms=norms)
    centres = np.repeat(models(split, 1), len(SIGMAS), axis=0)
    draws = np.random.default_rng(5).standard_normal((200, split.dimension))
    areas = metrics.noisy_areas(centres, SIGMAS, draws, split.x_test, split.y_test)
    assert np.ptp(areas[0]) == 0.0
    for row, sigma in enumerate(SIGMAS[1:], start=1):
        wanted = metrics.auc_of_models(centres[row] + sigma * draws, split.x_test, split.y_test)
        # Equal records of both classes count half in the one and nothing in the other.
        assert areas[row] - areas[row].mean() == pytest.approx(wanted - wanted.mean(), abs=1e-3)


def test_the_interval_is_where_the_area_found_is_likely():
    for area, ones, others in ((0.8, 40, 60), (0.5, 10, 10), (0.99, 200, 20)):
        low, high = metrics.area_interval(area, ones, others)
        assert 0.0 < low < area < high < 1.0
        for end in (low, high):
            within = (ones - 1) * (1 - end) / (2 - end) + (others - 1) * end / (1 + end)
            deviation = math.sqrt(end * (1 - end) * (1 + within) / (ones * others))
            assert abs(end - area) == pytest.approx(1.959964 * deviation, rel=1e-6)
    low, high = metrics.area_interval(1.0, 10, 10)
    assert low < 0.95
    assert high == 1.0
    wide, narrow = (metrics.area_interval(0.8, n, n) for n in (20, 2_000))
    assert narrow[1] - narrow[0] < 0.2 * (wide[1] - wide[0])
    with pytest.raises(InvalidInput, match="positive test records is 0"):
        metrics.area_interval(0.8, 0, 10)
