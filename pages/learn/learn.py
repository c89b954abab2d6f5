"""Give seven lessons, each a guess, then the curve, then a change."""

from __future__ import annotations

from dpcore.controls.learn import EVERY
from pages.learn import answer, controls
from pages.shared import address

address.check_once("learn", lambda: address.validate_link(EVERY))

choice = controls.sidebar()
address.tell(choice.refusal)
answer.draw(choice)
