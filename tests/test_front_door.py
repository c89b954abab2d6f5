"""The front door: lazy documented names, and the numbers of what stands behind them."""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import dpcore
from dpcore import datasets, front
from dpcore.accounting import accountants, planner, risk, tradeoff
from dpcore.accounting.events import TrainingPlan
from dpcore.cli import main
from dpcore.front.stub import stub
from dpcore.guarantee import Adjacency, Guarantee, PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_delta, analytic_epsilon, analytic_sigma

ROOT = Path(__file__).resolve().parents[1]
RUN = dpcore.Run(noise_multiplier=1.1, sampling_rate=0.01, steps=1000)


def command(*words):
    """What a command prints as JSON."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main([*words, "--json"]) in (0, None)
    result: dict[str, object] = json.loads(out.getvalue())
    return result


def test_the_stub_is_that_of_the_names_and_each_is_explained():
    assert (ROOT / "dpcore" / "__init__.pyi").read_text(encoding="utf-8") == stub() + "\n"
    assert all((inspect.getdoc(getattr(dpcore, name)) or "").strip() for name in dpcore.__all__)


def test_one_release_has_the_numbers_of_the_mechanism_and_of_the_command():
    sigma = dpcore.sigma(epsilon=1, delta=1e-5, sensitivity=2)
    assert sigma == analytic_sigma(1.0, 1e-5, 2.0)
    typed = command("sigma", "--epsilon", "1", "--delta", "1e-5", "--sensitivity", "2")
    assert sigma == typed["sigma"]
    epsilon = dpcore.epsilon(4, delta=1e-5)
    assert epsilon == analytic_epsilon(4.0, 1e-5)
    assert epsilon == command("epsilon", "--sigma", "4", "--delta", "1e-5")["epsilon"]
    delta = dpcore.delta(4, epsilon=1)
    assert delta == analytic_delta(1.0, 4.0)
    assert delta == command("delta", "--epsilon", "1", "--sigma", "4")["delta"]


@pytest.mark.parametrize("adjacency", ["zero-out", "replace-one"])
def test_a_run_has_the_numbers_of_the_accountant_and_of_the_command(adjacency):
    run = dpcore.Run(1.1, 0.01, 1000, adjacency)
    result = dpcore.certify(run, 1e-5)
    by_accountant = accountants.certify(run.event(), 1e-5, Adjacency(adjacency), "pld")
    assert replace(result, mu=None) == by_accountant
    assert dpcore.epsilon(run, delta=1e-5) == result.epsilon
    words = ["--sigma", "1.1", "--sampling-rate", "0.01", "--steps", "1000", "--delta", "1e-5"]
    typed = command("epsilon", *words, "--adjacency", adjacency)
    assert typed["epsilon"] == pytest.approx(result.epsilon, rel=1e-12)
    assert typed["mu"] == pytest.approx(result.mu, rel=1e-12)


def test_a_run_that_decays_has_the_numbers_of_the_planner_and_of_the_command():
    run = dpcore.Run(2.8, 0.01, 250, decay=0.9, decay_every=100)
    plan = TrainingPlan(2.8, 10_000, 100, 250, 1e-5, decay=0.9, decay_every=100)
    assert run.event() == plan.event()
    assert replace(dpcore.certify(run, 1e-5), mu=None) == planner.spent(plan, "pld")
    words = ["--records", "10000", "--batch", "100", "--steps", "250", "--delta", "1e-5"]
    words += ["--sigma", "2.8", "--decay", "0.9", "--decay-every", "100"]
    typed = command("epsilon", *words, "--accountant", "pld")
    assert dpcore.epsilon(run, 1e-5) == pytest.approx(typed["epsilon"], rel=1e-12)
    assert dpcore.epsilon(run, 1e-5) > dpcore.epsilon(dpcore.Run(2.8, 0.01, 250), 1e-5)


def test_where_no_theorem_covers_a_run_epsilon_is_infinite_and_the_reason_is_named():
    assert dpcore.epsilon(RUN, delta=1e-5, accountant="gdp") == math.inf
    result = dpcore.certify(RUN, 1e-5, accountant="gdp")
    assert result.epsilon is None
    assert "no theorem" in result.reason


@pytest.mark.slow("trains models")
@pytest.mark.parametrize("unknown", ["sigma", "steps", "batch"])
def test_a_plan_has_the_numbers_of_the_planner_and_of_the_command(unknown):
    given = {"steps": 500, "batch": 100, "noise_multiplier": 1.1}
    given.pop({"sigma": "noise_multiplier"}.get(unknown, unknown))
    sampling = {"sampling": "poisson"} if unknown == "batch" else {}
    result = dpcore.plan(unknown, epsilon=2, delta=1e-5, records=10_000, **given, **sampling)
    assert isinstance(result, planner.Plan)
    assert result.guarantee.epsilon is not None
    assert result.guarantee.epsilon <= 2.0
    words = ["--records", "10000"]
    for name, value in given.items():
        words += [f"--{name}".replace("noise_multiplier", "sigma"), str(value)]
    typed = command("plan", "--solve", unknown, "--epsilon", "2", "--delta", "1e-5", *words)
    assert typed[unknown] == pytest.approx(result.value, rel=1e-9)


def test_a_plan_for_a_risk_is_that_of_the_command():
    right = dpcore.plan("sigma", right_of_100=55)
    found = dpcore.plan("sigma", found_of_100=5, at_false_alarms=0.01)
    line = ("plan", "--solve", "sigma", "--delta", "1e-5")
    assert right.value == command(*line, "--right-of-100", "55")["sigma"]
    typed = command(*line, "--found-of-100", "5", "--at-false-alarms", "0.01")
    assert found.value == typed["sigma"]


def test_a_plan_without_a_batch_takes_every_record():
    result = dpcore.plan("sigma", epsilon=1, delta=1e-5)
    assert result.value == pytest.approx(dpcore.sigma(1, 1e-5), rel=2e-4)
    assert dpcore.plan("epsilon", noise_multiplier=4).value == pytest.approx(
        dpcore.epsilon(4, 1e-5), rel=1e-3
    )


def test_risk_follows_the_budget_the_run_or_the_guarantee():
    assert dpcore.risk(1, delta=1e-5) == risk.odds(PrivacyBudget(1.0, 1e-5), Adjacency.ZERO_OUT)
    assert dpcore.risk(1, 1e-5).right == command("risk", "--epsilon", "1", "--delta", "1e-5")[
        "from_budget"
    ].get("right_of_100")
    result = dpcore.certify(RUN, 1e-5)
    assert dpcore.risk(result) == risk.odds(PrivacyBudget(result.epsilon, 1e-5), Adjacency.ZERO_OUT)
    exact = tradeoff.advantage(tradeoff.from_event(RUN.event(), Adjacency.ZERO_OUT))
    assert dpcore.risk(RUN).right == risk.right_of_100(exact)
    assert dpcore.risk(RUN).right <= dpcore.risk(result).right
    nothing = Guarantee(None, None, Adjacency.ZERO_OUT, "none", "No noise is added.")
    assert dpcore.risk(nothing).right == 100


@pytest.mark.parametrize("adjacency", Adjacency)
def test_the_adjacency_of_an_epsilon_decides_what_is_guessed(adjacency):
    answer = dpcore.risk(1, 1e-5, adjacency=str(adjacency))
    assert answer == risk.odds(PrivacyBudget(1.0, 1e-5), adjacency)
    assert answer.question == risk.QUESTION[adjacency]


def test_records_come_by_name_or_from_a_file(tmp_path):
    assert dpcore.load("cohort", records=120, seed=1).frame.equals(
        datasets.load("cohort", records=120, seed=1).frame
    )
    columns = "age: 18 to 90 years\npredict score: 0 to 200"
    data = b"age,score\n" + b"".join(b"%d,%d\n" % (20 + i % 60, i) for i in range(60))
    path = tmp_path / "mine.csv"
    path.write_bytes(data)
    table = dpcore.load("own", file=path, columns=columns)
    assert table.frame.equals(datasets.read_upload("own", data, "mine.csv", columns).frame)
    assert not table.published


@pytest.mark.parametrize(
    ("ask", "field"),
    [
        (lambda: dpcore.sigma(0, 1e-5), "epsilon"),
        (lambda: dpcore.epsilon(-1, 1e-5), "sigma"),
        (lambda: dpcore.epsilon(RUN, 1e-5, sensitivity=2), "sensitivity"),
        (lambda: dpcore.delta(4, -1), "epsilon"),
        (lambda: dpcore.certify(4, 1e-5), "run"),
        (lambda: dpcore.certify(RUN, 1e-5, accountant="none"), "accountant"),
        (lambda: dpcore.Run(1.0, 2.0), "sampling_rate"),
        (lambda: dpcore.Run(1.0, sampling="some"), "sampling"),
        (lambda: dpcore.plan("sigma"), "epsilon is missing"),
        (lambda: dpcore.plan("epsilon", epsilon=1), "epsilon is given"),
        (lambda: dpcore.plan("sigma", epsilon=1, right_of_100=55), "epsilon is given"),
        (lambda: dpcore.plan("sigma", right_of_100=55, found_of_100=1), "rate of false alarms"),
        (lambda: dpcore.plan("noise", epsilon=1), "unknown"),
        (lambda: dpcore.risk(1), "delta is missing"),
        (lambda: dpcore.risk(RUN, 1e-5), "delta"),
        (lambda: dpcore.risk(RUN, adjacency="zero-out"), "adjacency"),
        (lambda: dpcore.risk(1, 1e-5, adjacency="near"), "adjacency"),
        (lambda: dpcore.Run(1.0, decay=1.1), "decay"),
        (lambda: dpcore.Run(1.0, decay_every=0.5), "decay_every"),
        (lambda: dpcore.Run(1.0, steps=10**6, decay=0.5).event(), "decay R"),
        (lambda: dpcore.plan("epsilon", sigma=1, noise_multiplier=1), "noise_multiplier"),
        (lambda: dpcore.plan("epsilon", sigma=1, clip=0), "C is 0"),
        (lambda: dpcore.load("no such set"), "no such set"),
        (lambda: dpcore.load("cohort", columns="age: 1 to 2"), "no file is named"),
        (lambda: dpcore.load("cardio", records=3, file="mine.csv"), "records"),
        (lambda: dpcore.load("cardio", file="/nowhere/mine.csv"), "file"),
        (lambda: dpcore.risk_curves(dpcore.Study(), columns=["hat"]), "column is 'hat'"),
        (lambda: dpcore.risk_curves(dpcore.Study(), columns=["age"], by_hand={}), "column is"),
        (lambda: dpcore.risk_curves(dpcore.Study(), by_hand={"hat": {}}, run=0), "run is 0"),
        (lambda: dpcore.vary(dpcore.TrainingStudy(), setting="noise"), "setting"),
        (lambda: dpcore.vary(dpcore.TrainingStudy(), setting="clip", values=[0.0]), "C is 0"),
        (lambda: dpcore.vary(dpcore.TrainingStudy(), gives_way="all"), "gives way"),
    ],
)
def test_bad_input_is_named_in_one_sentence(ask, field):
    with pytest.raises(dpcore.InvalidInput, match=field) as refused:
        ask()
    assert str(refused.value).endswith(".")
    assert "\n" not in str(refused.value)


def test_the_examples_of_the_front_door_are_true():
    import doctest

    assert doctest.testmod(front).failed == 0
