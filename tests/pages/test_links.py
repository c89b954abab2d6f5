"""Links say of which time they are: one without a version means the defaults of before."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.accounting.planner import spent
from dpcore.accounting.presets import preset
from dpcore.controls.common import ADJACENCIES
from dpcore.guarantee import Adjacency
from pages.shared import query
from tests.pages.expert import with_expert_open
from tests.pages.explored import only_methods

APP = str(Path(__file__).resolve().parents[2] / "pages" / "main.py")
CONTROLS = {"explore": "adjacency", "plan": "neighbour", "train": "person"}
ZERO_OUT, REPLACED, MORE = (ADJACENCIES[k] for k in ("zero-out", "replace-one", "add-remove"))
FIXED = "Batches of fixed size"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No real data by accident, and no result from an earlier run."""
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    monkeypatch.delenv("DPCORE_DATA", raising=False)


@pytest.fixture(autouse=True)
def one_method(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested is what links mean: Explore computes one curve."""
    only_methods(monkeypatch, "opera")


def opened(page: str, **link: str | list[str]) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=180)
    if page != "explore":
        app.switch_page(f"{page}/{page}.py")
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def neighbour(app: AppTest, page: str) -> str:
    if page in ("explore", "train"):
        with_expert_open(app)
    drawn = {field.key for field in app.selectbox}
    # Plan opens with an account, which has a control of its own.
    key = "year_neighbour" if "year_neighbour" in drawn else CONTROLS[page]
    return str(app.selectbox(key=key).value)


def told(app: AppTest) -> list[str]:
    return [note.value for note in app.info if note.value in (query.RESTATED, query.REPLACED)]


@pytest.mark.parametrize("page", CONTROLS)
def test_a_bare_address_begins_with_one_record_blanked_and_stays_bare(page: str) -> None:
    app = opened(page)
    assert neighbour(app, page) == "zero-out"
    assert not app.query_params
    assert not told(app)


OLD: list[tuple[str, dict[str, str], str, bool]] = [
    ("explore", {"loss": "Huber SVM"}, "replace-one", True),
    ("explore", {"adjacency": ZERO_OUT}, "zero-out", False),
    ("plan", {"target": "0.5"}, "zero-out", True),
    ("plan", {"target": "0.5", "neighbour": MORE}, "zero-out", True),
    ("plan", {"neighbour": ZERO_OUT}, "zero-out", False),
    ("plan", {"neighbour": REPLACED}, "replace-one", False),
    ("plan", {"sampling": FIXED}, "replace-one", True),
    ("plan", {"sampling": FIXED, "neighbour": MORE}, "zero-out", True),
    ("train", {"units": "8"}, "zero-out", True),
    ("train", {"person": MORE}, "zero-out", True),
    ("train", {"person": REPLACED}, "replace-one", False),
]


@pytest.mark.parametrize(("page", "link", "now", "restated"), OLD)
def test_a_link_without_a_version_means_the_defaults_of_before(
    page: str, link: dict[str, str], now: str, restated: bool
) -> None:
    app = opened(page, **link)
    assert neighbour(app, page) == now
    wanted = query.REPLACED if now == "replace-one" else query.RESTATED
    assert told(app) == ([wanted] if restated else [])
    # Where nothing else is left to say, the address is bare.
    assert not app.query_params or app.query_params["v"] == query.THIS
    assert not [warning for warning in app.warning if "link" in warning.value]
    # The address that it became says the same, and says it of today.
    again = opened(page, **app.query_params)
    assert neighbour(again, page) == now
    assert not told(again)


NEW: list[tuple[str, dict[str, str], str]] = [
    ("explore", {"loss": "Huber SVM"}, "zero-out"),
    ("explore", {"adjacency": REPLACED}, "replace-one"),
    ("plan", {"target": "0.5"}, "zero-out"),
    ("plan", {"neighbour": MORE}, "add-remove"),
    ("plan", {"sampling": FIXED, "neighbour": REPLACED}, "replace-one"),
    ("train", {"person": MORE, "public_size": "1500"}, "add-remove"),
    ("train", {"units": "8"}, "zero-out"),
]


@pytest.mark.parametrize(("page", "link", "now"), NEW)
def test_a_link_of_today_means_what_it_says(page: str, link: dict[str, str], now: str) -> None:
    app = opened(page, v="4", **link)
    assert neighbour(app, page) == now
    assert not told(app)
    assert not app.warning
    assert not app.error


def test_a_link_of_the_second_version_opens_what_it_opened_then() -> None:
    app = opened("explore", v="2", loss="Huber SVM", view="Best method")
    assert app.session_state["data"] == "breast_cancer"
    assert app.number_input(key="may_cost").value == 2.0
    assert neighbour(app, "explore") == "zero-out"
    assert app.query_params["v"] == query.THIS
    assert not app.warning
    assert not told(app)
    again = opened("explore", **app.query_params)
    assert again.session_state["data"] == "breast_cancer"
    assert again.number_input(key="may_cost").value == 2.0


@pytest.mark.parametrize(
    ("version", "features"),
    [({}, "plain"), ({"v": "2"}, "plain"), ({"v": "3"}, "plain"), ({"v": "4"}, "rule")],
)
def test_features_are_by_rule_from_the_fourth_version_on(
    version: dict[str, str], features: str
) -> None:
    app = with_expert_open(opened("explore", data=BREAST, **version))
    assert app.selectbox(key="feature_map").value == features
    assert app.query_params["v"] == query.THIS
    assert not app.warning
    again = with_expert_open(opened("explore", **app.query_params))
    assert again.selectbox(key="feature_map").value == features


BREAST, HEART = "Breast cancer (Wisconsin)", "Heart disease (Cleveland)"

OF_THE_SECOND_VERSION = {
    "explore": {"data": HEART, "adjacency": REPLACED, "feature_map": "As they are"},
    "plan": {"question": "One run in detail", "batch": "200"},
    "train": {"person": REPLACED},
    "atlas": {"search": "OPERA"},
    "learn": {"seed": "7"},
}
"""The pages of that time, which no later one joins, with a link that names all."""


@pytest.mark.parametrize(("page", "link"), OF_THE_SECOND_VERSION.items())
def test_a_link_of_the_second_version_that_names_all_changes_its_version_alone(
    page: str, link: dict[str, str]
) -> None:
    app = opened(page, v="2", **link)
    result = {name: app.query_params.get(name) for name in app.query_params}
    assert {name: "".join(value) for name, value in result.items()} == {**link, "v": query.THIS}
    assert not app.warning
    assert not told(app)


FILLED, LEFT_OUT = "Fill gaps from public values", "Leave out records with gaps"


@pytest.mark.parametrize(
    ("link", "now"),
    [
        ({"data": HEART}, "drop"),
        ({"data": HEART, "missing": FILLED}, "impute"),
        ({"data": HEART, "adjacency": ZERO_OUT}, "drop"),
        ({"data": HEART, "v": "3"}, "impute"),
        ({"data": HEART, "v": "4"}, "impute"),
        ({"data": HEART, "v": "4", "missing": LEFT_OUT}, "drop"),
        ({"data": "Bank marketing (Portugal)"}, "impute"),  # where no gap is possible
        ({}, "impute"),
    ],
)
def test_a_link_without_a_version_leaves_out_records_with_gaps_where_there_may_be_some(
    link: dict[str, str], now: str
) -> None:
    app = with_expert_open(opened("explore", **link))
    assert app.selectbox(key="missing").value == now
    assert not app.warning
    again = with_expert_open(opened("explore", **app.query_params))
    assert again.selectbox(key="missing").value == now


VERSIONS = ["", "1", "5", "4.0", "two", "x" * 5000, "<img src=x>", "2 ", ["1", "4"], ["<b>", "9"]]


# Every page hands its link to the same check: one page tries all, the others the oddest two.
@pytest.mark.parametrize(
    ("page", "version"),
    [
        *(("plan", version) for version in VERSIONS),
        *((page, VERSIONS[at]) for page in ("explore", "train", "atlas") for at in (0, -1)),
    ],
    ids=lambda each: str(each)[:12],
)
def test_a_version_that_there_is_not_is_named_and_today_is_meant(
    page: str, version: str | list[str]
) -> None:
    app = opened(page, v=version)
    (warning,) = app.warning
    assert warning.value.startswith("The link asks for")
    assert warning.value.count("the version") == (2 if version == ["<b>", "9"] else 1)
    assert "it uses version 4" in warning.value
    assert len(warning.value) < 300
    assert "<" not in warning.value
    assert app.query_params["v"] in (query.THIS, [query.THIS])
    assert not told(app)
    if page in CONTROLS:
        assert neighbour(app, page) == "zero-out"


@pytest.mark.parametrize(("page", "control"), CONTROLS.items())
def test_a_neighbour_that_there_is_not_is_named_in_a_link_of_either_time(
    page: str, control: str
) -> None:
    for version in ({}, {"v": "4"}):
        app = opened(page, **{control: "Nobody", **version})
        (warning,) = app.warning
        assert "the neighbour “Nobody”" in warning.value
        assert "it uses one record blanked out" in warning.value
        assert neighbour(app, page) == "zero-out"
        assert app.query_params["v"] == query.THIS


def test_what_a_reader_sets_is_written_into_a_link_of_today() -> None:
    app = opened("plan")
    app.text_input(key="year_epsilon").set_value("0.5").run()
    app.query_params["year_epsilon"] = "0.5"  # as the browser writes it
    app.run()
    assert app.query_params["v"] == query.THIS
    assert neighbour(app, "plan") == "zero-out"
    assert not told(app)


def test_a_link_of_before_says_the_same_figure_under_zero_out() -> None:
    run = preset("chexpert").training
    result = spent(run, "rdp").epsilon
    assert run.adjacency is Adjacency.ZERO_OUT
    app = opened("plan", neighbour=MORE, records="10000")
    shown = next(metric.value for metric in app.metric if metric.label == "ε by Rényi")
    assert result is not None
    assert float(shown) == pytest.approx(result, rel=1e-3)


def test_under_add_remove_the_field_is_a_public_size_and_so_is_the_code() -> None:
    app = opened("plan", v="4", plan_view="Take along")
    assert app.number_input(key="records").label == "Records n"
    app.selectbox(key="neighbour").select("add-remove").run()
    assert app.number_input(key="records").label == "Public size"
    said = " ".join(text.value for text in app.caption)
    assert "of a public size of 10,000" in said
    assert "10,000 records" not in said
    code = " ".join(block.value for block in app.code)
    assert "--public-size 10000" in code
    assert "--records" not in code


def test_train_asks_for_the_public_size_and_tells_nothing_else() -> None:
    app = with_expert_open(opened("train", v="4", train_view="Take along"))
    assert not [field for field in app.number_input if field.key == "public_size"]
    app.selectbox(key="person").select("add-remove").run()
    (error,) = app.error
    assert "needs a public size" in error.value
    app.number_input(key="public_size").set_value(1_234).run()
    assert not app.error
    deadline = time.monotonic() + 60.0
    while "dpcore train" not in (code := " ".join(block.value for block in app.code)):
        assert time.monotonic() < deadline
        time.sleep(0.1)  # the noise is solved for in the background
        app.run()
    assert "--adjacency add-remove --public-size 1234" in code.replace(" \\\n  ", " ")
    assert "public_size=1234" in code


@pytest.mark.parametrize(
    ("page", "control", "old", "value", "now"),
    [
        ("explore", "edition", "As published", "published", "As in the paper"),
        ("explore", "edition", "Sound", "sound", ""),
        ("atlas", "verdict", "claim not supported", "claim not supported", "Promises too much"),
    ],
)
def test_a_title_of_before_is_read_as_that_of_today(
    page: str, control: str, old: str, value: str, now: str
) -> None:
    app = opened(page, v="4", **{control: old})
    assert app.session_state[control] == value
    assert not app.warning
    address = "".join(app.query_params.get(control, ""))
    assert address.startswith(now)
    assert bool(address) == bool(now)
