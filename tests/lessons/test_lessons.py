"""The lessons' numbers: against simulation, against each other, and against known bounds."""

import inspect
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import dpcore
from dpcore.controls.learn import CHANGES
from dpcore.datasets import Preparation
from dpcore.evaluation.study import Study
from dpcore.lessons import LESSONS, on_counts, on_the_cohort
from dpcore.lessons.claim_and_attack import attacked
from dpcore.lessons.cohort import models
from dpcore.lessons.lesson import COLUMNS
from dpcore.lessons.on_counts import gaussian_guarantee, gaussian_right
from dpcore.mechanisms.gaussian import analytic_delta

GUESSES = 40_000
NEAR = 100.0 * 4.0 * 0.5 / math.sqrt(GUESSES)
"""Four standard errors of a share of right guesses, in guesses of 100."""

QUICK = [*LESSONS[:2], LESSONS[3], *LESSONS[5:]]


def simulated(sigma, answers=1, unknown=0, seed=0):
    """Right guesses of 100 by the likelihood of the mean answer under either bit."""
    generator = np.random.default_rng(seed)
    bits = generator.integers(0, 2, GUESSES)
    others = generator.binomial(unknown, on_counts.RATE, GUESSES)
    means = bits + others + generator.normal(0.0, sigma / math.sqrt(answers), GUESSES)
    chances = on_counts.binomial(unknown)

    def likelihood(bit):
        gaps = means[:, None] - np.arange(unknown + 1) - bit
        return np.exp(-0.5 * answers * (gaps / sigma) ** 2) @ chances

    return 100.0 * float(np.mean((likelihood(1) > likelihood(0)) == bits))


