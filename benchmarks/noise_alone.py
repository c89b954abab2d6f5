"""How often the range of noise alone holds what the same training says without noise.

The built-in cohort is released many times by the release's own code and noise, and each release
states the ranges of some of its records, and of made-up people evenly over the public ranges.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.special import expit

from dpcore.release import demonstration, grid, risk_counts
from dpcore.release.grid import Array
from dpcore.release.made_up import NoiseAlone, made_up_records, noise_alone
from dpcore.release.mechanism import Draw, descend
from dpcore.release.model import ReleasedModel
from dpcore.release.plan import ReleasePlan, plan
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.table import read_for_release

PEOPLE = 300


def model(made: ReleasePlan, signed: Array, draw: Draw) -> ReleasedModel:
    """A model of this plan, trained and corrected with this noise."""
    weights, sums = descend(signed, made.mechanism, made.path, draw), made.path.count_sums
    scorer, mechanism = made.path.scorer, made.mechanism
    risks = risk_counts.corrected(scorer, signed, weights, mechanism, sums, draw) if sums else None
    return made.model(weights, risks)


def main() -> None:
    """Print the shares, by ε and kind of people."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[0.5, 1.0, 3.0])
    parser.add_argument("--features", default="plain", help="plain or additive")
    parser.add_argument("--as-trained", action="store_true", help="leave the risks uncorrected")
    parser.add_argument("--releases", type=int, default=200)
    options = parser.parse_args()
    columns = demonstration.columns()
    table = read_for_release(columns, demonstration.table(), demonstration.FILE)
    print(f"{options.releases} releases of the cohort, {options.features}; of 100 ranges")
    for epsilon in options.epsilon:
        made = plan(
            columns,
            table.count,
            epsilon=epsilon,
            delta=demonstration.DELTA,
            features=options.features,
            corrected=False if options.as_trained else None,
        )
        without = made.untrained()
        rows = grid.rows(without.entry, table.table.frame, without.preparation)
        signed = rows * table.table.label.astype(float)
        people = {
            "its patients": table.table.frame[:PEOPLE],
            "made-up people": made_up_records(without.entry, PEOPLE, np.random.default_rng(1))[0],
        }
        without = model(made, signed, lambda _, count: [0] * count)
        facts = {"training": made.path.facts(), "mechanism": made.mechanism.to_json()}
        results: dict[str, list[Array]] = {kind: [] for kind in people}
        for _ in range(options.releases):
            released = model(made, signed, rounded_gaussians)
            noise = noise_alone(released, {"facts": facts})
            assert isinstance(noise, NoiseAlone)
            for kind, frame in people.items():
                ends = noise.intervals(frame)
                results[kind].append(np.column_stack([ends, expit(released.scores(frame))]))
        for kind, frame in people.items():
            low, high, told = np.moveaxis(np.array(results[kind]), 2, 0)
            shares = [
                100.0 * np.mean((low <= risk) & (risk <= high))
                for risk in (expit(without.scores(frame)), told.mean(axis=0))
            ]
            true = np.diff(np.quantile(told, (0.025, 0.975), axis=0), axis=0).mean()
            print(
                f"ε = {epsilon:g}, {kind}: {shares[0]:.1f} hold the training without noise, "
                f"{shares[1]:.1f} the mean over noise; mean width {np.mean(high - low):.2f}, 95 of "
                f"100 releases within {true:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
