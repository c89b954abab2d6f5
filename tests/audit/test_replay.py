"""Replays raise no alarm on sound code, and find the planted bugs that they can reach."""

import math
import os
import re
import threading
from functools import cache, partial

import numpy as np
import pytest

from dpcore.audit.replay import replay
from dpcore.audit.replay_register import cases
from dpcore.erm.method import Settings, Training
from dpcore.erm.methods import method_named
from dpcore.erm.methods import register as methods
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.models.systems import register as models

SIGMA, STEPS = 2.0, 20
ROWS = np.random.default_rng(3).normal(size=(30, 3))
ROWS /= np.linalg.norm(ROWS, axis=1, keepdims=True)
BLANKED = ROWS * (np.arange(30) > 0)[:, None]
LONG, LONG_BLANKED = 5.0 * ROWS, 5.0 * BLANKED
VOTES = np.where(np.arange(30) > 0, 1.0, -1.0)
THEY_TILT = {"objpert", "objpert_pure"}
"""Their noise tilts an objective, which is minimised: no sum with it is released."""

every_case = cache(lambda share: tuple(cases(share)))
KEYS = (
    *("adassp", "dpftrl", "dpgd", "dpnewton", "functional", "grpua", "inputpert", "objpert"),
    *("objpert_pure", "opera", "outpert", "outpert_pure", "psgd", "recalibration", "sgdpert"),
    *("decision-tree", "k-means", "naive-bayes", "noisy-marginals", "online-tree", "pate"),
    *("pca-gaussian", "pca-pure", "random-forest", "scalable-pate"),
    *("training, none", "training, poisson", "training, fixed"),
)


def of(key, share=1.0):
    return [case for case in every_case(share) if case.key == key]


def rng(seed=5):
    return np.random.default_rng(seed)


def clipped(rows):
    return rows / np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))


def noisy_sum(rows, scale=SIGMA, factor=1.0):
    return factor * rows.sum(axis=0) + scale * rng().normal(size=rows.shape[1])


def average(rows, count):
    return noisy_sum(rows) / count(rows)


def twice(rows, second):
    sums = rows.sum(axis=0), (rows**2).sum(axis=0)
    return [
        one + SIGMA * rng(seed).normal(size=3) for one, seed in zip(sums, (1, second), strict=True)
    ]


def descent(rows, share):
    draw, weights = rng(), np.zeros(3)
    for _ in range(STEPS):
        batch = rows[draw.permutation(len(rows))[: math.ceil(share * len(rows))]]
        slopes = 1.0 / (1.0 + np.exp(batch @ weights))
        gradient = (slopes[:, None] * batch).sum(axis=0)
        weights = weights - 0.01 * (gradient + SIGMA * draw.standard_normal(3))
    return weights


def with_intercept(rows, factor):
    return noisy_sum(rows), rows.mean() + factor * rng(9).normal()


def chosen(rows, seen):
    # The better of two sums by a measure on the records, or by what is released.
    sums = [noisy_sum(rows), noisy_sum(rows, SIGMA)[::-1] * 0.5]
    return sums[int(np.any(rows[0])) if seen else int(sums[0][0] > 0.0)]


def least(signs, ridge):
    """The intercept of a logistic regression without columns, found by bisection."""
    low, high = -50.0, 50.0
    for _ in range(100):
        middle = (low + high) / 2.0
        slope = ridge * middle - (signs / (1.0 + np.exp(signs * middle))).sum()
        low, high = (low, middle) if slope > 0.0 else (middle, high)
    return low


def intercept(signs, ridge):
    return least(signs, ridge) + 0.1 * rng().normal()


def replayed(run, first=ROWS, second=BLANKED, **claim):
    return replay(run, first, second, **{"sensitivity": 1.0, "sigma": SIGMA, **claim})


