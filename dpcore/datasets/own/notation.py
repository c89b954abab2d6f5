"""A description as text: a Frictionless Table Schema in YAML or JSON, with a few names of our own.

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
that no, 01 and 1e3 stay what they are. The short notation (`lines`) is read as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Any, cast

import yaml

from dpcore.datasets.dialect import DELIMITERS, ENCODINGS, Dialect
from dpcore.datasets.limits import LARGEST_NUMBER
from dpcore.datasets.own import lines
from dpcore.datasets.own.field import DescribedField, Kind, Person, TableDescription
from dpcore.datasets.text import quoted
from dpcore.datasets.values import DAY_FIRST, GROUPED_BY, MONTH_FIRST, YEAR_FIRST, Beyond
from dpcore.errors import InvalidInput
from dpcore.words import spaced

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
    return _described(text) if _DATA.search(text) else lines.description_of(text)


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
