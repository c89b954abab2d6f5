"""The panel on what ε means: its numbers are the package's, and whose ε it uses is said."""

import json
import time
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import cli
from dpcore.accounting import tradeoff
from dpcore.accounting.planner import spent
from dpcore.accounting.presets import preset
from dpcore.accounting.risk import odds, right_of_100
from dpcore.controls.plan import CONTROLS, values
from dpcore.datasets import Preparation, load, prepare
from dpcore.erm.privacy_curve import noise_advantage, privacy_curve
from dpcore.evaluation.study import Study, calibrations_for, problem_for
from dpcore.figures.words import at_most, percent_at_most
from dpcore.guarantee import Adjacency, PrivacyBudget
from pages.shared.texts import RIGHT_GUESSES
from tests.pages.explored import only_methods
from tests.pages.shown import APP, numbers, open_page
from tests.pages.shown import said_with_notes as spoken
from tests.pages.waiting import until

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]

BELIEF, EDGE = "Belief after an alarm", "Hits less false alarms"


FIRST = {
    **{"data": "Breast cancer (Wisconsin)", "methods": "OPERA", "focus": "OPERA"},
    **{"meaning": "true"},
}


def opened(**link):
    app = open_page("explore", **(FIRST | link))
    assert not app.exception
    assert not app.error
    return app


def copied(app):
    """The consent text and the ethics text."""
    texts = [block.value for block in app.code]
    (consent,) = [text for text in texts if text.startswith("How we guard")]
    (ethics,) = [text for text in texts if text.startswith("Privacy of the published")]
    return consent, ethics


def calibrated(method, epsilon, **study):
    noun = Study(methods=(method,), epsilons=(epsilon,), delta=1e-5, **study)  # type: ignore[arg-type]
    problem = problem_for(noun, prepare(load("breast_cancer"), Preparation()))
    return calibrations_for(noun, problem, 1e-5)[method][0]


def expected(calibration, prior, rate):
    """From the noise itself, and from (ε, δ) alone."""
    curve = privacy_curve(calibration)
    held = calibration.proof if calibration.proof.epsilon is not None else calibration.certified
    assert curve is not None
    assert held.epsilon is not None
    point = tradeoff.from_budget(held.epsilon, 1e-5, held.adjacency)
    return tradeoff.attacker(curve, prior, rate), tradeoff.attacker(point, prior, rate)


def test_nothing_is_computed_while_it_is_closed():
    app = opened(meaning="false")
    assert "attacker_figure" not in {chart.key for chart in app.get("plotly_chart")}
    assert BELIEF not in numbers(app)
    assert not app.code or all("guard" not in block.value for block in app.code)


@pytest.mark.parametrize(
    ("link", "prior", "rate"),
    [({}, 0.5, 0.01), ({"prior": "10", "alarms": "0.1 %"}, 0.1, 0.001)],
    ids=["first", "linked"],
)
def test_the_numbers_are_those_of_the_package(link, prior, rate):
    app = opened(**link)
    exact, bound = expected(calibrated("opera", 1.0), prior, rate)
    shown = numbers(app)
    # The line of numbers has the same.
    right = [metric.value for metric in app.metric if metric.label == RIGHT_GUESSES]
    assert right == 2 * [f"{right_of_100(exact.advantage)} of 100"]
    assert right_of_100(exact.advantage) < right_of_100(bound.advantage)
    assert f"{right_of_100(bound.advantage)} from ε and δ alone" in spoken(app)
    assert shown[EDGE] == percent_at_most(exact.advantage)
    assert shown[f"Hits at {'1' if rate == 0.01 else '0.1'} %"] == percent_at_most(
        exact.true_positive_rate
    )
    assert shown[BELIEF] == percent_at_most(exact.belief)
    assert f"{percent_at_most(bound.belief)} from ε and δ alone" in spoken(app)
    assert f"at most **{percent_at_most(exact.belief)}** sure" in spoken(app)
    assert "attacker_figure" in {chart.key for chart in app.get("plotly_chart")}


