"""What is proved of one model of each method of Explore, at the (ε, δ) that it was trained with.

It is plain data, since accounting sees no record and knows no method's code. Every method is
calibrated to its (ε, δ) under the adjacency asked for, and its release is then one of these:

- one Gaussian mechanism of sensitivity 1, whose noise follows from ε and δ alone. Adaptive Gaussian
  steps compose exactly to one (Dong, Roth, Su 2022), so that T steps of DP-GD with noise √T σ
  cost what one with σ does;
- (ε, 0) and no more: randomised response dominates it (Kairouz, Oh, Viswanath 2015);
- (ε, δ) and no more: randomised response that fails with probability δ dominates it (the same).
  Its δ is taken from what the others may use.
"""

from __future__ import annotations

from dpcore.accounting.accountant import ROUNDED_UP
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_sigma
from dpcore.words import as_set

GAUSSIAN, PURE, PAIR = "gaussian", "pure", "pair"
PROOFS = {
    "outpert": GAUSSIAN,
    "opera": GAUSSIAN,
    "sgdpert": PAIR,
    "grpua": PAIR,
    "adassp": GAUSSIAN,
    "dpftrl": GAUSSIAN,
    "dpgd": GAUSSIAN,
    "dpnewton": GAUSSIAN,
    "functional": PURE,
    "inputpert": GAUSSIAN,
    "objpert": PAIR,
    "objpert_pure": PURE,
    "outpert_pure": PURE,
    "psgd": GAUSSIAN,
    "decision-tree": PURE,
    "naive-bayes": GAUSSIAN,
    "noisy-marginals": PAIR,
    "online-tree": GAUSSIAN,
    "pate": GAUSSIAN,
    "random-forest": PAIR,
    "scalable-pate": GAUSSIAN,
}
"""The kind of proof of every method, in the order of `dpcore.predictors`."""
COVERED = (Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE)
CLASSICAL = "outpert"
"""Its noise is more than the analytic one, and proved below ε = 1."""
PAIR_DELTA = 1e-7
"""The usual δ of one model of which (ε, δ) alone is proved: a hundredth of the usual one."""


def unproved(method: str | None, adjacency: Adjacency) -> str:
    """Why nothing is proved of a method under an adjacency, in one sentence; "" where it is."""
    if method is None or adjacency in COVERED:
        return ""
    covered = " or ".join(COVERED)
    return (
        f"{method} has no proof under {adjacency}, as its noise follows from the number of records:"
        f" the account must be under {covered}."
    )


def check_epsilon(method: str, epsilon: float) -> None:
    """Refuse an ε at which a method proves nothing."""
    if method == CLASSICAL and epsilon >= 1.0:
        raise InvalidInput(
            f"ε is {as_set(epsilon)}, but for {method} it must be below 1: from there on its "
            "formula proves nothing."
        )


def noise_multiplier(epsilon: float, delta: float) -> float:
    """σ over sensitivity of the Gaussian mechanism that a model costs at most, rounded down."""
    return float(analytic_sigma(epsilon, delta)) / ROUNDED_UP
