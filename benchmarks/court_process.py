"""Outputs of real libraries on the neighbours of the court's cases, in an interpreter of its own.

    PYTHON benchmarks/court_process.py NAME RUNS SEED SCORES.npz

PYTHON needs numpy and the library of `NAME`, a key of `REAL`, and nothing of this repository: for
"smartnoise" pandas and the files of smartnoise-synth. `benchmarks.court` reads the scores, with the
record first. What is attacked and how the score is made is told in `dpcore/audit/court`.
"""

from __future__ import annotations

import sys
import warnings
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np


def regression(there: bool, runs: int, seed: int) -> np.ndarray:
    """The slope of diffprivlib's linear regression: see `libraries.zero_sensitivity`."""
    from diffprivlib.models import LinearRegression

    x, y = np.array([[100.0 if there else 1.0], [1.0]]), np.zeros(2)

    def slope(run: int) -> float:
        model = LinearRegression(
            epsilon=1.0,
            bounds_X=(0.0, 100.0),
            bounds_y=(0.0, 1.0),
            fit_intercept=False,
            random_state=seed + run,
        )
        return float(model.fit(x, y).coef_.ravel()[0])

    return np.array([-np.log(abs(slope(run))) for run in range(runs)])


def logistic(there: bool, runs: int, seed: int) -> np.ndarray:
    """The likelihood ratio of diffprivlib's slope and intercept: see `libraries.intercept`."""
    from diffprivlib.models import LogisticRegression

    inner, outer = np.array([-1.0, 1.0, 0.0]), np.array([-1.0, 1.0, -1.0])
    labels, ridge, epsilon = np.array([1.0, 0.0, 1.0]), 0.4, 2.0
    x = (inner if there else outer)[:, None]

    def fitted(run: int) -> np.ndarray:
        model = LogisticRegression(
            epsilon=epsilon, data_norm=1.0, C=1.0 / ridge, tol=1e-9, random_state=seed + run
        ).fit(x, labels)
        return np.append(model.coef_, model.intercept_)

    weights = np.array([fitted(run) for run in range(runs)])
    scale = 2.0 * np.sqrt(2.0) / (epsilon - 2.0 * np.log1p(0.25 * np.sqrt(2.0) / ridge))

    def density(points: np.ndarray) -> np.ndarray:
        rows = np.stack([points, np.ones(3)], axis=1)
        likely = 1.0 / (1.0 + np.exp(-np.clip(weights @ rows.T, -300.0, 300.0)))
        gradient = (likely - labels) @ rows + np.array([ridge, 0.0]) * weights
        hessian = np.einsum("rn,ni,nj->rij", likely * (1.0 - likely), rows, rows)
        hessian += np.diag([ridge, 0.0]) + 1e-300 * np.eye(2)
        jacobian = np.linalg.slogdet(hessian)[1]
        return jacobian - np.linalg.norm(gradient, axis=1) / scale

    # Where the intercept has no minimum the solver stops somewhere far off.
    return np.where(np.abs(weights[:, 1]) < 15.0, density(inner) - density(outer), 0.0)


def finer(output: np.ndarray) -> np.ndarray:
    return ((np.abs(output) < 0.5) & (output * 2.0**53 % 1.0 != 0.0)).astype(float)


def diffprivlib_laplace(there: bool, runs: int, seed: int) -> np.ndarray:
    """The doubles of diffprivlib's Laplace mechanism: see `libraries.low_bits`."""
    from diffprivlib.mechanisms import Laplace

    mechanism = Laplace(epsilon=1.0, sensitivity=1.0)  # its own secure randomness: no seed
    return finer(np.array([mechanism.randomise(float(not there)) for _ in range(runs)]))


def opendp_laplace(there: bool, runs: int, seed: int) -> np.ndarray:
    """The doubles of OpenDP's Laplace mechanism: see `libraries.low_bits`."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    mechanism = dp.m.make_laplace(*space, scale=1.0)
    return finer(np.array([mechanism(float(not there)) for _ in range(runs)]))


def opacus_step(there: bool, runs: int, seed: int) -> np.ndarray:
    """The length of one step of Opacus: see `batches.record_count`."""
    import torch
    from opacus import PrivacyEngine
    from torch.utils.data import DataLoader, TensorDataset

    records, width = 10 + there, 2_000
    torch.manual_seed(seed)
    data = TensorDataset(torch.zeros(records, width), torch.zeros(records, 1))

    def score() -> float:
        model = torch.nn.Linear(width, 1, bias=False)
        optimiser = torch.optim.SGD(model.parameters(), lr=1.0)
        model, optimiser, loader = PrivacyEngine().make_private(
            module=model,
            optimizer=optimiser,
            data_loader=DataLoader(data, batch_size=records),
            noise_multiplier=4.0,
            max_grad_norm=1.0,
        )
        before = next(model.parameters()).detach().clone()
        for x, y in loader:
            optimiser.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimiser.step()
        step = next(model.parameters()).detach() - before
        return -float(torch.log(torch.mean(step.double() ** 2)))

    return np.array([score() for _ in range(runs)])


def smartnoise(there: bool, runs: int, seed: int) -> np.ndarray:
    """The variance of a column by smartnoise-synth's covariance: see `libraries.covariance`."""
    import pandas as pd

    # The package imports much that this one file does not need.
    folder = next(Path(each) for each in sys.path if (Path(each) / "snsynth").is_dir())
    spec = spec_from_file_location("covariance", folder / "snsynth/models/dp_covariance.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    np.random.seed(seed)  # noqa: NPY002 - the library draws from it
    values = np.zeros((20, 2))
    values[0] = 1_000.0 * there

    def variance() -> float:
        limits = pd.DataFrame({0: [0.0, 1.0], 1: [0.0, 1.0]})
        rule = module.DPcovariance(20, ["a", "b"], limits, 1.0)
        return float(rule.release(pd.DataFrame(values, columns=["a", "b"]))[0])

    return np.array([variance() for _ in range(runs)])


REAL = {
    "diffprivlib-linear": ("zero-sensitivity", 400, regression, "diffprivlib"),
    "diffprivlib-logistic": ("unregularised-intercept", 8_000, logistic, "diffprivlib"),
    "diffprivlib-laplace": ("low-bits", 2_000, diffprivlib_laplace, "diffprivlib"),
    "opendp-laplace": ("low-bits", 2_000, opendp_laplace, "opendp"),
    "opacus": ("record-count", 300, opacus_step, "opacus"),
    "smartnoise": ("unclipped-covariance", 400, smartnoise, "smartnoise-synth"),
}
"""The case, how many outputs, how they are drawn, and by which package."""


def main() -> None:
    name, runs, seed, target = sys.argv[1:]
    warnings.simplefilter("ignore")
    _, _, draw, package = REAL[name]
    first, second = (
        draw(there, int(runs), 2 * int(seed) + 10**6 * there) for there in (True, False)
    )
    np.savez(target, first=first, second=second)
    print(package, version(package))


if __name__ == "__main__":
    main()
