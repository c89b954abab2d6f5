"""Files in the form of published ones, altered: as their parsers met them without a checksum."""

from __future__ import annotations

import gzip
import io
import random
import struct
from collections.abc import Callable

import numpy as np

SETS = ("mnist", "cifar10", "svhn", "medmnist", "heart", "adult", "bank", "cardio")
ROWS = 40


def altered(draw: random.Random, name: str, damage: Callable[[bytes], bytes]) -> object:
    """Read small files of a set's own form, of which the contents and the files are damaged."""
    from dpcore.datasets import read_upload

    if name == "mnist":
        from dpcore.datasets.images.sets import pictures

        parts, place = [gzip.compress(part, 1) for part in _idx(draw)], draw.randrange(4)
        parts[place] = damage(gzip.compress(damage(gzip.decompress(parts[place])), 1))
        return pictures.decode_mnist(tuple(parts))
    if name == "cifar10":
        from dpcore.datasets.images.sets import pictures
        from tests.datasets.images.sets.test_pictures import (
            BATCHES,
            archive,
            made_up,
            python_2_batch,
        )

        pixels, labels = made_up()
        batches = {each: damage(python_2_batch(pixels[each], labels[each])) for each in BATCHES}
        return pictures.decode_cifar10(damage(archive(batches)))
    if name == "svhn":
        from dpcore.datasets.images.sets import pictures
        from tests.datasets.images.sets.test_pictures import written

        return pictures.decode_svhn((damage(written(12)), damage(written(5))))
    if name == "medmnist":
        from dpcore.datasets.images import array_files
        from dpcore.datasets.images.sets import chests

        data = damage(_medmnist(draw))
        return array_files.medmnist_examples(
            chests.PNEUMONIA_ENTRY, data, "file", draw.choice(["left out", "training"])
        )
    return read_upload(name, damage(_table(draw, name)), "file")


def _idx(draw: random.Random) -> list[bytes]:
    """The four files before they are packed; now and then a header says something else."""
    parts = []
    for count in (20, 8):
        for shape in ((count, 28, 28), (count,)):
            said = list(shape)
            if draw.random() < 0.1:
                said[draw.randrange(len(said))] = draw.choice([0, 1, 2**16, 2**32 - 1])
            kind, rank = draw.choices([(8, len(shape)), (9, len(shape)), (8, 9)], (18, 1, 1))[0]
            head = struct.pack(f">HBB{len(said)}I", 0, kind, rank, *said)
            parts.append(head + bytes(draw.randrange(10) for _ in range(int(np.prod(shape)))))
    return parts


def _medmnist(draw: random.Random) -> bytes:
    """Six arrays, now and then one of another type or shape."""
    arrays: dict[str, np.ndarray] = {}
    for part, count in (("train", 8), ("val", 4), ("test", 6)):
        arrays[f"{part}_images"] = np.zeros((count, 28, 28), np.uint8)
        arrays[f"{part}_labels"] = np.arange(count, dtype=np.uint8)[:, np.newaxis] % 2
    if draw.random() < 0.4:
        name = draw.choice(list(arrays))
        array = arrays[name]
        others = [
            *(array[:0], array[0], np.array(7), array.astype("f8") * np.nan, array.astype("c16")),
            *(array.astype("U3"), array.astype("i8") - 2**40, array[..., np.newaxis], array.T),
        ]
        arrays[name] = draw.choice(others)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def _table(draw: random.Random, name: str) -> bytes:
    """Rows as the set has them, now and then with a cell that it has not."""
    from dpcore.datasets.catalogue import source
    from dpcore.datasets.sources import FileSource

    file_source = source(name)
    assert isinstance(file_source, FileSource)
    layout = file_source.layout
    rows = []
    for _ in range(ROWS):
        row = []
        for field in layout.fields:
            row.append(draw.choice([*(field.words or ("1", "40", "2.5")), *field.missing_marks]))
        rows.append(row)
    if draw.random() < 0.5:
        cells = ("nan", "1e999", "", "?", '"', "\0", "-1e308", "x" * 10_000, "<b>", "٣", "1\n2")
        draw.choice(rows)[draw.randrange(len(layout.fields))] = draw.choice(cells)
    header = [[field.name for field in layout.fields]] if layout.header else []
    separator = layout.separator or " "
    return "\n".join(separator.join(row) for row in [*header, *rows]).encode()
