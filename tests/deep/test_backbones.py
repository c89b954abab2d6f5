"""Frozen features: with stand-ins for torchvision's networks, and with torchvision where it is."""

import sys
import types
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from dpcore.datasets import images as sets
from dpcore.deep import backbones
from dpcore.errors import InvalidInput

IMAGES = np.random.default_rng(0).random((5, 1, 8, 8), np.float32)


class Dense(nn.Module):
    """Layers named as DenseNet-121's are, and few of them."""

    def __init__(self):
        super().__init__()
        layer = nn.ModuleDict({"norm1": nn.BatchNorm2d(4), "conv1": nn.Conv2d(4, 1_024, 1)})
        block, first = nn.ModuleDict({"denselayer1": layer}), nn.Conv2d(3, 4, 32, 32, bias=False)
        self.features = nn.ModuleDict({"conv0": first, "denseblock1": block})
        self.classifier = nn.Linear(1_024, 1_000)

    def forward(self, x):
        layer = self.features["denseblock1"]["denselayer1"]
        x = layer["conv1"](layer["norm1"](self.features["conv0"](x)))
        return self.classifier(functional.relu(x).mean((2, 3)))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 512, 56, 56), nn.BatchNorm2d(512)
        self.fc = nn.Linear(512, 1_000)

    def forward(self, x):
        return self.fc(self.bn1(self.conv1(x)).mean((2, 3)))


STAND_INS = {"densenet121": Dense, "resnet18": Residual}


@pytest.fixture(autouse=True)
def kept(monkeypatch, tmp_path):
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def stand_in(monkeypatch):
    models = types.ModuleType("torchvision.models")
    for name, network in STAND_INS.items():
        setattr(models, name, lambda weights, network=network: network())
    package = types.ModuleType("torchvision")
    package.models = models
    monkeypatch.setitem(sys.modules, "torchvision", package)
    monkeypatch.setitem(sys.modules, "torchvision.models", models)


def weights_of(network, tmp_path, rename=lambda key: key):
    """A file with the weights of a network, its statistics away from where they begin."""
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.running_mean, -1, 1)
            nn.init.uniform_(module.running_var, 0.5, 2)
    path = tmp_path / "weights.pth"
    torch.save({rename(key): value for key, value in network.state_dict().items()}, path)
    return path


def by_hand(network, head, images):
    """What comes into the last layer, one image at a time."""
    seen = []
    getattr(network, head).register_forward_hook(lambda m, given, out: seen.append(given[0]))
    network.eval()
    mean = torch.tensor([0.485, 0.456, 0.406]).reshape(1, 3, 1, 1)
    deviation = torch.tensor([0.229, 0.224, 0.225]).reshape(1, 3, 1, 1)
    with torch.no_grad():
        for image in torch.from_numpy(images):
            colours = image[None] if len(image) == 3 else image.repeat(1, 3, 1, 1)
            large = functional.interpolate(colours, (224, 224), mode="bilinear", antialias=True)
            network((large - mean) / deviation)
    return torch.cat(seen).numpy()


@pytest.mark.parametrize("name", STAND_INS)
def test_features_are_what_the_last_layer_is_given_of_each_image_by_itself(
    name, stand_in, tmp_path
):
    network = STAND_INS[name]()
    path = weights_of(network, tmp_path)
    actual = backbones.features(IMAGES, name, path, device="cpu")
    backbone = backbones.BACKBONES[name]
    assert actual.shape == (5, backbone.width)
    expected = by_hand(network, backbone.head, IMAGES)
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)
    alone = backbones.features(IMAGES[2:3], name, path, device="cpu")
    np.testing.assert_allclose(actual[2:3], alone, rtol=1e-5, atol=1e-6)


def test_old_names_of_layers_and_another_last_layer_are_taken(stand_in, tmp_path):
    network = Dense()
    new = backbones.features(IMAGES, "densenet121", weights_of(network, tmp_path), device="cpu")
    old = {
        key.replace("norm1", "norm.1").replace("conv1", "conv.1"): value
        for key, value in network.state_dict().items()
        if "num_batches_tracked" not in key
    }
    assert any("norm.1" in key for key in old)
    old["classifier.weight"], old["classifier.bias"] = torch.zeros(5, 1_024), torch.zeros(5)
    torch.save(old, tmp_path / "old.pth")
    result = backbones.features(IMAGES, "densenet121", tmp_path / "old.pth", device="cpu")
    np.testing.assert_array_equal(result, new)


