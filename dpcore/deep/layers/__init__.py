"""Layers with per-example gradients in closed form, and the check that refuses other layers.

Each file here defines `LAYERS`: a layer class to the function that makes its `Gradients`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from torch import nn

from dpcore.deep.layers.gradients import GradientRule
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
"""Layers without parameters that treat every record separately."""

MIXING: tuple[type[nn.Module], ...] = (
    nn.modules.batchnorm._BatchNorm,
    nn.modules.batchnorm._LazyNormBase,
)
"""Layers through which one record affects another's gradient."""


@cache
def register() -> dict[type[nn.Module], GradientRule]:
    """Every supported layer class with parameters, and its rule."""
    rules: dict[type[nn.Module], GradientRule] = {}
    for module in pkgutil.iter_modules(__path__):
        layers = getattr(importlib.import_module(f"{__name__}.{module.name}"), "LAYERS", {})
        rules.update(layers)
    return rules


def check(network: nn.Module) -> None:
    """Refuse a network without known per-example gradients."""
    owners: dict[int, str] = {}
    for name, layer in network.named_modules():
        kind, place = type(layer).__name__, f" ({name})" if name else ""
        if isinstance(layer, MIXING):
            raise InvalidInput(
                f"layer is {kind}{place}, but it must treat every record on its own: it computes "
                "with averages over the batch, so clipping one record's gradient bounds nothing; "
                "use GroupNorm."
            )
        for label, parameter in layer.named_parameters(recurse=False):
            if id(parameter) in owners:
                raise InvalidInput(
                    f"layer is {kind}{place}, but its {label} must not be shared with "
                    f"{owners[id(parameter)]}: per-example gradients are counted once a layer."
                )
            owners[id(parameter)] = name or kind
        has_parameters = any(True for _ in layer.parameters(recurse=False))
        if has_parameters and type(layer) not in register():
            allowed = ", ".join(sorted(layer_type.__name__ for layer_type in register()))
            raise InvalidInput(f"layer is {kind}{place}, but with weights it must be {allowed}.")
        if not has_parameters and type(layer) not in WITHOUT_PARAMETERS:
            allowed = ", ".join(sorted(layer_type.__name__ for layer_type in WITHOUT_PARAMETERS))
            raise InvalidInput(
                f"layer is {kind}{place}, but without weights it must be one that is known to "
                f"treat every record on its own: {allowed}."
            )
        reshaped = layer.start_dim if isinstance(layer, nn.Flatten) else 1
        reshaped = layer.dim if isinstance(layer, nn.Unflatten) else reshaped
        if reshaped != 1:
            raise InvalidInput(
                f"layer is {kind}{place} from dimension {reshaped}, but it must begin at dimension "
                "1: dimension 0 counts the records."
            )
