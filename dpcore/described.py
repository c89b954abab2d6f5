"""What every way to learn is described by: names, source, and what is claimed and proved of it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from dpcore.guarantee import Edition, Status


@dataclass(frozen=True)
class Standing:
    """Claim, proof and verdict of one edition."""

    proof: str
    status: Status
    claim: str = "None: this edition is not in print."


@dataclass(frozen=True, kw_only=True)
class Described:
    """The description of a way to learn.

    Parameters
    ----------
    key, title : str
        Name in code and links, and name on screen.
    paper : str
        Its source.
    idea : str
        One plain sentence.
    words : str
        What it is, in a few words for someone who knows none of the titles.
    editions : dict of Edition to Standing
        The editions that exist, each with its claim, its proof and the standing verdict.
    limits : tuple of str
        Limitations to know before use, a sentence each.
    """

    key: str
    title: str
    paper: str
    idea: str
    words: str = ""
    editions: dict[Edition, Standing]
    limits: tuple[str, ...] = ()

    @property
    def description(self) -> dict[str, Any]:
        """All of it by name, for another that is described alike."""
        return {field.name: getattr(self, field.name) for field in fields(Described)}
