"""What strangers write into an address, a file or a description is shown, and does nothing."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.controls import atlas, explore, plan, train
from dpcore.controls.common import RISK
from dpcore.controls.control import Number
from dpcore.controls.link import check
from pages.shared import query, verbatim
from tests.hostile import TEXTS
from tests.pages.test_explore_own import file, opened
from tests.pages.test_explore_regression import alone

__all__ = ["alone"]

pytestmark = pytest.mark.usefixtures("uploads_in_one_process")

ROOT = Path(__file__).resolve().parents[2]
APP = str(ROOT / "pages" / "main.py")
CODE = re.compile(r"(?<![\\`])(`+)(?!`).+?(?<!`)\1(?!`)")
# What Markdown finds before escapes are undone, and what is looked for in the text afterwards.
EARLY = re.compile(r"(?<!\\)[`*\[<$~#&]|(?<![\w\\])_(?=\w)|(?<=[^\W_])_(?!\w)")
LATE = re.compile(r"(?i)https?:|www\.|\S@\S|:[a-z_/+-]+1?:|:\w+\[")


def acting(markdown: str) -> list[str]:
    """What would act in it, but for the page's own marks; code, left alone, is taken out."""
    rest = CODE.sub(
        "", re.sub(r"^\*\*([^*]*:|\S+)\*\* |:color\[■\]\{foreground=\"#\w{6}\"\}", "", markdown)
    )
    return EARLY.findall(rest) + LATE.findall(rest.replace("\\", ""))


def test_a_value_is_not_divided() -> None:
    shown = verbatim.unbroken("At ε = 1: 85.0 % of 100, proved · δ = 1e-5")
    assert shown == "At ε = 1: 85.0\u00a0% of 100, proved · δ\u00a0=\u00a01e-5"


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_escaped_or_set_as_code(text: str) -> None:
    shown = verbatim.verbatim(text)
    assert acting(shown) == []
    assert not re.match(r"[#>+-]|\d+[.)]", shown)
    assert "\n" not in verbatim.verbatim(f"a\n\n{text}")


def test_plain_words_stay_as_they_are() -> None:
    for sentence in (
        "The description, line 3: age holds 'x', but it must be a range such as 0 to 100 mg/dl.",
        "ε = 1 at δ = 1e-5, one record replaced (analytic Gaussian); 9.5 % of 1,000.",
    ):
        assert verbatim.verbatim(sentence) == sentence


def test_marks_that_turn_or_hide_text_are_left_out() -> None:
    assert verbatim.verbatim("a\u202eb\u200fc\x00d") == "a b c d"


def test_one_long_word_takes_no_time_and_is_cut() -> None:
    begun = time.process_time()
    shown = verbatim.verbatim("x" * 16_000)
    # The square of its length took seconds.
    assert time.process_time() - begun < 0.5
    assert shown == "x" * (verbatim.MOST_LETTERS - 1) + "…"


def test_a_cut_text_does_nothing() -> None:
    almost = "x" * (verbatim.MOST_LETTERS - 10)
    assert acting(verbatim.verbatim(f"{almost}@evil.example")) == []
    assert acting(verbatim.verbatim(f"{almost} [here](https://evil.example)")) == []


def test_a_link_cannot_put_a_link_into_the_warning() -> None:
    app = AppTest.from_file(APP, default_timeout=180)
    app.query_params["data"] = "https://evil.example/login"
    app.query_params["loss"] = "www.evil.example"
    app.run()
    (warning,) = app.warning
    assert "evil.example" in warning.value
    assert acting(warning.value.replace("The link asks for:", "")) == []


@pytest.mark.parametrize("value", ["https://evil.example", "www.evil.example", "a_b_", ":smile:"])
def test_a_quoted_value_is_text(value: str) -> None:
    assert acting(query.quoted(value)) == []


HOSTILE = """\
www.evil.example: 18 to 90 <a href='//evil.example'>x</a>
smoker: one of no, yes
predict www.evil.example/p: 0 to 200 <a href='//evil.example/u'>_years_</a>"""


def test_names_and_units_of_a_description_are_text_on_the_page_and_in_its_figures() -> None:
    data = file().replace(
        b"patient,age,smoker,progression,ward",
        b"id,www.evil.example,smoker,www.evil.example/p,ward",
    )
    link = {"number_methods": "OPERA", "focus": "OPERA"}
    app = opened(HOSTILE, data=data, view="Chosen methods", **link)
    assert not app.error
    assert {"accuracy_figure", "cost_figure"} <= {one.key for one in app.get("plotly_chart")}
    shown = [each.value for kind in ("markdown", "caption", "warning") for each in app.get(kind)]
    assert any("evil.example" in each for each in shown)
    assert [each for each in shown if "evil" in each and acting(each)] == []
    figures = [each.proto.spec for each in app.get("plotly_chart")]
    assert any("evil.example" in each for each in figures)
    assert [each for each in figures if "<a href" in each or "\\u003ca" in each] == []


