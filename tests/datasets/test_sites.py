"""Sets whose records come from several sites, one of which is held out."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from dpcore.controls.explore import HELD_OUT
from dpcore.datasets import Preparation, entry, load, prepare, read_upload
from dpcore.datasets.catalogue import assemble, register, source
from dpcore.datasets.download import checksum
from dpcore.datasets.sources import FileSource
from dpcore.datasets.text import read_checked
from dpcore.errors import InvalidInput
from dpcore.evaluation.baselines import usual
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study, of_a_model
from dpcore.export.report.build import report
from dpcore.export.report.gather import gathered
from dpcore.export.report.html import html

MadeUp = Callable[..., bytes]
KEY = "heart_sites"


def source_of(key):
    result = source(key)
    assert isinstance(result, FileSource)
    return result


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
    (of_tree,) = splits(four_sites(made_up), of_a_model(study, "decision-tree").preparation)
    assert np.array_equal(of_tree.y_test, result[0].y_test)
    assert of_tree.records == result[0].records


@pytest.mark.slow("reads large or many files")
def test_a_report_says_which_site_it_was_tested_on_and_what_was_dropped(made_up):
    table = four_sites(made_up)
    study = Study(KEY, runs=2, preparation=Preparation(held_out="Switzerland"))
    text = html(report(gathered(study, 1.0, "outpert", records=table), date(2026, 11, 25)))
    assert "All records of Switzerland are tested on" in text
    assert "30 of Switzerland tested on" in text
    for said in ("drawn at random", "with internal validation", "from one source"):
        assert said not in text
    study = replace(study, preparation=Preparation(missing="drop"))
    text = html(report(gathered(study, 1.0, "outpert", records=table), date(2026, 11, 25)))
    assert "every record without an unknown value" in text
    assert "a few more or fewer in the others" in text
    assert "every record that the description admits" not in text


def test_a_value_of_zero_that_cannot_be_is_unknown(made_up):
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
        monkeypatch.setitem(register(), key, changed)
    assert read_upload("heart", data, "f").published
    assert set(read_upload(KEY, data, "f").frame["site"]) == {"Cleveland"}
    with pytest.raises(InvalidInput, match=r"'f' is the file processed\.cleveland\.data of Heart"):
        read_upload("bank", data, "f")
    with pytest.raises(InvalidInput, match="'mine' is none of the published files of Heart"):
        read_upload(KEY, made_up(KEY), "mine")


def test_the_site_is_a_control_where_a_set_has_several_and_stands_in_the_address():
    assert HELD_OUT.shown({"data": KEY})
    assert not HELD_OUT.shown({"data": "heart"})
    assert [HELD_OUT.value(HELD_OUT.text(site)) for site in ("", *entry(KEY).sites)] == [
        "",
        *entry(KEY).sites,
    ]
    assert len(entry(KEY).sites) == len(entry(KEY).files)
