"""Noise that is watched: the numbers drawn that it is made of, and the values that it is added to.

While a `Watch` is on, NumPy's generators return `WatchedNoise`: arrays that know how they follow
from the numbers drawn (`mix`). Multiples, sums and rearrangements of noise are `WatchedNoise`.
Where it is added to a value it is released: a `Meeting` keeps the value, and the sum goes on as a
plain array. A second run is handed the sums of the first, so that its later steps see what an
observer of the first has seen, as every proof of adaptive methods supposes; it stops where it takes
another way.

Noise escapes where it becomes a plain number (`float`), or is written into a plain array: its
numbers are then `unused`, as are those that nothing is done with. A watch replaces functions of
NumPy and PyTorch, so that nothing else may run beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

LAWS = {
    **dict.fromkeys(("standard_normal", "normal", "randn"), "normal"),
    **dict.fromkeys(("laplace", "exponential", "standard_exponential"), "laplace"),
    "gumbel": "gumbel",
    **dict.fromkeys(("gamma", "standard_gamma", "logistic", "standard_cauchy"), "other"),
}
CHOICES = ("permutation", "permuted", "shuffle", "choice")
"""Draws of who takes part. All others may be noise that cannot be seen."""
REARRANGED = (
    *("stack", "concatenate", "vstack", "hstack", "tile", "diag", "broadcast_to", "moveaxis"),
    *("expand_dims", "triu", "tril", "roll", "flip", "reshape", "transpose", "ravel", "copy"),
    *("swapaxes", "squeeze", "repeat", "take", "diagonal"),
)
LINEAR = ("sum", "mean", "cumsum", "trace", "dot", "matmul", "einsum", "tensordot", "inner", "diff")
MOST = 3_000
"""Numbers that a linear function is probed with."""
LIBRARIES = tuple(str(Path(sys.modules[name].__file__ or "").parent) for name in ("numpy", "scipy"))
OWN = str(Path(__file__).with_name("watched"))
AS_ARRAY, DEFAULT_RNG = np.asarray, np.random.default_rng
"""As they are without a watch."""


@dataclass(frozen=True, eq=False)
class Mix:
    """How elements follow from drawn numbers: of each, how many, which, and times what."""

    counts: Any
    numbers: Any
    factors: Any

    @property
    def rows(self) -> Any:
        """The element of each factor."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def scales(self) -> Any:
        """The standard deviation of each element, in units of a drawn number's."""
        return np.sqrt(np.bincount(self.rows, self.factors**2, len(self.counts)))

    @property
    def matrix(self) -> tuple[Any, Any]:
        """The numbers that occur, and the factors of these, sparse."""
        numbers, columns = np.unique(self.numbers, return_inverse=True)
        entries = self.factors, columns, np.concatenate([[0], np.cumsum(self.counts)])
        return numbers, sparse.csr_array(entries, (len(self.counts), len(numbers)))

    def of(self, places: Any) -> Mix:
        """The mix of the elements at these places."""
        places = np.ravel(places)
        counts, starts = self.counts[places], np.cumsum(self.counts) - self.counts
        begin = np.repeat(starts[places] - (np.cumsum(counts) - counts), counts)
        at = begin + np.arange(len(begin))
        return Mix(counts, self.numbers[at], self.factors[at])

    def times(self, factors: Any) -> Mix:
        """Each element times its factor."""
        spans = np.repeat(np.broadcast_to(factors, self.counts.shape), self.counts)
        return Mix(self.counts, self.numbers, self.factors * spans)


def blank(size: int) -> Mix:
    """No noise."""
    return Mix(np.zeros(size, np.int64), np.zeros(0, np.int64), np.zeros(0))


def stacked(mixes: Sequence[Mix]) -> Mix:
    """One after the other."""
    fields = ("counts", "numbers", "factors")
    return Mix(*(np.concatenate([getattr(mix, name) for mix in mixes]) for name in fields))


def added(mixes: Sequence[Mix]) -> Mix:
    """Element by element."""
    numbers, every = stacked(mixes).matrix
    size = len(mixes[0].counts)
    return mixed(numbers, sum(every[at : at + size] for at in range(0, every.shape[0], size)))


def mixed(numbers: Any, matrix: Any) -> Mix:
    """Elements by their factors of these numbers, a row each."""
    matrix.sum_duplicates()
    return Mix(np.diff(matrix.indptr), numbers[matrix.indices], matrix.data)


