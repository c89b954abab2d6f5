"""What keeping the best of several runs costs, in the answers of Plan."""

import json
import shlex
from dataclasses import replace

import pytest

import dpcore
from dpcore.accounting.events import TrainingPlan
from dpcore.accounting.planner import solve
from dpcore.accounting.risk_target import RiskTarget
from dpcore.cli import main
from dpcore.questions.plan import told
from dpcore.questions.plan.limit import choice_cost, limited

RUN = TrainingPlan(2.0, records=10_000, batch=256, steps=400, delta=1e-5, chosen_of=10)


def test_the_answer_counts_every_run_and_says_what_one_alone_and_random_tries_cost():
    spent = limited("epsilon", RUN, 2.0)
    assert spent.plan.value == pytest.approx(3.751, rel=1e-3)
    assert spent.choice.sentence == (
        "It is the best of 10, all counted; one run alone: ε = 1.074. With a random number of "
        "tries, 10 on average, and the best alone released: ε = 1.618."
    )
    assert limited("epsilon", replace(RUN, chosen_of=1), 2.0).choice is None


def test_the_noise_of_a_choice_lies_above_that_of_random_tries_and_of_one_run():
    noise = limited("sigma", RUN, 2.0)
    choice = noise.choice
    assert choice.alone < choice.at_random < noise.plan.value
    assert choice.alone == pytest.approx(1.302, rel=1e-3)
    assert choice.at_random == pytest.approx(1.699, rel=1e-3)


def test_of_other_settings_and_of_a_risk_no_random_number_is_said():
    steps = limited("steps", replace(RUN, sigma=3.0), 2.0)
    assert (steps.plan.value, steps.choice.alone) == (320.0, 3200.0)
    assert steps.choice.at_random is None
    risk = choice_cost("sigma", RUN, RiskTarget(55.0), "pld")
    assert risk.at_random is None
    assert solve("sigma", RUN, RiskTarget(55.0), "pld").value > 2.0 * risk.alone


def test_command_and_python_give_the_same_again(capsys):
    main([*shlex.split(told.command(RUN, "pld").replace("\\\n", " "))[3:], "--json"])
    answer = json.loads(capsys.readouterr().out)
    function = dpcore.plan("epsilon", sigma=2.0, records=10_000, batch=256, steps=400, chosen_of=10)
    assert answer["epsilon"] == function.value == limited("epsilon", RUN, 2.0).plan.value
    assert answer["choice"]["chosen_of"] == 10
    assert "chosen_of=10," in told.snippet(RUN, "pld")


def test_a_choice_by_measures_of_the_records_is_given_no_number(capsys):
    line = "epsilon --sigma 4 --delta 1e-5 --chosen-of 10 --chosen-by records"
    assert main(line.split()) == 2
    assert "Conditions not met: a choice by measures" in capsys.readouterr().err
