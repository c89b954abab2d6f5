"""Release: the demonstration from its first step to its last, and a table of one's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.controls.control import OneOf
from dpcore.controls.release import CONTROLS, SECTOR, TEXTS
from dpcore.datasets.own.notation import read
from dpcore.datasets.own.rows import read_own
from dpcore.datasets.own.syntax import look
from dpcore.guarantee import Adjacency
from dpcore.release import demonstration, rehearsal
from dpcore.release import release as releasing
from dpcore.release.attack import attack
from dpcore.release.check import check
from dpcore.release.ledger import Ledger
from dpcore.release.model import ReleasedModel
from dpcore.release.registry import CHOICES
from dpcore.release.roles import Actor, Role
from dpcore.release.twin import twin
from dpcore.release.twin.attack import attack as attack_on_twin
from pages.release import look as look_step
from pages.release import texts
from pages.release.attempt import Attempts
from pages.release.steps import FIRST
from pages.shared import server_ledger, sign_in, uploads
from tests.pages.explored import below_title
from tests.pages.shown import APP, open_page
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
    app = open_page("release", **link)
    assert not app.exception
    return app


def run(app):
    app.run()
    assert not app.exception
    return app


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
    """Those of the demonstration."""
    demonstrated = app.session_state["_once_release demonstration"]
    result: Attempts = demonstrated.account(Adjacency.ZERO_OUT).attempts
    return result


def said(app):
    parts = (*app.markdown, *app.caption, *app.info, *app.error)
    return " ".join(part.value for part in parts)


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
    assert "nothing real is spent" in said(app)
    assert "costs ε = 1 of the 3 left (δ = 1e-5, zero-out, Gaussian DP)" in said(app)
    assert "the ledger composes them" in said(app)
    left = next(text for text in app.markdown if "is left at δ = 1e-5: nothing" in text.value)
    assert left.help == "δ = 1e-5 · zero-out · the ledger’s filter."
    links = [link.proto.label for link in app.sidebar.get("page_link")]
    assert "Predict with a released model" in links
    pressed(app)
    assert begun.wait(SECONDS)
    assert "Cancel" not in {each.label for each in run(app).button}
    app.switch_page("learn/learn.py")
    run(app)
    app.switch_page("release/release.py")
    run(app)
    assert steps(app)[-1] == "to do: training, paid"
    assert "can no longer be cancelled" in " ".join(each.proto.text for each in app.get("progress"))
    assert not buttons(app)
    go_on.set()
    until(lambda: steps(app)[-1].startswith("done"), app)
    assert attempts(app).count == 1
    # What was paid, and not what another release would cost.
    assert steps(app)[3] == "done: ε = 1 paid by entry 3 (δ = 1e-5, zero-out, Gaussian DP)"
    assert "costs ε = 1 of the 2 left" in said(app)
    made = attempts(app).latest
    assert made is not None
    assert made.released is not None
    assert made.paid_at is not None
    # One cost beside the files, and which model they are of; the next one's is a click away.
    outside = " ".join(each.value for each in app.expander[4].markdown)
    about = demonstration.ABOUT.name
    assert f"**{about}**: Logistic regression, numbers as straight lines, risks " in outside
    cost = "ε = 1 paid by entry 3 (δ = 1e-5, zero-out, Gaussian DP) on "
    moment = f"{made.paid_at:%Y-%m-%d} at {made.paid_at:%H:%M} UTC. ε = 2 of 3 is left"
    assert outside.count(f"{cost}{moment}") == 1
    (another,) = (each for each in app.expander if each.label == texts.ANOTHER)
    assert [each.label for each in another.button] == ["Release another"]
    told = [each.value for each in another.markdown if "costs ε" in each.value]
    assert len(told) == said(app).count("This costs ε") == 1
    assert said(app).count("the ledger composes them") == 1
    assert len(app.get("download_button")) == len(made.files) + 1 == 6  # and made-up records
    ledger = app.session_state["_kept_release account"].ledger
    text = made.files["certificate.yaml"].decode()
    assert check(text, ledger, made.released.model).problems == ()
    history = ledger.history(demonstration.DATA_SET)
    assert [entry.kind for entry in history] == ["created", "spent", "attached"]
    (link,) = (one.proto for one in app.get("page_link") if one.proto.label == texts.PREDICT_BY_IT)
    assert link.query_string == "predict_model=Your+file"
    app.switch_page("predict/predict.py")
    app.query_params["predict_model"] = "Your file"
    run(app)
    assert "The model that you released in this session." in said(app)
    assert f"{about}. Meant for: " in said(app)  # its certificate holds
    assert "made-up patients" not in said(app)


def test_what_cannot_be_paid_has_no_button_and_says_what_to_do():
    app = opened(release_epsilon="7")
    assert steps(app)[3] == "to do: choose what can be paid"
    assert steps(app)[4] == "not possible yet: step 4 comes first"
    assert "Choose a smaller ε, or have the cap raised." in said(app)
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
    assert steps(app)[2] == "not possible yet: the table is not read yet"
    assert steps(app)[3] == "to do: create a ledger"
    assert "DPCORE_LEDGER" in said(app)
    assert any("ledger create" in each.value for each in app.code)
    monkeypatch.setenv("DPCORE_LEDGER", "nowhere.db")
    assert "must be a ledger that is there" in said(run(app))
    refused = "A reader cannot do that."
    monkeypatch.setattr(
        sign_in, "allowed", lambda role: refused if role.covers(Role.ANALYST) else None
    )
    assert refused in said(run(app))
    assert "nowhere.db" not in said(app)
    assert steps(app)[3] == "not possible yet: you may not spend here"
    assert not buttons(app)


def test_a_ledger_is_created_by_whoever_sits_at_this_machine(tmp_path, monkeypatch):
    app = opened(release_table=OWN, release_unit="One record replaced")
    place = Path(server_ledger.own_place())
    assert place.is_relative_to(tmp_path)
    assert not place.exists()
    create = next(each for each in app.button if each.label == "Create a ledger here")
    create.click()
    assert "data set is ''" in said(run(app))  # a name has no default
    fields = {each.label: each for each in app.text_input}
    fields["Name of the data set"].set_value("clinic")
    fields["Who answers for it"].set_value("Dr. A")
    next(each for each in app.button if each.label == "Create a ledger here").click()
    run(app)
    assert "ε = 3 of 3 is left at δ = 1e-5: nothing is spent" in said(app)
    assert not any(each.label == "Create a ledger here" for each in app.button)
    terms = Ledger.open(place, must_exist=True).left("clinic").account.terms
    assert (terms.person_unit, str(terms.adjacency), terms.owner, terms.accepts) == (
        *("one patient", "replace-one", "Dr. A", ("gaussian",)),
    )
    assert server_ledger.place(Actor("", Role.STEWARD)) == str(place)
    # It is of this machine: nobody who signs in finds it, or is offered another.
    person = Actor("a@clinic.example", Role.STEWARD)
    assert server_ledger.place(person) == ""
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
    assert described(app) == read(
        f"person: ignored, at most 12 rows\nnumber of persons: public\n{said_nothing}"
    )
    assert steps(app)[0] == "done: 1 persons of 'mine.csv'"
    app.checkbox(key="release_one_row").check()
    assert steps(run(app))[0] == "done: 300 records of 'mine.csv'"
    assert described(app) == read(COLUMNS)
    app.selectbox(key="release_data_set").set_value("clinic")
    run(app)
    assert "choose that in step 2" in said(app)
    assert "ledger" in [link.proto.page for link in app.get("page_link")]
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
    assert "67 of age and 15 of bmi" in said(app)
    assert "not private" in said(app)
    assert "More than one in twenty values of age" in " ".join(each.value for each in app.warning)
    (pays,) = buttons(run(app))
    assert pays.disabled
    (goes_on,) = (each for each in app.checkbox if each.label == texts.CLIPPED)
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
    assert "can be changed after it" in said(run(app))
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


@pytest.mark.parametrize("look", ["Not at all", "At a private twin"])
def test_a_delta_of_one_record_is_warned_about(look):
    warned = [each.value for each in opened(release_delta="0.001", release_look=look).warning]
    assert any("is at least 1/n" in text for text in warned)
    assert not opened(release_look=look).warning


def test_what_the_noise_costs_is_told_on_made_up_records(monkeypatch):
    monkeypatch.setattr(rehearsal, "TABLES", 2)
    app = opened()
    assert steps(app)[2] == "optional: rehearse, or look at made-up records"
    assert buttons(app)  # nobody has to look
    app.button(key="release_rehearse").click()
    run(app)
    until(lambda: "are told right without noise" in said(app), app)
    assert "These are averages over 2 made-up tables" in said(app)
    assert "Made-up records are not yours: the cost on them is only a hint" in said(app)
    assert steps(app)[2] == "done: at made-up records"
    app.number_input(key="release_epsilon").set_value(0.5)
    assert "are told right" not in said(run(app))


def test_what_a_rehearsal_says_is_the_average_and_the_range_of_the_loss():
    rehearsed = rehearsal.Rehearsed((0.82, 0.80, 0.84), (0.80, 0.802, 0.83))
    assert look_step._rehearsal_sentence(rehearsed) == (
        "Of made-up records 82.0 % are told right without noise, 81.1 % with it. These are "
        "averages over 3 made-up tables, on which the noise costs −0.2 to 2.0 points."
    )


def test_a_twin_has_its_price_is_paid_once_and_leads_to_train_plan_and_explore():
    app = opened(release_look="At a private twin")
    assert steps(app)[2] == "to do: make the twin, or look in another way"
    assert steps(app)[4] == "not possible yet: step 3 comes first"
    assert "This costs ε = 0.5 of the 3 left (δ = 1e-5, zero-out, Gaussian DP)" in said(app)
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
    assert steps(app)[3] == "done: ε = 1 of the 2 left (δ = 1e-5, zero-out, Gaussian DP)"
    made = account.twins.latest
    assert read_own(made.released.columns, made.files["twin.csv"], "twin.csv").records == 3_000
    assert len(app.get("download_button")) == 3
    (another,) = (each for each in app.button if each.label == "Make another twin")
    assert not another.disabled
    app.button(key="train twin").click()
    run(app)
    assert app.title[0].value == "What does privacy do to a network?"
    assert any("twin.npz: made-up records" in caption.value for caption in app.caption)
    assert [note.value for note in app.info] == [texts.OF_A_TWIN]
    assert not app.warning
    assert any("Tell what the file's labels say" in caption.value for caption in app.caption)
    app.button(key="drop_made_features").click()
    assert not any("made-up records" in caption.value for caption in run(app).caption)
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


def test_a_stand_in_leads_to_train():
    app = opened()
    assert not [button for button in app.button if button.key == "plan standin"]
    app.button(key="train standin").click()
    assert [note.value for note in run(app).info] == [texts.OF_A_STAND_IN]
    assert any("standin.npz: made-up records" in caption.value for caption in app.caption)


def test_a_stand_in_leads_to_explore():
    app = opened()
    assert steps(app)[2].startswith("optional")
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
    assert app.query_params["own_columns"] == app.text_area(key="own_columns").value
    assert not app.checkbox(key="release_one_row").value
    assert steps(app)[1] == "to do: say what one person is"
    app.checkbox(key="release_one_row").check()
    assert steps(run(app))[1].startswith("done: one row is one person")
    assert steps(run(app))[1].startswith("done: one row is one person")


def test_no_link_to_explore_says_what_one_person_is():
    app = AppTest.from_file(APP, default_timeout=SECONDS)
    app.query_params["data"], app.query_params["own_columns"] = "Your own table", COLUMNS
    assert described(run(app)) == read(COLUMNS)
    app.switch_page("release/release.py")
    app.query_params.clear()
    run(app).button_group(key="release_table").set_value("own")
    assert described(run(app)) == read(COLUMNS.partition("public\n")[2])
    assert steps(app)[1] == "to do: say what one person is"


@pytest.mark.usefixtures("uploads_in_one_process")
def test_a_stand_in_of_ones_own_table_leads_to_explore_and_back():
    mine = COLUMNS.replace("one row each", "ignored, at most 3 rows")
    app = opened(release_table=OWN)
    app.text_area(key="own_columns").set_value(mine)
    app.file_uploader(key="upload_own").upload("mine.csv", data())
    before = steps(run(app))[:2]
    assert before[0] == "done: 1 persons of 'mine.csv'"
    app.button(key="explore standin").click()
    # What would be a formula is none, and nothing is said of persons.
    harmless = COLUMNS.partition("public\n")[2].replace("=yes", "’=yes")
    assert read(assert_explored(app, "standin.csv", 1_000)) == read(harmless)
    app.switch_page("release/release.py")
    run(app).button_group(key="release_table").set_value("own")
    assert steps(run(app))[:2] == before
    assert described(app) == read(mine)


def assert_explored(app, name, records):
    """Explore shows made-up records, of which nothing warns; what stands there of their columns."""
    app.run()
    assert not app.exception
    assert app.title[0].value == "What does privacy cost?"
    assert f"Your own table · {records:,} records" in below_title(app)
    handed_over = f"{name}: made-up records"
    assert any(handed_over in caption.value for caption in app.caption)
    assert not app.warning
    assert [note.value for note in app.info] in ([texts.OF_A_STAND_IN], [texts.OF_A_TWIN])
    shown = str(app.text_area(key="own_columns").value)
    app.button(key="drop_made_file").click()
    run(app)
    assert app.session_state["_kept_made file"] is None
    assert not any(handed_over in caption.value for caption in app.caption)
    return shown


def test_the_sectors_are_the_registrys():
    assert set(SECTOR.kind.options()) == set(CHOICES["data_product_sector"])


def test_a_network_is_a_choice_that_is_priced_and_released():
    app = opened(release_loss="Network")
    assert app.button_group(key="release_loss").value == "network"
    assert "did as well as a network" in said(app)
    assert steps(app)[3] == "done: ε = 1 of the 3 left (δ = 1e-5, zero-out, Gaussian DP)"
    pressed(app)
    until(lambda: steps(app)[-1].startswith("done"), app)
    made = attempts(app).latest
    assert made is not None
    model = ReleasedModel.from_json(made.files["model.json"].decode())
    assert model.hidden > 0
    assert "**: Network, numbers as straight lines, risks corrected." in said(app)
    assert len(model.weights) == model.scorer.parameters
    ledger = app.session_state["_kept_release account"].ledger
    assert check(made.files["certificate.yaml"].decode(), ledger, model).problems == ()


@pytest.mark.parametrize(("epsilon", "corrects"), [("0.01", False), ("1", True)])
def test_risks_that_the_rule_leaves_as_trained_are_no_choice(epsilon, corrects):
    app = opened(release_epsilon=epsilon)
    assert ("release_risks" in {each.key for each in app.button_group}) == corrects
    assert (texts.TOO_FEW in said(app)) == (not corrects)
    assert steps(app)[3].startswith(f"done: ε = {epsilon} of the 3 left")


def test_scores_are_released_without_a_word_of_risks():
    app = opened(release_loss="Huber SVM")
    pressed(app)
    until(lambda: steps(app)[-1].startswith("done"), app)
    assert "**: Huber SVM, numbers as straight lines." in said(app)


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
