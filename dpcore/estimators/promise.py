"""What a fitted model promises, and what it takes to be public; never what was learned from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.erm.method import Calibration
from dpcore.guarantee import Condition, Guarantee, Status

SEEDED = (
    "The noise came from a seed, and whoever knows or guesses it can take the noise off: for "
    "exploration only, nothing is proved."
)


@dataclass(frozen=True)
class Public:
    """What the promise takes to be known to everybody; noise, steps and scales follow from these.

    Parameters
    ----------
    records : int
        n, the number of training records.
    bounds : tuple of (float, float)
        Of each column, as given.
    target_bounds : (float, float) or None
        Of a number to predict, as given.
    classes : tuple or None
        Of a class to predict.
    classes_given : bool
        Whether the classes were given. If not, they were taken from y, and whoever fits the model
        states by it that this list tells nothing of a single person.
    """

    records: int
    bounds: tuple[tuple[float, float], ...]
    target_bounds: tuple[float, float] | None = None
    classes: tuple[object, ...] | None = None
    classes_given: bool = True

    def __str__(self) -> str:
        """In one sentence."""
        named = [f"n = {self.records:,}", "the bounds of the columns"]
        if self.target_bounds is not None:
            named.append("the bounds of y")
        if self.classes is not None:
            listed = ", ".join(str(each) for each in self.classes)
            taken = "" if self.classes_given else "; taken from y, and stated to be public"
            named.append(f"the classes ({listed}{taken})")
        return f"Public: {', '.join(named[:-1])} and {named[-1]}."


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
    status : Status
    method : str
        The method that was used, also where "best" was asked for.
    conditions : tuple of Condition
        Every hypothesis, checked.
    certified_epsilon : float or None
        What an accountant gives for exactly this noise at `delta` or the requested δ, also where
        the method's own theorem gives nothing; ``None`` for a model from a seed.
    public : Public
    """

    status: Status = Status.NOT_PRIVATE
    method: str = ""
    conditions: tuple[Condition, ...] = ()
    certified_epsilon: float | None = None
    public: Public = Public(0, ())

    def __str__(self) -> str:
        """In two sentences: what holds, and what is public."""
        if self.epsilon is None:
            held = f"{str(self.status).capitalize()}: {self.reason}"
        else:
            held = (
                f"{str(self.status).capitalize()}: ε = {self.epsilon:g} at δ = {self.delta:g} "
                f"({self.adjacency}), by {self.by}."
            )
        return f"{held} {self.public}"


def promised(found: Calibration, public: Public, *, seeded: bool) -> ModelGuarantee:
    """The guarantee of a model that was released with this calibration.

    Parameters
    ----------
    found : Calibration
    public : Public
    seeded : bool
        Whether the noise came from a seed, so that nothing holds.
    """
    proof = found.proof
    made = ModelGuarantee(
        proof.epsilon,
        proof.delta,
        proof.adjacency,
        proof.by,
        proof.reason,
        found.status,
        found.method,
        found.conditions,
        found.certified.epsilon,
        public,
    )
    if seeded:
        return replace(
            made,
            epsilon=None,
            delta=None,
            reason=" ".join(part for part in (SEEDED, proof.reason) if part),
            status=Status.EXPLORATION,
            certified_epsilon=None,
        )
    return made
