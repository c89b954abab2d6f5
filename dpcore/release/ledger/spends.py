"""Spends: frozen descriptions of what is paid for, checked when they are made.

A noise multiplier is σ/C, the noise on a sum of records clipped to norm C, whatever the adjacency;
under replace-one the sum moves by 2C, which the ledger counts. A release whose own L2 sensitivity Δ
under replace-one is known has the noise multiplier 2σ/Δ.

What other programs say was spent is taken over as declared and not checked (`declared`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from dpcore.accounting import renyi
from dpcore.accounting.decimals import as_typed, decimal, named_above
from dpcore.accounting.events import (
    Event,
    FixedSampled,
    Gaussian,
    PoissonSampled,
    Repeated,
    Step,
    steps,
)
from dpcore.errors import InvalidInput, number, one_of, whole
from dpcore.guarantee import SMALLEST_DELTA, Adjacency
from dpcore.words import spaced

MIN_MULTIPLIER, MAX_MULTIPLIER = 0.1, 1e6
"""Less noise than this has an ε of 50 and more, at which no cap is a promise."""
MIN_RATE = 1e-9
MIN_EPSILON, MAX_EPSILON = 1e-9, 1e3
MAX_COUNT = 10_000_000
SAMPLINGS = ("poisson", "fixed")
MAX_LINES = 1_000
MEASURES = (
    "MaxDivergence",
    "ZeroConcentratedDivergence",
    "Approximate<MaxDivergence>",
    "FixedSmoothedMaxDivergence",
)
SOURCE = "source"


@dataclass(frozen=True)
class GaussianSpend:
    """Releases with normal noise on all records; of a discrete Gaussian see `ConcentratedSpend`."""

    noise_multiplier: float  # σ/C
    count: int = 1  # each with fresh noise; may be adaptive
    adjacency: Adjacency | None = None  # by default, here and below, that of the data set

    def __post_init__(self) -> None:
        _set(self, noise_multiplier=_multiplier(self.noise_multiplier), count=_count(self.count))
        _set(self, adjacency=_adjacency(self.adjacency))

    def step(self) -> Step:
        """The releases as accountants read them."""
        return _step(Repeated(Gaussian(self.noise_multiplier), self.count))


@dataclass(frozen=True)
class SubsampledGaussianSpend:
    """A training whose steps are fixed before it begins: noisy sums over sampled records."""

    noise_multiplier: float  # σ/C
    sampling_rate: float  # q, the expected share of the records a step
    steps: int
    sampling: str = "poisson"  # or "fixed": batches of fixed size without replacement
    adjacency: Adjacency | None = None

    def __post_init__(self) -> None:
        _set(self, noise_multiplier=_multiplier(self.noise_multiplier), steps=_count(self.steps))
        rate = number("sampling rate", self.sampling_rate, at_least=MIN_RATE, at_most=1.0)
        _set(self, sampling_rate=rate, sampling=one_of("sampling", self.sampling, SAMPLINGS))
        _set(self, adjacency=_adjacency(self.adjacency))

    def step(self) -> Step:
        """The training as accountants read it."""
        sampled = PoissonSampled if self.sampling == "poisson" else FixedSampled
        one = sampled(self.sampling_rate, Gaussian(self.noise_multiplier))
        return _step(Repeated(one, self.steps))


@dataclass(frozen=True)
class PureSpend:
    """What is (ε, 0)-private: Laplace noise, randomised response, the exponential mechanism.

    ε is counted as its digits are typed; it is a text where no float has them.
    """

    epsilon: float | str
    adjacency: Adjacency | None = None

    def __post_init__(self) -> None:
        _set(self, epsilon=_epsilon(self.epsilon), adjacency=_adjacency(self.adjacency))


@dataclass(frozen=True)
class ConcentratedSpend:
    """What is ρ-zCDP, such as noise of a discrete Gaussian, which no Gaussian DP is proved for."""

    rho: float  # Δ²/(2σ²) of such noise
    adjacency: Adjacency | None = None

    def __post_init__(self) -> None:
        rho = number("ρ", self.rho, at_least=MIN_EPSILON**2, at_most=MAX_EPSILON)
        _set(self, rho=rho, adjacency=_adjacency(self.adjacency))


@dataclass(frozen=True)
class ApproximateSpend:
    """Anything of which an (ε, δ) is known: what PLD certifies for steps fixed beforehand, too."""

    epsilon: float | str  # both as of a `PureSpend`
    delta: float | str
    adjacency: Adjacency | None = None

    def __post_init__(self) -> None:
        number("δ", self.delta, at_least=SMALLEST_DELTA, below=1.0)
        _set(self, epsilon=_epsilon(self.epsilon), delta=_digits("δ", self.delta))
        _set(self, adjacency=_adjacency(self.adjacency))


Checked = GaussianSpend | SubsampledGaussianSpend | PureSpend | ConcentratedSpend | ApproximateSpend


@dataclass(frozen=True)
class DeclaredSpend:
    """A spend taken over from elsewhere: declared, not checked."""

    spend: Checked  # what it is counted as
    source: str  # who says so

    def __post_init__(self) -> None:
        _set(self, source=text("source", self.source))


Spend = Checked | DeclaredSpend
_KINDS: dict[str, type[Checked]] = {
    "gaussian": GaussianSpend,
    "subsampled Gaussian": SubsampledGaussianSpend,
    "pure": PureSpend,
    "concentrated": ConcentratedSpend,
    "approximate": ApproximateSpend,
}
NOUNS = {
    "gaussian": "release",
    "subsampled Gaussian": "training",
    "pure": "release",
    "concentrated": "release",
    "approximate": "spend",
}
"""What one of each is called in a sentence."""
LONGEST_TEXT = 200


def checked(spend: Spend) -> Checked:
    """What a spend is counted as."""
    inner = spend.spend if isinstance(spend, DeclaredSpend) else spend
    if not isinstance(inner, tuple(_KINDS.values())):
        raise InvalidInput(
            f"The spend is of the type {type(inner).__name__}, but it must be one of "
            f"{', '.join(kind.__name__ for kind in (*_KINDS.values(), DeclaredSpend))}."
        )
    return inner


def mechanism_epsilon(spend: PureSpend | ApproximateSpend) -> float:
    """The ε for the mechanism that is paid for: the float at or below the typed decimal."""
    typed = decimal(spend.epsilon)
    return float(typed) if Fraction(float(typed)) <= typed else math.nextafter(float(typed), 0.0)


def kind_of(spend: Spend) -> str:
    """Its kind as the history names it."""
    inner = checked(spend)
    return next(name for name, kind in _KINDS.items() if isinstance(inner, kind))


def to_json(spend: Spend) -> dict[str, Any]:
    """The spend as plain data."""
    inner = checked(spend)
    plain = {name: value for name, value in asdict(inner).items() if value is not None}
    plain["kind"] = kind_of(spend)
    if isinstance(spend, DeclaredSpend):
        plain |= {"source": spend.source, "standing": "declared, not checked"}
    return plain


def from_json(plain: Mapping[str, Any]) -> Spend:
    """The spend of `to_json`."""
    own = {name: value for name, value in plain.items() if name not in _OUTSIDE}
    kind = one_of("kind", plain.get("kind"), tuple(_KINDS))
    try:
        spend: Checked = _KINDS[kind](**own)
    except TypeError:
        raise InvalidInput(f"A spend of the kind “{kind}” has other fields.") from None
    return DeclaredSpend(spend, plain["source"]) if "source" in plain else spend


_OUTSIDE = ("kind", "source", "standing")


def refusal(spend: Spend, adjacency: Adjacency) -> str:
    """Why nothing is proved for a spend under an adjacency, or "" where it is."""
    inner = checked(spend)
    if inner.adjacency not in (None, adjacency):
        return (
            f"The adjacency of the spend is {inner.adjacency}, but that of the data set is "
            f"{adjacency}, and an ε of one says nothing about the other."
        )
    if isinstance(inner, SubsampledGaussianSpend):
        if renyi.ACCOUNTANT.covers(inner.step(), adjacency):
            return ""
        return f"No theorem here covers {inner.sampling} sampling under {adjacency}."
    return ""


_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
"""Letters and signs that look like nothing."""


def text(field: str, value: object) -> str:
    """A text for the history: not empty, printable, on one line."""
    result = " ".join(str(value).split()) if isinstance(value, str) else ""
    is_visible = result.isprintable() and _FILLERS.isdisjoint(result)
    # Marks that change a letter before them are visible only next to one.
    is_visible &= any(letter.isalnum() for letter in result)
    if not result or len(result) > LONGEST_TEXT or not is_visible:
        shown = value if isinstance(value, str) else repr(value)
        raise InvalidInput(
            f"{field} is {shown[:40]!r}, but it must be a text of 1 to {LONGEST_TEXT} printable "
            "letters."
        )
    return result


def _set(spend: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(spend, name, value)


def _multiplier(value: object) -> float:
    return number("noise multiplier", value, at_least=MIN_MULTIPLIER, at_most=MAX_MULTIPLIER)


def _count(value: object) -> int:
    return whole("count", value, at_least=1, at_most=MAX_COUNT)


def _epsilon(value: object) -> float | str:
    number("ε", value, at_least=MIN_EPSILON, at_most=MAX_EPSILON)
    return _digits("ε", value)


def _digits(field: str, value: object) -> float | str:
    """A checked number with all digits that were typed."""
    if not isinstance(value, str):
        return float(value)  # type: ignore[arg-type]
    decimal(value, field)
    return as_typed(value.strip())


def _adjacency(value: object) -> Adjacency | None:
    if value is None:
        return None
    return Adjacency(one_of("adjacency", str(value), tuple(map(str, Adjacency))))


def _step(event: Event) -> Step:
    (step,) = steps(event)
    return step


def declared(document: str) -> list[DeclaredSpend]:
    """The spends that a JSON document declares, in one of three forms, told apart by their fields.

    - Opacus: ``accountant.state_dict()`` as JSON, ``{"history": [[noise multiplier, sample rate,
      steps], …], "mechanism": …}``. Its samples are taken for Poisson samples, and its noise
      multiplier for σ/C; Opacus cannot tell whether the loader drew batches that way.
    - OpenDP: ``{"measure": "MaxDivergence", "parameters": {"scale": 2.0}, "sensitivity": 1.0}``. Of
      ``MaxDivergence`` the scale is Laplace's, or `epsilon` is given; of
      ``ZeroConcentratedDivergence`` it is σ, or `rho` is given: OpenDP's noise is discrete, so it
      counts as zCDP. Of ``Approximate…`` and ``FixedSmoothedMaxDivergence``, `epsilon` and `delta`
      are given. The sensitivity is that under the data set's adjacency; it is asked for with a
      scale alone.
    - Anything else: ``{"epsilon": 1.0, "delta": 1e-6, "source": "…"}``.
    """
    try:
        plain = json.loads(document, parse_float=as_typed)
    except (ValueError, RecursionError):
        raise InvalidInput("The file to import is no JSON.") from None
    if isinstance(plain, dict):
        if "history" in plain:
            return _opacus(plain)
        if "measure" in plain:
            return [DeclaredSpend(_opendp(plain), plain.get(SOURCE, "OpenDP"))]
        if "epsilon" in plain:
            return [DeclaredSpend(_pair(plain), plain.get(SOURCE, ""))]
    raise InvalidInput(
        "The file to import must be JSON with “history” (Opacus), “measure” (OpenDP), or “epsilon”,"
        " “delta” and “source”."
    )


def _opacus(plain: dict[str, Any]) -> list[DeclaredSpend]:
    lines = plain["history"]
    if not (
        isinstance(lines, list)
        and 1 <= len(lines) <= MAX_LINES
        and all(isinstance(line, list) and len(line) == 3 for line in lines)
    ):
        raise InvalidInput(
            f"history must hold 1 to {spaced(MAX_LINES)} lines of noise multiplier, sample rate "
            "and number of steps."
        )
    source = plain.get(SOURCE, f"Opacus, accountant {plain.get('mechanism', 'unknown')}")
    return [DeclaredSpend(SubsampledGaussianSpend(*line), source) for line in lines]


def _opendp(plain: dict[str, Any]) -> Checked:
    measure = one_of("measure", plain["measure"], MEASURES)
    given = plain.get("parameters")
    if not isinstance(given, dict):
        raise InvalidInput("parameters is missing, but it must hold the scale of the noise, or ε.")
    if measure not in MEASURES[:2]:
        return _pair(given)
    name = "epsilon" if measure == "MaxDivergence" else "rho"
    if "scale" in given:
        scale = number("scale", given["scale"], above=0.0)
        sensitivity = number("sensitivity", plain.get("sensitivity"), above=0.0)
        number("sensitivity over scale", sensitivity / scale, above=0.0)
        ratio = named_above(Fraction(sensitivity) / Fraction(scale))
        loss = ratio if name == "epsilon" else 0.5 * ratio**2
    else:
        number(name, given.get(name), above=0.0)
        loss = given[name]
    return PureSpend(loss) if name == "epsilon" else ConcentratedSpend(loss)


def _pair(plain: dict[str, Any]) -> Checked:
    epsilon: Any = plain.get("epsilon")
    delta: Any = plain.get("delta", 0.0)
    if number("δ", delta, at_least=0.0, below=1.0) == 0.0:
        return PureSpend(epsilon)
    return ApproximateSpend(epsilon, delta)
