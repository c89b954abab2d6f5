"""Links to Explore from before it began by rule: what they meant, in today's settings."""

from __future__ import annotations

from typing import Any

from dpcore.controls.explore import BEST_METHOD, CONTROLS, FEATURES, MAY_COST, PATIENTS
from dpcore.controls.link import Link

_ALLOWED = {"accuracy": 2.0, "auc": 0.02}
"""What privacy was allowed to cost where a link named nothing, by measure."""


def meant(link: Link) -> dict[str, tuple[Any, str]]:
    """What a link of before meant by what it does not name, as (value, title) by control.

    Parameters
    ----------
    link : mapping
        Name to all its values; of version 2 or 3, or without a version.
    """
    data = CONTROLS["data"]
    found: dict[str, tuple[Any, str]] = {}
    if FEATURES.key not in link:
        found[FEATURES.key] = "plain", str(FEATURES.text("plain"))
    if list(link.get("v", ())) == ["3"]:
        return found
    # Patients were named beside the cohort alone.
    if data.key not in link and PATIENTS.key not in link:
        found[data.key] = "breast_cancer", str(data.text("breast_cancer"))
    # Only one tab asks what privacy may cost.
    if link.get("view", [""])[-1] == BEST_METHOD:
        for measure, allowed in _ALLOWED.items():
            control = MAY_COST[measure]
            if control.key not in link:
                found[control.key] = allowed, str(control.text(allowed))
    return found
