"""Learn: a guess comes first, the curve after it, and a link gives everybody the same."""

import json

import pytest

from dpcore.controls.learn import CHANGES
from dpcore.lessons import LESSONS, size, why_noise
from tests.pages.shown import open_page

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]


def opened(**link):
    app = open_page("learn", **link)
    assert not app.exception
    return app


def run(app):
    app.run()
    assert not app.exception
    assert not app.error
    return app


def shown(app):
    app.button(key="learn_show").click()
    return run(app)


def spoken(app):
    return " ".join(element.value for element in (*app.markdown, *app.caption, *app.warning))


def names(app):
    """The series of the lesson's chart."""
    (chart,) = app.get("plotly_chart")
    return [trace.get("name") for trace in json.loads(chart.proto.spec)["data"]]


def test_before_the_guess_the_chart_is_empty():
    app = opened()
    titles = [f"{number}. {each.title}" for number, each in enumerate(LESSONS, 1)]
    assert app.selectbox(key="lesson").options == titles
    assert app.title[0].value == titles[0] == "1. Why noise?"
    assert names(app) == []
    assert "one left in the middle is no guess" in spoken(app)
    assert "ε =" not in spoken(app)
    controls = [*app.slider, *app.button, *app.selectbox, *app.number_input, *app.toggle]
    assert 4 <= len(controls) <= 8


@pytest.mark.parametrize("number", [1, 2, 4, 6])
def test_the_curve_comes_with_the_distance_of_the_guess(number):
    lesson = LESSONS[number - 1]
    app = opened(lesson=str(number))
    app.slider[0].set_value(lesson.limits[1])
    app = shown(run(app))
    assert lesson.series in names(app)
    assert "your guess" in names(app)
    assert "guess" in spoken(app)
    assert "δ = " in spoken(app)
    assert "zero-out" in spoken(app)
    assert "Balle" in spoken(app) or "Laplace" in spoken(app) or "Gaussian" in spoken(app)


def test_sliders_that_nobody_moved_are_no_guess():
    app = shown(opened())
    assert names(app) == ["right guesses"]
    assert "No slider was moved: no guess." in spoken(app)
    assert "off by" not in spoken(app)
    app.button(key="learn_again").click()
    app = run(app)
    app.slider[1].set_value(60)
    app = shown(run(app))
    # The two that nobody moved do not count in the mean.
    truth = why_noise.curve().set_index("x")["value"][LESSONS[0].points[1]]
    assert f"off by {truth - 60:.1f} of 100 on average" in spoken(app)


def test_the_distance_is_that_of_the_guess():
    app = opened()
    values = why_noise.curve().set_index("x")["value"]
    for slider, x in zip(app.slider, LESSONS[0].points, strict=True):
        slider.set_value(round(values[x]))
    assert "Well guessed" in spoken(shown(run(app)))


def test_a_change_stands_beside_the_first_curve():
    app = shown(opened())
    app.button_group(key="learn_known").set_value(50)
    app = run(app)
    assert names(app) == ["right guesses", "after your change"]
    assert "After your change it is" in spoken(app)


def test_no_guess_is_in_the_address_and_it_stays_while_others_are_looked_at():
    app = opened()
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


def test_a_class_sees_one_lesson_with_one_seed():
    app = opened(lesson="3", seed="7", **{"class": "true"})
    assert app.title[0].value.startswith("3.")
    assert not app.warning
    assert app.selectbox(key="lesson").disabled
    assert app.number_input(key="seed").disabled
    assert "seed 7" in spoken(app)
    app.slider[2].set_value(100)
    app = shown(run(app))
    assert size.LESSON.beside_explore in spoken(app)
    with pytest.raises(KeyError):
        app.button(key="learn_next")
    row = size.curve(seed=7).set_index("x").loc[10_000.0].iloc[0]
    assert f"{row['value']:.1f}".rstrip("0").rstrip(".") in spoken(app)


def test_a_presenter_has_one_button_and_the_guess_or_one_change():
    app = opened(lesson="6", presenter="true")
    assert len(app.slider) == len(LESSONS[5].points)
    assert [button.key for button in app.button] == ["learn_show"]
    app.slider[0].set_value(5)
    app = shown(run(app))
    assert not app.slider
    assert [button.key for button in app.button] == ["learn_again"]
    drawn = {widget.key for widget in (*app.selectbox, *app.button_group)}
    assert {each.key for each in CHANGES} & drawn == {"learn_group"}
    assert "your guess" in names(app)
    assert "**Attack**" in spoken(shown(opened(lesson="5", presenter="true")))


def test_what_is_attacked_is_the_paper_s_noise_whatever_is_drawn():
    app = shown(opened(lesson="5"))
    for head in ("**Claim**", "**Proof**", "**Attack**", "Certified ε = ", "No number"):
        assert head in spoken(app)
    assert "The claim is refuted" in spoken(app)
    app.button_group(key="learn_edition").set_value("sound")
    app = run(app)
    assert "after your change" in names(app)
    assert "The claim is refuted" in spoken(app)
    assert "for the noise as in the paper, whatever edition the picture shows." in spoken(app)


def test_what_a_link_asks_for_and_is_not_there_is_refused():
    app = opened(lesson="9", learn_known="12", guess="4")
    text = spoken(app)
    assert "the lesson “9”" in text
    assert "the setting “guess”" in text
    assert app.title[0].value.startswith("1.")
