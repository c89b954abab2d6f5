"""Go from a table to a model that may leave, in five steps."""

from __future__ import annotations

from pages.release import answer, controls
from pages.shared import query

query.tell(controls.validate_link())
answer.draw()
