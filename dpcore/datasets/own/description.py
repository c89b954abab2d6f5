"""A whole description: what its lines make of a table, before any record is read."""

from __future__ import annotations

from dataclasses import replace

from dpcore.datasets.own import mending
from dpcore.datasets.own.line import PREDICT, DescribedColumn, is_name, line_of
from dpcore.datasets.own.mend import Mend, Mendable, with_line
from dpcore.datasets.own.statements import is_statement, statements_of
from dpcore.datasets.schema import Classes, Column, Entry, Label
from dpcore.errors import InvalidInput

OWN = "own"
MOST_LETTERS = 6_000
"""A link with so many letters, of any script, is still short enough for servers."""
MOST_COLUMNS = 500

ENTRY = Entry(
    key=OWN,
    title="Your own table",
    records_are="records",
    source="Your own file",
    licence="Not known to this page",
    citation="",
    task="Predict a number, or one of several outcomes, in a table of your own.",
    label=Label("outcome", "yes", "no"),
    records=0,
    columns=(),
    traps=(),
    how_to_get="It takes a CSV or Parquet file that names its columns, and a description of those "
    "that are used.",
)
"""The entry of a table without a description."""


def described(columns: str) -> Entry:
    """The entry of a described table, made without its records.

    Parameters
    ----------
    columns : str
        One line a column: ``name: 0 to 100 unit`` for a number with its public range,
        ``name: 2015-01-01 to 2024-12-31`` for a day, or ``name: one of a, b, c``; then
        ``; unknown: NA`` where values may be unknown (``blank`` for an empty field),
        ``; decimal comma`` where numbers are written like 1,5, and ``; day first`` or
        ``; month first`` where days are written like 31.12.2020 or 12/31/2020. The outcome's
        line begins with ``predict``; of two outcomes the second is the positive one. A line that
        ends with its colon describes nothing.

    Returns
    -------
    Entry
        Its `records` is 0.

    Raises
    ------
    InvalidInput
        One sentence naming the first line that is wrong, the column and what is allowed; a
        `Mendable` where something may be done about it.
    """
    return entry_of(columns, lines_of(columns))


def lines_of(columns: str) -> list[DescribedColumn]:
    """The lines of a description, each right by itself.

    Raises
    ------
    InvalidInput
        As `described`.
    """
    if len(columns) > MOST_LETTERS:
        raise InvalidInput(
            f"The description of the columns has {len(columns):,} letters, but it must have at "
            f"most {MOST_LETTERS:,}."
        )
    lines = []
    for place, text in enumerate(columns.splitlines(), start=1):
        if not text.strip() or text.strip().endswith(":") or is_statement(text):
            continue
        try:
            lines.append(line_of(text.strip(), place))
        except Mendable as refusal:
            mends = [
                replace(each, columns=with_line(columns, place, each.columns))
                for each in refusal.mends
            ]
            name = text.partition(":")[0].strip()
            if not name.startswith(PREDICT):
                shown = name if is_name(name) else f"line {place}"
                mends.append(Mend(f"Leave out {shown}", with_line(columns, place)))
            raise Mendable(str(refusal), mends) from None
    return lines


def entry_of(columns: str, lines: list[DescribedColumn]) -> Entry:
    """The entry that the lines make together; raises as `described`."""
    used = tuple(line.column for line in lines if not line.predicted)
    predicted = [line for line in lines if line.predicted]
    names = [line.column.name for line in lines]
    for line in lines:
        if names.count(line.column.name) > 1:
            again = max(each.place for each in lines if each.column.name == line.column.name)
            raise Mendable(
                f"The description names the column {line.column.name} twice, but must do once.",
                [Mend(f"Leave out line {again}", with_line(columns, again))],
            )
    person = statements_of(columns).person
    for line in lines:
        if person is not None and line.column.name == person.column:
            raise Mendable(
                f"{person.column} says whose row it is, so it must not be described as well: "
                "nothing is learned from it.",
                [Mend(f"Leave out line {line.place}", with_line(columns, line.place))],
            )
    if not predicted:
        raise Mendable(
            "The description has no line that begins with “predict”, but it must have one, such "
            "as: predict progression: 0 to 350.",
            [mending.predict(columns, line) for line in mending.outcomes(lines)],
        )
    if len(predicted) > 1:
        raise Mendable(
            f"The description has {len(predicted)} lines that begin with “predict”, but it must "
            "have exactly one.",
            [
                Mend(
                    f"Predict {line.column.name} only",
                    mending.predict_only(columns, line, predicted),
                )
                for line in predicted[: mending.MOST_MENDS]
            ],
        )
    if not 1 <= len(used) <= MOST_COLUMNS:
        raise InvalidInput(
            f"The description has {len(used):,} columns to predict from, but it must have 1 to "
            f"{MOST_COLUMNS}."
        )
    label = predicted[0].label
    return replace(ENTRY, label=label, columns=used, task=_task(label))


def class_of(columns: str) -> Mend | None:
    """What to write if the outcome, a number from 0 to 1 so far, is an answer of yes or no.

    ``None`` where that is no question, or `columns` is refused.
    """
    try:
        lines = lines_of(columns)
    except InvalidInput:
        return None
    for line in lines:
        column = line.column
        is_doubtful = column.kind == "number" and column.bounds == (0.0, 1.0) and not column.unit
        if line.predicted and is_doubtful:
            mended = f"{PREDICT}{column.name}: one of 0, 1"
            return Mend("Write: one of 0, 1", with_line(columns, line.place, mended))
    return None


def _task(label: Label | Classes | Column) -> str:
    if isinstance(label, Column):
        return f"Predict {label.name} in a table of your own."
    if isinstance(label, Label):
        return f"Tell whether {label.positive} or {label.negative} in a table of your own."
    return f"Tell which {label.name} it is, in a table of your own."
