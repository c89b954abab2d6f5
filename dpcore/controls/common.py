"""Controls and texts that several pages share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpcore.controls.control import Control, Number, OneOf, Stops, Switch
from dpcore.controls.options import exactly
from dpcore.guarantee import EDITION_NAMES, Adjacency, PrivacyBudget
from dpcore.rounding import typed

ADJACENCIES = {
    "zero-out": "One record blanked out",
    "replace-one": "One record replaced",
    "add-remove": "One record more or less",
}
ADJACENCY = (
    "What counts as one person's data. It holds for every certified ε on this page. **One "
    "record blanked out** (zero-out): the number of records is public. **Replaced** by any other "
    "(replace-one, the strictest). **More or less** (add-remove): the number of records is "
    "private, and a public size stands in its place."
)
PUBLIC_SIZE = (
    "A nominal number of records that everybody may know: a published figure, a quota. It is "
    "fixed without a look at the data. Rates and steps come from it, and so must whatever the "
    "training divides by. How many records there really are is protected and enters nowhere."
)
DELTA = (
    "**Failure probability δ**: the chance that the ε-promise may fail. It should be far below "
    "1/n. At δ = 1/n a method may publish one record at random and still keep the promise."
)
DELTA_RULE = (
    "The rule uses only the number of records n. It takes 10⁻⁵, or where that is smaller the "
    "largest power of ten at most 1/(10n)."
)
DATA = "Which records the model learns from. Built-in sets need no network."
RUNS = (
    "How often training is repeated with fresh noise. The band holds nine of ten single runs, or "
    "all of fewer than ten. Of several splits it holds those on an average one. You would publish "
    "one of them."
)
LOSSES = {
    "logistic": "Logistic regression",
    "huber": "Huber SVM",
    "squared": "Linear regression",
}
EDITIONS = {str(edition): name.capitalize() for edition, name in EDITION_NAMES.items()}
DELTAS = tuple(float(f"1e{exponent}") for exponent in range(-12, -1))
MAX_RECORDS = 1_000_000_000

RATES = (0.001, 0.01, 0.1)
PRIOR = Control(
    "prior",
    "Belief beforehand, in %",
    Number(1, 99, whole=True, slider=True),
    default=50,
    noun="a belief beforehand in % of",
    option="prior",
    brief="what the attacker believes beforehand, as a share of 1",
    help="The **prior**: how likely they think it is before they see the result. It may come from "
    "a rumour, or from how common it is. Privacy bounds what the result adds to it.",
)
ALARMS = Control(
    "alarms",
    "False alarms of their test",
    Stops(RATES, lambda rate: f"{typed(100.0 * rate)} %", row=True),
    default=0.01,
    noun="false alarms of",
    option="fpr",
    brief="false alarms that the attacker accepts, as a share of 1",
    help="How often their test may ring by mistake, the **false-positive rate**. A test that "
    "seldom rings by mistake convinces more when it rings, but finds fewer.",
)
MEANING = Control(
    "meaning",
    "What could an attacker tell?",
    Switch(),
    noun="the panel",
    fallback_name="a closed one",
)
RISK = (PRIOR, ALARMS, MEANING)
"""What ε means for one person: the panel that several pages share, with the same names."""


def adjacency(key: str, field: str = "adjacency", **changed: Any) -> Control:
    """The control of the adjacency, with what differs on one page."""
    control = Control(
        key,
        "What counts as one person's data",
        OneOf(ADJACENCIES),
        noun="the neighbour",
        fallback_name="one record blanked out",
        field=field,
        option="adjacency",
        help=ADJACENCY,
    )
    return replace(control, **changed)


def tabs(key: str, names: tuple[str, ...], label: str = "") -> Control:
    """The control of the open tab."""
    kind = OneOf({name: name for name in names}, row=True)
    return Control(key, label, kind, noun="the tab")


def risk_command(budget: PrivacyBudget, adjacency: Adjacency, prior: float, rate: float) -> str:
    """The command line that prints what follows from (ε, δ) alone for one person."""
    return (
        f"python -m dpcore risk --epsilon {budget.epsilon!r} --delta {budget.delta!r} "
        f"--adjacency {adjacency} --prior {exactly(prior)} --fpr {exactly(rate)}"
    )
