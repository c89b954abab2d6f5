"""The idx reader on files written here, right and wrong."""

import gzip
import struct

import numpy as np
import pytest

from dpcore.datasets.images import idx
from dpcore.errors import InvalidInput

IMAGES = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)


def written(values, kind=8, claimed=None):
    shape = claimed or values.shape
    header = struct.pack(f">HBB{len(shape)}I", 0, kind, len(shape), *shape)
    return gzip.compress(header + values.tobytes(), mtime=0)


def test_what_was_written_is_read():
    assert np.array_equal(idx.read(written(IMAGES), "images.gz", 3), IMAGES)
    assert np.array_equal(idx.read(written(IMAGES[0, 0]), "labels.gz", 1), IMAGES[0, 0])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a gzip file"),
        (b"no gzip file", "not a gzip file"),
        (written(IMAGES)[:-9], "not a gzip file"),
        (gzip.compress(b"\0\0", mtime=0), "not a gzip file"),
        (written(IMAGES, kind=13), "unsigned bytes in 3 dimensions"),
        (written(IMAGES[0]), "unsigned bytes in 3 dimensions"),
        (written(IMAGES, claimed=(2, 3, 5)), "as many as its header says"),
        (written(IMAGES, claimed=(2**32 - 1,) * 3), "as many as its header says"),
    ],
)
def test_other_files_are_refused_by_name(data, reason):
    with pytest.raises(InvalidInput, match=reason) as refused:
        idx.read(data, "images.gz", 3)
    assert str(refused.value).startswith("'images.gz' is not")
