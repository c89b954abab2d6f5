"""Controls and texts that several pages share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpcore.accounting.events import MAX_CHOSEN, OUTPUTS, RECORDS
from dpcore.controls.control import Control, Number, OneOf, Stops, Switch, Text
from dpcore.guarantee import EDITION_NAMES
from dpcore.words import typed

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
RIGHT = Control(
    "right_of_100",
    "Right guesses of 100",
    Text(12),
    default="55",
    option="right-of-100",
    help="At most so many of 100 people who guess from even odds are right, in place of an ε.",
)
FOUND = Control(
    "found_of_100",
    "Members found of 100",
    Text(12),
    default="5",
    option="found-of-100",
    help="At most so many of 100 members are found, at the rate of false alarms beside it. "
    "Guessing finds as many as its false alarms.",
    brief="in place of an ε: at most so many of 100 members are found",
)
FOUND_AT = replace(
    ALARMS,
    key="at_false_alarms",
    label="False alarms",
    option="at-false-alarms",
    brief="with --found-of-100: the share of false alarms, such as 0.01",
)
RISKS = {"right": "Right guesses", "found": "Members found"}
SAID_AS = Control(
    "said_as",
    "Say it as",
    OneOf({"epsilon": "ε", **RISKS}, row=True),
    noun="the budget said as",
    help="The budget as an ε, or as a risk. **Right guesses**: how many of 100 may guess right "
    "whether one person's record is there; a coin gets 50. **Members found**: how many of 100 may "
    "be found by a test that seldom rings by mistake. The risk is kept by the exact curve of this "
    "noise. That takes less noise than an ε that keeps the same risk.",
)
SAID_AS_RISK = replace(SAID_AS, key="risk_said_as", kind=OneOf(RISKS, row=True), default="right")
AS_RISK = (RIGHT, FOUND, FOUND_AT)
"""What says a budget as a risk."""
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


def choice(key: str, field: str = "chosen_of") -> tuple[Control, Control]:
    """The controls of how many settings were tried, and by what the best of them was chosen."""
    tried = Control(
        key,
        "Settings tried",
        Number(1, MAX_CHOSEN, whole=True),
        default=1,
        noun="a number of settings tried of",
        field=field,
        option="chosen-of",
        brief="how many like it were tried, of which this is the best; all are counted",
        help="If you tried several settings on these records and keep the best, say how many. "
        "Each try had at least this noise. All of them are counted.",
    )
    basis = Control(
        f"{key}_by",
        "Chosen by",
        OneOf({OUTPUTS: "What the tries released", RECORDS: "Measures of the records"}),
        noun="a choice by",
        option="chosen-by",
        brief="outputs: what the tries released, and public data (usual); or records, which "
        "nothing covers",
        help="**What the tries released**, with public data, costs no more than the tries. A score "
        "that was **measured on the same records** is covered by no number of tries.",
        shown=lambda values: (values.get(key) or 1) > 1,
    )
    return tried, basis


def tabs(key: str, names: tuple[str, ...], label: str = "") -> Control:
    """The control of the open tab."""
    kind = OneOf({name: name for name in names}, row=True)
    return Control(key, label, kind, noun="the tab")
