"""What Explore's choices and commands are made of, without a page."""

from __future__ import annotations

import shlex
from dataclasses import fields
from types import SimpleNamespace

import pandas as pd
import pytest

from dpcore import cli
from dpcore.controls.explore import GROUPS, NET_BENEFIT, RISK_CURVES, TAKE_ALONG
from dpcore.datasets import Preparation
from dpcore.evaluation.study import Study
from dpcore.questions import told
from dpcore.questions.cost.question import CostQuestion
from pages.explore import asked


def test_a_tab_that_is_left_goes_on_being_computed_until_the_settings_change(monkeypatch):
    session: dict[str, object] = {}
    monkeypatch.setattr("pages.explore.asked.store", session.__setitem__)
    monkeypatch.setattr("pages.explore.asked.stored", session.get)
    monkeypatch.setattr("pages.explore.asked.control_text", lambda _: "OPERA")
    view, other = (SimpleNamespace(study=Study(seed=seed)) for seed in (0, 7))
    assert asked.in_hand(view, GROUPS, {"groups"}) == {"groups"}  # type: ignore[arg-type]
    assert asked.in_hand(view, NET_BENEFIT, {"risks"}) == {"groups", "risks"}  # type: ignore[arg-type]
    assert asked.in_hand(view, TAKE_ALONG, set()) == {"groups", "risks"}  # type: ignore[arg-type]
    # What a tab wants no more would keep others waiting.
    assert asked.in_hand(view, NET_BENEFIT, {"new"}) == {"groups", "new"}  # type: ignore[arg-type]
    assert asked.in_hand(other, RISK_CURVES, {"curves"}) == {"curves"}  # type: ignore[arg-type]
    monkeypatch.setattr("pages.explore.asked.control_text", lambda _: "DP-GD")
    assert asked.in_hand(other, GROUPS, set()) == set()  # type: ignore[arg-type]


STUDIES = [
    Study(),
    Study(dataset="cohort", records=300, loss="huber", lam=0.001, delta=1e-6, steps=7, runs=10),
    Study(lam=0.0, radius=3.0, adjacency="replace-one", edition="published", methods=("opera",)),
    Study(huber_width=0.123456789, lam=0.0123456789, epsilons=(0.123456789, 3.0), batch=7, seed=3),
    Study(edition="published", full_length=True, methods=("grpua",)),
    Study(preparation=Preparation(missing="drop", norm="clip", interval="unit", intercept=True)),
    Study(preparation=Preparation(scaling="data", seed=5, test_fraction=0.123456789)),
    Study(preparation=Preparation(features="fourier", fourier_features=32, bandwidth=0.3)),
    Study(methods=("inputpert",), missing_contributors=20),
    Study(dataset="bank", preparation=Preparation(log_transform=False, include=("duration",))),
    Study(dataset="heart_sites", preparation=Preparation(held_out="Long Beach")),
]


def test_the_commands_are_tried_with_every_setting():
    for kind, made in (
        (Study, STUDIES),
        (Preparation, [study.preparation for study in STUDIES]),
    ):
        usual = kind()
        for field in fields(kind):
            if field.name not in ("upload", "columns", "preparation", "turn", "stratified"):
                kept = getattr(usual, field.name)
                assert any(getattr(one, field.name) != kept for one in made), field.name


@pytest.mark.parametrize("number", range(len(STUDIES)))
def test_the_command_to_take_along_means_the_same_study(number, tmp_path, monkeypatch):
    studies: list[Study] = []

    def note(question, **_):
        studies.append(question.study)
        return pd.DataFrame({"nothing": []})

    monkeypatch.setattr("dpcore.cli.asked.ask", note)
    monkeypatch.chdir(tmp_path)
    words = shlex.split(told.command(CostQuestion(STUDIES[number])).replace("\\\n", " "))
    assert words[:4] == ["python", "-m", "dpcore", "sweep"]
    assert cli.main(words[3:]) == 0
    assert studies == [STUDIES[number]]
