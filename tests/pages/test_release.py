"""Release: the demonstration from its first step to its last, and a table of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from dpcore.release import release as releasing
from dpcore.release.attack import attack
from dpcore.release.ledger import Ledger
from tests.pages.waiting import until
from tests.release.test_release import COLUMNS, data

APP = str(Path(__file__).resolve().parents[2] / "pages" / "main.py")
SECONDS = 180


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No result from an earlier run, and an attack of a moment."""
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    monkeypatch.delenv("DPCORE_LEDGER", raising=False)
    monkeypatch.setattr(releasing, "attack", lambda *given: attack(*given, runs=100))


def opened(**link: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=SECONDS)
    app.switch_page("release/release.py")
    for name, value in link.items():
        app.query_params[name] = value
    return run(app)


def run(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception
    return app


def steps(app: AppTest) -> list[str]:
    """What stands beside each step."""
    return [each.label.partition(" · ")[2] for each in app.expander if each.label[:2] == "**"]


def button(app: AppTest) -> Button:
    (found,) = [each for each in app.button if each.label.startswith("Release")]
    return found


def said(app: AppTest) -> str:
    parts = (*app.markdown, *app.caption, *app.info, *app.error)
    return " ".join(part.value for part in parts)


def test_the_demonstration_goes_from_its_first_step_to_its_last() -> None:
    app = opened()
    assert [each.partition(":")[0] for each in steps(app)] == ["done"] * 4 + ["to do"]
    assert "costs ε = 1 of the 3 left (δ = 1e-05, zero-out, Gaussian DP)" in said(app)
    button(app).click()
    run(app)
    until(lambda: steps(app)[-1].startswith("done"), app)
    files = {each.proto.label for each in app.get("download_button")}
    assert len(files) == 5


@pytest.mark.usefixtures("uploads_in_one_process")
def test_own(tmp_path, monkeypatch) -> None:
    app = opened(release_table="My own table")
    print(steps(app))
    print(said(app))
    place = tmp_path / "ledger.db"
    ledger = Ledger.open(place)
    ledger.create(
        "clinic",
        person_unit="one patient",
        adjacency="zero-out",
        epsilon=3,
        delta=1e-5,
        owner="Dr. A",
        accepts=("gaussian",),
    )
    monkeypatch.setenv("DPCORE_LEDGER", str(place))
    app = opened(release_table="My own table", own_columns=COLUMNS)
    print(steps(app))
    app.file_uploader(key="upload_own").upload("mine.csv", data())
    run(app)
    print(steps(app), said(app))
    app.checkbox(key="release_one_row").check()
    app.text_input(key="release_actor_own").set_value("Dr. B")
    for name in ("name", "description", "data_curator", "intended_use", "region"):
        app.text_input(key=f"release_{name}_own").set_value("x")
    run(app)
    print(steps(app))
    print([c.key for c in app.checkbox], button(app).disabled)
    app.checkbox[1].check()
    run(app)
    print(button(app).disabled)
    button(app).click()
    run(app)
    until(lambda: steps(app)[-1].startswith("done") or app.error, app)
    print(steps(app), said(app))
    print([e.kind for e in ledger.history("clinic")])
    assert 0
