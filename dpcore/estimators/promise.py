"""A fitted model's promise and the values it assumes public; never its training records."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.erm.method import SAMPLED, Calibration, noise_advantage
from dpcore.guarantee import Condition, Guarantee, Status
from dpcore.words import at_most, spaced

SEEDED = (
    "The noise came from a seed, and whoever knows or guesses it can take the noise off: for "
    "exploration only, nothing is proved."
)

SCOPE = (
    "It speaks of X as handed to `fit`: what a step before it, such as StandardScaler, computed "
    "from the records is not covered. No scaler is needed: public bounds scale each column."
)
"""The records a promise is about, and how to scale them without looking at them."""

SYSTEM = "Every noise number came from the operating system."
SYSTEM_BATCHES = (
    f"{SYSTEM} Which records were in a batch came from PCG64, seeded with 256 fresh bits of the "
    "operating system's entropy; the theorem takes them for independent draws."
)
SEED = "Noise and batches came from a seed."


@dataclass(frozen=True)
class Public:
    """The values the promise assumes public; noise, steps and scales follow from these."""

    records: int
    bounds: tuple[tuple[float, float], ...]
    target_bounds: tuple[float, float] | None = None  # of a number to predict
    classes: tuple[object, ...] | None = None
    classes_given: bool = True  # if not, y gave them, and the user states that they tell of nobody

    def __str__(self) -> str:
        """The public values in one sentence."""
        parts = [f"n = {spaced(self.records)}", "the bounds of the columns"]
        if self.target_bounds is not None:
            parts.append("the bounds of y")
        if self.classes is not None:
            class_list = ", ".join(str(label) for label in self.classes)
            origin = "" if self.classes_given else "; taken from y, and stated to be public"
            parts.append(f"the classes ({class_list}{origin})")
        return f"Public: {', '.join(parts[:-1])} and {parts[-1]}."


@dataclass(frozen=True)
class ModelGuarantee(Guarantee):
    """The proved (ε, δ) of one fitted model, or why there is none.

    Parameters
    ----------
    epsilon, delta : float or None
        ``None`` where nothing is proved; `reason` then says why.
    adjacency : Adjacency
    by : str
        The theorem or the accountant.
    reason : str
    advantage : float, optional
        As of `Guarantee`.
    status : Status
    method : str
        The method used, also for "best".
    conditions : tuple of Condition
        Every hypothesis, checked.
    certified_epsilon : float or None
        ε by an accountant for exactly this noise at `delta` or the requested δ, also where the
        method's own theorem gives nothing; ``None`` for a model from a seed.
    public : Public
    randomness : str
        Where noise and batches came from, in one or two sentences.
    scope : str
        Which records it speaks of, in two sentences.
    """

    status: Status = Status.NOT_PRIVATE
    method: str = ""
    conditions: tuple[Condition, ...] = ()
    certified_epsilon: float | None = None
    public: Public = Public(0, ())
    randomness: str = ""
    scope: str = SCOPE

    def __str__(self) -> str:
        """The guarantee, its public values, scope and source of noise, a sentence or two each."""
        if self.epsilon is None or self.delta is None:
            sentence = f"{str(self.status).capitalize()}: {self.reason}"
        else:
            sentence = (
                f"{str(self.status).capitalize()}: ε = {at_most(self.epsilon, 6)} at δ = "
                f"{at_most(self.delta, 6)} ({self.adjacency}), by {self.by}."
            )
        return f"{sentence} {self.public} {self.scope} {self.randomness}".strip()


def promised(calibration: Calibration, public: Public, *, seeded: bool) -> ModelGuarantee:
    """The guarantee of a model released with this calibration; none where noise is seeded."""
    proof = calibration.proof
    guarantee = ModelGuarantee(
        **vars(proof) | {"advantage": noise_advantage(calibration)},
        status=calibration.status,
        method=calibration.method,
        conditions=calibration.conditions,
        certified_epsilon=calibration.certified.epsilon,
        public=public,
        randomness=SYSTEM_BATCHES if calibration.sampling in SAMPLED else SYSTEM,
    )
    if seeded:
        return replace(
            guarantee,
            epsilon=None,
            delta=None,
            advantage=None,
            reason=" ".join(part for part in (SEEDED, proof.reason) if part),
            status=Status.EXPLORATION,
            certified_epsilon=None,
            randomness=SEED,
        )
    return guarantee
