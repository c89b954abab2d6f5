"""What a run costs, what a budget buys and how it is divided, on the command line."""

import csv
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpcore.accounting import accountants
from dpcore.accounting.accountants import certify
from dpcore.accounting.events import from_schedule
from dpcore.accounting.planner import RELATIVE_ERROR, spent
from dpcore.accounting.schedules import geometric
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.guarantee import Adjacency
from tests.cli.commands import parsed, refused, said

RUN = "epsilon --sigma 1.0 --sampling-rate 0.01 --steps 1000 --delta 1e-5"
PAPER = "epsilon --sigma 2.8 --sampling-rate 0.01 --delta 1e-4 --decay 0.99"
PER_EPOCH = f"{PAPER} --decay-every epoch --epochs 8"
PLAN = "plan --delta 1e-5 --records 10000"

with (Path(__file__).parents[1] / "reference" / "vectors.csv").open(newline="") as file:
    ROWS = list(csv.DictReader(file))


def rows(*kinds):
    """(options of `epsilon`, value) of the rows of constant or listed noise."""
    result = []
    for place, row in enumerate(ROWS):
        if row["kind"] not in kinds:
            continue
        params = json.loads(row["params"])
        if "sigmas" in params:
            sigmas = {
                "linspace(2.0,0.8,50)": "2 --last-sigma 0.8 --steps 50",
                "linspace(2.0,0.8,800)": "2 --last-sigma 0.8 --steps 800",
                "[1.0]*16+[0.9]*16+[0.81]*16": ",".join(["1"] * 16 + ["0.9"] * 16 + ["0.81"] * 16),
            }[params["sigmas"]]
        else:
            steps = 2249 if isinstance(params["steps"], str) else params["steps"]
            sigmas = f"{params['sigma']} --steps {steps}"
        line = f"epsilon --sigma {sigmas} --sampling-rate {params['q']} --delta {params['delta']}"
        result.append(pytest.param(line, float(row["value"]), id=f"{row['kind']} {place}"))
    assert result
    return result


@pytest.mark.parametrize(("line", "value"), rows("dpsgd_epsilon_rdp", "schedule_epsilon_rdp"))
def test_renyi_stays_below_the_librarys_bound(line, value, capsys):
    result = parsed(capsys, *line.split(), "--accountant", "rdp")
    assert 0.995 * value <= result["epsilon"] <= value + 1e-6


@pytest.mark.parametrize(
    ("line", "value"), rows("dpsgd_epsilon_prv_upper", "schedule_epsilon_prv_upper")
)
def test_distributions_stay_below_the_prv_bound(line, value, capsys):
    result = parsed(capsys, *line.split(), "--accountant", "pld")
    # Theirs is an estimate plus its error of 0.01.
    assert value - 0.025 <= result["epsilon"] <= value
    assert result["lower_bound"] <= value


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.parametrize(("line", "value"), rows("dpsgd_epsilon_pld", "schedule_epsilon_pld"))
def test_distributions_bracket_the_librarys_figure(line, value, capsys):
    result = parsed(capsys, *line.split(), "--accountant", "pld")
    assert result["lower_bound"] <= value
    assert result["epsilon"] == pytest.approx(value, rel=1e-3, abs=1e-4)
    assert result["pessimism"] == result["epsilon"] - result["lower_bound"]


def test_a_run_is_told_with_everything_its_epsilon_depends_on(capsys):
    result = parsed(capsys, *RUN.split())
    assert (result["accountant"], result["adjacency"], result["delta"]) == ("pld", "zero-out", 1e-5)
    assert result["public_size"] is None
    assert (result["sampling"], result["sampling_rate"], result["steps"]) == ("poisson", 0.01, 1000)
    assert (result["sigma"], result["sensitivity"], result["conditions"]) == (1.0, 1.0, [])
    assert result["claim"] is None
    assert result["certified"]["epsilon"] == result["epsilon"]
    text = said(capsys, *RUN.split())
    # Ten digits, ε rounded up and its lower bound down: the eleventh is the processor's.
    (epsilon,) = re.findall(r"\Aepsilon = ([0-9.]+)\nat δ = 1e-05, zero-out, by pld\n", text)
    (bound,) = re.findall(r"at least ([0-9.]+)", text)
    assert 0 <= float(epsilon) - result["epsilon"] < 1e-9
    assert 0 <= result["lower_bound"] - float(bound) < 1e-9
    assert "1,000 steps, sampling poisson, q = 0.01" in text


