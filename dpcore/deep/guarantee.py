"""Claimed and proved guarantees of a private training, for every shape of its noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpcore.accounting import paper_004
from dpcore.accounting.accountants import ACCOUNTANTS, certify
from dpcore.accounting.events import Composed
from dpcore.accounting.planner import spent
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.deep.config import NO_ACCOUNTING, TrainingConfig
from dpcore.errors import one_of
from dpcore.guarantee import Adjacency, Condition, Guarantee, Status
from dpcore.words import plain, spaced


@dataclass(frozen=True)
class Assurance:
    """The verdict on one training.

    Parameters
    ----------
    claim : Guarantee
        A paper's claim for this noise, computed as in the paper; empty where no paper treats it.
    proof : Guarantee
        By the shape's own theorem; empty, with the reason, when a condition is unmet.
    certified : Guarantee
        By the accountant, for exactly this noise.
    conditions : tuple of Condition
        Every hypothesis the proof or the claim rests on, checked.
    status : Status
    """

    claim: Guarantee
    proof: Guarantee
    certified: Guarantee
    conditions: tuple[Condition, ...]
    status: Status


def guarantee(
    config: TrainingConfig,
    records: int,
    *,
    accountant: str = "pld",
    min_noise_ratio: float = paper_004.MIN,
) -> Assurance:
    """The guarantees of a training, known before it begins.

    Parameters
    ----------
    config : TrainingConfig
    records : int
        n.
    accountant : str
    min_noise_ratio : float
        As in `TrainingConfig.training`; a `TrainingRun` has a better one than the default where the
        weights are computed once, from public examples.
    """
    title = ACCOUNTANTS[one_of("accountant", accountant, tuple(ACCOUNTANTS))].title
    adjacency = Adjacency(config.adjacency)
    if not config.private:
        why = "Nothing is clipped." if not config.clipped else "No noise is added."
        empty = Guarantee(None, None, adjacency, "none", f"{why} This training is not private.")
        return Assurance(empty, empty, empty, (), Status.NOT_PRIVATE)
    if config.noise == "published-004":
        return _published(config, records, accountant, title, min_noise_ratio)
    certified = spent(config.training(records), accountant)
    return Assurance(
        claim=Guarantee(None, None, adjacency, "no paper", "This training is not in print."),
        proof=Guarantee(
            certified.epsilon,
            certified.delta,
            adjacency,
            f"Gaussian noise on {_WORDS[config.noise]}, composed by {certified.by}",
            certified.reason,
        ),
        certified=certified,
        conditions=_conditions(config, certified),
        status=Status.CONDITIONS_NOT_MET if certified.epsilon is None else Status.PROVED,
    )


_WORDS = {
    "isotropic": "a sum of clipped gradients",
    "scaled": "a sum of gradients clipped in the same scale",
}


def _conditions(config: TrainingConfig, certified: Guarantee) -> tuple[Condition, ...]:
    covered = certified.epsilon is not None
    conditions = [
        Condition("an accountant covers this sampling and adjacency", covered, certified.reason)
    ]
    if config.noise == "scaled":
        how = {
            "released": "follow from noisy sums that were released before",
            "paid": f"are paid for with {plain(config.share)} of every step's budget",
            "public": "come from the examples that were set aside",
        }[config.source]
        known = f"scales are known before the batch is drawn: they {how}"
        conditions.append(Condition(known, True))
    return (*conditions, *_assumptions(config))


def _assumptions(config: TrainingConfig) -> tuple[Condition, ...]:
    texts = []
    if config.needs_public:
        texts.append("the examples set aside as public are nobody's secret")
    if config.public_size is not None:
        texts.append(f"the public size {spaced(config.public_size)} was not taken from the records")
    return tuple(Condition(text, True, assumed=True) for text in texts)


def _published(
    config: TrainingConfig, records: int, accountant: str, title: str, min_noise_ratio: float
) -> Assurance:
    """Paper 004's noise: its claim, why its theorem fails, and an accountant's guarantee."""
    adjacency = Adjacency(config.adjacency)
    size, steps = config.size(records), config.steps(records)
    claimed = paper_004.claimed(
        config.sigma,
        config.delta,
        size,
        config.batch,
        steps,
        clip=config.clip,
        order=config.order,
        noise_on_mean=config.noise_on_mean,
    )
    step = paper_004.a_step(claimed, config.delta, config.batch / size, steps)
    is_private_weighted = config.uneven and config.source == "private"
    certified = (
        Guarantee(None, None, adjacency, title, NO_ACCOUNTING)
        if is_private_weighted
        else spent(config.training(records, min_noise_ratio=min_noise_ratio), accountant)
    )
    conditions = (
        Condition(
            "the weights w are public, or are not used", not is_private_weighted, NO_ACCOUNTING
        ),
        # With private weights not even one step has a δ to compare.
        *(
            ()
            if is_private_weighted
            else paper_004.conditions(
                claimed, step, config.clip / config.least_sigma(min_noise_ratio)
            )
        ),
        Condition(
            "the moment of the privacy loss is exp(λS/2 + λ²S/2)",
            False,
            "Equation (9) leaves λ²S/2 out of the moment, so theorem 1 does not follow from it.",
        ),
        *_assumptions(config),
    )
    unmet = " ".join(condition.consequence for condition in conditions if not condition.met)
    supported = certified.epsilon is not None and certified.epsilon <= claimed
    return Assurance(
        claim=Guarantee(claimed, config.delta, Adjacency.ADD_REMOVE, "paper 004, theorem 1"),
        proof=Guarantee(None, None, adjacency, "paper 004, theorem 1", unmet),
        certified=certified,
        conditions=conditions,
        # Its own proof never holds, even where an accountant certifies the claimed ε.
        status=Status.CONDITIONS_NOT_MET if supported else Status.CLAIM_NOT_SUPPORTED,
    )


def together(trainings: Sequence[TrainingPlan], accountant: str) -> Guarantee:
    """The total cost of several trainings on the same records, one after the other.

    The δ is the largest of theirs; where adjacencies differ it is empty, with the reason.
    """
    adjacencies = {training.adjacency for training in trainings}
    delta = max(training.delta for training in trainings)
    if len(adjacencies) > 1:
        names = " and ".join(sorted(map(str, adjacencies)))
        reason = f"They speak of different neighbours ({names}), so their ε do not add up."
        return Guarantee(None, None, trainings[0].adjacency, accountant, reason)
    event = Composed(tuple(training.event() for training in trainings))
    return certify(event, delta, trainings[0].adjacency, accountant)
