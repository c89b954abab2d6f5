"""One release: σ, ε or δ from the other two, by any mechanism."""

import pytest

from dpcore.cli.output import upward
from dpcore.mechanisms.gaussian import analytic_delta, analytic_epsilon, analytic_sigma
from tests.cli.commands import parsed, refused, said

GAUSSIAN = {
    "sigma": (["--epsilon", "1", "--delta", "1e-5"], analytic_sigma(1.0, 1e-5)),
    "epsilon": (["--sigma", "3", "--delta", "1e-5"], analytic_epsilon(3.0, 1e-5)),
    "delta": (["--epsilon", "1", "--sigma", "3"], analytic_delta(1.0, 3.0)),
}


@pytest.mark.parametrize("question", GAUSSIAN)
def test_a_gaussian_answer_in_text_and_in_json(question, capsys):
    arguments, value = GAUSSIAN[question]
    text = said(capsys, question, *arguments)
    assert text.startswith(f"{question} = {upward(value)}\n")
    assert "mechanism: analytic" in text
    result = parsed(capsys, question, *arguments)
    assert result[question] == value
    assert result["mechanism"] == "analytic"
    assert result["adjacency"]
    assert [condition["met"] for condition in result["conditions"]] == [True]


def test_the_answer_is_in_the_units_of_the_query(capsys):
    arguments = ["--epsilon", "1", "--delta", "1e-5", "--sensitivity", "20"]
    result = parsed(capsys, "sigma", *arguments)
    assert result["sigma"] == analytic_sigma(1.0, 1e-5, 20.0)
    assert result["sensitivity"] == 20.0
    ladder = parsed(capsys, "sigma", *arguments, "--ladder")["ladder"]
    sigmas = {row["mechanism"]: row["sigma"] for row in ladder}
    assert sigmas["analytic"] == result["sigma"]


def test_the_classical_answer_from_epsilon_one_on_is_null_and_no_error(capsys):
    arguments = ["sigma", "--epsilon", "1", "--delta", "1e-5", "--mechanism", "classical"]
    result = parsed(capsys, *arguments)
    assert result["sigma"] is None
    assert result["claim"]["sigma"] == pytest.approx(4.8448, abs=1e-4)
    assert [c["met"] for c in result["conditions"]] == [False, True]
    assert result["certified_epsilon"] == analytic_epsilon(result["claim"]["sigma"], 1e-5)
    text = said(capsys, *arguments)
    assert "sigma = (no proved value)" in text
    assert "NOT met: ε < 1" in text
    assert "claim (printed formula): sigma = 4.84480" in text


def test_where_no_finite_epsilon_holds_none_is_told(capsys):
    arguments = ["epsilon", "--sigma", "1e-100", "--sensitivity", "1e100", "--delta", "1e-5"]
    assert parsed(capsys, *arguments)["epsilon"] is None
    assert said(capsys, *arguments).startswith("epsilon = ∞\n")


@pytest.mark.parametrize("mechanism", ["zcdp", "tcdp", "rdp", "pld"])
@pytest.mark.parametrize("question", GAUSSIAN)
def test_every_mechanism_answers_every_question_on_the_safe_side(question, mechanism, capsys):
    arguments, exact = GAUSSIAN[question]
    result = parsed(capsys, question, *arguments, "--mechanism", mechanism)
    assert result[question] > exact
    assert result["mechanism"] == mechanism
    text = said(capsys, question, *arguments, "--mechanism", mechanism)
    assert text.startswith(f"{question} = {upward(result[question])}\nmechanism: {mechanism}, ")


def test_the_ladder_holds_every_mechanism_and_says_which_is_a_claim_only(capsys):
    arguments = ["sigma", "--epsilon", "1", "--delta", "1e-5", "--ladder"]
    rungs = parsed(capsys, *arguments)["ladder"]
    every = ["analytic", "classical", "pld", "rdp", "tcdp", "zcdp"]
    assert sorted(rung["mechanism"] for rung in rungs) == every
    for rung in rungs:
        alone = parsed(capsys, *arguments[:-1], "--mechanism", rung["mechanism"])
        assert rung == alone
    lines = said(capsys, *arguments).splitlines()
    assert [line.split()[0] for line in lines[1:]] == [rung["mechanism"] for rung in rungs]
    (unproved,) = [line for line in lines if "claim only" in line]
    assert unproved.startswith("classical")


BAD: list[tuple[str, tuple[str, ...]]] = [
    ("sigma --epsilon 1", ("--delta",)),
    ("sigma --epsilon nan --delta 1e-5", ("epsilon", "nan", "above 0")),
    ("sigma --epsilon inf --delta 1e-5", ("epsilon", "inf")),
    ("sigma --epsilon=-1 --delta 1e-5", ("epsilon", "-1", "above 0")),
    ("sigma --epsilon much --delta 1e-5", ("epsilon", "'much'")),
    ("sigma --epsilon 1 --delta 0", ("delta", "0")),
    ("sigma --epsilon 1 --delta 1.5", ("delta", "1.5")),
    ("sigma --epsilon 1 --delta 1e-5 --sensitivity 0", ("sensitivity", "0")),
    ("sigma --epsilon 1 --delta 1e-5 --mechanism laplace", ("mechanism", "'laplace'")),
    ("sigma --epsilon 1 --delta 1e-5 --ladder --mechanism pld", ("mechanism", "'pld'", "ladder")),
    ("sigma --epsilon 1e-13 --delta 1e-5 --mechanism rdp", ("epsilon", "1e-13", "1e-12")),
    ("sigma --epsilon 1 --delta 1e-301 --mechanism zcdp", ("delta", "1e-301", "1e-300")),
    ("sigma --epsilon 1e-12 --delta 1e-300 --mechanism pld", ("for this ε and δ", "1e+10")),
    ("epsilon --sigma 1e-9 --delta 1e-5 --mechanism tcdp", ("σ over sensitivity", "1e-09")),
    ("epsilon --sigma 1 --delta 1e-5 --ladder", ("--ladder",)),
    ("delta --epsilon 1 --sigma 1 --steps 3", ("--steps",)),
    ("epsilon --sigma 0 --delta 1e-5", ("sigma", "0", "above 0")),
    ("delta --epsilon 1 --sigma=-2", ("sigma", "-2")),
]


@pytest.mark.parametrize(("line", "words"), BAD, ids=[line or "nothing" for line, _ in BAD])
def test_bad_input_is_refused_in_one_sentence(line, words, capsys):
    sentence = refused(capsys, *line.split())
    assert all(word in sentence for word in words), sentence