@pytest.mark.parametrize("accountant", list(accountants.ACCOUNTANTS))
@pytest.mark.parametrize("sampling", ["none", "poisson", "fixed"])
@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_every_accountant_gives_its_own_figure_or_is_refused(
    accountant, sampling, adjacency, capsys
):
    rate = "" if sampling == "none" else " --sampling-rate 0.05"
    line = f"epsilon --sigma 9 --sensitivity 2 --steps 7 --delta 1e-6 --sampling {sampling}{rate}"
    line += f" --adjacency {adjacency} --accountant {accountant}"
    event = from_schedule(
        geometric(9.0, 1.0, 7),
        rate=0.05 if rate else 1.0,
        sampling=sampling,
        sensitivity=2.0,
    )
    if reason := accountants.refusal(event, adjacency, accountant):
        assert refused(capsys, *line.split()) == f"{reason}\n"
        assert "no theorem" in reason
        return
    result = parsed(capsys, *line.split())
    assert result["epsilon"] == certify(event, 1e-6, adjacency, accountant).epsilon
    assert result["epsilon"] is not None
    assert (result["accountant"], result["adjacency"]) == (accountant, str(adjacency))


def test_sigma_is_absolute_and_only_its_ratio_to_the_clipping_norm_counts(capsys):
    plain = parsed(capsys, *RUN.split())
    wide = RUN.replace("--sigma 1.0", "--sigma 8 --sensitivity 8")
    assert parsed(capsys, *wide.split())["epsilon"] == plain["epsilon"]
    assert parsed(capsys, *wide.split())["least_noise_multiplier"] == 1.0


def test_records_and_batch_say_the_same_as_a_rate(capsys):
    rate = parsed(capsys, *RUN.replace("--steps 1000", "--epochs 10").split())
    counts = RUN.replace("--sampling-rate 0.01 --steps 1000", "--records 50000 --batch 500")
    assert parsed(capsys, *counts.split(), "--epochs", "10") == rate
    assert rate == parsed(capsys, *RUN.split())


@pytest.mark.parametrize(
    ("rate", "per_epoch"),
    [("0.01", 100), ("0.3", 4), ("0.7", 2), ("1", 1), ("0.0007", 1429), ("1e-6", 10**6)],
)
def test_an_epoch_has_steps_enough_for_each_record_once(rate, per_epoch, capsys):
    line = f"epsilon --sigma 5 --delta 1e-5 --sampling-rate {rate} --epochs 2 --accountant rdp"
    assert parsed(capsys, *line.split())["steps"] == 2 * per_epoch


@pytest.mark.parametrize(
    "line",
    [
        "epsilon --sigma 2 --delta 1e-5 --batch 64 --epochs 3",
        "plan --solve sigma --epsilon 1 --delta 1e-5 --batch 64 --epochs 3",
        "risk --sigma 2 --delta 1e-5 --batch 64 --epochs 3",
    ],
)
def test_under_add_remove_a_public_size_stands_for_the_records(line, capsys):
    blanked = parsed(capsys, *f"{line} --records 513".split())
    assert (blanked["adjacency"], blanked["public_size"]) == ("zero-out", None)
    removed = parsed(capsys, *f"{line} --adjacency add-remove --public-size 513".split())
    assert (removed["adjacency"], removed["public_size"]) == ("add-remove", 513)
    assert removed["epsilon"] == blanked["epsilon"]
    if "plan" in line:
        assert removed["sigma"] == blanked["sigma"]


def test_a_typed_rate_is_public_as_it_stands(capsys):
    result = parsed(capsys, *RUN.split(), "--adjacency", "add-remove")
    assert (result["adjacency"], result["public_size"]) == ("add-remove", None)
    assert result["epsilon"] == parsed(capsys, *RUN.split())["epsilon"]


def test_fixed_batches_are_costed_under_replace_one_by_default(capsys):
    result = parsed(capsys, *RUN.split(), "--sampling", "fixed")
    assert (result["adjacency"], result["accountant"]) == ("replace-one", "pld")
    doubled = RUN.replace("--sigma 1.0", "--sigma 2.0") + " --sampling fixed"
    assert parsed(capsys, *doubled.split())["epsilon"] < result["epsilon"]


