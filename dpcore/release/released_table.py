"""What leaves of a private table: noisy whole numbers, and the files that follow from them alone.

`released.json` holds what was measured (columns, bounds, groups, weights, σ: all public) and the
noisy sums as whole numbers in units, part by part in the order of `dpcore.summaries.counts.parts`.
All else is post-processing: every number of `table.csv` and `table.html`, its interval, and
whether it can be read.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from dpcore.errors import InvalidInput, reject, whole
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.whole_gaussian import UNITS
from dpcore.release.certificate_html import POLICY, STYLE
from dpcore.spreadsheet import csv as safe_csv
from dpcore.summaries.counts import in_records, parts
from dpcore.summaries.estimates import CONFIDENCE, READABLE
from dpcore.summaries.mechanism import (
    EVERYBODY,
    NOT_KNOWN,
    FollowUpColumn,
    NumberColumn,
    SummaryMechanism,
    SummaryQuery,
    WordColumn,
)
from dpcore.summaries.survival import follow_up, numbers
from dpcore.summaries.table_lines import Row, TableLine, lines
from dpcore.words import at_most, percent, significant, spaced

FORMAT = "dpcore table 1"
MAX_SUMS, MAX_BYTES = 200_000, 8_000_000
"""Noisy sums of one table, and bytes of its file."""
DIGITS = 6
"""Significant digits of the numbers in `table.csv`."""
NUMBERS = ("value", "low", "high", "noise_low", "noise_high")
INTERVALS = '''"""Print table.csv anew from the noisy sums in released.json, by dpcore."""

from pathlib import Path

from dpcore.release.released_table import read_released

print(read_released(Path(__file__).with_name("released.json").read_bytes()).csv(), end="")
'''
"""The file `intervals.py`."""


@dataclass(frozen=True)
class ReleasedTable:
    """The noisy sums of a table, and what they are of; nothing else follows from the records."""

    records: int  # n, of the table or of its persons
    summary: SummaryMechanism
    units_of: Mapping[str, str]  # by column: what its numbers are in; "" without a unit
    vector: tuple[int, ...]  # the noisy sums in units

    def __post_init__(self) -> None:
        count = sums_in(self.summary.measured)
        if len(self.vector) != count:
            raise reject("number of sums", len(self.vector), spaced(count))

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Every number of the table, with its intervals."""
        sums = in_records(self.vector, self.summary.measured)
        found = [
            one.told(self.units_of.get(one.column, ""))
            for one in numbers(sums, self.summary, self.records)
        ]
        return [row | {name: significant(row[name], DIGITS) for name in NUMBERS} for row in found]

    def csv(self) -> str:
        """Every number as CSV, in which a spreadsheet finds no formula."""
        import pandas as pd

        return safe_csv(pd.DataFrame(self.rows))

    def read_csv(self, text: str) -> list[dict[str, Any]] | None:
        """The rows with the numbers of a file; None where it is not this table's.

        Another machine's mathematics may differ in the last digits.
        """
        try:
            stated, own = (list(csv.reader(io.StringIO(each))) for each in (text, self.csv()))
            names = own[0]
            if stated[0] != names or len(stated) != len(own):
                return None
            return [
                known | _numbers(names, fields, right)
                for known, fields, right in zip(self.rows, stated[1:], own[1:], strict=True)
            ]
        except (csv.Error, LookupError, ValueError):
            return None

    @property
    def groups(self) -> tuple[str, ...]:
        """Everybody, then each group that has a name."""
        named = self.summary.measured.groups if self.summary.measured.by else ()
        return (EVERYBODY, *(group for group in named if group != NOT_KNOWN))

    def to_json(self) -> str:
        """The text of `released.json`."""
        measured = self.summary.measured
        columns = [
            {**asdict(column), "unit": self.units_of.get(column.name, "")}
            for column in measured.columns
        ]
        document = {
            "format": FORMAT,
            "records": self.records,
            "adjacency": str(self.summary.adjacency),
            "sigma": self.summary.sigma,
            "units": UNITS,
            "by": measured.by,
            "groups": measured.groups,
            "size_weight": measured.size_weight,
            "columns": columns,
            "vector": self.vector,
        }
        return json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"

    def to_html(self, document: Mapping[str, Any], rows: Sequence[Row]) -> str:
        """The table for a paper as one file that loads nothing and runs nothing.

        Parameters
        ----------
        document : Mapping
            Of its certificate: the footnote is made of its claim and proof.
        rows : sequence of Row
            The table's, or those of its CSV.
        """
        measured = self.summary.measured
        root = Element("html", lang="en")
        head = SubElement(root, "head")
        SubElement(head, "meta", charset="utf-8")
        SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": POLICY})
        SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
        SubElement(head, "title").text = "A private table"
        SubElement(head, "style").text = STYLE + OWN_STYLE
        body = SubElement(SubElement(root, "body"), "main")
        table = SubElement(body, "table")
        heading = SubElement(SubElement(table, "thead"), "tr")
        by = measured.by.replace("_", " ")
        for text in (f"by {by}" if by else "", *self.groups):
            SubElement(heading, "th", scope="col").text = text
        content = SubElement(table, "tbody")
        noun = "persons" if "person" in document["facts"] else "records"
        for line in lines(
            rows, self.groups, by=measured.by, records=self.records, records_are=noun
        ):
            self._line(SubElement(content, "tr"), line)
        pointwise = (SURVIVAL_NOTE,) if follow_up(self.summary) else ()
        for note in (INTERVALS_NOTE, *pointwise, *_notes(document)):
            SubElement(body, "p").text = note
        return f"<!doctype html>\n{tostring(root, encoding='unicode', method='html')}\n"

    def _line(self, row: Element, line: TableLine) -> None:
        heading = SubElement(row, "th", scope="row")
        heading.text = line.heading
        if not line.cells:
            row.set("class", "column")
            heading.set("colspan", str(len(self.groups) + 1))
        for cell in line.cells:
            place = SubElement(row, "td")
            place.text = cell.value + (f" ({cell.interval})" if cell.interval else "")
            if not cell.readable:
                place.set("class", "noisy")
                place.text += " *"


