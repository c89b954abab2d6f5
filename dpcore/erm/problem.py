"""A regularised empirical-risk problem, described by its public constants only.

F(w; D) = (1/n) Σᵢ ℓ(yᵢ wᵀxᵢ) + (λ/2)‖w‖², with ‖xᵢ‖₂ ≤ 1 and yᵢ = ±1 (paper 000, eq. 1
and section V); for regression ℓ(wᵀxᵢ - yᵢ) with |yᵢ| ≤ 1. A blank record has x = 0 and y = 0: it
counts in n, and its gradient is 0 at every w. A `Problem` holds no data, so nothing computed from
it (sensitivity, σ, steps) can leak any.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.losses import Forms, Loss, loss_named
from dpcore.erm.rounding import NORM_ROUNDING, of_sum, shortened
from dpcore.errors import InvalidInput, number, one_of, reject, whole
from dpcore.guarantee import Adjacency
from dpcore.words import as_set

Array = NDArray[np.floating]

ADJACENCIES = (Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT)
SMALLEST_LAM = 1e-9  # below it the Hessian of a separable problem is singular to rounding

ACCURATE_LOSS, ACCURATE_HUBER_WIDTH, ACCURATE_LAM = "huber", 2.0, 1e-9
"""The loss and λ that cost least accuracy under privacy, fixed once and never by private data.

λ is close to 0: noisy gradient descent regularises by stopping early, and objective perturbation
by a Λ of its own; a λ chosen for output perturbation (`default_lam`) only costs them accuracy. The
loss is a wide Huber loss, because noise is sized for slopes up to L = 1, whatever the loss. At
w = 0, where training begins, the logistic loss has slope 1/2 and wastes half of it; the Huber loss
of width 2 has slope 3/4 and no more curvature, 1/4.