def test_decay_multiplies_the_variance(capsys):
    by_step = parsed(capsys, *f"{PAPER} --steps 3 --decay-every step".split())
    sigmas = [2.8, 2.8 * math.sqrt(0.99), 2.8 * 0.99]
    listed = "epsilon --sampling-rate 0.01 --delta 1e-4 --sigma " + ",".join(map(str, sigmas))
    assert parsed(capsys, *listed.split())["epsilon"] == pytest.approx(by_step["epsilon"], rel=1e-9)
    assert by_step["least_noise_multiplier"] == pytest.approx(2.8 * 0.99)
    # Without a word, the decay that costs more is meant.
    assert parsed(capsys, *f"{PAPER} --steps 3".split()) == by_step


def test_decay_every_so_many_steps_keeps_what_is_left_of_the_last_level(capsys):
    result = parsed(capsys, *f"{PAPER} --steps 5 --decay-every 2".split())
    sigmas = [2.8 * 0.99 ** (level / 2) for level in (0, 0, 1, 1, 2)]
    listed = "epsilon --sampling-rate 0.01 --delta 1e-4 --sigma " + ",".join(map(str, sigmas))
    assert result["steps"] == 5
    assert parsed(capsys, *listed.split())["epsilon"] == pytest.approx(result["epsilon"], rel=1e-9)


def test_paper_003_per_epoch_as_printed_and_as_certified(capsys):
    result = parsed(capsys, *PER_EPOCH.split(), "--accountant", "tcdp")
    assert result["epsilon"] is None
    assert result["claim"]["epsilon"] == pytest.approx(1.660, abs=5e-4)
    assert result["certified_poisson"]["epsilon"] == pytest.approx(0.302, abs=5e-4)
    assert result["certified"]["epsilon"] == pytest.approx(0.924, abs=5e-4)
    assert (result["certified"]["sampling"], result["certified"]["adjacency"]) == (
        "fixed",
        "replace-one",
    )
    unmet = [condition for condition in result["conditions"] if not condition["met"]]
    assert [condition["condition"] for condition in unmet] == ["ρ ≤ 0.1 (ρ = 0.2737)"]
    assert unmet[0]["why"] == result["reason"]
    renyi = parsed(capsys, *PER_EPOCH.split(), "--accountant", "rdp")
    assert renyi["epsilon"] == pytest.approx(0.343, abs=5e-4)
    exact = parsed(capsys, *PER_EPOCH.split(), "--accountant", "pld")
    assert exact["epsilon"] == result["certified_poisson"]["epsilon"]


@pytest.mark.slow("runs whole commands, which train")
def test_paper_003_per_iteration_is_far_from_what_it_prints(capsys):
    line = f"{PAPER} --decay-every step --steps 499 --accountant tcdp"
    result = parsed(capsys, *line.split())
    assert result["epsilon"] is None
    assert result["claim"]["epsilon"] == pytest.approx(7.956, abs=5e-4)
    assert 27.0 <= result["certified_poisson"]["epsilon"] <= 30.0
    assert result["certified"]["epsilon"] > result["certified_poisson"]["epsilon"]
    assert [c["met"] for c in result["conditions"]] == [False, True, True, False, False]
    text = said(capsys, *line.split())
    assert text.startswith("epsilon = (no proved value)\n")
    assert "NOT met: ω > 1 (ω = 0.03026)" in text
    assert "claim (paper 003" in text
    assert "epsilon = 7.956061042" in text


def test_tcdp_is_proved_where_every_condition_is_met(capsys):
    line = "epsilon --sigma 6 --sampling-rate 0.01 --steps 100 --delta 1e-5 --accountant tcdp"
    result = parsed(capsys, *line.split())
    assert all(condition["met"] for condition in result["conditions"])
    assert len(result["conditions"]) == 5
    # One way to the same figure by hand: ρ = 13 s² 2C²/σ² a step, then the printed conversion.
    rho = 100 * 13 * 0.01**2 * 2 / 36
    assert result["epsilon"] <= rho + 2 * math.sqrt(rho * math.log(1e5)) + 1e-12
    assert result["certified"]["epsilon"] < result["epsilon"]


def test_an_accountant_without_a_finite_answer_says_so(capsys):
    line = "epsilon --sigma 1e-7 --sampling-rate 0.1 --steps 5 --delta 1e-300 --accountant strong"
    result = parsed(capsys, *line.split())
    text = said(capsys, *line.split())
    assert result["epsilon"] is None
    assert result["reason"] in text
    assert "no finite ε" in text


