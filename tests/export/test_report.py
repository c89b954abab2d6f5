"""The report: the numbers of its tables, and a file that shows text and does nothing."""

import re
from collections import Counter
from dataclasses import asdict, replace
from datetime import date
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from dpcore.datasets import Preparation, load, prepare
from dpcore.datasets.schema import Column, Label
from dpcore.evaluation.clinic.group_task import EVERYBODY, GAP
from dpcore.evaluation.feature_maps import features_at
from dpcore.evaluation.study import Study
from dpcore.export.report import parts
from dpcore.export.report.build import report
from dpcore.export.report.gather import gathered
from dpcore.export.report.html import html, shown
from dpcore.figures.statements import statement
from dpcore.figures.words import percent
from tests.hostile import TEXTS

DAY = date(2026, 11, 25)
SEED = 987_654_321
STUDY = Study(dataset="cohort", records=100, epsilons=(0.1, 1.0, 10.0), runs=4, seed=SEED)
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "div", "section"),
    *("h1", "h2", "h3", "p", "dl", "dt", "dd", "ul", "li", "strong", "span"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("figure", "figcaption", "svg", "line", "text", "polygon", "polyline", "circle"),
}
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "scope", "aria-hidden"),
    *("role", "aria-label", "viewbox", "points", "fill", "fill-opacity", "stroke", "transform"),
    *("stroke-width", "stroke-dasharray", "cx", "cy", "r", "x", "y", "x1", "x2", "y1", "y2"),
    *("text-anchor", "font-size", "paint-order"),
}
HOSTILE = (
    *TEXTS,
    "<script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "--><svg onload=alert(1)>",
    "' onload='alert(1)",
    '"><img src=x onerror=alert(1)>',
    "=HYPERLINK(1)",
    "@import url(//evil.example)",
    "turned \u202e round\u2066",
    "un\x00seen\u200b",
)


class Read(HTMLParser):
    """Elements, attributes and text of a file, as a browser takes them."""

    def __init__(self, text):
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def found():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")
        yield gathered(STUDY, 1.0, "opera", threshold=0.2, by="sex")


def section(made, title):
    (one,) = (each for each in made.sections if each.title == title)
    return str(asdict(one))


@pytest.mark.slow("trains what is reported")
def test_its_numbers_are_those_of_the_tables(found):
    made, row = report(found, DAY), found.row
    measures = section(made, "Measures")
    for name in ("accuracy", "accuracy_high", "balanced_accuracy"):
        assert percent(row[name]) in measures
    assert percent(found.compared.measured["accuracy"]) in measures
    assert f"{row['missed_per_1000_noise_deviation']:.1f}" in measures
    net_benefit = found.of_model(found.risks.loc[found.risks["threshold"] == 0.2])
    assert f"{round(net_benefit['net_benefit'].iloc[0], 3):g}" in section(
        made, "Calibration and net benefit"
    )
    assert "sex = female" in section(made, "Groups of people")
    assert made.line.startswith("2026-11-25 · ")
    curve = next(
        part for one in made.sections for part in one.parts if isinstance(part, parts.Curve)
    )
    assert [point[1] for point in curve.points] == found.line["accuracy"].tolist()


def test_claim_and_proof_are_never_mixed_and_nothing_unproved_is_called_proved(found):
    privacy = next(one for one in report(found, DAY).sections if one.title == "Privacy")
    assert not any(isinstance(part, parts.Sentences) and part.alarm for part in privacy.parts)
    facts = dict(next(part for part in privacy.parts if isinstance(part, parts.Facts)).rows)
    assert facts["Proved"] == statement(found.calibration.proof)
    assert facts["Claimed in print"] == statement(found.calibration.claim)

    printed = gathered(replace(STUDY, edition="published", epsilons=(1.0,)), 1.0, "grpua")
    privacy = next(one for one in report(printed, DAY).sections if one.title == "Privacy")
    alarm, facts_of_it = privacy.parts[:2]
    assert isinstance(alarm, parts.Sentences)
    assert isinstance(facts_of_it, parts.Facts)
    assert alarm.alarm
    assert alarm.lines[0].startswith("ε = 1 is not proved here. ")
    told = dict(facts_of_it.rows)
    assert told["Verdict"] == "promises too much"
    assert told["Proved"].startswith("No number.")
    assert told["Claimed in print"].startswith(statement(printed.calibration.claim))


