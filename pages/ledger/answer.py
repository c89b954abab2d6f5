"""Show what is left of a data set, its history, whether the chain is whole, and a higher cap.

The ledger is the server's, or where it has none a demonstration.
"""

from __future__ import annotations

import streamlit as st

from dpcore.errors import InvalidInput
from dpcore.questions.ledger import figure
from dpcore.release import demonstration
from dpcore.release.ledger import GaussianSpend, Ledger
from dpcore.release.ledger.chain import history_rows
from dpcore.release.ledger.spends import LONGEST_TEXT
from dpcore.release.roles import Actor
from dpcore.words import at_least, at_most, plain, spaced
from pages.server import ledgers
from pages.shared import badges
from pages.shared.display import download, draw_numbers, on_dark, plot
from pages.shared.session import once
from pages.shared.verbatim import refuse, verbatim

DEMONSTRATION = (
    "Demonstration: made-up entries, for this visit alone. {place} names a real ledger, or Release "
    "creates one."
)
SPENT = (
    "The ε of all that was spent, at the cap’s δ; rounded up. The filter composes it as a sum, by "
    "Gaussian noise and in Rényi form, each with a part of δ. The least counts. It holds also "
    "where a release was chosen by what earlier ones had shown."
)
LEFT = "The cap less what is taken; rounded down. Nothing is ever given back."
CAP = "What all releases from this data set together may reach."
RAISE = (
    "An entry for ever: a cap never comes down, and what was spent stays spent. A cap that is "
    "raised because of what was seen promises only the highest that it may come to."
)
WHOLE = "The chain is whole: {count} hashes and every account were computed anew."
COPY = (
    "An older copy of the whole ledger would look right, too. Chain heads that were kept "
    "elsewhere, such as in certificates, show it: `python -m dpcore ledger verify --heads`."
)
LATEST = 100
"""Most entries that are read and drawn."""
SPENDS = ((2.6, "model: risk of a fall"), (3.4, "model: length of stay"))


def chosen(ledger: Ledger) -> str | None:
    """Draw the choice of a data set; ``None`` where there is none."""
    names = list(ledger.data_sets())
    with st.sidebar:
        name = st.selectbox("Data set", names, key="ledger_data_set", placeholder="none yet")
    if name is None:
        st.markdown("The ledger has no data set yet: `python -m dpcore ledger create` begins one.")
    return name


def show(ledger: Ledger, data_set: str) -> None:
    """Draw the answer for one data set; refuses a ledger that cannot be read or was changed."""
    left = ledger.left(data_set)
    epsilon, delta = left.cap
    st.markdown(f"#### {verbatim(data_set)}: {verbatim(left.words())}")
    adjacency = str(left.account.terms.adjacency)
    about = f"δ = {plain(delta)} · {adjacency}"
    draw_numbers(
        (
            ("ε taken", at_most(left.epsilon_spent), "by the filter", f"{SPENT} {about}."),
            ("ε left", at_least(left.shown), f"of {plain(epsilon)}", f"{LEFT} {left.basis}"),
            ("Cap", plain(epsilon), about, CAP),
        ),
        across=3,
    )
    badges.note_composition()
    rows = history_rows(ledger.history(data_set, latest=LATEST))
    plot(figure.spending(rows, adjacency, dark=on_dark()), "ledger_figure")
    with st.container(horizontal=True):
        verified = st.button("Check the chain", icon=":material/link:", key="ledger_verify")
    if verified:
        _verify(ledger)
    count = ledger.count(data_set)
    if count > len(rows):
        st.caption(f"The latest {len(rows)} of {spaced(count)} entries.")
    download(rows[::-1], "ledger_history", "The history of the data set, the newest entry first")


def _verify(ledger: Ledger) -> None:
    problems = ledger.verify()
    for problem in problems:
        st.error(verbatim(problem), icon=":material/link_off:")
    if not problems:
        st.success(WHOLE.format(count=spaced(ledger.count())), icon=":material/link:")
        st.caption(COPY)


def raise_cap(ledger: Ledger, data_set: str, person: Actor) -> None:
    """Draw the form, and raise the cap once it is submitted."""
    epsilon, delta = ledger.left(data_set).cap
    with st.form(f"raise {data_set}"):
        st.markdown("**Raise the cap**", help=RAISE)
        numbers = st.columns(2)
        with numbers[0]:
            new_epsilon = st.number_input("New ε", epsilon, None, epsilon, format="%.6g")
        with numbers[1]:
            new_delta = st.number_input("New δ", delta, 1.0, delta, format="%.3g")
        reason = st.text_input("Reason", max_chars=LONGEST_TEXT)
        actor = person.email or st.text_input("Who raises it", max_chars=LONGEST_TEXT)
        is_submitted = st.form_submit_button("Raise it for good", icon=":material/add:")
    if not is_submitted:
        return
    try:
        ledger.raise_cap(data_set, epsilon=new_epsilon, delta=new_delta, reason=reason, actor=actor)
    except InvalidInput as refusal:
        refuse(refusal)
    else:
        st.rerun()  # with the entry that it made


def is_demonstration(person: Actor) -> bool:
    """Whether there is no ledger for somebody."""
    return not ledgers.place(person)


def opened(person: Actor) -> Ledger:
    """Open the ledger for somebody."""
    if is_demonstration(person):
        return once("demonstration ledger", _demonstration)
    return ledgers.opened(ledgers.place(person))


def _demonstration() -> Ledger:
    ledger = demonstration.ledger()
    for noise, purpose in SPENDS:
        spend = GaussianSpend(noise)
        ledger.spend(demonstration.DATA_SET, spend, actor=demonstration.ACTOR, purpose=purpose)
    return ledger
