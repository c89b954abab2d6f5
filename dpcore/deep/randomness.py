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
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from dpcore.errors import one_of, whole
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


SAMPLINGS = ("poisson", "fixed", "none")


@dataclass(frozen=True)
class Batch:
    """The records of one step."""

    records: Tensor  # indices, (batch,) or (runs, batch)
    # 1 for a record, 0 for padding, where runs have batches of different size
    present: Tensor | None = None


def draw(
    sampling: str,
    records: int,
    batch: int,
    randomness: Randomness,
    runs: int = 1,
    *,
    size: int | None = None,
    device: torch.device | str = "cpu",
) -> Batch:
    """One step's records, for each of `runs` runs independently.

    "poisson" takes each with probability batch/size, independently, "fixed" `batch` different ones,
    "none" all; `size` is the public number of records, where that is not n. Indices have the shape
    (runs, batch) where `runs` is above 1.
    """
    one_of("sampling", sampling, SAMPLINGS)
    size = records if size is None else size
    whole("batch size", batch, at_least=1, at_most=size)
    if sampling == "none" or batch == size:
        all_records = torch.arange(records, device=device)
        return Batch(all_records if runs == 1 else all_records.expand(runs, records))
    if sampling == "fixed":
        order = randomness.order(runs, records)
        indices = order.topk(batch, dim=1).indices
        return Batch(indices[0] if runs == 1 else indices)
    is_drawn = randomness.levels(runs, records) < levels_drawn(batch, size)
    if runs == 1:
        return Batch(is_drawn[0].nonzero()[:, 0])
    largest = int(is_drawn.sum(1).max())
    present, indices = is_drawn.to(torch.float32).topk(largest, dim=1)
    return Batch(indices, present)


def levels_drawn(batch: int, records: int) -> int:
    """The number of levels at which a record is drawn: the most that stay within batch/records."""
    return batch * LEVELS // records
