"""Say in a line whether the model's certificate holds, and show it one click away."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import InvalidInput
from dpcore.release import demonstration
from dpcore.release.certificate import Certificate
from dpcore.release.check import Checked, check, read
from dpcore.release.documents import leaves
from dpcore.release.made_up import NoiseAlone, noise_alone
from dpcore.release.prediction import checked
from dpcore.words import spaced
from pages.predict.controls import Choice, isolated_call
from pages.shared.display import draw_file
from pages.shared.session import store, stored
from pages.shared.verbatim import show_on_paper, verbatim

DEMONSTRATION = "Demonstration: released from made-up patients. Its predictions mean nothing."
LIKE_DEMONSTRATION = (
    "Its columns are those of the demonstration, whose patients are made up. Nothing here says "
    "that it was learned from real ones."
)
WITHOUT = "No certificate: nothing here says what privacy was proved of this model."
HOLDS = "The certificate holds: it is this model’s, and its numbers follow from the mechanism."
BROKEN = "Do not rely on the certificate:"
CHECKED, VALID, NOISE, MAX_PROBLEMS = "certificate", "valid certificate", "noise alone", 4


def line(choice: Choice) -> None:
    """Say what the model is, and whether its certificate holds."""
    certificate = _valid(choice)
    data_set = None if certificate is None else certificate.document["facts"]["ledger"]["data_set"]
    if demonstration.is_source(choice.model.columns, data_set):
        caution = DEMONSTRATION if data_set else LIKE_DEMONSTRATION
        st.warning(caution, icon=":material/science:")
    if not choice.certificate:
        st.caption(WITHOUT)
        return
    if certificate is None:
        verification = _checked(choice)
        problems = list(map(verbatim, verification.problems[:MAX_PROBLEMS]))
        more = len(verification.problems) - len(problems)
        listed = "\n".join(
            f"- {each}" for each in [*problems, *([f"… and {spaced(more)} more."] * (more > 0))]
        )
        st.error(f"{BROKEN}\n\n{listed}", icon=":material/gpp_bad:")
    elif not choice.is_demonstration:
        about = certificate.document["facts"]["about"]
        st.caption(verbatim(f"{about['name']}. Meant for: {about['intended_use']}"))


def show(choice: Choice) -> None:
    """Draw the certificate in a box to open, and its claim as a line for print."""
    certificate = _valid(choice)
    if certificate is None:
        return
    show_on_paper(certificate.document["claim"])
    place = st.expander(
        "Certificate", icon=":material/verified_user:", on_change="rerun", key="predict_certificate"
    )
    if not place.open:
        return
    import pandas as pd

    verification = _checked(choice)
    with place:
        st.markdown(f":green[:material/check:] {HOLDS}")
        st.markdown(verbatim(certificate.document["claim"]))
        st.caption(verbatim(f"Checked: {'; '.join(verification.checks)}. {verification.warning}"))
        rows = leaves(certificate.document)
        st.dataframe(
            pd.DataFrame({"field": list(rows), "value": [str(value) for value in rows.values()]}),
            hide_index=True,
            height=320,
            alt="Every field of the certificate",
        )
        draw_file("Download as a page", certificate.to_html, "certificate.html")


def noise(choice: Choice) -> NoiseAlone | str:
    """Say what noise alone does to the model's predictions, computed once for it; or why not."""
    certificate = _valid(choice)
    document = None if certificate is None else certificate.document
    key = choice.model.hash, document and document["hash"]
    if stored(NOISE) is None or stored(NOISE)[0] != key:
        store(NOISE, (key, noise_alone(choice.model, document)))
    result: NoiseAlone | str = stored(NOISE)[1]
    return result


def _valid(choice: Choice) -> Certificate | None:
    if not choice.certificate or _checked(choice).problems:
        return None
    key = stored(CHECKED)[0]
    if stored(VALID) is None or stored(VALID)[0] != key:
        store(VALID, (key, read(choice.certificate.decode())))
    result: Certificate = stored(VALID)[1]
    return result


def _checked(choice: Choice) -> Checked:
    key = choice.model.hash, hash(choice.certificate)
    if stored(CHECKED) is None or stored(CHECKED)[0] != key:
        if choice.is_demonstration:
            verification = check(choice.certificate.decode(), None, choice.model)
        else:
            try:
                verification = isolated_call(
                    "the certificate", checked, choice.certificate, choice.contents
                )
            except InvalidInput as refusal:
                verification = Checked((str(refusal),), (), "")
        store(CHECKED, (key, verification))
    result: Checked = stored(CHECKED)[1]
    return result
