"""Make a call on files of unknown origin in a process that ends with its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pages.shared.uploads import Upload

Value = TypeVar("Value")
LIBRARIES = ("dpcore.release.prediction",)


def isolated_call(filename: str, call: Callable[..., Value], *arguments: object) -> Value:
    """Make the call while the page still reacts; refuses one that takes too much time or memory."""
    upload = Upload("", filename, LIBRARIES, call, *arguments)
    try:
        result: Value = upload.answer("", None)
        return result
    finally:
        upload.close()
