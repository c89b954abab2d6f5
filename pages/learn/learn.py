"""Give seven lessons, each a guess, then the curve, then a change."""

from __future__ import annotations

from pages.learn import answer, controls
from pages.shared import query

query.tell(controls.validate_link())

choice = controls.sidebar()
query.tell(choice.refusal)
answer.draw(choice)
