"""A step of a fully connected network never holds records × parameters numbers."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from dpcore.deep.config import TrainingConfig
from dpcore.deep.training import TrainingRun

FEATURES, WIDTH, CLASSES, RECORDS, BATCH = 40, 50, 3, 400, 200
PARAMETERS = FEATURES * WIDTH + WIDTH + WIDTH * CLASSES + CLASSES
LARGEST = RECORDS * max(FEATURES, WIDTH)
"""All records, or what the widest layer makes of them; paper 004's weights need that."""

RECIPE = TrainingConfig(widths=(WIDTH,), batch=BATCH, epochs=5)


class Largest(TorchDispatchMode):
    """Notes how many numbers the largest tensor has that any operation gives.

    Views count with the memory that they look at, and so does a tensor that is only expanded.
    """

    def __init__(self):
        super().__init__()
        self.numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for each in tree_leaves(result):
            if isinstance(each, Tensor):
                size = each.untyped_storage().nbytes() // each.element_size()
                self.numbers = max(self.numbers, size)
        return result


def examples(records=RECORDS):
    generator = np.random.default_rng(0)
    inputs = generator.standard_normal((records, FEATURES)).astype(np.float32)
    return inputs, generator.integers(0, CLASSES, records)


def largest(configs, public=False):
    run = TrainingRun(configs, *examples(), CLASSES, public=examples(60) if public else None)
    run.advance(1)  # memory that is kept from step to step
    with Largest() as noted:
        run.advance(3)
    return noted.numbers


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"optimizer": "adam"},
        {"per_layer": True},
        {"sampling": "fixed"},
        {"noise": "scaled"},
        {"noise": "scaled", "weights": "paid"},
        {"noise": "scaled", "weights": "public", "elementwise": True},
        {"noise": "published-004"},
    ],
)
def test_no_tensor_is_of_records_times_parameters(changes):
    result = largest(replace(RECIPE, **changes), public="public" in changes.values())
    assert result <= LARGEST < BATCH * PARAMETERS / 20


def test_nor_is_one_with_several_runs_side_by_side():
    result = largest([replace(RECIPE, seed=seed) for seed in range(3)])
    assert result <= 3 * LARGEST


def test_gradients_that_are_written_out_would_be_seen():
    network = nn.Linear(FEATURES, WIDTH)
    inputs, _ = examples(BATCH)
    weights = {name: each.detach() for name, each in network.named_parameters()}

    def loss(weights, one):
        made = torch.func.functional_call(network, weights, (one,))
        return made.square().sum()

    with Largest() as noted:
        torch.func.vmap(torch.func.grad(loss), (None, 0))(weights, torch.from_numpy(inputs))
    assert noted.numbers >= BATCH * FEATURES * WIDTH
