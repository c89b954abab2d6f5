"""NumPy under watch: its generators return noise that knows its numbers, and some arrays keep it.

Draws are frozen: whoever asks for no seed gets one from the watch, and so does whoever asks the
operating system. A draw that is neither one of `LAWS` nor a choice of records is noted, as it may
be noise that cannot be seen.
"""

from __future__ import annotations

import os
import random
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from dpcore.audit.watched import (
    LAWS,
    LIBRARIES,
    OWN,
    WATCHES,
    Watch,
    caller,
    current,
    linear,
    noises,
    raw,
    room,
)
from dpcore.erm.methods import dpftrl
from dpcore.mechanisms.entropy import SystemNoise
from dpcore.mechanisms.toeplitz import correlated

NO_DRAWS = ("bit_generator", "get_state", "seed", "set_state", "spawn")


def watched(base: type) -> type:
    """A generator of NumPy's whose draws are watched, and which is never unseeded."""

    def begin(self: Any, seed: Any = None) -> None:
        seed = current().entropy.integers(2**32) if seed is None else seed
        base.__init__(self, seed)  # type: ignore[misc]

    names = [name for name in dir(base) if name[0] != "_" and name not in NO_DRAWS]
    noise = {name: _noise(getattr(base, name), name) for name in names if name in LAWS}
    choices = {name: _choice(getattr(base, name), name) for name in names if name not in LAWS}
    return type(f"Watched{base.__name__}", (base,), {"__init__": begin, **choices, **noise})


def _choice(function: Any, name: str) -> Any:
    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        # By given probabilities it may be private.
        is_free = name == "choice" and (len(args) > 3 or kwargs.get("p") is not None)
        current().choices.append((caller(), "choice by p" if is_free else name))
        return function(self, *raw(args), **raw(kwargs))

    return draw


SCALED = {
    **dict.fromkeys(("normal", "laplace", "gumbel", "logistic"), ("loc", "scale")),
    "exponential": ("scale",),
}
"""The first arguments of draws; of others, all but the size is of the law."""


def _noise(function: Any, name: str) -> Any:
    """Noise by a method of a generator: its location counts as added, its scale as multiplied."""
    names = SCALED.get(name, ())

    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        watch, line = current(), caller()
        given = dict(zip((*names, "size"), args, strict=False)) if names else {}
        kwargs, rest = {**kwargs, **given}, () if names else args
        location, scale = kwargs.pop("loc", 0.0), kwargs.pop("scale", 1.0) if names else 1.0
        if names and kwargs.get("size") is None:
            kwargs["size"] = np.broadcast_shapes(np.shape(location), np.shape(scale)) or None
        with patch.object(watch, "choices", []):  # what it does inside is its own
            unit = function(self, *rest, **kwargs)
        unit = watch.frozen(name, line, unit, repr((raw(rest), raw(kwargs))))
        noise: Any = watch.fresh(unit, LAWS[name], line)
        is_noise = type(location) in (int, float) and location == 0
        return scale * noise if is_noise else location + scale * noise

    return draw


WatchedGenerator, WatchedState = watched(np.random.Generator), watched(np.random.RandomState)


def _default_rng(seed: Any = None) -> Any:
    if isinstance(seed, np.random.Generator):
        return seed
    if not isinstance(seed, np.random.BitGenerator):
        seed = np.random.PCG64(current().entropy.integers(2**32) if seed is None else seed)
    return WatchedGenerator(seed)


def _urandom(count: int) -> bytes:
    line = caller()
    if not line.startswith(("uuid.py", "tempfile.py")):  # they make names
        current().choices.append((line, "urandom"))
    return bytes(current().entropy.bytes(count))


def _converted(function: Any) -> Any:
    def convert(value: Any, dtype: Any = None, **kwargs: Any) -> Any:
        if _in_library() or not noises(value):
            return function(raw(value), dtype, **kwargs)
        result = _stacked(value)
        return result if dtype is None else result.astype(dtype)

    return convert


def _stacked(value: Any) -> Any:
    is_list = isinstance(value, (list, tuple))
    return np.stack([_stacked(part) for part in value]) if is_list else value


def _room(function: Any, *, is_untouched: bool) -> Any:
    def make(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        is_plain = result.dtype.kind != "f" or _in_library()
        return result if is_plain else room(result, is_untouched)

    return make


def _in_library() -> bool:
    path = sys._getframe(3).f_code.co_filename
    return path.startswith((*LIBRARIES, OWN)) or "/torch/" in path


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Watch what runs inside."""
    WATCHES.append(watch)
    state, python = WatchedState(0), random.getstate()
    with ExitStack() as stack:
        stack.callback(WATCHES.pop)

        thread = threading.get_ident()

        def replace(place: Any, name: str, by: Any) -> None:
            usual = getattr(place, name)

            def chosen(*args: Any, **kwargs: Any) -> Any:  # other threads draw as ever
                is_here = WATCHES and threading.get_ident() == thread
                return (by if is_here else usual)(*args, **kwargs)

            stack.enter_context(patch.object(place, name, by if isinstance(by, type) else chosen))

        for name in ("asarray", "array"):
            replace(np, name, _converted(getattr(np, name)))
        for name in ("zeros", "empty"):
            replace(np, name, _room(getattr(np, name), is_untouched=name == "zeros"))
        replace(np.random, "default_rng", _default_rng)
        replace(np.random, "RandomState", WatchedState)
        for name in vars(WatchedState):
            if name[0] != "_" and hasattr(np.random, name):
                replace(np.random, name, getattr(state, name))
        replace(np.random, "seed", state.seed)
        for name in ("standard_normal", "laplace", "gamma"):
            replace(SystemNoise, name, _noise(getattr(SystemNoise, name), name))
        # By a Fourier transform, which no watch follows.
        replace(dpftrl, "correlated", lambda draws: linear(correlated, [draws]))
        for place, name in ((os, "urandom"), (random, "_urandom")):
            replace(place, name, _urandom)
        random.seed(0)
        begun = random.getstate()
        try:
            yield
        finally:
            if random.getstate() != begun:
                watch.choices.append(("random", "random"))
            random.setstate(python)
