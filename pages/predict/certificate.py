"""The model's certificate: whether it holds, in a line, and what it says, one click away."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import InvalidInput
from dpcore.release.batch import checked
from dpcore.release.check import Checked, check, read
from dpcore.release.registry import leaves
from pages.predict import texts
from pages.predict.aside import aside
from pages.predict.controls import Choice
from pages.shared import on_paper
from pages.shared.session import store, stored
from pages.shared.verbatim import verbatim

CHECKED, MOST_PROBLEMS = "certificate", 4


def line(choice: Choice) -> None:
    """Say what the model is, and whether its certificate holds."""
    if choice.is_demonstration:
        st.warning(texts.DEMONSTRATION, icon=":material/science:")
    if not choice.certificate:
        st.caption(texts.WITHOUT)
        return
    found = _checked(choice)
    if found.problems:
        told = list(map(verbatim, found.problems[:MOST_PROBLEMS]))
        more = len(found.problems) - len(told)
        listed = "\n".join(
            f"- {each}" for each in [*told, *([f"… and {more:,} more."] * (more > 0))]
        )
        st.error(f"{texts.BROKEN}\n\n{listed}", icon=":material/gpp_bad:")
    elif not choice.is_demonstration:
        about = read(choice.certificate.decode()).document["facts"]["about"]
        st.caption(verbatim(f"{about['name']}. Meant for: {about['intended_use']}"))


def show(choice: Choice) -> None:
    """Draw the certificate where it was asked for; its claim on paper, too."""
    if not choice.certificate or _checked(choice).problems:
        return
    made = read(choice.certificate.decode())
    on_paper.line(made.document["claim"])
    place = st.expander(
        "Certificate", icon=":material/verified_user:", on_change="rerun", key="predict_certificate"
    )
    if not place.open:
        return
    import pandas as pd

    found = _checked(choice)
    with place:
        st.markdown(f":green[:material/check:] {texts.HOLDS}")
        st.markdown(verbatim(made.document["claim"]))
        st.caption(verbatim(f"Checked: {'; '.join(found.checks)}. {found.warning}"))
        rows = leaves(made.document)
        st.dataframe(
            pd.DataFrame({"field": list(rows), "value": [str(value) for value in rows.values()]}),
            hide_index=True,
            height=320,
            alt="Every field of the certificate",
        )
        st.download_button(
            "Download as a page",
            made.to_html(),
            file_name="certificate.html",
            mime="text/html",
            icon=":material/download:",
            on_click="ignore",
        )


def _checked(choice: Choice) -> Checked:
    """What the check found, made once for a model and a certificate."""
    asked = choice.model.hash, hash(choice.certificate)
    if stored(CHECKED) is None or stored(CHECKED)[0] != asked:
        if choice.is_demonstration:
            found = check(choice.certificate.decode(), None, choice.model)
        else:
            try:
                found = aside("the certificate", checked, choice.certificate, choice.contents)
            except InvalidInput as refusal:
                found = Checked((str(refusal),), (), "")
        store(CHECKED, (asked, found))
    result: Checked = stored(CHECKED)[1]
    return result
