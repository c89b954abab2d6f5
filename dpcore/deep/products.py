"""Products of matrices in single precision on a processor.

torch's own go through MKL, which on processors of other makers keeps to their shorter registers.
Convolutions go through oneDNN, which does not; its product took half the time where that is so, and
no more elsewhere.
"""

from __future__ import annotations

import torch
from torch import Tensor

LEAST = 2**24
"""Multiplications from which on oneDNN gains more than it takes to prepare a product."""


def product(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """Give left @ right, plus a row where one is given; not recorded for gradients.

    Parameters
    ----------
    left : Tensor
        (…, n, k).
    right : Tensor
        (…, k, m).
    bias : Tensor, optional
        (m,), for single matrices.
    """
    if _by_one_dnn(left, right):
        found: Tensor = torch.ops.mkldnn._linear_pointwise(
            left.contiguous(), right.t(), bias, "none", [], ""
        )
        return found
    return left @ right if bias is None else torch.addmm(bias, left, right)


def _by_one_dnn(left: Tensor, right: Tensor) -> bool:
    return (
        torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        and left.device.type == "cpu"
        and left.dtype is right.dtype is torch.float32
        and left.dim() == right.dim() == 2
        and left.numel() * right.shape[1] >= LEAST
    )
