"""Lesson 5: a claim that is too good to be true, and an attack that refutes it.

GRPUA of paper 000 as published: its query moves by up to nL, its noise is sized for L.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpcore.guarantee import Adjacency, Edition, Guarantee
from dpcore.lessons.lesson import DELTA, Lesson, row, table

if TYPE_CHECKING:
    import pandas as pd

METHOD = "grpua"
RECORDS, RUNS = 3000, 10
SERIES, WITHOUT = "as it runs", "the same training without noise"
ATTACKED_RECORDS, ATTACK_RUNS, CONFIDENCE = 300, 2000, 0.99


def curve(seed: int = 0, edition: str = "published") -> pd.DataFrame:
    """Accuracy in percent against the ε that is claimed, with what is certified for the noise.

    Sampled on the synthetic cohort: means of 10 trainings with T = n steps, bands from the lowest
    to the highest. `epsilon` is certified under zero-out at δ = 1e-5 by the tightest accountant of
    `dpcore.accounting.sampled`; it is never the claim, which is x.
    """
    from dpcore.datasets import Preparation, load, prepare
    from dpcore.evaluation.study import Study, calibrations_for, problem_for
    from dpcore.evaluation.sweep import sweep

    study = Study(
        dataset="cohort",
        records=RECORDS,
        methods=(METHOD,),
        edition=edition,
        epsilons=LESSON.grid,
        delta=DELTA,
        runs=RUNS,
        seed=seed,
    )
    split = prepare(load("cohort", records=RECORDS, seed=seed), Preparation())
    calibrations = calibrations_for(study, problem_for(study, split), DELTA)
    runs = sweep(study, split=split).groupby("epsilon")
    rows, without = [], []
    for calibration in calibrations[METHOD]:
        claimed = calibration.requested.epsilon
        group = runs.get_group(claimed)
        accuracies = 100.0 * group["accuracy_test"]
        rows.append(
            row(
                SERIES,
                claimed,
                float(accuracies.mean()),
                calibration.certified,
                calibration.sigma,
                float(accuracies.min()),
                float(accuracies.max()),
            )
        )
        none = Guarantee(None, None, calibration.problem.adjacency, "none")
        best = 100.0 * float(group["accuracy_noiseless"].mean())
        without.append(row(WITHOUT, claimed, best, none, 0.0))
    return table([*rows, *without])


@dataclass(frozen=True)
class Attacked:
    """A claim, what is certified for its noise, and what an attack proves against it."""

    claim: Guarantee
    certified: Guarantee
    proof: Guarantee
    lower_bound: float  # ε that the noise cannot be below, at the claim's δ
    confidence: float  # least, that a true claim's ε is not below it
    runs: int  # on each of the two data sets

    @property
    def refuted(self) -> bool:
        """Whether the attack proves more than the claim allows."""
        return self.lower_bound > self.claim.bound


def attacked(claimed: float, seed: int = 0) -> Attacked:
    """Train on two neighbouring data sets, and bound ε from below by how well they are told apart.

    One record of norm 1 among 299 blank ones, and blank in the other set (zero-out); by
    `dpcore.audit.bounds.from_scores`.
    """
    from dpcore.audit import bounds
    from dpcore.audit.attack import lone_record
    from dpcore.erm.method import Settings, Training
    from dpcore.erm.methods import method_named
    from dpcore.erm.problem import Problem

    method, adjacency = method_named(METHOD), Adjacency.ZERO_OUT
    pair = lone_record(ATTACKED_RECORDS, 2, adjacency)
    problem = Problem("huber", 1.0, ATTACKED_RECORDS, 2, adjacency, 0.5)
    calibration = method.calibrate(problem, [claimed], DELTA, Edition.PUBLISHED, Settings())[0]
    first, second = (
        method.release(
            Training(problem, features, labels, [calibration], ATTACK_RUNS, 2 * seed + place)
        )[0]
        @ pair.direction
        for place, (features, labels) in enumerate((pair.first, pair.second))
    )
    claim = calibration.claim
    assert claim.delta is not None
    bound = bounds.from_scores(first, second, claim.delta, CONFIDENCE)
    return Attacked(claim, calibration.certified, calibration.proof, bound, CONFIDENCE, ATTACK_RUNS)


LESSON = Lesson(
    title="Too good to be true?",
    story="A paper draws the accuracy of its method, GRPUA, down to an ε of a billionth. Here it "
    "runs as printed, on 3 000 patients who are not real.",
    question="How many of 100 further patients does it get right?",
    why="The noise is too small for the claim. What it is to hide moves up to n times further than "
    "the paper says.",
    across="ε that the paper claims",
    up="Right answers of 100",
    grid=tuple(10.0**power for power in range(-9, 1)),
    points=(1e-9, 1e-5, 1e-2),
    name="claimed ε",
    limits=(0, 100),
    unit=" of 100",
    series=SERIES,
    noise="Noise on each step",
    curve=curve,
    standing="certified ",
)
