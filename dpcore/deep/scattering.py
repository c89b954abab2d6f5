"""Handcrafted features of images: a Morlet scattering transform, whitened too; or set upright.

Wavelets at two scales and eight directions, their moduli, wavelets again, and an average over
4 × 4 pixels (Mallat 2012; private use: Tramèr and Boneh 2021). Nothing is learned, and each image
is normalised by itself, so the features cost no privacy.

Whitening changes the coordinates of written digits: a centre is subtracted, and directions are
shrunk most where one digit's images vary most, so that more of each clipped gradient distinguishes
digits. Both are from other people's digits, those that come with scikit-learn, and cost no privacy.

Setting upright is of each image by itself, too: a shear removes the slant of written digits (LeCun
et al. 1998, section III.D).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from dpcore.datasets import cache, images
from dpcore.errors import InvalidInput
from dpcore.words import spaced

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.progress import Progress


SCALES, DIRECTIONS = 2, 8
SHRINK = 2**SCALES
CHANNELS = 1 + SCALES * DIRECTIONS + DIRECTIONS**2
"""81 for one input channel: the average, 16 of order 1, 64 of order 2."""

GROUPS = 27
ENVELOPE, CARRIER = 0.8, 0.75 * math.pi
AT_A_TIME = 32
CACHED_AT_A_TIME = 1_024


def features(images: NDArray[Any], progress: Progress | None = None) -> NDArray[np.float32]:
    """Scattering coefficients of every image, normalised by groups of channels.

    From (n, channels, side, side), the side a multiple of 4 and at least 8, to (n, 81 · channels ·
    (side/4)²): each group of 3 · channels channels has mean 0 and variance 1 within its image.
    """
    _check(images)
    return _features(images, np.float32, _of_all(progress, 0, len(images)))


def cached_features(images: NDArray[Any], progress: Progress | None = None) -> NDArray[np.float32]:
    """`features`, cached on disk part by part: what was computed before a stop is not lost.

    Values have half precision from the first call on: training must not depend on the state of the
    cache. Do not use it for images that must not lie on this machine's disk.
    """
    _check(images)
    source = Path(__file__).read_bytes()  # another transform, other features
    result = np.empty((len(images), _width(images)), np.float32)
    for start in range(0, len(images), CACHED_AT_A_TIME):
        part = images[start : start + CACHED_AT_A_TIME]
        told = _of_all(progress, start, len(images))
        result[start : start + len(part)] = cache.array(
            "scattering",
            cache.digest(source, part),
            functools.partial(_features, part, np.float16, told),
        )
        told(len(part))
    return result


def is_cached(images: NDArray[Any]) -> bool:
    """Whether `cached_features` of these images are on the disk, judged by their last part."""
    source, start = Path(__file__).read_bytes(), (len(images) - 1) // CACHED_AT_A_TIME
    part = images[start * CACHED_AT_A_TIME :]
    return cache.has_array("scattering", cache.digest(source, part))


def _of_all(progress: Progress | None, start: int, count: int) -> Callable[[int], None]:
    """Reports how many of all images are done, where `start` were done before."""
    if progress is None:
        return lambda done: None
    return lambda done: progress(
        (start + done) / count,
        f"preparing features: {spaced(start + done)} of {spaced(count)} images",
    )


def _features(
    images: NDArray[Any], dtype: type[np.floating[Any]], done: Callable[[int], None]
) -> NDArray[Any]:
    count = len(images)
    result = np.empty((count, _width(images)), dtype)
    for start in range(0, count, AT_A_TIME):
        stop = min(start + AT_A_TIME, count)
        part = torch.as_tensor(images[start:stop], dtype=torch.float32)
        result[start:stop] = functional.group_norm(scatter(part), GROUPS).flatten(1).numpy()
        done(stop)
    return result


def _width(images: NDArray[Any]) -> int:
    _, channels, side, _ = images.shape
    return int(CHANNELS * channels * (side // SHRINK) ** 2)


def _check(images: NDArray[Any]) -> None:
    if images.ndim != 4 or images.shape[2] != images.shape[3]:
        raise InvalidInput(
            f"images have shape {images.shape}, but it must be (records, channels, side, side)."
        )
    side = images.shape[2]
    if side % SHRINK or side < 2 * SHRINK:
        raise InvalidInput(
            f"side of the images is {side}, but it must be a multiple of {SHRINK}, at least "
            f"{2 * SHRINK}."
        )


def scatter(images: Tensor) -> Tensor:
    """Coefficients before normalisation: (n, channels, s, s) to (n, 81 · channels, s/4, s/4).

    Images are padded by reflection, so that borders create no edges.
    """
    records, channels, side, _ = images.shape
    padded = functional.pad(images, (SHRINK,) * 4, mode="reflect").reshape(
        records * channels, side + 2 * SHRINK, side + 2 * SHRINK
    )
    full = padded.shape[-1]
    average, half_average, first, second = _filters(full)
    spectrum = torch.fft.fft2(padded)
    coefficients = [_averaged(spectrum, average, SHRINK)[:, None]]
    # Scale 0 keeps every pixel; scale 1 and order 2 every other one.
    fine = torch.fft.fft2(torch.fft.ifft2(spectrum[:, None] * first).abs())
    coefficients.append(_averaged(fine, average, SHRINK))
    for part in (spectrum, *fine.unbind(1)):
        coarse = torch.fft.ifft2(_folded(part[:, None] * second, 2)).abs()
        coefficients.append(_averaged(torch.fft.fft2(coarse), half_average, SHRINK // 2))
    inside = torch.cat(coefficients, 1)[..., 1:-1, 1:-1]
    return inside.reshape(records, channels * CHANNELS, side // SHRINK, side // SHRINK)


def _averaged(spectrum: Tensor, average: Tensor, shrink: int) -> Tensor:
    smooth: Tensor = torch.fft.ifft2(_folded(spectrum * average, shrink)).real
    return smooth


def _folded(spectrum: Tensor, shrink: int) -> Tensor:
    """Spectrum of every `shrink`-th pixel: the mean of its aliases."""
    size = spectrum.shape[-1] // shrink
    rows = functools.reduce(torch.add, torch.split(spectrum, size, -2))
    folded: Tensor = functools.reduce(torch.add, torch.split(rows, size, -1)) / shrink**2
    return folded


@functools.cache
def _filters(side: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Spectra for padded images of that side: average, the same at half size, two wavelet scales.

    The average has standard deviation 0.8 · 2^(J-1) pixels; a wavelet of scale j and direction θ is
    a Gaussian of standard deviation 0.8 · 2^j along its wave and 2 (= directions/4) times that
    across it, times a wave of frequency 3π/4 / 2^j per pixel, shifted to mean zero.
    """
    average = np.fft.fft2(_envelope(side, ENVELOPE * SHRINK / 2, 0.0, 1.0)).real
    scales = []
    for scale in range(SCALES):
        spread, wave = ENVELOPE * 2**scale, CARRIER / 2**scale
        filters = []
        for turn in range(DIRECTIONS):
            angle = math.pi * turn / DIRECTIONS
            slant = 4.0 / DIRECTIONS
            envelope = _envelope(side, spread, angle, slant)
            wavelet = _envelope(side, spread, angle, slant, wave)
            filters.append(np.fft.fft2(wavelet - envelope * (wavelet.sum() / envelope.sum())).real)
        scales.append(torch.from_numpy(np.stack(filters)).to(torch.float32))
    low = torch.from_numpy(average).to(torch.float32)
    # The mean of four aliases, of which only one is nonzero.
    return low, 4.0 * _folded(low, 2), scales[0], scales[1]


