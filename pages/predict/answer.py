"""Ask for one person's values, and show what the model says, and why; or predict for a file.

Nothing that is typed is cached or stored: the session has it while the form is on the page. The
records of a file are predicted for in a process of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from dpcore.datasets.column_parts import UNKNOWN
from dpcore.datasets.own import typed_numbers
from dpcore.datasets.own.notation import read
from dpcore.datasets.schema import Column
from dpcore.errors import InvalidInput
from dpcore.questions.prediction import figure
from dpcore.questions.prediction.figure import outcome_words
from dpcore.release import prediction
from dpcore.release.demonstration import PATIENT
from dpcore.release.model import ReleasedModel
from dpcore.release.prediction import MAX_COLUMNS, PersonValues, PredictedBatch, Value, batch
from dpcore.words import as_set, listed, spaced
from pages.predict import certificate
from pages.predict.controls import Choice, isolated_call
from pages.server import sessions
from pages.shared import uploads
from pages.shared.display import draw_file, on_dark, plot, table_behind
from pages.shared.session import control_value, leave, on_leaving, store, stored
from pages.shared.uploads import File
from pages.shared.verbatim import refuse, verbatim

TOO_WIDE = "The model has {count} columns, and the form takes at most {most}: choose a CSV file."
NOISE = "95 of 100 such ranges hold what the training says without noise."
NOISE_HOW = (
    "In 95 of 100 releases with other noise, such a range holds what the training says without "
    "any. It follows from the certificate and made-up records, and costs no ε. For people unlike "
    "those it learned from it may be too narrow."
)
NOISE_UNKNOWN = "What noise alone does is not known: {why}."
REFUSED = "There is no answer, as a value is none that the model knows: {values}."
REFUSED_VALUE = "{name} is {value}, but must be {allowed}"
FILE = (
    "The first line names the model’s columns, in any order; others are left out. It is read in a "
    "process of its own, which ends with the answer."
)
NARROWEST = 120  # pixels of a field
MAX_LETTERS = 30  # of a number as it is typed
REFUSED_MARK = ":material/error:"  # in a field whose value the model does not know
PREDICTIONS = "predictions"


def show(choice: Choice) -> None:
    """Draw the answer, the form, and what each value has to do with it."""
    model = choice.model
    columns = model.entry.columns
    if len(columns) > MAX_COLUMNS:
        st.warning(
            TOO_WIDE.format(count=len(columns), most=MAX_COLUMNS),
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
        figure.readable_name(column.name)
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
    wording = figure.OutcomeWording(
        model.loss == "logistic",
        model.entry.outcome,
        is_corrected=model.risks is not None,
        among=figure.among(outcome),
    )
    noise = certificate.noise(choice)
    ends = None
    if not isinstance(noise, str):
        ends = noise.intervals(prediction.frame_of(model.entry, [person]))[0].tolist()
    with place:
        st.markdown(f"#### {verbatim(wording.headline(outcome, ends))}")
        about = NOISE_UNKNOWN.format(why=noise) if ends is None else NOISE
        how = None if ends is None else NOISE_HOW
        st.caption(verbatim(f"{wording.meaning()} {about}"), help=how)
    with picture:
        drawn = figure.parts(rows, columns, wording, dark=on_dark())
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
            verbatim(f"{figure.readable_name(column.name)}, {_allowed(column)}"),
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
        verbatim(figure.readable_name(column.name)),
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
    return REFUSED.format(
        values="; ".join(
            _refused_value(column, given[column.name], column.name in decimal_commas)
            for column in refused
        )
    )


def _refused_value(column: Column, value: object, decimal_comma: bool) -> str:
    name = figure.readable_name(column.name)
    if isinstance(value, str):
        return f"{name} is {typed_numbers.why_unread(value, decimal_comma)}"
    return REFUSED_VALUE.format(name=name, value=f"{value:.12g}", allowed=_allowed(column))


def _value(column: Column, given: object) -> Value:
    is_unknown = given == UNKNOWN and UNKNOWN not in prediction.levels_of(column)
    return prediction.value_of(column, None if is_unknown else given)


def _curve(model: ReleasedModel, person: PersonValues, wording: figure.OutcomeWording) -> None:
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
            format_func=lambda each: figure.readable_name(columns[each].name),
            key=f"predict column {model.hash}",
            persist_state="session",  # also while there is no answer
        )
        rows = prediction.curve(model, person, columns[chosen].name)
        plot(figure.curve(rows, columns[chosen], wording, dark=on_dark()), "predict_curve_figure")
        table_behind(rows, "predict_curve", "The answer at each value of the column")


def show_for_many(choice: Choice) -> None:
    """Draw the field for a file, and the predictions for it."""
    file = uploads.field("Records (CSV)", "predict_table", help=FILE)
    if file is None:
        drop_file()
        st.markdown(FILE)
        return
    on_leaving(PREDICTIONS, lambda: _forget_file(file))
    predictions = _predictions(choice, file)
    if isinstance(predictions, InvalidInput):
        refuse(predictions)
        return
    outcome = outcome_words(choice.model.entry.outcome, is_positive=True)
    records = "1 record" if predictions.records == 1 else f"{spaced(predictions.records)} records"
    st.markdown(
        f"#### {records}: of {spaced(predictions.positive)} the model says {verbatim(outcome)}."
    )
    draw_file("Download predictions", lambda: predictions.csv, "predictions.csv", type="primary")


def drop_file() -> None:
    """Forget the file and its predictions, where there are any."""
    if stored(PREDICTIONS) is not None:
        leave()


def _predictions(choice: Choice, file: File) -> PredictedBatch | InvalidInput:
    key = choice.model.hash, hash(choice.certificate), file.file_id
    if stored(PREDICTIONS) is None or stored(PREDICTIONS)[0] != key:
        computed: PredictedBatch | InvalidInput
        try:
            computed = isolated_call(
                file.name, batch, choice.contents, choice.certificate, file, file.name
            )
        except InvalidInput as refusal:
            computed = refusal
        store(PREDICTIONS, (key, computed))
    predictions: PredictedBatch | InvalidInput = stored(PREDICTIONS)[1]
    return predictions


def _forget_file(file: File) -> None:
    store(PREDICTIONS, None)
    sessions.forget_file(file.file_id)
