"""The function of a question, which is derived from its fields."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dpcore.errors import naming_extras, reject
from dpcore.questions import register

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.questions.question import Question

SHARED = {
    "records": "Table | None",
    "progress": "Progress",
    "cancelled": "Callable[[], bool]",
}
"""What every function takes besides, with its type."""
OF_RECORDS = """\
records : Table, optional
    From `load`, where at hand.
"""
OF_SHARED = """\
progress : callable
    Called with the share done, from 0 to 1, and what is being done.
cancelled : callable
    Once it returns True the work ends with `Cancelled`.

Returns
-------
DataFrame
    {returns} What is measured is computed on real records, and is not private. Noise comes from the
    study's seed: for exploration only.

Raises
------
InvalidInput
    If something is out of range, or does not fit the study or its data.
MissingPackage
    If a package that it needs is not installed.
"""


def function(name: str) -> Callable[..., pd.DataFrame]:
    """Make the function that asks a question by its name."""
    from dpcore.questions.question import ask

    question = register.named(name)
    shared = _shared(question)
    signature = inspect.Signature(
        [
            inspect.Parameter("study", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *(
                inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default)
                for each in question.asked()
            ),
            *(
                inspect.Parameter(each, inspect.Parameter.KEYWORD_ONLY, default=None)
                for each in shared
            ),
        ]
    )

    def asked(*positional: Any, **given: Any) -> pd.DataFrame:
        options = signature.bind(*positional, **given).arguments
        study = type(question().study)
        if not isinstance(options["study"], study):
            raise reject("study", options["study"], f"a dpcore.{study.__name__}")
        others = {each: options.pop(each) for each in shared if each in options}
        others = {each: value for each, value in others.items() if value is not None}
        with naming_extras():
            return ask(question(**options), **others)

    asked.__name__ = asked.__qualname__ = name
    asked.__doc__ = _documentation(question)
    asked.__module__ = "dpcore"
    asked.__signature__ = signature  # type: ignore[attr-defined]
    return asked


def _shared(question: type[Question]) -> dict[str, str]:
    return {each: SHARED[each] for each in SHARED if question.of_table or each != "records"}


def _documentation(question: type[Question]) -> str:
    own = inspect.getdoc(question) or ""
    asks, _, rest = own.partition("\nNotes\n-----\n")
    notes, _, examples = rest.partition("\nExamples\n")
    of_records = OF_RECORDS if question.of_table else ""
    text = asks + of_records + OF_SHARED.format(returns=" ".join(notes.split()))
    return f"{text}\nExamples\n{examples}" if examples else text


def typed(name: str) -> str:
    """Write the function's signature for the stub."""
    question = register.named(name)
    own = [f"    {each.name}: {each.ask.takes} = ...," for each in question.asked()]
    shared = [f"    {each}: {kind} = ...," for each, kind in _shared(question).items()]
    head = [f"def {name}(", f"    study: {type(question().study).__name__},", "    *,"]
    return "\n".join([*head, *own, *shared, ") -> pd.DataFrame: ..."])
