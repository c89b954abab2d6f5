"""Documentation that the estimators share, each part written once and put in where it is named."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

EstimatorClass = TypeVar("EstimatorClass", bound=type)

PARTS = {
    "budget, method, bounds": """\
epsilon : float
    ε that the whole fit may spend; above 0, at most 1000.
delta : float
    δ, usually well below 1/n; at most 0.5.
method : str
    "best", or a method of `dpcore.describe()` that has a sound edition for this loss. "best" is a
    fixed rule in public values: DP-GD, and from ε = LATER on objective perturbation.
bounds : (float, float) or array of shape (d, 2)
    Public lower and upper bound, of all columns or of each. Values outside are clipped. Without
    bounds nothing is fitted, and they are never read off the data.""",
    "classes": """\
classes : sequence, optional
    The public list of classes. Where it is left out it is taken from y, and `guarantee_` states
    that it is public.""",
    "problem": """\
adjacency : {"zero-out", "replace-one"}
    Which neighbours the promise compares; the number of records is public in both.
lam : float, optional
    λ of (λ/2)‖w‖²; left out, by the method's rule in n and d.
fit_intercept : bool
    Append a constant 1 to each row before its norm is taken.""",
    "random_state": """\
random_state : None, int or generator
    ``None`` draws from the operating system, for keeping: every noise number when it is needed. The
    batches of a method that samples (SgdPert, GRPUA) come from a PCG64 generator, which is seeded
    with 256 fresh bits of the system's entropy and ends with the fit.
    NumPy's global state is never used. A seed is for exploration only: the noise can then be drawn
    again, and nothing is proved.""",
    "weights of classes": """\
classes_ : array of shape (K,)
coef_ : array of shape (1, d) or (K, d)
    Weights, with their noise, of the prepared row: every column in [-1, 1], the row then brought to
    norm 1.
intercept_ : array of shape (1,) or (K,)
    Weight of the prepared row's constant.""",
    "promise": """\
guarantee_ : ModelGuarantee
    What is proved: ε, δ, adjacency, theorem, status, what is public, and where noise and batches
    came from. It speaks of X as handed to `fit`. A step before it that learns from records, such as
    StandardScaler in a pipeline, is not covered. None is needed: columns are scaled by `bounds`;
    for another scale compute it from public values alone, as by FunctionTransformer.
claim_ : Guarantee
    What is claimed in print of the edition that was used, the sound one; never mixed with what is
    proved. Where nothing is, it is empty, and `reason` says why.
n_features_in_ : int
feature_names_in_ : array of shape (d,)
    Where X has names of columns that are texts.""",
    "refusals": """\
InvalidInput
    A ValueError, by `fit`: naming the field, the value and what is allowed. A row with a gap (NaN,
    None, infinite) is refused by its column; values of records are never named.""",
    "several classes": ("Several classes are learned one against the rest, and share the budget."),
    "not private": """\
`score` and `cross_val_score` measure on real records, and the latter fits one model a fold: what
they return is not private, and no ε here covers it. The low bits of the noise are not covered
either (Mironov 2012).""",
    "references": """\
The method's own file in `dpcore.erm.methods`; of "best" Dong, Roth and Su 2022 (DP-GD) and Redberg,
Koskela and Wang 2023 (objective perturbation).""",
}
"""By the name that stands in braces, on a line of its own, where the part belongs."""


def documented(later_from: float) -> Callable[[EstimatorClass], EstimatorClass]:
    """A decorator that puts the shared parts into a class's documentation."""

    def filled(kind: EstimatorClass) -> EstimatorClass:
        lines = inspect.cleandoc(kind.__doc__ or "").splitlines()
        text = "\n".join(PARTS[line[1:-1]] if line[:1] == "{" else line for line in lines)
        kind.__doc__ = text.replace("LATER", f"{later_from:g}")
        return kind

    return filled
