"""`audit` on the command line."""

import pytest

from tests.cli.commands import parsed, refused, said

FEW = ["--runs", "400"]


def test_a_method_and_its_copy_with_less_noise(capsys):
    text = said(capsys, "audit", "--method", "opera", *FEW)
    assert "opera, sound edition: promise ε = 4, δ = 1e-05, replace-one" in text
    assert "not refuted" in text
    assert len(set(text.splitlines()[1::2])) == 3  # each attack says what tells it from the others
    assert "400 releases on either set prove ε ≥ " in text
    result = parsed(capsys, "audit", "--method", "opera", *FEW, "--noise-share", "0.5")["audit"]
    assert {row["adjacency"] for row in result} == {"replace-one", "zero-out"}
    assert {row["edition"] for row in result} == {"sound"}
    for row in result:
        assert row["refuted"]
        assert row["lower_bound"] > 4.0 >= row["epsilon"] > 3.999
        assert (row["noise_share"], row["runs"], row["confidence"]) == (0.5, 400, 0.99)


def test_what_can_not_be_attacked_is_one_sentence(capsys):
    assert "method is 'nonprivate'" in refused(capsys, "audit", "--method", "nonprivate")
    assert "noise-share is 2" in refused(capsys, "audit", "--method", "opera", "--noise-share", "2")
    assert "proves nothing at ε = 2" in refused(
        capsys, "audit", "--method", "outpert", "--epsilon", "2"
    )


@pytest.mark.slow("runs whole commands, which train")
def test_one_training_and_its_copy_with_less_noise(capsys):
    text = said(capsys, "audit", "--one-run")
    assert text.startswith("one training: promise ε = 0.9999")
    assert "not refuted" in text
    assert "Of 4,000 canaries" in text
    assert "tuned to find out a training with a third of the noise" in text
    result = parsed(capsys, "audit", "--one-run", "--canaries", "2000", "--noise-share", "0.25")
    row = result["audit"]
    assert row["refuted"]
    assert row["lower_bound"] > 1.0 >= row["epsilon"] > 0.999
    assert row["tuned_to_noise_share"] == pytest.approx(1.0 / 3.0)
    assert "a third of the noise" in row["about"]
    assert row["canaries"] == 2_000 > row["guesses"] > row["right"] > 0


def test_options_of_the_other_audit_are_refused(capsys):
    assert "runs is 400" in refused(capsys, "audit", "--one-run", "--runs", "400")
    assert "canaries is 500" in refused(capsys, "audit", "--method", "opera", "--canaries", "500")
    assert "canaries is 50" in refused(capsys, "audit", "--one-run", "--canaries", "50")
