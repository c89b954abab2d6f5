"""PyTorch under watch: which tensors hold noise, and what they are added to.

Noise is known by its storage, whatever views are taken of it. Its scale is the quotient of what it
has become and of what was drawn, so that it may be multiplied in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from dpcore.audit.watched import Mix, Watch, caller, raw

DRAWN = ("randn", "randn_like", "normal_", "normal")
CHOSEN = {"randperm": "permutation", "uniform_": "uniform", "rand": "random", "rand_like": "random"}
OTHERS = (
    *("randint", "randint_like", "random_", "multinomial", "bernoulli", "bernoulli_", "poisson"),
    *("exponential_", "geometric_", "cauchy_", "log_normal_", "dropout"),
)
ADDED = ("add", "add_", "sub", "sub_", "__radd__", "__rsub__")
SCALED = ("mul", "mul_", "div", "div_", "neg", "to", "clone", "double", "float", "contiguous")


class _Watched(TorchFunctionMode):
    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self.watch = watch
        # by place of the storage, which is kept: the numbers drawn, and their places, element-wise
        self.marks: dict[int, tuple[Tensor, Tensor, Tensor]] = {}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, kwargs = getattr(func, "__name__", ""), kwargs or {}
        if name in DRAWN:
            return self._draw(func(*args, **kwargs), name, args, kwargs)
        if name in CHOSEN or name in OTHERS:
            self.watch.choices.append((caller(), CHOSEN.get(name, name)))
        terms = [self._mark(part) for part in args[:2]] if name in (*ADDED, *SCALED) else []
        noisy = [place for place, mark in enumerate(terms) if mark is not None]
        if name in ADDED and len(noisy) == 1 and len(args) > 1:
            return self._meet(func, name, args, kwargs, noisy[0], terms[noisy[0]])
        result = func(*args, **kwargs)
        if name in SCALED and len(noisy) == 1 and isinstance(result, Tensor):
            unit, places = terms[noisy[0]]  # type: ignore[misc]
            self._keep(result, unit.expand_as(result), places.expand_as(result))
        return result

    def _draw(self, values: Tensor, name: str, args: Any, kwargs: Any) -> Any:
        line, given = caller(), list(args[name == "normal_" :] if "normal" in name else ())
        mean = kwargs.get("mean", given[0] if given else 0.0)
        std = kwargs.get("std", given[1] if len(given) > 1 else 1.0)
        drawn = self.watch.frozen(name, line, ((values - mean) / std).numpy(force=True))
        noise = self.watch.fresh(drawn, "normal", line)
        unit = torch.from_numpy(np.array(raw(noise))).to(values)
        numbers = torch.from_numpy(noise.mix.numbers).view(unit.shape)
        with torch.no_grad():
            values.copy_(unit * std + mean)
            if isinstance(mean, Tensor) or mean != 0.0:
                scale = torch.as_tensor(std, dtype=unit.dtype).expand_as(unit)
                return values.copy_(self._released(mean, numbers, scale, values))
        self._keep(values, unit, numbers)
        return values

    def _meet(self, func: Any, name: str, args: Any, kwargs: Any, place: int, mark: Any) -> Any:
        value, factor = args[1 - place], kwargs.get("alpha", 1.0)
        value = value.detach().clone() if isinstance(value, Tensor) else value
        unit, places = mark
        scale = args[place].detach() / unit * (factor if place == 1 else 1.0)
        value = value * (factor if place == 0 else 1.0)
        result = func(*args, **kwargs)
        with torch.no_grad():
            shape = result.shape
            released = self._released(value, places.expand(shape), scale.expand(shape), result)
            if name.endswith("_") and not name.startswith("_"):
                self.marks.pop(result.untyped_storage().data_ptr(), None)
            return result.copy_(released)

    def _released(self, value: Any, places: Tensor, scale: Tensor, result: Tensor) -> Tensor:
        numbers, factors = places.reshape(-1).numpy(), scale.cpu().reshape(-1).double().numpy()
        mix = Mix(np.ones(len(numbers), np.int64), numbers, factors)
        value = value.cpu().double().numpy() if isinstance(value, Tensor) else value
        entered = np.broadcast_to(value, tuple(result.shape))
        released = self.watch.meet("normal", entered, mix, result.numpy(force=True))
        return torch.from_numpy(released).to(result)

    def _keep(self, tensor: Tensor, unit: Tensor, places: Tensor) -> None:
        storage, layout = tensor.untyped_storage(), _layout(tensor)
        size = storage.nbytes() // tensor.element_size()
        units, numbers = torch.ones(size, dtype=tensor.dtype), torch.full((size,), -1)
        torch.as_strided(units, *layout).copy_(unit.cpu())
        torch.as_strided(numbers, *layout).copy_(places)
        self.marks[storage.data_ptr()] = tensor, units, numbers

    def _mark(self, part: Any) -> tuple[Tensor, Tensor] | None:
        if not isinstance(part, Tensor) or not self.marks:
            return None
        try:
            mark = self.marks.get(part.untyped_storage().data_ptr())
        except (RuntimeError, NotImplementedError):  # a tensor inside of a transform
            return None
        if mark is None:
            return None
        unit, places = (torch.as_strided(each, *_layout(part)) for each in mark[1:])
        return (unit.to(part), places) if bool((places >= 0).all()) else None


def _layout(tensor: Tensor) -> tuple[Any, Any, Any]:
    return tensor.size(), tensor.stride(), tensor.storage_offset()


@contextmanager
def watching_torch(watch: Watch) -> Iterator[None]:
    """Watch PyTorch, whose own generator begins anew."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        with _Watched(watch):
            yield
