"""The panel on what ε means: its numbers are the package's, and whose ε it uses is said."""

from dataclasses import replace

import pytest

from dpcore.accounting import tradeoff
from dpcore.accounting.paper_003 import preset
from dpcore.accounting.planner import spent
from dpcore.accounting.risk import RIGHT_GUESSES, odds, right_of_100
from dpcore.controls.plan import CONTROLS, values
from dpcore.datasets import Preparation, load, prepare
from dpcore.erm.method import noise_advantage, privacy_curve
from dpcore.evaluation.study import Study, calibrations_for, problem_for
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.questions.cost import figure
from dpcore.words import at_most, percent_at_most
from tests.pages.explored import at, only_methods, readings, sentence
from tests.pages.shown import charts, numbers, open_page, picture
from tests.pages.shown import said_with_notes as spoken
from tests.pages.waiting import until

pytestmark = [
    pytest.mark.usefixtures("alone", "jobs_at_once"),
    pytest.mark.slow("runs whole pages"),
]

BELIEF, EDGE = "Belief after an alarm", "Hits less false alarms"


FIRST = {
    **{"data": "Breast cancer (Wisconsin)", "methods": "OPERA", "focus": "OPERA"},
    **{"meaning": "true"},
}


def opened(**link):
    app = at(FIRST | link)
    assert not app.error
    return app


def attackers(app):
    """What the picture says of a hundred who guess."""
    shown = picture(app)
    return shown["guesses"]["sentences"][shown["stop"]]


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


@pytest.mark.parametrize(
    ("link", "prior", "rate"),
    [({}, 0.5, 0.01), ({"prior": "10", "alarms": "0.1 %"}, 0.1, 0.001)],
    ids=["first", "linked"],
)
def test_the_numbers_are_those_of_the_package(link, prior, rate):
    app = opened(**link)
    exact, bound = expected(calibrated("opera", 1.0), prior, rate)
    shown = numbers(app)
    assert shown[RIGHT_GUESSES] == f"{right_of_100(exact.advantage)} of 100"
    assert readings(app)[figure.RIGHT_GUESSES] == shown[RIGHT_GUESSES]
    assert right_of_100(exact.advantage) < right_of_100(bound.advantage)
    assert f"{right_of_100(bound.advantage)} from ε and δ alone" in spoken(app)
    assert shown[EDGE] == percent_at_most(exact.advantage)
    assert shown[f"Hits at {'1' if rate == 0.01 else '0.1'} %"] == percent_at_most(
        exact.true_positive_rate
    )
    assert shown[BELIEF] == percent_at_most(exact.belief)
    assert f"{percent_at_most(bound.belief)} from ε and δ alone" in spoken(app)
    assert "attacker_figure" in charts(app)
    consent, ethics = copied(app)
    assert f"at most {right_of_100(exact.advantage)} of them are right" in consent
    for part in ("ε = 1 ", "δ = 10⁻⁵", "n = 455", "OPERA (sound edition)"):
        assert part in ethics
    # The controls move the answer.
    app.slider(key="prior").set_value(20).run()
    exact, _ = expected(calibrated("opera", 1.0), 0.2, rate)
    assert numbers(app)[BELIEF] == percent_at_most(exact.belief)
    closed = opened(**link | {"meaning": "false"})
    assert "attacker_figure" not in charts(closed)
    assert BELIEF not in numbers(closed)


@pytest.mark.parametrize(
    ("title", "key", "says"),
    [
        ("One record blanked out", "zero-out", "you are in the data"),
        ("One record replaced", "replace-one", "a record is yours"),
    ],
)
def test_every_word_follows_the_adjacency(title, key, says):
    app = opened(adjacency=title, delta="1e-6")
    other = {"you are in the data", "a record is yours"} - {says}
    consent, ethics = copied(app)
    assert says in app.slider(key="prior").label
    assert says in consent
    assert f"Adjacency: {key}." in ethics
    texts = (spoken(app), consent, ethics, app.slider(key="prior").label)
    assert not any(phrase in text for text in texts for phrase in other)


