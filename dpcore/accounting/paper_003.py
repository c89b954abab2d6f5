"""Paper 003 (Zhang et al.): equations (3), (4) as printed and corrected, settings, verdicts.

Printed: ρ_t = C²/(2σ_t²), the noise on the sum and sensitivity C, although its amplification lemma
is for replace-one, where a batch sum moves by 2C; and ω from R^T where the last level used has
R^{T-1}. Corrected: 2C, the last level used, both branches of the conversion, and every condition of
the lemma. Algorithm 1, lines 7 and 8, adds the same noise to the mean of a batch of s, which moves
by 2C/s, and the proof of Theorem 2 begins with that: both readings are accounted for.

Settings are of the paper and of the runs it is compared with: σ is absolute noise on the sum of
clipped records; where the paper leaves a setting open the title names the reading. Poisson samples
under zero-out are those under which Rényi and PLD accounting both hold; the paper's lemma is for
batches of fixed size under replace-one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from dpcore.accounting.accountants import lower_bound, refusal
from dpcore.accounting.concentrated import (
    Concentrated,
    amplified,
    compose,
    epsilon,
    gaussian_rho,
    order_condition,
    printed_epsilon,
)
from dpcore.accounting.events import Schedule, TrainingPlan
from dpcore.accounting.planner import spent
from dpcore.errors import number, one_of
from dpcore.guarantee import Adjacency, Condition, Guarantee, Status
from dpcore.progress import Progress
from dpcore.words import as_set, at_most


@dataclass(frozen=True)
class TruncatedAnswer:
    """The ε that paper 003 prints for a schedule, and the one that its lemmas prove."""

    printed: Concentrated  # by equations (3) and (4)
    corrected: Concentrated
    claim: Guarantee
    proof: Guarantee  # empty when a condition is unmet
    conditions: tuple[Condition, ...]  # at the last, least noisy level


def account(
    schedule: Schedule,
    rate: float,
    delta: float,
    clipping_norm: float = 1.0,
    *,
    averaged: int = 1,
) -> TruncatedAnswer:
    """Truncated CDP accounting of a noise schedule on batches of fixed size without replacement.

    `rate` is s/m. `averaged` is s where the noise is on the mean of a batch, and 1 where it is on
    the sum; the printed ε is the same.
    """
    rate = number("sampling rate", rate, above=0.0, below=1.0)
    delta = number("δ", delta, above=0.0, below=1.0)
    printed = _total(schedule, rate, clipping_norm)
    # Equation (4) has R^T: one more decay than the last level used, a smaller ω.
    printed = Concentrated(printed.rho, printed.omega * _decay(schedule))
    change = 2.0 * clipping_norm / averaged
    corrected = _total(schedule, rate, change)
    last = gaussian_rho(min(schedule.sigmas), change)
    _, conditions = amplified(Concentrated(last), rate)
    conditions += (order_condition(corrected),)
    unmet = [condition.consequence for condition in conditions if not condition.met]
    sensitivity = "2C" if averaged == 1 else "2C/s"
    method = f"tCDP with all conditions of Lemma 4 (replace-one, sensitivity {sensitivity})"
    adjacency = Adjacency.REPLACE_ONE
    proof = (
        Guarantee(None, None, adjacency, method, " ".join(unmet))
        if unmet
        else Guarantee(epsilon(corrected, delta), delta, adjacency, method)
    )
    by = "paper 003, equations (3) and (4) and Lemma 3 as printed"
    claim = Guarantee(printed_epsilon(printed.rho, delta), delta, adjacency, by)
    return TruncatedAnswer(printed, corrected, claim, proof, conditions)


def verdict(answer: TruncatedAnswer, certified: Guarantee) -> tuple[Status, str]:
    """Judge the printed ε by a certificate; one for another adjacency decides nothing."""
    printed, proved = answer.claim.epsilon, answer.proof.epsilon
    assert printed is not None
    if proved is not None and proved <= printed:
        return (
            Status.PROVED,
            f"Every condition of its lemmas is met, and they prove ε = {at_most(proved)}.",
        )
    denial = f"Its lemmas do not prove the printed {at_most(printed)} here"
    if certified.epsilon is None:
        return (
            Status.CLAIM_NOT_SUPPORTED,
            f"{denial}, and no accountant here certifies a finite ε for this noise.",
        )
    delta = as_set(certified.delta or 0.0)
    certificate = (
        f"{certified.by} certifies ε = {at_most(certified.epsilon)} at δ = {delta} for this noise "
        f"under {certified.adjacency}"
    )
    if certified.adjacency is not answer.claim.adjacency:
        return (
            Status.CONDITIONS_NOT_MET,
            f"{denial}. {certificate}. The printed one speaks of {answer.claim.adjacency}.",
        )
    if certified.epsilon > printed:
        return (
            Status.CLAIM_NOT_SUPPORTED,
            f"{certificate}; nothing supports the printed {at_most(printed)}.",
        )
    return Status.CONDITIONS_NOT_MET, f"{denial}. {certificate}: it holds, by another proof."


def _decay(schedule: Schedule) -> float:
    """R of a schedule whose variance falls by a constant factor; 1 for any other."""
    factors = [(after / before) ** 2 for before, after in pairwise(schedule.sigmas)]
    if not factors or max(factors) > min(factors) * (1.0 + 1e-9) or factors[0] > 1.0:
        return 1.0
    return factors[0]


def _total(schedule: Schedule, rate: float, sensitivity: float) -> Concentrated:
    """Σ 13 s² ρ_t and least ln(1/s)/(4ρ_t), with ρ_t = Δ²/(2σ_t²)."""
    parts = []
    for sigma, count in zip(schedule.sigmas, schedule.counts, strict=True):
        rho = gaussian_rho(sigma, sensitivity)
        parts.append(Concentrated(count * 13.0 * rate**2 * rho, math.log(1.0 / rate) / (4.0 * rho)))
    return compose(parts)


class Certified(NamedTuple):
    """The ε that PLD certifies for the noise of a preset, rounded up, at its δ."""

    on_mean: float | None  # fixed batch, one replaced; None where only the sum is meant
    on_sum: float  # Poisson batch, one replaced; one more or less if no `on_mean`
    on_fixed_sum: float | None  # fixed batch, one replaced


@dataclass(frozen=True)
class Preset:
    """One row: the ε of a paper or its reference implementation, and the settings behind it."""

    key: str
    title: str
    training: TrainingPlan
    stated: float | None  # at `training.delta`; None where the paper has only a formula
    source: str  # where it is printed, and what is assumed

    @property
    def certified(self) -> Certified | None:
        """What an accountant certifies for it; ``None`` where no ε is stated."""
        return _CERTIFIED.get(self.key)

    def holds(self, epsilon: float | None) -> bool | None:
        """Whether the stated ε holds where this one is certified; ``None`` without the one."""
        return None if epsilon is None or self.stated is None else epsilon <= self.stated

    @property
    def verdict(self) -> str:
        """Whether the stated ε holds at the preset's δ, in one sentence; "" where none is."""
        if self.certified is None:
            return ""
        return _VERDICTS[tuple(map(self.holds, self.certified))]


