"""Explain the words on Atlas to someone who meets them for the first time."""

from __future__ import annotations

from dpcore.guarantee import STATUS_NAMES, Status
from dpcore.systems import Practice, Relation
from pages.shared.texts import STATUS_WORDS

AS_PUBLISHED = "The verdict is on what is printed."
HERE = (
    "This is about our corrected version, which runs here. Whether the authors' own claim holds "
    "was not checked."
)
SOUND = "Our corrected version runs here; this is its own verdict."
SYSTEMS = "Everything the five papers tell of, and today's systems beside them."
COUNTED = {
    "proved as printed": "Claims of which everything that is printed about privacy holds.",
    **{
        STATUS_NAMES.get(status, str(status)): STATUS_WORDS[status]
        for status in (Status.CONDITIONS_NOT_MET, Status.CLAIM_NOT_SUPPORTED)
    },
}
"""The labels of standings that are counted above the list, in the chart's words."""
RELATIONS = {
    Relation.ITSELF: "As described.",
    Relation.SOUND: "In our corrected version.",
    Relation.RELATIVE: "A relative.",
}
READINGS = (
    "noise on the mean, batches of fixed size",
    "noise on the sum, Poisson batches",
    "noise on the sum, batches of fixed size",
)
"""How paper 003's noise can be read, in the order of `presets.Certified`."""
HOLDS = {True: "holds", False: "fails", None: "not judged"}
STATED = (
    "Certified by PLD at the paper's δ: 10⁻⁴ for CheXpert, 10⁻⁵ for the others. It is for one "
    "record replaced; DP-SGD, with the tutorial's settings, for one more or less."
)
PRACTICE_NAMES = {
    Practice.LEAKS: "Its implementations leak",
    Practice.NO_LEAK_KNOWN: "No leak of its implementations known",
    Practice.NONE_KNOWN: "No implementation known",
    Practice.NOTHING_TO_RUN: "Theory, nothing to run",
}
PRACTICE_WORDS = {
    Practice.LEAKS: "A program that claims to be this was found to give away more than it says. "
    "That says nothing against the theorem.",
    Practice.NO_LEAK_KNOWN: "None was found here, which does not prove that there is none.",
    Practice.NONE_KNOWN: "None was found, which does not prove that there is none.",
    Practice.NOTHING_TO_RUN: "It says how many records are needed; there is no program.",
}
PRACTICE_ICONS = {
    Practice.LEAKS: ":material/water_drop:",
    Practice.NO_LEAK_KNOWN: ":material/terminal:",
    Practice.NONE_KNOWN: ":material/code_off:",
    Practice.NOTHING_TO_RUN: ":material/functions:",
}
IN_FORMULAS = "Claim and proof in formulas"
