"""dpcore: what privacy costs on given data, what it buys, and whether a claim is true.

The names in `__all__` are the front door; each is loaded when it is first asked for. Importing this
package loads nothing heavy: no torch, no pandas, no NumPy, and never streamlit.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

__all__ = [
    "Adjacency",
    "Guarantee",
    "InvalidInput",
    "ModelGuarantee",
    "ModelStudy",
    "Odds",
    "Plan",
    "Preparation",
    "PrivacyBudget",
    "PrivateHuberSVC",
    "PrivateLinearRegression",
    "PrivateLogisticRegression",
    "Run",
    "Status",
    "Study",
    "TrainingConfig",
    "TrainingStudy",
    "account",
    "certify",
    "cost",
    "decisions",
    "delta",
    "describe",
    "epsilon",
    "explore",
    "load",
    "plan",
    "prepare",
    "release_model",
    "report",
    "risk",
    "sigma",
    "train",
    "vary",
]

_PLACES = {
    "accounting.planner": ("Plan",),
    "accounting.risk": ("Odds",),
    "datasets": ("Preparation", "prepare"),
    "deep.config": ("TrainingConfig",),
    "errors": ("InvalidInput",),
    "estimators": (
        "ModelGuarantee",
        "PrivateHuberSVC",
        "PrivateLinearRegression",
        "PrivateLogisticRegression",
    ),
    "evaluation.clinic.decision_curve": ("decisions",),
    "evaluation.models": ("ModelStudy",),
    "evaluation.study": ("Study",),
    "evaluation.training": ("TrainingStudy",),
    "front.account": ("account",),
    "front.experiments": ("cost", "explore", "load", "report", "train", "vary"),
    "front.planning": ("plan",),
    "front.privacy": ("certify", "delta", "epsilon", "risk", "sigma"),
    "front.run": ("Run",),
    "guarantee": ("Adjacency", "Guarantee", "PrivacyBudget", "Status"),
    "methods": ("describe",),
    "release.release": ("release_model",),
}


def __getattr__(name: str) -> object:
    """Load a name of the front door where it lives."""
    for place, names in _PLACES.items():
        if name in names:
            value: object = getattr(import_module(f"{__name__}.{place}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """What there is, loaded or not."""
    return sorted({*globals(), *__all__})
