"""`verify` on the command line."""

import sys

import pytest

from dpcore.cli import main
from tests.cli.commands import parsed, refused


def test_a_method_and_its_copy_with_less_noise(capsys):
    honest = parsed(capsys, "verify", "--method", "opera", "--outputs", "400")
    assert not honest["beaten"]
    copy = ["--method", "opera", "--outputs", "400", "--noise-share", "0.5"]
    result = parsed(capsys, "verify", *copy)
    # A copy with less noise is no fault of the code.
    assert not result["beaten"]
    assert {row["adjacency"] for row in result["verify"]} == {"replace-one", "zero-out"}
    for before, row in zip(honest["verify"], result["verify"], strict=True):
        assert (before["verdict"], row["verdict"]) == ("not refuted", "refuted")
        assert before["attacked"] < before["proved"] == row["proved"] < 4.0 < row["attacked"]
        # It is refuted at the first look, and drawing stops.
        assert (row["noise_share"], row["outputs"], row["confidence"]) == (0.5, 100, 0.99)


def test_a_claim_in_print_is_refuted_where_more_is_proved(capsys):
    words = ["--method", "grpua", "--edition", "published", "--epsilon", "1"]
    rows = parsed(capsys, "verify", *words)["verify"]
    refuted = [row for row in rows if row["verdict"] == "refuted"]
    assert refuted
    for row in refuted:
        assert 0.99 < row["claimed"] <= row["attacked"] < row["proved"]


def test_code_that_beats_what_is_proved_ends_with_1(capsys, monkeypatch):
    from dpcore.erm import method

    real = method.noise_generator
    assert main(["verify", "--method", "opera", "--outputs", "200"]) == 0

    class Less:
        def __init__(self, *given):
            self.inner = real(*given)

        def __getattr__(self, name):
            return getattr(self.inner, name)

        def standard_normal(self, *given, **named):
            return 0.4 * self.inner.standard_normal(*given, **named)

    for module in list(sys.modules.values()):
        if getattr(module, "noise_generator", None) is real:
            monkeypatch.setattr(module, "noise_generator", Less)
    assert main(["verify", "--method", "opera", "--outputs", "200"]) == 1
    told = capsys.readouterr().err
    assert "Refuted" in told
    assert "opera: Replay at ε = 0.9: " in told.splitlines()[-5]


def test_a_replay_comes_first_and_an_alarm_of_it_ends_with_1(capsys, monkeypatch):
    from dpcore.questions.verify import question

    row, *_ = parsed(capsys, "verify", "--method", "dpgd", "--outputs", "100")["verify"]
    assert (row["replayed"], row["alarms"], row["unseen"]) == (20, 0, 0)
    assert row["moved"] == pytest.approx(1.0)
    half = ["verify", "--method", "dpgd", "--outputs", "100", "--noise-share", "0.5"]
    row, *_ = parsed(capsys, *half)["verify"]
    assert row["moved"] == pytest.approx(2.0)
    assert row["alarms"] > 0
    assert row["alarm"].startswith("dpgd.py:")
    found = {name: row[name] for name in ("replayed", "alarms", "alarm", "moved", "unseen")}
    monkeypatch.setattr(question, "replayed", lambda *_: {**found, "replay_seconds": 0.0})
    assert main(["verify", "--method", "dpgd", "--outputs", "100"]) == 1
    assert f"dpgd: Replay at ε = 0.9: {row['alarm']}" in capsys.readouterr().err


def test_one_training_and_its_copy_with_less_noise(capsys):
    honest = parsed(capsys, "verify", "--method", "one-run")["verify"]
    assert [row["verdict"] for row in honest] == ["not refuted", "not refuted"]
    copy = parsed(capsys, "verify", "--method", "one-run", "--noise-share", "0.25")["verify"]
    assert [row["verdict"] for row in copy] == ["refuted", "refuted"]
    assert all(row["attacked"] > 1.0 >= row["proved"] > 0.999 for row in copy)


def test_too_few_outputs_decide_nothing(capsys):
    words = ["--method", "opera", "--epsilon", "0.1", "--outputs", "100"]
    for row in parsed(capsys, "verify", *words)["verify"]:
        assert (row["verdict"], row["attacked"]) == ("cannot be decided", 0.0)
        assert row["needed"] > 100


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--method nonprivate", "method is 'nonprivate'"),
        ("--method opera --noise-share 2", "noise-share is 2"),
        ("--method outpert --epsilon 2", "proves nothing at ε = 2"),
        ("--method opera --outputs 5", "outputs is 5"),
        ("--method k-means --edition published", "method is 'k-means'"),
    ],
)
def test_what_can_not_be_attacked_is_one_sentence(line, told, capsys):
    assert told in refused(capsys, "verify", *line.split())
