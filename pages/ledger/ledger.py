"""Show stewards what is left of each data set, its history, and a higher cap."""

from __future__ import annotations

import streamlit as st

from dpcore import settings
from dpcore.errors import InvalidInput
from dpcore.release.roles import Role
from pages.ledger import answer, cap_form, shown_ledger, texts
from pages.shared import query, sign_in, view_link
from pages.shared.session import once
from pages.shared.texts import LEDGER
from pages.shared.verbatim import refuse

query.tell(once("ledger_link", lambda: query.validate_link(())))
view_link.title(LEDGER)
person = sign_in.needed(Role.STEWARD)
sign_in.who(person)
try:
    ledger = shown_ledger.opened(person)
    if shown_ledger.is_demonstration(person):
        st.info(texts.DEMONSTRATION.format(place=settings.LEDGER.name), icon=":material/science:")
    chosen = answer.chosen(ledger)
    if chosen is not None:
        answer.show(ledger, chosen)
        cap_form.draw(ledger, chosen, person)
except InvalidInput as refusal:
    refuse(refusal)
