"""The source of a training's batches and noise: a seed (exploration) or system entropy (release).

Whoever knows the seed can draw the noise again and subtract it; one seed at two σ reveals the noise
even without being known. The noise of a training for release therefore comes from the operating
system's entropy, number by number: no generator has a state that could be stored, copied or
guessed.

A normal number for a release has the tails of a double (`dpcore.mechanisms.entropy`). torch's
single-precision normals never exceed 5.77, which would add to δ (a shift of one coordinate by μ is
then detected with certainty with probability Φ(5.77) - Φ(5.77 - μ)). Numbers are still rounded to
doubles, and no proof covers their low bits (Mironov 2012).
"""

from __future__ import annotations

import os
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from dpcore.mechanisms.entropy import normals

LEVELS = 2**24
"""Number of integer levels that decide which records are drawn. It divides the 2³² of both devices'
generators, so all levels are equally likely; uniform floats are so on a CPU only."""

__all__ = ["LEVELS", "Randomness", "SeededRandomness", "SystemRandomness", "normals"]


class Randomness(Protocol):
    """The source of a training's random numbers."""

    def normal(self, room: Tensor) -> Tensor:
        """Fill `room` with independent standard normal numbers."""

    def levels(self, runs: int, records: int) -> Tensor:
        """Independent whole numbers, uniform below `LEVELS`: (runs, records)."""

    def order(self, runs: int, records: int) -> Tensor:
        """Independent sort keys that make every order equally likely: (runs, records)."""

    def state(self) -> dict[str, Any]:
        """The state that `restore` needs to continue from here."""

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a `state`."""


class SeededRandomness:
    """Two streams from seeds, for exploration: noise from a known seed gives no privacy."""

    def __init__(self, sampling: int, noise: int, device: torch.device | str = "cpu") -> None:
        self.sampler = torch.Generator(device).manual_seed(sampling)
        self.noise = torch.Generator(device).manual_seed(noise)

    def normal(self, room: Tensor) -> Tensor:
        return room.normal_(generator=self.noise)

    def levels(self, runs: int, records: int) -> Tensor:
        return torch.randint(
            LEVELS,
            (runs, records),
            generator=self.sampler,
            device=self.sampler.device,
            dtype=torch.int32,
        )

    def order(self, runs: int, records: int) -> Tensor:
        # In double precision, because of two equal keys the first would always be preferred.
        return torch.rand(
            runs,
            records,
            generator=self.sampler,
            device=self.sampler.device,
            dtype=torch.float64,
        )

    def state(self) -> dict[str, Any]:
        return {"sampler": self.sampler.get_state(), "noise": self.noise.get_state()}

    def restore(self, state: dict[str, Any]) -> None:
        self.sampler.set_state(state["sampler"].cpu())
        self.noise.set_state(state["noise"].cpu())


class SystemRandomness:
    """The operating system's entropy, for releases; it has no state to store."""

    def __init__(self, device: torch.device | str = "cpu") -> None:
        self.device = torch.device(device)

    def normal(self, room: Tensor) -> Tensor:
        """See `Randomness`; accurate to the tails of a double."""
        numbers = torch.from_numpy(normals(room.numel())).view(room.shape)
        return room.copy_(numbers)

    def levels(self, runs: int, records: int) -> Tensor:
        shift = np.uint32(32 - LEVELS.bit_length() + 1)
        words = np.frombuffer(os.urandom(4 * runs * records), dtype=np.uint32) >> shift
        return torch.from_numpy(words.astype(np.int32)).view(runs, records).to(self.device)

    def order(self, runs: int, records: int) -> Tensor:
        words = np.frombuffer(os.urandom(8 * runs * records), dtype=np.int64).copy()
        return torch.from_numpy(words).view(runs, records).to(self.device)

    def state(self) -> dict[str, Any]:
        """Nothing: the next numbers are not determined yet."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """See `Randomness`."""