def test_they_are_computed_once_for_the_same_images_and_weights(stand_in, tmp_path, monkeypatch):
    path, told = weights_of(Residual(), tmp_path), []
    first = backbones.features(
        IMAGES, "resnet18", path, device="cpu", progress=lambda share, message: told.append(share)
    )
    assert told == sorted(told)
    assert told[-1] == 1
    with monkeypatch.context() as patched:
        patched.setattr(backbones, "_network", lambda *given: pytest.fail("computed again"))
        np.testing.assert_array_equal(backbones.features(IMAGES, "resnet18", path), first)
    other = backbones.features(IMAGES, "resnet18", weights_of(Residual(), tmp_path), device="cpu")
    assert not np.array_equal(other, first)


@pytest.mark.slow("trains networks")
def test_examples_of_images_become_examples_of_features(stand_in, tmp_path):
    digits = sets.load("digits")
    path = weights_of(Residual(), tmp_path)
    # All 1,797 stretched to 224 × 224 would take long.
    kept = {"train_inputs": 6, "train_targets": 6, "test_inputs": 3, "test_targets": 3}
    few = replace(digits, **{name: getattr(digits, name)[:count] for name, count in kept.items()})
    result = backbones.on_features(few, "resnet18", path, device="cpu")
    assert (result.shape, result.records, len(result.test_inputs)) == ((512,), 6, 3)
    assert result.task == "classes"
    assert np.array_equal(result.train_targets, few.train_targets)
    assert "resnet18" in result.notes[-1]


def test_without_torchvision_one_sentence_says_so(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torchvision", None)
    monkeypatch.setitem(sys.modules, "torchvision.models", None)
    path = weights_of(Residual(), tmp_path)
    with pytest.raises(InvalidInput, match="need torchvision, which is not here"):
        backbones.features(IMAGES, "resnet18", path)


class Harmful:
    def __reduce__(self):
        return print, ("run",)


@pytest.mark.parametrize(
    "content",
    [
        [1, 2],
        {"fc.weight": torch.zeros(2)},
        {1: torch.zeros(2)},
        {"conv1.weight": 3},
        Residual().state_dict() | {"conv1.weight": torch.zeros(1)},
        Harmful(),
        b"no file of torch's",
        b"",
    ],
)
def test_other_files_are_refused(content, stand_in, tmp_path, capsys):
    path = tmp_path / "weights.pth"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        torch.save(content, path)
    with pytest.raises(InvalidInput, match="not a state dictionary of torchvision's resnet18"):
        backbones.features(IMAGES, "resnet18", path)
    assert capsys.readouterr().out == ""


def test_bad_requests_are_refused(stand_in, tmp_path):
    path = weights_of(Residual(), tmp_path)
    with pytest.raises(InvalidInput, match="backbone is 'vgg'"):
        backbones.features(IMAGES, "vgg", path)
    with pytest.raises(InvalidInput, match=r"\(records, 1 or 3, side, side\)"):
        backbones.features(IMAGES.repeat(2, 1), "resnet18", path)
    with pytest.raises(InvalidInput, match="must be a file that can be read"):
        backbones.features(IMAGES, "resnet18", tmp_path / "none.pth")


@pytest.mark.parametrize("name", STAND_INS)
def test_with_torchvisions_own_networks(name, tmp_path):
    try:
        from torchvision import models
    except (ImportError, RuntimeError):
        pytest.skip("torchvision is not here in a build that goes with this torch")
    network = getattr(models, name)(weights=None)
    path = weights_of(network, tmp_path)
    actual = backbones.features(IMAGES[:2], name, path, device="cpu")
    expected = by_hand(network, backbones.BACKBONES[name].head, IMAGES[:2])
    np.testing.assert_allclose(actual, expected, rtol=1e-3, atol=1e-4)
