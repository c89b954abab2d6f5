"""Give six lessons, each a guess, then the curve, then a change."""

from __future__ import annotations

from pages.learn import answer, controls
from pages.shared import query

query.tell(controls.validate_link())

answer.draw(controls.sidebar())
