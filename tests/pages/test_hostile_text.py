"""What strangers write into an address, a file or a description is shown, and does nothing."""

import csv
import io
import re
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from dpcore.controls import atlas, explore, plan, train
from dpcore.controls.common import RISK
from dpcore.controls.control import Number
from dpcore.controls.explore import GROUPS, RISK_CURVES, TABS
from dpcore.controls.release import TEXTS as TEXTS_OF_RELEASE
from dpcore.datasets.own.notation import DescribedField, Person, TableDescription, write
from dpcore.release import release as releasing
from dpcore.release.attack import attack
from dpcore.release.certificate import About
from dpcore.release.release import release_model
from dpcore.release.table import read_for_release
from pages.shared import address, verbatim
from tests.hostile import TEXTS
from tests.pages.explored import answered, only_methods, open_tab
from tests.pages.shown import charts, open_page, run, said
from tests.pages.test_explore_own import ROWS_OF_ONE_SPLIT, opened
from tests.pages.waiting import until
from tests.release.test_release import ledger_with

pytestmark = pytest.mark.usefixtures("alone", "uploads_in_one_process")

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"(?<![\\`])(`+)(?!`).+?(?<!`)\1(?!`)")
# What Markdown finds before escapes are undone, and what is looked for in the text afterwards.
EARLY = re.compile(r"(?<!\\)[`*\[<$~#&]|(?<![\w\\])_(?=\w)|(?<=[^\W_])_(?!\w)")
LATE = re.compile(r"(?i)https?:|www\.|\S@\S|:[a-z_/+-]+1?:|:\w+\[")


def acting(markdown):
    """What would act in it, but for the page's own marks; code, left alone, is taken out."""
    rest = CODE.sub(
        "", re.sub(r"^\*\*([^*]*:|\S+)\*\* |:color\[■\]\{foreground=\"#\w{6}\"\}", "", markdown)
    )
    return EARLY.findall(rest) + LATE.findall(rest.replace("\\", ""))


def test_a_value_is_not_divided():
    shown = verbatim.unbroken("At ε = 1: 85.0 % of 100, proved · δ = 10⁻⁵")
    assert shown == "At ε = 1: 85.0\u00a0% of 100, proved · δ\u00a0=\u00a010⁻⁵"


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_escaped_or_set_as_code(text):
    shown = verbatim.verbatim(text)
    assert acting(shown) == []
    assert not re.match(r"[#>+-]|\d+[.)]", shown)
    assert "\n" not in verbatim.verbatim(f"a\n\n{text}")


def test_marks_that_turn_or_hide_text_are_left_out():
    assert verbatim.verbatim("a\u202eb\u200fc\x00d") == "a b c d"


def test_one_long_word_takes_no_time_and_is_cut():
    begun = time.process_time()
    shown = verbatim.verbatim("x" * 16_000)
    # The square of its length took seconds.
    assert time.process_time() - begun < 0.5
    assert shown == "x" * (verbatim.MAX_LETTERS - 1) + "…"


def test_a_cut_text_does_nothing():
    almost = "x" * (verbatim.MAX_LETTERS - 10)
    assert acting(verbatim.verbatim(f"{almost}@evil.example")) == []
    assert acting(verbatim.verbatim(f"{almost} [here](https://evil.example)")) == []


@pytest.mark.parametrize("value", ["https://evil.example", "www.evil.example", "a_b_", ":smile:"])
def test_a_quoted_value_is_text(value):
    assert acting(address.quoted(value)) == []


HOSTILE = """\
www.evil.example: 18 to 90 <a href='//evil.example'>x</a>
smoker: one of no, yes
predict www.evil.example/p: 0 to 200 <a href='//evil.example/u'>_years_</a>"""


def drawn(app):
    """All that the browser gets of the figures."""
    return [each.proto.spec for each in app.get("plotly_chart")]