CLAIM = "Holds only with noise on the mean, as printed; on the sum, ε = 8 can exceed 27."
"""The verdict on paper 003's claim for chest radiographs, at δ = 1e-4."""

BASELINE = "Holds on Poisson batches for one record more or less, with the tutorial's settings."
"""The verdict on the ε that paper 003 states for DP-SGD."""

_REPLACED = "for one record replaced"
_VERDICTS: dict[tuple[bool | None, ...], str] = {
    (True, True, True): f"Holds with noise on the mean and with noise on the sum, {_REPLACED}.",
    (True, True, False): "Holds with noise on the mean; with noise on the sum, holds on Poisson "
    f"batches and fails on batches of fixed size, {_REPLACED}.",
    (
        True,
        False,
        False,
    ): f"Holds with noise on the mean; fails with noise on the sum, {_REPLACED}.",
    (None, True, None): BASELINE,
}
# They take seconds to compute; a test does it.
_CERTIFIED = {
    "chexpert-2-epoch": Certified(0.00335, 0.761, 1.26),
    "chexpert-8-epoch": Certified(0.0168, 5.35, 46.1),
    "chexpert-2": Certified(0.00334, 0.91, 6.93),
    "chexpert-8": Certified(0.0169, 29.6, 157),
    "chexpert-8-noise": Certified(0.017, 29.7, 158),
    "mnist-1.19-dpsgd": Certified(None, 0.865, None),
    "mnist-3.01-dpsgd": Certified(None, 2.39, None),
    "mnist-7.1-dpsgd": Certified(None, 5.65, None),
    "mnist-1.19": Certified(0.000884, 0.47, 0.613),
    "mnist-3.01": Certified(0.00261, 1.26, 1.77),
    "mnist-7.1": Certified(0.00656, 3.16, 11.8),
    "cifar-3.02-30": Certified(0.00262, 1.26, 2.01),
    "cifar-7.03-30": Certified(0.00649, 3.18, 14.3),
    "cifar-3.02-90": Certified(0.00262, 1.26, 1.61),
    "cifar-7.03-90": Certified(0.00649, 3.02, 6.02),
}