@pytest.mark.parametrize(
    ("title", "key", "says"),
    [
        ("One record blanked out", "zero-out", "you are in the data"),
        ("One record replaced", "replace-one", "a record is yours"),
    ],
)
def test_every_word_follows_the_adjacency(title, key, says):
    app = opened(adjacency=title, delta="1e-6")
    (head,) = [head for head in app.subheader if "means for one person" in head.value]
    assert all(part in head.proto.help for part in ("ε = 1", "δ = 1e-6", key))
    other = {"you are in the data", "a record is yours"} - {says}
    consent, ethics = copied(app)
    assert says in app.slider(key="prior").label
    assert says in consent
    assert f"Adjacency: {key}." in ethics
    texts = (spoken(app), consent, ethics, app.slider(key="prior").label)
    assert not any(phrase in text for text in texts for phrase in other)


def test_the_texts_to_copy_hold_the_numbers():
    app = opened(epsilon="0.5")
    consent, ethics = copied(app)
    calibration = calibrated("opera", 0.5)
    exact, _ = expected(calibration, 0.5, 0.01)
    right = right_of_100(exact.advantage)
    assert right < odds(PrivacyBudget(0.5, 1e-5), Adjacency.ZERO_OUT).right
    assert f"at most {right} of them are right" in consent
    assert f"at most {right} are right on average" in ethics
    for part in ("ε = 0.5 ", "δ = 1e-5", "n = 455", "OPERA (sound edition)", calibration.proof.by):
        assert part in ethics


