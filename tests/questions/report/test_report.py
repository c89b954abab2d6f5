"""The report: the numbers of its tables, and a file that shows text and does nothing."""

import re
from dataclasses import asdict, replace
from datetime import date
from html.parser import HTMLParser

import pandas as pd
import pytest

from dpcore.datasets import Preparation, load
from dpcore.datasets.schema import Column, Label
from dpcore.evaluation.study import Study
from dpcore.figures.html_file import shown
from dpcore.questions.groups.question import EVERYBODY, GAP
from dpcore.questions.report import parts
from dpcore.questions.report.build import report
from dpcore.questions.report.findings import gathered
from dpcore.questions.report.html import html
from dpcore.words import percent
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
    net_benefit = found.of_model(found.decisions.loc[found.decisions["threshold"] == 0.2])
    told = f"{round(net_benefit['net_benefit'].iloc[0], 3):g}"
    assert told in section(made, "Calibration and net benefit")
    (curve,) = (part for one in made.sections for part in one.parts if type(part) is parts.Curve)
    assert [point[1] for point in curve.points] == found.line["accuracy"].tolist()


def test_claim_and_proof_are_never_mixed_and_nothing_unproved_is_called_proved(found):
    privacy = next(one for one in report(found, DAY).sections if one.title == "Privacy")
    assert not any(isinstance(part, parts.Sentences) and part.alarm for part in privacy.parts)
    facts = dict(next(part for part in privacy.parts if isinstance(part, parts.Facts)).rows)
    assert facts["Proved"] == found.calibration.proof.statement
    assert facts["Claimed in print"] == found.calibration.claim.statement

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
    assert told["Claimed in print"].startswith(printed.calibration.claim.statement)


def test_records_that_set_the_scale_are_covered_by_no_proof():
    study = replace(STUDY, epsilons=(1.0,), preparation=Preparation(scaling="data"))
    made = report(gathered(study, 1.0, "opera"), DAY)
    told = section(made, "Privacy") + section(made, "Preparation")
    assert "is not proved here" in told
    assert "'Verdict', 'conditions not met'" in told
    answers = {item.number: item.answer for _, group in made.checklist for item in group}
    assert "public" not in answers["7"] + answers["12b"] + answers["27a"]


ONLY_THE_AUTHOR = "2 3a 3b 3c 5b 6a 6c 8b 8c 9c 17 18a 18b 18c 18d 19 25 27b 27c"


def test_the_checklist_has_27_items_in_52_parts_and_guesses_none(found):
    items = [item for _, group in report(found, DAY).checklist for item in group]
    assert len({item.number for item in items}) == len(items) == 52
    assert {item.number.rstrip("abcdefg") for item in items} == set(map(str, range(1, 28)))
    assert " ".join(item.number for item in items if not item.answer) == ONLY_THE_AUTHOR
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


def test_a_level_that_nobody_has_hides_no_other_and_the_gap_is_that_of_the_rates(found):
    assert found.groups is not None
    nobody = found.groups[found.groups["group"] == "sex = male"].assign(
        group="sex = other", people=0, too_small=True
    )
    more = pd.concat([found.groups, nobody], ignore_index=True)
    assert own_groups(replace(found, groups=more)) == own_groups(found)
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
