"""One release: σ, ε or δ from the other two, by any mechanism."""

import pytest

from dpcore.mechanisms.gaussian import analytic_sigma
from tests.cli.commands import parsed, refused, said


def test_the_answer_is_in_the_units_of_the_query(capsys):
    arguments = ["--epsilon", "1", "--delta", "1e-5", "--sensitivity", "20"]
    result = parsed(capsys, "sigma", *arguments)
    assert result["sigma"] == analytic_sigma(1.0, 1e-5, 20.0)
    ladder = parsed(capsys, "sigma", *arguments, "--ladder")["ladder"]
    sigmas = {row["mechanism"]: row["sigma"] for row in ladder}
    assert sigmas["analytic"] == result["sigma"]


def test_where_no_finite_epsilon_holds_none_is_told(capsys):
    arguments = ["epsilon", "--sigma", "1e-100", "--sensitivity", "1e100", "--delta", "1e-5"]
    assert parsed(capsys, *arguments)["epsilon"] is None
    assert said(capsys, *arguments).startswith("epsilon = ∞\n")


BAD: list[tuple[str, tuple[str, ...]]] = [
    ("sigma --epsilon 1", ("--delta",)),
    ("sigma --epsilon nan --delta 1e-5", ("epsilon", "nan", "above 0")),
    ("sigma --epsilon much --delta 1e-5", ("epsilon", "'much'")),
    ("sigma --epsilon 1 --delta 0", ("delta", "0")),
    ("sigma --epsilon 1 --delta 1.5", ("delta", "1.5")),
    ("sigma --epsilon 1 --delta 1e-5 --sensitivity 0", ("sensitivity", "0")),
    ("sigma --epsilon 1 --delta 1e-5 --mechanism laplace", ("mechanism", "'laplace'")),
    ("sigma --epsilon 1 --delta 1e-5 --ladder --mechanism pld", ("mechanism", "'pld'", "ladder")),
    ("sigma --epsilon 1e-13 --delta 1e-5 --mechanism rdp", ("epsilon", "1e-13", "10⁻¹²")),
    ("sigma --epsilon 1 --delta 1e-301 --mechanism zcdp", ("delta", "1e-301", "10⁻³⁰⁰")),
    ("sigma --epsilon 1e-12 --delta 1e-300 --mechanism pld", ("for this ε and δ", "10¹⁰")),
    ("epsilon --sigma 1e-9 --delta 1e-5 --mechanism tcdp", ("σ over sensitivity", "1e-9")),
    ("delta --epsilon 1 --sigma 1 --steps 3", ("--steps",)),
    ("epsilon --sigma 0 --delta 1e-5", ("sigma", "0", "above 0")),
]


@pytest.mark.parametrize(("line", "words"), BAD, ids=[line or "nothing" for line, _ in BAD])
def test_bad_input_is_refused_in_one_sentence(line, words, capsys):
    sentence = refused(capsys, *line.split())
    assert all(word in sentence for word in words), sentence