NUMBER = "*a* [b](//evil.x) $x$ :red[e] :material/home: `d`, <b>qz"
GROUP = 'ward\'s "qz" |; [70-80): & ~~x~~ {y}'
OUTCOME = "www.qz.evil.example: #1 $y$ <i>"
LEVELS = ("qz <5", "qz [70-80)", "qz ≥80; $a$ *b*", "qz, :red[x] <a href='//evil.example'>")
ANSWERS = ("qz no:$x$ _a_", "=qz yes <b>`c`</b>, *d*")
UNIT = "<a href='//evil.example/u'>qz_$l$</a>"
ANY_SIGN = TableDescription(
    (
        DescribedField(NUMBER, "number", 18.0, 90.0, unit=UNIT, missing_marks=("NA", "<qz>")),
        DescribedField(GROUP, "list", levels=LEVELS, missing_marks=("",)),
        DescribedField(OUTCOME, "list", levels=ANSWERS),
    ),
    OUTCOME,
)
RAW = re.compile(r"<a href|\\u003ca href|<b>qz|u003cb\\u003eqz|<i>|u003ci\\u003e|\$[xyal]\$")
BUTTONS = ("button", "download_button", "checkbox", "toggle", "expander", "popover")
FIELDS = ("selectbox", "text_input", "number_input", "slider", "select_slider", "button_group")


def any_sign(rows=300):
    draw = np.random.default_rng(0)
    age, level = draw.uniform(20, 85, rows), draw.integers(0, 4, rows)
    is_ill = draw.random(rows) < 1.0 / (1.0 + np.exp(-0.06 * (age - 60.0) - level))
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow([NUMBER, GROUP, OUTCOME])
    for place in range(rows):
        table.writerow([f"{age[place]:.1f}", LEVELS[level[place]], ANSWERS[int(is_ill[place])]])
    return text.getvalue().encode()


def marked_down(app):
    """All texts on a page that Streamlit reads as Markdown."""
    for kind in ("markdown", "caption", "warning", "error", "info", "success", "subheader"):
        for element in app.get(kind):
            yield element.value
            yield getattr(element.proto, "help", "")
    for metric in app.metric:
        yield from (metric.label, metric.value, metric.delta)
    for element in (one for kind in (*BUTTONS, *FIELDS) for one in app.get(kind)):
        yield from (getattr(element.proto, "label", ""), getattr(element.proto, "help", ""))
    for element in app.get("button_group"):
        yield from (option.content for option in element.proto.options)


def expect_text(app):
    """Expect that no foreign text on the page acts; returns how many there are."""
    shown = [text for text in marked_down(app) if "qz" in text or "evil" in text]
    # The page's own marks are those of a heading and of bold words; no foreign text has them.
    own = re.compile(r"^#+ |(?<!\\)\*\*")
    assert [text for text in shown if acting(own.sub("", text))] == []
    figures = [spec for spec in drawn(app) if "qz" in spec]
    assert [RAW.findall(figure) for figure in figures if RAW.search(figure)] == []
    return len(shown) + len(figures)


@pytest.mark.slow("runs whole pages")
@pytest.mark.usefixtures("jobs_at_once")
def test_any_sign_in_a_name_a_level_or_a_unit_is_text_in_every_tab_of_explore(monkeypatch):
    only_methods(monkeypatch, "opera")
    drawn_later = {GROUPS: "groups_figure", RISK_CURVES: "risk_curves_figure"}
    link = {"methods": "OPERA", "focus": "OPERA", "group_by": GROUP, "curve_of": GROUP}
    app = answered(opened(write(ANY_SIGN), any_sign(ROWS_OF_ONE_SPLIT), **link))
    for tab in TABS:
        open_tab(app, tab)
        seen = expect_text(app)
        if tab in drawn_later:
            until(lambda key=drawn_later[tab]: key in charts(app), app, look_seconds=0.5)
            app.session_state["by_hand"] = True
            run(app)
            assert expect_text(app) >= seen + 2


