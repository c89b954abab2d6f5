"""Draw step 1: made-up patients, or a table of one's own, read in its confined process."""

from __future__ import annotations

import streamlit as st

from dpcore.controls.release import DEMONSTRATION
from dpcore.datasets.clipping import Clipping
from dpcore.errors import InvalidInput
from dpcore.release import confined_release
from dpcore.release.model import entry_of
from dpcore.release.roles import Role
from dpcore.words import spaced
from pages.release import person, texts
from pages.release.records import ChosenTable, MadeUp, Uploaded
from pages.release.steps import ReleaseStep
from pages.shared import own_table, sign_in, upload_limit, uploads
from pages.shared.session import store, stored
from pages.shared.verbatim import verbatim
from pages.shared.widgets import ControlForm

RECORDS = "release held"


def draw(form: ControlForm, *, is_busy: bool) -> tuple[ChosenTable | None, ReleaseStep]:
    """Draw the step; returns the records, once they are described and read.

    While a release is under way (`is_busy`) they are left alone.
    """
    if form.draw("release_table") == DEMONSTRATION:
        records = MadeUp()
        st.code(records.columns, language="yaml", wrap_lines=True)
        return records, _done(records)
    stored_records: Uploaded | None = stored(RECORDS)
    if stored_records is not None and stored_records.upload.closed:
        store(RECORDS, stored_records := None)
    if is_busy:
        st.caption(texts.TABLE_IS_BUSY)
        return stored_records, ReleaseStep(
            "to do", texts.CHOOSE
        ) if stored_records is None else _done(stored_records)
    may_release = not isinstance(sign_in.allowed(Role.ANALYST), str)
    file, columns = own_table.controls(upload_limit.LARGE if may_release else upload_limit.SMALL)
    if file is None and stored_records is not None and stored_records.columns == columns:
        st.caption(texts.EARLIER_FILE)
        return stored_records, _done(stored_records)
    if file is None:
        st.caption(texts.OWN)
        return None, ReleaseStep("to do", texts.CHOOSE)
    if not own_table.is_settled(columns):
        own_table.how_to(columns, file)
        return None, ReleaseStep("to do", texts.DESCRIBE)
    try:
        entry_of(columns)
        if person.refusal(columns) is not None:
            return None, ReleaseStep("done", texts.READ_NEXT)
        upload = uploads.release(columns, file)
        with st.spinner(texts.READING, show_time=True):
            count: int = upload.answer("", None)
            clipping: Clipping = upload.answer("clipping", confined_release.clipping)
    except InvalidInput as refusal:
        own_table.refused(columns, file, refusal)
        return None, ReleaseStep("to do", texts.MEND)
    read = Uploaded(upload, columns, count, clipping)
    store(RECORDS, read)
    return read, _done(read)


def _done(records: ChosenTable) -> ReleaseStep:
    return ReleaseStep("done", verbatim(f"{spaced(records.count)} {records.title}"))
