"""Each class against all others: what the noise of all proves, and that it is one of each."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.accounting.tradeoff import advantage
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Settings, Training, privacy_curve
from dpcore.erm.methods import register
from dpcore.erm.newton import minimise
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.mechanisms.gaussian import analytic_delta

DELTA = 1e-5
SOUND = [key for key, m in register().items() if key != "nonprivate" and "logistic" in m.losses]


def problem(classes=3, adjacency=Adjacency.ZERO_OUT, records=90):
    return Problem("logistic", 0.1, records, 4, adjacency, classes=classes)


def calibrated(key, epsilons, what, edition=Edition.SOUND):
    return one_vs_rest.calibrate(register()[key], what, epsilons, DELTA, edition, Settings())


def three_classes(data, records=90):
    features, _ = data(records, 4)
    return features, np.argmax(features[:, :3], axis=1).astype(float)


@pytest.mark.parametrize("key", SOUND)
def test_what_all_classes_release_together_keeps_the_promise(key, adjacency):
    what = problem(7, adjacency)
    for epsilon in (0.01, 12.0):
        c = calibrated(key, [epsilon], what)[0]
        assert c.requested.epsilon == epsilon
        if c.proof.epsilon is not None:
            assert c.proof.epsilon <= epsilon
            assert c.proof.delta <= DELTA
            assert c.status is Status.PROVED
        else:
            assert key == "outpert"
            assert epsilon > 1.0
        # Each problem has a share of the budget only. A step size may follow the noise.
        alone = calibrated(key, [epsilon], problem(2, adjacency))[0]
        assert c.sigma / c.sensitivity > alone.sigma / alone.sensitivity
        assert "7 classes" in c.certified.by


@pytest.mark.parametrize("key", ["opera", "psgd", "dpgd", "dpnewton", "dpftrl", "inputpert"])
@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 30.0, 500.0])
def test_gaussian_methods_compose_by_the_root_of_the_classes(key, epsilon):
    single = calibrated(key, [epsilon], problem(2))[0]
    for classes in (3, 10, 100):
        c = calibrated(key, [epsilon], problem(classes))[0]
        assert c.gaussian_mu == pytest.approx(single.gaussian_mu, rel=1e-6)
        assert analytic_delta(epsilon, 1.0 / c.gaussian_mu) <= DELTA
        assert c.certified.epsilon == pytest.approx(epsilon, rel=1e-5)


def test_the_classical_condition_is_about_each_share():
    met, unmet = calibrated("outpert", [3.0, 5.0], problem(10))
    assert met.status is Status.PROVED
    assert "0.948683" in met.conditions[0].text
    assert met.conditions[0].met
    assert unmet.status is Status.CONDITIONS_NOT_MET
    assert "1.58114" in unmet.conditions[0].text
    assert unmet.conditions[0].consequence == unmet.proof.reason
    assert "1.58114" in unmet.proof.reason


@pytest.mark.parametrize("key", ["grpua", "sgdpert"])
def test_steps_on_batches_are_counted_for_all_classes_together(key, adjacency):
    def noise(classes, steps, epsilon=2.0):
        return one_vs_rest.calibrate(
            register()[key],
            problem(classes, adjacency),
            [epsilon],
            DELTA,
            Edition.SOUND,
            Settings(steps=steps),
        )[0]

    several, longer = noise(4, 25), noise(2, 100)
    assert several.steps == 25
    assert several.sigma == longer.sigma
    assert several.proof.epsilon == longer.proof.epsilon <= 2.0
    assert several.certified.epsilon == longer.certified.epsilon
    # Less than a share of the budget for each would take.
    assert several.sigma < 0.8 * noise(2, 25, epsilon=0.5).sigma
    if several.sampling == "poisson":
        only_one = replace(several, problem=longer.problem)
        one, all_of_them, plain = (advantage(privacy_curve(c)) for c in (only_one, several, longer))
        assert one < all_of_them == plain


def test_more_classes_than_are_counted_together_add_up():
    most = one_vs_rest.MAX_TOGETHER
    for key in ("objpert", "grpua"):
        together, apart = (calibrated(key, [2.0], problem(k))[0] for k in (most, most + 1))
        assert "counted together" in together.proof.by
        assert "add up" in apart.proof.by
        assert apart.proof.epsilon <= 2.0
        assert apart.sigma > 1.5 * together.sigma
        share = 1.0 / (most + 1)
        alone = register()[key].calibrate(
            problem(2), [2.0 * share], DELTA * share, Edition.SOUND, Settings()
        )[0]
        assert apart.sigma == pytest.approx(alone.sigma, rel=0.021)  # of a lattice
        assert apart.problem == problem(most + 1)


@pytest.mark.parametrize("key", ["objpert_pure", "outpert_pure"])
def test_pure_privacy_adds_up(key):
    c = calibrated(key, [2.0], problem(4))[0]
    each = register()[key].calibrate(problem(4), [0.5], DELTA, Edition.SOUND, Settings())[0]
    assert c.proof.epsilon == pytest.approx(2.0, rel=1e-8)
    assert c.proof.epsilon <= 2.0
    assert c.proof.delta == 0.0
    assert c.sigma == pytest.approx(each.sigma, rel=1e-6)
    assert privacy_curve(c) is None


def test_two_classes_are_one_problem_as_before():
    for key, method in register().items():
        for edition in method.editions:
            result = calibrated(key, [0.5, 3.0], problem(2), edition)
            plain = method.calibrate(problem(2), [0.5, 3.0], DELTA, edition, Settings())
            # nan is not equal to itself.
            assert str(result) == str(plain)


def test_of_several_classes_only_the_sound_edition_is_offered():
    c = calibrated("opera", [1.0], problem(3), Edition.PUBLISHED)[0]
    assert c.edition is Edition.SOUND
    assert c.claim.epsilon is None


@pytest.mark.parametrize("key", ["nonprivate", "opera", "dpgd", "objpert", "dpftrl"])
def test_the_release_is_that_of_each_class(data, key):
    features, labels = three_classes(data)
    method, what = register()[key], problem(3)
    chosen = calibrated(key, [1.0, 20.0], what)
    result = one_vs_rest.release(method.release, Training(what, features, labels, chosen, 4, 5))
    assert result.shape == (2, 4, 12)
    for k in range(3):
        own = np.where(labels == k, 1.0, -1.0)
        exact = minimise(what, features, own)
        if key == "nonprivate":
            assert result[0, 0, 4 * k : 4 * k + 4] == pytest.approx(exact)
        else:
            # With hardly any noise a class's weights are those that tell it from the others.
            assert np.corrcoef(result[1, :, 4 * k : 4 * k + 4].mean(axis=0), exact)[0, 1] > 0.5