def test_the_command_to_take_along_gives_the_numbers_on_screen(capsys):
    app = opened(prior="20", alarms="10 %", adjacency="One record blanked out", epsilon="0.7")
    (line,) = [block.value for block in app.code if "dpcore risk" in block.value]
    assert cli.main([*line.split()[3:], "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["adjacency"] == "zero-out"
    _, bound = expected(calibrated("opera", 0.7, adjacency="zero-out"), 0.2, 0.1)
    assert answer["from_budget"]["posterior"] == bound.belief
    assert answer["from_budget"]["tpr"] == bound.true_positive_rate
    assert f"{percent_at_most(bound.belief)} from ε and δ alone" in spoken(app)


def test_an_epsilon_that_is_not_proved_gives_way_to_the_certified_one():
    app = opened(edition="As in the paper", methods="OutPert", focus="OutPert", epsilon="3")
    calibration = calibrated("outpert", 3.0, edition="published")
    certified = calibration.certified.epsilon
    assert calibration.proof.epsilon is None
    assert certified is not None
    said = spoken(app)
    assert "The ε asked of OutPert (published edition) is not proved." in said
    assert f"is ε = {at_most(certified)}: δ = 1e-5 · zero-out · " in said
    budget = PrivacyBudget(certified, 1e-5)
    right = odds(budget, Adjacency.ZERO_OUT, noise_advantage(calibration)).right
    # On the card as well, whose dots are those of the ε that holds.
    held = f"its noise is certified for ε = {at_most(certified)}."
    assert f"For OutPert, ε = 3 is not proved here; {held}" in said
    assert f"at most {right} are right" in said
    consent, ethics = copied(app)
    exact, _ = expected(calibration, 0.5, 0.01)
    assert f"at most {right_of_100(exact.advantage)} of them are right" in consent
    assert "Not proved by the method's own theorem" in ethics
    assert numbers(app)[BELIEF] == percent_at_most(exact.belief)


@pytest.mark.parametrize("method", ["opera", "grpua"])
def test_card_and_panel_name_what_the_method_s_own_noise_allows(method, monkeypatch):
    """Also of noise on sampled batches, of which no μ tells all."""
    calibration = calibrated(method, 3.0)
    exact, bound = expected(calibration, 0.5, 0.01)
    right, alone = right_of_100(exact.advantage), right_of_100(bound.advantage)
    only_methods(monkeypatch, method)
    link = {"epsilon": "3", "methods": calibration.title, "focus": calibration.title}
    app = opened(**link)
    until(lambda: "is being trained" not in spoken(app), app)
    said = spoken(app)
    assert right < alone - 25
    assert f"at most {right} are right. Without the release it would be 50." in said
    assert f"By {calibration.title}'s own noise." in said
    shown = [metric.value for metric in app.metric if metric.label == RIGHT_GUESSES]
    assert shown == 2 * [f"{right} of 100"]
    # What ε and δ alone allow stands in the open panel, and nowhere else.
    assert said.count(f"{alone} from ε and δ alone") == 1
    assert f"{alone} of 100" not in said
    assert f"{alone} from" not in spoken(opened(**link, meaning="false"))


def test_where_nothing_holds_it_says_no_bound_and_offers_no_words():
    app = opened(scaling="By the data's own range (leaks)")
    assert "**No bound.** Nothing here limits what someone could find out" in spoken(app)
    assert "For OPERA, ε = 1 is not proved here, and no bound holds." in spoken(app)
    assert "all may be right: nothing is promised to one person" in spoken(app)
    assert BELIEF not in numbers(app)
    assert not [block for block in app.code if "guard" in block.value]


def test_without_a_method_it_speaks_of_any():
    # No method is proved: the best one is none.
    app = opened(scaling="By the data's own range (leaks)", focus="The best proved method")
    assert "For any method that keeps ε = 1: δ = 1e-5 · zero-out" in spoken(app)
    assert "Assumed here: name the method and its proof" in copied(app)[1]
    bound = tradeoff.from_budget(1.0, 1e-5, Adjacency.ZERO_OUT)
    actual = tradeoff.attacker(bound, 0.5, 0.01)
    assert numbers(app)[BELIEF] == percent_at_most(actual.belief)
    assert "the worst method with them" in spoken(app)
    assert "from ε and δ alone" not in spoken(app)


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [("0.001", " 50 by guessing; "), ("1", "at most; 50 by "), ("100", "possibly; 50 by ")],
)
def test_a_number_that_bounds_nothing_is_not_called_a_bound(epsilon, words):
    said = f" {spoken(opened(epsilon=epsilon))}"
    assert words in said
    assert said.count("at most; 50 by ") == (epsilon == "1")


def test_the_controls_move_the_answer():
    app = opened()
    app.slider(key="prior").set_value(20).run()
    assert not app.exception
    exact, _ = expected(calibrated("opera", 1.0), 0.2, 0.01)
    assert numbers(app)[BELIEF] == percent_at_most(exact.belief)
    app.segmented_control(key="alarms").set_value(0.1).run()
    assert not app.exception
    exact, _ = expected(calibrated("opera", 1.0), 0.2, 0.1)
    assert numbers(app)[BELIEF] == percent_at_most(exact.belief)


@pytest.mark.parametrize(
    "link",
    [
        {"prior": "0", "alarms": "5 %"},
        {"prior": "100", "alarms": "nan"},
        {"prior": "<b>", "meaning": "perhaps"},
    ],
    ids=lambda link: " ".join(map(str, link.items())),
)
def test_a_hostile_link_is_said_and_the_panel_uses_what_is_usual(link):
    app = opened(**link)
    (warning,) = app.warning
    assert warning.value.startswith("The link asks for")
    assert max(1, warning.value.count("\n- ")) == len(link)
    assert not set(link) & set(app.query_params)
    if "meaning" not in link:
        assert app.slider(key="prior").value == 50
        exact, _ = expected(calibrated("opera", 1.0), 0.5, 0.01)
        assert numbers(app)[BELIEF] == percent_at_most(exact.belief)


CHEXPERT = {
    key: str(CONTROLS[key].text(value))
    for key, value in values(preset("chexpert").training).items()
    if value != CONTROLS[key].default
}


def planned(**link):
    """Plan with the panel open, once nothing is certified in the background any more."""
    app = open_page("plan", question="One run in detail", meaning="true", **link)
    deadline = time.monotonic() + 180.0
    while "…" in numbers(app).values() and time.monotonic() < deadline:
        time.sleep(0.1)
        app.run()
    assert not app.exception
    return app.run()


def test_plan_states_what_its_run_means_by_the_whole_curve():
    run = preset("chexpert").training
    app = planned(prior="20", **CHEXPERT)
    epsilon = spent(run, "pld").epsilon
    assert epsilon is not None
    by_noise = tradeoff.advantage(tradeoff.from_event(run.event(), run.adjacency))
    right = right_of_100(by_noise)
    assert right < odds(PrivacyBudget(epsilon, run.delta), run.adjacency).right
    assert f"at most {right} are right" in spoken(app)
    assert [metric.value for metric in app.metric if metric.label == RIGHT_GUESSES] == [
        f"{right} of 100"
    ]
    assert "people_figure" in {chart.key.removeprefix("plan_") for chart in app.get("plotly_chart")}
    assert f"ε = {at_most(epsilon)} is proved for this training run" in spoken(app)
    exact = tradeoff.attacker(tradeoff.from_event(run.event(), run.adjacency), 0.2, 0.01)
    bound = tradeoff.from_budget(epsilon, run.delta, run.adjacency)
    assert numbers(app)[BELIEF] == percent_at_most(exact.belief)
    assert exact.belief < tradeoff.posterior(bound, 0.2, 0.01)
    assert "n = 10,000" in copied(app)[1]
    assert "Adjacency: zero-out." in copied(app)[1]


def test_plan_follows_the_whole_curve_for_batches_of_fixed_size():
    run = replace(preset("chexpert").training, sampling="fixed", adjacency=Adjacency.REPLACE_ONE)
    link = {"sampling": "Batches of fixed size", "neighbour": "One record replaced"}
    app = planned(**(CHEXPERT | link))
    epsilon = spent(run, "pld").epsilon
    assert epsilon is not None
    exact = tradeoff.attacker(tradeoff.from_event(run.event(), run.adjacency), 0.5, 0.01)
    bound = tradeoff.from_budget(epsilon, run.delta, run.adjacency)
    assert numbers(app)[BELIEF] == percent_at_most(exact.belief)
    assert exact.belief < tradeoff.posterior(bound, 0.5, 0.01)
    assert "a record is yours" in app.slider(key="prior").label


def test_plan_says_no_bound_where_no_accountant_gives_one():
    app = planned(sampling="Batches of fixed size", neighbour="One record more or less")
    assert "No bound: no accountant here gives a finite ε for this run." in spoken(app)
    assert "**No bound.** Nothing here limits" in spoken(app)
    assert BELIEF not in numbers(app)


def test_plan_refuses_what_the_panel_does_not_offer():
    app = AppTest.from_file(APP, default_timeout=180)
    app.run()
    app.switch_page("plan/plan.py")
    app.query_params["prior"] = "1000"
    app.query_params["alarms"] = "2 %"
    app.run()
    (warning,) = app.warning
    assert "a belief beforehand in % of “1000”" in warning.value
    assert "false alarms of “2" in warning.value
    assert not {"prior", "alarms"} & set(app.query_params)


def test_train_states_what_its_run_means_by_the_whole_curve():
    """ε = 3 alone allows 96 of 100, the noise of the first screen 64."""
    app = open_page("train", **{"meaning": "true"})
    until(lambda: RIGHT_GUESSES in numbers(app) and "being computed" not in spoken(app), app)
    assert numbers(app)[RIGHT_GUESSES] == "64 of 100"
    assert "at most 64 are right" in spoken(app)
    assert spoken(app).count("96 from ε and δ alone") == 1


def test_plan_s_first_run_is_told_by_its_noise():
    """ε and δ alone allow 75 of 100."""
    app = planned()
    assert numbers(app)[RIGHT_GUESSES] == "56 of 100"
    assert "at most 56 are right" in spoken(app)
    assert spoken(app).count("75 from ε and δ alone") == 1
