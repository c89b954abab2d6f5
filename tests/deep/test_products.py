"""Products by whichever library against NumPy's, in double precision."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dpcore.deep import products


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("shape", [(1, 1, 1), (512, 784, 128), (7, 3, 10), (0, 4, 5), (4, 0, 5)])
def test_products_are_numpys(shape, turned, dtype):
    rows, inner, columns = shape
    generator = torch.Generator().manual_seed(0)
    left = torch.randn(rows, inner, generator=generator, dtype=dtype)
    right = torch.randn(inner, columns, generator=generator, dtype=dtype)
    bias = torch.randn(columns, generator=generator, dtype=dtype)
    given = (left.t().contiguous().t(), right.t().contiguous().t()) if turned else (left, right)
    wanted = left.double().numpy() @ right.double().numpy()
    close = (
        {"rtol": 1e-5, "atol": 1e-4} if dtype is torch.float32 else {"rtol": 1e-12, "atol": 1e-11}
    )
    np.testing.assert_allclose(products.product(*given), wanted, **close)
    np.testing.assert_allclose(products.product(*given, bias), wanted + bias.numpy(), **close)


def test_many_networks_are_multiplied_at_once():
    left, right = torch.randn(3, 5, 4), torch.randn(3, 4, 2)
    torch.testing.assert_close(products.product(left, right), torch.bmm(left, right))


def test_single_precision_is_not_rounded_further():
    """Sums of products of these whole numbers are exact in single precision, and not in less."""
    left = torch.randint(-(2**6), 2**6, (64, 16)) * 2 + 1
    right = torch.randint(-(2**11), 2**11, (16, 32)) * 2 + 1
    found = products.product(left.float(), right.float())
    assert torch.equal(found.long(), left @ right)
