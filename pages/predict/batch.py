"""The records of a file: predicted in a process of their own, and handed back as a file."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import InvalidInput
from dpcore.figures.prediction import outcome_words
from dpcore.release.batch import Batch, batch
from pages.predict import texts
from pages.predict.aside import aside
from pages.predict.controls import Choice
from pages.shared import session_end, uploads
from pages.shared.session import leave, on_leaving, store, stored
from pages.shared.uploads import File
from pages.shared.verbatim import refuse, verbatim

MADE = "predictions"


def show(choice: Choice) -> None:
    """Draw the field for a file, and the predictions for it."""
    file = uploads.field("Records (CSV)", "predict_table", help=texts.FILE)
    if file is None:
        drop()
        st.markdown(texts.FILE)
        return
    on_leaving(MADE, lambda: _forget(file))
    made = _made(choice, file)
    if isinstance(made, InvalidInput):
        refuse(made)
        return
    outcome = outcome_words(choice.model.entry.outcome, is_positive=True)
    records = "1 record" if made.records == 1 else f"{made.records:,} records"
    st.markdown(f"#### {records}: of {made.positive:,} the model says {verbatim(outcome)}.")
    st.download_button(
        "Download predictions",
        made.csv,
        file_name="predictions.csv",
        mime="text/csv",
        icon=":material/download:",
        type="primary",
        on_click="ignore",
    )


def drop() -> None:
    """Let go of the file and its predictions, where there are any."""
    if stored(MADE) is not None:
        leave()


def _made(choice: Choice, file: File) -> Batch | InvalidInput:
    """The predictions, made once for a model and a file."""
    asked = choice.model.hash, file.file_id
    if stored(MADE) is None or stored(MADE)[0] != asked:
        made: Batch | InvalidInput
        try:
            made = aside(file.name, batch, choice.contents, file.getvalue(), file.name)
        except InvalidInput as refusal:
            made = refusal
        store(MADE, (asked, made))
    found: Batch | InvalidInput = stored(MADE)[1]
    return found


def _forget(file: File) -> None:
    store(MADE, None)
    session_end.forget_file(file.file_id)
