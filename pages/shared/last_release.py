"""Keep the files of the model that this session released last, until the session ends."""

from __future__ import annotations

from collections.abc import Mapping

from pages.shared.session import store, stored

NAME = "last release"
FILES = ("model.json", "certificate.yaml")


def store_files(files: Mapping[str, bytes]) -> None:
    """Store the model and its certificate for the other pages of this session."""
    store(NAME, {name: files[name] for name in FILES if name in files})


def stored_files() -> dict[str, bytes]:
    """Name and contents of the stored files; empty if this session has released nothing."""
    return dict(stored(NAME) or {})
