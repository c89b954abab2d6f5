"""A description of a table: as data, and as text in two notations.

The first is a Frictionless Table Schema in YAML or JSON, with a few names of our own.

    fields:
    - {name: age, type: integer, unit: years, constraints: {minimum: 18, maximum: 90}}
    - {name: smoker, type: string, constraints: {enum: ['no', 'yes']}, missingValues: ['', NA]}
    - {name: visit, type: date, format: '%d.%m.%Y',
       constraints: {minimum: 2015-01-01, maximum: 2024-12-31}}
    - {name: died, type: string, constraints: {enum: ['0', '1']}}
    predict: died
    person: {field: patient_id, maximumRows: 3}
    numberOfPersons: public

Ours are `unit`, `beyondLimits`, `predict`, `person` and `numberOfPersons`; `encoding` and `dialect`
(`delimiter`, `headerRows`) are those of a Table Dialect. Every scalar is the text as written, so
that no, 01 and 1e3 stay what they are.

The short notation has one line a column. It cannot say all that the other can: a name with a colon,
say.

    age: 18 to 90 years
    bmi: 15 to 50 kg/m²; unknown: NA
    visit: 2015-01-01 to 2024-12-31; day first
    predict died: one of no, yes
    person: patient_id, at most 3 rows
    number of persons: public
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import Any, Literal, cast

import yaml

from dpcore.datasets.delimited import DELIMITERS, ENCODINGS, TO_BE_FOUND, Dialect
from dpcore.datasets.faults import LARGEST_NUMBER
from dpcore.datasets.schema import Classes, Column, Label, number, values_in
from dpcore.datasets.text import quoted
from dpcore.datasets.values import DAY_FIRST, GROUPED_BY, MONTH_FIRST, YEAR_FIRST, Beyond, Days
from dpcore.errors import InvalidInput
from dpcore.words import spaced

Kind = Literal["number", "day", "list"]
_STATED = "As described by whoever brought the file; no document was checked."


@dataclass(frozen=True)
class DescribedField:
    """What one column may hold, and how the file writes it."""

    name: str
    kind: Kind
    lower: float | None = None
    upper: float | None = None
    first: date | None = None
    last: date | None = None
    levels: tuple[str, ...] = ()  # of two the second is the one looked for
    unit: str = ""
    missing_marks: tuple[str, ...] = ()
    decimal_mark: str = "."
    thousands_mark: str = ""
    day_order: str = YEAR_FIRST
    beyond: Beyond = ""  # what <5 becomes: its limit, half, unknown; "" refuses it
    place: int = field(default=0, compare=False)  # line of its text, from 1; 0 without

    @property
    def column(self) -> Column:
        """The column, once the field was found right; a day is a number of days since the first."""
        name, marks = self.name, self.missing_marks
        if self.kind == "list":
            if len(self.levels) == 2 and not marks:
                answer = f"{name} = {self.levels[1]}"
                return Column(name, "indicator", answer, levels=self.levels, codes=self.levels)
            return Column(name, "category", name, levels=self.levels, missing_marks=marks)
        if self.kind == "day":
            assert self.first is not None
            assert self.last is not None
            bounds, unit = (0.0, float((self.last - self.first).days)), f"days since {self.first}"
            days = Days(self.first, self.day_order)
        else:
            assert self.lower is not None
            assert self.upper is not None
            bounds, unit, days = (self.lower, self.upper), self.unit, None
        column = number(
            name, name, bounds, _STATED, unit, bounds_from="assumed", missing_marks=marks
        )
        return replace(column, days=days)

    @property
    def label(self) -> Label | Classes | Column:
        """The outcome that it is, if it is predicted."""
        if self.kind != "list":
            return self.column
        if len(self.levels) > 2:
            return Classes(self.name, self.levels)
        no, yes = self.levels
        answers = f"{self.name} = {yes}", f"{self.name} = {no}"
        return Label(self.name, *answers, ((no, -1), (yes, 1)))


@dataclass(frozen=True)
class Person:
    """What one person is in a table."""

    column: str = ""  # "": every row is another person's
    most: int = 1  # k, the rows that count of each


@dataclass(frozen=True)
class TableDescription:
    """What a description says of a table."""

    fields: tuple[DescribedField, ...]  # the predicted one among them
    predicted: str = ""  # "" while nobody has said
    person: Person | None = None
    number_is_public: bool = False
    dialect: Dialect = TO_BE_FOUND

    @property
    def used(self) -> tuple[DescribedField, ...]:
        """The fields that something is predicted from."""
        return tuple(each for each in self.fields if each.name != self.predicted)

    def with_field(self, before: DescribedField, after: DescribedField) -> TableDescription:
        """The description with one field in place of another; the outcome keeps being it."""
        fields = tuple(after if each is before else each for each in self.fields)
        predicted = after.name if before.name == self.predicted else self.predicted
        return replace(self, fields=fields, predicted=predicted)

    def without(self, left_out: DescribedField) -> TableDescription:
        """The description without one field."""
        return replace(self, fields=tuple(each for each in self.fields if each is not left_out))


PREDICT = "predict "
_BLANK = "blank"
# Digits can be divided in one way only: else a long number takes the cube of its length.
_LINE_NUMBER = r"[-+−]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_RANGE = re.compile(rf"({_LINE_NUMBER})\s+to\s+({_LINE_NUMBER})(?:\s+(.+))?")
_LINE_DAYS = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\s+to\s+([0-9]{4}-[0-9]{2}-[0-9]{2})")
_ONE_OF = re.compile(r"one of\s+(.+)")
_UNKNOWN = re.compile(r"unknown:\s*(\S.*)")
_PERSON = re.compile(r"person:\s*(?:(one\s+row\s+each)|(.+?),\s*at\s+most\s+([0-9]{1,9})\s+rows?)")


def description_of(text: str) -> TableDescription:
    """The description in lines; a line that ends with its colon describes nothing."""
    description = TableDescription(())
    predicted = []
    for place, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.endswith(":"):
            continue
        if line == "number of persons: public":
            description = replace(description, number_is_public=True)
        elif match := _PERSON.fullmatch(line):
            if description.person is not None:
                raise InvalidInput(
                    f"The description, line {place}: it says again what one person is, but must "
                    "do so once."
                )
            person = Person() if match[1] else Person(match[2].strip(), int(match[3]))
            description = replace(description, person=person)
        else:
            field = _field_of_line(line, place)
            if line.startswith(PREDICT):
                predicted.append(field.name)
            description = replace(description, fields=(*description.fields, field))
    if len(predicted) > 1:
        raise InvalidInput(
            f"The description has {len(predicted)} lines that begin with “predict”, but it must "
            "have exactly one."
        )
    return replace(description, predicted="".join(predicted))


def _field_of_line(line: str, place: int) -> DescribedField:
    before, colon, after = line.partition(":")
    name = before.removeprefix(PREDICT).strip()
    where = f"The description, line {place}"
    if not colon or not name:
        raise InvalidInput(
            f"{where} must be the name of a column, a colon and what it holds, such as: "
            "age: 18 to 90 years."
        )
    values, *remarks = (part.strip() for part in after.split(";"))
    field = _holding(f"{where}: {name}", name, values)
    said: list[str] = []
    for remark in remarks:
        if unknown := _UNKNOWN.fullmatch(remark):
            marks = ("" if mark == _BLANK else mark for mark in values_in(unknown[1]))
            field = replace(field, missing_marks=(*field.missing_marks, *marks))
            continue
        subject = "decimals" if remark == "decimal comma" else "days"
        if remark == "decimal comma":
            field = replace(field, decimal_mark=",", thousands_mark=".")
        elif remark in (DAY_FIRST, MONTH_FIRST):
            field = replace(field, day_order=remark)
        else:
            raise InvalidInput(
                f"{where}: {name} has {quoted(remark)} after a semicolon, but it must be “unknown: "
                f"blank”, other marks with commas, “decimal comma”, “{DAY_FIRST}” or "
                f"“{MONTH_FIRST}”."
            )
        if subject in said:
            raise InvalidInput(f"{where}: {name} says twice how {subject} are written, not once.")
        said.append(subject)
    return replace(field, place=place)


def _holding(where: str, name: str, values: str) -> DescribedField:
    if bounds := _LINE_DAYS.fullmatch(values):
        with suppress(ValueError):
            first, last = map(date.fromisoformat, bounds.groups())
            return DescribedField(name, "day", first=first, last=last)
    elif bounds := _RANGE.fullmatch(values):
        lower, upper = (float(text.replace("−", "-")) for text in bounds.groups()[:2])
        return DescribedField(name, "number", lower, upper, unit=(bounds[3] or "").strip())
    elif choices := _ONE_OF.fullmatch(values):
        return DescribedField(name, "list", levels=values_in(choices[1]))
    raise InvalidInput(
        f"{where} holds {quoted(values)}, but it must be a range such as 0 to 100 mg/dl (with a "
        "decimal point) or 2015-01-01 to 2024-12-31, or a list such as one of no, yes."
    )


MAX_LETTERS = 200_000
"""Of a description: 500 columns with long lists."""
ONE_ROW_EACH, PUBLIC = "one row each", "public"
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_DATA = re.compile(r"\A\s*\{|^fields:\s*(?:[\[#].*)?$", re.MULTILINE)
_TYPES: dict[str, Kind] = {
    **{"number": "number", "integer": "number", "date": "day", "datetime": "day"},
    **{"string": "list", "boolean": "list"},
}
_FORMATS = {YEAR_FIRST: "%Y-%m-%d", DAY_FIRST: "%d.%m.%Y", MONTH_FIRST: "%m/%d/%Y"}
_CHOICES = {
    "decimalChar": (".", ","),
    "groupChar": tuple(GROUPED_BY),
    "beyondLimits": ("limit", "half", "unknown"),
}
_ORDERS = {"Ymd": YEAR_FIRST, "dmY": DAY_FIRST, "mdY": MONTH_FIRST}
_SILENT = ("title", "description", "example", "rdfType")
"""Properties that say nothing about what is read."""


@lru_cache(maxsize=64)
def read(text: str) -> TableDescription:
    """What a description's text says, each field by itself; `description.entry_of` checks it."""
    if len(text) > MAX_LETTERS:
        raise InvalidInput(
            f"The description of the columns has {spaced(len(text))} letters, but it must have at "
            f"most {spaced(MAX_LETTERS)}."
        )
    return _described(text) if _DATA.search(text) else description_of(text)


