"""What an attacker can find out, on the command line: exact, and from (ε, δ) alone."""

import csv
import json
import math
from pathlib import Path

import pytest
from scipy import stats

from dpcore.accounting.risk import QUESTION
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_epsilon
from tests.cli.commands import parsed, refused, said

BUDGET = "risk --epsilon 1 --delta 1e-5"
RUN = "risk --delta 1e-5 --sigma 1 --sampling-rate 0.01 --steps 1000"

with (Path(__file__).parents[1] / "reference" / "vectors.csv").open(newline="") as file:
    ROWS = list(csv.DictReader(file))


def rows(kind):
    result = [
        (json.loads(row["params"]), float(row["value"])) for row in ROWS if row["kind"] == kind
    ]
    assert result
    return result


@pytest.mark.parametrize(("params", "value"), rows("adp_advantage"))
def test_advantage_of_a_budget(params, value, capsys):
    line = f"risk --epsilon {params['epsilon']} --delta {params['delta']}"
    assert parsed(capsys, *line.split())["risk"]["advantage"] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(("params", "value"), rows("adp_tradeoff_beta"))
def test_true_alarms_of_a_budget(params, value, capsys):
    line = f"risk --epsilon {params['epsilon']} --delta {params['delta']} --fpr {params['alpha']}"
    assert parsed(capsys, *line.split())["risk"]["tpr"] == pytest.approx(1.0 - value, abs=1e-12)


@pytest.mark.parametrize(("params", "value"), rows("gdp_tradeoff_beta"))
def test_true_alarms_of_a_gaussian(params, value, capsys):
    line = f"risk --delta 1e-5 --sigma 3 --sensitivity {3 * params['mu']} --fpr {params['alpha']}"
    result = parsed(capsys, *line.split())
    assert result["risk"]["tpr"] == pytest.approx(1.0 - value, abs=1e-9)
    assert result["risk"] == result["exact"]
    # What follows from one point of the curve is never less.
    assert result["from_budget"]["tpr"] > result["exact"]["tpr"]


@pytest.mark.parametrize(("params", "value"), rows("gdp_advantage"))
def test_advantage_of_a_gaussian(params, value, capsys):
    line = f"risk --delta 1e-5 --sigma 1 --sensitivity {params['mu']}"
    assert parsed(capsys, *line.split())["risk"]["advantage"] == pytest.approx(value, abs=1e-9)


def test_a_run_against_published_figures(capsys):
    ((params, missed),) = rows("dpsgd_tradeoff_beta_pld")
    ((_, advantage),) = rows("dpsgd_advantage_pld")
    assert (params["q"], params["sigma"], params["steps"]) == (0.01, 1.0, 1000)
    result = parsed(capsys, *RUN.split(), "--fpr", str(params["alpha"]))
    assert result["risk"]["tpr"] == pytest.approx(1.0 - missed, abs=1e-3)
    assert result["risk"]["advantage"] == pytest.approx(advantage, abs=1e-4)
    assert result["epsilon"] == pytest.approx(1.829, abs=1e-3)
    assert result["from_budget"]["advantage"] > 4.0 * result["exact"]["advantage"]


def test_the_example_of_the_reference_notes(capsys):
    sigma = parsed(capsys, "sigma", "--epsilon", "1", "--delta", "1e-5")["sigma"]
    result = parsed(capsys, *BUDGET.split(), "--sigma", str(sigma * (1.0 + 1e-12)))
    assert result["exact"]["advantage"] == pytest.approx(0.107, abs=5e-4)
    assert result["exact"]["tpr"] == pytest.approx(0.0198, abs=5e-5)
    assert result["from_budget"]["advantage"] == pytest.approx(0.462, abs=5e-4)
    assert result["from_budget"]["tpr"] == pytest.approx(0.027, abs=5e-4)
    assert result["within_budget"]
    assert result["reason"] == ""


@pytest.mark.parametrize("prior", [0.01, 0.5, 0.9])
def test_belief_and_guessing_by_hand(prior, capsys):
    line = f"risk --delta 1e-5 --sigma 2 --prior {prior} --fpr 0.05"
    result = parsed(capsys, *line.split())["exact"]
    true = stats.norm.cdf(stats.norm.ppf(0.05) + 0.5)
    assert result["tpr"] == pytest.approx(true, rel=1e-12)
    assert result["posterior"] == pytest.approx(
        prior * true / (prior * true + (1.0 - prior) * 0.05), rel=1e-12
    )
    # The best guess between N(0, 1) and N(μ, 1): a threshold at μ/2 + ln((1-π)/π)/μ.
    cut = 0.25 + math.log((1.0 - prior) / prior) / 0.5
    right = prior * stats.norm.sf(cut - 0.5) + (1.0 - prior) * stats.norm.cdf(cut)
    assert result["success"] == pytest.approx(right, rel=1e-9)


