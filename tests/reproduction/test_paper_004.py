"""Paper 004's experiments on the built-in digits: files, certificates, verdicts both ways."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpcore.progress import silent
from dpcore.reproduction import paper_004, sensitivity_004, trainings
from dpcore.reproduction.report import (
    NOT_SUPPORTED,
    PARTLY,
    SUPPORTED,
    UNCHECKED,
    ExperimentOrder,
    reproduce,
)

ORDER = ExperimentOrder("x", "out", None, 2, 2, silent)


@pytest.fixture
def few_values(monkeypatch):
    """Fewer settings to train."""
    monkeypatch.setattr(paper_004, "LEVELS", (0.3, 1.0))
    monkeypatch.setattr(paper_004, "GRID_EPSILONS", (0.3, 1.2))
    monkeypatch.setattr(
        paper_004, "SIZES", {"batch": (500, 1_000), "units": (16, 32), "clip": (2.0, 4.0)}
    )


@pytest.mark.slow("repeats an experiment of a paper")
@pytest.mark.usefixtures("few_values")
@pytest.mark.parametrize(
    ("kind", "number", "dataset"),
    [
        ("figure", 3, "breast_cancer"),
        ("figure", 4, "digits"),
        ("figure", 5, "digits"),
        ("table", 1, "digits"),
    ],
)
def test_an_experiment_leaves_tables_pictures_and_verdicts(kind, number, dataset, tmp_path):
    result = reproduce(
        "paper-004",
        **{kind: number},  # type: ignore[arg-type]
        output=str(tmp_path),
        datasets=(dataset,),
        runs=2,
        epochs=1,
    )
    assert {Path(path).name for path in result["files"]} == {p.name for p in tmp_path.iterdir()}
    rows = pd.read_csv(tmp_path / f"paper-004-{kind}-{number}.csv")
    about = [v for v in result["verdicts"] if "stands in for it" in v["seen"]]
    assert {verdict["verdict"] for verdict in about} == {UNCHECKED}
    if kind == "table":
        assert (rows["seconds_a_step"] > 0).all()
        return
    printed = rows[rows["method"] == "published"]
    assert printed["epsilon"].isna().all()  # nothing is certified for it
    assert printed["claimed_epsilon"].notna().all()


def test_public_weights_are_compared_at_exactly_their_certified_epsilon():
    plain = paper_004.setting("digits", 0.3, ORDER)
    uneven, matched = paper_004.with_public_weights(plain, 1_437)
    ends, _ = trainings.taught(
        [({"method": "public"}, uneven), ({"method": "matched"}, matched)], lambda share, text: None
    )
    public, isotropic = ends["epsilon"]
    assert public == isotropic
    assert public > 0.3
    assert ends["claimed_epsilon"].iloc[0] == pytest.approx(0.3)


@pytest.mark.slow("repeats an experiment of a paper")
def test_figure_2_follows_the_cost_of_shifted_weights(tmp_path):
    actual = reproduce("paper-004", figure=2, output=str(tmp_path), runs=2)
    assert {Path(path).name for path in actual["files"]} == {p.name for p in tmp_path.iterdir()}
    surfaces = pd.read_csv(tmp_path / "paper-004-figure-2-surfaces.csv")
    weights, inputs, wanted = sensitivity_004.trained(0)
    first = surfaces[(surfaces["run"] == 0) & (surfaces["shift"] == 0) & (surfaces["other"] == 0)]
    trained = float(sensitivity_004.cost(weights, inputs, wanted))
    assert first["cost"].to_numpy() == pytest.approx([trained] * 2)
    assert trained < 0.1  # a network that says no to everything has 0.25


def test_the_derivatives_of_the_small_network_are_those_of_its_cost():
    random = np.random.default_rng(1)
    weights, inputs, wanted = random.normal(size=9), random.random((20, 2)), random.random(20)
    small = 1e-6 * np.eye(9)
    both = [sensitivity_004.cost(weights + way * small, inputs, wanted) for way in (1.0, -1.0)]
    assert sensitivity_004.derivatives(weights, inputs, wanted) == pytest.approx(
        (both[0] - both[1]) / 2e-6, abs=1e-8
    )


@pytest.mark.parametrize(
    ("least_at", "sign", "wanted"),
    [(0.1, 1.0, (SUPPORTED, SUPPORTED)), (0.0, -1.0, (NOT_SUPPORTED, NOT_SUPPORTED))],
)
def test_figure_2_is_judged_both_ways(least_at, sign, wanted):
    single = pd.DataFrame(
        {
            "run": 0,
            "derivative": [0.1, 0.2, 0.3],
            "shift": 0.15,
            "change": [sign * 0.1, sign * 0.2, sign * 0.3],
        }
    )
    pairs = pd.DataFrame({"run": 0, "first": "θ1", "shift": [0.0, 0.1, 0.2], "other": 0.0})
    pairs["cost"] = (pairs["shift"] - least_at).abs()
    assert tuple(v.verdict for v in paper_004.judge_sensitivity(single, pairs)) == wanted


def levels(optimized, public):
    """Made-up ends of figure 3; isotropic noise reaches 0.8 everywhere."""
    return pd.DataFrame(
        [
            {
                "method": method,
                "printed_epsilon": level,
                "accuracy": value,
                "accuracy_low": value,
                "accuracy_high": value,
                "epsilon": None if method == "published" else 2.0,
                "claimed_epsilon": level,
            }
            for level in (0.05, 0.3, 1.0)
            for method, value in (
                ("isotropic", 0.8),
                ("published", optimized[level]),
                ("exact", 0.8),
                ("public", public),
                ("matched", 0.8),
            )
        ]
    )


def test_figure_3_is_judged_both_ways():
    good = paper_004.judge_levels(levels({0.05: 0.95, 0.3: 0.9, 1.0: 0.85}, public=0.9))
    assert [v.verdict for v in good] == [
        SUPPORTED,
        NOT_SUPPORTED,  # solved exactly there is nothing to gain, whatever is measured
        SUPPORTED,
        SUPPORTED,
        UNCHECKED,
    ]
    bad = paper_004.judge_levels(levels({0.05: 0.7, 0.3: 0.75, 1.0: 0.79}, public=0.7))
    assert [v.verdict for v in bad] == [NOT_SUPPORTED] * 4 + [UNCHECKED]
    mixed = paper_004.judge_levels(levels({0.05: 0.9, 0.3: 0.79, 1.0: 0.85}, public=0.9))
    assert mixed[0].verdict == mixed[3].verdict == PARTLY
    hardly = paper_004.judge_levels(levels({0.05: 0.8001, 0.3: 0.805, 1.0: 0.809}, public=0.801))
    assert hardly[0].verdict == hardly[2].verdict == NOT_SUPPORTED


@pytest.mark.parametrize(
    ("certified", "wanted"),
    [
        ((0.5, 0.9), SUPPORTED),
        ((0.5, 1.1), PARTLY),
        ((1.1, None), NOT_SUPPORTED),
    ],
)
def test_theorem_1_is_judged_by_what_is_certified(certified, wanted):
    made = pd.DataFrame(
        [{"method": "exact", "claimed_epsilon": 1.0, "epsilon": each} for each in certified]
    )
    assert paper_004.judge_theorem(made).verdict == wanted


def grid(slope, gap):
    """Made-up ends of figure 4; the gap is the one at high privacy."""
    rows = []
    for place, epsilon in enumerate((0.01, 0.3, 1.2)):
        for more, delta in enumerate((1e-5, 1e-2)):
            for method in ("isotropic", "published", "exact"):
                value = 0.5 + slope * (place + more)
                if method == "published" and (epsilon, delta) != (1.2, 1e-2):
                    value += gap
                rows.append(
                    {
                        "method": method,
                        "printed_epsilon": epsilon,
                        "delta": delta,
                        "accuracy": value,
                        "epsilon": 0.5,
                    }
                )
    return pd.DataFrame(rows)


def test_figure_4_is_judged_both_ways():
    good = paper_004.judge_grid(grid(0.1, 0.06))
    assert [v.verdict for v in good] == [SUPPORTED] * 3
    bad = paper_004.judge_grid(grid(-0.1, -0.06))
    assert [v.verdict for v in bad] == [NOT_SUPPORTED, SUPPORTED, NOT_SUPPORTED]
    assert paper_004.judge_grid(grid(0.1, 0.02))[2].verdict == PARTLY


def structure(lots, units, clip, plain):
    """Made-up ends of figure 5; each number is the range of accuracy over the values."""
    return pd.DataFrame(
        [
            {
                "parameter": key,
                "method": method,
                "value": value,
                "accuracy": (0.6 if method == "isotropic" else 0.7) + place * change,
            }
            for key, ours in (("batch", lots), ("units", units), ("clip", clip))
            for method, change in (("isotropic", plain), ("published", ours))
            for place, value in enumerate((1.0, 2.0))
        ]
    )


def test_figure_5_is_judged_both_ways():
    good = paper_004.judge_structure(structure(lots=0.0, units=0.01, clip=0.1, plain=0.015))
    assert [v.verdict for v in good] == [SUPPORTED] * 4
    bad = paper_004.judge_structure(structure(lots=0.1, units=0.1, clip=0.0, plain=0.05))
    assert [v.verdict for v in bad] == [NOT_SUPPORTED] * 4


@pytest.mark.parametrize(("seconds", "wanted"), [(0.9, SUPPORTED), (9.0, NOT_SUPPORTED)])
def test_moderate_is_at_most_twice(seconds, wanted):
    made = pd.DataFrame(
        {
            "method": ["nonprivate", "isotropic", "published"],
            "seconds_a_step": [0.3, 0.6, seconds],
        }
    )
    assert paper_004.judge_times(made)[0].verdict == wanted
