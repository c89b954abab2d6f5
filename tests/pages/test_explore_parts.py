"""What Explore's sentences, choices and commands are made of, without a page."""

from __future__ import annotations

import shlex
from dataclasses import fields
from types import SimpleNamespace

import pandas as pd
import pytest

from dpcore import cli
from dpcore.controls.explore import (
    BEST,
    CALIBRATION,
    GROUPS,
    NET_BENEFIT,
    RISK_CURVES,
    TAKE_ALONG,
)
from dpcore.datasets import Preparation
from dpcore.evaluation.scoring import ACCURACY
from dpcore.evaluation.study import Study
from dpcore.export import explore as export
from pages.explore import clinic
from pages.explore.numbers import chosen_by, without_looking
from pages.explore.view import View


def view_of(published):
    """Three methods at one ε, of which the rule's is the worst and the best is not proved."""
    rows = pd.DataFrame(
        {
            "method": ["outpert", "opera", "dpgd"],
            "epsilon": 1.0,
            "delta": 1e-5,
            "edition": "sound",
            "status": ["conditions not met", "proved", "proved"],
            "accuracy": [0.99, 0.9, 0.6],
        }
    )
    return View(
        **dict.fromkeys(field.name for field in fields(View))  # type: ignore[arg-type]
        | {
            "study": SimpleNamespace(loss="logistic"),
            "everything": rows,
            "records": SimpleNamespace(published=published),
            "compared": SimpleNamespace(measure=ACCURACY),
        }
    )


@pytest.mark.parametrize(
    ("published", "ruled", "focus", "told"),
    [
        (True, 0.6, BEST, "A model chosen by rule, not by results, has 60.0 %."),
        (True, 0.6, "opera", ""),
        (True, 0.891, BEST, ""),
        (False, 0.6, BEST, ""),
    ],
)
def test_where_the_rule_does_clearly_worse_the_first_sentence_says_so(
    published, ruled, focus, told
):
    view = view_of(published)
    view.everything.loc[view.everything["method"] == "dpgd", "accuracy"] = ruled
    assert without_looking(view, focus, view.best.iloc[0]) == told


def test_a_tab_that_is_left_goes_on_being_computed_until_the_settings_change(monkeypatch):
    session: dict[str, object] = {}
    monkeypatch.setattr("pages.explore.clinic.store", session.__setitem__)
    monkeypatch.setattr("pages.explore.clinic.stored", session.get)
    monkeypatch.setattr("pages.explore.clinic.control_text", lambda _: "OPERA")
    view, other = (SimpleNamespace(study=Study(seed=seed)) for seed in (0, 7))
    assert clinic.in_hand(view, GROUPS, {"groups"}) == {"groups"}  # type: ignore[arg-type]
    assert clinic.in_hand(view, NET_BENEFIT, {"risks"}) == {"groups", "risks"}  # type: ignore[arg-type]
    assert clinic.in_hand(view, TAKE_ALONG, set()) == {"groups", "risks"}  # type: ignore[arg-type]
    # What a tab wants no more would keep others waiting.
    assert clinic.in_hand(view, CALIBRATION, {"new"}) == {"groups", "new"}  # type: ignore[arg-type]
    assert clinic.in_hand(other, RISK_CURVES, {"curves"}) == {"curves"}  # type: ignore[arg-type]
    monkeypatch.setattr("pages.explore.clinic.control_text", lambda _: "DP-GD")
    assert clinic.in_hand(other, GROUPS, set()) == set()  # type: ignore[arg-type]


@pytest.mark.parametrize("planted", [0.0, 1.0])
def test_no_measure_of_ones_own_records_changes_which_method_is_shown(planted):
    assert list(view_of(published=True).best["method"]) == ["opera"]
    view = view_of(published=False)
    view.everything.loc[view.everything["method"] == "opera", "accuracy"] = planted
    assert list(view.best["method"]) == ["dpgd"]
    assert "by a fixed rule" in chosen_by(view, BEST, view.best.iloc[0])


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

    def note(study, **_):
        studies.append(study)
        return pd.DataFrame({"nothing": []})

    monkeypatch.setattr("dpcore.cli.sweep.answers", note)
    monkeypatch.setattr("dpcore.cli.sweep.for_a_file", lambda rows: rows)
    monkeypatch.chdir(tmp_path)
    words = shlex.split(export.command(STUDIES[number]).replace("\\\n", " "))
    assert words[:4] == ["python", "-m", "dpcore", "sweep"]
    assert cli.main(words[3:]) == 0
    assert studies == [STUDIES[number]]