_DEFAULTS = "Paper 003, section 5.1: batch 100, s/m = 0.01, C = 1, σ₀ = 2.8, R = 0.99, δ = 10⁻⁴"
_STEPS, _ITERATED = "steps from equation (3)", "decay as in Algorithm 1"
_SOLVED = "σ₀ from equation (3) for that ε, as the paper describes"
_IN_TEXT = f"in section 5.2; {_SOLVED}"
_TUTORIAL = (
    "Paper 003, Table 1; noise, clipping, batch 256 and epochs of the TensorFlow Privacy tutorial, "
    "whose ε the paper's rows equal"
)
_ADAPTIVE = "Paper 003, Table 1; R = 0.99 each epoch, C = 1, batch 256 and epochs assumed; "


_CHEXPERT = TrainingPlan(2.8, records=10_000, batch=100, steps=800, delta=1e-4, decay=0.99)


_DECAYS = {60_000: 234, 50_000: 195}
"""Whole steps between two decays, "every epoch": the paper's T has n/256 steps an epoch."""


def _images(
    sigma: float, records: int, steps: int, *, clip: float = 1.0, decay: float = 1.0
) -> TrainingPlan:
    every = 1 if decay == 1.0 else _DECAYS[records]
    return TrainingPlan(sigma, records, 256, steps, 1e-5, clip, decay, every)


PRESETS: dict[str, Preset] = {
    preset.key: preset
    for preset in (
        *(
            Preset(
                f"chexpert{ending}",
                f"CheXpert, {'default' if stated is None else f'ε = {as_set(stated)}'}: "
                f"decay every {'epoch' if every == 100 else 'iteration'}, {setting}",
                replace(_CHEXPERT, sigma=sigma, steps=steps, decay_every=every),
                stated,
                f"{_DEFAULTS}; {source}.",
            )
            for ending, stated, sigma, steps, every, setting, source in (
                ("", None, 2.8, 800, 100, "8 epochs", "8 epochs"),
                ("-2-epoch", 2.0, 2.343, 800, 100, "σ₀ = 2.343", f"ε = 2 {_IN_TEXT}"),
                ("-8-epoch", 8.0, 0.659, 800, 100, "σ₀ = 0.659", f"ε = 8 {_IN_TEXT}"),
                ("-iteration", None, 2.8, 800, 1, "8 epochs", f"{_ITERATED}, 8 epochs"),
                ("-2", 2.0, 2.8, 254, 1, "254 steps", f"{_ITERATED}; {_STEPS} for ε = 2"),
                ("-8", 8.0, 2.8, 499, 1, "499 steps", f"{_ITERATED}; {_STEPS} for ε = 8"),
                ("-8-noise", 8.0, 12.69, 800, 1, "σ₀ = 12.69", f"{_ITERATED}, 8 epochs; {_SOLVED}"),
            )
        ),
        *(
            Preset(
                f"mnist-{stated:g}-dpsgd",
                f"MNIST, ε = {as_set(stated)}: DP-SGD, noise multiplier {as_set(noise)}",
                _images(round(noise * clip, 9), 60_000, steps, clip=clip),
                stated,
                f"{_TUTORIAL}.",
            )
            for stated, noise, clip, steps in (
                (1.19, 1.3, 1.5, 3_515),
                (3.01, 1.1, 1.0, 14_062),
                (7.1, 0.7, 1.5, 10_546),
            )
        ),
        *(
            Preset(
                key,
                f"{data}, ε = {as_set(stated)}: {kind}, σ₀ = {as_set(sigma)}",
                _images(sigma, records, steps, decay=0.99),
                stated,
                f"{_ADAPTIVE}{_SOLVED}.",
            )
            for key, data, stated, kind, records, steps, sigma in (
                ("mnist-1.19", "MNIST", 1.19, "proposed", 60_000, 3_515, 3.905),
                ("mnist-3.01", "MNIST", 3.01, "proposed", 60_000, 14_062, 3.605),
                ("mnist-7.1", "MNIST", 7.1, "proposed", 60_000, 10_546, 1.359),
                ("cifar-3.02-30", "CIFAR-10", 3.02, "proposed, 30 epochs", 50_000, 5_859, 2.57),
                ("cifar-7.03-30", "CIFAR-10", 7.03, "proposed, 30 epochs", 50_000, 5_859, 1.18),
                ("cifar-3.02-90", "CIFAR-10", 3.02, "proposed, 90 epochs", 50_000, 17_578, 5.25),
                ("cifar-7.03-90", "CIFAR-10", 7.03, "proposed, 90 epochs", 50_000, 17_578, 2.41),
            )
        ),
    )
}