def _envelope(
    side: int, spread: float, angle: float, slant: float, wave: float = 0.0
) -> NDArray[np.complexfloating]:
    """A Gaussian of unit integral, repeated with the image's period, times a plane wave."""
    reach = np.arange(-2 * side, 3 * side)
    row, column = np.meshgrid(reach, reach, indexing="ij")
    along = column * math.cos(angle) + row * math.sin(angle)
    across = -column * math.sin(angle) + row * math.cos(angle)
    envelope = np.exp(-(along**2 + (slant * across) ** 2) / (2.0 * spread**2))
    wavelet = envelope * np.exp(1j * wave * along) * slant / (2.0 * math.pi * spread**2)
    folded: NDArray[np.complexfloating] = wavelet.reshape(5, side, 5, side).sum((0, 2))
    return folded


SIDE, DRAWN = 28, 20
"""Side of MNIST's images, and of the central box that its digits fill, as its authors describe."""

WHITE_DIRECTIONS = 512
"""Number of directions of largest variance within digits; the others are left out."""

MIN_SPREAD = 1.0
"""A direction of variance v within digits is divided by √(v + least): 0 would whiten all of them.
Chosen on held-out training records of MNIST (docs/accuracy.md)."""

WHITENED_AT_A_TIME = 4_096


def whitened(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scattering features (n, 3,969) of 28 × 28 grey images in 512 public coordinates."""
    centre, directions = _fitted()
    result = np.empty((len(features), WHITE_DIRECTIONS), np.float32)
    for start in range(0, len(features), WHITENED_AT_A_TIME):
        part = slice(start, start + WHITENED_AT_A_TIME)
        result[part] = (features[part] - centre) @ directions
    return result


@functools.cache
def _fitted() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Centre (3,969,) and scaled directions (3,969, 512) of scikit-learn's 1,797 digits."""
    examples = images.load("digits")
    small = torch.from_numpy(np.concatenate([examples.train_inputs, examples.test_inputs]))
    digits = np.concatenate([examples.train_targets, examples.test_targets])
    resized = functional.interpolate(small, (DRAWN, DRAWN), mode="bicubic").clamp(0.0, 1.0)
    framed = functional.pad(resized, ((SIDE - DRAWN) // 2,) * 4).numpy()
    scattered = features(framed).astype(np.float64)
    within = scattered.copy()
    for digit in range(10):
        within[digits == digit] -= scattered[digits == digit].mean(0)
    # The Gram matrix has the covariance's spectrum and is less than half its size.
    count = len(within)
    variance, weights = np.linalg.eigh(within @ within.T / count)
    variance, weights = (
        variance[: -WHITE_DIRECTIONS - 1 : -1],
        weights[:, : -WHITE_DIRECTIONS - 1 : -1],
    )
    directions = within.T @ weights / np.sqrt(count * variance)
    scaled = directions / np.sqrt(variance + MIN_SPREAD)
    return scattered.mean(0).astype(np.float32), scaled.astype(np.float32)


STRETCH, SHIFT = 3.0, -0.4
"""Grey values g in [0, 1] become 3 g - 0.4, about 0 for an image that is mostly empty. Fixed
numbers, chosen on held-out training records of MNIST (docs/accuracy.md)."""

MIN_HEIGHT = 1e-3
"""Floor of the variance over rows, in half sides squared, so that noise shears no flat image."""

DESKEWED_AT_A_TIME = 2_048


def deskewed(images: NDArray[np.float32]) -> NDArray[np.float32]:
    """Images moved to their centre of mass, sheared until rows and columns are uncorrelated.

    Grey values go from 0, where there is nothing, to 1; the result from `SHIFT` for nothing to
    `STRETCH` + `SHIFT`.
    """
    result = np.empty(images.shape, np.float32)
    for start in range(0, len(images), DESKEWED_AT_A_TIME):
        part = torch.as_tensor(images[start : start + DESKEWED_AT_A_TIME], dtype=torch.float32)
        grid = functional.affine_grid(_shears(part), list(part.shape), align_corners=False)
        upright = functional.grid_sample(part, grid, align_corners=False)
        result[start : start + DESKEWED_AT_A_TIME] = upright.mul_(STRETCH).add_(SHIFT).numpy()
    return result


def _shears(images: Tensor) -> Tensor:
    """Affine map from upright to original positions, (n, 2, 3), in half sides from the middle."""
    mass = images.sum(1)
    mass = mass / mass.sum((1, 2), keepdim=True).clamp_min(torch.finfo(torch.float32).tiny)
    rows, columns = (_pixel_centres(size) for size in mass.shape[1:])
    down, right = mass.sum(2), mass.sum(1)
    row, column = down @ rows, right @ columns
    height = (down @ rows.square() - row.square()).clamp_min(MIN_HEIGHT)
    covariance = torch.einsum("nyx,y,x->n", mass, rows, columns) - row * column
    zero, one = torch.zeros_like(row), torch.ones_like(row)
    return torch.stack(
        [torch.stack([one, covariance / height, column], 1), torch.stack([zero, one, row], 1)], 1
    )


def _pixel_centres(size: int) -> Tensor:
    return (torch.arange(size) + 0.5) * (2.0 / size) - 1.0
