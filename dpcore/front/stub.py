"""Write the types of the front door: `python -m dpcore.front.stub > dpcore/__init__.pyi`."""

from __future__ import annotations

import dpcore
from dpcore import questions
from dpcore.front.question import typed

HEAD = '''\
"""Types of the front door, made by `python -m dpcore.front.stub`, for editors and checkers."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from dpcore.datasets import Table
from dpcore.progress import Progress
'''


def stub() -> str:
    """Write what each name of the front door is."""
    lines = [HEAD.rstrip()]
    for place, names in dpcore.PLACES.items():
        imported = [f"from dpcore.{place} import ("]
        imported += [f"    {name} as {name}," for name in names]
        lines += [*imported, ")"]
    lines += [
        "",
        "__version__: str",
        "__all__: list[str]",
        "PLACES: dict[str, tuple[str, ...]]",
        "",
    ]
    lines += [f"{typed(name)}\n" for name in questions.names()]
    return "\n".join(lines).rstrip()


if __name__ == "__main__":
    print(stub())
