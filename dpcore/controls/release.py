"""The controls of Release. Texts of the certificate and ticks are in no address."""

from __future__ import annotations

from typing import Any

from dpcore.controls import common
from dpcore.controls.control import Control, Number, OneOf, Page, Stops, Text, where

DEMONSTRATION, OWN = "demonstration", "own"
LOSSES, NETWORK = ("logistic", "huber"), "network"
NUMBERS = "numbers"
"""What leaves is a table of numbers, and no model."""
STAND_IN, TWIN, PUBLIC, NOTHING = "stand-in", "twin", "public", "nothing"
CORRECTED, AS_TRAINED = "corrected", "as-trained"
LONGEST_TEXT = 200

TABLE = Control(
    "release_table",
    "Which table?",
    OneOf({DEMONSTRATION: "Demonstration", OWN: "My own table"}, row=True),
    noun="the table",
)
LOOK = Control(
    "release_look",
    "How may one look before?",
    OneOf(
        {
            STAND_IN: "At made-up records",
            TWIN: "At a private twin",
            NOTHING: "Not at all",
            PUBLIC: "The records are public",
        },
        row=True,
    ),
    noun="a look",
    help="What is measured on real records, be it one accuracy, is a release of its own. No ε "
    "here speaks of it.",
)
TWIN_EPSILON = Control(
    "release_twin_epsilon",
    "ε of the twin",
    Number(0.001, 20.0, step=0.1),
    default=0.5,
    noun="a twin of ε =",
    fallback_name="ε = 0.5",
    help="What the twin takes of the budget. All that is then done with it is free.",
    shown=where(release_look=TWIN),
)
EPSILON = Control(
    "release_epsilon",
    "Privacy loss ε",
    Number(0.001, 20.0, step=0.1),
    default=1.0,
    noun="ε =",
    fallback_name="ε = 1",
    help="What this one release may cost.",
    state="epsilon",
)
DELTA = Control(
    "release_delta",
    "Failure probability δ",
    Stops(common.DELTAS),
    default=1e-5,
    noun="δ =",
    help=common.DELTA,
    state="delta",
)
NEIGHBOUR = common.adjacency(
    "release_unit",
    kind=OneOf({key: common.ADJACENCIES[key] for key in ("zero-out", "replace-one")}),
    help="What counts as one person's data. The number of records is public either way.",
    state="unit",
)
MODEL = Control(
    "release_loss",
    "What leaves",
    OneOf(
        {
            **{key: common.LOSSES[key] for key in LOSSES},
            NETWORK: "Network",
            NUMBERS: "Table of numbers",
        },
        row=True,
    ),
    noun="the model",
    help="Logistic regression gives risks; the Huber SVM gives scores, which are none. A network "
    "gives risks, too, and can tell what columns do together. A table of numbers holds counts, "
    "means and quartiles with their intervals, and no model.",
)
FEATURES = Control(
    "release_features",
    "Numbers as",
    OneOf({"plain": "Straight lines", "additive": "Curves"}, row=True),
    noun="the features",
    help="Whether the risk rises evenly with a number, or by steps.",
    shown=lambda values: values.get("release_loss") != NUMBERS,
)
RISKS = Control(
    "release_risks",
    "Risks",
    OneOf({CORRECTED: "Corrected", AS_TRAINED: "As trained"}, row=True),
    noun="risks",
    help="Corrected by noisy counts of the model’s scores, within the same ε. "
    "A 20 % risk then comes true for about 20 of 100.",
    shown=lambda values: (
        values.get("release_loss") not in ("huber", NUMBERS)
    ),  # whose scores are no risks, and which has none
)
CHOICE = common.choice("release_chosen_of", "")
SECTOR = Control(
    "release_sector",
    "Sector",
    OneOf({key: key for key in ("Healthcare", "Technology", "Education", "Government")}),
    noun="the sector",
    help="As OpenDP's registry of deployments has them.",
)
CONTROLS = Page(
    *(TABLE, NEIGHBOUR, LOOK, TWIN_EPSILON, EPSILON, DELTA, MODEL, FEATURES, RISKS, *CHOICE, SECTOR)
)

ACTOR = Control(
    "release_actor",
    "Who releases",
    Text(LONGEST_TEXT),
    help="Stands in the ledger and in the certificate.",
)
NAME = Control("release_name", "Name of the model", Text(LONGEST_TEXT))
DESCRIPTION = Control("release_description", "What it tells", Text(LONGEST_TEXT))
CURATOR = Control("release_data_curator", "Who answers for the data", Text(LONGEST_TEXT))
USE = Control("release_intended_use", "What it is for", Text(LONGEST_TEXT))
REGION = Control("release_region", "Whose people", Text(LONGEST_TEXT))
TEXTS = (NAME, DESCRIPTION, CURATOR, USE, REGION)
"""What only a person can say; each key ends with the certificate's name of it."""

SHARED = (EPSILON, DELTA, NEIGHBOUR)
"""The controls of the state that pages share."""


def model_of(chosen: str) -> dict[str, Any]:
    """What a plan is told of the chosen model; a network's width is by rule."""
    if chosen == NETWORK:
        return {"loss": "logistic", "hidden": None}
    return {"loss": chosen}