def solved(capsys, line):
    result: dict[str, Any] = parsed(capsys, *f"{PLAN} {line}".split())
    return result


SOLVED = {
    "sigma": "--batch 100 --epochs 5 --epsilon 1.5",
    "steps": "--batch 100 --sigma 1.3 --epsilon 1.5",
    "batch": "--steps 500 --sigma 1.3 --epsilon 1.5",
    "clip": "--batch 100 --steps 500 --sigma 1.3 --epsilon 1.5",
}


@pytest.mark.parametrize("accountant", ["rdp", "pld"])
@pytest.mark.parametrize("unknown", SOLVED)
def test_a_plan_stays_within_the_target_and_nothing_bolder_does(unknown, accountant, capsys):
    result = solved(capsys, f"--solve {unknown} {SOLVED[unknown]} --accountant {accountant}")
    value = result[unknown]
    assert 0.0 < result["epsilon"] <= 1.5
    assert result["target_epsilon"] == 1.5
    run = {"sigma": 1.3, "batch": 100, "steps": 500, "clip": 1.0} | {unknown: value}
    settings = TrainingPlan(records=10_000, delta=1e-5, **run)
    assert spent(settings, accountant).epsilon == result["epsilon"]
    bolder = {
        "sigma": value * (1.0 - 4.0 * RELATIVE_ERROR),
        "clip": value * (1.0 + 4.0 * RELATIVE_ERROR),
    }.get(unknown, value + 1)
    beyond = spent(TrainingPlan(records=10_000, delta=1e-5, **run | {unknown: bolder}), accountant)
    assert beyond.epsilon is not None
    assert beyond.epsilon > 1.5
    assert result["relative_error"] == (0.0 if unknown in ("steps", "batch") else RELATIVE_ERROR)
    text = said(
        capsys,
        *PLAN.split(),
        "--solve",
        unknown,
        *SOLVED[unknown].split(),
        "--accountant",
        accountant,
    )
    assert text.startswith(f"{unknown} = ")
    assert ("exact: the largest" if result["relative_error"] == 0.0 else "on the safe side") in text


def test_a_plan_for_delta(capsys):
    line = "plan --solve delta --records 10000 --batch 100 --steps 500 --sigma 1.3 --epsilon 1.5"
    result = parsed(capsys, *line.split(), "--accountant", "rdp")
    least = TrainingPlan(1.3, 10_000, 100, 500, result["delta"])
    assert spent(least, "rdp").epsilon == result["epsilon"]
    assert result["epsilon"] <= 1.5


def test_a_plan_for_epochs_counts_whole_ones(capsys):
    line = "--solve epochs --batch 100 --sigma 1.3 --epsilon 1.5"
    result = solved(capsys, line)
    steps = solved(capsys, line.replace("epochs", "steps"))["steps"]
    assert result["epochs"] == steps // 100
    assert result["settings"]["steps"] == 100 * result["epochs"]
    assert result["epsilon"] <= 1.5
    assert f"number of epochs = {result['epochs']:,} of 100 steps" in result["sentence"]
    decaying = f"{line} --decay 0.9 --decay-every epoch"
    assert 1 <= solved(capsys, decaying)["epochs"] < result["epochs"]


@pytest.mark.parametrize("target", [1.5, 2.0, 2.2])
def test_the_sentence_of_a_plan_for_epochs_rounds_up(target, capsys):
    result = solved(capsys, f"--solve epochs --batch 100 --sigma 1.3 --epsilon {target}")
    (epsilon,) = re.findall("ε = ([0-9.]+)", result["sentence"])
    assert result["epsilon"] <= float(epsilon) < result["epsilon"] + 0.001


def test_less_than_one_epoch_is_said_plainly(capsys):
    result = solved(capsys, "--solve epochs --batch 100 --sigma 1 --epsilon 1.2 --accountant rdp")
    assert (result["epochs"], result["epsilon"], result["settings"]) == (None, None, None)
    assert result["sentence"].startswith("Not even one epoch of 100 steps stays within ε = 1.2; ")


@pytest.mark.parametrize("unknown", ["steps", "epochs", "batch"])
def test_what_cannot_be_reached_is_null_and_no_error(unknown, capsys):
    line = f"--solve {unknown} --sigma 0.3 --epsilon 1e-4 --accountant rdp"
    line += " --steps 10" if unknown == "batch" else " --batch 100"
    result = solved(capsys, line)
    assert result[unknown] is None
    assert result["relative_error"] is None
    assert "reaches ε = 0.0001" in result["sentence"]
    text = said(capsys, *f"{PLAN} {line}".split())
    assert text == f"{unknown} = (not reachable)\n{result['sentence']}\n"


