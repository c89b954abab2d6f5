"""Paper 000's neural network (section V-D): two layers of 100 ReLU, trained by GRPUA and SgdPert.

Each step looks at one record, drawn uniformly. Its gradient is clipped to C = 1, and the query n∇f
gets the noise that the published calibrations give for Δ = C; divided by n, that is noise of
σ/n on one clipped gradient. All ε and runs of both methods are trained side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets import Split
from dpcore.deep.config import TrainingConfig
from dpcore.erm.method import Calibration
from dpcore.evaluation.scoring import spread
from dpcore.evaluation.training.variants import REFERENCE_OPTIMIZER, REFERENCE_RATE
from dpcore.progress import Progress
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd

WIDTHS, CLIP = (100, 100), 1.0
LEARNING_RATE = 0.05
"""Learning rate of a step along one clipped gradient. The paper names none."""

MAX_RECORDS = 5_000
"""Most training records: every step draws from all of them, and there are as many steps."""

MEASURED = 4_096
"""Number of training records, evenly spread, for measuring the objective."""

REFERENCE_EPOCHS, REFERENCE_BATCH = 20, 32
AT_A_TIME = 256
STEPS_BETWEEN_REPORTS = 20


def fewer(split: Split) -> Split:
    """The split with at most `MAX_RECORDS` to train on, the first of its random order."""
    few = slice(MAX_RECORDS)
    return replace(
        split, x_train=split.x_train[few], y_train=split.y_train[few], blank=split.blank[few]
    )


def trained(
    split: Split,
    calibrations: Mapping[str, Sequence[Calibration]],
    runs: int,
    progress: Progress,
) -> pd.DataFrame:
    """Accuracy and objective of the network by method and ε, over runs; sigma is on n∇f."""
    import pandas as pd

    records = len(split.y_train)
    members = [calibration for group in calibrations.values() for calibration in group]
    steps = members[0].steps
    configs = [
        TrainingConfig(
            network="perceptron",
            widths=WIDTHS,
            epochs=-(-steps // records),
            batch=1,
            learning_rate=LEARNING_RATE,
            clip=CLIP,
            sigma=calibration.model_noise,
            sampling="fixed",
            adjacency="replace-one",
            seed=1_000 * place + run,
        )
        for place, calibration in enumerate(members)
        for run in range(runs)
    ]
    accuracies, objectives = _taught(split, configs, steps, progress)
    free = TrainingConfig(
        network="perceptron",
        widths=WIDTHS,
        epochs=REFERENCE_EPOCHS,
        batch=min(REFERENCE_BATCH, records),
        learning_rate=REFERENCE_RATE,
        optimizer=REFERENCE_OPTIMIZER,
        sigma=0.0,
        clipped=False,
    )
    references = [replace(free, seed=run) for run in range(runs)]
    reference = _taught(split, references, None, lambda share, message: progress(1.0, message))
    rows = [
        {
            "method": "nonprivate",
            "epsilon": calibration.requested.epsilon,
            **_spread("accuracy", reference[0]),
            **_spread("objective", reference[1]),
            "runs": runs,
        }
        for calibration in next(iter(calibrations.values()))
    ]
    for place, calibration in enumerate(members):
        block = slice(place * runs, (place + 1) * runs)
        rows.append(
            {
                "method": calibration.method,
                "epsilon": calibration.requested.epsilon,
                **_spread("accuracy", accuracies[block]),
                **_spread("objective", objectives[block]),
                "sigma": calibration.sigma,
                "steps": calibration.steps,
                "claimed_epsilon": calibration.claim.epsilon,
                "claimed_delta": calibration.claim.delta,
                "certified_epsilon": calibration.certified.epsilon,
                "delta": calibration.certified.delta,
                "adjacency": str(calibration.certified.adjacency),
                "accountant": calibration.certified.by,
                "status": str(calibration.status),
                "runs": runs,
            }
        )
    return pd.DataFrame(rows)


def _taught(
    split: Split,
    configs: Sequence[TrainingConfig],
    steps: int | None,
    progress: Progress,
) -> tuple[np.ndarray, np.ndarray]:
    from dpcore.deep.training import TrainingRun
    from dpcore.evaluation.training import scores

    # One output and its sigmoid, as in the paper: "labels" of one label.
    targets = (split.y_train > 0).astype(np.float32)[:, None]
    run = TrainingRun(configs, split.x_train.astype(np.float32), targets, 1, task="labels")
    total = run.steps if steps is None else steps
    while run.step < total:
        run.advance(min(STEPS_BETWEEN_REPORTS, total - run.step))
        progress(run.step / total, f"step {spaced(run.step)} of {spaced(total)}")
    sample = np.unique(np.linspace(0, len(targets) - 1, min(len(targets), MEASURED)).astype(int))
    test = run.scores(split.x_test.astype(np.float32), AT_A_TIME)
    train = run.scores(split.x_train[sample].astype(np.float32), AT_A_TIME)
    return (
        scores.accuracies(test, (split.y_test > 0)[:, None], "labels"),
        scores.losses(train, targets[sample], "labels"),
    )


def _spread(name: str, values: np.ndarray) -> dict[str, float]:
    """Mean and 90 % band; the mean of an objective that diverged is not a number."""
    names = name, f"{name}_low", f"{name}_high"
    return dict(zip(names, map(float, spread(values)), strict=True))
