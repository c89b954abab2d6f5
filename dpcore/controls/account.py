"""The controls of the account, and of the noise that releases need within a budget."""

from __future__ import annotations

from dataclasses import replace

from dpcore.controls import common
from dpcore.controls.control import Control, Number, OneOf, Text
from dpcore.controls.plan import BY_RULE, DELTA, DELTA_STOPS, FIRST

ENTRIES, NO_ENTRIES = "account", "empty"
"""Name of the account's entries in the address, and its value where there are none."""
MAX_LETTERS = 12


def _of_two_classes() -> dict[str, str]:
    from dpcore.datasets import catalogue

    return {entry.key: entry.title for entry in catalogue() if entry.predicts == "class"}


QUESTION = Control(
    "question",
    "What do you want to know?",
    OneOf(
        {
            "account": "What is left of my budget",
            "run": "One run",
            "release": "Noise of a release",
        },
        row=True,
    ),
    noun="the question",
    fallback_name="the account",
)
BUDGET = Control(
    "year_epsilon",
    "My budget ε",
    Text(MAX_LETTERS),
    default="3",
    option="epsilon",
    brief="the budget",
    help="The ε that all trainings and releases may spend together, for example in one year.",
)
PEOPLE = Control(
    "people",
    "People in the data n",
    Number(1, common.MAX_RECORDS, whole=True),
    default=FIRST.records,
    noun="a number of people of",
    option="records",
    brief="people in the data, or under add-remove a public size, for the rule of δ (default "
    f"{FIRST.records})",
    help="How many records (people, images) the data hold. This number is public.",
)
YEAR_DELTA = Control(
    "year_delta",
    "Failure probability δ",
    DELTA_STOPS,
    default=BY_RULE,
    noun="δ =",
    fallback_name="δ by the rule",
    option="delta",
    brief="by default the rule: 10⁻⁵, or the largest power of ten at most 1/(10n)",
    help=DELTA,
    state="delta",
)
YEAR_NEIGHBOUR = common.adjacency(
    "year_neighbour",
    field="",
    label="What counts as one person's data",
    brief="zero-out (the default), replace-one or add-remove; one for the whole account",
    state="unit",
)
ACCOUNT = (BUDGET, YEAR_DELTA, PEOPLE, YEAR_NEIGHBOUR)
MODEL_DATA = Control(
    "model_data",
    "Learned from",
    OneOf(_of_two_classes),
    default="cohort",
    noun="the data set",
    help="On whose records a model's loss is measured. "
    "The synthetic cohort has the largest size of Explore's that is not above the people in the "
    "data.",
    state="data",
)
SHARED = (YEAR_DELTA, YEAR_NEIGHBOUR, MODEL_DATA)
"""The controls of the state that pages share. A year's budget is not the ε of one release."""

LADDER_BUDGET = (
    replace(
        BUDGET,
        key="ladder_epsilon",
        label="May spend ε",
        option="",
        help="The ε that all these releases may spend together. It begins with the budget of your "
        "account, and does not change that.",
    ),
    replace(YEAR_DELTA, key="ladder_delta", option="", state=""),
    replace(PEOPLE, key="ladder_people", option=""),
    replace(YEAR_NEIGHBOUR, key="ladder_neighbour", option="", state=""),
)
"""The budget of releases, in the order of `ACCOUNT`: each begins with the account's value."""
LADDER_SENSITIVITY = Control(
    "ladder_sensitivity",
    "Sensitivity Δ",
    Number(1e-6, 1e6, step=0.1),
    default=1.0,
    help="**Sensitivity Δ**: how far one person's data can move the released numbers (L2 norm), in "
    "their own units. A count of people has Δ = 1.",
)
LADDER_RELEASES = Control(
    "ladder_releases",
    "Releases",
    Number(1, 10_000, whole=True),
    default=1,
    noun="a number of releases of",
    help="All of them together keep the budget.",
)
LADDER = (*LADDER_BUDGET, LADDER_SENSITIVITY, LADDER_RELEASES)
