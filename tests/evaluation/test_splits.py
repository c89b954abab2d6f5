"""Repeated splits: how many, of whom, and what is averaged over them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.datasets import Preparation, Split, Table, load, prepare
from dpcore.erm.method import noise_generator
from dpcore.evaluation import sweep as sweeping
from dpcore.evaluation.curves import closed_form, summarise
from dpcore.evaluation.scoring import spread, spread_over
from dpcore.evaluation.splits import COUNTS, each, judged, splits, splits_of
from dpcore.evaluation.study import Study, fitting, problem_for
from dpcore.evaluation.sweep import sweep

STUDY = Study(methods=("nonprivate", "opera", "dpgd"), epsilons=(0.5, 5.0), runs=12, steps=20)


@pytest.fixture(scope="module")
def parts() -> tuple[Split, ...]:
    return splits(load("breast_cancer"), Preparation())


@pytest.fixture(scope="module")
def rows(parts: tuple[Split, ...]) -> pd.DataFrame:
    return sweep(STUDY, split=parts)


def of_size(records: int) -> Table:
    """A table of so many records without further ones."""
    table = load("cohort", records=max(100, records))
    return replace(table, frame=table.frame[:records], label=table.label[:records], further=None)


@pytest.mark.parametrize(
    ("records", "count"),
    [(100, 10), (497, 10), (500, 5), (1_000, 5), (1_250, 2), (2_497, 2), (2_500, 1), (30_000, 1)],
)
def test_the_fewer_records_are_tested_the_more_often_they_are_split(
    records: int, count: int
) -> None:
    found = splits(of_size(records), Preparation())
    assert len(found) == count
    # A fifth is tested: all splits together test 500, or there are ten of them.
    assert count * found[0].tested >= 500 or count == max(COUNTS)


def test_a_cohort_is_judged_once_whatever_its_size() -> None:
    for records in (100, 3_000):
        (only,) = splits_of("cohort", records, Preparation())
        assert (only.records, only.tested) == (records, 10_000)


def test_the_first_split_is_the_usual_one_and_no_two_are_alike(parts: tuple[Split, ...]) -> None:
    table = load("breast_cancer")
    assert len(parts) == 5
    for place, part in enumerate(parts):
        own = prepare(table, Preparation(seed=place))
        assert np.array_equal(part.x_train, own.x_train)
        assert np.array_equal(part.y_test, own.y_test)
    assert len({part.x_test.tobytes() for part in parts}) == 5
    # After the last seed there is, they go on with the first.
    last = splits(table, Preparation(seed=2**63 - 1))
    assert np.array_equal(last[1].x_test, parts[0].x_test)


def test_together_they_test_nearly_every_record(parts: tuple[Split, ...]) -> None:
    assert judged(parts[0]) == 114
    assert judged(parts) == 569
    assert judged(parts[:2]) == 228
    rows = np.unique(np.vstack([part.x_test for part in parts]), axis=0)
    assert len(rows) > 0.6 * 569  # 1 - (4/5)^5 of them
    assert each(parts[0]) == (parts[0],)


# What is averaged


def test_closed_forms_are_means_over_the_splits(parts: tuple[Split, ...]) -> None:
    study = replace(STUDY, methods=("nonprivate", "opera"))
    found = closed_form(study, parts)
    alone = [closed_form(study, part) for part in parts]
    for column in ("accuracy", "accuracy_low", "auc", "accuracy_noiseless", "objective"):
        wanted = np.mean([table[column] for table in alone], axis=0)
        assert found[column].to_numpy() == pytest.approx(wanted, rel=1e-12)
        assert (np.std([table[column] for table in alone], axis=0) > 0).any()
    assert set(found["splits"]) == {5}
    assert set(alone[0]["splits"]) == {1}
    for column in ("sigma", "sensitivity", "delta", "status", "steps"):
        assert found[column].equals(alone[0][column])


def test_runs_take_the_splits_in_turn(rows: pd.DataFrame, parts: tuple[Split, ...]) -> None:
    assert (rows["split"] == rows["run"] % 5).all()
    wanted = [(m, e, r) for m in STUDY.methods for e in STUDY.epsilons for r in range(12)]
    assert list(zip(rows["method"], rows["epsilon"], rows["run"], strict=True)) == wanted
    # On its split a run is judged as a sweep on that split alone judges it.
    exact = rows[(rows["method"] == "nonprivate") & (rows["epsilon"] == 0.5)]
    for place, part in enumerate(parts):
        alone = sweep(replace(STUDY, methods=("nonprivate",), runs=1), split=part)
        here = exact.loc[exact["split"] == place, "accuracy_test"]
        assert set(here) == set(alone["accuracy_test"])
    summary = summarise(rows, STUDY, parts)
    assert set(summary["splits"]) == {5}
    assert set(summary["runs"]) == {12}


def test_the_noise_free_twin_belongs_to_the_split(rows: pd.DataFrame) -> None:
    twins = rows.groupby(["method", "epsilon", "split"])["accuracy_noiseless"].nunique()
    assert (twins == 1).all()
    exact = rows[rows["method"] == "nonprivate"]
    assert (exact["accuracy_noiseless"] == exact["accuracy_test"]).all()
    noisy = rows[(rows["method"] == "dpgd") & (rows["epsilon"] == 0.5)]
    assert (noisy["accuracy_noiseless"] != noisy["accuracy_test"]).any()


def test_fewer_runs_than_splits_take_the_first_ones(parts: tuple[Split, ...]) -> None:
    rows = sweep(replace(STUDY, runs=2), split=parts)
    assert set(rows["split"]) == {0, 1}
    first = sweep(replace(STUDY, runs=1), split=parts)
    alone = sweep(replace(STUDY, runs=1), split=parts[0])
    pd.testing.assert_frame_equal(
        first.drop(columns="seconds"), alone.drop(columns="seconds"), check_exact=True
    )


def test_no_two_splits_share_a_draw_of_noise(
    parts: tuple[Split, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[int] = []
    original = sweeping.Training

    def noted(*arguments: object, **more: object) -> object:
        training = original(*arguments, **more)  # type: ignore[arg-type]
        seeds.append(training.seed)  # type: ignore[arg-type]
        return training

    monkeypatch.setattr(sweeping, "Training", noted)
    sweep(replace(STUDY, methods=("opera",), runs=10, seed=7), split=parts)
    assert seeds[0] == 7
    assert len(set(seeds)) == 5
    draws = [noise_generator(seed, run).standard_normal(4) for seed in seeds for run in range(2)]
    assert len({draw.tobytes() for draw in draws}) == 10
    # Nor do the splits of studies with neighbouring seeds.
    every = {sweeping._seed(seed, place) for seed in range(300) for place in range(1, 10)}
    assert len(every) == 2_700
    assert every.isdisjoint(range(300))


def test_the_weights_of_two_splits_carry_different_noise(
    rows: pd.DataFrame, parts: tuple[Split, ...]
) -> None:
    """The same records five times over: whatever differs is the noise."""
    same = sweep(replace(STUDY, methods=("opera",), runs=10), split=[parts[0]] * 5)
    objective = same[same["epsilon"] == 0.5]["objective"]
    assert objective.nunique() == 10


def test_calibrations_are_made_anew_for_a_split_of_another_size(parts: tuple[Split, ...]) -> None:
    study = replace(STUDY, methods=("opera",))
    made = fitting(study, problem_for(study, parts[0]), parts[0], None)
    assert fitting(study, problem_for(study, parts[1]), parts[1], made) is made
    fewer = replace(
        parts[1],
        x_train=parts[1].x_train[1:],
        y_train=parts[1].y_train[1:],
        blank=parts[1].blank[1:],
    )
    anew = fitting(study, problem_for(study, fewer), fewer, made)
    assert anew["opera"][0].sigma > made["opera"][0].sigma


# The band of single runs


def test_on_one_split_the_spread_is_the_usual_one() -> None:
    values = np.random.default_rng(0).standard_normal(60)
    for places in (np.zeros(60, dtype=int), np.arange(60)):  # or a run for each split
        assert [float(x) for x in spread_over(values, places)] == [float(x) for x in spread(values)]


def width(band: tuple[np.ndarray, np.ndarray, np.ndarray]) -> float:
    return float(band[2] - band[1])


@pytest.mark.parametrize(("splits_", "runs"), [(2, 30), (5, 30), (10, 30), (10, 20)])
def test_the_band_is_that_of_the_noise_whatever_lies_between_the_splits(
    splits_: int, runs: int
) -> None:
    generator, sigma, wanted = np.random.default_rng(1), 0.02, 2 * 1.6449 * 0.02
    places = np.arange(runs) % splits_
    widths, plain, means = [], [], []
    for _ in range(2_000):
        offsets = generator.normal(0.0, 0.2, splits_)  # ten times the noise
        values = 0.7 + offsets[places] + sigma * generator.standard_normal(runs)
        band = spread_over(values, places)
        assert band[1] <= band[0] <= band[2]
        widths.append(width(band))
        plain.append(width(spread(values)))
        means.append(float(band[0]) - 0.7 - offsets.mean())
    # Accepts σ, and would tell ⅔ σ and 3/2 σ: quantiles of few runs lie a little inside.
    assert np.mean(widths) == pytest.approx(wanted, rel=0.13)
    assert np.mean(plain) > 3.0 * wanted  # what counting the splits as noise would give
    assert abs(np.mean(means)) < 4.0 * sigma / np.sqrt(runs * 2_000)


def test_few_runs_on_a_split_are_widened_for_their_own_mean() -> None:
    """Two runs lie 1/√2 of σ from their mean; without the factor the band would be too narrow."""
    generator = np.random.default_rng(2)
    places = np.repeat(np.arange(1_000), 2)
    values = 50.0 * places + generator.standard_normal(2_000)
    assert width(spread_over(values, places)) == pytest.approx(2 * 1.6449, rel=0.08)


def test_splits_of_unlike_counts_are_weighed_alike() -> None:
    values, places = np.array([1.0, 1.0, 1.0, 5.0, 5.0]), np.array([0, 0, 0, 1, 1])
    assert [float(x) for x in spread_over(values, places)] == [3.0, 3.0, 3.0]
