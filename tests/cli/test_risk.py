"""What an attacker can find out, on the command line: exact, and from (ε, δ) alone."""

import pytest

from dpcore.mechanisms.gaussian import analytic_epsilon
from tests.cli.commands import parsed, refused, said

BUDGET = "risk --epsilon 1 --delta 1e-5"
RUN = "risk --delta 1e-5 --sigma 1 --sampling-rate 0.01 --steps 1000"


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
    ("risk --delta 1e-5 --sigma 0", ("sigma", "0")),
    (f"{BUDGET} --sensitivity 2", ("sensitivity", "--sigma")),
    (f"{BUDGET} --steps 2", ("steps", "--sigma")),
    (f"{BUDGET} --adjacency neighbours", ("adjacency", "'neighbours'", "replace-one")),
    (f"{RUN} --accountant gdp", ("no theorem",)),
    (f"{RUN} --sampling fixed --adjacency add-remove", ("no theorem", "add-remove")),
]


@pytest.mark.parametrize(("line", "words"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_is_refused_in_one_sentence(line, words, capsys):
    sentence = refused(capsys, *line.split())
    assert all(word in sentence for word in words), sentence