def test_a_plan_for_epsilon_is_the_cost_of_the_run(capsys):
    result = solved(capsys, "--solve epsilon --batch 100 --steps 1000 --sigma 1")
    assert result == parsed(capsys, *RUN.split())


def test_the_golden_noise_for_one_target(capsys):
    (row,) = [row for row in ROWS if row["kind"] == "dpsgd_noise_multiplier_pld"]
    line = "--solve sigma --sampling-rate 0.01 --steps 1000 --epsilon 1 --delta 1e-5"
    result = parsed(capsys, "plan", *line.split())
    # Theirs is an upper bound too, with its own search tolerance.
    assert result["sigma"] == pytest.approx(float(row["value"]), rel=5e-3)
    assert result["epsilon"] <= 1.0


@pytest.mark.parametrize("row", [r for r in ROWS if r["kind"] == "dpsgd_noise_multiplier_opacus"])
def test_our_noise_is_at_most_that_of_a_looser_search(row, capsys):
    params = json.loads(row["params"])
    steps = params.get("steps") or round(params["epochs"] / params["q"])
    line = f"plan --solve sigma --sampling-rate {params['q']} --steps {steps} --epsilon 8"
    accountant = "pld" if params["accountant"] == "prv" else "rdp"
    result = parsed(capsys, *line.split(), "--delta", "1e-5", "--accountant", accountant)
    assert result["sigma"] <= float(row["value"])


def test_a_split_keeps_the_budget_by_every_composition(capsys):
    noise = {}
    for accountant in ("basic", "zcdp", "pld"):
        line = f"split --releases 4 --epsilon 3 --delta 1e-5 --accountant {accountant}"
        result = parsed(capsys, *line.split())
        assert len(set(result["sigma"])) == 1
        assert len(result["sigma"]) == 4
        event = from_schedule(geometric(result["sigma"][0], 1.0, 4))
        together = certify(event, 1e-5, Adjacency.ZERO_OUT, "gdp").epsilon
        assert together is not None
        assert together <= 3.0
        assert result["certified_epsilon"] == pytest.approx(together, rel=1e-9)
        noise[accountant] = result["sigma"][0]
    assert noise["basic"] > noise["zcdp"] > noise["pld"]
    # Four equal Gaussians are one of half their noise (the row's 60-digit root for ε = 3).
    alone = parsed(capsys, "sigma", "--epsilon", "3", "--delta", "1e-5")["sigma"]
    assert noise["pld"] == pytest.approx(2.0 * alone, rel=1e-9)


def test_a_split_by_weights(capsys):
    line = "split --weights 1,1,2,4 --epsilon 3 --delta 1e-5 --sensitivity 5"
    result = parsed(capsys, *line.split())
    assert result["shares"] == [0.125, 0.125, 0.25, 0.5]
    precisions = np.array(result["sigma"]) ** -2.0
    assert (precisions / precisions.sum()).tolist() == pytest.approx(result["shares"])
    unit = parsed(capsys, *line.split()[:-2])["sigma"]
    assert result["sigma"] == pytest.approx([5.0 * sigma for sigma in unit])
    text = said(capsys, *line.split())
    assert len(text.splitlines()) == 1 + 4 + 1
    assert "of 3 allowed, split by pld" in text


