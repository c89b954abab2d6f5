"""Release: the demonstration from its first step to its last, and a table of one's own."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from dpcore.cli import main
from dpcore.controls.control import OneOf
from dpcore.controls.release import CONTROLS, TEXTS
from dpcore.datasets.own.description import read_own
from dpcore.datasets.own.form import look
from dpcore.datasets.own.notation import read
from dpcore.guarantee import Adjacency
from dpcore.questions.describe.question import DescribeQuestion
from dpcore.release import demonstration
from dpcore.release import release as releasing
from dpcore.release.attack import attack
from dpcore.release.check import check
from dpcore.release.ledger import Ledger
from dpcore.release.model import ReleasedModel
from dpcore.release.roles import Actor, Role
from dpcore.release.twin import twin
from dpcore.release.twin.counting import attack as attack_on_twin
from dpcore.summaries.study import TableStudy
from dpcore.words import spaced
from pages.release import budget, final_step, payment
from pages.release import look as looking
from pages.release.account import Attempts
from pages.release.steps import FIRST
from pages.server import ledgers, sign_in
from pages.shared import uploads
from pages.shared.session import DESCRIBED
from tests.pages.explored import below_title
from tests.pages.shown import open_page, run, said
from tests.pages.waiting import until
from tests.release.test_release import COLUMNS, data, ledger_with

pytestmark = pytest.mark.slow("runs whole pages")

SECONDS = 180
OWN = "My own table"


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """No result from an earlier run, and an attack of a moment."""
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    monkeypatch.delenv("DPCORE_DATA", raising=False)
    monkeypatch.delenv("DPCORE_LEDGER", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(releasing, "attack", partial(attack, runs=100))
    monkeypatch.setattr(twin, "attack", lambda *given: attack_on_twin(*given, runs=100))


def opened(**link):
    return open_page("release", **link)


def told(app):
    return said(app, "info", "error")


def steps(app):
    """What stands beside each step."""
    return [each.label.partition(" · ")[2] for each in app.expander if each.label[:2] == "**"]


def buttons(app):
    """The one that pays, if it is there."""
    return [each for each in app.button if each.label in ("Release", "Release another")]


def pressed(app):
    """The page after a press of it."""
    (button,) = buttons(app)
    assert not button.disabled
    button.click()
    return run(app)


def attempts(app):
    demonstrated = app.session_state["_once_release demonstration"]
    result: Attempts = demonstrated.account(Adjacency.ZERO_OUT).attempts
    return result


def described(app):
    """What the description on the page says."""
    return read(app.text_area(key="own_columns").value)


@pytest.fixture
def held_up(monkeypatch):
    """Set once a training begins; to be set for it to go on."""
    begun, go_on = Event(), Event()
    train: Callable[..., Any] = releasing.train

    def slowly(*given, **more):
        begun.set()
        assert go_on.wait(SECONDS)
        return train(*given, **more)

    monkeypatch.setattr(releasing, "train", slowly)
    return begun, go_on


def test_the_demonstration_goes_from_its_first_step_to_its_last_and_is_paid_once(held_up):
    begun, go_on = held_up
    app = opened()
    assert app.session_state["_kept_release steps"] == FIRST
    assert "costs ε = 1 of the 3 left (δ = 10⁻⁵, zero-out, Gaussian DP)" in said(app)
    pressed(app)
    assert begun.wait(SECONDS)
    assert "Cancel" not in {each.label for each in run(app).button}
    app.switch_page("learn/learn.py")
    run(app)
    app.switch_page("release/release.py")
    run(app)
    assert steps(app)[-1] == "to do: training, paid"
    assert not buttons(app)
    go_on.set()
    until(lambda: steps(app)[-1].startswith("done"), app)
    assert attempts(app).count == 1
    # What was paid, and not what another release would cost.
    assert steps(app)[3] == "done: ε = 1 paid by entry 3 (δ = 10⁻⁵, zero-out, Gaussian DP)"
    assert "costs ε = 1 of the 2 left" in said(app)
    made = attempts(app).latest
    assert made is not None
    assert made.released is not None
    (another,) = (each for each in app.expander if each.label == final_step.ANOTHER)
    assert [each.label for each in another.button] == ["Release another"]
    assert len(app.get("download_button")) == len(made.files) + 1 == 6  # and made-up records
    ledger = app.session_state["_kept_release account"].ledger
    text = made.files["certificate.yaml"].decode()
    assert check(text, ledger, made.released.model).problems == ()
    history = ledger.history(demonstration.DATA_SET)
    assert [entry.kind for entry in history] == ["created", "spent", "attached"]
    (link,) = (
        one.proto for one in app.get("page_link") if one.proto.label == payment.PREDICT_BY_IT
    )
    assert link.query_string == "predict_model=Your+file"
    app.switch_page("predict/predict.py")
    app.query_params["predict_model"] = "Your file"
    run(app)
    assert "The model that you released in this session." in said(app)
    assert f"{demonstration.ABOUT.name}. Meant for: " in said(app)  # its certificate holds


def test_what_cannot_be_paid_has_no_button_and_says_what_to_do():
    app = opened(release_epsilon="7")
    assert steps(app)[3] == "to do: choose what can be paid"
    assert not buttons(app)
    app.button(key="release_less").click()
    assert run(app).number_input(key="release_epsilon").value == 3.0
    # The price is another one than was seen when it was pressed.
    app.number_input(key="release_epsilon").set_value(2.0)
    assert attempts(pressed(app)).count == 0
    assert attempts(pressed(app)).count == 1
    begun = attempts(app).latest
    assert begun is not None
    begun.wait()


def test_records_need_a_ledger_of_the_operators_and_a_server_of_ones_own(monkeypatch):
    app = opened(release_table=OWN)
    assert steps(app)[3] == "to do: create a ledger"
    monkeypatch.setenv("DPCORE_LEDGER", "nowhere.db")
    assert "must be a ledger that is there" in told(run(app))
    refused = "A reader cannot do that."
    monkeypatch.setattr(
        sign_in, "allowed", lambda role: refused if role.covers(Role.ANALYST) else None
    )
    assert refused in told(run(app))
    assert "nowhere.db" not in told(app)
    assert steps(app)[3] == "not possible yet: you may not spend here"
    assert not buttons(app)


def test_a_ledger_is_created_by_whoever_sits_at_this_machine(tmp_path, monkeypatch):
    app = opened(release_table=OWN, release_unit="One record replaced")
    place = Path(ledgers.own_place())
    assert place.is_relative_to(tmp_path)
    assert not place.exists()
    create = next(each for each in app.button if each.label == "Create a ledger here")
    create.click()
    assert "data set is ''" in told(run(app))  # a name has no default
    fields = {each.label: each for each in app.text_input}
    fields["Name of the data set"].set_value("clinic")
    fields["Who answers for it"].set_value("Dr. A")
    next(each for each in app.button if each.label == "Create a ledger here").click()
    run(app)
    assert "ε = 3 of 3 is left at δ = 10⁻⁵: nothing is spent" in said(app)
    assert not any(each.label == "Create a ledger here" for each in app.button)
    terms = Ledger.open(place, must_exist=True).left("clinic").account.terms
    assert (terms.person_unit, str(terms.adjacency), terms.owner, terms.accepts) == (
        *("one patient", "replace-one", "Dr. A", ("gaussian",)),
    )
    assert ledgers.place(Actor("", Role.STEWARD)) == str(place)
    # It is of this machine: nobody who signs in finds it, or is offered another.
    person = Actor("a@clinic.example", Role.STEWARD)
    assert ledgers.place(person) == ""
    monkeypatch.setattr(sign_in, "allowed", lambda _: person)
    app = opened(release_table=OWN)
    assert steps(app)[3] == "not possible yet: this server has no ledger"
    assert not any(each.label == "Create a ledger here" for each in app.button)


@pytest.mark.usefixtures("uploads_in_one_process")
def test_a_table_of_ones_own_is_paid_once_also_where_the_page_is_loaded_anew(tmp_path, monkeypatch):
    place = str(tmp_path / "ledger.db")
    ledger = ledger_with(place)
    agreed = ledger.left("clinic").account.terms
    ledger.create("other", **vars(agreed))
    monkeypatch.setenv("DPCORE_LEDGER", place)
    said_nothing = COLUMNS.partition("public\n")[2]
    app = opened(release_table=OWN, own_columns=said_nothing, release_unit="One record replaced")
    app.file_uploader(key="upload_own").upload("mine.csv", data())
    # As the form of the columns leaves it.
    app.session_state["_kept_syntaxes"] = ("", look(data(), "mine.csv"))
    assert steps(run(app))[:2] == [
        "done: described, and read once step 2 says what one person is",
        "to do: say what one person is",
    ]
    assert app.selectbox(key="release_person").options == ["ignored"]
    app.selectbox(key="release_person").set_value("ignored")
    assert steps(run(app))[1] == (
        "done: one person has at most 3 rows, by ignored; one record replaced"
    )
    app.number_input(key="release_person_rows").set_value(12)
    run(app)
    assert steps(app)[0] == "done: 1 persons of 'mine.csv'"
    app.checkbox(key="release_one_row").check()
    assert steps(run(app))[0] == "done: 300 records of 'mine.csv'"
    assert described(app) == read(COLUMNS)
    app.selectbox(key="release_data_set").set_value("clinic")
    run(app)
    assert "choose that in step 2" in told(app)
    app.selectbox(key="release_unit").set_value("zero-out")
    assert steps(run(app))[3] == "to do: say who releases"
    app.text_input(key="release_actor_own").set_value("Dr. B")
    assert steps(run(app))[4] == "to do: fill in: name of the model"
    for control in TEXTS:
        app.text_input(key=f"{control.key}_own").set_value("A *word*")
    (pays,) = buttons(run(app))
    assert pays.disabled
    app.checkbox[-1].check()
    # Ages lie outside the described range: whoever releases says that they go on all the same.
    assert "67 of age and 15 of bmi" in told(app)
    (pays,) = buttons(run(app))
    assert pays.disabled
    (goes_on,) = (each for each in app.checkbox if each.label == payment.CLIPPED)
    goes_on.check()
    go_on, ask = Event(), uploads.Upload.ask

    def slowly(*given):
        assert go_on.wait(SECONDS)
        return ask(*given)

    monkeypatch.setattr(uploads.Upload, "ask", slowly)
    pressed(run(app))
    again = opened(release_table=OWN, own_columns=COLUMNS)
    again.selectbox(key="release_data_set").set_value("clinic")
    assert not buttons(run(again))
    # Its records take part in no other release meanwhile, and stay.
    app.selectbox(key="release_data_set").set_value("other")
    assert steps(run(app))[-1] == "to do: getting ready, unpaid"
    assert not buttons(app)
    app.selectbox(key="release_data_set").set_value("clinic")
    go_on.set()
    until(lambda: steps(app)[-1].startswith("done"), app, look_seconds=1.0)
    run(again)
    assert [entry.kind for entry in ledger.history("clinic")] == ["created", "spent", "attached"]
    assert len(again.get("download_button")) == 6
    assert steps(app)[0] == "done: 300 records of 'mine.csv'"
    # Another one is another payment, for which one says again that one may.
    (pays,) = buttons(app)
    assert (pays.label, pays.disabled) == ("Release another", True)


def test_a_twin_has_its_price_is_paid_once_and_leads_to_train_plan_and_explore():
    app = opened(release_look="At a private twin")
    assert steps(app)[2] == "to do: make the twin, or look in another way"
    assert steps(app)[4] == "not possible yet: step 3 comes first"
    assert "This costs ε = 0.5 of the 3 left (δ = 10⁻⁵, zero-out, Gaussian DP)" in said(app)
    app.number_input(key="release_twin_epsilon").set_value(9.0)
    run(app).button(key="release_twin_less").click()
    assert run(app).number_input(key="release_twin_epsilon").value == 3.0
    app.number_input(key="release_twin_epsilon").set_value(1.0)
    (button,) = (each for each in run(app).button if each.label == "Make the twin")
    button.click()
    until(lambda: steps(app)[2].startswith("done"), app)
    account = app.session_state["_kept_release account"]
    history = account.ledger.history(demonstration.DATA_SET)
    assert [entry.kind for entry in history] == ["created", "spent", "attached"]
    assert steps(app)[2] == "done: at a private twin, paid by entry 3 of the ledger"
    assert steps(app)[3] == "done: ε = 1 of the 2 left (δ = 10⁻⁵, zero-out, Gaussian DP)"
    made = account.twins.latest
    assert read_own(made.released.columns, made.files["twin.csv"], "twin.csv").records == 3_000
    assert len(app.get("download_button")) == 3
    (another,) = (each for each in app.button if each.label == "Make another twin")
    assert not another.disabled
    app.button(key="train twin").click()
    run(app)
    assert app.title[0].value == "What does privacy do to a network?"
    assert "twin.npz: made-up records" in said(app)
    assert [note.value for note in app.info] == [looking.OF_A_TWIN]
    app.button(key="drop_made_features").click()
    assert "made-up records" not in said(run(app))
    for name in ("plan", "explore"):
        app.switch_page("release/release.py")
        app.query_params.clear()
        run(app).button(key=f"{name} twin").click()
        if name == "plan":
            assert run(app).number_input(key="people").value == 3_000
    assert_explored(app, "twin.csv", 3_000)
    # Each row of a twin is a person, which nobody says of the table that it was made of.
    app.switch_page("release/release.py")
    run(app).button_group(key="release_table").set_value("own")
    assert described(run(app)).person is None
    assert steps(app)[1] == "to do: say what one person is"


def test_a_stand_in_leads_to_train_and_to_explore():
    app = opened()
    assert not [button for button in app.button if button.key == "plan standin"]
    app.button(key="train standin").click()
    assert [note.value for note in run(app).info] == [looking.OF_A_STAND_IN]
    assert "standin.npz: made-up records" in said(app)
    app = opened()
    app.button(key="explore standin").click()
    assert_explored(app, "standin.csv", 1_000)
    app.switch_page("release/release.py")
    app.query_params.clear()
    assert steps(run(app))[2] == "done: at made-up records"


@pytest.mark.parametrize("sent", ["person: one row each", "person: ignored, at most 2 rows"])
def test_no_link_says_what_one_person_is(sent):
    rest = COLUMNS.partition("public\n")[2]
    linked = f"{sent}\nnumber of persons: public\n{rest}"
    app = opened(release_table=OWN, own_columns=linked)
    assert described(app) == read(rest)
    assert not app.checkbox(key="release_one_row").value
    assert steps(app)[1] == "to do: say what one person is"
    app.checkbox(key="release_one_row").check()
    for _ in range(2):
        assert steps(run(app))[1].startswith("done: one row is one person")


def test_no_link_to_explore_says_what_one_person_is():
    app = open_page("explore", data="Your own table", own_columns=COLUMNS)
    assert described(app) == read(COLUMNS)
    app.switch_page("release/release.py")
    app.query_params.clear()
    run(app).button_group(key="release_table").set_value("own")
    assert described(run(app)) == read(COLUMNS.partition("public\n")[2])
    assert steps(app)[1] == "to do: say what one person is"


def assert_explored(app, name, records):
    """Explore shows made-up records, of which nothing warns; what stands there of their columns."""
    run(app)
    assert f"Your own table · {spaced(records)} records" in below_title(app)
    handed_over = f"{name}: made-up records"
    assert handed_over in said(app)
    assert not app.warning
    assert [note.value for note in app.info] in ([looking.OF_A_STAND_IN], [looking.OF_A_TWIN])
    shown = str(app.text_area(key="own_columns").value)
    app.button(key="drop_made_file").click()
    run(app)
    assert app.session_state["_kept_made file"] is None
    assert handed_over not in said(app)
    return shown


@pytest.mark.parametrize("look", ["Not at all", "At a private twin"])
def test_a_delta_of_one_record_is_warned_about(look):
    warned = [each.value for each in opened(release_delta="0.001", release_look=look).warning]
    assert any("1/n" in text for text in warned)
    assert not opened(release_look=look).warning


def test_a_network_is_priced_and_released():
    app = opened(release_loss="Network")
    assert steps(app)[3] == "done: ε = 1 of the 3 left (δ = 10⁻⁵, zero-out, Gaussian DP)"
    pressed(app)
    until(lambda: steps(app)[-1].startswith("done"), app)
    made = attempts(app).latest
    model = ReleasedModel.from_json(made.files["model.json"].decode())
    assert model.hidden > 0
    ledger = app.session_state["_kept_release account"].ledger
    assert check(made.files["certificate.yaml"].decode(), ledger, model).problems == ()


@pytest.mark.parametrize(("epsilon", "corrects"), [("0.01", False), ("1", True)])
def test_risks_that_the_rule_leaves_as_trained_are_no_choice(epsilon, corrects):
    app = opened(release_epsilon=epsilon)
    assert ("release_risks" in {each.key for each in app.button_group}) == corrects
    assert (budget.TOO_FEW in said(app)) == (not corrects)
    assert steps(app)[3].startswith(f"done: ε = {epsilon} of the 3 left")


OPTIONS = {
    control.key: list(control.kind.options().values())
    for control in CONTROLS
    if isinstance(control.kind, OneOf)
}


@pytest.mark.parametrize("place", range(max(map(len, OPTIONS.values()))))
def test_every_choice_is_drawn(place):
    app = opened(**{key: options[place % len(options)] for key, options in OPTIONS.items()})
    assert len(steps(app)) == 5
    assert not app.error


def test_settings_that_were_tried_are_all_paid_and_a_choice_by_the_records_is_refused():
    app = opened(release_chosen_of="4")
    assert (
        "Chosen among 4, declared: all of them are paid, each with 2 times the noise of one alone."
    ) in said(app)
    app.selectbox(key="release_chosen_of_by").set_value("Measures of the records")
    assert "Conditions not met: a choice by measures of the same records" in said(run(app), "error")


def test_a_table_of_numbers_is_paid_once_and_leaves_with_its_certificate(tmp_path):
    app = opened(release_loss="Table of numbers")
    assert "The table tells of all columns, without groups." in said(app)
    assert {"release_features", "release_risks"}.isdisjoint(each.key for each in app.button_group)
    assert steps(app)[3] == "done: ε = 1 of the 3 left (δ = 10⁻⁵, zero-out, Gaussian DP)"
    (button,) = (each for each in app.button if each.label == "Publish the table")
    button.click()
    until(lambda: steps(app)[4].startswith("done"), app)
    account = app.session_state["_kept_release account"]
    history = account.ledger.history(demonstration.DATA_SET)
    assert [entry.kind for entry in history] == ["created", "spent", "attached"]
    assert steps(app)[3] == "done: ε = 1 paid by entry 3 (δ = 10⁻⁵, zero-out, Gaussian DP)"
    published = account.tables.latest
    assert set(published.files) == {
        *("table.csv", "table.html", "released.json", "intervals.py", "summary.yaml")
    }
    assert len(app.get("download_button")) == 6  # with the made-up records of step 3
    for name, content in published.files.items():
        (tmp_path / name).write_bytes(content)
    assert main(["certificate", "check", str(tmp_path)]) == 0
    assert re.search(r"ε ≤ 1 at δ = 10⁻⁵, zero-out, μ ≤ 0\.26[89], by Gaussian DP", said(app))
    (another,) = (each for each in app.button if each.label == "Publish another table")
    assert not another.disabled


def test_the_table_of_numbers_is_the_one_that_was_asked_for_of_the_same_columns():
    same, others = demonstration.columns(), COLUMNS
    app = opened(release_loss="Table of numbers")
    for columns, by, told in (
        (same, "admitted", "The table tells of age, by admitted."),
        (others, "ill", "The table tells of all columns, without groups."),
    ):
        question = DescribeQuestion(TableStudy("own", 3_000, columns=columns), by, ("age",))
        app.session_state[f"_kept_{DESCRIBED}"] = question
        assert told in said(run(app))
