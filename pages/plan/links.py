"""Check the link to Plan."""

from __future__ import annotations

from dpcore.controls.account import ACCOUNT, ENTRIES, LADDER, MODEL_DATA, QUESTION
from dpcore.controls.plan import CONTROLS, DETAIL
from pages.plan import entries
from pages.shared import query
from pages.shared.session import once


def validate_link() -> str:
    """Check the link once a session; returns all its refusals as one message."""
    return once(
        "plan_link",
        lambda: query.validate_link(
            (QUESTION, *ACCOUNT, MODEL_DATA, *LADDER, *CONTROLS, *DETAIL),
            others={ENTRIES: entries.check},
        ),
    )
