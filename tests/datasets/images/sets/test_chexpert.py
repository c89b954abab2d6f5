"""CheXpert from a folder made up here in its layout."""

import numpy as np
import pytest
from PIL import Image

from dpcore.datasets import DataUnavailable, images
from dpcore.errors import InvalidInput

HEADER = (
    "Path,Sex,Age,Frontal/Lateral,AP/PA,No Finding,Cardiomegaly,Edema,Consolidation,Atelectasis,"
    "Pleural Effusion,Support Devices"
)
#        patient, view, (cardiomegaly, edema, consolidation, atelectasis, effusion), grey value
TRAIN = [
    (1, "Frontal", ("1.0", "", "0.0", "-1.0", "-1.0"), 10),
    (1, "Lateral", ("1.0", "", "0.0", "-1.0", "1.0"), 20),
    (2, "Frontal", ("", "1.0", "", "", "0.0"), 30),
    (2, "Frontal", ("-1.0", "0.0", "1.0", "1.0", ""), 40),
]
VALID = [(64541, "Frontal", ("0.0", "1.0", "0.0", "0.0", "1.0"), 250)]


def make(folder, train=TRAIN, valid=VALID):
    root = folder / "CheXpert-v1.0-small"
    for part, rows in (("train", train), ("valid", valid)):
        lines = [HEADER]
        for place, (patient, view, labels, grey) in enumerate(rows):
            name = f"{part}/patient{patient:05}/study1/view{place}_{view.lower()}.jpg"
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            Image.new("L", (390, 320), grey).save(root / name, quality=95)
            lines.append(f"CheXpert-v1.0-small/{name},Female,60,{view},AP,,{','.join(labels)},")
        (root / f"{part}.csv").write_text("\n".join(lines) + "\n")
    return root


@pytest.fixture
def root(tmp_path):
    return make(tmp_path)


def test_frontal_images_and_the_five_labels_in_their_order(root):
    result = images.load("chexpert", folder=root, side=16)
    findings = ("atelectasis", "cardiomegaly", "consolidation", "edema", "pleural effusion")
    assert result.names == findings
    assert result.train_inputs.shape == (3, 1, 16, 16)
    assert result.train_inputs[:, 0, 8, 8] * 255 == pytest.approx([10, 30, 40], abs=1)
    assert result.train_targets.tolist() == [[0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [1, 0, 1, 0, 0]]
    assert result.test_targets.tolist() == [[0, 0, 0, 1, 1]]
    assert not result.published


@pytest.mark.parametrize(
    ("policy", "first", "third"),
    [
        ("zeros", [0, 1, 0, 0, 0], [1, 0, 1, 0, 0]),
        ("ones", [1, 1, 0, 0, 1], [1, 1, 1, 0, 0]),
        ("ignore", [np.nan, 1, 0, 0, np.nan], [1, np.nan, 1, 0, 0]),
    ],
)
def test_uncertain_labels_follow_the_policy(policy, first, third, root):
    result = images.load("chexpert", folder=root, side=8, uncertainty=policy)
    assert np.array_equal(result.train_targets[[0, 2]], [first, third], equal_nan=True)
    assert result.notes[-1] == f"3 uncertain training labels were taken by the policy {policy}."


def test_the_local_data_folder_is_counted_without_reading_images(tmp_path, monkeypatch):
    monkeypatch.setenv("DPCORE_DATA", str(tmp_path))
    assert images.availability("chexpert") == "folder"
    with pytest.raises(DataUnavailable, match="CheXpert is not at hand"):
        images.records("chexpert")
    root = make(tmp_path / "chexpert")
    for image in root.rglob("*.jpg"):
        image.unlink()
    assert images.availability("chexpert") == "local"
    assert images.records("chexpert") == 3


def test_all_views_and_one_image_a_patient(root):
    assert images.load("chexpert", folder=root, side=8, views="all").records == 4
    one = images.load("chexpert", folder=root, side=8, images="one")
    assert one.train_inputs[:, 0, 4, 4] * 255 == pytest.approx([10, 30], abs=1)
    assert one.notes[0] == "2 of 3 training images are the first of a patient."


def test_some_records_are_drawn_by_the_seed(root):
    drawn = [
        images.load("chexpert", folder=root, side=8, views="all", records=2, seed=seed)
        for seed in (0, 0, 1, 2, 3)
    ]
    assert {result.records for result in drawn} == {2}
    assert np.array_equal(drawn[0].train_inputs, drawn[1].train_inputs)
    assert len({result.train_inputs.tobytes() for result in drawn}) > 1
    with pytest.raises(InvalidInput, match=r"records is 5, but .* at most 4"):
        images.load("chexpert", folder=root, side=8, views="all", records=5)


def edit(root, old, new):
    table = root / "train.csv"
    text = table.read_text()
    assert old in text
    table.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Edema", "Oedema", r"train\.csv has no column Edema, but it must have Path"),
        (",1.0,,0.0,-1.0,-1.0,", ",1.0,,0.0,-1.0,2,", r"train\.csv, line 2: Pleural Ef.* is '2'"),
        ("CheXpert-v1.0-small/train", "CheXpert-v1.0-small/../..", "within the folder"),
        ("CheXpert-v1.0-small/train", "/etc", "within the folder"),
        ("view0_frontal", "view9_frontal", r"view9_frontal\.jpg is not there"),
        ("train/patient00001/study1/view0_frontal.jpg", "train.csv", r"train\.csv cannot be"),
        ("Female,60,Frontal", "Female", r"train\.csv, line 2: it has 10 fields, but .* 12"),
        ("Female,", "Female," * 9, r"train\.csv, line 2: it has 20 fields, but .* 12"),
    ],
)  # fmt: skip
def test_tables_that_are_wrong_are_refused(old, new, reason, root):
    edit(root, old, new)
    with pytest.raises(InvalidInput, match=reason) as refused:
        images.load("chexpert", folder=root, side=8)
    assert str(refused.value).count(". ") == 0
