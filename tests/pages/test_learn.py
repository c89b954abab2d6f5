"""Learn: a guess comes first, the curve after it, and a link gives everybody the same."""

import json

import pytest

from dpcore.controls.learn import CHANGES
from dpcore.lessons import LESSONS, why_noise
from tests.pages.shown import open_page, run, said

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
    assert "off by" not in said(app)
    app.button(key="learn_again").click()
    app = run(app)
    app.slider[1].set_value(60)
    app = shown(run(app))
    # The two that nobody moved do not count in the mean.
    truth = why_noise.curve().set_index("x")["value"][LESSONS[0].points[1]]
    assert f"off by {truth - 60:.1f} of 100 on average" in said(app)


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
    assert [button.key for button in app.button] == ["learn_show"]
    app.slider[0].set_value(5)
    app = shown(run(app))
    assert not app.slider
    assert [button.key for button in app.button] == ["learn_again"]
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
