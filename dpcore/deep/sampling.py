"""Batches drawn exactly as the accountant assumes."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dpcore.deep.randomness import LEVELS, Randomness
from dpcore.errors import one_of, whole

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
