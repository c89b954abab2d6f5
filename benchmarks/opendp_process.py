"""Statistics of one table by OpenDP, in an interpreter of its own.

    PYTHON benchmarks/opendp_process.py TABLE.npz ANSWERS.npz

PYTHON needs numpy and opendp, nothing of this repository; `benchmarks.describe` writes the table
and reads the answers. Everything is one composition under zero-concentrated privacy, the tightest
that the library composes Gaussian and exponential mechanisms by, for one record replaced and a
public number of records; each query gets its share of ρ, by the weights that ours has. A mean is a
sum by n, centred at the middle of the bounds; each quantile is asked by itself.
"""

from __future__ import annotations

import sys
from importlib.metadata import version

import numpy as np
import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")
REPLACED = 2
"""The symmetric distance of two tables that differ in one record."""
CHANGE = dp.symmetric_distance()


def largest_rho(epsilon: float, delta: float) -> float:
    """The ρ whose conversion keeps ε at δ."""
    low, high = 0.0, 100.0
    for _ in range(60):
        rho = (low + high) / 2.0
        one = dp.m.make_gaussian(
            dp.atom_domain(T=float, nan=False),
            dp.absolute_distance(T=float),
            scale=(0.5 / rho) ** 0.5,
        )
        kept = dp.c.make_zCDP_to_approxDP(one).map(1.0).epsilon(delta) <= epsilon
        low, high = (rho, high) if kept else (low, rho)
    return low


def scaled(make, rho: float):
    """The measurement with the least noise that costs at most ρ."""
    return dp.binary_search_chain(make, d_in=REPLACED, d_out=rho, T=float)


def counts(levels: int, rho: float):
    domain = dp.vector_domain(dp.atom_domain(T=int))
    counting = dp.t.make_count_by_categories(
        domain,
        CHANGE,
        categories=list(range(levels)),
        MO=dp.L2Distance[float],
        TOA=float,
        null_category=False,
    )
    return scaled(lambda scale: counting >> dp.m.then_gaussian(scale=scale), rho)


def total(low: float, high: float, records: int, rho: float):
    domain = dp.vector_domain(dp.atom_domain(bounds=(low, high), nan=False), size=records)
    summing = dp.t.make_sum(domain, CHANGE)
    return scaled(lambda scale: summing >> dp.m.then_gaussian(scale=scale), rho)


def quantile(order: float, candidates: list[float], records: int, rho: float):
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=records)
    return scaled(
        lambda scale: dp.m.make_private_quantile(
            domain,
            CHANGE,
            dp.zero_concentrated_divergence(),
            candidates=candidates,
            alpha=order,
            scale=scale,
        ),
        rho,
    )


def main() -> None:
    source, target = sys.argv[1:]
    with np.load(source, allow_pickle=False) as file:
        data = dict(file)
    numbers, words, levels = data["numbers"], data["words"], data["levels"]
    records, orders, layers = len(numbers), data["orders"], int(data["layers"])
    # A column of words weighs 1, a number 1 for its sum, 1 for its squares, and its layers, which
    # its quantiles share.
    weight = words.shape[1] + numbers.shape[1] * (2 + layers)
    rho = largest_rho(float(data["epsilon"]), float(data["delta"])) / weight
    runs = int(data["runs"])
    answers: dict[str, list[np.ndarray]] = {"counts": [], "means": [], "quantiles": []}
    for column, size in zip(words.T, levels, strict=True):
        measure, values = counts(int(size), rho), [int(each) for each in column]
        answers["counts"].append(np.array([measure(values) for _ in range(runs)]))
    for column, (low, high) in zip(numbers.T, data["bounds"], strict=True):
        half, middle = (high - low) / 2.0, (high + low) / 2.0
        centred = [float(each) for each in column - middle]
        measure = total(-half, half, records, rho)
        means = [middle + measure(centred) / records for _ in range(runs)]
        answers["means"].append(np.array(means))
        candidates = [float(each) for each in np.linspace(low, high, int(data["cells"]) + 1)]
        values = [float(each) for each in column]
        asked = []
        for order in orders:
            measure = quantile(float(order), candidates, records, rho * layers / len(orders))
            asked.append([measure(values) for _ in range(runs)])
        answers["quantiles"].append(np.array(asked))
    np.savez(
        target,
        counts=np.concatenate(answers["counts"], axis=1),
        means=np.array(answers["means"]),
        quantiles=np.array(answers["quantiles"]),
    )
    print(version("opendp"))


if __name__ == "__main__":
    main()
