"""Handcrafted features: a Morlet scattering transform of order 2, the strong baseline for images.

Wavelets at two scales and eight directions, their moduli, wavelets again, and an average over
4 × 4 pixels (Mallat 2012; private use: Tramèr and Boneh 2021). Nothing is learned, and each image
is normalised by itself, so the features cost no privacy.
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

from dpcore.datasets import cache
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