@pytest.mark.slow("runs whole pages")
def test_any_sign_is_text_where_a_model_is_released_and_where_it_predicts(tmp_path, monkeypatch):
    monkeypatch.setattr(releasing, "attack", partial(attack, runs=100))
    ledger_with(tmp_path / "ledger.db")
    monkeypatch.setenv("DPCORE_LEDGER", str(tmp_path / "ledger.db"))
    described = replace(ANY_SIGN, person=Person(), number_is_public=True)
    app = open_page("release", release_table="My own table", own_columns=write(described))
    app.file_uploader(key="upload_own").upload("mine.csv", any_sign()).run()
    app.checkbox(key="release_one_row").check().run()
    app.selectbox(key="release_data_set").set_value("clinic").run()
    app.text_input(key="release_actor_own").set_value("qz **B**").run()
    for control in TEXTS_OF_RELEASE:
        app.text_input(key=f"{control.key}_own").set_value("qz *word*, <b>qz [a](b)")
    app.run()
    app.checkbox[-1].check().run()
    expect_text(app)
    next(one for one in app.button if one.label == "Release").click().run()
    until(lambda: len(app.get("download_button")) > 5, app, look_seconds=1.0)
    assert expect_text(app)

    released = release_model(
        read_for_release(write(described), any_sign(), "mine.csv"),
        about=About("qz <b>qz *a*", "A <i>qz $x$ *model*", "qz", "Teaching", "Nowhere"),
        ledger=ledger_with("memory"),
        data_set="clinic",
        actor="qz",
        **{"epsilon": 4.0, "delta": 1e-6, "steps": 12, "features": "additive"},
    )
    files = released.files()
    assert not re.search(r"<b>qz|<i>qz|<a href='//evil", files["certificate.html"].decode())
    app = open_page("predict", predict_model="Your file")
    app.file_uploader(key="predict_files").set_value([("model.json", files["model.json"], "")])
    app.run()
    app.text_input[0].set_value("50")
    app.selectbox[0].set_value(LEVELS[0])
    app.session_state["predict_curve"] = True
    app.run()
    assert expect_text(app) > 5
    assert charts(app) == {"predict_parts", "predict_curve_figure"}
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(released.model.to_onnx())
    assert [each.name for each in session.get_inputs()] == [NUMBER, GROUP]


@pytest.mark.slow("runs whole pages")
def test_an_account_of_a_link_is_text_in_its_figure_and_on_the_page():
    name = "<a href='//evil.example'>x</a>:smile:"
    app = open_page("plan", account=f"release~{name}~1~2026-03-31~week~20")
    assert verbatim.verbatim(name) in said(app)
    assert "<a href" not in said(app).replace("\\<", "")
    assert any("evil.example" in each for each in drawn(app))
    assert [each for each in drawn(app) if "<a href" in each] == []


def test_no_page_shows_a_refusal_as_markdown():
    result = [
        f"{path.name}: {line.strip()}"
        for path in (ROOT / "pages").rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"st\.\w+\(.*(?:str\((?:refusal|error)\)|\.message\b)", line)
        and "verbatim" not in line
    ]
    assert result == []


WHOLE = {
    page: {
        control.key: control.kind.least
        for control in controls
        if isinstance(control.kind, Number) and control.kind.whole and control not in RISK
    }
    for page, controls in {
        "plan": (*plan.CONTROLS, *plan.DETAIL),
        "train": train.CONTROLS,
        "explore": explore.CONTROLS,
        "atlas": (atlas.LEAF,),
    }.items()
}


# What is refused never reaches a field; what is left, a zero with a sign, does.
@pytest.mark.slow("runs whole pages")
@pytest.mark.parametrize("value", ["-0", "inf", "1e999", "9" * 400, "1e308"])
@pytest.mark.parametrize("page", WHOLE)
def test_a_number_that_no_field_can_hold_is_told_and_the_page_is_whole(page, value):
    refused = [name for name, least in WHOLE[page].items() if value != "-0" or least > 0]
    (warning,) = open_page(page, **dict.fromkeys(WHOLE[page], value)).warning
    told = warning.value.count("but it must be a number from")
    assert told == min(len(refused), address.MAX_REFUSALS)
