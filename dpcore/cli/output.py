"""The output of the commands: strict JSON, verdicts on conditions, a progress line."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from dpcore.errors import InvalidInput, reject
from dpcore.words import at_least, at_most


def print_json(value: object) -> None:
    """`value` as one JSON document on standard output."""
    print(json.dumps(_finite(value), ensure_ascii=False, indent=2))


def print_conditions(conditions: Iterable[dict[str, Any]]) -> None:
    """Print a line for each condition, with the reason where it is not met."""
    for condition in conditions:
        word = "met" if condition["met"] else "NOT met"
        if condition["met"] and condition["assumed"]:
            word = "assumed, on your word"
        print(f"condition {word}: {condition['condition']}")
        if condition["why"]:
            print(f"  {condition['why']}")


def shown(value: float | None) -> str:
    """A proved value, or that there is none."""
    return "(no proved value)" if value is None else upward(value)


def print_mu(mu: float | None, least: float) -> None:
    """μ where there is one, and that both errors of an attack are at least so large."""
    if mu is not None:
        print(f"mu = {upward(mu)} (Gaussian DP where both errors are at least {upward(least)})")


def upward(value: float, digits: int = 10) -> str:
    """`value` rounded up to this many digits: more noise, larger ε and δ."""
    return at_most(value, digits)


def downward(value: float, digits: int = 10) -> str:
    """`value` rounded down to this many digits: for lower bounds and for C."""
    return at_least(value, digits)


def progress(fraction: float, message: str) -> None:
    """A progress line, on a terminal only."""
    if sys.stderr.isatty():
        end = "\n" if fraction >= 1.0 else ""
        print(f"\r{fraction:6.1%}  {message:<60}", end=end, file=sys.stderr, flush=True)


@contextmanager
def writing(output: str, allowed: str) -> Iterator[None]:
    """Refuse `output` where the system does, with its reason; `allowed` words what can be named."""
    try:
        yield
    except OSError as error:
        raise reject("output", output, f"{allowed} ({error.strerror})") from None


@contextmanager
def standing(where: str) -> Iterator[None]:
    """Say where the payment stands if something ends the release after it."""
    try:
        yield
    except InvalidInput as refusal:
        raise InvalidInput(f"{refusal} {where}") from None
    except BaseException:
        print(where, file=sys.stderr)
        raise


def _finite(value: object) -> object:
    """`value` with null for numbers that are not finite: valid JSON, and no ε to compute with."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