Both were chosen on Bank and Cardio (zero-out, δ = 1e-5, ε from 0.01 to 3, 4 to 6 splits): DP-GD
with h = 2 was at least as accurate there as with the logistic loss at every ε. h = 0.5 and 1 fell
behind on Bank, and 3 and 4 fell behind 2 on Cardio.
"""


@dataclass(frozen=True)
class Problem:
    """Everything that is public about one learning task.

    Parameters
    ----------
    loss : str
        "logistic" or "huber" for labels ±1, "squared" for numbers in [-1, 1].
    lam : float
        λ ≥ 0, weight of (λ/2)‖w‖².
    records : int
        n, number of training records; public.
    dimension : int
        d, number of features after preparation; public.
    adjacency : Adjacency
        zero-out or replace-one. Means over n need a public n, so add/remove is refused.
    huber_width : float
        h of the Huber loss; no other loss has one.
    public_preparation : bool
        Whether every record was prepared on its own, by public bounds. Scaling by the data's own
        range lets one record move every row, and then no sensitivity here holds.
    radius : float, optional
        R: iterates are projected onto ‖w‖₂ ≤ R. Required when λ = 0 (Theorems 6 and 9 need it);
        not used when λ > 0.
    counted : int
        Number of features as the rules for λ and for DP-GD's steps count them
        (`dpcore.datasets.features`), at most d; public. d where left out.
    complete : bool
        Whether n counts complete records only: nothing is then proved for neighbouring tables with
        an incomplete one.
    classes : int
        K: with more than two, K such problems are learned from the same records
        (`dpcore.erm.one_vs_rest`); everything else here is about one of them.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """

    loss: str
    lam: float
    records: int
    dimension: int
    adjacency: Adjacency = Adjacency.REPLACE_ONE
    huber_width: float = 0.5
    radius: float | None = None
    public_preparation: bool = True
    classes: int = 2
    complete: bool = False
    counted: int = 0

    def __post_init__(self) -> None:
        self._store("classes", whole("classes", self.classes, at_least=2, at_most=1_000))
        lam = number("λ", self.lam, at_least=0.0, at_most=1e3)
        if 0.0 < lam < SMALLEST_LAM:
            raise reject("λ", lam, f"0, or at least {as_set(SMALLEST_LAM)}")
        self._store("lam", lam)
        self._store("records", whole("number of records", self.records, at_least=2))
        self._store("dimension", whole("number of features", self.dimension, at_least=1))
        d = self.dimension
        counted = whole("counted features", self.counted or d, at_least=1, at_most=d)
        self._store("counted", counted)
        self._store("adjacency", Adjacency(one_of("adjacency", self.adjacency, ADJACENCIES)))
        if self.radius is not None:
            self._store("radius", number("radius R", self.radius, above=0.0, at_most=1e6))
        elif lam == 0.0:
            raise reject("radius R", None, "given when λ = 0: a number above 0")
        loss_named(self.loss, self.huber_width)

    def _store(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)

    @cached_property
    def function(self) -> Loss:
        """The loss as a function of the margin, or of the residual."""
        return loss_named(self.loss, self.huber_width)

    def forms(self, features: Array, labels: Array) -> Forms:
        """The linear forms that the loss takes: margins or residuals."""
        if self.function.residual:
            return Forms(self.within(features), labels)
        return Forms(self.within(features, labels))

    def within(self, features: Array, signs: Array | None = None) -> Array:
        """The rows in double precision, shortened by 1e-12 or so: none is longer than 1.

        Each is multiplied by its sign, if any: ±1, or 0 of a blank record.
        Every engine reads records through this: `check_data` lets a norm exceed 1 by its own
        rounding, and no sensitivity here does.
        """
        factor = shortened(features.shape[1])
        every = factor if signs is None else factor * signs[:, None]
        return np.multiply(features, every, dtype=np.float64)

    @property
    def parts(self) -> int:
        """Number of two-class problems learned: K, or 1 where one suffices."""
        return 1 if self.classes == 2 else self.classes

    @property
    def lipschitz(self) -> float:
        """L of the data-dependent part; the regulariser cancels between neighbours."""
        return 1.0

    @property
    def smoothness(self) -> float:
        """β of the whole objective: the loss's curvature plus λ."""
        return self.function.curvature + self.lam

    @property
    def strong_convexity(self) -> float:
        """μ of the whole objective: λ."""
        return self.lam

    @property
    def gradient_change(self) -> float:
        """Largest change of Σᵢ ∇ℓᵢ(w) at one w between neighbours, as the sum is computed.

        2L under replace-one and L under zero-out, and what rounding adds
        (`dpcore.erm.rounding`): n rows, summed in any order and in up to n parts.
        """
        return self.exact_change / self.lipschitz * self.computed_lipschitz(self.records)

    @property
    def exact_change(self) -> float:
        """`gradient_change` in exact arithmetic: 2L under replace-one, L under zero-out."""
        return (2.0 if self.adjacency is Adjacency.REPLACE_ONE else 1.0) * self.lipschitz

    def computed_lipschitz(self, parts: int) -> float:
        """L plus one record's share of the rounding in `parts` sums of up to n rows each."""
        added = of_sum(self.records, self.records + parts) / self.exact_change
        return self.lipschitz * (1.0 + added * self.lipschitz)

    @property
    def solution_radius(self) -> float:
        """A public bound on ‖ŵ‖₂.

        For λ > 0: (λ/2)‖ŵ‖² ≤ F(ŵ) ≤ F(0), and λ‖ŵ‖ ≤ L from the stationarity of ŵ.
        For λ = 0: the radius projected onto.
        """
        if self.lam == 0.0:
            assert self.radius is not None  # held by __post_init__
            return self.radius
        return min(math.sqrt(2.0 * self.function.at_zero / self.lam), self.lipschitz / self.lam)

    def project(self, weights: Array, axis: int = 0) -> None:
        """Project models, one or many along `axis`, in place onto the ball of `solution_radius`."""
        lengths = np.linalg.norm(weights, axis=axis, keepdims=True)
        weights *= np.minimum(1.0, self.solution_radius / np.maximum(lengths, 1e-30))

    def check_data(self, features: Array, labels: Array) -> None:
        """Refuse data for which this description, and so every Δ and σ made from it, is wrong.

        That is: another n or d, a row longer than 1, or a label that is not ±1 (for regression:
        not in [-1, 1]), nor 0 beside a row of zeros.
        """
        expected = (self.records, self.dimension)
        if np.shape(features) != expected or np.shape(labels) != expected[:1]:
            raise reject("shape of the data", np.shape(features), f"{expected}, as calibrated")
        rows = np.asarray(features, dtype=np.float64)
        largest = float(np.sqrt(np.max(np.einsum("ij,ij->i", rows, rows))))
        if not largest <= 1.0 + NORM_ROUNDING:
            raise reject("largest ‖x‖₂", largest, "at most 1")
        if self.function.residual:
            if not np.all(np.abs(labels) <= 1.0):
                raise InvalidInput("y holds values outside -1 to 1, but must be scaled into it.")
        elif np.any((np.abs(labels) != 1.0) & ((labels != 0.0) | features.any(axis=1))):
            raise InvalidInput(
                "labels hold other values, but they must be −1 or +1, or 0 of a blank record."
            )


def default_lam(records: int, dimension: int) -> float:
    """λ by a fixed rule: (d/n²)^{1/3}/4, rounded to one significant digit.

    Output perturbation pays about β d σ²/2 with σ ∝ 1/(nλ) and regularisation costs about
    (λ/2)‖w*‖²; the sum is smallest for λ ∝ (d/n²)^{1/3}. The constant was fixed once on the
    synthetic cohort; the rule sees n and d only, never the data.
    """
    raw = (whole("number of features", dimension, at_least=1) / float(records) ** 2) ** (1 / 3) / 4
    return float(f"{raw:.0e}")
