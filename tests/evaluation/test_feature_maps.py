"""The rule's feature map at each ε: by public values alone, and each row with its own map."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.datasets import Preparation, load, prepare
from dpcore.datasets.feature_rule import MAPS
from dpcore.datasets.images.tabular import from_split
from dpcore.errors import InvalidInput
from dpcore.evaluation import uploaded
from dpcore.evaluation.curves import all_curves
from dpcore.evaluation.feature_maps import by_map
from dpcore.evaluation.study import Study
from dpcore.evaluation.sweep import sweep

BY_RULE = Preparation(features="rule")
EPSILONS = {"plain": (0.1,), "additive": (1.0, 8.0), "fine": (60.0,)}
OF_COHORT = Study("cohort", 400, methods=("nonprivate", "outpert", "dpgd"), delta=1e-5, runs=2)
# Not by size, so that the order has to be kept.
STUDY = replace(OF_COHORT, epsilons=(60.0, 0.1, 8.0, 1.0), preparation=BY_RULE)


@pytest.fixture(scope="module")
def table():
    return load("cohort", records=400)


@pytest.fixture(scope="module")
def split(table):
    return prepare(table, BY_RULE)


def taken(study, split):
    return {rows[0].preparation.features: set(one.epsilons) for one, rows in by_map(study, split)}


def test_each_epsilon_has_one_map_and_finer_ones_come_with_less_noise(split):
    assert taken(STUDY, split) == {name: set(epsilons) for name, epsilons in EPSILONS.items()}


def test_no_record_and_no_label_has_a_say(table, split):
    generator = np.random.default_rng(0)
    frame = table.frame.iloc[generator.permutation(table.records)].reset_index(drop=True)
    label = np.where(generator.random(table.records) < 0.5, 0, -table.label)
    label = label.astype(table.label.dtype)
    other = prepare(replace(table, frame=frame, label=label, published=False), BY_RULE)
    assert not np.array_equal(other.x_train, split.x_train)
    assert taken(STUDY, other) == taken(STUDY, split)
    assert list(other.maps) == list(split.maps)
    for name, one in other.maps.items():
        assert one.feature_names == split.maps[name].feature_names


def test_twice_the_sensitivity_needs_half_the_noise_for_the_same_map(split):
    grid = tuple(np.geomspace(0.01, 100.0, 60))
    edges = []
    for adjacency in ("zero-out", "replace-one"):
        maps = taken(replace(STUDY, adjacency=adjacency, epsilons=grid), split)
        edges.append([min(maps[name]) for name in MAPS])
    zero_out, replace_one = edges
    assert replace_one[1:] > zero_out[1:]
    for early, late in zip(zero_out[1:], replace_one[1:], strict=True):
        assert 1.5 < late / early < 3.0


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize("answer", [sweep, all_curves])
def test_every_row_is_the_one_of_its_own_map(answer, table, split):
    whole = answer(STUDY, split=split)
    pairs = whole[["method", "epsilon"]].drop_duplicates()
    expected = [(method, epsilon) for method in STUDY.methods for epsilon in STUDY.epsilons]
    assert list(pairs.itertuples(index=False, name=None)) == expected
    for features, epsilons in EPSILONS.items():
        preparation = Preparation(features=features)
        study = replace(STUDY, epsilons=epsilons, preparation=preparation)
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
