"""The library court: published violations of privacy claims, each beside its mended twin."""

from __future__ import annotations

from functools import cache

from dpcore.audit.court import batches, libraries, papers
from dpcore.audit.court.case import Case


@cache
def cases() -> dict[str, Case]:
    """All cases by key; those of libraries before those of papers."""
    every = (*batches.cases(), *libraries.cases(), *papers.cases())
    return {each.key: each for each in every}