def test_an_epsilon_that_is_not_proved_gives_way_to_the_certified_one():
    app = opened(edition="As in the paper", methods="OutPert", focus="OutPert", epsilon="3")
    calibration = calibrated("outpert", 3.0, edition="published")
    certified = calibration.certified.epsilon
    assert calibration.proof.epsilon is None
    assert certified is not None
    assert f"is ε = {at_most(certified)}: δ = 10⁻⁵ · zero-out · " in spoken(app)
    budget = PrivacyBudget(certified, 1e-5)
    right = odds(budget, Adjacency.ZERO_OUT, noise_advantage(calibration)).right
    assert f"at most {right} are right" in attackers(app)
    assert f"better than {right} of 100" in sentence(app)
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
    assert right < alone - 25
    assert f"at most {right} are right. Without the release it would be 50." in attackers(app)
    assert readings(app)[figure.RIGHT_GUESSES] == f"{right} of 100"
    assert numbers(app)[RIGHT_GUESSES] == f"{right} of 100"
    # What ε and δ alone allow stands in the open panel.
    assert spoken(app).count(f"{alone} from ε and δ alone") == 1
    assert f"{alone} of 100" not in spoken(app)


def test_where_nothing_holds_it_says_no_bound():
    app = opened(scaling="By the data's own range (leaks)")
    assert "all may be right: nothing is promised" in attackers(app)
    assert "no bound holds" in spoken(app)
    assert BELIEF not in numbers(app)
    assert not [block for block in app.code if "guard" in block.value]


CHEXPERT = {
    key: str(CONTROLS[key].text(value))
    for key, value in values(preset("chexpert").training).items()
    if value != CONTROLS[key].default
}


def planned(**link):
    """Plan with the panel open, once nothing is certified in the background any more."""
    app = open_page("plan", question="One run", plan_view="Risk", meaning="true", **link)
    until(lambda: BELIEF in numbers(app) and "being computed" not in spoken(app), app)
    return app.run()


@pytest.mark.parametrize("sampling", ["poisson", "fixed"])
def test_plan_states_what_its_run_means_by_the_whole_curve(sampling):
    run, link = preset("chexpert").training, CHEXPERT
    if sampling == "fixed":
        run = replace(run, sampling="fixed", adjacency=Adjacency.REPLACE_ONE)
        link = link | {"sampling": "Batches of fixed size", "neighbour": "One record replaced"}
    app = planned(prior="20", **link)
    epsilon = spent(run, "pld").epsilon
    assert epsilon is not None
    curve = tradeoff.from_event(run.event(), run.adjacency)
    right = right_of_100(tradeoff.advantage(curve))
    assert right < odds(PrivacyBudget(epsilon, run.delta), run.adjacency).right
    assert f"at most {right} are right" in spoken(app)
    assert numbers(app)[RIGHT_GUESSES] == f"{right} of 100"
    exact = tradeoff.attacker(curve, 0.2, 0.01)
    bound = tradeoff.from_budget(epsilon, run.delta, run.adjacency)
    assert numbers(app)[BELIEF] == percent_at_most(exact.belief)
    assert exact.belief < tradeoff.posterior(bound, 0.2, 0.01)
    assert f"Adjacency: {run.adjacency}." in copied(app)[1]


def test_train_states_what_its_run_means_by_the_whole_curve():
    """ε = 3 alone allows 96 of 100, the noise of the first screen 64."""
    app = open_page("train", **{"meaning": "true"})
    until(lambda: RIGHT_GUESSES in numbers(app) and "being computed" not in spoken(app), app)
    assert numbers(app)[RIGHT_GUESSES] == "64 of 100"
    assert "at most 64 are right" in spoken(app)
    assert spoken(app).count("96 from ε and δ alone") == 1
