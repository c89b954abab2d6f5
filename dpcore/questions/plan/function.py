"""The function that `import dpcore` offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.errors import InvalidInput, number, one_of, reject
from dpcore.guarantee import Adjacency

if TYPE_CHECKING:
    from dpcore.accounting.planner import Plan


def plan(
    unknown: str,
    *,
    epsilon: float | None = None,
    right_of_100: float | None = None,
    found_of_100: float | None = None,
    at_false_alarms: float | None = None,
    delta: float = 1e-5,
    records: int = 1,
    batch: int | None = None,
    steps: int = 1,
    noise_multiplier: float | None = None,
    sigma: float | None = None,
    clip: float = 1.0,
    decay: float = 1.0,
    decay_every: int = 1,
    sampling: str | None = None,
    adjacency: str = "zero-out",
    chosen_of: int = 1,
    accountant: str = "pld",
) -> Plan:
    """One setting of a run, solved for an allowed ε or an allowed risk to one person.

    Parameters
    ----------
    unknown : str
        "sigma" (the least noise σ₀), "steps", "epochs" and "batch" (the most), "delta" (the least),
        "clip" (the largest C), or "epsilon" (the run's cost; with a risk, that of the least noise
        that keeps it). The unknown may be given too, as the start of the search.
    epsilon : float, optional
        The allowed ε; left out where it is solved for, and where a risk is named.
    right_of_100 : float, optional
        In place of ε: of 100 people guessing from even odds at most so many are right.
    found_of_100, at_false_alarms : float, optional
        In place of ε: of 100 members an attack with this false-alarm rate finds at most so many.
    delta : float
        In (0, 1).
    records : int
        n, which is public; under add-remove a public size in its place.
    batch : int, optional
        (Expected) records a step; all of them where it is left out.
    steps : int
        T.
    noise_multiplier : float, optional
        σ₀/C; 1 where `sigma` is left out as well.
    sigma : float, optional
        σ₀ itself, on the sum of clipped records at the first step; in place of `noise_multiplier`.
    clip : float
        C, the norm that each record is clipped to.
    decay : float
        R in (0, 1]: the *variance* is multiplied by it each time.
    decay_every : int
        Steps between two decays.
    sampling : str, optional
        "poisson" (the usual one where there is a batch), "fixed", or "none".
    adjacency : str
        "zero-out", "replace-one" or "add-remove".
    chosen_of : int
        How many runs like this one were tried, of which it is the best by what they released and
        public data; all are counted.
    accountant : str
        As in `certify`.

    Returns
    -------
    Plan
        The value, the settings with it, the guarantee for just these, and a sentence. σ, δ and C
        are within 0.01 % of the best value and always on the safe side.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.

    Examples
    --------
    >>> import dpcore
    >>> most = dpcore.plan("steps", epsilon=2, records=10_000, batch=100, noise_multiplier=1.1)
    >>> most.value
    1724.0
    """
    from dpcore.accounting import planner
    from dpcore.accounting.events import SAMPLINGS, TrainingPlan
    from dpcore.accounting.risk_target import risk_target

    risk = risk_target(right_of_100, found_of_100, at_false_alarms)
    if epsilon is None and risk is None and unknown != "epsilon":
        raise InvalidInput("epsilon is missing, but a plan needs the ε that may be spent.")
    if epsilon is not None and (risk is not None or unknown == "epsilon"):
        why = "it is what is solved for" if risk is None else "a risk stands in its place"
        raise InvalidInput(f"epsilon is given, but {why}: leave it out.")
    one_of("unknown", unknown, planner.UNKNOWNS)
    if sigma is None:
        clip = number("clip", clip, above=0.0)
        multiplier = 1.0 if noise_multiplier is None else noise_multiplier
        sigma = number("noise_multiplier", multiplier, above=0.0) * clip
    elif noise_multiplier is not None:
        raise reject("noise_multiplier", noise_multiplier, "left out where sigma is named")
    sampled = batch is not None or unknown == "batch"
    sampling = ("poisson" if sampled else "none") if sampling is None else sampling
    one_of("sampling", sampling, SAMPLINGS)
    training = TrainingPlan(
        sigma=sigma,
        records=records,
        batch=(1 if sampled else records) if batch is None else batch,
        steps=steps,
        delta=delta,
        clip=clip,
        decay=decay,
        decay_every=decay_every,
        sampling=sampling,
        adjacency=Adjacency(one_of("adjacency", adjacency, tuple(Adjacency))),
        chosen_of=chosen_of,
    )
    return planner.solve(unknown, training, risk or epsilon or 1.0, accountant)
