"""Learn: a guess comes first, the curve after it, and a link gives everybody the same."""

import json
import math

import pytest

from dpcore.controls.learn import CHANGES
from dpcore.lessons import LESSONS, on_counts
from dpcore.lessons import randomised_response as response
from pages.learn import controls
from pages.learn.classes import OpenClasses
from tests.pages.shown import charts, open_page, run, said

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]


def shown(app):
    app.button(key="learn_show").click()
    return run(app)


def names(app):
    """The series of the lesson's chart."""
    (chart,) = app.get("plotly_chart")
    return [trace.get("name") for trace in json.loads(chart.proto.spec)["data"]]


def test_sliders_that_nobody_moved_are_no_guess():
    app = open_page("learn")
    assert names(app) == []
    assert names(shown(app)) == ["right guesses"]
    assert "away on average" not in said(app)
    app.button(key="learn_again").click()
    app = run(app)
    app.slider[1].set_value(60)
    app = shown(run(app))
    # The two that nobody moved do not count in the mean.
    truth = on_counts.why_noise_curve().set_index("x")["value"][LESSONS[0].points[1]]
    assert f"{truth - 60:.1f} of 100 away on average" in said(app)


def test_a_change_stands_beside_the_first_curve():
    app = shown(open_page("learn"))
    app.button_group(key="learn_known").set_value(50)
    app = run(app)
    assert names(app) == ["right guesses", "after your change"]


def test_no_guess_is_in_the_address_and_it_stays_while_others_are_looked_at():
    app = open_page("learn")
    app.slider[0].set_value(60)
    app = shown(run(app))
    assert not [name for name in app.query_params if "guess" in name]
    app.button(key="learn_next").click()
    assert run(app).title[0].value.startswith("2.")
    app.selectbox(key="lesson").set_value("1")
    assert "your guess" in names(run(app))
    assert "right guesses" in names(app)
    app.button(key="learn_again").click()
    assert names(run(app)) == []


def test_a_presenter_has_one_button_and_the_guess_or_one_change():
    app = open_page("learn", lesson="6", presenter="true")
    assert {button.key for button in app.button} == {"learn_show", "learn_open"}
    app.slider[0].set_value(5)
    app = shown(run(app))
    assert not app.slider
    assert {button.key for button in app.button} == {"learn_next", "learn_open"}
    drawn = {widget.key for widget in (*app.selectbox, *app.button_group)}
    assert {each.key for each in CHANGES} & drawn == {"learn_group"}
    assert {LESSONS[5].series, "your guess"} <= set(names(app))


def test_what_is_attacked_is_the_paper_s_noise_whatever_is_drawn():
    app = shown(open_page("learn", lesson="5"))
    for head in ("**Claim**", "**Proof**", "**Attack**", "Certified ε = ", "No number"):
        assert head in said(app)
    app.button_group(key="learn_edition").set_value("sound")
    assert "after your change" in names(run(app))
    assert "The claim is refuted" in said(app)


@pytest.fixture
def room(monkeypatch):
    """A presenter with an open class, and its code."""
    fresh = OpenClasses()
    monkeypatch.setattr(controls, "CLASSES", fresh)
    app = open_page("learn")
    app.button(key="learn_open").click()
    app = run(app)
    return app, app.text_input(key="class_code").value


def test_guesses_of_phones_come_to_the_presenter_and_the_curve_to_the_phones(room):
    host, code = room
    phone = open_page("learn", class_code=code)
    assert "hour after" in said(phone)
    assert phone.button(key="learn_show").disabled
    phone.slider[0].set_value(60)
    phone = run(phone)
    phone.button(key="learn_show").click()
    phone = run(phone)
    assert names(phone) == ["your guess"]
    host = run(host)
    assert names(host) == ["guesses of the class"]
    assert "1 phone has guessed" in said(host)
    host = shown(host)
    assert names(host) == ["right guesses", "guesses of the class"]
    phone = run(phone)
    assert names(phone) == ["right guesses", "your guess"]
    assert not {"learn_next", "learn_again"} & {button.key for button in phone.button}
    host.button(key="learn_next").click()
    assert names(run(host)) == []
    assert run(phone).title[0].value.startswith("2.")


def test_a_forged_guess_is_left_out(room):
    host, code = room
    choice = controls.LearnChoice(1, 0, False, False, controls.seen(code), "")
    controls.reveal(choice, {0.0: math.nan, 1.0: 1e300, 4.0: 60.0})
    assert controls.seen(code).guesses == ({4.0: 60.0},)
    assert names(run(host)) == ["guesses of the class"]


def test_a_wrong_code_is_refused_in_one_sentence_and_an_ended_class_is_none(room):
    wrong = open_page("learn", class_code="a*b")
    assert [each.value for each in wrong.warning] == [
        "No class has the code “AB”: it is mistyped, or it has ended."
    ]
    host, code = room
    phone = open_page("learn", class_code=code.lower())
    assert not phone.warning
    host.button(key="learn_end").click()
    run(host)
    assert code in run(phone).warning[0].value


def test_one_person_alone_is_counted_with_a_made_up_class():
    app = open_page("learn", lesson="7")
    assert "lesson_answers" not in charts(app)
    sent = controls.SentAnswer(True, CHANGES["learn_coin"].default)
    app.session_state["_kept_learn answer"] = sent
    app = run(app)
    assert "lesson_answers" in charts(app)
    yes = 1 + response.made_up(0, sent.epsilon)
    assert f"{yes} of 100 answers came in as Yes" in said(app)
    assert "99 of the 100 people are made up" in said(app)
    # What was sent stays with the coin that sent it.
    app.button_group(key="learn_coin").set_value(CHANGES["learn_coin"].kind.values[3])
    assert f"{yes} of 100 answers came in as Yes" in said(run(app))
