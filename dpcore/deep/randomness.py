"""Where a training's batches and noise come from: a seed, to explore, or the system, to keep.

Noise from a seed can be drawn again by whoever knows the seed, and taken off; one seed at two σ
takes it off without being known. What is kept is therefore drawn from the operating system's
entropy, number by number: there is no generator whose state could be stored, copied or guessed.

A normal number for keeping has the tails of a double (`dpcore.mechanisms.entropy`). torch's
single-precision normals never exceed 5.77, which would add to δ (a shift of one coordinate by μ is
then seen for certain with probability Φ(5.77) - Φ(5.77 - μ)). Numbers are rounded to doubles all
the same, and their low bits are not covered by any proof (Mironov 2012).
"""

from __future__ import annotations

import os
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from dpcore.mechanisms.entropy import normals

LEVELS = 2**24
"""Of the whole numbers that decide who is drawn. They divide the 2³² of the generators of either
device, so each is exactly as likely as any other; uniform floats are so on a CPU only."""

__all__ = ["LEVELS", "Randomness", "SeededRandomness", "SystemRandomness", "normals"]


class Randomness(Protocol):
    """What a training draws from."""

    def normal(self, room: Tensor) -> Tensor:
        """Fill `room` with independent standard normal numbers."""

    def levels(self, runs: int, records: int) -> Tensor:
        """Independent whole numbers, uniform below `LEVELS`: (runs, records)."""

    def order(self, runs: int, records: int) -> Tensor:
        """Independent numbers to sort records by, so that any order is as likely: (runs, records).

        Ties are so rare (one in 2⁵³ a pair) that they do not count.
        """

    def state(self) -> dict[str, Any]:
        """What `restore` needs to go on from here."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a `state`."""


class SeededRandomness:
    """Two streams from seeds, for exploration: what they draw is private to nobody.

    Sampling and noise are apart, so that the noise may change while the batches stay.

    Parameters
    ----------
    sampling, noise : int
        Seeds.
    device : torch.device
    """

    def __init__(self, sampling: int, noise: int, device: torch.device | str = "cpu") -> None:
        self.sampler = torch.Generator(device).manual_seed(sampling)
        self.noise = torch.Generator(device).manual_seed(noise)

    def normal(self, room: Tensor) -> Tensor:
        """See `Randomness`."""
        return room.normal_(generator=self.noise)

    def levels(self, runs: int, records: int) -> Tensor:
        """See `Randomness`."""
        return torch.randint(
            LEVELS,
            (runs, records),
            generator=self.sampler,
            device=self.sampler.device,
            dtype=torch.int32,
        )

    def order(self, runs: int, records: int) -> Tensor:
        """See `Randomness`."""
        # In double precision: of two that are alike the first would always be preferred.
        return torch.rand(
            runs,
            records,
            generator=self.sampler,
            device=self.sampler.device,
            dtype=torch.float64,
        )

    def state(self) -> dict[str, Any]:
        """Both streams."""
        return {"sampler": self.sampler.get_state(), "noise": self.noise.get_state()}

    def restore(self, state: dict[str, Any]) -> None:
        """See `Randomness`."""
        self.sampler.set_state(state["sampler"].cpu())
        self.noise.set_state(state["noise"].cpu())


class SystemRandomness:
    """The operating system's entropy, for what is kept; nothing of it is stored.

    Parameters
    ----------
    device : torch.device
        Where numbers are wanted; they are made on the processor.
    """

    def __init__(self, device: torch.device | str = "cpu") -> None:
        self.device = torch.device(device)

    def normal(self, room: Tensor) -> Tensor:
        """See `Randomness`; right to the tails of a double."""
        found = torch.from_numpy(normals(room.numel())).view(room.shape)
        return room.copy_(found)

    def levels(self, runs: int, records: int) -> Tensor:
        """See `Randomness`."""
        shift = np.uint32(32 - LEVELS.bit_length() + 1)
        words = np.frombuffer(os.urandom(4 * runs * records), dtype=np.uint32) >> shift
        return torch.from_numpy(words.astype(np.int32)).view(runs, records).to(self.device)

    def order(self, runs: int, records: int) -> Tensor:
        """See `Randomness`."""
        words = np.frombuffer(os.urandom(8 * runs * records), dtype=np.int64).copy()
        return torch.from_numpy(words).view(runs, records).to(self.device)

    def state(self) -> dict[str, Any]:
        """Nothing: what comes next is not decided yet."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """See `Randomness`."""
