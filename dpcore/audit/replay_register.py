"""Every method, model and training of the register, replayed against what its calibration claims.

Neighbours are one record of length 1 among blank ones, and random records. A claim is in units of
the noise: Δ/σ of each call by the calibration, and by law μ or ε of all calls together.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpcore.audit import REPLAYED_AT, deep, training
from dpcore.audit.replay import Claim, Replay, judge
from dpcore.erm.method import Calibration, Settings, Training
from dpcore.erm.methods import method_named
from dpcore.erm.methods import register as methods
from dpcore.erm.problem import Problem
from dpcore.erm.recalibration import noisy_counts, recalibrate
from dpcore.guarantee import Adjacency, Edition, PrivacyBudget
from dpcore.models.model import ModelCalibration, ModelTraining
from dpcore.models.model import with_noise as with_model_noise
from dpcore.models.records import BLANK, Records, RecordShape
from dpcore.models.systems import register as models

DELTA = 1e-5
RECORDS, DIMENSION, SEED = 20, 3, 10
LAM = 20.0  # so strong that weights stay where a loss is steep
SHAPE = RecordShape(RECORDS, 1, (2,))
ADJACENCIES = (Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE)
PUBLIC = ("random", "uniform", "integers", "randint", "binomial")
"""Draws of ours that are no noise: of batches, first weights, splits, made-up records."""
Data = tuple[Any, Any]
Found = Iterator[tuple[str, Adjacency, Callable[[Any], Any], Claim]]
"""Key, adjacency, what releases, and what is claimed of its noise."""


@dataclass(frozen=True)
class ReplayCase:
    """One of ours on one pair of neighbours."""

    key: str
    adjacency: Adjacency
    run: Callable[[Any], Any]
    first: Any
    second: Any
    claim: Claim

    def replay(self) -> Replay:
        """Run it twice and compare."""
        return judge(self.run, self.first, self.second, self.claim, PUBLIC)


def cases(noise_share: float = 1.0, method: str = "") -> Iterator[ReplayCase]:
    """All that is proved of a method, or of all, with this share of its noise under its claim."""
    for found in (_methods, _counts, _models, _trainings):
        for key, adjacency, run, claim in found(noise_share, method):
            for first, second in neighbours(adjacency):
                yield ReplayCase(key, adjacency, run, first, second, claim)


def replayed(method: str, noise_share: float = 1.0) -> dict[str, Any]:
    """What all replays of a method show together, as parts of a row."""
    alarms: list[str] = []
    seconds, calls, unseen, most = 0.0, 0, 0, 0.0
    for case in cases(noise_share, deep.KEY if method == deep.ONCE else method):
        started, result = time.perf_counter(), case.replay()
        seconds += time.perf_counter() - started
        calls, unseen = calls + len(result.calls), unseen + len(result.unwatched)
        alarms += result.violations
        shares = (call.shift / case.claim.shifts.get(call.law, math.inf) for call in result.calls)
        most = max(most, *shares, 0.0)
    return {
        "replayed": calls,
        "alarms": len(alarms),
        "moved": most,
        "unseen": unseen,
        "alarm": next(iter(alarms), ""),
        "replay_seconds": seconds,
    }


def neighbours(adjacency: Adjacency) -> list[tuple[Data, Data]]:
    """Pairs of features and labels that differ in their first record."""
    draw, first = np.random.default_rng(SEED), np.eye(RECORDS, 1)
    rows = draw.standard_normal((RECORDS, DIMENSION))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    lone = first * np.eye(1, DIMENSION), first[:, 0]
    kept = (-1.0, 1.0) if adjacency is Adjacency.REPLACE_ONE else (0.0, 0.0)

    def pair(x: Any, y: Any) -> tuple[Data, Data]:
        other_x, other_y = x.copy(), y.copy()
        other_x[0], other_y[0] = kept[0] * x[0], kept[1] * y[0]
        return (x, y), (other_x, other_y)

    return [pair(*lone), pair(rows, draw.choice([-1.0, 1.0], RECORDS))]


def _methods(share: float, only: str) -> Found:
    for key, method in methods().items():
        for adjacency in ADJACENCIES if Edition.SOUND in method.editions else ():
            if only not in ("", key):
                continue
            loss = "huber" if "huber" in method.losses else method.losses[0]
            problem = Problem(loss, LAM, RECORDS, DIMENSION, adjacency)
            settings = Settings(steps=5, batch=4)
            (calibration,) = method.calibrate(
                problem, [REPLAYED_AT], DELTA, Edition.SOUND, settings
            )
            if calibration.proof.epsilon is None:
                continue
            copy = training.with_noise(calibration, share)

            def run(data: Data, problem: Problem = problem, copy: Calibration = copy) -> Any:
                return method_named(copy.method).release(Training(problem, *data, [copy], 1, SEED))

            yield key, adjacency, run, claim_of(calibration)


def claim_of(calibration: Calibration) -> Claim:
    """What a method's calibration claims of each call of noise, and of all."""
    budget, mu = calibration.proof.epsilon or math.inf, calibration.gaussian_mu
    rate = calibration.batch / RECORDS if calibration.sampling in ("poisson", "fixed") else 1.0
    if calibration.proof.delta == 0.0:
        pure = dict.fromkeys(("laplace", "other"), budget)
        return Claim(shifts=pure, totals=pure, rate=rate)
    return _normal(calibration.sensitivity / calibration.sigma, mu or math.inf, rate)