class DivergedError(Exception):
    """The second run takes another way than the first."""


@dataclass(eq=False)
class Meeting:
    """WatchedNoise, and the value that it is added to."""

    line: str
    law: str  # as in `LAWS`, or "mixed" where noise and values are joined in another way
    value: Any  # of the shape of `released`, unless "mixed"
    mix: Mix
    released: Any


@dataclass(eq=False)
class Watch:
    """What is seen of a run; of a second one, where `first` is given."""

    first: Watch | None = None
    changed: frozenset[int] = frozenset()  # numbers that are to be others than were drawn
    gathers: bool = True  # whether noise that is added to new zeros is still noise
    meetings: list[Meeting] = field(default_factory=list)
    draws: list[tuple[tuple[object, ...], Any]] = field(default_factory=list)
    choices: list[tuple[str, str]] = field(default_factory=list)  # line, name
    entropy: Any = field(default_factory=lambda: DEFAULT_RNG(0))
    known: dict[Any, int] = field(default_factory=dict)
    # of each number its line, and how many meetings there were before
    origin: list[tuple[str, int]] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    repeated: set[int] = field(default_factory=set)  # drawn again, from the same seed

    def fresh(self, values: Any, law: str, line: str) -> WatchedNoise:
        """WatchedNoise of drawn numbers, of unit size.

        A number that was drawn before, from the same seed, is the same one.
        """
        flat = np.ravel(values)
        # In single precision two numbers may be equal by chance, but not two arrays.
        single = flat.dtype.itemsize < 8
        keys = [(flat.tobytes(), at) for at in range(flat.size)] if single else flat.tolist()
        for key in keys:
            if self.known.setdefault(key, len(self.origin)) == len(self.origin):
                self.origin.append((line, len(self.meetings)))
            else:
                self.repeated.add(self.known[key])
        numbers = np.array([self.known[key] for key in keys], np.int64)
        if self.changed:
            is_changed = np.isin(numbers, list(self.changed)).reshape(np.shape(values))
            values = np.where(is_changed, -3.0 * values, values).astype(flat.dtype)
        return made(values, Mix(np.ones(flat.size, np.int64), numbers, np.ones(flat.size)), law)

    def frozen(self, name: str, line: str, values: Any, asked: str = "") -> Any:
        """The numbers that are drawn: in the second run, those of the first."""
        key, place = (line, name, np.shape(values), asked), len(self.draws)
        if self.first is not None:
            past = self.first.draws[place : place + 1]
            if not past or past[0][0] != key:
                raise DivergedError(f"{line}: {name}{key[2:]} is drawn in one run only")
            values = past[0][1]
        self.draws.append((key, np.array(values)))
        return np.array(values)

    def meet(self, law: str, value: Any, mix: Any, released: Any) -> Any:
        """Keep a value that noise is added to; return the sum, of the first run in the second."""
        line, place = caller(), len(self.meetings)
        if self.first is not None:
            past = self.first.meetings[place : place + 1]
            if not past or (past[0].line, past[0].value.shape) != (line, np.shape(value)):
                raise DivergedError(f"{line}: noise meets a value here in one run only")
            released = past[0].released
        self.used.update(mix.numbers.tolist())
        meeting = Meeting(line, law, np.array(value, float), mix, np.array(released))
        self.meetings.append(meeting)
        return np.array(released)

    @property
    def unused(self) -> frozenset[int]:
        """Numbers that were not seen to meet a value."""
        return frozenset(range(len(self.origin))) - self.used

    def unclear(self, public: Sequence[str]) -> list[str]:
        """Lines of draws that may be noise unseen, but for those of `public` names."""
        clear = {*CHOICES, *public}
        return sorted({line for line, name in self.choices if name not in clear})


WATCHES: list[Watch] = []


def current() -> Watch:
    return WATCHES[-1]


