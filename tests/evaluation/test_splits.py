"""Repeated splits: how many, of whom, and what is averaged over them."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.datasets import Preparation, load, prepare
from dpcore.datasets.features import MAPS
from dpcore.datasets.images.catalogue import from_split
from dpcore.datasets.partition import tested as held_out
from dpcore.errors import InvalidInput
from dpcore.evaluation import uploaded
from dpcore.evaluation.curves import all_curves, closed_form, summarise
from dpcore.evaluation.scoring import (
    ACCURACY,
    Metric,
    columns_for,
    deviations,
    over_runs,
    spread,
    spread_over,
)
from dpcore.evaluation.splits import (
    ERROR,
    MAX,
    by_map,
    each,
    judged,
    number_of_splits,
    splits,
    splits_of,
)
from dpcore.evaluation.study import Study, calibrations_of
from dpcore.evaluation.sweep import noise_on, sweep
from dpcore.predictors import linear

STUDY = Study(methods=("nonprivate", "opera", "dpgd"), epsilons=(0.5, 5.0), runs=12, steps=20)


@pytest.fixture(scope="module")
def parts():
    return tuple(splits(load("breast_cancer"), Preparation())[:5])


@pytest.fixture(scope="module")
def rows(parts):
    return sweep(STUDY, split=parts)


def of_size(records):
    """A table of so many records without further ones."""
    table = load("cohort", records=max(100, records))
    return replace(table, frame=table.frame[:records], label=table.label[:records], further=None)


@pytest.mark.parametrize(
    ("records", "count"),
    [
        *((2, 100), (100, 100), (303, 100), (400, 100)),  # at the most
        *((403, 99), (569, 71), (1_797, 23), (2_100, 20)),
        *((9_997, 20), (9_998, 5), (19_998, 3), (20_003, 2), (40_000, 2), (40_003, 1)),
    ],
)
def test_the_fewer_records_are_tested_the_more_often_they_are_split(records, count):
    held = max(1, round(0.2 * records))
    assert number_of_splits(records, held) == count
    if count < MAX:
        # Whatever the accuracy of a model is, half a point is all that the splits leave of it.
        generator = np.random.default_rng(0)
        right = generator.hypergeometric(records // 2, records - records // 2, held, 2_000)
        assert np.std(right / held) / np.sqrt(count) < 1.05 * ERROR


def test_how_many_there_are_hangs_on_public_numbers_alone():
    table = of_size(600)
    emptied = replace(table, label=np.where(np.arange(600) < 400, 0, table.label))
    for preparation in (Preparation(), Preparation(missing="drop")):
        assert len(splits(emptied, preparation)) == len(splits(table, preparation)) == 67
    assert len(splits(table, Preparation(test_fraction=0.5))) == 20


def by_class(table, seed, fraction):
    preparation = Preparation(seed=seed, test_fraction=fraction, stratified=True)
    return held_out(table, preparation)[1]


@pytest.mark.parametrize("fraction", [0.2, 0.137, 0.5, 0.97])
@pytest.mark.parametrize("key", ["breast_cancer", "optical_digits"])
def test_every_class_is_tested_at_its_share_to_one_record(key, fraction):
    table = load(key)
    classes = [table.label == label for label in np.unique(table.label)]
    off = []
    for seed in range(20):
        test = by_class(table, seed, fraction)
        assert test.sum() == round(fraction * table.records)  # as many as without classes
        for members in classes:
            assert abs(test[members].sum() - test.sum() * members.mean()) < 1.0
        usual = held_out(table, Preparation(seed=seed, test_fraction=fraction))[1]
        off += [abs(usual[own].sum() - test.sum() * own.mean()) for own in classes]
    # A draw that does not look at the labels is further off.
    assert max(off) > 2.0


def test_within_a_class_every_record_is_tested_equally_often():
    table = load("breast_cancer")
    often = np.mean([by_class(table, seed, 0.2) for seed in range(400)], axis=0)
    # The scatter of 569 shares of 400 draws at 1 in 5, and its ends.
    assert np.std(often) == pytest.approx(0.4 / np.sqrt(400), rel=0.15)
    assert np.abs(often - 0.2).max() < 4.5 * 0.4 / np.sqrt(400)


def test_only_published_records_of_classes_are_split_by_class():
    table, number = load("breast_cancer"), load("diabetes")
    assert all(one.preparation.stratified for one in splits(table, Preparation())[:3])
    assert not splits(number, Preparation())[0].preparation.stratified
    for other in (replace(table, published=False), number):
        with pytest.raises(InvalidInput, match=r"^stratified is True, but it must be False: "):
            prepare(other, Preparation(stratified=True))


@pytest.mark.slow("trains many models")
def test_on_ones_own_records_no_record_moves_another():
    table, person = replace(of_size(600), published=False), 7
    for label in (-table.label[person], 0):  # another class, or blank
        changed = table.label.copy()
        changed[person] = label
        neighbour = replace(table, label=changed)
        every = splits(table, Preparation()), splits(neighbour, Preparation())
        assert len(every[0]) == len(every[1]) == 67
        for one, two in zip(*every, strict=True):
            masks = [held_out(table, part.preparation)[1] for part in (one, two)]
            assert np.array_equal(*masks)
            moved = (one.x_train != two.x_train).any(axis=1) | (one.y_train != two.y_train)
            assert moved.sum() == (not masks[0][person])
        # By class it would move others, which shows.
        pair = [replace(each_, published=True) for each_ in (table, neighbour)]
        assert any((by_class(pair[0], s, 0.2) != by_class(pair[1], s, 0.2)).any() for s in range(5))


@pytest.mark.parametrize(("records", "fraction"), [(200, 0.2), (203, 0.2), (37, 0.3), (101, 0.97)])
def test_ones_own_records_are_tested_in_turn(records, fraction):
    table = replace(of_size(records), published=False)
    preparations = splits(table, Preparation(test_fraction=fraction, seed=3)).preparations
    masks = np.array([held_out(table, preparation)[1] for preparation in preparations])
    assert len(masks) >= 20
    assert (masks.sum(axis=1) == round(fraction * records)).all()
    assert len(np.unique(masks, axis=0)) == len(masks)
    for count in range(1, len(masks) + 1):
        often = masks[:count].sum(axis=0)
        assert often.max() - often.min() <= 1


def test_a_cohort_is_judged_once():
    for records in (100, 3_000):
        (only,) = splits_of("cohort", records, Preparation())
        assert (only.records, only.tested) == (records, 10_000)


def test_a_single_split_is_the_usual_one_and_no_two_are_alike(parts):
    large = of_size(40_003)
    (only,) = splits(large, Preparation(seed=3))
    assert np.array_equal(only.x_train, prepare(large, Preparation(seed=3)).x_train)
    table = load("breast_cancer")
    for place, part in enumerate(parts):
        own = prepare(table, Preparation(seed=place, stratified=True))
        assert np.array_equal(part.x_train, own.x_train)
        assert np.array_equal(part.y_test, own.y_test)
    assert len({part.x_test.tobytes() for part in parts}) == 5
    # After the last seed there is, they go on with the first.
    last = splits(table, Preparation(seed=2**63 - 1))
    assert np.array_equal(last[1].x_test, parts[0].x_test)


def test_together_they_test_nearly_every_record(parts):
    assert judged(parts[0]) == 114
    assert judged(parts) == 569
    assert judged(parts[:2]) == 228
    rows = np.unique(np.vstack([part.x_test for part in parts]), axis=0)
    assert len(rows) > 0.6 * 569  # 1 - (4/5)^5 of them
    assert each(parts[0]) == (parts[0],)


def test_closed_forms_are_means_over_the_splits(parts):
    study = replace(STUDY, methods=("nonprivate", "opera"))
    actual = closed_form(study, parts)
    alone = [closed_form(study, part) for part in parts]
    for column in ("accuracy", "missed_per_1000", "auc", "accuracy_noiseless", "objective"):
        values = [table[column] for table in alone]
        assert actual[column].to_numpy() == pytest.approx(np.mean(values, axis=0), rel=1e-12)
        error = np.std(values, axis=0, ddof=1) / np.sqrt(5)
        assert actual[f"{column}_split_error"].to_numpy() == pytest.approx(error, rel=1e-9)
        assert (error > 0).any()
        assert alone[0][f"{column}_split_error"].isna().all()
    for column in ("accuracy", "auc", "balanced_accuracy", "objective", "excess_risk"):
        noise = [table[f"{column}_noise_deviation"] ** 2 for table in alone]
        wanted = np.sqrt(np.mean(noise, axis=0))
        # Each from 200 draws: neither 3/2 of the noise nor ⅔ of it.
        assert actual[f"{column}_noise_deviation"].to_numpy() == pytest.approx(wanted, rel=0.25)
        still = actual.loc[actual["method"] == "nonprivate", f"{column}_noise_deviation"]
        assert still.to_numpy() == pytest.approx(0.0, abs=1e-12)
    assert set(actual["splits"]) == {5}
    assert set(alone[0]["splits"]) == {1}
    for column in ("sigma", "sensitivity", "delta", "status", "steps"):
        assert actual[column].equals(alone[0][column])


def test_a_trained_method_has_two_runs_on_every_split(parts):
    result = all_curves(replace(STUDY, methods=("opera", "dpgd"), runs=1), parts)
    assert result["splits"].tolist() == [5] * 4
    assert result["runs"].tolist() == [200] * 2 + [10] * 2
    assert result["accuracy_split_error"].notna().all()
    one = replace(STUDY, methods=("dpgd",), runs=1, epsilons=(1.0,))
    (alone,) = all_curves(one, parts[0]).to_dict("records")
    assert alone["runs"] == 1
    assert np.isnan(alone["accuracy_noise_deviation"])


def test_runs_take_the_splits_in_turn_with_the_noise_free_twin_of_each(rows, parts):
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
    twins = rows.groupby(["method", "epsilon", "split"])["accuracy_noiseless"].nunique()
    assert (twins == 1).all()
    exact = rows[rows["method"] == "nonprivate"]
    assert (exact["accuracy_noiseless"] == exact["accuracy_test"]).all()
    noisy = rows[(rows["method"] == "dpgd") & (rows["epsilon"] == 0.5)]
    assert (noisy["accuracy_noiseless"] != noisy["accuracy_test"]).any()


def test_no_two_splits_share_a_draw_of_noise(parts, monkeypatch):
    seeds = []
    original = linear.Training

    def noted(*arguments, **more):
        training = original(*arguments, **more)
        seeds.append(training.seed)
        return training

    monkeypatch.setattr(linear, "Training", noted)
    sweep(replace(STUDY, methods=("opera",), runs=10, seed=7), split=parts)
    assert seeds[0] == 7
    assert len(set(seeds)) == 5
    # Nor do the splits of studies with neighbouring seeds.
    every = {noise_on(seed, place).seed for seed in range(300) for place in range(1, 10)}
    assert len(every) == 2_700
    assert every.isdisjoint(range(300))


def test_calibrations_are_made_anew_for_a_split_of_another_size(parts):
    study = replace(STUDY, methods=("opera",))
    made = calibrations_of(study, parts[0])
    assert calibrations_of(study, parts[1])["opera"] is made["opera"]
    cut = {name: getattr(parts[1], name)[1:] for name in ("x_train", "y_train", "blank")}
    fewer = replace(parts[1], **cut)
    anew = calibrations_of(study, fewer)
    assert anew["opera"][0].sigma > made["opera"][0].sigma


def test_on_one_split_the_spread_is_the_usual_one():
    values = np.random.default_rng(0).standard_normal(60)
    for places in (np.zeros(60, dtype=int), np.arange(60)):  # or a run for each split
        assert [float(x) for x in spread_over(values, places)] == [float(x) for x in spread(values)]


def width(band):
    return float(band[2] - band[1])


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize(("splits_", "runs"), [(2, 30), (5, 30), (10, 30), (10, 20)])
def test_the_band_is_that_of_the_noise_whatever_lies_between_the_splits(splits_, runs):
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


def test_few_runs_on_a_split_are_widened_for_their_own_mean():
    """Two runs lie 1/√2 of σ from their mean; without the factor the band would be too narrow."""
    generator = np.random.default_rng(2)
    places = np.repeat(np.arange(1_000), 2)
    values = 50.0 * places + generator.standard_normal(2_000)
    assert width(spread_over(values, places)) == pytest.approx(2 * 1.6449, rel=0.08)


def test_splits_of_unlike_counts_are_weighed_alike():
    values, places = np.array([1.0, 1.0, 1.0, 5.0, 5.0]), np.array([0, 0, 0, 1, 1])
    assert [float(x) for x in spread_over(values, places)] == [3.0, 3.0, 3.0]


@pytest.mark.parametrize(("noise", "between"), [(0.02, 0.05), (0.04, 0.03), (0.0, 0.03)])
@pytest.mark.parametrize(("count", "runs"), [(20, 40), (100, 230)])
def test_both_parts_are_told_apart(noise, between, count, runs):
    generator, places = np.random.default_rng(3), np.arange(runs) % count
    result = []
    for _ in range(400):
        offsets = generator.normal(0.7, between, count)[places]
        result.append(deviations(offsets + noise * generator.standard_normal(runs), places))
    deviation, error = np.sqrt(np.mean(np.square(result), axis=0))
    # Accepts both, and would tell ⅔ or 3/2 of either, and the noise counted as the splits' own.
    assert deviation == pytest.approx(noise, rel=0.05)
    assert error == pytest.approx(between / np.sqrt(count), rel=0.12)


def test_splits_that_do_not_differ_leave_little():
    generator, places = np.random.default_rng(4), np.arange(200) % 100
    result = [deviations(generator.standard_normal(200), places)[1] for _ in range(300)]
    counted_twice = 1.0 / np.sqrt(2.0 * 100.0)
    assert np.sqrt(np.mean(np.square(result))) < 0.4 * counted_twice


def test_what_cannot_be_told_is_no_number():
    values = np.random.default_rng(5).standard_normal(6)
    assert np.isnan(deviations(values, np.arange(6))).all()  # a run for each split
    noise, error = deviations(values, np.zeros(6, dtype=int))
    assert noise == pytest.approx(np.std(values, ddof=1))
    assert np.isnan(error)


def test_a_band_ends_where_its_measure_does():
    values, places = np.array([1.0, 1.0, 0.6, 1.0] * 5), np.arange(20) // 2
    banded = ACCURACY, Metric("rmse", -1.0, 100.0)
    result = over_runs({"accuracy": values, "rmse": values}, places, banded)
    assert tuple(result) == columns_for(("accuracy", "rmse"), banded)
    assert result["accuracy_high"] == 1.0
    assert result["rmse_high"] > 1.0


def test_runs_without_noise_deviate_by_exactly_nothing():
    one = np.array([0.1, 0.3, 1 / 3])[np.arange(12) % 3]
    noise, _ = deviations(one, np.arange(12) % 3)
    assert noise == 0.0


BY_RULE = Preparation(features="rule")
EPSILONS = {"plain": (0.1,), "additive": (1.0, 8.0), "fine": (60.0,)}
OF_COHORT = Study("cohort", 400, methods=("nonprivate", "outpert", "dpgd"), delta=1e-5, runs=2)
# Not by size, so that the order has to be kept.
BY_RULE_STUDY = replace(OF_COHORT, epsilons=(60.0, 0.1, 8.0, 1.0), preparation=BY_RULE)


@pytest.fixture(scope="module")
def table():
    return load("cohort", records=400)


@pytest.fixture(scope="module")
def split(table):
    return prepare(table, BY_RULE)


def taken(study, split):
    return {rows[0].preparation.features: set(one.epsilons) for one, rows in by_map(study, split)}


def test_each_epsilon_has_one_map_and_finer_ones_come_with_less_noise(split):
    assert taken(BY_RULE_STUDY, split) == {
        name: set(epsilons) for name, epsilons in EPSILONS.items()
    }


def test_no_record_and_no_label_has_a_say(table, split):
    generator = np.random.default_rng(0)
    frame = table.frame.iloc[generator.permutation(table.records)].reset_index(drop=True)
    label = np.where(generator.random(table.records) < 0.5, 0, -table.label)
    label = label.astype(table.label.dtype)
    other = prepare(replace(table, frame=frame, label=label, published=False), BY_RULE)
    assert not np.array_equal(other.x_train, split.x_train)
    assert taken(BY_RULE_STUDY, other) == taken(BY_RULE_STUDY, split)
    assert list(other.maps) == list(split.maps)
    for name, one in other.maps.items():
        assert one.feature_names == split.maps[name].feature_names


def test_twice_the_sensitivity_needs_half_the_noise_for_the_same_map(split):
    grid = tuple(np.geomspace(0.01, 100.0, 60))
    edges = []
    for adjacency in ("zero-out", "replace-one"):
        maps = taken(replace(BY_RULE_STUDY, adjacency=adjacency, epsilons=grid), split)
        edges.append([min(maps[name]) for name in MAPS])
    zero_out, replace_one = edges
    assert replace_one[1:] > zero_out[1:]
    for early, late in zip(zero_out[1:], replace_one[1:], strict=True):
        assert 1.5 < late / early < 3.0


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize("answer", [sweep, all_curves])
def test_every_row_is_the_one_of_its_own_map(answer, table, split):
    whole = answer(BY_RULE_STUDY, split=split)
    pairs = whole[["method", "epsilon"]].drop_duplicates()
    expected = [
        (method, epsilon) for method in BY_RULE_STUDY.methods for epsilon in BY_RULE_STUDY.epsilons
    ]
    assert list(pairs.itertuples(index=False, name=None)) == expected
    for features, epsilons in EPSILONS.items():
        preparation = Preparation(features=features)
        study = replace(BY_RULE_STUDY, epsilons=epsilons, preparation=preparation)
        alone = answer(study, split=prepare(table, preparation))
        here = whole[whole["epsilon"].isin(epsilons)]
        order = ["method", "epsilon", *(["run"] if "run" in alone else [])]
        left, right = (
            rows.sort_values(order, ignore_index=True).drop(columns="seconds", errors="ignore")
            for rows in (here, alone)
        )
        pd.testing.assert_frame_equal(left, right)


def test_the_outline_of_an_upload_holds_no_record_of_any_map():
    described = "a: 0 to 1\npredict y: one of no, yes"
    secret = 0.123456789
    rows = "\n".join(["a,y", *(f"{secret},{'yes' if n % 2 else 'no'}" for n in range(60))])
    uploaded.take_table("own", rows.encode(), "t.csv", described)
    try:
        outline = uploaded.outline(BY_RULE)
        assert tuple(outline.emptied.maps) == MAPS
        assert all(one.records == 0 for one in outline.emptied.maps.values())
        assert np.float64(secret).tobytes() not in pickle.dumps(outline)
    finally:
        uploaded._uploaded.table = uploaded._uploaded.prepared = None


def test_a_network_takes_no_features_by_rule(split):
    with pytest.raises(InvalidInput, match=r"^features is 'rule', but for a network"):
        from_split(split)
    assert from_split(split.maps["plain"]).train_inputs.shape == split.maps["plain"].x_train.shape
