"""Accuracy of the image configurations at certified ε, beside the target and without privacy.

Settings are those of `training.variants`. With ``--held-out`` they are measured on a
sixth of the training records that is not trained on, as when they were chosen; without it on the
test part, which no setting was chosen by.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import Any

import torch

from dpcore.evaluation.training.report import conclusion, measures
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.task import begin
from dpcore.evaluation.training.variants import STUDIES, nonprivate

TARGETS: dict[str, float | None] = {
    "mnist-cnn-1.2": 0.974,
    "mnist-cnn-3": 0.982,
    "mnist-scattering-1.2": 0.977,
    "mnist-scattering-3": 0.985,
    "mnist-whitened-1.2": 0.977,
    "mnist-whitened-3": 0.985,
    "pneumonia-1": 0.935,
    "pneumonia-3": 0.95,
    "pneumonia-8": None,
}
"""Least mean over runs, of the accuracy on MNIST and the AUC on PneumoniaMNIST."""

FLOOR_RUNS = 1


def metric(study: TrainingStudy) -> str:
    """The metric of its target."""
    return "auc" if study.dataset == "pneumonia" else "accuracy"


def trained(study: TrainingStudy) -> tuple[list[float], dict[str, Any], float]:
    """The measure of each run, the study's conclusion, and the seconds it took."""
    started = time.perf_counter()
    trainer = begin([study])
    trainer.run()
    duration = time.perf_counter() - started
    last = trainer.history().groupby("run").tail(1)
    return last[f"{metric(study)}_test"].tolist(), conclusion(trainer) | measures(trainer), duration


def floor(study: TrainingStudy) -> TrainingStudy:
    """The same network without clipping and noise."""
    return replace(study, config=nonprivate(study.config), epsilon=None, runs=FLOOR_RUNS)


def verdict(mean: float, target: float | None) -> str:
    """Whether a target is met."""
    if target is None:
        return "no target"
    return f"target {target:.4f} {'met' if mean >= target else 'MISSED'}"


def report(
    name: str, study: TrainingStudy, result: tuple[list[float], dict[str, Any], float]
) -> str:
    """Two lines: what was measured, and what is certified."""
    values, facts, duration = result
    mean = sum(values) / len(values)
    value_range = f"{min(values):.4f} to {max(values):.4f}"
    lines = [
        f"{name}: {metric(study)} {mean:.4f}, mean of {len(values)} runs ({value_range}), "
        f"on {facts['measured_on']}; {verdict(mean, TARGETS[name])}"
    ]
    certified = (
        f"ε ≤ {facts['certified']['epsilon']:.6g}, δ = {facts['delta']:g}, {facts['adjacency']}, "
        f"by {facts['accountant']}"
    )
    lines.append(f"  {certified}; {study.features} features, {duration:.0f} s in all")
    return "\n".join(lines)


def main() -> None:
    """Train and print, one configuration after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", metavar="NAME", choices=list(STUDIES))
    parser.add_argument("--held-out", action="store_true", help="leave the test part alone")
    parser.add_argument("--runs", type=int, help="in place of the configuration's 3 or 20")
    parser.add_argument("--no-floor", action="store_true", help="skip training without privacy")
    options = parser.parse_args()
    print(f"{torch.get_num_threads()} threads, torch {torch.__version__}")
    floors: dict[TrainingStudy, float] = {}
    for name in options.only or STUDIES:
        study = replace(STUDIES[name], held_out=options.held_out)
        if options.runs is not None:
            study = replace(study, runs=options.runs)
        print(report(name, study, trained(study)), flush=True)
        if options.no_floor:
            continue
        floor_study = floor(study)
        if floor_study not in floors:
            floors[floor_study] = trained(floor_study)[0][0]
        print(f"  without privacy {floors[floor_study]:.4f}, one run", flush=True)


if __name__ == "__main__":
    main()