def caller() -> str:
    """File and line at work, outside of libraries and of the watch."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        path = frame.f_code.co_filename
        if "/torch/" not in path and not path.startswith((*LIBRARIES, OWN, "<")):
            break
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


class WatchedNoise(np.ndarray):
    """WatchedNoise of one law; where `mix` is none it is only room for it, with plain values."""

    mix: Any = None
    law: str = "normal"
    is_untouched = False  # zeros to which nothing was added yet

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        out = named.pop("out", (None,))[0]
        result = _of_ufunc(ufunc, method, inputs, raw(named))
        if out is None:
            return result
        raw(out)[...] = raw(result)
        if isinstance(out, WatchedNoise):
            out.is_untouched = False
            out.mix, out.law = (result.mix, result.law) if has_noise(result) else (None, out.law)
        return out

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        name, inputs = func.__name__, [*args, *kwargs.values()]
        if noises(inputs) and name in REARRANGED:
            return rearranged(lambda first: func(first, *args[1:], **kwargs), args[0])
        if noises(inputs) and name in LINEAR:
            return linear(lambda *parts: func(*parts, **kwargs), args)
        values = func(*raw(args), **raw(kwargs))
        is_plain = name.endswith("_like") or name in ("shape", "ndim", "size")
        return values if is_plain or not noises(inputs) else bent(values, inputs)

    def __getitem__(self, key: Any) -> Any:
        if self.mix is not None:
            return rearranged(lambda first: first[raw(key)], self)
        values = raw(self)[raw(key)]
        return room(values, self.is_untouched) if isinstance(values, np.ndarray) else values

    def __setitem__(self, key: Any, value: Any) -> None:
        raw(self)[raw(key)] = raw(value)
        self.is_untouched = False
        if self.mix is None and not has_noise(value):
            return
        places = np.arange(self.size).reshape(self.shape)[raw(key)]
        after = blank(self.size)
        if has_noise(value):
            self.law, after = value.law, spread(value, np.shape(places))
        rows = np.arange(self.size)
        rows[np.ravel(places)] = self.size + np.arange(np.size(places))
        mix = stacked([self.mix or blank(self.size), after]).of(rows)
        self.mix = mix if len(mix.numbers) else None

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """As of an array."""
        values = raw(self).astype(dtype, *args, **kwargs)
        return values if self.mix is None else made(values, self.mix, self.law)

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        """As of an array."""
        return np.reshape(self, shape[0] if len(shape) == 1 else shape, **kwargs)

    def transpose(self, *axes: Any) -> Any:
        """As of an array."""
        return np.transpose(self, axes[0] if len(axes) == 1 else axes or None)

    @property
    def T(self) -> Any:
        """As of an array."""
        return self.transpose()


def _method(function: Any) -> Any:
    return lambda self, *args, **kwargs: function(self, *args, **kwargs)


for _name in (
    *("ravel", "copy", "swapaxes", "squeeze", "repeat", "take", "diagonal", "sum", "mean"),
    *("cumsum", "trace", "dot", "max", "min", "argmax", "argmin", "prod", "std", "var", "any"),
    *("all", "clip"),
):
    setattr(WatchedNoise, _name, _method(getattr(np, _name)))


def _of_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], named: Any) -> Any:
    def plainly(*parts: Any) -> Any:
        return getattr(ufunc, method)(*parts, **named)

    noisy, values = noises(list(inputs)), plainly(*raw(list(inputs)))
    if not noisy:
        return values
    if ufunc is np.matmul or (ufunc is np.add and method == "reduce"):
        return linear(np.matmul if ufunc is np.matmul and not named else plainly, inputs)
    if method != "__call__":
        return bent(values, inputs)
    if ufunc in (np.add, np.subtract, np.negative):
        terms = []
        for place, part in enumerate(inputs):
            if has_noise(part):
                minus = ufunc is np.negative or (ufunc is np.subtract and place == 1)
                terms.append(spread(part, values.shape).times(-1.0 if minus else 1.0))
        mix = terms[0] if len(terms) == 1 else added(terms)
        law = noisy[0].law if len({noise.law for noise in noisy}) == 1 else "other"
        others = [part for part in inputs if not has_noise(part)]
        if not others or _is_nothing(others[0]):
            return made(values, mix, law)
        return current().meet(law, np.broadcast_to(raw(others[0]), values.shape), mix, values)
    is_scaled = ufunc is np.multiply or (ufunc is np.divide and has_noise(inputs[0]))
    if len(noisy) == 1 and is_scaled:
        factor = np.asarray(raw(inputs[1] if has_noise(inputs[0]) else inputs[0]), float)
        factor = 1.0 / factor if ufunc is np.divide else factor
        spans = np.broadcast_to(factor, values.shape).ravel()
        return made(values, spread(noisy[0], values.shape).times(spans), noisy[0].law)
    return bent(values, inputs)


def _is_nothing(value: Any) -> bool:
    if not current().gathers:
        return False
    if isinstance(value, WatchedNoise):
        return value.is_untouched and not raw(value).any()
    return type(value) is int and value == 0  # as `sum` begins


def has_noise(part: Any) -> bool:
    return isinstance(part, WatchedNoise) and part.mix is not None


def noises(value: Any) -> list[WatchedNoise]:
    """Every array with noise in it, in order."""
    if isinstance(value, (list, tuple)):
        return [noise for part in value for noise in noises(part)]
    return [value] if has_noise(value) else []


def plain_arrays(value: Any) -> list[Any]:
    """Every other array or number of NumPy's, which may come from records."""
    if isinstance(value, (list, tuple)):
        return [array for part in value for array in plain_arrays(part)]
    is_plain = isinstance(value, (np.ndarray, np.generic)) and not has_noise(value)
    return [raw(value)] if is_plain else []


