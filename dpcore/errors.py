"""The one error that malformed input raises, worded for the person who typed it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from numbers import Integral

from dpcore.words import as_set, spaced, typed

MAX_LETTERS = 80
"""Most letters of a value repeated in a sentence."""
SHORTEST_PART = 3
"""Fewest typed letters for which a word that contains them is suggested."""


EXTRAS = {
    "distributed": "cluster",
    "psycopg": "postgresql",
    "starlette": "app",
    "streamlit": "app",
    "torch": "networks",
}
"""Packages that a plain installation leaves out, with the extra that brings each."""


class InvalidInput(ValueError):
    """Malformed input: one sentence that names the field, the value and what is allowed.

    An unmet theorem condition is *not* an error (see `dpcore.guarantee.Condition`).
    """


class Cancelled(Exception):
    """A long computation was stopped on request; its partial results are dropped."""


class MissingPackage(InvalidInput, ImportError):
    """A package of an extra is asked for and not installed: one sentence says how to get it."""


@contextmanager
def naming_extras() -> Iterator[None]:
    """Raise `MissingPackage` for a package of `EXTRAS` that is missing; a decorator, too."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        raise MissingPackage(
            f"This needs the package {package}, which is not installed: "
            f'pip install "epsilon-explorer[{EXTRAS[package]}]"'
        ) from None


def reject(field: str, value: object, allowed: str) -> InvalidInput:
    """The error for a bad `value` of `field`; `allowed` words the accepted values."""
    if isinstance(value, Integral):  # NumPy's too, whose repr names its type
        shown = cut(str(int(value)))
    elif isinstance(value, float):
        # Short where that is exact: "1 … must be at most 1" would help nobody.
        short = typed(value)
        shown = (
            short if not float(short) < value and not float(short) > value else str(float(value))
        )
    else:
        shown = brief(value)
    return InvalidInput(f"{field} is {shown}, but it must be {allowed}.")


def brief(value: object) -> str:
    """A value for use in a sentence: quoted if it is text, and cut where it is long."""
    if isinstance(value, str):
        return repr(cut(value))
    return cut(repr(value))


def cut(text: str) -> str:
    """The text, or its beginning and "…" where it has more letters than `MAX_LETTERS`."""
    return text if len(text) <= MAX_LETTERS else f"{text[: MAX_LETTERS - 1]}…"


def number(
    field: str,
    value: object,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    at_least: float = -math.inf,
    at_most: float = math.inf,
) -> float:
    """Check `value` as a finite float within the given limits, or raise `InvalidInput`."""
    limits = [
        f"{word} {as_set(limit)}"
        for word, limit in (
            ("above", above),
            ("at least", at_least),
            ("below", below),
            ("at most", at_most),
        )
        if math.isfinite(limit)
    ]
    allowed = "a finite number" + (" " + " and ".join(limits) if limits else "")
    try:
        result = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise reject(field, value, allowed) from None
    if not (math.isfinite(result) and above < result < below and at_least <= result <= at_most):
        raise reject(field, result, allowed)
    return result


def whole(field: str, value: object, *, at_least: int, at_most: int | None = None) -> int:
    """Check `value` as an int within the given limits, or raise `InvalidInput`."""
    allowed = f"a whole number of at least {spaced(at_least)}"
    if at_most is not None:
        allowed += f" and at most {spaced(at_most)}"
    try:
        result = int(value)  # type: ignore[call-overload]
        # A float cannot tell whole numbers beyond 2⁵³ apart.
        exact = float(value) == result or isinstance(value, Integral)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise reject(field, value, allowed) from None
    if not exact or result < at_least or (at_most is not None and result > at_most):
        raise reject(field, value, allowed)
    return int(result)


def one_of(field: str, value: object, allowed: tuple[str, ...]) -> str:
    """Check `value` as one of the words in `allowed`, or refuse it and suggest similar ones."""
    if isinstance(value, str) and str(value) in allowed:
        return str(value)
    raise reject(field, str(value), f"one of {', '.join(allowed)}{suggestion(str(value), allowed)}")


def suggestion(value: str, allowed: Collection[str]) -> str:
    """Up to three words of similar spelling, as "(did you mean …?)"; "" without any."""
    from difflib import get_close_matches

    words, typed = {_plain(word): word for word in allowed}, _plain(value)
    if not typed[:1].isalpha():  # numbers that look alike are not alike
        return ""
    parts = [word for word in words if len(typed) >= SHORTEST_PART and typed in word]
    near = list(dict.fromkeys([*get_close_matches(typed, words), *parts]))[:3]
    return f" (did you mean {', or '.join(words[word] for word in near)}?)" if near else ""


def _plain(word: str) -> str:
    """The word without case, spaces and hyphens, which are easily mistyped."""
    return str(word).strip().casefold().replace("-", "_").replace(" ", "_")
