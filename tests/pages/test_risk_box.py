"""An ε that is said as a risk: by the noise of the page, and refused where there is none."""

import re

import pytest

from tests.pages.shown import open_page, run, said
from tests.pages.waiting import until

pytestmark = [
    pytest.mark.usefixtures("alone_together", "jobs_at_once"),
    pytest.mark.slow("runs whole pages"),
]


def opened_box(page="release", key="release_epsilon", **link):
    app = open_page(page, **link)
    app.session_state[f"{key} as a risk"] = True
    return run(app)


def set_by_button(app, label):
    next(each for each in app.button if each.label == label).click()
    return run(app)


def test_a_release_takes_the_epsilon_of_gaussian_noise_that_keeps_the_risk():
    app = opened_box()
    # 1/μ = 3.98 where 2Φ(μ/2) - 1 = .1; through (.2, 10⁻⁵) it is 16.3.
    assert "up to ε = 0.9317; by ε and δ alone up to ε = 0.2, which takes 4.08 times" in said(app)
    app = set_by_button(app, "Set ε = 0.9317")
    assert app.number_input(key="release_epsilon").value == 0.9317


def test_a_release_takes_members_found_at_a_rate_of_false_alarms():
    app = opened_box()
    app.button_group(key="release_epsilon risk_said_as").set_value("found")
    app = run(app)
    assert "at most 5 of 100 are found at 1 % false alarms up to ε = 2.822" in said(app)
    app.text_input(key="release_epsilon found_of_100").set_value("1")
    assert "found of 100 is 1, but it must be a finite number above 1" in said(run(app), "error")


@pytest.mark.parametrize(
    ("typed", "told"),
    [("50", "right of 100 is 50"), ("x", "right of 100 is 'x'"), ("50.001", "No ε of this box")],
)
def test_a_risk_that_no_epsilon_keeps_is_told(typed, told):
    app = opened_box()
    app.text_input(key="release_epsilon right_of_100").set_value(typed)
    assert told in said(run(app), "error")
    assert not any(each.label.startswith("Set ε") for each in app.button)


def test_a_training_takes_the_epsilon_or_the_epochs_that_keep_the_risk_by_its_own_noise():
    app = opened_box("train", "target_epsilon", passes="8", units="8", repeats="1")
    until(lambda: "epochs keep it" in said(app), app)
    epsilon, alone, times = map(
        float,
        re.search(
            r"up to ε = ([\d.]+); by ε and δ alone up to ε = ([\d.]+), which takes ([\d.]+)",
            said(app),
        ).groups(),
    )
    assert alone == 0.2 < epsilon
    assert times > 2.0
    (label,) = [each.label for each in app.button if "epoch" in each.label]
    epochs, shorter = re.fullmatch(r"Set (\d+) epochs?, ε = ([\d.]+)", label).groups()
    app = set_by_button(app, f"Set ε = {epsilon:g}")
    assert app.number_input(key="target_epsilon").value == epsilon
    app.number_input(key="target_epsilon").set_value(3.0)
    app = set_by_button(run(app), label)
    assert app.number_input(key="passes").value == int(epochs)
    assert app.number_input(key="target_epsilon").value == float(shorter)


def test_a_table_to_describe_takes_the_epsilon_of_its_gaussian_noise():
    app = opened_box("describe", "describe_epsilon", describe_patients="300")
    until(lambda: app.get("bidi_component"), app)
    # The same noise as of a release, at δ = 10⁻⁶ by the rule.
    assert "at most 55 of 100 guess right up to ε = 1.066" in said(app)
    app = set_by_button(app, "Set ε = 1.066")
    assert app.number_input(key="describe_epsilon").value == 1.066
