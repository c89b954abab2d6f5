"""Where networks are trained, and that nothing there is less exact than single precision."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import stats
from sklearn.datasets import load_digits

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
