"""The sections that need no look at records: data, preparation, privacy, and model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from dpcore.controls.common import LOSSES
from dpcore.datasets.schema import Classes, Column
from dpcore.erm.method import COMPLETE_ONLY, NO_PAPER
from dpcore.guarantee import (
    EDITION_NAMES,
    SAME_FIGURE,
    STATUS_NAMES,
    Adjacency,
    Condition,
    Edition,
    Status,
)
from dpcore.questions.report.findings import BY_RULE, Findings
from dpcore.questions.report.parts import Facts, Part, Section, Sentences
from dpcore.questions.risks import correction
from dpcore.words import at_most, counted, listed, plain, spaced

MAPS = {
    "plain": "as they are",
    "additive": "a straight line and 12 light steps for each number",
    "fine": "24 steps for each number",
    "fourier": "random Fourier features of the rows",
}
"""What becomes of the columns, by `Preparation.features`."""
PUBLIC = "published or made up: looking at them is free"
OWN = "not known to be published: treat this file like the records"


def data(findings: Findings) -> Section:
    """What the records are, and how many."""
    entry, split = findings.entry, findings.split
    tested = "further ones" if split.further else "of the records"
    if findings.site:
        tested = f"of {findings.site}"
    rows = [
        ("Data", entry.title),
        ("Predicted", f"{entry.task} {outcome(findings)}"),
        ("Source", entry.source),
        ("Licence", entry.licence),
        ("Cite", entry.citation),
        (
            "Records",
            f"{spaced(findings.total)} {entry.records_are}: "
            f"{PUBLIC if findings.published else OWN}",
        ),
        (
            "Use",
            f"{spaced(split.records)} learned from (n, public), {spaced(split.tested)} {tested} "
            f"tested on, {each_split(findings)}",
        ),
    ]
    return Section("Data", (Facts(tuple(row for row in rows if row[1])),))


def each_split(findings: Findings) -> str:
    if findings.splits == 1:
        return "in one split"
    if findings.drops:
        return f"in the first of {findings.splits} splits, a few more or fewer in the others"
    return f"in each of {findings.splits} splits"


def outcome(findings: Findings) -> str:
    """What is predicted, in one sentence."""
    label = findings.entry.label
    if isinstance(label, Column):
        low, high = label.bounds
        unit = f" {label.unit}" if label.unit else ""
        ends = f"{plain(low)} to {plain(high)}{unit}"
        return f"{label.name}: a number, by its public bounds from {ends}."
    if isinstance(label, Classes):
        return f"{label.name}: one of {', '.join(label.titles)}."
    return f"{label.name}: {label.positive}, or {label.negative}."


def preparation(findings: Findings) -> Section:
    """How records become rows, and the public bounds that they are brought into."""
    preparation, used = findings.study.preparation, findings.columns
    rows = [
        ("Columns used", f"{len(used)}: {'; '.join(map(_column, used))}"),
        ("Left out", "; ".join(f"{one.name}: {one.left_out}" for one in left_out(findings))),
        ("Bounds from", _vouched(used)),
        ("Scaling", " ".join((scaling(findings), *findings.split.leaks))),
        ("Missing values", missing(findings)),
        ("Features", f"{features(findings)}; d = {spaced(findings.calibration.problem.dimension)}"),
        (
            "Length of a row",
            (
                "brought to 1"
                if preparation.norm == "unit"
                else "at most 1; longer rows are shortened"
            )
            + (", with a constant of 1 as one feature" if preparation.intercept else ""),
        ),
    ]
    return Section("Preparation", (Facts(tuple(row for row in rows if row[1])),))


def left_out(findings: Findings) -> list[Column]:
    """The columns that the catalogue leaves out and nobody asked for."""
    return [one for one in findings.entry.columns if one not in findings.columns]


def _column(column: Column) -> str:
    unknown = ", or unknown" if column.missing_marks else ""
    if column.kind == "number":
        low, high = column.bounds
        unit = f" {column.unit}" if column.unit else ""
        return f"{column.name} {plain(low)} to {plain(high)}{unit}{unknown}"
    return f"{column.name} ({', '.join(column.words)}{unknown})"


def _vouched(used: tuple[Column, ...]) -> str:
    kinds = Counter(str(one.bounds_from) for one in used if one.kind == "number")
    numbers = listed([f"{kind} ({count})" for kind, count in kinds.items()])
    lists = "" if len(kinds) and sum(kinds.values()) == len(used) else "; lists as described"
    return f"{numbers}{lists}" if numbers else ""


def scaling(findings: Findings) -> str:
    """How values become numbers of a row."""
    preparation = findings.study.preparation
    ends = "−1 to 1" if preparation.interval == "symmetric" else "0 to 1"
    by = "clipped to their public bounds and scaled by them"
    if preparation.scaling == "data":
        by = "scaled by the smallest and largest value in the data"
    transformed = [
        one.name
        for one in findings.columns
        if preparation.log_transform and one.transform != "none"
    ]
    after = f", after a public logarithm of {listed(transformed)}" if transformed else ""
    return f"Numbers are {by} to {ends}{after}; each level of a category is a feature of 0 or 1."


def missing(findings: Findings) -> str:
    """What happens to unknown values."""
    if not findings.may_be_unknown:
        return "The description of the data knows none."
    if findings.drops:
        return f"Records with an unknown value are left out; {COMPLETE_ONLY}."
    return (
        "Filled in from public values: a number by the middle of its bounds, a category by a level "
        "of its own."
    )


def features(findings: Findings) -> str:
    """What becomes of the columns."""
    by_rule = findings.study.preparation.features == "rule"
    rule = ", by a rule in public sizes, ε and δ" if by_rule else ""
    return f"{MAPS[findings.features]}{rule}"


def privacy(findings: Findings) -> Section:
    """Unit, adjacency, δ, claim and proof, with every condition."""
    calibration = findings.calibration
    standing = findings.method.editions[calibration.edition]
    adjacency = calibration.problem.adjacency
    rule = " (by rule in n)" if findings.study.delta is None else ""
    unclaimed = calibration.claim.reason == NO_PAPER
    claim = "No claim in print is examined here." if unclaimed else calibration.claim.statement
    row = findings.corrected
    both = "" if row is None else f"{correction(row)} By {row.accountant}."
    if calibration.edition is Edition.PUBLISHED:
        claim += f" In print: {standing.claim}"
    same = (calibration.claim.adjacency, adjacency) == (Adjacency.ADD_REMOVE, Adjacency.ZERO_OUT)
    rows = [
        (
            "Unit",
            "one record of those learned from, one row; of a person with several, the ε is of one",
        ),
        ("Neighbours", f"{adjacency}: {adjacency.meaning}"),
        (
            "Asked for",
            f"ε = {plain(findings.epsilon)}, δ = {plain(calibration.requested.delta)}{rule}",
        ),
        ("Verdict", STATUS_NAMES.get(calibration.status, str(calibration.status))),
        ("Claimed in print", f"{claim} {SAME_FIGURE}" if same else claim),
        ("Proved", calibration.proof.statement),
    ]
    if at_most(calibration.certified.bound) != at_most(calibration.proof.bound):
        rows.append(("Certified noise", calibration.certified.statement))
    if both:
        rows.append(("Corrected risks", both))
    if standing.status is not Status.PROVED:
        rows.append(("Of this edition", standing.proof))
    rows += [
        (word, " ".join(f"{one.text}.{'' if one.met else f' {one.consequence}'}" for one in some))
        for word, some in _verdicts(calibration.conditions)
    ]
    if findings.method.trust is not None:
        rows += [
            ("Whom to trust", f"{one.whom}, {one.to}: {one.guarantee.statement}")
            for one in findings.method.trust(calibration)
        ]
    else:
        rows.append(("Whom to trust", "whoever holds the records and runs the training"))
    sentences = [OF_A_RELEASE]
    if findings.chosen != BY_RULE:
        sentences.append(f"It does not cover how the method was chosen: {findings.chosen}.")
    if findings.method.limits:
        rows.append(("Limits", " ".join(findings.method.limits)))
    return Section("Privacy", (*refusal(findings), Facts(tuple(rows)), Sentences(tuple(sentences))))


def corrected(findings: Findings) -> tuple[Part, ...]:
    """That the risks judged here are corrected, and of which release; empty where they are not."""
    row = findings.corrected
    return () if row is None else (Sentences((correction(row), ANOTHER_RELEASE)),)


ANOTHER_RELEASE = (
    "So this part is about another release than the measures above, within the same ε and δ."
)
OF_A_RELEASE = (
    "Every ε here is of one model, released once by this method with noise from the operating "
    "system. This file holds no such model: no weights, no noise and nothing that noise was drawn "
    "from. Several releases from the same records add up."
)


def refusal(findings: Findings) -> tuple[Part, ...]:
    """That nothing is proved, and why; empty where it is."""
    proof = findings.calibration.proof
    if proof.epsilon is not None and not proof.vacuous:
        return ()
    certified = findings.calibration.certified
    noise = (
        "No ε is certified for its noise."
        if certified.epsilon is None or not math.isfinite(certified.epsilon)
        else f"Certified for exactly this noise: ε = {at_most(certified.epsilon)}."
    )
    sentence = f"ε = {plain(findings.epsilon)} is not proved here. {proof.reason}".strip()
    return (Sentences((f"{sentence} {noise}",), alarm=True),)


def _verdicts(conditions: Sequence[Condition]) -> list[tuple[str, list[Condition]]]:
    """The conditions that are met, that are assumed and that are not, with a word for each kind."""
    kinds = {
        "Conditions met": [one for one in conditions if one.met and not one.assumed],
        "Assumed, on your word": [one for one in conditions if one.met and one.assumed],
        "NOT met": [one for one in conditions if not one.met],
    }
    return [(word, some) for word, some in kinds.items() if some]


def model(findings: Findings) -> Section:
    """The method, its settings, and the rule that chose each."""
    calibration, study = findings.calibration, findings.study
    problem = calibration.problem
    width = f", h = {plain(study.huber_width)}" if study.loss == "huber" else ""
    classes = f", one of {problem.classes} against the rest" if problem.classes > 2 else ""
    rule = "by rule in n and d" if study.lam is None else "as asked for"
    rows = [
        ("Model", f"{LOSSES[study.loss]}{width}{classes}, linear in the features"),
        (
            "Method",
            f"{calibration.title}, {EDITION_NAMES[calibration.edition]}: {findings.method.idea}",
        ),
        ("Source", findings.method.paper),
        ("Chosen", findings.chosen),
        ("λ", f"{plain(problem.lam)}, {rule}"),
        ("Noise on", calibration.query),
        (
            "Sensitivity, σ",
            f"Δ = {plain(calibration.sensitivity)}, σ = {plain(calibration.sigma)} a coordinate",
        ),
        ("Steps", _steps(findings)),
        ("Radius", "" if problem.radius is None else f"{plain(problem.radius)}, as asked for"),
    ]
    return Section("Model and method", (Facts(tuple(row for row in rows if row[1])),))


def _steps(findings: Findings) -> str:
    calibration, study = findings.calibration, findings.study
    requested = [
        name
        for name, value in (("T", study.steps), ("batch size", study.batch))
        if value is not None
    ]
    if study.full_length:
        requested.append("the paper’s length")
    rate = (
        f", η = {plain(calibration.learning_rate)}"
        if calibration.learning_rate == calibration.learning_rate
        else ""
    )
    batch = (
        "all records"
        if calibration.sampling == "all"
        else f"{counted(calibration.batch, 'record')} ({calibration.sampling})"
    )
    origin = "by the method’s own rule in n, d, ε and δ"
    if requested:
        origin = f"{listed(requested)} as asked for, all else {origin}"
    return f"T = {spaced(calibration.steps)}{rate}, {batch} a step; {origin}"
