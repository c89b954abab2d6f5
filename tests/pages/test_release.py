"""Release: the demonstration from its first step to its last, paid once however one presses."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from dpcore.release import release as releasing
from dpcore.release.attack import attack
from tests.pages.waiting import until

APP = str(Path(__file__).resolve().parents[2] / "pages" / "main.py")
SECONDS = 180


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No result from an earlier run, and an attack of a moment."""
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
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
    return [each.label.partition(" · ")[2] for each in app.expander]


def button(app: AppTest) -> Button:
    (found,) = [each for each in app.button if each.label.startswith("Release")]
    return found


def test_the_demonstration_goes_from_its_first_step_to_its_last() -> None:
    app = opened()
    assert [each.partition(":")[0] for each in steps(app)] == ["done"] * 4 + ["to do"]
    said = [each.value for each in app.markdown]
    assert any(
        "costs ε = 1 of the 3 left (δ = 1e-05, zero-out, Gaussian DP)" in each for each in said
    )
    button(app).click()
    run(app)
    until(lambda: steps(app)[-1].startswith("done"), app)
    files = {each.proto.label for each in app.get("download_button")}
    assert len(files) == 5
