"""The TRIPOD+AI checklist, filled in where the program knows the answer.

Items are by number, in our own short words (Collins et al., BMJ 2024;385:e078378).
"""

from __future__ import annotations

import math

import dpcore
from dpcore.questions.report import specification
from dpcore.questions.report.findings import Findings
from dpcore.questions.report.parts import WHOLE, Item
from dpcore.words import counted, listed, percent, spaced

ITEMS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Title and abstract",
        (("1", "Kind of study, people and outcome"), ("2", "Abstract by its own list")),
    ),
    (
        "Introduction",
        (
            ("3a", "Clinical context, reason and earlier models"),
            ("3b", "People, purpose and users in care"),
            ("3c", "Known inequalities of health"),
            ("4", "Objectives"),
        ),
    ),
    (
        "Methods",
        (
            ("5a", "Sources of data"),
            ("5b", "Dates"),
            ("6a", "Setting and centres"),
            ("6b", "Who was eligible"),
            ("6c", "Treatments received"),
            ("7", "Data preparation"),
            ("8a", "Outcome and time horizon"),
            ("8b", "Who assessed the outcome"),
            ("8c", "Blinding of the outcome"),
            ("9a", "Choice of predictors"),
            ("9b", "Definition of predictors"),
            ("9c", "Who assessed predictors"),
            ("10", "Sample size"),
            ("11", "Missing data"),
            ("12a", "Use and partition of data"),
            ("12b", "Handling of predictors"),
            ("12c", "Model, building, tuning, internal validation"),
            ("12d", "Differences between clusters"),
            ("12e", "Measures and plots"),
            ("12f", "Updating of the model"),
            ("12g", "How predictions were made"),
            ("13", "Class imbalance"),
            ("14", "Fairness"),
            ("15", "Output and thresholds"),
            ("16", "Training and evaluation data compared"),
            ("17", "Ethical approval"),
        ),
    ),
    (
        "Open science",
        (
            ("18a", "Funding"),
            ("18b", "Conflicts of interest"),
            ("18c", "Protocol"),
            ("18d", "Registration"),
            ("18e", "Data sharing"),
            ("18f", "Code sharing"),
        ),
    ),
    ("Patients and public", (("19", "Involvement"),)),
    (
        "Results",
        (
            ("20a", "Flow of participants"),
            ("20b", "Characteristics"),
            ("20c", "Predictors compared with development data"),
            ("21", "Participants and events in each analysis"),
            ("22", "The full model"),
            ("23a", "Performance with intervals"),
            ("23b", "Performance in clusters"),
            ("24", "Results of updating"),
        ),
    ),
    (
        "Discussion",
        (
            ("25", "Interpretation"),
            ("26", "Limitations"),
            ("27a", "Poor or missing input in use"),
            ("27b", "Users’ part and expertise"),
            ("27c", "Next steps"),
        ),
    ),
)
"""Headings, and the number and a short title of each item."""

EVENTS = "21"
"""The item whose answer counts outcomes of records."""


def checklist(findings: Findings) -> tuple[tuple[str, tuple[Item, ...]], ...]:
    """Every item with what the program knows, by heading."""
    known = _known(findings)
    return tuple(
        (
            heading,
            tuple(
                Item(number, title, *known.get(number, ("", WHOLE)), measured=number == EVENTS)
                for number, title in items
            ),
        )
        for heading, items in ITEMS
    )


def _known(findings: Findings) -> dict[str, tuple[str, str]]:
    """Answer, and what is left to the author, of the items that the program knows of."""
    return {**_of_data(findings), **_of_analysis(findings), **_of_results(findings)}


def _of_data(findings: Findings) -> dict[str, tuple[str, str]]:
    entry = findings.entry
    unused = specification.left_out(findings)
    left = f" Left out: {listed([one.name for one in unused])}." if unused else ""
    drawn = f"{spaced(findings.total)} {entry.records_are}"
    admitted = "without an unknown value" if findings.drops else "that the description admits"
    validated = "internal validation"
    if findings.site:
        validated = f"validation at a site that it was not learned from, {findings.site}"
    return {
        "1": (
            f"Development of a private model with {validated}. {specification.outcome(findings)}",
            "the people it is for",
        ),
        "4": (
            f"Development with {validated}, and what privacy costs.",
            "the clinical objectives",
        ),
        "5a": (f"{entry.source}.", "why these data, and whom they represent"),
        "6b": (
            f"{drawn}: every record {admitted}.",
            "how they were chosen",
        ),
        "7": (
            "See Preparation: one rule for every record and every group, "
            + (
                "which the records set."
                if findings.split.leaks
                else "public, whatever the records."
            ),
            "checks before the data came here",
        ),
        "8a": (
            specification.outcome(findings),
            "when and how it was assessed, and why it was chosen",
        ),
        "9a": (
            f"{counted(len(findings.columns), 'column')} of the description; the program "
            f"chose none by a look at records.{left}",
            "why these",
        ),
        "9b": ("See Preparation.", "how and when each was measured"),
        "10": (
            f"{spaced(findings.split.records)} learned from, {spaced(findings.split.tested)} "
            f"tested on {specification.each_split(findings)}.",
            "how it was arrived at, and whether it suffices",
        ),
        "11": (specification.missing(findings), ""),
        "18e": (
            (f"{entry.source}; {entry.licence}.", "")
            if findings.published
            else ("", "whether and where the data can be had")
        ),
    }


