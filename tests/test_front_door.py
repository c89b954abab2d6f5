"""The front door: lazy documented names, and the numbers of what stands behind them."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

import dpcore
from dpcore import datasets, front
from dpcore.accounting import accountants, planner, risk, tradeoff
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.cli import main
from dpcore.datasets import Preparation
from dpcore.evaluation.curves import answers, for_a_file
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


@pytest.mark.parametrize("name", dpcore.__all__)
def test_every_name_is_there_and_documented(name):
    result = getattr(dpcore, name)
    assert (inspect.getdoc(result) or "").strip()
    assert name in dir(dpcore)


def assigned(module, name):
    """The value that a module gives a name, as it is written."""
    (value,) = (
        node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    )
    return ast.literal_eval(value)


def test_the_module_and_its_stub_list_the_same_names():
    module, stub = (
        ast.parse((ROOT / "dpcore" / f"__init__.{ending}").read_text(encoding="utf-8"))
        for ending in ("py", "pyi")
    )
    listed = assigned(module, "__all__")
    assert listed == assigned(stub, "__all__") == dpcore.__all__
    assert isinstance(listed, list)
    assert listed == sorted(set(listed))
    assert 20 <= len(listed) <= 33
    places = assigned(module, "_PLACES")
    assert isinstance(places, dict)
    loaded = {name: f"dpcore.{place}" for place, names in places.items() for name in names}
    typed = {
        alias.name: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname is None
    }
    assert loaded == typed
    assert sorted(loaded) == listed
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = dpcore.nothing


@pytest.mark.slow("trains models")
@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import dpcore; dir(dpcore)", {"numpy", "scipy", "sklearn", "pandas", "torch"}),
        ("import dpcore; dpcore.Run(1.0)", {"numpy", "scipy", "sklearn", "pandas", "torch"}),
        ("import dpcore; dpcore.risk(1, 1e-5)", {"scipy.special", "sklearn", "pandas", "torch"}),
        ("import dpcore; dpcore.sigma(1, 1e-5)", {"sklearn", "pandas", "torch"}),
        ("import dpcore; dpcore.Study; dpcore.TrainingStudy; dpcore.TrainingConfig", {"torch"}),
        ("import dpcore; dpcore.PrivateLogisticRegression", {"torch", "streamlit"}),
    ],
)
def test_a_name_loads_what_it_needs_and_no_more(code, unwanted):
    report = f"{code}\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", report], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not set(json.loads(done.stdout)) & unwanted


def test_importing_takes_no_time():
    code = "import time; t = time.process_time(); import dpcore; print(time.process_time() - t)"
    took = min(
        float(subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True).stdout)
        for _ in range(3)
    )
    assert took < 0.3


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
    assert result == accountants.certify(run.event(), 1e-5, Adjacency(adjacency), "pld")
    assert dpcore.epsilon(run, delta=1e-5) == result.epsilon
    words = ["--sigma", "1.1", "--sampling-rate", "0.01", "--steps", "1000", "--delta", "1e-5"]
    typed = command("epsilon", *words, "--adjacency", adjacency)
    assert typed["epsilon"] == pytest.approx(result.epsilon, rel=1e-12)


@pytest.mark.slow("trains models")
def test_a_run_has_the_epsilon_of_a_second_accounting_and_its_delta_gives_it_back():
    from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent
    from dp_accounting.pld import PLDAccountant

    event = SelfComposedDpEvent(PoissonSampledDpEvent(0.01, GaussianDpEvent(1.1)), 1000)
    peer = PLDAccountant().compose(event).get_epsilon(1e-5)
    epsilon = dpcore.epsilon(RUN, delta=1e-5)
    assert epsilon == pytest.approx(peer, rel=1e-3)
    assert dpcore.delta(RUN, epsilon=epsilon) == pytest.approx(1e-5, rel=1e-2)


def test_a_run_that_decays_has_the_numbers_of_the_planner_and_of_the_command():
    run = dpcore.Run(2.8, 0.01, 250, decay=0.9, decay_every=100)
    plan = TrainingPlan(2.8, 10_000, 100, 250, 1e-5, decay=0.9, decay_every=100)
    assert run.event() == plan.event()
    assert dpcore.certify(run, 1e-5) == planner.spent(plan, "pld")
    words = ["--records", "10000", "--batch", "100", "--steps", "250", "--delta", "1e-5"]
    words += ["--sigma", "2.8", "--decay", "0.9", "--decay-every", "100"]
    typed = command("epsilon", *words, "--accountant", "pld")
    assert dpcore.epsilon(run, 1e-5) == pytest.approx(typed["epsilon"], rel=1e-12)
    assert dpcore.epsilon(run, 1e-5) > dpcore.epsilon(dpcore.Run(2.8, 0.01, 250), 1e-5)


@pytest.mark.slow("trains models")
def test_a_plan_with_a_clipping_norm_and_a_decay_has_the_numbers_of_the_planner():
    settings = {"records": 5_000, "batch": 50, "steps": 250, "decay": 0.97, "decay_every": 100}
    plan = TrainingPlan(sigma=2.4, delta=1e-5, clip=2.0, **settings)
    for unknown in ("clip", "delta"):
        answer = dpcore.plan(unknown, epsilon=0.8, sigma=2.4, clip=2.0, **settings)
        assert answer == planner.solve(unknown, plan, 0.8, "pld")
    by_multiplier = dpcore.plan("epsilon", noise_multiplier=1.2, clip=2.0, **settings)
    assert by_multiplier.guarantee == planner.spent(plan, "pld")


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


@pytest.mark.slow("trains models")
@pytest.mark.usefixtures("few_splits")
def test_explore_gives_the_table_of_the_page():
    study = dpcore.Study(
        methods=("nonprivate", "outpert"), epsilons=(0.5,), preparation=Preparation(seed=1)
    )
    result = dpcore.explore(study)
    assert result.equals(for_a_file(answers(study)))


@pytest.mark.slow("trains models")
def test_train_gives_the_table_of_the_command():
    from dpcore.evaluation.training import train

    study = dpcore.TrainingStudy("digits", config=dpcore.TrainingConfig("linear", epochs=1))
    actual, expected = dpcore.train(study), train(study)
    same = [name for name in expected.columns if "second" not in name]
    assert actual[same].equals(expected[same])


@pytest.mark.parametrize(
    ("ask", "field"),
    [
        (lambda: dpcore.sigma(0, 1e-5), "epsilon"),
        (lambda: dpcore.sigma(1, 0), "delta"),
        (lambda: dpcore.sigma(1, 1e-5, "much"), "sensitivity"),
        (lambda: dpcore.epsilon(-1, 1e-5), "sigma"),
        (lambda: dpcore.epsilon(RUN, 1e-5, sensitivity=2), "sensitivity"),
        (lambda: dpcore.delta(4, -1), "epsilon"),
        (lambda: dpcore.certify(4, 1e-5), "run"),
        (lambda: dpcore.certify(RUN, 1e-5, accountant="none"), "accountant"),
        (lambda: dpcore.Run(1.0, 2.0), "sampling_rate"),
        (lambda: dpcore.Run(1.0, steps=0.5), "steps"),
        (lambda: dpcore.Run(1.0, adjacency="near"), "adjacency"),
        (lambda: dpcore.Run(1.0, sampling="some"), "sampling"),
        (lambda: dpcore.plan("sigma"), "epsilon is missing"),
        (lambda: dpcore.plan("epsilon", epsilon=1), "epsilon is given"),
        (lambda: dpcore.plan("noise", epsilon=1), "unknown"),
        (lambda: dpcore.risk(1), "delta is missing"),
        (lambda: dpcore.risk(RUN, 1e-5), "delta"),
        (lambda: dpcore.risk(RUN, adjacency="zero-out"), "adjacency"),
        (lambda: dpcore.risk(1, 1e-5, adjacency="near"), "adjacency"),
        (lambda: dpcore.Run(1.0, decay=0), "decay"),
        (lambda: dpcore.Run(1.0, decay=1.1), "decay"),
        (lambda: dpcore.Run(1.0, decay_every=0.5), "decay_every"),
        (lambda: dpcore.Run(1.0, steps=10**6, decay=0.5).event(), "decay R"),
        (lambda: dpcore.plan("epsilon", sigma=1, noise_multiplier=1), "noise_multiplier"),
        (lambda: dpcore.plan("epsilon", clip=0), "clip"),
        (lambda: dpcore.plan("epsilon", sigma=1, clip=0), "C is 0"),
        (lambda: dpcore.plan("epsilon", decay=2), "decay R"),
        (lambda: dpcore.load("no such set"), "no such set"),
        (lambda: dpcore.load("cohort", columns="age: 1 to 2"), "no file is named"),
        (lambda: dpcore.load("cardio", records=3, file="mine.csv"), "records"),
        (lambda: dpcore.load("cardio", file="/nowhere/mine.csv"), "file"),
        (lambda: dpcore.explore(dpcore.Study(), curves_of=["hat"]), "column is 'hat'"),
        (lambda: dpcore.explore(dpcore.Study(), curves_of=[], bins=3), "curves_of is given"),
        (lambda: dpcore.explore(dpcore.Study(), by_hand={}, by="sex"), "by_hand is given"),
        (lambda: dpcore.explore(dpcore.Study(), by_hand={"hat": {}}, run=0), "run is 0"),
        (lambda: dpcore.explore(dpcore.Study(), by_hand={"hat": {"line": 1}}), "column is 'hat'"),
        (lambda: dpcore.vary(dpcore.TrainingStudy(), "noise"), "effect"),
        (lambda: dpcore.vary(dpcore.TrainingStudy(), "clip", [0.0]), "C is 0"),
        (lambda: dpcore.vary(dpcore.TrainingStudy(), "batch", [64], gives_way="all"), "gives way"),
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
