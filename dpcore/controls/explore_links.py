"""Links to Explore of earlier versions: settings that they left out, in today's terms."""

from __future__ import annotations

from typing import Any

from dpcore.controls.explore import BEST_METHOD, CONTROLS, FEATURES, MAY_COST, PATIENTS
from dpcore.controls.link import Link

_ALLOWED = {"accuracy": 2.0, "auc": 0.02}
"""The allowed cost of privacy where a link named none, by measure."""


def former_defaults(link: Link) -> dict[str, tuple[Any, str]]:
    """The defaults of an earlier version that a link left out, as (value, title) by control.

    Parameters
    ----------
    link : mapping
        Name to all its values; of version 2 or 3, or without a version.
    """
    data = CONTROLS["data"]
    defaults: dict[str, tuple[Any, str]] = {}
    if FEATURES.key not in link:
        defaults[FEATURES.key] = "plain", str(FEATURES.text("plain"))
    if list(link.get("v", ())) == ["3"]:
        return defaults
    # A link named the number of patients only with the cohort.
    if data.key not in link and PATIENTS.key not in link:
        defaults[data.key] = "breast_cancer", str(data.text("breast_cancer"))
    # Only one tab asks what privacy may cost.
    if link.get("view", [""])[-1] == BEST_METHOD:
        for measure, allowed in _ALLOWED.items():
            control = MAY_COST[measure]
            if control.key not in link:
                defaults[control.key] = allowed, str(control.text(allowed))
    return defaults
