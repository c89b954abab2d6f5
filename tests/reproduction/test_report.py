"""What the papers share: the register, verdicts by places, stand-ins, bad input."""

import math
from pathlib import Path

import pytest

from dpcore.errors import InvalidInput
from dpcore.progress import silent
from dpcore.reproduction.report import (
    NOT_SUPPORTED,
    PARTLY,
    SUPPORTED,
    UNCHECKED,
    Conclusion,
    ExperimentOrder,
    on_stand_in,
    ordering,
    reproduce,
)


@pytest.mark.parametrize(
    ("gains", "margin", "wanted"),
    [
        ((0.1, 0.1, 0.1), 0.0, SUPPORTED),
        ((0.1, 0.1, -0.1), 0.0, PARTLY),
        ((0.1, -0.1, -0.1), 0.0, NOT_SUPPORTED),
        ((0.0, 0.0, 0.0), 0.0, NOT_SUPPORTED),
        ((math.nan, math.nan, math.nan), 0.0, NOT_SUPPORTED),
        ((0.1, 0.1, 0.1), 0.2, NOT_SUPPORTED),
    ],
)
@pytest.mark.parametrize("higher", [True, False])
def test_an_ordering_is_judged_by_clear_wins(gains, margin, wanted, higher):
    sign = 1.0 if higher else -1.0
    places = [(f"place {at}", 0.5 + sign * gain, 0.5, margin) for at, gain in enumerate(gains)]
    verdict = ordering("A beats B.", places, better="A", worse="B", what="score", higher=higher)
    assert verdict.verdict == wanted


def test_a_stand_in_decides_nothing():
    for verdict in (SUPPORTED, PARTLY, NOT_SUPPORTED):
        made = Conclusion("So it is.", verdict, "In 1 of 1.")
        assert on_stand_in(made, "MNIST", "digits").verdict == UNCHECKED


def test_the_stand_in_is_taken_only_where_nothing_was_named():
    def order(datasets):
        return ExperimentOrder("x", "out", datasets, None, None, silent)

    def nothing(key):
        return "built in" if key == "digits" else "download"

    assert order(None).wanted(("mnist",), nothing, "digits") == (("digits",), ("mnist",))
    assert order(("digits", "mnist")).wanted(("mnist",), nothing) == (("digits",), ("mnist",))
    with pytest.raises(InvalidInput, match="mnist, but none of them is at hand"):
        order(("mnist",)).wanted(("mnist",), nothing, "digits")


@pytest.mark.parametrize(
    ("paper", "arguments", "words"),
    [
        ("paper-001", {"figure": 1}, ("paper", "'paper-001'", "paper-003")),
        ("paper-000", {"figure": 7}, ("figure", "7", "1, 2, 3, 4, 5 or 6")),
        ("paper-000", {"table": 2}, ("table", "2", "1")),
        ("paper-000", {"figure": 2, "table": 1}, ("figure and table", "exactly one")),
        ("paper-000", {"figure": 2, "epochs": 3}, ("epochs", "figure 6")),
        ("paper-000", {"figure": 2, "datasets": ("nowhere",)}, ("dataset", "'nowhere'")),
        ("paper-000", {"figure": 2, "datasets": ()}, ("datasets", "empty")),
        ("paper-002", {"figure": 2, "epochs": 3}, ("epochs", "paper 002")),
        ("paper-002", {"figure": 2, "datasets": ("digits",)}, ("dataset", "'digits'")),
        ("paper-003", {}, ("figure and table", "exactly one")),
        ("paper-003", {"table": 1, "runs": 0}, ("runs", "0")),
        ("paper-004", {"figure": 3, "epochs": 0}, ("epochs", "0")),
        ("paper-003", {"figure": 1, "datasets": ("digits",)}, ("digits", "several labels")),
        ("paper-003", {"table": 1, "datasets": ("chest_features",)}, ("one class",)),
        ("paper-004", {"figure": 2, "epochs": 3}, ("epochs", "150")),
    ],
)
def test_bad_arguments_are_named_before_anything_is_written(paper, arguments, words, tmp_path):
    output = tmp_path / "out"
    with pytest.raises(InvalidInput) as caught:
        reproduce(paper, output=str(output), **arguments)  # type: ignore[arg-type]
    assert all(word in str(caught.value) for word in words)
    assert not output.exists()


@pytest.mark.parametrize(
    ("paper", "arguments"),
    [
        ("paper-000", {"figure": 1}),
        *(("paper-002", which) for which in ({"figure": 1}, {"table": 1}, {"table": 2})),
        ("paper-004", {"figure": 1}),
        ("paper-004", {"table": 2}),
    ],
)
def test_what_cannot_be_run_again_leaves_a_verdict_that_says_why(paper, arguments, tmp_path):
    result = reproduce(paper, output=str(tmp_path), **arguments)  # type: ignore[arg-type]
    (verdict,) = result["verdicts"]
    assert verdict["verdict"] == UNCHECKED
    assert verdict["seen"].endswith(".")
    assert [Path(path).name for path in result["files"]] == [f"{result['what']}.json"]