def write(description: TableDescription) -> str:
    """The text that `read` reads as this description."""
    rest: dict[str, Any] = {}
    if description.predicted:
        rest["predict"] = description.predicted
    if (person := description.person) is not None:
        of_column = {"field": person.column, "maximumRows": person.most}
        rest["person"] = of_column if person.column else ONE_ROW_EACH
    if description.number_is_public:
        rest["numberOfPersons"] = PUBLIC
    if (dialect := description.dialect).encoding:
        rest["encoding"] = dialect.encoding
    parts = {"delimiter": dialect.delimiter, "headerRows": [dialect.header_line]}
    if chosen := {name: value for name, value in parts.items() if value not in ("", [0])}:
        rest["dialect"] = chosen
    fields = "".join(f"- {_flow(_properties(each))}\n" for each in description.fields)
    tail = "".join(f"{name}: {_flow(value)}\n" for name, value in rest.items())
    return f"fields:{' []' if not fields else ''}\n{fields}{tail}".rstrip("\n")


def _flow(value: object) -> str:
    text = yaml.safe_dump(
        value, default_flow_style=True, allow_unicode=True, sort_keys=False, width=math.inf
    )
    if re.search("[\x85\u2028\u2029]", text):  # which end a line within quotation marks
        text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=math.inf)
    return str(text).removesuffix("...\n").rstrip("\n")


