"""Data sets for private deep learning, of images or features: one file a set in `sets`."""

from dpcore.datasets.images.catalogue import (
    availability,
    describe,
    describe_all,
    entry,
    from_split,
    keys,
    load,
    records,
    register,
    source,
)
from dpcore.datasets.images.examples import Examples, ExamplesEntry, ImageSource, Setting

__all__ = [
    "Examples",
    "ExamplesEntry",
    "ImageSource",
    "Setting",
    "availability",
    "describe",
    "describe_all",
    "entry",
    "from_split",
    "keys",
    "load",
    "records",
    "register",
    "source",
]