def test_labels_of_a_description_are_text_in_the_figure_of_missed_cases() -> None:
    columns = (
        "age: 18 to 90 years\nprogression: 0 to 200\n"
        "predict smoker: one of <b>no</b>, <a href='//evil.example'>yes</a>"
    )
    data = (
        file()
        .replace(b",no,", b",<b>no</b>,")
        .replace(b",yes,", b",<a href='//evil.example'>yes</a>,")
    )
    app = opened(columns, data=data, methods="OPERA", view="Per 1,000")
    figures = [each.proto.spec for each in app.get("plotly_chart")]
    assert any("evil.example" in each for each in figures)
    assert [each for each in figures if "<a href" in each or "<b>no" in each] == []


def test_an_account_of_a_link_is_text_in_its_figure_and_on_the_page() -> None:
    app = AppTest.from_file(APP, default_timeout=180)
    app.switch_page("plan/plan.py")
    name = "<a href='//evil.example'>x</a>:smile:"
    app.query_params["v"] = "2"
    app.query_params["account"] = f"release~{name}~1~2026-03-31~week~20"
    app.run()
    assert not app.exception
    said = " ".join(each.value for each in app.markdown)
    assert verbatim.verbatim(name) in said
    assert "<a href" not in said.replace("\\<", "")
    figures = [each.proto.spec for each in app.get("plotly_chart")]
    assert any("evil.example" in each for each in figures)
    assert [each for each in figures if "<a href" in each] == []


def test_no_page_shows_a_refusal_as_markdown() -> None:
    result = [
        f"{path.name}: {line.strip()}"
        for path in (ROOT / "pages").rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"st\.\w+\(.*(?:str\((?:refusal|error)\)|\.message\b)", line)
        and "verbatim" not in line
    ]
    assert result == []


DECLARED = (*plan.CONTROLS, *plan.DETAIL, *train.CONTROLS, *explore.CONTROLS)
WHOLE = {
    "plan": ("records", "batch", "duration", "every"),
    "train": (
        *("layers", "units", "passes", "lot", "repeats", "train_seed"),
        *("afresh", "set_aside", "public_size"),
    ),
    "explore": ("steps", "may_miss", "seed"),
    "atlas": ("leaf",),
}


LEAST = {
    control.key: control.kind.least
    for control in (*DECLARED, atlas.LEAF)
    if isinstance(control.kind, Number)
}


NUMBERS = ("inf", "-inf", "1e999", "9" * 400, "nan", "1e308", "-0")


@pytest.mark.parametrize("value", NUMBERS)
def test_a_number_that_no_field_can_hold_is_refused_in_a_sentence(value: str) -> None:
    controls = {each.key: each for each in (*DECLARED, atlas.LEAF)}
    for name in {name for names in WHOLE.values() for name in names}:
        refused = check([controls[name]], {name: [value]}, query.quoted)
        if value == "-0" and LEAST[name] <= 0:
            assert refused == []
        else:
            (result,) = refused
            assert "but it must be a number from" in result.sentence


# What is refused never reaches a field; what is left, a zero with a sign, does.
@pytest.mark.parametrize("values", [NUMBERS[:-1], NUMBERS[-1:]], ids=["too large", "-0"])
@pytest.mark.parametrize("page", WHOLE)
def test_a_number_that_no_field_can_hold_is_told_and_the_page_is_whole(
    page: str, values: tuple[str, ...]
) -> None:
    app = AppTest.from_file(APP, default_timeout=180)
    app.switch_page(f"{page}/{page}.py")
    if page == "train":
        app.query_params["network"] = "Perceptron"
    for at, name in enumerate(WHOLE[page]):
        app.query_params[name] = values[at % len(values)]
    app.run()
    assert not app.exception
    (warning,) = app.warning
    refused = [name for name in WHOLE[page] if values != NUMBERS[-1:] or LEAST[name] > 0]
    assert warning.value.count("but it must be a number from") >= min(
        len(refused), query.MOST_REFUSALS
    )


def test_the_fields_that_are_tried_are_all_whole_numbers_of_links() -> None:
    tried = {name for names in WHOLE.values() for name in names}
    bound = {
        control.key
        for control in DECLARED
        if isinstance(control.kind, Number) and control.kind.whole and control not in RISK
    }
    assert bound <= tried