BUGS = {
    "a wrong sensitivity": (
        partial(noisy_sum, factor=3.0),
        noisy_sum,
        {},
        r"test_replay\.py:\d+: one record moves .* by 3, but its claim allows 1 for",
    ),
    "a norm that is not clipped": (
        noisy_sum,
        lambda rows: noisy_sum(clipped(rows)),
        {"of": (LONG, LONG_BLANKED)},
        "by 5, but its claim allows 1 for",
    ),
    "an average by the actual size": (
        partial(average, count=lambda rows: np.any(rows, axis=1).sum()),
        partial(average, count=len),
        {},
        "bypasses the noise",
    ),
    "a seed used again": (
        partial(twice, second=1),
        partial(twice, second=2),
        {},
        r"test_replay\.py:\d+: .* where no noise of its own covers it",
    ),
    "subsampling claimed but not done": (
        partial(descent, share=1.0),
        partial(descent, share=0.1),
        {"rate": 0.1},
        "takes part in 20 of 20 calls; its rate is said to be 0.1",
    ),
    "noise that follows the record": (
        lambda rows: noisy_sum(rows, scale=10.0 * rows.std()),
        noisy_sum,
        {},
        "the noise follows the record: its scale is 5",
    ),
    "noise below what is claimed": (
        partial(noisy_sum, scale=1.0),
        noisy_sum,
        {},
        "by 1, but its claim allows 0.5 for",
    ),
    "an intercept that is not paid": (
        partial(with_intercept, factor=0.0),
        partial(with_intercept, factor=1.0),
        {},
        "by 0.0",
    ),
    "an intercept that is not regularised": (
        partial(intercept, ridge=1e-3),
        partial(intercept, ridge=10.0),
        {"sigma": 0.1, "sensitivity": 0.1, "of": (VOTES, VOTES * (VOTES > 0.0))},
        "but its claim allows 0.1 for",
    ),
    "a choice by the records": (
        partial(chosen, seen=True),
        partial(chosen, seen=False),
        {},
        "What is released changes",
    ),
    "one number of noise for all coordinates": (
        lambda rows: rows.sum(axis=0) + SIGMA * rng().normal(),
        noisy_sum,
        {},
        "where no noise of its own covers it",
    ),
    "steps that cost more together": (
        partial(descent, share=1.0),
        partial(descent, share=1.0),
        {"mu": 0.5 * math.sqrt(STEPS) / 2.0, "bad": {"mu": 0.5 * math.sqrt(STEPS) / 4.0}},
        "by then one record has moved all normal noise",
    ),
    "a path by the record": (
        lambda rows: noisy_sum(rows) if np.any(rows[0]) else rng().normal(size=(2, 3)),
        noisy_sum,
        {},
        "the record steers the run",
    ),
}


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_found_and_its_mended_twin_passes(name):
    broken, mended, claim, words = BUGS[name]
    claim, (first, second) = dict(claim), claim.get("of", (ROWS, BLANKED))
    claim.pop("of", None)
    bad = claim.pop("bad", claim)
    found = replayed(broken, first, second, **bad)
    assert any(re.search(words, each) for each in found.violations), found
    assert replayed(mended, first, second, **claim).violations == ()