LONG = "9" * 400
HOSTILE = ("nan", "inf", "-inf", "-1", "1e400", "", " ", "ε", "0", LONG, "\udcff")


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("epsilon --delta 1e-5 --steps 3 --sigma", "sigma"),
        ("epsilon --sigma 1 --steps 3 --delta", "delta"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --sensitivity", "sensitivity"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --sampling-rate", "sampling-rate"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --batch 5 --records", "records"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --records 50 --batch", "batch"),
        (
            "epsilon --sigma 1 --delta 1e-5 --steps 3 --adjacency add-remove --batch 5 "
            "--public-size",
            "public-size",
        ),
        ("epsilon --sigma 1 --delta 1e-5 --steps", "steps"),
        ("epsilon --sigma 1 --delta 1e-5 --sampling-rate 0.1 --epochs", "epochs"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --decay", "decay"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --decay 0.9 --decay-every", "decay-every"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --last-sigma", "last-sigma"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --sampling", "sampling"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --adjacency", "adjacency"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --accountant", "accountant"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --mechanism", "mechanism"),
        ("plan --sigma 1 --delta 1e-5 --steps 3 --epsilon 1 --solve", "solve"),
        ("plan --solve sigma --delta 1e-5 --steps 3 --epsilon", "epsilon"),
        ("split --delta 1e-5 --releases 2 --epsilon", "epsilon"),
        ("split --epsilon 1 --releases 2 --delta", "delta"),
        ("split --epsilon 1 --delta 1e-5 --releases", "releases"),
        ("split --epsilon 1 --delta 1e-5 --weights", "weights"),
        ("split --epsilon 1 --delta 1e-5 --releases 2 --sensitivity", "sensitivity"),
        ("split --epsilon 1 --delta 1e-5 --releases 2 --accountant", "composition"),
    ],
)
def test_a_hostile_value_is_refused_in_one_sentence(line, field, capsys):
    for value in HOSTILE:
        sentence = refused(capsys, *line.split()[:-1], f"{line.split()[-1]}={value}")
        assert field in sentence, ascii(value)[:12]


