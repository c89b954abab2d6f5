"""`audit` on the command line."""

import pytest

from tests.cli.commands import parsed, refused


def test_a_method_and_its_copy_with_less_noise(capsys):
    honest = parsed(capsys, "audit", "--method", "opera", "--runs", "400")["audit"]
    assert not any(row["refuted"] for row in honest)
    copy = ["--method", "opera", "--runs", "400", "--noise-share", "0.5"]
    result = parsed(capsys, "audit", *copy)["audit"]
    assert {row["adjacency"] for row in result} == {"replace-one", "zero-out"}
    for row in result:
        assert row["refuted"]
        assert row["lower_bound"] > 4.0 >= row["epsilon"] > 3.999
        assert (row["noise_share"], row["runs"], row["confidence"]) == (0.5, 400, 0.99)


@pytest.mark.slow("trains with thousands of canaries")
def test_one_training_and_its_copy_with_less_noise(capsys):
    honest = parsed(capsys, "audit", "--one-run")["audit"]
    assert not honest["refuted"]
    copy = ["--one-run", "--canaries", "2000", "--noise-share", "0.25"]
    row = parsed(capsys, "audit", *copy)["audit"]
    assert row["refuted"]
    assert row["lower_bound"] > 1.0 >= row["epsilon"] > 0.999
    assert row["canaries"] == 2_000 > row["guesses"] > row["right"] > 0


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--method nonprivate", "method is 'nonprivate'"),
        ("--method opera --noise-share 2", "noise-share is 2"),
        ("--method outpert --epsilon 2", "proves nothing at ε = 2"),
        ("--one-run --runs 400", "runs is 400"),
        ("--method opera --canaries 500", "canaries is 500"),
        ("--one-run --canaries 50", "canaries is 50"),
    ],
)
def test_what_can_not_be_attacked_is_one_sentence(line, told, capsys):
    assert told in refused(capsys, "audit", *line.split())