def _properties(field: DescribedField) -> dict[str, Any]:
    properties: dict[str, Any] = {"name": field.name}
    if field.kind == "list":
        properties |= {"type": "string", "constraints": {"enum": list(field.levels)}}
    elif field.kind == "day":
        properties |= {"type": "date"}
        if field.day_order != YEAR_FIRST:
            properties["format"] = _FORMATS[field.day_order]
        properties["constraints"] = {"minimum": field.first, "maximum": field.last}
    else:
        properties |= {"type": "number"} | ({"unit": field.unit} if field.unit else {})
        bounds = {"minimum": field.lower, "maximum": field.upper}
        properties["constraints"] = {
            name: _plain(bound) for name, bound in bounds.items() if bound is not None
        }
        marks = {
            "decimalChar": "" if field.decimal_mark == "." else field.decimal_mark,
            "groupChar": field.thousands_mark,
            "beyondLimits": field.beyond,
        }
        properties |= {name: mark for name, mark in marks.items() if mark}
    if field.missing_marks:
        properties["missingValues"] = list(field.missing_marks)
    return properties


def _plain(bound: float) -> int | float:
    return int(bound) if float(bound).is_integer() else bound


class _Node:
    def __init__(self, node: yaml.Node, seen: set[int], what: str = "") -> None:
        self._node, self._seen, self.what = node, seen, what
        # A part that is named and used again could stand for more than memory holds.
        if id(node) in seen:
            raise self.refused("is repeated by an alias", "written out")
        seen.add(id(node))

    @property
    def line(self) -> int:
        return int(self._node.start_mark.line) + 1

    def refused(self, is_what: str, allowed: str) -> InvalidInput:
        what = f"{self.what} " if self.what else "it "
        return InvalidInput(
            f"The description, line {self.line}: {what}{is_what}, but it must be {allowed}."
        )

    def mapping(self, allowed: Collection[str]) -> dict[str, _Node]:
        if not isinstance(self._node, yaml.MappingNode):
            raise self.refused("is no list of names with values", f"such: {', '.join(allowed)}")
        parts: dict[str, _Node] = {}
        for key, value in self._node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else "?"
            part = _Node(value, self._seen, f"{self.what}: {name}" if self.what else name)
            if name in parts:
                raise part.refused("is said twice", "said once")
            if name not in (*allowed, *_SILENT):
                raise part.refused("is no name known here", f"one of {', '.join(allowed)}")
            parts[name] = part
        return parts

    def items(self) -> Iterator[_Node]:
        if not isinstance(self._node, yaml.SequenceNode):
            raise self.refused("is no list", "a list, such as [a, b]")
        return (_Node(each, self._seen, self.what) for each in self._node.value)

    @property
    def is_text(self) -> bool:
        return isinstance(self._node, yaml.ScalarNode)

    @property
    def text(self) -> str:
        if not self.is_text:
            raise self.refused("is a list", "one value")
        return str(self._node.value)

    def texts(self) -> tuple[str, ...]:
        return tuple(each.text for each in self.items())

    def choice(self, allowed: Collection[str]) -> str:
        if self.text not in allowed:
            shown = ", ".join(f"“{each}”" for each in allowed)
            raise self.refused(f"is {quoted(self.text)}", f"one of {shown}")
        return self.text

    def number(self) -> float:
        try:
            value = float(self.text.replace("−", "-"))
        except ValueError:
            value = math.nan
        if not abs(value) <= LARGEST_NUMBER:
            allowed = (
                f"a number with a decimal point, at most {spaced(round(LARGEST_NUMBER))} in size"
            )
            raise self.refused(f"is {quoted(self.text)}", allowed)
        return value

    def day(self) -> date:
        try:
            return date.fromisoformat(self.text)
        except ValueError:
            raise self.refused(f"is {quoted(self.text)}", "a day such as 2015-01-31") from None

    def whole(self) -> int:
        if not re.fullmatch("[0-9]{1,9}", self.text):
            raise self.refused(f"is {quoted(self.text)}", "a whole number")
        return int(self.text)