def raw(value: Any) -> Any:
    """The same with plain arrays in the place of noise."""
    if isinstance(value, WatchedNoise):
        return value.view(np.ndarray)
    if type(value) in (list, tuple):
        return type(value)(raw(part) for part in value)
    return {key: raw(part) for key, part in value.items()} if type(value) is dict else value


def room(values: Any, is_untouched: bool) -> WatchedNoise:
    """Room for noise, which holds these values."""
    result: WatchedNoise = values.view(WatchedNoise)
    result.is_untouched = is_untouched
    return result


def made(values: Any, mix: Any, law: str) -> WatchedNoise:
    """WatchedNoise of these values."""
    result = np.ndarray.view(AS_ARRAY(values), WatchedNoise)
    result.mix, result.law = mix, law
    return result


def spread(noise: WatchedNoise, shape: tuple[int, ...]) -> Any:
    """The mix of noise that is broadcast."""
    places = np.arange(noise.size).reshape(noise.shape)
    return noise.mix.of(np.broadcast_to(places, shape))


def rearranged(function: Callable[[Any], Any], first: Any) -> Any:
    """Noise in another order: what is done to the places of its elements is done to their mix."""
    noisy, start = noises(first), 1
    values = function(raw(first))
    if any(np.any(array) for array in plain_arrays(first)):
        return values  # beside plain values it escapes

    def places(part: Any) -> Any:
        nonlocal start
        if isinstance(part, (list, tuple)):
            return [places(each) for each in part]
        start += part.size if has_noise(part) else 0
        whole = np.zeros(np.shape(part), np.int64)
        return (
            whole + np.arange(start - part.size, start).reshape(part.shape)
            if has_noise(part)
            else whole
        )

    mix = stacked([blank(1), *(noise.mix for noise in noisy)])
    order = np.asarray(function(places(first)), np.int64)
    return made(values, mix.of(order), noisy[0].law)


def linear(function: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    """What is linear in noise: the image of each unit vector is asked for."""
    values, (noise, *more) = function(*raw(list(inputs))), noises(list(inputs))
    if more or noise.size > MOST:
        return bent(values, inputs)

    def image(unit: Any) -> Any:
        unit = unit.reshape(noise.shape)
        return np.ravel(function(*(unit if part is noise else raw(part) for part in inputs)))

    numbers, matrix = noise.mix.matrix
    left: Any = raw(inputs[0])
    if function is np.matmul and left.ndim == noise.ndim == 2 and noise is inputs[1]:
        images: Any = sparse.kron(sparse.csr_array(left), sparse.eye_array(noise.shape[1]))
    else:
        images = np.array([image(unit) for unit in np.eye(noise.size)]).T
    return made(values, mixed(numbers, sparse.csr_array(images) @ matrix), noise.law)


def bent(values: Any, inputs: Sequence[Any]) -> Any:
    """What is not linear: of noise alone it is other noise; with values it hides a meeting."""
    watch, noisy, plain = current(), noises(inputs), plain_arrays(inputs)
    mix = stacked([noise.mix for noise in noisy])
    if plain:
        entered = np.concatenate([np.ravel(part).astype(float) for part in plain])
        return watch.meet("mixed", entered, mix, values)
    if np.asarray(values).dtype.kind != "f" or not len(mix.numbers):
        return values
    watch.used.update(mix.numbers.tolist())  # they live on in the new numbers
    return watch.fresh(values, "other", watch.origin[mix.numbers[0]][0])
