"""Draw how phones join a class, and redraw the page when a class has news."""

from __future__ import annotations

import streamlit as st

from pages.learn import controls, reach
from pages.learn.classes import OpenClass
from pages.shared import work
from pages.shared.verbatim import verbatim
from pages.shared.work import State, Watched

KEPT = (
    "Guesses and answers have no names. They stay in the server's memory until the lesson ends, "
    "at most an hour after the last one."
)

SENT = "Your guess is on the presenter's screen. The curve comes as soon as it is shown there."


def invitation(opened: OpenClass) -> None:
    """Draw the code, and the link as QR code where phones can reach it."""
    address = reach.link(opened.code)
    if address:
        st.image(reach.picture(address), alt=f"QR code of {address}", width="stretch")
        st.caption(verbatim(address))
    else:
        network = reach.own_address() or "ADDRESS"
        st.markdown(
            ":material/wifi_off: Phones cannot reach this page: it listens on this machine alone. "
            "Start it with these options, and open it by that address. docs/serve.md says more."
        )
        st.code(
            f"--server.address 0.0.0.0\n--server.allowedHosts {network}",
            language=None,
            wrap_lines=True,
        )
    st.metric("Class code", opened.code)


class ClassNews(Watched):
    """What a session waits for: a phone for the next stage, the presenter for every guess."""

    name, seconds = "class", 2.0
    drawn: State = "running"

    def __init__(self, opened: OpenClass, is_host: bool) -> None:
        self._seen = opened
        self._is_host = is_host

    def state(self) -> State:
        """Return that it goes on."""
        return "running"

    def has_news(self) -> bool:
        """Say whether the page is to be drawn anew."""
        now, seen = controls.seen(self._seen.code), self._seen
        if now is None:
            return True
        return now.news != seen.news if self._is_host else now.stage != seen.stage


def watch(opened: OpenClass, is_host: bool) -> None:
    """Redraw the page once the class has news."""
    work.watch([ClassNews(opened, is_host)])