def _of_analysis(findings: Findings) -> dict[str, tuple[str, str]]:
    split, calibration = findings.split, findings.calibration
    share = percent(findings.study.preparation.test_fraction, 0)
    partition = (
        "Further records of the same source are tested on, and never learned from."
        if split.further
        else f"{share} of the records, drawn at random, are tested on; the rest is learned from; "
        f"{counted(findings.splits, 'such split')}."
    )
    clusters, alike = "Not examined.", "None known: both are drawn from one source in one way."
    if site := findings.site:
        others = listed([one for one in findings.entry.sites if one != site])
        partition = f"All records of {site} are tested on; those of {others} are learned from."
        clusters = f"One site, {site}, was held out; the measures are of its records."
        alike = f"Tested on {site}, learned from {others}."
    plots = ["measures with bands", "a curve against ε"]
    plots += ["calibration"] if findings.reliability is not None else []
    plots += ["net benefit"] if findings.decisions is not None else []
    compared = (
        f"Compared by {findings.groups['column'].iloc[0]} (see Groups of people); nothing was done "
        "to make groups alike."
        if findings.groups is not None
        else "Groups were not compared, and nothing was done to make them alike."
    )
    updating = "None."
    if findings.corrected is not None:
        updating = "Risks were corrected by noisy counts of scores, within ε (see Privacy)."
    risks = findings.study.loss == "logistic" and calibration.problem.classes == 2
    output = {
        "class": "A probability; a class from ½ on." if risks else "A class, by the score’s sign.",
        "classes": "A class: the one with the largest score.",
        "number": "A number, brought into its public bounds.",
    }[findings.entry.predicts]
    return {
        "12a": (partition, ""),
        "12b": (
            f"{specification.scaling(findings)} Features: {specification.features(findings)}.",
            "",
        ),
        "12c": (
            f"{calibration.title} with its own rules (see Model and method), chosen "
            f"{findings.chosen}; validated on the splits of 12a.",
            "the reason for this type of model",
        ),
        "12d": (clusters, "whether there are others"),
        "12e": (f"{listed(plots).capitalize()}, beside a model without privacy.", ""),
        "12f": (updating, ""),
        "12g": ("By the weights of each trained model on the prepared test records.", ""),
        "13": ("No method for class imbalance was used.", ""),
        "14": (compared, "the reason"),
        "15": (output, "why this threshold"),
        "16": (alike, "differences in care"),
        "18f": (f"Epsilon Explorer {dpcore.__version__}, Apache-2.0.", "code of one’s own"),
    }


def _of_results(findings: Findings) -> dict[str, tuple[str, str]]:
    positive = findings.positive_per_1000
    events = (
        "" if math.isnan(positive) else f" About {positive:.0f} of 1 000 test records are positive."
    )
    about = "about " if findings.drops and findings.splits > 1 else ""
    once = (
        f"{about}{spaced(findings.split.records)} in each training, "
        f"{about}{spaced(findings.split.tested)} in each test."
    ).capitalize()
    gaps = (
        "A record with a gap gets no prediction"
        if findings.drops or not findings.may_be_unknown
        else "An unknown value is filled in as in training"
    )
    bounds = "" if findings.split.leaks else "; numbers are clipped to their public bounds"
    return {
        "20a": (
            f"{spaced(findings.total)} records without an unknown value; the others were left out."
            if findings.drops
            else f"{spaced(findings.total)} records, none lost.",
            "the flow before, and how many had the outcome",
        ),
        "20b": (
            "Not in this file: characteristics of records are not private.",
            "a table, where it may be shown",
        ),
        "20c": (
            (
                "Not in this file: characteristics of records are not private.",
                "how the sites differ",
            )
            if findings.site
            else ("Not compared: both come from one source.", "")
        ),
        EVENTS: (f"{once}{events}", ""),
        "22": (
            "Not in this file: it holds no model. To be released once, with noise from the "
            "operating system.",
            "where the released model can be had",
        ),
        "23a": ("See Measures, and Groups of people where they were compared.", ""),
        "23b": (
            f"Measures are those of {findings.site}." if findings.site else "Not examined.",
            "",
        ),
        "24": (
            "None."
            if findings.corrected is None
            else "See Calibration and net benefit, and Groups.",
            "",
        ),
        "26": (
            "See What was not private in the looking, and the limits under Privacy.",
            "those of the data, and their effects",
        ),
        "27a": (
            f"{gaps}{bounds}.",
            "how it is noticed",
        ),
    }
