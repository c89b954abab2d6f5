"""CheXpert: 224,316 chest X-rays of 65,240 patients, from a folder of the user's.

Stanford provides the images after registration: the reader was tested on a made-up folder only.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import files
from dpcore.datasets.images.examples import (
    SEED,
    Examples,
    ExamplesEntry,
    ImageSource,
    Inputs,
    Setting,
    unit,
)
from dpcore.datasets.text import quoted
from dpcore.errors import InvalidInput, whole
from dpcore.progress import Progress
from dpcore.settings import DATA
from dpcore.words import spaced

LABELS = ("Atelectasis", "Cardiomegaly", "Consolidation", "Edema", "Pleural Effusion")
"""The five findings of the competition, in its order."""
POLICIES = {"zeros": 0.0, "ones": 1.0, "ignore": np.nan}
SETTINGS = (
    Setting(
        "folder",
        "the folder of train.csv and valid.csv; chexpert in the local data folder when left out",
    ),
    Setting(
        "uncertainty",
        "what an uncertain training label becomes; ignored ones are nan",
        "zeros",
        choices=tuple(POLICIES),
    ),
    Setting(
        "side",
        "of the grey square that every image becomes, in pixels; the frontal images take 0.8 GB "
        "at 32 and four times that at 64",
        32,
        least=8,
        most=512,
    ),
    Setting("views", "which images", "frontal", choices=("frontal", "all")),
    Setting(
        "images",
        "every training image of a patient, or the first only, so that a record is a person",
        "all",
        choices=("all", "one"),
    ),
    Setting("records", "how many training images, drawn at random; all when left out"),
    SEED,
)
_PATH, _VIEW = "Path", "Frontal/Lateral"
_CODES = {"1.0": 1.0, "0.0": 0.0, "": 0.0, "1": 1.0, "0": 0.0}
_UNCERTAIN = ("-1.0", "-1")

ENTRY = ExamplesEntry(
    key="chexpert",
    title="CheXpert",
    records_are="X-ray images",
    source="Stanford ML Group and Stanford AIMI",
    licence="Stanford University Dataset Research Use Agreement: research only, no passing on",
    citation="Irvin, J., Rajpurkar, P., and others (2019). CheXpert: a large chest radiograph "
    "dataset with uncertainty labels and expert comparison. AAAI. doi:10.1609/aaai.v33i01.3301590",
    records=223_414,
    test_records=234,
    side=32,
    task="labels",
    names=tuple(label.lower() for label in LABELS),
    purpose="Tell from a chest X-ray which of five findings it shows.",
    traps=(
        "A patient has several images. A guarantee for an image is not one for a person unless one "
        "image of each is taken.",
        "A blank label means that the report does not mention the finding; it counts as absent, as "
        "in the paper.",
        "Uncertain labels (-1) become 0, become 1 or are ignored; results differ by this choice.",
        "Images are squeezed to squares, whatever their shape.",
        "Training labels were read from reports by a program; those for testing come from three "
        "radiologists and are few (234 images).",
    ),
    how_to_get="Register with Stanford AIMI, unpack CheXpert-v1.0-small, and name its folder.",
)


def _build(
    progress: Progress | None,
    *,
    folder: str | Path | None,
    uncertainty: str,
    side: int,
    views: str,
    images: str,
    records: int | None,
    seed: int,
) -> Examples:
    """Read the folder; decoding all images takes many minutes."""
    policy = POLICIES[uncertainty]
    root = _root(folder)
    train, test = (_table(root / f"{part}.csv", views) for part in ("train", "valid"))
    notes = []
    if images == "one":
        first = {_patient(path): row for row, path in reversed(list(enumerate(train.paths)))}
        notes.append(
            f"{spaced(len(first))} of {spaced(len(train.paths))} training images are the first of "
            "a patient."
        )
        train = train.take(np.sort(list(first.values())))
    if records is not None:
        count = whole("records", records, at_least=1, at_most=len(train.paths))
        rows = np.random.default_rng(seed).permutation(len(train.paths))[:count]
        train = train.take(np.sort(rows))
    uncertain = int(np.isin(train.labels, _UNCERTAIN).sum())
    notes.append(
        f"{spaced(uncertain)} uncertain training labels were taken by the policy {uncertainty}."
    )
    inputs = _images(root, train.paths + test.paths, side, progress)
    count = len(train.paths)
    return Examples(
        entry=replace(ENTRY, records=count, test_records=len(test.paths)),
        train_inputs=inputs[:count],
        train_targets=train.targets(policy),
        test_inputs=inputs[count:],
        test_targets=test.targets(policy),
        notes=tuple(notes),
        published=False,
    )


def _root(folder: str | Path | None) -> Path:
    """The folder with the tables: the given one, or a folder inside it."""
    path = Path(folder).expanduser() if folder else files.local_folder()
    if path is not None and not folder:
        path = path / ENTRY.key
    if path is not None and path.is_dir():
        for candidate in (path, *sorted(path.glob("CheXpert-v1.0*"))):
            if (candidate / "train.csv").is_file() and (candidate / "valid.csv").is_file():
                return candidate
    raise files.DataUnavailable(
        f"{ENTRY.title} is not at hand: register with Stanford AIMI, unpack CheXpert-v1.0-small, "
        f"and set folder to where its train.csv and valid.csv lie, or put it at {ENTRY.key} in the "
        f"folder that {DATA.name} names."
    )


def _at_hand() -> files.Availability:
    try:
        _root(None)
    except files.DataUnavailable:
        return "folder"
    return "local"


def _count() -> int:
    return len(_table(_root(None) / "train.csv", "frontal").paths)


@dataclass(frozen=True)
class _Rows:
    paths: tuple[str, ...]
    labels: NDArray[np.str_]

    def take(self, rows: NDArray[np.int64]) -> _Rows:
        return _Rows(tuple(self.paths[row] for row in rows), self.labels[rows])

    def targets(self, policy: float) -> NDArray[np.float32]:
        """The labels as numbers, shape (n, 5); uncertain ones by the policy."""
        targets = np.full(self.labels.shape, policy, np.float32)
        for text, value in _CODES.items():
            targets[self.labels == text] = value
        return targets


def _table(path: Path, views: str) -> _Rows:
    try:
        lines = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, ValueError, csv.Error):
        raise InvalidInput(f"{path.name} is not a table that can be read.") from None
    header = lines[0] if lines else []
    required = (_PATH, _VIEW, *LABELS)
    for name in required:
        if name not in header:
            raise InvalidInput(
                f"{path.name} has no column {name}, but it must have " + ", ".join(required) + "."
            )
    path_column, view_column, *finding_columns = (header.index(name) for name in required)
    paths, labels = [], []
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(header):
            raise InvalidInput(
                f"{path.name}, line {number}: it has {len(line)} fields, but it must have "
                f"{len(header)} as the header has."
            )
        for column in finding_columns:
            if line[column] not in _CODES and line[column] not in _UNCERTAIN:
                raise InvalidInput(
                    f"{path.name}, line {number}: {header[column]} is {quoted(line[column])}, but "
                    "it must be 1.0, 0.0, -1.0 or blank."
                )
        if views == "all" or line[view_column] == "Frontal":
            paths.append(line[path_column])
            labels.append([line[column] for column in finding_columns])
    if not paths:
        raise InvalidInput(f"{path.name} lists no such image, but it must list at least one.")
    return _Rows(tuple(paths), np.array(labels))


def _patient(path: str) -> str:
    return next((part for part in path.split("/") if part.startswith("patient")), path)


def _images(root: Path, paths: tuple[str, ...], side: int, progress: Progress | None) -> Inputs:
    reader = _reader()
    pixels = np.empty((len(paths), 1, side, side), np.uint8)
    for index, path in enumerate(paths):
        pixels[index, 0] = reader(_place(root, path), side)
        if progress is not None and index % 64 == 0:
            progress(index / len(paths), f"Reading {spaced(len(paths))} X-ray images")
    return unit(pixels)


def _place(root: Path, path: str) -> Path:
    """The file of an image, whose path begins with the name of the published folder."""
    parts = path.split("/")
    if "" in parts or ".." in parts or "\\" in path or len(parts) < 2:
        raise InvalidInput(
            f"Path is {quoted(path)}, but it must name a file within the folder of CheXpert."
        )
    return root.joinpath(*parts[1:])


def _reader() -> Any:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise InvalidInput(
            "Images of CheXpert are read with Pillow, which is not installed; install it with "
            "`python -m pip install pillow`."
        ) from None

    def read(path: Path, side: int) -> NDArray[np.uint8]:
        try:
            with Image.open(path) as image:
                grey = image.convert("L").resize((side, side), Image.Resampling.BILINEAR)
        except (OSError, UnidentifiedImageError, Image.DecompressionBombError) as error:
            reason = "is not there" if isinstance(error, FileNotFoundError) else "cannot be read"
            raise InvalidInput(
                f"The image {'/'.join(path.parts[-4:])} {reason}, but every image that the tables "
                "list must be readable."
            ) from None
        return np.asarray(grey)

    return read


CHEXPERT = ImageSource(ENTRY, _build, SETTINGS, at_hand=_at_hand, count=_count)
