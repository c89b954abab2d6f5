"""dpcore: what privacy costs on given data, what it buys, and whether a claim is true.

The names in `__all__` are the front door; each is loaded when it is first asked for. Importing this
package loads nothing heavy: no torch, no pandas, no NumPy, and never streamlit.
"""

from __future__ import annotations

from importlib import import_module

from dpcore import questions

__version__ = "0.1.0"

PLACES = {
    "accounting.elsewhere": ("StatementStudy",),
    "accounting.planner": ("Plan",),
    "accounting.risk": ("Odds",),
    "datasets": ("Preparation", "prepare"),
    "deep.config": ("TrainingConfig",),
    "audit.claim": ("ClaimTrial", "try_claim", "try_outputs"),
    "audit.replay": ("Replay", "replay"),
    "audit.study": ("CourtStudy", "TrialStudy"),
    "erm.methods": ("describe_methods",),
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
    "front.experiments": ("load", "report", "train"),
    "front.privacy": ("Run", "certify", "delta", "epsilon", "risk", "sigma"),
    "guarantee": ("Adjacency", "Guarantee", "PrivacyBudget", "Status"),
    "questions.account.function": ("account",),
    "questions.plan.function": ("plan",),
    "release.release": ("release_model",),
    "summaries.study": ("TableStudy",),
}
"""Where the names of the front door live, but for the questions."""
__all__ = sorted([*(name for names in PLACES.values() for name in names), *questions.names()])


def __getattr__(name: str) -> object:
    """Load a name of the front door where it lives."""
    value: object
    if name in questions.names():
        value = import_module(f"{__name__}.front.question").function(name)
    else:
        place = next((place for place, names in PLACES.items() if name in names), None)
        if place is None:
            raise AttributeError(
                f"module {__name__!r} has no attribute {name!r}"
                + (f": ask one of {', '.join(questions.names())}" if name == "explore" else "")
            )
        value = getattr(import_module(f"{__name__}.{place}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What there is, loaded or not."""
    return sorted({*globals(), *__all__})
