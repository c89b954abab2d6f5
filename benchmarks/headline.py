"""How often the interval of Explore's first answer holds the mean over fresh splits and noise.

Run: python -m benchmarks.headline [--dataset NAME] [--seeds N]. Each seed splits the records anew
and draws other noise; the mean over all seeds stands for the one that is sought. At least .93 of
the 95 % intervals should hold it.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from dpcore.datasets import load
from dpcore.evaluation.baselines import Baselines
from dpcore.evaluation.clinic.counts import NAME, TreatedCounts
from dpcore.evaluation.scoring import ACCURACY
from dpcore.evaluation.study import Study
from dpcore.questions.cost.decision import Decision
from dpcore.questions.cost.question import CostQuestion, ReferenceQuestion
from dpcore.work.task import JobContext

EPSILONS = (0.1, 1.0, 10.0)
SEEDS = 200


def held(dataset: str, seeds: int) -> tuple[list[float], list[float]]:
    """The share of intervals that hold the mean and their mean half width, at each ε."""
    records = load(dataset)
    study = Study(dataset=dataset, methods=("best",), epsilons=EPSILONS)
    reference = ReferenceQuestion(study).answer(JobContext(records=records)).rows
    compared = Baselines.read(reference, ACCURACY)
    values, halves = [], []
    for seed in range(seeds):
        preparation = replace(study.preparation, seed=seed)
        asked = CostQuestion(replace(study, seed=seed, preparation=preparation))
        answer = asked.answer(JobContext(records=records))
        counts = TreatedCounts.read(answer.files[NAME])
        threshold = records.entry.action.risk / 100
        decision = Decision(answer.rows, counts, compared, None, threshold)
        values.append(decision.band[0])
        halves.append(decision.half_width)
    away = np.abs(np.array(values) - np.mean(values, axis=0))
    return (away <= halves).mean(axis=0).tolist(), np.mean(halves, axis=0).tolist()


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", default="breast_cancer")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    chosen = parser.parse_args()
    shares, halves = held(chosen.dataset, chosen.seeds)
    for epsilon, share, half in zip(EPSILONS, shares, halves, strict=True):
        print(f"ε = {epsilon:5g}: {share:.3f} of {chosen.seeds} hold the mean, ± {half:.4f}")


if __name__ == "__main__":
    main()
