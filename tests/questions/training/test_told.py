"""Train's command line and snippet ask for exactly the training on screen."""

from __future__ import annotations

import shlex
from typing import Any

import pandas as pd
import pytest

from dpcore.cli import _parser
from dpcore.cli.studies import _study
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.questions.training import told as export

STUDIES = [
    TrainingStudy(config=TrainingConfig(widths=(64,), decay=0.95, decay_every="step"), runs=5),
    TrainingStudy(
        dataset="mnist",
        features="scattering",
        config=TrainingConfig(
            network="linear",
            sampling="none",
            optimizer="adam",
            clip=0.1,
            average=0.25,
            seed=3,
            final_rate=0.5,
        ),
        epsilon=1.25,
    ),
    TrainingStudy(
        config=TrainingConfig(
            noise="scaled", activation="tanh", adjacency="replace-one", delta=1e-7
        )
    ),
    TrainingStudy(config=TrainingConfig(noise="published-004", learning_rate=0.125)),
    TrainingStudy(
        config=TrainingConfig(
            noise="scaled", weights="public", cost="curvature", elementwise=True, refresh=0
        ),
        public=100,
    ),
    TrainingStudy(
        config=TrainingConfig(noise="scaled", weights="paid", cost="gradient", share=0.125)
    ),
    TrainingStudy(
        config=TrainingConfig(noise="published-004", reading="exact", order=1e6, noise_on_mean=True)
    ),
    TrainingStudy(config=TrainingConfig(sigma=4.0), epsilon=None, budget=2.0, held_out=True),
    TrainingStudy(budget=1.5, config=TrainingConfig(adjacency="add-remove", public_size=1_000)),
]


@pytest.mark.parametrize("study", STUDIES)
def test_the_command_line_asks_for_the_same_training(study):
    words = shlex.split(export.command(study).replace("\\\n", " "))
    assert words[:3] == ["python", "-m", "dpcore"]
    assert _study(_parser().parse_args(words[3:])) == study


@pytest.mark.parametrize("study", STUDIES)
def test_the_snippet_trains_the_same(study, monkeypatch):
    studies: list[TrainingStudy] = []

    def train(study, **_):
        studies.append(study)
        return pd.DataFrame()

    monkeypatch.setattr("dpcore.evaluation.training.task.train", train)
    names: dict[str, Any] = {}
    exec(export.snippet(study), names)
    assert studies == [study]