SIZED = "epsilon --sigma 1 --delta 1e-5 --steps 3 --batch 5"
BAD: list[tuple[str, tuple[str, ...]]] = [
    (f"{RUN} --accountant magic", ("accountant", "'magic'", "pld, rdp")),
    (f"{RUN} --mechanism rdp", ("mechanism", "'rdp'", "--accountant")),
    (f"{RUN} --sampling none", ("sampling", "'none'", "poisson or fixed")),
    (f"{RUN} --sampling fixed --adjacency add-remove", ("no theorem", "add-remove")),
    (f"{SIZED} --adjacency add-remove --records 10", ("records", "'10'", "--public-size")),
    (f"{SIZED} --public-size 10", ("public-size", "'10'", "add-remove")),
    (f"{SIZED} --public-size 10 --adjacency zero-out", ("public-size", "'10'", "add-remove")),
    (f"{SIZED} --adjacency add-remove", ("public-size is missing", "--public-size")),
    (f"{SIZED} --adjacency add-remove --public-size 0", ("public-size", "'0'", "at least 1")),
    (f"{SIZED} --adjacency add-remove --public-size 4", ("batch", "'5'", "at most 4")),
    (f"{RUN} --adjacency add-remove --public-size 9", ("sampling-rate", "records")),
    (f"{RUN} --adjacency replace-one --accountant rdp", ("Rényi", "no theorem", "replace-one")),
    (f"{RUN} --sampling poisson --accountant tcdp", ("tCDP", "no theorem", "Poisson")),
    (f"{RUN} --epochs 3", ("steps and epochs",)),
    (f"{RUN} --records 100 --batch 10", ("sampling-rate", "records")),
    (f"{RUN} --decay-every epoch", ("decay-every", "--decay")),
    (f"{RUN} --decay 1.1", ("decay", "1.1", "at most 1")),
    (f"{RUN} --decay 0.5", ("decay", "0.5", "1e-150")),
    (f"{RUN} --decay 0.9 --decay-every month", ("decay-every", "'month'", "step, epoch")),
    (f"{RUN} --last-sigma 2 --decay 0.9", ("decay", "last-sigma")),
    (f"{RUN} --schedule linear", ("--schedule",)),
    ("epsilon --sigma 1 --delta 1e-5 --sampling-rate 0.1", ("steps", "--epochs")),
    ("epsilon --sigma 1 --delta 1e-5 --sampling poisson", ("sampling", "'poisson'", "none")),
    ("epsilon --sigma 1 --delta 1e-5 --records 10 --steps 2", ("batch is missing",)),
    ("epsilon --sigma 1 --delta 1e-5 --batch 10 --steps 2", ("records is missing",)),
    ("epsilon --sigma 1 --delta 1e-5 --records 10 --batch 11 --steps 2", ("batch", "11", "10")),
    ("epsilon --sigma 1 --delta 1e-5 --steps 10000001", ("steps", "10,000,000")),
    (
        "epsilon --sigma 1 --delta 1e-5 --sampling-rate 1e-9 --epochs 1",
        ("epochs", "10,000,000 steps", "1,000,000,000"),
    ),
    ("epsilon --sigma 1 --delta 1e-301 --steps 2", ("delta", "1e-301", "1e-300")),
    ("epsilon --sigma 1e-9 --delta 1e-5 --steps 2", ("σ over sensitivity", "1e-09")),
    ("epsilon --sigma 1 --last-sigma 2 --steps 200000 --delta 1e-5", ("200,000", "100,000")),
    ("epsilon --sigma 1,2 --steps 3 --delta 1e-5", ("steps", "'3'", "2, one for each σ")),
    ("epsilon --sigma 1,2 --epochs 3 --delta 1e-5 --sampling-rate 0.5", ("epochs", "list of σ")),
    ("epsilon --sigma 1,,2 --steps 3 --delta 1e-5", ("sigma", "''")),
    ("epsilon --sigma 1,nan --steps 2 --delta 1e-5", ("sigma", "nan")),
    ("epsilon --sigma 1,2 --delta 1e-5", ("sigma", "'1,2'")),
    ("plan --epsilon 1", ("--solve",)),
    ("plan --solve luck --epsilon 1", ("solve", "'luck'", "sigma")),
    (f"{PLAN} --solve sigma --batch 10 --steps 5", ("epsilon is missing",)),
    (f"{PLAN} --solve sigma --batch 10 --steps 5 --epsilon 0", ("epsilon", "0", "1e-12")),
    (f"{PLAN} --solve sigma --batch 10 --steps 5 --epsilon 1 --sigma 2", ("sigma", "leave it")),
    (f"{PLAN} --solve clip --batch 10 --steps 5 --epsilon 1 --sigma 2 --clip 1", ("leave it",)),
    (f"{PLAN} --solve batch --batch 10 --steps 5 --epsilon 1 --sigma 2", ("batch", "leave it")),
    (f"{PLAN} --solve batch --epochs 5 --epsilon 1 --sigma 2", ("epochs", "--steps")),
    (
        f"{PLAN} --solve batch --steps 5 --epsilon 1 --sigma 2 --decay 0.9 --decay-every epoch",
        ("decay-every", "epoch"),
    ),
    (
        "plan --solve batch --sampling-rate 0.1 --steps 5 --epsilon 1 --sigma 2 --delta 1e-5",
        ("sampling-rate",),
    ),
    ("plan --solve batch --steps 5 --epsilon 1 --sigma 2 --delta 1e-5", ("records is missing",)),
    (f"{PLAN} --solve delta --batch 10 --steps 5 --epsilon 1 --sigma 2", ("delta", "leave it")),
    (f"{PLAN} --solve steps --batch 10 --steps 5 --epsilon 1 --sigma 2", ("steps", "solved for")),
    (f"{PLAN} --solve epochs --batch 10 --epochs 5 --epsilon 1 --sigma 2", ("solved for",)),
    (f"{PLAN} --solve steps --batch 10 --epsilon 1", ("sigma is missing",)),
    (f"{PLAN} --solve epsilon --batch 10 --steps 5 --epsilon 1 --sigma 1", ("epsilon", "leave it")),
    (f"{PLAN} --solve epsilon --batch 10 --steps 5", ("sigma is missing",)),
    (f"{PLAN} --solve sigma --batch 10 --steps 5 --epsilon 1 --last-sigma 1", ("last-sigma",)),
    (
        f"{PLAN} --solve sigma --batch 10 --steps 5 --epsilon 1 --accountant gdp",
        ("Gaussian DP", "no theorem"),
    ),
    ("split --epsilon 1 --delta 1e-5", ("releases", "weights", "exactly one")),
    ("split --epsilon 1 --delta 1e-5 --releases 2 --weights 1,2", ("exactly one",)),
    ("split --epsilon 1 --delta 1e-5 --releases 2 --accountant rdp", ("'rdp'", "basic, zcdp, pld")),
    ("split --epsilon 1 --delta 1e-5 --weights 1,0", ("weights", "0", "above 0")),
    ("split --epsilon 1 --delta 1e-5 --releases 20000", ("releases", "10,000")),
]


@pytest.mark.parametrize(("line", "words"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_is_refused_in_one_sentence(line, words, capsys):
    sentence = refused(capsys, *line.split())
    assert all(word in sentence for word in words), sentence


def test_a_split_prints_no_smaller_delta_and_no_larger_allowance(capsys):
    line = "split --releases 2 --epsilon 1.0000004 --delta 1.0000004e-5"
    printed = said(capsys, *line.split())
    assert "δ = 1.0000004e-05, of 1.0000004 allowed" in printed
