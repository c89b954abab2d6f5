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
    """Which records take part in one step.

    Parameters
    ----------
    records : Tensor
        Their places, (batch,) or (runs, batch).
    present : Tensor or None
        1 for a record, 0 for padding, where several runs have batches of different size.
    """

    records: Tensor
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

    Parameters
    ----------
    sampling : str
        "poisson": each record with probability batch/size, independently; "fixed": `batch`
        different records, uniformly; "none": all of them.
    records, batch : int
        n, and the (expected) batch size.
    randomness : Randomness
    runs : int
        Above 1, places have shape (runs, batch).
    size : int, optional
        The public number of records that the sampling rate comes from, where that is not n.
    device : torch.device
        Where the places are made.

    Raises
    ------
    InvalidInput
        If the sampling is none of these, or the batch is larger than the data.
    """
    one_of("sampling", sampling, SAMPLINGS)
    size = records if size is None else size
    whole("batch size", batch, at_least=1, at_most=size)
    if sampling == "none" or batch == size:
        everyone = torch.arange(records, device=device)
        return Batch(everyone if runs == 1 else everyone.expand(runs, records))
    if sampling == "fixed":
        order = randomness.order(runs, records)
        places = order.topk(batch, dim=1).indices
        return Batch(places[0] if runs == 1 else places)
    taken = randomness.levels(runs, records) < levels_drawn(batch, size)
    if runs == 1:
        return Batch(taken[0].nonzero()[:, 0])
    most = int(taken.sum(1).max())
    present, places = taken.to(torch.float32).topk(most, dim=1)
    return Batch(places, present)


def levels_drawn(batch: int, records: int) -> int:
    """How many of the levels mean that a record is drawn: as many as make up batch/records at most.

    One more would draw it with a slightly larger chance, which the accountant would not know of.
    """
    return batch * LEVELS // records