def _described(text: str) -> TableDescription:
    try:
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark is not None else ""
        raise InvalidInput(
            f"The description{where}: it cannot be read as YAML or JSON, which it must be. A text "
            "with a sign such as : or [ must stand in quotation marks."
        ) from None
    except RecursionError:
        raise InvalidInput("The description has lists within lists, too deep to read.") from None
    assert root is not None
    known = ("fields", "predict", "person", "numberOfPersons", "missingValues")
    top = _Node(root, set()).mapping((*known, "encoding", "dialect"))
    if "fields" not in top:
        raise InvalidInput("The description has no “fields”, but it must list the columns there.")
    marks = top["missingValues"].texts() if "missingValues" in top else ()
    predicted = top["predict"].text if "predict" in top else ""
    described = [each for node in top["fields"].items() if (each := _field(node))]
    fields = tuple(
        replace(each, missing_marks=marks)
        if not each.missing_marks and each.name != predicted
        else each
        for each in described
    )
    if "numberOfPersons" in top:
        top["numberOfPersons"].choice((PUBLIC,))
    return TableDescription(
        fields,
        predicted,
        _person(top["person"]) if "person" in top else None,
        "numberOfPersons" in top,
        _dialect(top),
    )


def _person(node: _Node) -> Person:
    if node.is_text:
        node.choice((ONE_ROW_EACH,))
        return Person()
    parts = node.mapping(("field", "maximumRows"))
    if len(parts) < 2:
        raise node.refused("has one of field and maximumRows only", "both, or “one row each”")
    return Person(parts["field"].text.strip(), parts["maximumRows"].whole())