def preset(key: str) -> Preset:
    """The preset of that name."""
    return PRESETS[one_of("preset", key, tuple(PRESETS))]


def matching(training: TrainingPlan) -> Preset | None:
    """The preset with exactly these settings, if there is one."""
    return next((each for each in PRESETS.values() if each.training == training), None)


class Finding(StrEnum):
    """The verdict on a claimed ε. Exactly one applies."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not decided"


@dataclass(frozen=True)
class Evidence:
    """Bounds on the ε of a run under one adjacency and sampling."""

    sampling: str  # "poisson", "fixed" or "none"
    certified: Guarantee  # by the tightest accountant with a theorem; else empty
    at_least: float | None = None  # no ε below it holds; None where unknown or not needed

    @property
    def adjacency(self) -> Adjacency:
        return self.certified.adjacency

    def finding(self, claimed: float) -> Finding:
        """Whether an ε claimed at the same δ holds."""
        if self.certified.bound <= claimed:
            return Finding.HOLDS
        if self.at_least is not None and self.at_least > claimed:
            return Finding.FAILS
        return Finding.OPEN


def evidence(
    training: TrainingPlan,
    claims: Sequence[float],
    progress: Progress | None = None,
) -> Evidence:
    """Bounds on the run's ε, as far as needed to judge the claims.

    The lower bound is attained by records whose clipped gradients have length C and point in one
    direction (opposite ones under replace-one): it is about the mechanism, not one data set.
    """
    training = replace(training, chosen_of=1)  # a claim is of one run
    event = training.event()
    exact = not refusal(event, training.adjacency, "pld")
    certified = spent(training, "pld" if exact else "rdp", progress)
    supported = all(certified.bound <= claimed for claimed in claims)
    if not exact or certified.epsilon is None or supported:
        return Evidence(training.sampling, certified)
    at_least = lower_bound(event, training.delta, training.adjacency)
    return Evidence(training.sampling, certified, at_least if math.isfinite(at_least) else None)


def under_replace_one(
    training: TrainingPlan,
    claims: Sequence[float],
    progress: Progress | None = None,
) -> tuple[Evidence, ...]:
    """Evidence for the same noise under replace-one, the adjacency of paper 003's lemma."""
    run = replace(training, adjacency=Adjacency.REPLACE_ONE)
    results = [evidence(run, claims, progress)]
    if training.sampling == "poisson":
        results.append(evidence(replace(run, sampling="fixed"), claims))
    return tuple(results)
