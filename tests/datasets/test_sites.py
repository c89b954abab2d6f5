"""Sets whose records come from several sites, one of which is held out."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import Preparation, entry, load, prepare, read_upload
from dpcore.datasets.catalogue import BY_KEY, assemble
from dpcore.datasets.files import checksum
from dpcore.datasets.text import read_checked
from dpcore.errors import InvalidInput
from dpcore.evaluation.baselines import usual
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study, study_of
from tests.datasets.test_clinics import source_of

KEY = "heart_sites"


def four_sites(made_up):
    result = source_of(KEY)
    files = [made_up(KEY, 10 * place, place) for place in range(1, 5)]
    raws = [read_checked(result.layout, data, "made-up") for data in files]
    return assemble(result, raws, published=True, sites=result.entry.sites)


def test_a_record_has_the_site_of_its_file_and_no_model_sees_it(made_up):
    table = four_sites(made_up)
    assert table.frame["site"].tolist() == np.repeat(entry(KEY).sites, [10, 20, 30, 40]).tolist()
    assert list(table.frame.columns) == [column.name for column in table.entry.columns]
    assert not any(name.startswith("site") for name in prepare(table).feature_names)
    asked = prepare(table, Preparation(include=("site",)))
    assert "site = Long Beach" in asked.feature_names


def test_exactly_the_site_held_out_is_tested_whatever_its_records_hold(made_up):
    table = four_sites(made_up)
    preparation = Preparation(held_out="Hungary", seed=3, test_fraction=0.5)
    split = prepare(table, preparation)
    assert (split.records, split.tested) == (80, 20)
    everywhere = prepare(replace(table, frame=table.frame.assign(site="Cleveland")))
    rows = np.vstack([everywhere.x_train, everywhere.x_test])
    assert all((rows == row).all(axis=1).any() for row in split.x_test)
    blanked = replace(table, label=np.where(np.arange(100) == 10, 0, table.label).astype(np.int8))
    fewer = prepare(blanked, preparation)
    assert np.array_equal(fewer.x_train, split.x_train)
    assert np.array_equal(fewer.x_test, split.x_test[1:])
    assert fewer.tested == 20


def test_a_site_held_out_is_one_split_for_models_and_for_baselines(made_up):
    preparation = Preparation(held_out="Switzerland", norm="clip")
    result = splits(four_sites(made_up), preparation)
    assert len(result) == 1
    assert result[0].tested == 30
    assert usual(preparation).held_out == "Switzerland"
    assert len(splits(four_sites(made_up), Preparation())) > 1
    # A tree is judged on the same records as a line.
    study = Study(KEY, methods=("opera", "decision-tree"), preparation=preparation)
    (of_tree,) = splits(four_sites(made_up), study_of(study, "decision-tree").preparation)
    assert np.array_equal(of_tree.y_test, result[0].y_test)
    assert of_tree.records == result[0].records


def test_a_value_of_zero_that_cannot_be_is_unknown():
    result = source_of(KEY)
    lines = [b"60,1,4,0,0,?,0,120,1,-.5,2,?,7,3", b"54,0,2,130,?,0,2,99,0,0,?,0,?,0"]
    raw = read_checked(result.layout, b"\n".join(lines) + b"\n", "made-up")
    frame = assemble(result, [raw], published=True, sites=["Switzerland"]).frame
    assert np.isnan(frame["chol"]).all()
    assert np.isnan(frame["trestbps"]).tolist() == [True, False]
    assert frame["oldpeak"].tolist() == [-0.5, 0.0]
    assert frame["fbs"].isna().tolist() == [True, False]


def test_a_site_that_does_not_exist_is_refused(made_up):
    with pytest.raises(InvalidInput, match=r"held_out is 'Paris', but it must be one of Cleveland"):
        prepare(four_sites(made_up), Preparation(held_out="Paris"))
    with pytest.raises(InvalidInput, match="held_out is 'Paris', but it must be left out"):
        prepare(load("breast_cancer"), Preparation(held_out="Paris"))


def test_a_file_is_known_by_its_checksum_also_where_two_sets_have_it(made_up, monkeypatch):
    data = made_up("heart", 25)
    for key in ("heart", KEY):
        result = source_of(key)
        first = replace(result.entry.files[0], sha256=checksum(data))
        files = (first, *result.entry.files[1:])
        changed = replace(result, entry=replace(result.entry, files=files))
        monkeypatch.setitem(BY_KEY, key, changed)
    assert read_upload("heart", data, "f").published
    assert set(read_upload(KEY, data, "f").frame["site"]) == {"Cleveland"}
    with pytest.raises(InvalidInput, match=r"'f' is the file processed\.cleveland\.data of Heart"):
        read_upload("bank", data, "f")
    with pytest.raises(InvalidInput, match="'mine' is none of the published files of Heart"):
        read_upload(KEY, made_up(KEY), "mine")