def _dialect(top: dict[str, _Node]) -> Dialect:
    dialect = Dialect(encoding=top["encoding"].choice(ENCODINGS) if "encoding" in top else "")
    if "dialect" not in top:
        return dialect
    parts = top["dialect"].mapping(("delimiter", "headerRows"))
    if "delimiter" in parts:
        delimiter = parts["delimiter"].choice(DELIMITERS)
        dialect = replace(dialect, delimiter=delimiter)
    if "headerRows" in parts:
        rows = [each.whole() for each in parts["headerRows"].items()]
        if len(rows) != 1 or rows[0] < 1:
            raise parts["headerRows"].refused("is not one line", "one line from 1, such as [2]")
        dialect = replace(dialect, header_line=rows[0])
    return dialect


def _field(node: _Node) -> DescribedField | None:
    own = ("unit", "beyondLimits", "trueValues", "falseValues")
    known = ("name", "type", "format", "constraints", "missingValues", "decimalChar", "groupChar")
    parts = node.mapping((*known, *own))
    if "name" not in parts:
        raise node.refused("has no name", "named: {name: age, …}")
    name = parts["name"].text.strip()
    node.what = name
    for property_, part in parts.items():
        part.what = f"{name}: {property_}"
    if not parts.keys() & {"constraints", "trueValues", "falseValues"}:
        return None
    kind = _TYPES[parts["type"].choice(_TYPES)] if "type" in parts else None
    known_bounds = ("minimum", "maximum", "enum")
    bounds = parts["constraints"].mapping(known_bounds) if "constraints" in parts else {}
    if kind is None:
        kind = "list" if "enum" in bounds else "number"
    levels = bounds["enum"].texts() if "enum" in bounds else ()
    if {"trueValues", "falseValues"} & parts.keys():
        answers = [parts[key].texts() for key in ("falseValues", "trueValues") if key in parts]
        if [len(each) for each in answers] != [1, 1] or levels:
            raise node.refused("does not say no and yes once each", "one false and one true value")
        levels = answers[0] + answers[1]
    is_list = kind == "list"
    if not (levels if is_list else {"minimum", "maximum"} <= bounds.keys()) or (
        bool(levels) != is_list
    ):
        what = "an enum, its list of values" if is_list else "a minimum and a maximum"
        raise node.refused("lacks what it may hold", f"described by {what}")
    choices = {key: parts[key].choice(_CHOICES[key]) for key in _CHOICES if key in parts}
    decimal_mark = choices.get("decimalChar", ".")
    described = DescribedField(
        name,
        kind,
        levels=levels,
        unit=parts["unit"].text.strip() if "unit" in parts else "",
        missing_marks=parts["missingValues"].texts() if "missingValues" in parts else (),
        decimal_mark=decimal_mark,
        # Beside a decimal comma a point can only part thousands.
        thousands_mark=choices.get("groupChar", "." if decimal_mark == "," else ""),
        beyond=cast(Beyond, choices.get("beyondLimits", "")),
        day_order=_day_order(parts["format"]) if "format" in parts else YEAR_FIRST,
        place=node.line,
    )
    if kind == "number":
        lower, upper = bounds["minimum"].number(), bounds["maximum"].number()
        return replace(described, lower=lower, upper=upper)
    if kind == "day":
        return replace(described, first=bounds["minimum"].day(), last=bounds["maximum"].day())
    return described


def _day_order(node: _Node) -> str:
    """The order of a format such as %d.%m.%Y; "default" is year first."""
    if node.text in ("default", "any"):
        return YEAR_FIRST
    order = "".join(re.findall("%([dmY])", node.text))
    if order not in _ORDERS:
        raise node.refused(f"is {quoted(node.text)}", f"one of {', '.join(_FORMATS.values())}")
    return _ORDERS[order]
