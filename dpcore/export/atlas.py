"""Atlas as code: the command line of its list of systems."""

from __future__ import annotations

from dpcore.controls.atlas import FILTERS
from dpcore.controls.control import Values
from dpcore.controls.options import written


def list_command(values: Values) -> str:
    """The command line of the list."""
    options = written(FILTERS, FILTERS.fields(values))
    return " ".join(["python -m dpcore methods", *options, "--json"])
