"""Where networks are trained, and that nothing there is less exact than single precision."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import stats
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from dpcore.deep.config import TrainingConfig
from dpcore.deep.device import device, exact_arithmetic
from dpcore.deep.training import TrainingRun
from dpcore.errors import InvalidInput

RECIPE = TrainingConfig(widths=(16,), batch=200, epochs=4, clip=0.5, sigma=1.0)
gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no GPU")


@pytest.fixture(scope="module")
def digits():
    inputs, targets = load_digits(return_X_y=True)
    return (inputs / 16.0).astype(np.float32), targets


def weights(run):
    return torch.cat([each.detach().flatten().cpu() for each in run.per_example.parameters])


def trained(configs, digits, on="cpu"):
    run = TrainingRun(configs, *digits, 10, device=on)
    run.advance(run.steps)
    return run


def test_a_gpu_is_taken_where_there_is_one():
    there = torch.cuda.is_available()
    assert device().type == ("cuda" if there else "cpu")
    assert device("cpu").type == "cpu"
    if not there:
        with pytest.raises(InvalidInput, match="torch sees no GPU here"):
            device("cuda")


def test_faster_and_coarser_arithmetic_is_off_and_comes_back():
    torch.set_float32_matmul_precision("medium")
    torch.backends.cudnn.allow_tf32 = True
    try:
        with torch.autocast("cpu", torch.bfloat16):
            with exact_arithmetic():
                assert torch.get_float32_matmul_precision() == "highest"
                assert not torch.backends.cudnn.allow_tf32
                assert not torch.is_autocast_enabled("cpu")
                assert not torch.is_autocast_enabled("cuda")
                assert not torch.backends.cuda.matmul.allow_tf32
            assert torch.is_autocast_enabled("cpu")
        assert torch.get_float32_matmul_precision() == "medium"
        assert torch.backends.cudnn.allow_tf32
    finally:
        torch.set_float32_matmul_precision("highest")


def test_a_training_under_bfloat16_is_the_one_without(digits):
    plain = trained(RECIPE, digits)
    with torch.autocast("cpu", torch.bfloat16):
        # It would matter: outside of a training it is in force.
        assert torch.zeros(2, 2).matmul(torch.zeros(2, 2)).dtype == torch.bfloat16
        coarse = trained(RECIPE, digits)
    assert torch.equal(weights(plain), weights(coarse))


@gpu
@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adam"])
def test_without_chance_a_gpu_takes_the_same_steps(optimizer, digits):
    config = replace(RECIPE, sigma=0.0, sampling="none", epochs=20, optimizer=optimizer)
    config = replace(config, learning_rate=0.01 if optimizer == "adam" else 0.5)
    here, there = (trained(config, digits, on) for on in ("cpu", "cuda"))
    torch.testing.assert_close(weights(there), weights(here), rtol=1e-3, atol=1e-4)


@gpu
def test_batches_of_images_have_few_sizes_on_a_gpu():
    draw = np.random.default_rng(0)
    images, classes = draw.normal(size=(300, 1, 28, 28)), draw.integers(0, 10, 300)
    config = TrainingConfig(network="cnn", batch=100, epochs=2, clip=0.5, sigma=1.0)
    filled, plain = (TrainingRun(config, images, classes, 10, device="cuda") for _ in range(2))
    assert filled.fills
    plain.fills = False
    for run in (filled, plain):
        run.advance(run.steps)
    torch.testing.assert_close(weights(filled), weights(plain), rtol=1e-3, atol=1e-4)


@gpu
def test_noise_on_a_gpu_has_its_size(digits):
    config = replace(RECIPE, learning_rate=float(RECIPE.batch), clip=1e-6, epochs=1, batch=1797)
    run = TrainingRun(config, *digits, 10, device="cuda")
    before = weights(run)
    run.advance(1)
    # With gradients clipped to next to nothing, a step of this rate is the noise itself.
    noise = ((before - weights(run)) * (config.batch / config.learning_rate)).numpy()
    assert stats.kstest(noise, "norm").pvalue > 1e-3
    assert stats.kstest(noise / 1.5, "norm").pvalue < 1e-3


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
