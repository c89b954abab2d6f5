"""Where networks are trained, and arithmetic that privacy can rely on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from dpcore.errors import InvalidInput, one_of


def device(preference: str = "auto") -> torch.device:
    """The device to train on."""
    one_of("device", preference, ("auto", "cpu", "cuda"))
    has_gpu = torch.cuda.is_available()
    if preference == "cuda" and not has_gpu:
        raise InvalidInput("device is cuda, but torch sees no GPU here; it must be auto or cpu.")
    return torch.device("cuda" if has_gpu and preference != "cpu" else "cpu")


@contextmanager
def exact_arithmetic() -> Iterator[None]:
    """Single precision throughout: TF32's ten bits, or bfloat16's seven, round norms too far."""
    matrix, convolution = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False
    try:
        with torch.autocast("cpu", enabled=False), torch.autocast("cuda", enabled=False):
            yield
    finally:
        torch.set_float32_matmul_precision(matrix)
        torch.backends.cudnn.allow_tf32 = convolution
