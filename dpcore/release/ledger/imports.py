"""What other programs say was spent, taken over as declared and not checked.

Three forms, told apart by their fields:

- Opacus: ``accountant.state_dict()`` as JSON, ``{"history": [[noise multiplier, sample rate,
  steps], …], "mechanism": …}``. Its samples are taken for Poisson samples, and its noise multiplier
  for σ/C; Opacus cannot tell whether the loader drew batches that way.
- OpenDP: ``{"measure": "MaxDivergence", "parameters": {"scale": 2.0}, "sensitivity": 1.0}``. Of
  ``MaxDivergence`` the scale is Laplace's, or `epsilon` is given; of ``ZeroConcentratedDivergence``
  it is σ, or `rho` is given: OpenDP's noise is discrete, so it counts as zCDP. Of ``Approximate…``
  and ``FixedSmoothedMaxDivergence``, `epsilon` and `delta` are given. The sensitivity is that under
  the data set's adjacency; it is asked for with a scale alone.
- Anything else: ``{"epsilon": 1.0, "delta": 1e-6, "source": "…"}``.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from dpcore.accounting.decimals import as_typed, named_above
from dpcore.errors import InvalidInput, number, one_of
from dpcore.release.ledger.spends import (
    ApproximateSpend,
    Checked,
    ConcentratedSpend,
    DeclaredSpend,
    PureSpend,
    SubsampledGaussianSpend,
)
from dpcore.words import spaced

MAX_LINES = 1_000
MEASURES = (
    "MaxDivergence",
    "ZeroConcentratedDivergence",
    "Approximate<MaxDivergence>",
    "FixedSmoothedMaxDivergence",
)
SOURCE = "source"


def declared(document: str) -> list[DeclaredSpend]:
    """The spends that a JSON document in one of the module's three forms declares."""
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
