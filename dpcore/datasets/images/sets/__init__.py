"""The sets for networks, by kind: each with its entry, and how it is loaded."""

from dpcore.datasets.images.examples import ImageSource
from dpcore.datasets.images.sets.chests import CHEST, CHEST_FEATURES, PNEUMONIA
from dpcore.datasets.images.sets.chexpert import CHEXPERT
from dpcore.datasets.images.sets.features_npz import FEATURES_NPZ
from dpcore.datasets.images.sets.pictures import CIFAR10, DIGITS, MNIST, SVHN

SOURCES: tuple[ImageSource, ...] = (
    DIGITS,
    CHEST_FEATURES,
    MNIST,
    PNEUMONIA,
    CIFAR10,
    SVHN,
    CHEST,
    CHEXPERT,
    FEATURES_NPZ,
)
"""In the order of the screen: those that are built in first."""
