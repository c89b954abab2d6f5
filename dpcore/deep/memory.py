"""Memory that every step uses anew.

What is as long as the batch, whose size varies, would be asked of the system again and again, and
fresh memory costs several times what is written to it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import torch
from torch import Tensor

LARGEST = 31 * 2**20
"""Bytes; just below the largest block whose freeing glibc learns from."""


def keep_what_is_freed() -> None:
    """Let freed memory stay with this process, for the next step to use.

    glibc takes blocks larger than any freed so far from the system and gives them back at once;
    after a large one was freed, it keeps all smaller ones (mallopt(3), M_MMAP_THRESHOLD). The block
    is never written to, so it costs nothing. Other allocators do not mind.
    """
    torch.empty(LARGEST, dtype=torch.uint8)


class Memory:
    """Tensors by purpose; each holds until the next one for the same purpose is taken."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Tensor] = {}

    def take(self, purpose: Hashable, shape: Sequence[int], like: Tensor) -> Tensor:
        """A tensor of this shape, whatever may be in it.

        Parameters
        ----------
        purpose : hashable
            Who takes it and what for.
        shape : sequence of int
        like : Tensor
            Of the same type, on the same device.
        """
        size = math.prod(shape)
        kept = self._kept.get(purpose)
        if kept is None or len(kept) < size or kept.dtype != like.dtype:
            kept = torch.empty(size + size // 8, dtype=like.dtype, device=like.device)
            self._kept[purpose] = kept
        return kept[:size].view(*shape)