OWN_STYLE = (
    "main{max-width:none}th:not(:first-child),td{white-space:nowrap;width:auto}"
    "thead th,.column th{font-weight:600}.noisy{color:#888}"
)
INTERVALS_NOTE = (
    f"In brackets: between what the number lies for the population, in {percent(CONFIDENCE, 0)} of "
    "such tables; chance and noise are both in it. Shares are of those for whom it is known. "
    f"* Too noisy to read: wider than ± {100 * READABLE:g} % of what the number may be."
)
SURVIVAL_NOTE = (
    "Curves of Kaplan and Meier: who leaves counts as at risk for half of the interval. Brackets "
    "are pointwise: a whole curve lies in them less often. A median at the end was not reached."
)


def _notes(document: Mapping[str, Any]) -> tuple[str, ...]:
    proof = document["proof"]
    return (
        document["claim"],
        f"Proved: ε ≤ {at_most(proof['epsilon'])} at δ = {at_most(proof['delta'])} "
        f"({proof['adjacency']}), for all numbers together, by {proof['accountant']}; "
        f"μ ≤ {at_most(proof['mu'])}. {proof['neighbours']} The noise on each sum is known: see "
        "released.json and intervals.py beside this file; summary.yaml is the certificate.",
    )


def _numbers(names: Sequence[str], stated: Sequence[str], own: Sequence[str]) -> dict[str, float]:
    """The numbers of a line, which ValueError says are not those that it must have."""
    found = {}
    for name, text, right in zip(names, stated, own, strict=True):
        if name in NUMBERS and math.isclose(
            float(text), float(right), rel_tol=2.0 * 10.0**-DIGITS, abs_tol=1e-9
        ):
            found[name] = float(text)
        elif text != right:
            raise ValueError
    return found


def sums_in(measured: SummaryQuery) -> int:
    """How many noisy sums a query has."""
    return sum(math.prod(shape) for shape, _ in parts(measured))


def read_released(data: bytes) -> ReleasedTable:
    """A released table from the bytes of its file, from anyone."""
    if len(data) > MAX_BYTES:
        raise InvalidInput(
            f"The released table has {spaced(len(data))} bytes, but it must have at most "
            f"{spaced(MAX_BYTES)}."
        )
    try:
        plain = json.loads(data.decode())
        if plain["format"] != FORMAT:
            raise InvalidInput(f"The table is of another format, but it must be {FORMAT!r}.")
        columns = tuple(map(_column, plain["columns"]))
        groups = tuple(_typed("groups", each, "str") for each in plain["groups"])
        by, weight = _typed("by", plain["by"], "str"), _typed("weight", plain["size_weight"], "int")
        measured = SummaryQuery(columns, by, groups, weight)
        sigma = _typed("sigma", plain["sigma"], "int")
        summary = SummaryMechanism(measured, Adjacency(plain["adjacency"]), sigma)
        units_of = {each["name"]: _typed("unit", each["unit"], "str") for each in plain["columns"]}
        whole("number of sums", sums_in(measured), at_least=1, at_most=MAX_SUMS)
        vector = tuple(_typed("vector", each, "int") for each in plain["vector"])
        records = whole(
            "records", _typed("records", plain["records"], "int"), at_least=1, at_most=2**53
        )
        table = ReleasedTable(records, summary, units_of, vector)
        is_same = table.to_json().encode() == data
    except InvalidInput:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise InvalidInput("The released table is no JSON of a table.") from None
    if not is_same:
        raise InvalidInput(
            "The released table is written in another way, but it must be as this program writes "
            "it, to the letter."
        )
    return table


_TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "bool": (bool,),
    "float": (float, int),
    "tuple[str, ...]": (list,),
}


def _typed(name: str, value: Any, kind: str) -> Any:
    """A value of the type that is written so."""
    if type(value) not in _TYPES[kind]:
        raise reject(name, value, f"of the type {kind}")
    return tuple(_typed(name, each, "str") for each in value) if isinstance(value, list) else value


def _column(plain: Mapping[str, Any]) -> WordColumn | NumberColumn:
    kind: type[WordColumn | NumberColumn] = NumberColumn
    if "levels" in plain:
        kind = FollowUpColumn if "event" in plain else WordColumn
    values = {
        field.name: _typed(field.name, plain[field.name], str(field.type)) for field in fields(kind)
    }
    return kind(**values)
