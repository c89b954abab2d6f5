"""Ask for one person's values, and show what the model says, and why.

Nothing that is typed is cached or stored: the session has it while the form is on the page.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from dpcore.datasets.column_parts import UNKNOWN
from dpcore.datasets.own import typed_numbers
from dpcore.datasets.own.notation import read
from dpcore.datasets.schema import Column
from dpcore.errors import InvalidInput
from dpcore.figures import prediction as figures
from dpcore.release import prediction
from dpcore.release.demonstration import PATIENT
from dpcore.release.model import ReleasedModel
from dpcore.release.prediction import MAX_COLUMNS, PersonValues, Value
from dpcore.words import as_set, listed
from pages.predict import certificate, texts
from pages.predict.controls import Choice
from pages.shared.charts import on_dark, plot, table_behind
from pages.shared.session import control_value
from pages.shared.verbatim import refuse, verbatim

NARROWEST = 120  # pixels of a field
MAX_LETTERS = 30  # of a number as it is typed
REFUSED_MARK = ":material/error:"  # in a field whose value the model does not know


def show(choice: Choice) -> None:
    """Draw the answer, the form, and what each value has to do with it."""
    model = choice.model
    columns = model.entry.columns
    if len(columns) > MAX_COLUMNS:
        st.warning(
            texts.TOO_WIDE.format(count=len(columns), most=MAX_COLUMNS),
            icon=":material/table_rows:",
        )
        return
    place = st.container(gap="small")
    form, picture = st.columns([2, 3], gap="medium")
    with form, st.container(border=True):
        given = _form(model, PATIENT if choice.is_demonstration else {})
    refused = [column for column in columns if _is_refused(column, given[column.name])]
    if refused:
        # The answer to the values before is withdrawn: it is not one to what stands in the form.
        with place:
            refuse(_refusal(refused, given, _decimal_commas(model)))
        return
    empty = [
        figures.readable_name(column.name)
        for column in columns
        if given[column.name] is None and not (column.missing_marks and column.kind == "number")
    ]
    if empty:
        # Without every required value there is no prediction.
        with place:
            st.markdown(f"Still to fill in: {verbatim(listed(empty))}.")
        return
    person = {column.name: _value(column, given[column.name]) for column in columns}
    rows = prediction.parts(model, person)
    outcome = float(rows["outcome"].iloc[0])
    wording = figures.OutcomeWording(
        model.loss == "logistic",
        model.entry.outcome,
        is_corrected=model.risks is not None,
        among=figures.among(outcome),
    )
    noise = certificate.noise(choice)
    ends = None
    if not isinstance(noise, str):
        ends = noise.intervals(prediction.frame_of(model.entry, [person]))[0].tolist()
    with place:
        st.markdown(f"#### {verbatim(wording.headline(outcome, ends))}")
        about = texts.NOISE_UNKNOWN.format(why=noise) if ends is None else texts.NOISE
        how = None if ends is None else texts.NOISE_HOW
        st.caption(verbatim(f"{wording.meaning()} {about}"), help=how)
    with picture:
        drawn = figures.parts(rows, columns, wording, dark=on_dark())
        plot(drawn, "predict_parts")
        table_behind(rows, "predict_parts", "What each value has to do with the answer")
        _curve(model, person, wording)


def _form(model: ReleasedModel, first: PersonValues) -> dict[str, object]:
    fields = st.grid(2, min_column_width=NARROWEST, gap="small")
    given = {}
    decimal_commas = _decimal_commas(model)
    for column in model.entry.columns:
        with fields.cell():
            given[column.name] = _field(
                column,
                first.get(column.name),
                f"predict {model.hash} {column.name}",
                column.name in decimal_commas,
            )
    return given


def _decimal_commas(model: ReleasedModel) -> frozenset[str]:
    """Names of the columns whose numbers are written like 1,5 where the model comes from."""
    return frozenset(
        field.name for field in read(model.columns).fields if field.decimal_mark == ","
    )


def _field(column: Column, first: Value, key: str, decimal_comma: bool) -> object:
    if column.kind == "number":
        # A browser's own field of numbers drops a decimal comma without a word, and keeps a value
        # beyond its limits to itself: the page would go on showing the answer to the one before.
        is_refused = _is_refused(column, _read(control_value(key), decimal_comma))
        text = st.text_input(
            verbatim(f"{figures.readable_name(column.name)}, {_allowed(column)}"),
            value="" if first is None else typed_numbers.written(float(first)),
            max_chars=MAX_LETTERS,
            placeholder=UNKNOWN if column.missing_marks else None,
            # A colour in the label would be read aloud as its Markdown.
            icon=REFUSED_MARK if is_refused else None,
            key=key,
        )
        return _read(text, decimal_comma)
    levels = prediction.levels_of(column)
    return st.selectbox(
        verbatim(figures.readable_name(column.name)),
        [*levels, *([UNKNOWN] if column.missing_marks else [])],
        None if first is None else levels.index(str(first)),
        placeholder="Choose",
        key=key,
    )


def _read(text: str | None, decimal_comma: bool) -> float | str | None:
    return typed_numbers.number_or_text(text or "", decimal_comma)


def _allowed(column: Column) -> str:
    least, most = column.bounds
    return f"{as_set(least)} to {as_set(most)}" + (f" {column.unit}" if column.unit else "")


def _is_refused(column: Column, given: object) -> bool:
    """Whether it is no number that the model knows; an empty field is not refused."""
    if column.kind != "number" or given is None:
        return False
    if isinstance(given, str):
        return True
    try:
        prediction.value_of(column, given)
    except InvalidInput:
        return True
    return False


def _refusal(
    refused: Sequence[Column], given: Mapping[str, object], decimal_commas: Collection[str]
) -> str:
    return texts.REFUSED.format(
        values="; ".join(
            _refused_value(column, given[column.name], column.name in decimal_commas)
            for column in refused
        )
    )


def _refused_value(column: Column, value: object, decimal_comma: bool) -> str:
    name = figures.readable_name(column.name)
    if isinstance(value, str):
        return f"{name} is {typed_numbers.why_unread(value, decimal_comma)}"
    return texts.REFUSED_VALUE.format(name=name, value=f"{value:.12g}", allowed=_allowed(column))


def _value(column: Column, given: object) -> Value:
    is_unknown = given == UNKNOWN and UNKNOWN not in prediction.levels_of(column)
    return prediction.value_of(column, None if is_unknown else given)


def _curve(model: ReleasedModel, person: PersonValues, wording: figures.OutcomeWording) -> None:
    columns = model.entry.columns
    with st.expander(
        f"The {wording.name} along one column",
        icon=":material/show_chart:",
        on_change="rerun",
        key="predict_curve",
    ) as place:
        if not place.open:
            return
        chosen = st.selectbox(
            "Column",
            range(len(columns)),
            format_func=lambda each: figures.readable_name(columns[each].name),
            key=f"predict column {model.hash}",
            persist_state="session",  # also while there is no answer
        )
        rows = prediction.curve(model, person, columns[chosen].name)
        plot(figures.curve(rows, columns[chosen], wording, dark=on_dark()), "predict_curve_figure")
        table_behind(rows, "predict_curve", "The answer at each value of the column")
