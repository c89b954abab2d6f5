"""The card of a private twin: what was measured, what is proved of it, what it was paid from."""

from __future__ import annotations

from dpcore.release.certificate import Record
from dpcore.release.measurement import CardKind
from dpcore.release.twin.counting import Counting

MEASURED = (
    "For each column, how many records are in each cell of its values by the outcome's two; a "
    "number's range is cut at public places."
)
PAIRS = (
    "Then, for each pair of columns, in how many records both lie on one side of a cut, less in "
    "how many they do not; cuts follow from the noisy counts."
)


def _measured(mechanism: Counting) -> str:
    return f"{MEASURED} {PAIRS}" if mechanism.weight else MEASURED


def _tells(record: Record) -> str:
    return "has, too" if record.rows is None else "has as records"


TWIN = CardKind(
    format="dpcore twin 1",
    what="twin",
    mechanism=Counting,
    measured=_measured,
    theorem=(
        "one record adds 1 to one cell of each table, and 1 or -1 to each pair (docs/release.md)"
    ),
    follows=(
        "The twin is drawn from the noisy sums and public values alone. Whatever is computed from "
        "it, however often, is post-processing and costs nothing more. What is measured on the "
        "real records is not."
    ),
    tells=_tells,
)
