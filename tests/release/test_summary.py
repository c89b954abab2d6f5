"""A private table: what its files hang on, its payment, its certificate, and attacks on them."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from dpcore.audit import bounds
from dpcore.datasets.own.description import described
from dpcore.errors import InvalidInput
from dpcore.release import summary
from dpcore.release.certificate import Certificate
from dpcore.release.check import check, problems_of
from dpcore.release.documents import digest, leaves
from dpcore.release.files import OF_SUMMARY
from dpcore.release.ledger.spends import to_json
from dpcore.release.payment import Paid
from dpcore.release.released_table import read_released
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.summary import CARD, attack, neighbours, published, summary_plan
from dpcore.release.table import read_for_release
from dpcore.spreadsheet import cell
from dpcore.summaries.counts import exact, parts, released, seeded, sums_of
from tests.release.test_release import (
    COLUMNS,
    _changed,
    _set,
    assert_paid_before_noise,
    ledger_with,
    release_table,
)

PEOPLE = "person: one row each\nnumber of persons: public\n"
SMALL = (
    f"{PEOPLE}age: 18 to 90 years; unknown: blank\nsex: one of f, m\npredict ill: one of no, yes"
)
HOSTILE = f"""{PEOPLE}=age: 18 to 90 <b>years</b>; unknown: -
sex: one of f, =m, <img src=x onerror=alert(1)>; unknown: +
@cmd|' /C calc'!A0: -10 to 60 kg; unknown: blank
predict +ill: one of -, <i>+1</i>"""


def read(columns, *rows):
    names = [line.split(":")[0].removeprefix("predict ") for line in columns.splitlines()[2:]]
    file = io.StringIO()
    csv.writer(file).writerows([names, *rows])
    return read_for_release(columns, file.getvalue().encode(), "t.csv")


def made_from(ledger, table=None, **more):
    settings: dict[str, Any] = {"epsilon": 4.0, "delta": 1e-6, "by": "ill"} | more
    table = release_table() if table is None else table
    return published(table, ledger=ledger, data_set="clinic", actor="Dr. B", **settings)


def checked(files, ledger=None):
    """What is wrong with a folder of these files."""
    own = {name: lambda content=content: content for name, content in files.items()}
    return check(own.pop("summary.yaml")().decode(), ledger, files=own, are_all=True)


def forged(files, name, content):
    """The files with another one in place, and a certificate that names its hash."""
    facts = json.loads(json.dumps(certificate_of(files)["facts"]))
    key = next(key for key, each in OF_SUMMARY.items() if each == name)
    facts["hashes"][key] = digest(content)
    return {**files, name: content.encode(), "summary.yaml": CARD.card(facts).to_yaml().encode()}


def certificate_of(files):
    import yaml

    return yaml.safe_load(files["summary.yaml"])


@pytest.mark.parametrize("adjacency", ["zero-out", "replace-one"])
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"statistics": ("shares",)},
        {"statistics": ("means",)},
        {"cross": ("ward:sex",), "weights": (("age", 4), ("ward", 3))},
    ],
)
@pytest.mark.parametrize("by", ["", "ill", "sex"])
@pytest.mark.parametrize("outcome", ["one of no, yes", "one of a, b, c", "0 to 5 kg"])
def test_the_neighbours_under_attack_are_as_far_apart_as_is_proved(outcome, by, asked, adjacency):
    if by == "ill" and outcome == "0 to 5 kg":
        return
    columns = SMALL.replace("one of no, yes", outcome)
    asked = {**asked, "by": by}
    if "cross" in asked:
        columns, asked["by"] = f"{columns}\nward: one of 1, 2, 3", by.replace("sex", "")
    plan = summary_plan(columns, 300, epsilon=1.0, delta=1e-6, adjacency=adjacency, **asked)
    first, second = (
        exact(each, plan.summary.measured).vector
        for each in neighbours(described(columns), adjacency)
    )
    weights = [
        each for shape, each in parts(plan.summary.measured) for _ in range(math.prod(shape))
    ]
    apart = sum(each * int(step) ** 2 for each, step in zip(weights, first - second, strict=True))
    # Without groups the sensitivity counts what rounding may add beside the ends, too.
    assert 0 <= plan.mechanism.squared_sensitivity - apart <= 2 * len(columns)
    charged = (2.0 if adjacency == "replace-one" else 1.0) / plan.mechanism.noise_multiplier
    assert plan.mechanism.mu <= charged <= plan.mechanism.mu * (1 + 1e-12)


@pytest.mark.parametrize("adjacency", ["zero-out", "replace-one"])
def test_the_attack_stays_below_the_proof_and_refutes_two_thirds_of_the_noise(adjacency):
    plan = summary_plan(COLUMNS, 3_000, epsilon=2.0, delta=1e-6, adjacency=adjacency, by="ill")
    of = partial(attack, described(COLUMNS), plan.summary, 1e-6, runs=20_000)
    right = of()
    assert right.above(plan.mechanism) == ""
    assert 0.5 * plan.mechanism.mu < right.mu_lower_bound
    assert of(draw=lambda sigma, count: rounded_gaussians(2 * sigma // 3, count)).above(
        plan.mechanism
    )


@pytest.mark.slow("writes hundreds of tables")
@pytest.mark.parametrize(("share", "is_right"), [(1.0, True), (2.0 / 3.0, False)])
def test_the_written_file_tells_neighbours_apart_no_better_than_is_proved(
    share, is_right, monkeypatch
):
    """Only `released.json` is read, by an attacker who knows all but the last record."""
    runs, ledger = 200, ledger_with("memory", epsilon=30)
    rows = [(40 + place, "f" if place % 3 else "m", "no") for place in range(20)]
    tables = [read(SMALL, *rows, (90, "m", outcome)) for outcome in ("yes", "")]
    monkeypatch.setattr(Paid, "use", lambda _: None)
    monkeypatch.setattr(
        summary,
        "rounded_gaussians",
        lambda sigma, count: rounded_gaussians(int(share * sigma), count),
    )
    sums, vectors = [], []
    for table in tables:
        plan = summary_plan(SMALL, 21, epsilon=10.0, delta=1e-6)
        prepared = summary.prepare(plan, table, ledger=ledger, data_set="clinic", actor="B")
        paid = summary.pay(prepared, ledger)
        sums.append(prepared.sums.vector)
        files = [summary.measure(paid).files()["released.json"] for _ in range(runs)]
        vectors.append(np.array([json.loads(file)["vector"] for file in files], dtype=float))
    apart = sums[0] - sums[1]
    # The sums have normal noise: so has their projection on what moves.
    found = bounds.gaussian_mu(*(each @ apart for each in vectors), 0.9999)
    assert bool(found <= plan.mechanism.mu) is is_right
    assert found > 0.6 * plan.mechanism.mu


def test_no_noise_is_drawn_before_the_payment_is_final():
    assert_paid_before_noise(summary, "rounded_gaussians", made_from)


def test_a_payment_is_for_one_table_which_stands_in_the_ledger():
    ledger, table = ledger_with("memory", "replace-one"), release_table()
    settings: dict[str, Any] = {"ledger": ledger, "data_set": "clinic", "actor": "Dr. B"}
    plan_of = partial(summary_plan, COLUMNS, epsilon=4.0, delta=1e-6, adjacency="replace-one")
    plan = plan_of(300)
    for wrong, told in (
        (summary_plan(COLUMNS, 300, epsilon=4.0, delta=1e-6), "replace-one"),
        (plan_of(9), "300 records"),
    ):
        with pytest.raises(InvalidInput, match=told):
            summary.prepare(wrong, table, **settings)
    paid = summary.pay(summary.prepare(plan, table, **settings), ledger)
    with pytest.raises(InvalidInput, match="paid for another plan"):
        summary.measure(replace(paid, prepared=replace(paid.prepared, plan=plan.at(8.0))))
    result = summary.seal(summary.measure(paid), ledger)
    with pytest.raises(InvalidInput, match="one only"):
        summary.measure(paid)
    _, spent, attached = ledger.history("clinic")
    assert attached.details["certificate_hash"] == result.card.hash
    assert spent.details["spend"] == to_json(plan.spend)
    assert result.card.document["proof"]["epsilon"] <= 4.0
    again = checked(result.files(), ledger)
    assert (again.problems, set(again.files.values())) == ((), {"unchanged"})
    assert ledger.verify() == []


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"by": "town"}, "town"),
        ({"by": "age"}, "of words"),
        ({"only": ("age", "age")}, "twice"),
        ({"by": "", "only": ("",)}, "at least one"),
        ({"epsilon": 30.0}, "epsilon"),
    ],
)
def test_what_is_refused_costs_nothing(more, told):
    ledger = ledger_with("memory")
    with pytest.raises(InvalidInput, match=told):
        made_from(ledger, **more)
    assert len(ledger.history("clinic")) == 1


def test_more_sums_than_a_file_holds_are_refused():
    columns = "\n".join(f"x{place}: 0 to 1" for place in range(100))
    with pytest.raises(InvalidInput, match="noisy sums"):
        summary_plan(
            f"{PEOPLE}{columns}\ngroup: one of {', '.join(map(str, range(50)))}\n"
            "predict y: one of no, yes",
            5_000,
            epsilon=1.0,
            delta=1e-6,
            by="group",
        )


def test_nothing_is_paid_where_the_attack_finds_more_than_is_proved(monkeypatch):
    ledger = ledger_with("memory")

    def doubled(table, measured):
        return sums_of(2.0 * exact(table, measured).vector, measured)

    monkeypatch.setattr(summary, "exact", doubled)
    monkeypatch.setattr(summary, "attack", partial(attack, runs=5_000))
    with pytest.raises(InvalidInput, match="nothing was paid"):
        made_from(ledger)
    assert len(ledger.history("clinic")) == 1


def test_what_leaves_follows_from_the_noisy_sums_alone(monkeypatch):
    """Tables of any values that have the same noisy sums have the same files."""

    def same(counts, mechanism, draw):
        of_nobody = sums_of(np.zeros(len(counts.vector)), mechanism.measured)
        chosen = seeded(7) if draw is rounded_gaussians else draw
        return released(of_nobody, mechanism, chosen)

    monkeypatch.setattr(summary, "released", same)
    tables = (
        read(SMALL, *[(30, "f", "no"), (50, "m", "yes")] * 20),
        read(SMALL, *[(999, "m", ""), ("", "m", "yes")] * 20),
    )
    first, second = (made_from(ledger_with("memory"), table).files() for table in tables)
    assert {name for name, content in first.items() if second[name] != content} <= {"summary.yaml"}
    facts = [certificate_of(each)["facts"] for each in (first, second)]
    assert {name for name in facts[0] if facts[0][name] != facts[1][name]} <= {"ledger", "attack"}


def test_a_certificate_holds_and_a_change_of_any_field_is_rejected():
    ledger = ledger_with("memory")
    result = made_from(ledger)
    document = json.loads(json.dumps(dict(result.card.document)))
    assert problems_of(Certificate(document), ledger) == []
    for path, value in leaves(document).items():
        changed = json.loads(json.dumps(document))
        _set(changed, path, _changed(value, np.random.default_rng(1)))
        assert problems_of(Certificate(changed)), path
    for path, value, needed in (
        ("records", 301, ledger),
        ("mechanism.squared", document["facts"]["mechanism"]["squared"] // 2, ledger),
        ("mechanism.sigma", document["facts"]["mechanism"]["sigma"] // 2, None),
    ):
        changed = json.loads(json.dumps(document["facts"]))
        _set(changed, path, value)
        assert check(CARD.card(changed).to_yaml(), needed).problems, path


@pytest.mark.parametrize(
    ("statistics", "told"), [(("shares",), {"share"}), (("quartiles",), {"share", "median"})]
)
def test_a_table_of_some_statistics_is_published_and_checked(statistics, told):
    ledger = ledger_with("memory")
    files = made_from(ledger, statistics=statistics).files()
    rows = csv.DictReader(io.StringIO(files["table.csv"].decode()))
    assert {row["statistic"] for row in rows} - {"quartile 1", "quartile 3"} == told
    assert checked(files, ledger).problems == ()


def test_a_cross_table_and_weights_are_published_and_checked():
    ledger, table = ledger_with("memory"), read(SMALL, *[(30, "f", "no"), (50, "m", "yes")] * 50)
    asked = {"by": "", "cross": ("sex:ill",), "weights": (("age", 4), ("sex:ill", 2))}
    files = made_from(ledger, table, **asked).files()
    assert checked(files, ledger).problems == ()
    assert "sex × ill" in files["table.html"].decode()
    released_json = files["released.json"].decode()
    for change, told in (
        (('"f × no"', '"f × yes"'), "level twice"),
        (('"f × no", "f × yes"', '"f × yes", "f × no"'), "pairs of levels"),
        (('"crossed": ["sex", "ill"]', '"crossed": ["sex"]'), "pairs of levels"),
        (('"weight": 2', '"weight": 3'), "its ε"),
    ):
        assert change[0] in released_json
        found = checked(forged(files, "released.json", released_json.replace(*change, 1)))
        assert told in " ".join(found.problems)


@pytest.fixture(scope="module")
def files():
    return made_from(ledger_with("memory")).files()


def test_an_altered_byte_in_each_file_is_found(files):
    for name in OF_SUMMARY.values():
        content = files[name]
        for altered in (content[:-1], content + b" ", content.replace(b"3", b"4", 1)):
            if altered != content:
                assert checked({**files, name: altered}).files[name] == "altered"
    fewer = {name: content for name, content in files.items() if name != "released.json"}
    assert checked(fewer).files["released.json"] == "missing"


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("released.json", ('"sigma": ', '"sigma": 1'), "its ε"),
        ("released.json", ('"layers": 3', '"layers": 2'), "number of sums"),
        ("released.json", ('"layers": 3', '"layers": 30'), "layers"),
        ("released.json", ('"sum_weight": 1', '"sum_weight": 2'), "its ε"),
        ("released.json", ('"sum_weight": 1', '"sum_weight": 1.0'), "int"),
        ("released.json", ('"sum_weight": 1', '"sum_weight": 0'), "squares_weight"),
        ("released.json", ('"lower": 18.0', '"lower": 90.0'), "upper"),
        ("released.json", ('"records": 300', '"records": 30'), "number of records"),
        ("released.json", ('"records": 300', '"records":  300'), "letter"),
        ("released.json", ('"name": "bmi"', '"name": "age"'), "twice"),
        ("released.json", ('"vector": [', '"vector": [[], '), "vector"),
        ("released.json", ("{", "[{"), "no JSON"),
        ("table.csv", ("True", "False"), "does not follow"),
        ("table.csv", ("age", "wage"), "does not follow"),
        ("table.csv", ("\n", "\n\n"), "does not follow"),
        ("table.html", ("300", "301"), "does not follow"),
        ("intervals.py", ("print(", "exec("), "not what this program writes"),
    ],
)
def test_a_file_that_does_not_follow_is_found_whatever_its_hash(files, name, change, told):
    content = files[name].decode()
    assert change[0] in content
    found = checked(forged(files, name, content.replace(*change, 1)))
    assert found.files[name] == "altered"
    assert told in " ".join(found.problems)


def test_numbers_that_another_machine_rounds_otherwise_are_the_same(files):
    table = read_released(files["released.json"])
    text = files["table.csv"].decode()
    value = repr(table.rows[0]["value"])
    for digits, is_same in ((float(value) * (1 + 1e-6), True), (float(value) * 1.001, False)):
        assert (table.read_csv(text.replace(value, repr(digits), 1)) is not None) is is_same
    assert read_released(files["released.json"]).csv() == text


def test_hostile_texts_leave_as_no_formula_and_no_markup():
    draw = np.random.default_rng(3)
    levels = ["f", "=m", "<img src=x onerror=alert(1)>", "+"]
    rows = [
        (
            "-" if place % 7 == 0 else 50,
            levels[draw.integers(4)],
            "" if place % 5 == 0 else 20,
            ["-", "<i>+1</i>", ""][draw.integers(3)],
        )
        for place in range(100)
    ]
    table = read(HOSTILE, *rows)
    for by in ("sex", "+ill"):
        files = made_from(ledger_with("memory"), table, by=by).files()
        for text in (
            each for row in csv.reader(io.StringIO(files["table.csv"].decode())) for each in row
        ):
            assert cell(text) == text or re.fullmatch(r"-?[\d.e+-]+", text)
        page = files["table.html"].decode()
        assert set(re.findall(r"<(\w+)", page)) <= {
            *("html", "head", "meta", "title", "style", "body", "main", "table", "thead", "tbody"),
            *("tr", "th", "td", "p"),
        }
        assert html.escape("<b>years</b>", quote=False) in page
        assert checked(files).problems == ()


NEARLY_NOTHING = {
    "one row": [(40, "f", "yes")],
    "nobody in a group": [(40, "f", "no")] * 30,
    "all missing": [("", "f", "yes")] * 30,
    "all blank": [("", "f", "")] * 30,
    "constant": [(18, "m", "yes")] * 30,
}


@pytest.mark.parametrize("rows", NEARLY_NOTHING.values(), ids=list(NEARLY_NOTHING))
@pytest.mark.parametrize("epsilon", [0.01, 9.0])
def test_tables_of_nearly_nothing_are_published_like_all_others(rows, epsilon):
    ledger = ledger_with("memory")
    files = made_from(ledger, read(SMALL, *rows), epsilon=epsilon).files()
    table = list(csv.DictReader(io.StringIO(files["table.csv"].decode())))
    assert {(row["column"], row["group"]) for row in table} >= {("age", "yes"), ("sex", "no")}
    for row in table:
        assert all(np.isfinite(float(row[name])) for name in ("value", "low", "high"))
    assert checked(files, ledger).problems == ()


@pytest.mark.parametrize("outcome", ["one of a, b, c", "0 to 5 kg"])
def test_outcomes_of_several_values_and_numbers_are_published_too(outcome):
    columns = SMALL.replace("one of no, yes", outcome)
    rows = [(40, "f", "a" if "one" in outcome else 3), (70, "m", "")] * 20
    files = made_from(ledger_with("memory"), read(columns, *rows), by="sex").files()
    assert "ill" in files["table.csv"].decode()
    assert checked(files).problems == ()


def test_one_row_of_each_person_counts():
    columns = SMALL.replace("one row each", "who, at most 3 rows")
    rows = [(f"p{place}", age, "f", "yes") for place in range(30) for age in (30, 40, 50)]
    file = io.StringIO()
    csv.writer(file).writerows([("who", "age", "sex", "ill"), *rows])
    table = read_for_release(columns, file.getvalue().encode(), "t.csv")
    ledger = ledger_with("memory")
    plan = summary_plan(columns, 30, epsilon=4.0, delta=1e-6)
    prepared = summary.prepare(plan, table, ledger=ledger, data_set="clinic", actor="B")
    assert prepared.sums.vector[0] == 30 * 2**20
    files = made_from(ledger, table).files()
    assert "of whom one row counts" in certificate_of(files)["claim"]
    assert ">persons</th><td>30</td>" in files["table.html"].decode()
    assert b"at most 3" not in b"".join(files.values())
    assert checked(files, ledger).problems == ()


FOLLOWED = f"""{PEOPLE}months: 0 to 60 months; unknown: blank
sex: one of f, m
predict died: one of no, yes"""


def followed(count=200):
    draw = np.random.default_rng(5)
    times, ends = draw.exponential(40, count), draw.uniform(5, 60, count)
    return read(
        FOLLOWED,
        *(
            (
                "" if place % 20 == 0 else min(time, end),
                "fm"[place % 2],
                "yes" if time <= end else "no",
            )
            for place, (time, end) in enumerate(zip(times.round(1), ends.round(1), strict=True))
        ),
    )


SURVIVAL = {"time": "months", "event": "died", "by": "sex"}


@pytest.fixture(scope="module")
def curves():
    return made_from(ledger_with("memory"), followed(), **SURVIVAL).files()


def test_curves_of_survival_leave_with_all_that_follows_from_them(curves):
    assert checked(curves).problems == ()
    rows = list(csv.DictReader(io.StringIO(curves["table.csv"].decode())))
    assert {row["statistic"] for row in rows} == {"event-free", "median time", "restricted mean"}
    assert {row["group"] for row in rows} == {"all", "f", "m"}
    table = read_released(curves["released.json"])
    assert table.summary.measured.squared(table.summary.adjacency) == 1
    assert len(table.vector) == 2 * 25
    page = curves["table.html"].decode()
    assert "event-free at 60" in page
    assert "pointwise" in page


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('"end": 60.0', '"end": 6.0'), "does not follow"),
        (('"sigma": ', '"sigma": 1'), "its ε"),
        (('"weight": 1', '"weight": 4'), "its ε"),
        (('"event by 5", ', ""), "levels"),
        (('"size_weight": 0', '"size_weight": 1'), "number of sums"),
        (('"end": 60.0', '"end": -1.0'), "end"),
    ],
)
def test_a_changed_query_of_survival_is_found(curves, change, told):
    content = curves["released.json"].decode()
    assert change[0] in content
    found = checked(forged(curves, "released.json", content.replace(*change, 1)))
    assert told in " ".join(found.problems)


@pytest.mark.parametrize("adjacency", ["zero-out", "replace-one"])
@pytest.mark.parametrize(("share", "is_right"), [(1.0, True), (2.0 / 3.0, False)])
def test_an_attack_on_curves_of_survival_finds_too_little_noise(adjacency, share, is_right):
    plan = summary_plan(FOLLOWED, 200, epsilon=2.0, delta=1e-6, adjacency=adjacency, **SURVIVAL)
    pair = [
        exact(each, plan.summary.measured).vector
        for each in neighbours(described(FOLLOWED), adjacency)
    ]
    assert ((pair[0] - pair[1]) ** 2).sum() == plan.mechanism.squared_sensitivity

    def draw(sigma, count):
        return rounded_gaussians(int(share * sigma), count)

    found = attack(described(FOLLOWED), plan.summary, 1e-6, runs=20_000, draw=draw)
    assert (found.above(plan.mechanism) == "") is is_right


def test_curves_are_a_release_of_their_own():
    with pytest.raises(InvalidInput, match="only is given"):
        summary_plan(FOLLOWED, 200, epsilon=1.0, delta=1e-6, only=("sex",), **SURVIVAL)
    with pytest.raises(InvalidInput, match="event is left out"):
        summary_plan(FOLLOWED, 200, epsilon=1.0, delta=1e-6, time="months")
