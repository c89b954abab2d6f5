"""The optimal noise on each coordinate, when clipping is scaled along with it.

Clip ‖D⁻¹g‖ to C and add N(0, σ²D²), D = diag(d) > 0: in the coordinates D⁻¹g this is the usual
Gaussian mechanism, so privacy is the same for every D chosen without the private batch, and d can
be chosen for the model. Here it minimises Σ a_i d_i^r at a given clipping mass
Σ s_i²/d_i² = Σ s_i², s_i² = E g_i², under which C keeps its meaning.

By Lagrange, r a d^(r-1) = 2λ s² d⁻³, so d ∝ (s²/a)^(1/(r+2)). With M = Σ s² and
T = Σ a (s²/a)^(r/(r+2)) the cost is T^(r/2+1) / M^(r/2), by Hölder's inequality at most Σ a, the
cost of d = 1; there is no gain only where a is proportional to s². For groups of coordinates that
share one d, s² and a are the groups' sums.
"""

from __future__ import annotations

import torch
from torch import Tensor

POWERS = {"gradient": 1, "curvature": 2, "adaclip": 2}
"""r of each cost. "gradient": a = |w|, the mean gradient (paper 004's objective, with clipping that
makes it sound); "curvature": a = the loss's second derivatives, the true cost of zero-mean noise;
"adaclip": a = 1, plain noise power (Pichapati et al. 2019)."""

RATIO = 100.0
"""Largest d over smallest: no estimate is trusted beyond it."""


def scales(squares: Tensor, weights: Tensor, power: int, ratio: float = RATIO) -> Tensor:
    """The best d whose entries differ by at most a factor `ratio`.

    `squares` are s² and `weights` a, one a coordinate or group; `power` is r. Where the bound
    binds, d stays within √ratio of a common d, and the clipping mass is restored. All of d is 1
    where either is all 0.
    """
    squares, weights = squares.double(), weights.double()
    mass, total = squares.sum(), weights.sum()
    if not (bool(mass > 0.0) and bool(total > 0.0)):
        return torch.ones_like(squares)
    best = ((squares / mass) / (weights / total)) ** (1.0 / (power + 2))
    # 0/0: a coordinate with neither signal nor cost gets the common scale.
    best = best.nan_to_num(nan=1.0).clamp(ratio**-0.5, ratio**0.5)
    return best * ((squares / best.square()).sum() / mass).sqrt()