@pytest.mark.parametrize("sigma", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("answers", [1, 16])
def test_the_best_guess_is_right_as_often_as_said(sigma, answers):
    assert abs(simulated(sigma, answers) - gaussian_right(sigma, answers)) < NEAR


def test_a_wrong_noise_is_noticed():
    assert abs(simulated(2.0) - gaussian_right(1.0)) > NEAR
    assert abs(simulated(1.0, 16) - gaussian_right(1.0, 1)) > NEAR
    assert abs(simulated(1.0, 1, 50) - on_counts.right_with_unknown(1.0, 0)) > NEAR


@pytest.mark.slow("computes every curve of a lesson")
@pytest.mark.parametrize("unknown", [1, 9, 99])
def test_unknown_others_hide_a_person_as_often_as_said(unknown):
    assert abs(simulated(1.0, 1, unknown) - on_counts.right_with_unknown(1.0, unknown)) < NEAR
    # With next to no noise the integral comes to the sum.
    assert on_counts.right_with_unknown(0.05, unknown) == pytest.approx(
        on_counts.right_with_unknown(0.0, unknown), abs=1e-3
    )


def test_a_guesser_who_knows_less_is_right_less_often_at_the_same_epsilon():
    rows = on_counts.why_noise_curve().set_index("x")
    assert rows.loc[0.0, "value"] == 100.0
    assert math.isinf(rows.loc[0.0, "epsilon"])
    curves = [on_counts.why_noise_curve(known=known) for known in (99, 90, 50, 0)]
    for more, less in pairwise(curves):
        assert (more["value"] >= less["value"] - 1e-6).all()
        assert (more["epsilon"] == less["epsilon"]).all()


@pytest.mark.parametrize(("sigma", "answers"), [(0.5, 1), (4.0, 1), (10.0, 256)])
def test_the_epsilon_of_answers_is_the_least_that_holds(sigma, answers):
    held = gaussian_guarantee(sigma, answers)
    assert held.epsilon is not None
    assert held.delta is not None
    noise = sigma / math.sqrt(answers)
    assert analytic_delta(held.epsilon, noise) <= held.delta
    assert analytic_delta(0.999 * held.epsilon, noise) > held.delta


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_no_guesser_beats_what_epsilon_and_delta_allow(noise):
    rows = on_counts.halving_curve(noise=noise)
    allowed = 50.0 * (1.0 + np.tanh(rows["epsilon"] / 2.0) + rows["delta"])
    assert (rows["value"] <= allowed).all()
    assert (rows["value"] > 50.0).all()
    if noise == "laplace":
        widths = rows["noise"].to_numpy()
        assert widths[1:] / widths[:-1] == pytest.approx(2.0)


def test_laplace_guesses_are_simulated():
    generator = np.random.default_rng(0)
    bits = generator.integers(0, 2, GUESSES)
    for scale, is_right in ((1.0, True), (2.0, False)):
        guesses = bits + generator.laplace(0.0, scale, GUESSES) > 0.5
        gap = abs(100.0 * float(np.mean(guesses == bits)) - on_counts.laplace_right(1.0))
        assert (gap < NEAR) == is_right


def test_only_fresh_noise_wears_out():
    fresh, again, split = (
        on_counts.repeated_curve(answered=how) for how in ("fresh", "repeated", "split")
    )
    assert (fresh["value"].diff().dropna() > 0).all()
    assert (fresh["epsilon"].diff().dropna() > 0).all()
    for flat in (again, split):
        assert flat["value"].nunique() == flat["epsilon"].nunique() == 1
        assert flat["value"].iloc[0] == fresh["value"].iloc[0]


@pytest.mark.slow("computes every curve of a lesson")
def test_more_patients_lose_less_at_one_epsilon_and_a_seed_repeats_it():
    rows = on_the_cohort.size_curve(seed=7)
    private, without = (
        rows[rows["series"] == series].reset_index(drop=True)
        for series in (on_the_cohort.PRIVATE, on_the_cohort.WITHOUT)
    )
    lost = without["value"] - private["value"]
    assert lost.iloc[:3].min() > lost.iloc[-1] + 2.0
    assert (private["epsilon"] <= 0.3).all()
    assert rows.equals(on_the_cohort.size_curve(seed=7))
    assert not rows.equals(on_the_cohort.size_curve(seed=8))
    # Explore's method is the same on numbers as they are.
    study = Study("cohort", 3000, methods=("nonprivate", "opera"), epsilons=(0.3,), delta=1e-5)
    table = dpcore.cost(replace(study, preparation=Preparation())).set_index("method")
    there = on_the_cohort.size_curve(epsilon=0.3)
    ours = there[(there["x"] == 3000.0) & (there["series"] == on_the_cohort.PRIVATE)]["value"].iloc[
        0
    ]
    assert 100.0 * table.loc["opera", "accuracy"] == pytest.approx(ours, abs=1e-6)


def test_a_small_group_loses_more_where_noise_is_large():
    lost = on_the_cohort.small_groups_curve().pivot(index="x", columns="series", values="value")
    gap = lost[on_the_cohort.MEMBERS] - lost[on_the_cohort.OTHERS]
    assert gap[0.3] > 1.0
    assert gap[0.03] > 3.0
    assert abs(gap[10.0]) < 1.0
    further = models(1000, (1.0,), 0).patients.further
    for is_member in on_the_cohort.GROUPS.values():
        assert 0.005 < is_member(further.frame).mean() < 0.2
    assert set(CHANGES["learn_group"].kind.options()) == set(on_the_cohort.GROUPS)


@pytest.mark.slow("computes every curve of a lesson")
def test_an_attack_refutes_the_printed_claim_where_it_has_power():
    result = attacked(0.1)
    assert result.claim.epsilon == pytest.approx(0.1)
    assert result.proof.epsilon is None
    assert result.certified.bound > result.lower_bound > 0.1
    assert result.refuted
    # Where it has no power it refutes nothing.
    result = attacked(1e-9)
    assert not result.refuted
    assert result.lower_bound <= result.certified.bound


@pytest.mark.parametrize("lesson", QUICK, ids=lambda lesson: lesson.title)
def test_every_lesson_has_a_point_of_its_curve_for_each_guess(lesson):
    rows = lesson.curve()
    assert tuple(rows.columns) == COLUMNS
    mine = rows[rows["series"] == lesson.series]
    assert tuple(mine["x"]) == lesson.grid
    assert set(lesson.points) <= set(lesson.grid)
    # A guess of 0 may stand for a cost just below it.
    assert mine["value"].between(lesson.limits[0] - 1.0, lesson.limits[1]).all()
    assert not pd.isna(mine["epsilon"]).any()
    one = "replace-one" if lesson is LESSONS[6] else "zero-out"
    assert mine["adjacency"].eq(one).all()
    assert mine["accountant"].str.len().gt(0).all()


def test_every_change_has_the_first_value_that_the_curve_has():
    for number, lesson in enumerate(LESSONS, start=1):
        parameters = inspect.signature(lesson.curve).parameters
        fields = {
            control.field: control.default
            for control in CHANGES
            if control.field and control.shown({"lesson": str(number)})
        }
        assert fields == {
            name: parameter.default for name, parameter in parameters.items() if name != "seed"
        }