def test_records_that_set_the_scale_are_covered_by_no_proof():
    study = replace(STUDY, epsilons=(1.0,), preparation=Preparation(scaling="data"))
    made = report(gathered(study, 1.0, "opera"), DAY)
    told = section(made, "Privacy") + section(made, "Preparation")
    assert "is not proved here. The features were scaled by the data's own range" in told
    assert "'Verdict', 'conditions not met'" in told
    answers = {item.number: item.answer for _, group in made.checklist for item in group}
    assert "public" not in answers["7"] + answers["12b"] + answers["27a"]


PARTS_OF = {3: 3, 5: 2, 6: 3, 8: 3, 9: 3, 12: 7, 18: 6, 20: 3, 23: 2, 27: 3}
ONLY_THE_AUTHOR = "2 3a 3b 3c 5b 6a 6c 8b 8c 9c 17 18a 18b 18c 18d 19 25 27b 27c"


def test_the_checklist_has_27_items_in_52_parts_and_guesses_none(found):
    items = [item for _, group in report(found, DAY).checklist for item in group]
    letters = [chr(ord("a") + place) for place in range(7)]
    assert [item.number for item in items] == [
        f"{main}{letter}"
        for main in range(1, 28)
        for letter in (letters[: PARTS_OF[main]] if main in PARTS_OF else [""])
    ]
    assert len(items) == 52
    assert " ".join(item.number for item in items if not item.answer) == ONLY_THE_AUTHOR
    assert all(item.answer or item.left == parts.WHOLE for item in items)
    assert [item.number for item in items if item.measured] == ["21"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_of_a_stranger_is_shown_and_does_nothing(found, text):
    columns = (
        Column(text, "category", text, levels=(text, "other"), missing_marks=(text,)),
        Column(f"{text}2", "number", text, text, 0.0, 1.0, bounds_reason=text, left_out=text),
    )
    entry = replace(
        found.entry,
        **dict.fromkeys(("title", "records_are", "source", "licence", "citation", "task"), text),
        columns=columns,
        label=Label(text, text, text),
    )
    groups = found.groups
    assert groups is not None
    hostile = replace(
        found,
        split=replace(found.split, entry=entry, notes=(text,)),
        groups=groups.assign(group=groups["group"].replace("sex = male", text), column=text),
    )
    file = html(report(hostile, DAY, title=text))
    read = Read(file)
    assert read.tags <= TAGS
    assert set(read.attributes) <= ATTRIBUTES
    said = " ".join(read.text.split())
    assert said.count(shown(text)) >= 10
    assert not re.search(
        r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", file
    )


def test_what_nobody_sees_is_written_out():
    assert shown("a\u202eb\n c\u2066\ud800") == "a[U+202E]b c[U+2066][U+D800]"
    assert shown("kg/m² · ε ≤ 1 – é") == "kg/m² · ε ≤ 1 – é"


def test_the_file_asks_nobody_for_anything_and_holds_no_seed(found):
    file = html(report(found, DAY))
    read = Read(file)
    assert "default-src 'none'" in " ".join(read.attributes["content"])
    assert read.attributes["lang"] == {"en"}
    assert not re.search(r"url\(|@import|https?:|//|javascript", file)
    assert str(SEED) not in file
    assert found.study.key not in file
    (alt,) = read.attributes["aria-label"]
    assert "Accuracy of OPERA" in alt


def test_what_is_measured_is_marked_and_the_rest_is_not(found):
    """No number of a table of measures stands outside the marked parts."""
    made = report(found, DAY)
    marked = Counter(part.measured for one in made.sections for part in one.parts)
    assert marked[True] >= 8
    plain_parts = str([part for one in made.sections for part in one.parts if not part.measured])
    row = found.row
    for name in ("accuracy", "accuracy_low", "accuracy_high", "accuracy_baseline"):
        assert percent(row[name]) not in plain_parts
    # A measure that is put into a plain part is found by the same search.
    assert percent(row["accuracy"]) in str(made.sections[0].parts)


def test_rates_of_groups_of_a_few_people_are_left_out(found):
    groups = found.groups
    assert groups is not None
    few = groups.assign(too_small=groups["too_small"] | (groups["group"] == "sex = male"))
    section_of = next(
        one for one in report(replace(found, groups=few), DAY).sections if "Groups" in one.title
    )
    grid, untold = section_of.parts
    assert isinstance(grid, parts.ReportTable)
    assert isinstance(untold, parts.Sentences)
    # Those of one group left out alone would follow from everybody's and the other's.
    assert [row[0] for row in grid.rows] == [EVERYBODY]
    assert "sex = male" in untold.lines[0]
    assert "sex = female" in untold.lines[0]


@pytest.mark.parametrize("other_people", [0, 2])
def test_those_of_a_few_people_do_not_follow_from_all_others(found, other_people):
    groups = found.groups
    assert groups is not None
    few = [
        groups[groups["group"] == "sex = male"].assign(group=name, people=people, too_small=True)
        for name, people in (("sex = other", 2), ("sex = unknown", other_people))
    ]
    shown = own_groups(replace(found, groups=pd.concat([groups, *few], ignore_index=True)))
    # Everybody less those who are shown are more than the few.
    people = groups.groupby("group")["people"].first()
    assert set(shown) == {EVERYBODY, people[["sex = male", "sex = female"]].idxmax()}


def test_a_level_that_nobody_has_hides_no_other(found):
    groups = found.groups
    assert groups is not None
    nobody = groups[groups["group"] == "sex = male"].assign(
        group="sex = other", people=0, too_small=True
    )
    shown = own_groups(replace(found, groups=pd.concat([groups, nobody], ignore_index=True)))
    assert set(shown) == {EVERYBODY, GAP, "sex = male", "sex = female"}


def test_the_gap_of_groups_is_that_between_the_rates_above_it(found):
    *groups, everybody, gap = group_rows(found)
    assert (everybody[0], gap[0]) == (EVERYBODY, GAP)
    for cell in range(2, 6):
        rates = [int(row[cell].split()[0]) for row in groups]
        assert int(gap[cell].split()[0]) == max(rates) - min(rates)


def own_groups(found):
    """The groups whose rates a report tells."""
    return [row[0] for row in group_rows(found)]


def group_rows(found):
    """The table of groups of a report."""
    shown = next(one for one in report(found, DAY).sections if "Groups" in one.title)
    return next(part for part in shown.parts if isinstance(part, parts.ReportTable)).rows


def test_a_report_without_judged_risks_or_numbers_says_so(found):
    bare = report(replace(found, risks=None, groups=None), DAY)
    for title in ("Calibration and net benefit", "Groups of people"):
        assert "Not computed for this report." in section(bare, title)
    nothing = found.line.assign(accuracy=np.nan, accuracy_low=np.nan, accuracy_high=np.nan)
    empty = report(replace(found, line=nothing), DAY)
    assert "All records to learn from are blank" in section(empty, "Measures")
    assert "<polyline" not in html(empty)


def test_the_features_are_those_of_the_method_also_beside_a_tree():
    by_rule = Preparation(features="rule")
    study = replace(STUDY, records=3_000, methods=("opera", "naive-bayes"), preparation=by_rule)
    split = prepare(load("cohort", records=3_000), by_rule)
    assert features_at(study, split, "opera", 10.0) == "fine"
    assert features_at(study, split, "opera", 1e-3) == "plain"


@pytest.mark.slow("trains what is reported")
@pytest.mark.usefixtures("few_splits")
@pytest.mark.parametrize(
    ("dataset", "loss", "named", "output"),
    [
        ("diabetes", "squared", "RMSE", "A number, brought into its public bounds."),
        ("optical_digits", "logistic", "Balanced accuracy", "A class: the one with the largest"),
    ],
)
def test_numbers_and_several_classes_have_a_report_too(monkeypatch, dataset, loss, named, output):
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")
    study = Study(dataset=dataset, loss=loss, epsilons=(1.0,), runs=2)
    table = load(dataset)
    some = replace(table, frame=table.frame[:150], label=table.label[:150])
    made = report(gathered(study, 1.0, "opera", records=some), DAY)
    assert named in section(made, "Measures")
    assert output in str(made.checklist)
    assert Read(html(made)).tags <= TAGS
