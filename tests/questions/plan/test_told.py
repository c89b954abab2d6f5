"""The run as code gives the number on screen: command line, Python, Opacus."""

from __future__ import annotations

import json
import shlex
import warnings
from dataclasses import replace

import pytest

from dpcore.accounting.events import TrainingPlan
from dpcore.accounting.paper_003 import preset
from dpcore.accounting.planner import solve, spent
from dpcore.accounting.risk_target import RiskTarget
from dpcore.cli import main
from dpcore.guarantee import Adjacency
from dpcore.questions.plan.told import command, opacus, plan_command, snippet

FIRST = preset("chexpert").training
RUNS = {
    "default": FIRST,
    "each step": replace(FIRST, decay_every=1, steps=50),
    "constant, clipped": preset("mnist-1.19-dpsgd").training,
    "zero-out": replace(FIRST, adjacency=Adjacency.ZERO_OUT),
    "fixed": replace(FIRST, sampling="fixed", adjacency=Adjacency.REPLACE_ONE),
}


def said(line, capsys):
    words = shlex.split(line.replace("\\\n", " "))
    assert words[:3] == ["python", "-m", "dpcore"]
    assert main([*words[3:], "--json"]) == 0
    result: dict[str, float] = json.loads(capsys.readouterr().out)
    return result


@pytest.mark.parametrize("unknown", ["sigma", "steps", "batch", "delta"])
def test_the_question_asked_backwards_as_a_command(unknown, capsys):
    result = said(plan_command(FIRST, unknown, 0.5, "rdp"), capsys)
    # The search may begin elsewhere: both answers lie within its error.
    assert result[unknown] == pytest.approx(solve(unknown, FIRST, 0.5, "rdp").value, rel=2e-4)


@pytest.mark.parametrize("target", [RiskTarget(60.0), RiskTarget(5.0, 0.01)])
def test_a_risk_asked_as_a_command_and_as_python(target, capsys):
    run = replace(FIRST, decay=1.0, sigma=1.0)
    shown = solve("steps", run, target, "pld").value
    assert said(plan_command(run, "steps", target, "pld"), capsys)["steps"] == shown
    exec(compile(snippet(run, "pld", "steps", target), "snippet", "exec"), {})
    assert capsys.readouterr().out.split()[0] == str(shown)


@pytest.mark.parametrize("name", RUNS)
def test_command_line_and_snippet_give_the_same_number(name, capsys):
    run = RUNS[name]
    accountant = "rdp" if name == "fixed" else "pld"
    expected = spent(run, accountant)
    result = said(command(run, accountant), capsys)
    assert result["epsilon"] == pytest.approx(expected.epsilon, rel=1e-12)
    assert result["delta"] == run.delta
    exec(compile(snippet(run, accountant), "snippet", "exec"), {})
    assert capsys.readouterr().out.split()[:2] == [str(expected.epsilon), str(expected.delta)]


@pytest.mark.slow("runs whole pages, which wait for jobs")
@pytest.mark.parametrize(
    "run",
    [
        replace(FIRST, records=2_000, batch=100, steps=60, decay_every=20, decay=0.8),
        replace(FIRST, records=2_000, batch=100, steps=30, decay_every=1, decay=0.97),
        TrainingPlan(sigma=3.0, records=2_000, batch=100, steps=40, delta=1e-5, clip=2.0),
    ],
    ids=["decay each epoch", "decay each step", "constant"],
)
def test_opacus_trains_with_the_same_settings(run, capsys):
    torch = pytest.importorskip("torch")
    pytest.importorskip("opacus")
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 1)
    here = {
        "model": model,
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.1),
        "loss_function": torch.nn.MSELoss(),
        "dataset": torch.utils.data.TensorDataset(
            torch.randn(run.records, 3), torch.randn(run.records, 1)
        ),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(opacus(run), "opacus", "exec"), here)
    # Every step with its own noise and rate is in the history of Opacus' accountant.
    history = here["engine"].accountant.history
    noise = [each for each, _, count in history for _ in range(count)]
    assert noise == pytest.approx(list(run.schedule().each_step() / run.clip), rel=1e-6)
    assert {rate for _, rate, _ in history} == {run.rate}
    # Its Rényi bound is taken over fewer orders than ours, so it is an upper bound on ours.
    theirs = float(capsys.readouterr().out.split()[-1])
    ours = spent(run, "rdp").epsilon
    assert ours is not None
    assert ours <= theirs * (1.0 + 1e-9)
    assert theirs <= 1.03 * ours