def test_every_proved_method_model_and_training_is_replayed():
    assert {case.key for case in every_case(1.0)} == set(KEYS)
    proved = {
        key
        for key, method in methods().items()
        if Edition.SOUND in method.editions
        and method.editions[Edition.SOUND].status is Status.PROVED
    }
    proved |= {key for key, model in models().items() if model.standing.status is Status.PROVED}
    assert proved <= set(KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_a_sound_one_raises_no_alarm(key):
    results = [case.replay() for case in of(key)]
    assert [result.violations for result in results] == [()] * len(results)
    if key in THEY_TILT:
        assert any(result.unwatched for result in results)
    else:
        assert [result.unwatched for result in results] == [()] * len(results)
        assert all(any(call.shift for call in result.calls) for result in results)


@pytest.mark.parametrize("key", sorted(set(KEYS) - THEY_TILT))
def test_two_thirds_of_its_noise_are_found(key):
    assert any(case.replay().violations for case in of(key, 2.0 / 3.0))


def test_the_steps_of_a_descent_move_their_noise_by_just_what_is_claimed():
    case, _ = (each for each in of("dpgd") if each.adjacency is Adjacency.ZERO_OUT)
    claimed = case.claim.totals["normal"]
    assert case.replay().shift == pytest.approx(claimed, rel=1e-9)
    shifts = [call.shift for call in case.replay().calls]
    assert math.hypot(*shifts) == pytest.approx(claimed, rel=1e-9)


def test_noise_that_adds_up_covers_each_step_once():
    def run(rows):
        total, noise, sums = np.zeros(3), np.zeros(3), []
        for part in np.array_split(rows, 5):
            total += part.sum(axis=0)
            noise += SIGMA * rng(len(sums)).normal(size=3)
            sums.append(total + noise)
        return sums

    result = replayed(run)
    assert result.violations == ()
    assert [call.shift for call in result.calls] == pytest.approx([0.5, 0, 0, 0, 0], abs=1e-12)


LAWS = {
    "normal": lambda rows: np.random.normal(rows.sum(axis=0), SIGMA),  # noqa: NPY002
    "laplace": lambda rows: rng(None).laplace(rows.sum(axis=0), SIGMA, 3),
    "gumbel": lambda rows: rows.sum(axis=0) - rng(None).gumbel(0.0, SIGMA, 3),
    "other": lambda rows: rows.sum(axis=0) + SIGMA * np.random.RandomState().logistic(size=3),
}


@pytest.mark.parametrize("law", LAWS)
def test_every_way_to_draw_is_watched(law):
    (call,) = replayed(LAWS[law]).calls
    norm = {"laplace": 1}.get(law, 2)
    moved = np.ptp(ROWS[0]) if law == "gumbel" else np.linalg.norm(ROWS[0], norm)
    assert (call.law, call.scale, call.distance) == (law, SIGMA, pytest.approx(moved))


def test_noise_of_the_system_is_watched():
    problem = Problem("huber", 1.0, 30, 3, Adjacency.ZERO_OUT)
    opera = method_named("opera")
    (calibration,) = opera.calibrate(problem, [1.0], 1e-5, Edition.SOUND, Settings())

    def run(rows):
        labels = np.any(rows, axis=1).astype(float)
        return opera.release(Training(problem, rows, labels, [calibration], 1, None))

    mu = calibration.gaussian_mu
    assert replayed(run, mu=mu).shift == pytest.approx(mu, rel=1e-6)


def test_torch_is_watched():
    torch = pytest.importorskip("torch")

    def run(rows, factor=1.0):
        rows, weights = torch.as_tensor(rows), torch.zeros(3, dtype=torch.float64)
        for _ in range(3):
            gradient = factor * (rows * torch.sigmoid(rows @ weights)[:, None]).sum(0)
            noise = torch.randn(3, dtype=torch.float64)
            gradient.add_(noise.mul_(2.0), alpha=0.5 * SIGMA)
            weights = weights - 0.1 * gradient + 0.1 * torch.normal(gradient, SIGMA)
        return weights

    sound = replayed(run)
    assert sound.violations == ()
    assert [call.scale for call in sound.calls] == pytest.approx([SIGMA] * 6)
    assert replayed(partial(run, factor=3.0)).violations


def after(rows, noise):
    # The record moves the second sum by little, given the first, which moves it by much.
    return noisy_sum(1e-4 * rows + (rows.sum() + noise))


def path(rows, threshold):
    return noisy_sum(rows) if np.any(rows[0]) > threshold else rng().normal(size=(2, 3))


def test_a_count_of_nobody_is_a_value_like_any_other():
    def histogram(rows):
        counts = np.zeros(2)
        for row in rows[np.any(rows, axis=1)]:
            counts[int(row[0] > 0.0)] += 1.0
        counts += SIGMA * rng().normal(size=2)
        return counts, int(np.any(rows)) + SIGMA * rng(1).normal()

    for pair in ((ROWS[:1], BLANKED[:1]), (BLANKED[:1], ROWS[:1])):
        result = replayed(histogram, *pair)
        assert result.violations == ()
        assert [call.distance for call in result.calls] == [1.0, 1.0]


def test_noise_that_is_left_aside_is_not_taken_for_lost():
    def run(rows, pick):
        return rows.sum(axis=0) + pick(SIGMA * rng().normal(size=9))

    assert replayed(partial(run, pick=lambda noise: noise[:3])).unwatched == ()
    assert replayed(partial(run, pick=lambda noise: float(noise[0]))).unwatched


def tilted(rows):
    # One draw of noise in each step of a minimiser: no sum with it is released.
    noise, weights = SIGMA * rng().normal(size=3), np.zeros(3)
    for _ in range(3):
        gradient = (rows * np.tanh(rows @ weights - 1.0)[:, None]).sum(axis=0) + noise
        weights = weights - 0.1 * gradient
    return weights


UNSEEN = {
    "a tilted objective": tilted,
    "randomised answers": lambda rows: np.where(rng().random(30) < 0.5, np.any(rows, axis=1), 1),
    "noise by inversion": lambda rows: rows.sum(axis=0) - np.log(rng().random(3)),
    "a choice with odds": lambda rows: rng().choice(3, p=np.abs(rows).sum(0) / np.abs(rows).sum()),
    "noise become a number": lambda rows: float(rng().normal()) + rows.sum(),
    "noise in a plain array": lambda rows: rows.sum(axis=0) + np.full(3, rng().normal(size=3)),
    "noise about a constant": lambda rows: rows.sum(axis=0) + (0.5 + rng().normal(size=3)),
    "a value covered by a number": lambda rows: after(rows, float(SIGMA * rng(1).normal())),
    "a path behind noise": lambda rows: path(rows, 0.5 + rng(1).laplace()),
    "noise times records": lambda rows: rows @ rng().normal(size=3) + rows.sum(),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_what_is_not_seen_raises_no_alarm_but_is_told(name):
    result = replayed(UNSEEN[name], sensitivity=1e-3)
    assert result.violations == ()
    assert result.unwatched


def test_a_replay_leaves_everything_as_it_was():
    before = np.random.default_rng, np.zeros, np.random.bytes, np.asarray
    replayed(noisy_sum)
    with pytest.raises(ZeroDivisionError):
        replayed(lambda rows: 1 / 0)
    assert (np.random.default_rng, np.zeros, np.random.bytes, np.asarray) == before


def test_other_threads_draw_as_ever():
    drawn = []

    def run(rows):
        thread = threading.Thread(target=lambda: drawn.append((os.urandom(16), np.zeros(1))))
        thread.start()
        thread.join()
        return noisy_sum(rows)

    assert replayed(run).unwatched == ()
    assert len({bits for bits, _ in drawn}) == len(drawn) == 2
    assert {type(zeros) for _, zeros in drawn} == {np.ndarray}


@pytest.mark.parametrize("field", ["sensitivity", "sigma", "mu", "rate"])
def test_a_claim_that_is_no_number_is_refused(field):
    with pytest.raises(InvalidInput, match=field):
        replayed(noisy_sum, **{field: -1})
