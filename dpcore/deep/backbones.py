"""Features of a frozen network that was trained on other, public images.

Papers 003 and 004 train a new last layer only: features cost no privacy if each is a function of
its own image, so batch normalisation uses stored statistics, and weights saw no private record.
Weights come from a file; the code was tested on random ones only.
"""

from __future__ import annotations

import importlib
import io
import pickle
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from dpcore.datasets import cache
from dpcore.datasets.files import checksum, contents
from dpcore.datasets.images import Examples
from dpcore.deep import device as devices
from dpcore.errors import InvalidInput, one_of
from dpcore.words import spaced

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.progress import Progress


@dataclass(frozen=True)
class Backbone:
    head: str
    width: int


BACKBONES = {"densenet121": Backbone("classifier", 1_024), "resnet18": Backbone("fc", 512)}
SIDE = 224
LARGEST_WEIGHTS = 2**30
"""Bytes of a file of weights; those of the larger network here are 32 MB."""
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Mean and deviation of ImageNet's channels, which torchvision's weights expect."""
AT_A_TIME = 32
_OLD_NAME = re.compile(r"(denselayer\d+)\.(norm|conv)\.([12])\.")


def features(
    images: NDArray[Any],
    backbone: str,
    weights: str | Path,
    *,
    device: str = "auto",
    progress: Progress | None = None,
) -> NDArray[np.float32]:
    """The input of the network's last layer for each image, cached on disk.

    Images (n, 1 or 3, side, side) have values in [0, 1]; they are stretched to 224 × 224, grey ones
    used for all three colours. `weights` is a file of torchvision's (a state dictionary), whose
    last layer is not used. Both devices share the cache.
    """
    one_of("backbone", backbone, tuple(BACKBONES))
    if images.ndim != 4 or images.shape[1] not in (1, 3) or images.shape[2] != images.shape[3]:
        raise InvalidInput(
            f"images have shape {images.shape}, but it must be (records, 1 or 3, side, side)."
        )
    data = _read(weights)
    values: NDArray[np.float32] = cache.array(
        backbone,
        cache.digest(Path(__file__).read_bytes(), data, images),
        lambda: _compute(images, backbone, data, devices.device(device), progress),
    )
    if progress is not None:
        progress(1.0, f"{backbone} has seen {spaced(len(images))} images")
    return values


def on_features(
    examples: Examples,
    backbone: str,
    weights: str | Path,
    *,
    device: str = "auto",
    progress: Progress | None = None,
) -> Examples:
    """The same examples with `features` as inputs, so that only the last layer is left to train."""
    inputs = [
        features(images, backbone, weights, device=device, progress=progress)
        for images in (examples.train_inputs, examples.test_inputs)
    ]
    note = (
        f"Inputs are features of {backbone} with the weights in {Path(weights).name} (SHA-256 "
        f"{checksum(_read(weights))[:12]}…), which must not have been trained on these records."
    )
    return replace(
        examples, train_inputs=inputs[0], test_inputs=inputs[1], notes=(*examples.notes, note)
    )


def _read(weights: str | Path) -> bytes:
    return contents("weights", weights, LARGEST_WEIGHTS)


def _compute(
    images: NDArray[Any],
    backbone: str,
    weights: bytes,
    target: torch.device,
    progress: Progress | None,
) -> NDArray[np.float32]:
    network = _network(backbone, weights).to(target)
    result = np.empty((len(images), BACKBONES[backbone].width), np.float32)
    with torch.no_grad(), devices.exact_arithmetic():
        for start in range(0, len(images), AT_A_TIME):
            stop = min(start + AT_A_TIME, len(images))
            part = torch.as_tensor(images[start:stop], dtype=torch.float32).to(target)
            result[start:stop] = network(_fitted(part)).cpu().numpy()
            if progress is not None:
                progress(stop / len(images), f"{backbone} looks at {spaced(len(images))} images")
    return result


def _fitted(images: Tensor) -> Tensor:
    """Images resized and standardised as in the network's training."""
    large = functional.interpolate(
        images.expand(-1, 3, -1, -1), (SIDE, SIDE), mode="bilinear", antialias=True
    )
    mean, deviation = (
        torch.tensor(values, device=images.device).reshape(1, 3, 1, 1)
        for values in (MEAN, DEVIATION)
    )
    return (large - mean) / deviation


def _network(backbone: str, weights: bytes) -> nn.Module:
    """The network with the weights of the file and without its last layer, frozen."""
    try:
        models = importlib.import_module("torchvision.models")
    except (ImportError, RuntimeError):  # the latter where it was built for another torch
        raise InvalidInput(
            f"Features of {backbone} need torchvision, which is not here in a build that goes with "
            "this torch; install one, or bring features computed elsewhere as an .npz file."
        ) from None
    head = BACKBONES[backbone].head
    network: nn.Module = getattr(models, backbone)(weights=None)
    setattr(network, head, nn.Identity())
    refusal = InvalidInput(
        f"weights is not a state dictionary of torchvision's {backbone}, as it must be."
    )
    try:
        state = torch.load(io.BytesIO(weights), map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, ValueError, EOFError, pickle.UnpicklingError):
        raise refusal from None
    if not isinstance(state, dict) or not all(isinstance(key, str) for key in state):
        raise refusal
    try:
        network.load_state_dict(
            {
                # The published file of DenseNet-121 is older than the names of its layers.
                _OLD_NAME.sub(r"\1.\2\3.", key): value
                for key, value in state.items()
                if not key.startswith(f"{head}.")
            }
        )
    except (RuntimeError, AttributeError, TypeError):
        raise refusal from None
    return network.eval()
