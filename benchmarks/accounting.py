"""The cost of certifying a noise schedule: ours, a peer, and the floor, side by side.

Run: python -m benchmarks.accounting

- schedule: 800 different σ (linspace 2 to 0.8), q = 0.01, δ = 1e-5, add/remove.
- peer: `dp_accounting` on every 40th of them, composed by composing, its time scaled by 40, as the
  output says; nothing else is scaled.
- floor: for Rényi, the exponentials of one order's quadrature; for PLD, one transform a step and
  direction on a grid of the size ours has. No such method can take less.
- growth: PLD at 24 checkpoints along that schedule, ours on shared grids against ours composed from
  scratch for each checkpoint, and against the whole schedule once; processor seconds beside wall.
- solving: σ₀ of a schedule of 100 steps that decays by 0.99 a step, for ε = 1.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial

import dp_accounting
import numpy as np
from dp_accounting import pld as peer_pld
from dp_accounting import rdp as peer_rdp
from scipy import fft

from dpcore.accounting import accountants, pld
from dpcore.accounting.epsilon_curve import checkpoints
from dpcore.accounting.events import TrainingPlan, custom, from_schedule, steps
from dpcore.accounting.planner import solve
from dpcore.guarantee import Adjacency

SIGMAS = np.linspace(2.0, 0.8, 800)
RATE, DELTA, SUBSET = 0.01, 1e-5, 40
POINTS = 24
EXACT = 1.4096  # dp_accounting's PLD at an interval of 1e-4, an upper bound


def seconds(function: Callable[[], object], repeats: int = 5) -> float:
    """Median after one run that warms the caches."""
    function()
    times = []
    for _ in range(repeats):
        accountants._certified.cache_clear()
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def peer_event(sigmas: np.ndarray) -> dp_accounting.DpEvent:
    return dp_accounting.ComposedDpEvent(
        [
            dp_accounting.PoissonSampledDpEvent(RATE, dp_accounting.GaussianDpEvent(sigma))
            for sigma in sigmas.tolist()
        ]
    )


def report(title: str, ours: float, peer: float, floor: float, allowed: float) -> None:
    print(f"{title}")
    print(f"  ours   {ours * 1e3:10.1f} ms   (at most {allowed * 1e3:,.0f} ms is asked)")
    print(f"  peer   {peer * 1e3:10.1f} ms   on every {SUBSET}th step, scaled by {SUBSET}")
    print(f"  floor  {floor * 1e3:10.2f} ms")
    print(f"  ours is {peer / ours:,.0f} times as fast as the peer, {ours / floor:.1f} x the floor")


def growth() -> None:
    parts = steps(from_schedule(custom(SIGMAS.tolist()), rate=RATE, sampling="poisson"))
    marks = checkpoints(len(SIGMAS), POINTS)

    def along(positions: Sequence[int]) -> list[float | None]:
        guarantees = accountants.certify_along(parts, positions, DELTA, Adjacency.ADD_REMOVE)
        return [guarantee.epsilon for guarantee in guarantees]

    ways: dict[str, Callable[[], list[float | None]]] = {
        "along the run": lambda: along(marks),
        "the whole once": lambda: along(marks[-1:]),
        "from scratch": lambda: [along([mark])[0] for mark in marks],
    }
    ways["the whole once"]()
    wall, processor, epsilons = {}, {}, {}
    for name, way in ways.items():
        wall_start, processor_start = time.perf_counter(), time.process_time()
        epsilons[name] = np.array(way(), dtype=float)
        wall[name], processor[name] = (
            time.perf_counter() - wall_start,
            time.process_time() - processor_start,
        )
    gaps = epsilons["along the run"] / epsilons["from scratch"] - 1.0
    print(f"PLD at {len(marks)} checkpoints: relative gap {gaps.min():+.1e} to {gaps.max():+.1e}")
    for name in ways:
        ratio = processor[name] / processor["along the run"]
        print(
            f"  {name:16}{wall[name]:7.3f} s, processor {processor[name]:7.3f} s, "
            f"{ratio:6.2f} x along the run"
        )


def main() -> None:
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    event = from_schedule(custom(SIGMAS.tolist()), rate=RATE, sampling="poisson")
    subset = peer_event(SIGMAS[::SUBSET])

    def certify(key: str) -> float:
        epsilon = accountants.certify(event, DELTA, Adjacency.ADD_REMOVE, key).epsilon
        assert epsilon is not None
        return epsilon

    def by_peer(accountant: Callable[[], dp_accounting.PrivacyAccountant]) -> float:
        start = time.perf_counter()
        accountant().compose(subset).get_epsilon(DELTA)
        return SUBSET * (time.perf_counter() - start)

    exponents = -np.abs(np.random.default_rng(0).normal(size=(800, 60)))
    floor = seconds(lambda: np.exp(exponents))
    report(
        f"Rényi: ε = {certify('rdp'):.6f}",
        seconds(lambda: certify("rdp")),
        by_peer(peer_rdp.RdpAccountant),
        floor,
        0.05,
    )
    distributions = pld.loss_distributions(steps(event), Adjacency.ADD_REMOVE, delta=DELTA)
    row = np.random.default_rng(0).random(
        max(len(distribution.losses) for distribution in distributions)
    )
    floor = seconds(lambda: [fft.rfft(row) for _ in range(2 * len(SIGMAS))])
    lower = accountants.lower_bound(event, DELTA, Adjacency.ADD_REMOVE)
    upper = accountants.certify(event, DELTA, Adjacency.ADD_REMOVE, "pld").bound
    report(
        f"PLD: ε = {upper:.6f} (lower bound {lower:.6f}, {100 * (upper / EXACT - 1):+.3f} % of "
        f"{EXACT}), interval {max(distribution.interval for distribution in distributions):.1e}",
        seconds(lambda: certify("pld"), 3),
        by_peer(lambda: peer_pld.PLDAccountant(value_discretization_interval=1e-3)),
        floor,
        1.5,
    )
    growth()
    training = TrainingPlan(sigma=2.8, records=6000, batch=60, steps=100, delta=DELTA, decay=0.99)
    for key, allowed in (("rdp", 0.3), ("pld", 5.0)):
        plan = solve("sigma", training, 1.0, key)
        duration = seconds(partial(solve, "sigma", training, 1.0, key), 3)
        print(f"solve σ₀, {key}: {plan.sentence} {duration:.3f} s (at most {allowed:g} s is asked)")


if __name__ == "__main__":
    main()