def test_of_a_hundred_people(capsys):
    figures = parsed(capsys, *BUDGET.split())["risk"]
    assert figures["right_of_100"] == math.ceil(50.0 * (1.0 + figures["advantage"])) == 74
    assert "at most 74 are right. Without the release it would be 50." in figures["sentence"]
    open_book = parsed(capsys, *["risk", "--delta", "1e-5", "--sigma", "0.01"])["risk"]
    assert open_book["right_of_100"] == 100
    assert "more than 99 may be right: next to nothing is promised" in open_book["sentence"]
    silent = parsed(capsys, *["risk", "--delta", "1e-5", "--sigma", "1e9"])["risk"]
    assert silent["right_of_100"] == 51
    assert "fewer than 51 are right" in silent["sentence"]


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_the_wording_follows_the_adjacency(adjacency, capsys):
    for line in (BUDGET, RUN):
        result = parsed(capsys, *line.split(), "--adjacency", adjacency)
        assert result["adjacency"] == str(adjacency)
        assert result["guess"] == QUESTION[adjacency]
        assert QUESTION[adjacency] in result["risk"]["sentence"]
        assert QUESTION[adjacency] in said(capsys, *line.split(), "--adjacency", adjacency)


def test_replacing_a_record_moves_the_sum_twice_as_far(capsys):
    line = "risk --delta 1e-5 --sigma 4 --steps 1 --adjacency replace-one"
    result = parsed(capsys, *line.split())
    one = parsed(capsys, *["risk", "--delta", "1e-5", "--sigma", "2"])
    assert result["epsilon"] == pytest.approx(one["epsilon"], rel=1e-4)
    assert result["exact"]["tpr"] == pytest.approx(one["exact"]["tpr"], rel=1e-3)
    assert result["exact"]["tpr"] >= one["exact"]["tpr"]


def test_fixed_batches_have_a_curve_below_the_weaker_bound(capsys):
    line = "risk --delta 1e-5 --sigma 8 --sampling-rate 0.01 --steps 100 --sampling fixed"
    result = parsed(capsys, *line.split())
    assert result["risk"] == result["exact"]
    assert result["exact"]["tpr"] < result["from_budget"]["tpr"]
    assert result["adjacency"] == "replace-one"
    assert result["reason"] == ""
    cost = parsed(capsys, *line.replace("risk", "epsilon").split())
    assert result["epsilon"] == cost["epsilon"]


def test_a_mechanism_beyond_its_budget_is_told_so(capsys):
    result = parsed(capsys, *BUDGET.split(), "--sigma", "2")
    spent = float(analytic_epsilon(2.0, 1e-5))
    assert not result["within_budget"]
    assert f"its ε is {spent}" in result["reason"]
    assert result["reason"] in said(capsys, *BUDGET.split(), "--sigma", "2")


def test_the_text_holds_both_bounds(capsys):
    text = said(capsys, *BUDGET.split(), "--sigma", "4", "--prior", "0.2", "--fpr", "0.1")
    assert "believes it beforehand by 0.2, takes 0.1 false alarms." in text
    assert "At most, from 0.25-GDP:" in text
    assert "At most, from (ε, δ) = (1, 1e-05) alone:" in text


@pytest.mark.parametrize(
    "value", ["nan", "inf", "-inf", "-1", "1e400", "", "ε", "2", "0", "\udcff"], ids=ascii
)
@pytest.mark.parametrize("field", ["prior", "fpr", "delta"])
def test_a_hostile_share_is_refused_in_one_sentence(field, value, capsys):
    options = {"epsilon": "1", "delta": "1e-5"} | {field: value}
    sentence = refused(capsys, "risk", *(f"--{name}={text}" for name, text in options.items()))
    assert sentence.startswith(f"{field} is ")


BAD: list[tuple[str, tuple[str, ...]]] = [
    ("risk --epsilon 1", ("--delta",)),
    ("risk --delta 1e-5", ("epsilon is missing", "--sigma")),
    ("risk --delta 1e-5 --epsilon=-1", ("epsilon", "-1", "above 0")),
    ("risk --delta 1e-5 --epsilon inf", ("epsilon", "inf")),
    ("risk --delta 1e-5 --epsilon ε", ("epsilon", "'ε'")),
    ("risk --delta 1e-5 --sigma 0", ("sigma", "0")),
    ("risk --delta 1e-5 --sigma nan", ("sigma", "nan")),
    ("risk --delta 1e-5 --sigma 1 --sensitivity 0", ("sensitivity", "0")),
    (f"{BUDGET} --sensitivity 2", ("sensitivity", "--sigma")),
    (f"{BUDGET} --steps 2", ("steps", "--sigma")),
    (f"{BUDGET} --adjacency neighbours", ("adjacency", "'neighbours'", "replace-one")),
    (f"{BUDGET} --fpr 0.5 --prior 1", ("prior", "1", "below 1")),
    (f"{RUN} --accountant gdp", ("no theorem",)),
    (f"{RUN} --sampling fixed --adjacency add-remove", ("no theorem", "add-remove")),
]


@pytest.mark.parametrize(("line", "words"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_is_refused_in_one_sentence(line, words, capsys):
    sentence = refused(capsys, *line.split())
    assert all(word in sentence for word in words), sentence
