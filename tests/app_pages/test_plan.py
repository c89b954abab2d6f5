"""Plan without a browser: the first answer, the questions asked backwards, refusals."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.accounting import paper_003
from dpcore.accounting.planner import Training, solve, spent
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency

APP = str(Path(__file__).resolve().parents[2] / "app.py")
FIRST = Training(
    sigma=2.8,
    records=10_000,
    batch=100,
    steps=800,
    delta=1e-5,
    decay=0.99,
    decay_every=100,
    sampling="poisson",
    adjacency=Adjacency.ADD_REMOVE,
)


def opened(**link: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    app.switch_page("app_pages/plan.py")
    return app.run()


def numbers(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def said(app: AppTest) -> str:
    return " ".join(text.value for text in app.markdown)


def test_first_view_shows_certified_and_claimed_apart() -> None:
    app = opened()
    assert not app.exception
    shown = numbers(app)
    assert shown["ε, PLD"] == plain(spent(FIRST, "pld").epsilon, 4)
    assert shown["ε, Rényi"] == plain(spent(FIRST, "rdp").epsilon, 4)
    claim = paper_003.account(FIRST.schedule(), FIRST.rate, FIRST.delta).claim
    assert shown["ε as paper 003 prints it"] == plain(claim.epsilon, 4)
    assert "No number. Amplification of tCDP is proved only for ρ up to 0.1" in said(app)


def test_the_questions_are_answered_backwards() -> None:
    app = opened()
    for unknown in ("steps", "sigma", "batch"):
        assert solve(unknown, FIRST, 2.0, "rdp").sentence in said(app)


def test_fixed_batches_are_refused_by_pld_and_answered_by_renyi() -> None:
    app = opened()
    app.selectbox(key="sampling").set_value("fixed").run()
    assert not app.exception
    shown = numbers(app)
    assert "ε, PLD" not in shown
    assert "ε, Rényi" in shown


def test_settings_that_do_not_fit_together_are_said_in_one_sentence() -> None:
    app = opened()
    app.number_input(key="batch").set_value(20_000).run()
    assert not app.exception
    assert [error.value for error in app.error] == [
        "batch size is 20000, but it must be a whole number of at least 1 and at most 10,000."
    ]


@pytest.mark.parametrize("every", ["epoch", "step"])
def test_the_schedule_decays_as_chosen(every: str) -> None:
    app = opened()
    app.selectbox(key="decays").set_value(every).run()
    assert not app.exception
    last = 2.8 * 0.99 ** (0.5 * (7 if every == "epoch" else 799))
    assert numbers(app)["Noise at the last step"] == plain(last)
