"""Layers whose per-example gradients are known in closed form, and which layers are refused.

One kind of layer is one file here that defines `LAYERS`: a layer class to the function that makes
its `Gradients`. The register finds the file.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from torch import nn

from dpcore.deep.layers.gradients import Rule
from dpcore.errors import InvalidInput

WITHOUT_PARAMETERS: tuple[type[nn.Module], ...] = (
    nn.Identity,
    nn.Sequential,
    nn.Flatten,
    nn.Unflatten,
    nn.ReLU,
    nn.Tanh,
    nn.Sigmoid,
    nn.GELU,
    nn.SiLU,
    nn.ELU,
    nn.LeakyReLU,
    nn.Softplus,
    nn.MaxPool2d,
    nn.AvgPool2d,
    nn.AdaptiveAvgPool2d,
    nn.ZeroPad2d,
    nn.Dropout,
)
"""Layers that have nothing to learn and treat every record on its own."""

MIXING: tuple[type[nn.Module], ...] = (
    nn.modules.batchnorm._BatchNorm,
    nn.modules.batchnorm._LazyNormBase,
)
"""Layers through which one record reaches another's gradient."""


@cache
def register() -> dict[type[nn.Module], Rule]:
    """Every layer class with parameters that is supported, and its rule."""
    found: dict[type[nn.Module], Rule] = {}
    for module in pkgutil.iter_modules(__path__):
        layers = getattr(importlib.import_module(f"{__name__}.{module.name}"), "LAYERS", {})
        found.update(layers)
    return found


def check(network: nn.Module) -> None:
    """Refuse a network whose per-example gradients are not known here.

    Raises
    ------
    InvalidInput
        Naming the first layer that cannot be trained privately, and why.
    """
    seen: dict[int, str] = {}
    for name, layer in network.named_modules():
        kind, where = type(layer).__name__, f" ({name})" if name else ""
        if isinstance(layer, MIXING):
            raise InvalidInput(
                f"layer is {kind}{where}, but it must treat every record on its own: it computes "
                "with averages over the batch, so clipping one record's gradient bounds nothing; "
                "use GroupNorm."
            )
        for label, parameter in layer.named_parameters(recurse=False):
            if id(parameter) in seen:
                raise InvalidInput(
                    f"layer is {kind}{where}, but its {label} must not be shared with "
                    f"{seen[id(parameter)]}: per-example gradients are counted once a layer."
                )
            seen[id(parameter)] = name or kind
        own = any(True for _ in layer.parameters(recurse=False))
        if own and type(layer) not in register():
            allowed = ", ".join(sorted(each.__name__ for each in register()))
            raise InvalidInput(f"layer is {kind}{where}, but with weights it must be {allowed}.")
        if not own and type(layer) not in WITHOUT_PARAMETERS:
            allowed = ", ".join(sorted(each.__name__ for each in WITHOUT_PARAMETERS))
            raise InvalidInput(
                f"layer is {kind}{where}, but without weights it must be one that is known to "
                f"treat every record on its own: {allowed}."
            )
        reshaped = layer.start_dim if isinstance(layer, nn.Flatten) else 1
        reshaped = layer.dim if isinstance(layer, nn.Unflatten) else reshaped
        if reshaped != 1:
            raise InvalidInput(
                f"layer is {kind}{where} from dimension {reshaped}, but it must begin at dimension "
                "1: dimension 0 counts the records."
            )
