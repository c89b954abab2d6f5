"""Show stewards what is left of each data set, its history, and a higher cap."""

from __future__ import annotations

import streamlit as st

from dpcore import settings
from dpcore.errors import InvalidInput
from dpcore.release.roles import Role
from pages.ledger import answer
from pages.shared import address, frame
from pages.shared.page_links import LEDGER
from pages.shared.verbatim import refuse

address.check_once("ledger", lambda: address.validate_link(()))
frame.title(LEDGER)
person = frame.needed_visitor(Role.STEWARD)
frame.show_visitor(person)
try:
    ledger = answer.opened(person)
    if answer.is_demonstration(person):
        st.info(answer.DEMONSTRATION.format(place=settings.LEDGER.name), icon=":material/science:")
    chosen = answer.chosen(ledger)
    if chosen is not None:
        answer.show(ledger, chosen)
        answer.raise_cap(ledger, chosen, person)
except InvalidInput as refusal:
    refuse(refusal)