def _normal(shift: float, mu: float, rate: float = 1.0) -> Claim:
    return Claim(shifts={"normal": shift}, totals={"normal": mu}, rate=rate)


def _counts(share: float, only: str) -> Found:
    for adjacency in ADJACENCIES if only in ("", training.KEY) else ():
        problem = Problem("logistic", 1.0, RECORDS, DIMENSION, adjacency)
        (calibration,) = method_named(training.TRAINED).calibrate(
            problem, [REPLAYED_AT], DELTA, Edition.SOUND, Settings()
        )
        plan = recalibrate(calibration, PrivacyBudget(2.0 * REPLAYED_AT, 2.0 * DELTA))
        copy = replace(plan, sigma=share * plan.sigma)

        def run(data: Data, problem: Problem = problem, copy: Any = copy) -> Any:
            weights = np.eye(1, DIMENSION)[None]
            return noisy_counts(Training(problem, *data, [copy.training], 1, SEED), [copy], weights)

        shift = plan.sensitivity / plan.sigma
        yield training.KEY, adjacency, run, _normal(shift, shift)


def _models(share: float, only: str) -> Found:
    public = _records(*neighbours(Adjacency.REPLACE_ONE)[1][0])
    for key, model in models().items():
        for adjacency in model.adjacencies if only in ("", key) else ():
            (calibration,) = model.calibrate(SHAPE, [REPLAYED_AT], DELTA, adjacency)
            if calibration.proof.epsilon is None:
                continue
            copy = with_model_noise(calibration, share)

            def run(data: Data, model: Any = model, copy: ModelCalibration = copy) -> Any:
                records = _records(*data, labelled=model.uses_labels)
                return model.learn(ModelTraining(records, public, [copy], 1, SEED))

            yield key, adjacency, run, claim_of_model(calibration)


def _records(x: Any, y: Any, *, labelled: bool = True) -> Records:
    """As a model takes them; all of a record that replaces a lone one is other than the lone's."""
    is_blank, numbers = y == 0.0, np.sign(x[:, :1])
    labels = np.where(is_blank, BLANK, x[:, 0] * y > 0.0)
    return Records(
        SHAPE,
        numbers,
        (numbers < 0.0).astype(int),
        labels if labelled else np.minimum(labels, 0),
    )


def claim_of_model(calibration: ModelCalibration) -> Claim:
    """What a model's calibration claims of each call of noise, and of all."""
    shifts: dict[str, float] = {}
    totals: dict[str, float] = {}
    for noise in calibration.noises:
        law = {"gaussian": "normal", "exponential": "gumbel"}.get(noise.law, "other")
        scale = 1.0 / noise.scale if law == "gumbel" else noise.scale
        # Of one call a record may affect each of its parts.
        shift = noise.sensitivity / scale * (noise.times ** (0.5 if law == "normal" else 1.0))
        shifts[law] = max(shifts.get(law, 0.0), shift)
        before = totals.get(law, 0.0)
        totals[law] = math.hypot(before, shift) if law == "normal" else before + shift
    return Claim(shifts=shifts, totals=totals)


def _trainings(share: float, only: str) -> Found:
    from dpcore.deep.config import TrainingConfig
    from dpcore.deep.training import TrainingRun

    for adjacency in ADJACENCIES if only in ("", deep.KEY) else ():
        for sampling in ("none", "poisson" if adjacency is Adjacency.ZERO_OUT else "fixed"):
            config = TrainingConfig("linear", epochs=2, batch=4, sampling=sampling, seed=SEED)
            config = replace(config, adjacency=str(adjacency), delta=DELTA, clip=0.5)
            config, _ = deep.promised(config, REPLAYED_AT, RECORDS)
            copy = replace(config, sigma=share * config.sigma)

            def run(data: Data, config: Any = copy) -> Any:
                x, signs = (part.astype(np.float32) for part in data)
                targets = np.select([signs > 0.0, signs < 0.0], [1.0, 0.0], np.nan)[:, None]
                trained = TrainingRun(config, x, targets.astype(np.float32), 1, task="labels")
                trained.advance(trained.steps)
                return trained.weights(), repr(deep.disclosed_facts(trained))

            shift = config.clip * (1.0 if adjacency is Adjacency.ZERO_OUT else 2.0) / config.sigma
            rate = 1.0 if sampling == "none" else config.batch / RECORDS
            claim = _normal(shift, shift * math.sqrt(config.steps(RECORDS)), rate)
            yield f"{deep.KEY}, {sampling}", adjacency, run, claim
