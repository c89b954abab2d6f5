"""The ledger's page: for stewards alone, who see everything and change only a cap, upwards."""

from __future__ import annotations

import json

import pytest

from dpcore.release.ledger import GaussianSpend, Ledger, chain
from dpcore.release.roles import Actor, Role
from pages.server import sign_in
from tests.pages.shown import open_page, run, said

pytestmark = pytest.mark.slow("runs whole pages")


@pytest.fixture
def clinic(tmp_path, monkeypatch):
    """The server's ledger, and somebody who signed in as its steward."""
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    monkeypatch.setenv("DPCORE_LEDGER", str(tmp_path / "ledger.db"))
    ledger = Ledger.open(tmp_path / "ledger.db")
    ledger.create(
        "clinic <b>",
        person_unit="one patient",
        adjacency="zero-out",
        epsilon=3,
        delta=1e-5,
        owner="Dr. A",
        accepts=("gaussian",),
    )
    ledger.spend("clinic <b>", GaussianSpend(2.0), actor="Dr. B", purpose="=a model")
    return ledger


def signed_in(monkeypatch, role):
    def allowed(needed):
        mine = Actor("s@clinic.example", role)
        return mine if role.covers(needed) else "You are no steward."

    monkeypatch.setattr(sign_in, "allowed", allowed)


def test_a_steward_sees_the_history_and_raises_a_cap_by_name(clinic, monkeypatch):
    signed_in(monkeypatch, Role.STEWARD)
    app = open_page("ledger")
    taken, left, _ = app.metric
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    hover = figure["data"][1]["hovertext"][-1]
    for part in ("δ = 10⁻⁵", "zero-out", "filter"):
        assert part in taken.help
        assert part in left.help
        assert part in hover
    assert r"clinic \<b\>" in said(app)
    (history,) = app.dataframe
    assert history.value["kind"].tolist() == ["spent", "created"]
    app.button(key="ledger_verify").click()
    run(app)
    assert "The chain is whole: 2 hashes" in app.success[0].value
    app.number_input[0].set_value(4.0)
    app.text_input[0].set_value("")
    next(each for each in app.button if each.label == "Raise it for good").click()
    run(app)
    assert "reason" in app.error[0].value
    assert len(clinic.history("clinic <b>")) == 2
    app.number_input[0].set_value(4.0)
    app.text_input[0].set_value("A second study, agreed by the board")
    next(each for each in app.button if each.label == "Raise it for good").click()
    run(app)
    assert not app.error
    last = clinic.history("clinic <b>")[-1]
    assert (last.kind, last.actor, last.account.epsilon) == ("raised", "s@clinic.example", 4.0)
    assert app.dataframe[0].value["what"].iloc[0].startswith("cap raised: A second study")


def test_an_analyst_sees_nothing_of_it(clinic, monkeypatch):
    signed_in(monkeypatch, Role.ANALYST)
    app = open_page("ledger")
    assert [error.value for error in app.error] == ["You are no steward."]
    assert not [*app.dataframe, *app.selectbox, *app.number_input]


def test_only_what_is_shown_of_a_long_history_is_read(clinic, monkeypatch):
    for _ in range(130):
        clinic.spend("clinic <b>", GaussianSpend(2e3), actor="Dr. B", purpose="a model")
    signed_in(monkeypatch, Role.STEWARD)
    numbers: list[int] = []
    read = chain.read

    def counted(number, *rest):
        numbers.append(number)
        return read(number, *rest)

    monkeypatch.setattr(chain, "read", counted)
    app = open_page("ledger")
    assert app.dataframe[0].value["entry"].tolist() == list(range(132, 32, -1))
    assert "The latest 100 of 132 entries" in said(app)
    assert min(numbers) == 33
    assert len(numbers) <= 110
