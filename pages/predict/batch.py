"""Predict for the records of a file in a process of its own, and hand them back as a file."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import InvalidInput
from dpcore.figures.prediction import outcome_words
from dpcore.release.prediction import PredictedBatch, batch
from dpcore.words import spaced
from pages.predict import texts
from pages.predict.controls import Choice
from pages.predict.isolated_call import isolated_call
from pages.shared import session_end, uploads
from pages.shared.session import leave, on_leaving, store, stored
from pages.shared.uploads import File
from pages.shared.verbatim import refuse, verbatim

PREDICTIONS = "predictions"


def show(choice: Choice) -> None:
    """Draw the field for a file, and the predictions for it."""
    file = uploads.field("Records (CSV)", "predict_table", help=texts.FILE)
    if file is None:
        drop()
        st.markdown(texts.FILE)
        return
    on_leaving(PREDICTIONS, lambda: _forget(file))
    predictions = _predictions(choice, file)
    if isinstance(predictions, InvalidInput):
        refuse(predictions)
        return
    outcome = outcome_words(choice.model.entry.outcome, is_positive=True)
    records = "1 record" if predictions.records == 1 else f"{spaced(predictions.records)} records"
    st.markdown(
        f"#### {records}: of {spaced(predictions.positive)} the model says {verbatim(outcome)}."
    )
    st.download_button(
        "Download predictions",
        predictions.csv,
        file_name="predictions.csv",
        mime="text/csv",
        icon=":material/download:",
        type="primary",
        on_click="ignore",
    )


def drop() -> None:
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


def _forget(file: File) -> None:
    store(PREDICTIONS, None)
    session_end.forget_file(file.file_id)
