"""Where networks are trained: the device, exact arithmetic, and memory that every step reuses.

Fresh memory costs several times as much as writing to it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

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


LARGEST = 31 * 2**20
"""Bytes; just below the largest block that changes glibc's threshold when it is freed."""


def keep_what_is_freed() -> None:
    """Let freed memory stay with this process, for the next step to use.

    glibc allocates blocks larger than any freed so far from the system and returns them at once;
    after a large one is freed, it keeps all smaller ones (mallopt(3), M_MMAP_THRESHOLD). The block
    is never written to, so it costs nothing. Other allocators are not affected.
    """
    torch.empty(LARGEST, dtype=torch.uint8)


class Memory:
    """Tensors by purpose; each is valid until the next one for the same purpose is taken."""

    def __init__(self) -> None:
        self._buffers: dict[Hashable, Tensor] = {}

    def take(self, purpose: Hashable, shape: Sequence[int], like: Tensor) -> Tensor:
        """An uninitialised tensor of this shape, of the type and on the device of `like`."""
        size = math.prod(shape)
        buffer = self._buffers.get(purpose)
        if buffer is None or len(buffer) < size or buffer.dtype != like.dtype:
            buffer = torch.empty(size + size // 8, dtype=like.dtype, device=like.device)
            self._buffers[purpose] = buffer
        return buffer[:size].view(*shape)
