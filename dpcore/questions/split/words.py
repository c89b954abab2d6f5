"""The noise of releases in words, as a command line, and as Python."""

from __future__ import annotations

from dpcore.accounting.answers import BudgetSplit
from dpcore.guarantee import PrivacyBudget
from dpcore.questions.lines import joined
from dpcore.words import at_most, plain, spaced

DIGITS = 4


def releases(budget_split: BudgetSplit, budget: PrivacyBudget) -> str:
    """The noise of equal releases in their own unit, in one sentence."""
    sigma, count = budget_split.portions[0].sigma, len(budget_split.portions)
    many = "One release needs" if count == 1 else f"Each of {spaced(count)} releases needs"
    return f"{many} noise σ = {at_most(sigma, DIGITS)} to keep ε = {plain(budget.epsilon)}."


def command(budget: PrivacyBudget, releases: int, sensitivity: float) -> str:
    """The command line that gives the noise of equal releases."""
    return joined(
        "python -m dpcore split",
        f"--epsilon {budget.epsilon}",
        f"--delta {budget.delta}",
        f"--releases {releases}",
        f"--sensitivity {sensitivity}",
    )


def snippet(budget: PrivacyBudget, releases: int, sensitivity: float) -> str:
    """Python that gives the noise of equal releases, in units of the release."""
    return "\n".join(
        [
            "import dpcore",
            "",
            "statement = dpcore.account(",
            f'    [{{"kind": "release", "count": {releases}, "share": 1}}],',
            f"    epsilon={budget.epsilon!r},",
            f"    delta={budget.delta!r},",
            ")",
            f"print({sensitivity!r} * statement.entries[0].noise)",
            "",
        ]
    )
