"""What Explore's sentences, choices and commands are made of, without a page."""

from __future__ import annotations

import shlex
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from dpcore import cli
from dpcore.controls.explore import BEST
from dpcore.datasets import Preparation
from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.scoring import ACCURACY
from dpcore.evaluation.study import Study
from dpcore.export import explore as export
from dpcore.figures.quality import Quality
from pages.explore import clinic, curve_jobs
from pages.explore.answer import judged_on
from pages.explore.numbers import chosen_by, line_of, to_come, without_looking
from pages.explore.view import View

COUNT = "4 of 15 methods compared"


def test_the_line_of_the_jobs_counts_what_the_sentence_says_is_to_come():
    whole = Study("cohort", methods=("nonprivate", "opera", "dpgd", "dpftrl"))
    studies = [curve_jobs.trained_study(whole, method) for method in ("opera", "dpgd", "dpftrl")]
    printed = replace(studies[0], edition="published")
    assert list(curve_jobs.watched([studies[0], printed, *studies[1:]]).studies) == [
        "Judging OPERA",
        "Judging OPERA as in its paper",
        "Training DP-GD (1 of 2)",
        "Training DP-FTRL (2 of 2)",
    ]
    assert list(curve_jobs.watched(studies, compared=COUNT).studies) == [
        "Judging OPERA",
        f"Training DP-GD ({COUNT})",
        f"Training DP-FTRL ({COUNT})",
    ]


def test_a_site_held_out_is_named_where_models_are_judged():
    held = SimpleNamespace(further=False, preparation=Preparation(held_out="Long Beach"))
    view = SimpleNamespace(splits=1, records=SimpleNamespace(all_splits=1), judged=200, split=held)
    assert judged_on(view) == "judged on the 200 of Long Beach"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("method", "waiting", "is_compared", "splits", "said"),
    [
        ("", ("dpgd", "outpert"), False, 5, f"{COUNT}; the rest and boosted trees to come."),
        ("", ("dpgd",), True, 5, f"{COUNT}; the rest to come."),
        ("opera", ("dpgd",), False, 5, "Boosted trees to come."),
        ("opera", ("dpgd",), True, 5, "More splits to come."),
        ("opera", ("dpgd",), True, 7, ""),
        ("", (), True, 7, ""),
    ],
)
def test_what_may_still_change_the_answer_is_said_beside_it(
    method, waiting, is_compared, splits, said
):
    records = SimpleNamespace(all_splits=7)
    view = SimpleNamespace(
        waiting=waiting, count=COUNT, is_compared=is_compared, splits=splits, records=records
    )
    assert to_come(view, method) == said  # type: ignore[arg-type]


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


def test_among_public_records_the_best_proved_method_is_chosen_by_its_measure():
    assert list(view_of(published=True).best["method"]) == ["opera"]


@pytest.mark.parametrize(
    ("best", "told"), [("opera", "; the rule takes DP-GD, 60.0 %"), ("dpgd", ", and by rule")]
)
def test_what_the_rule_takes_is_told_beside_the_best(best, told):
    view: Any = SimpleNamespace(
        by_looking=True,
        candidates=15,
        waiting=(),
        titles={"dpgd": "DP-GD"},
        quality=Quality(ACCURACY),
        row_by_rule=lambda epsilon: ("dpgd", pd.Series({"accuracy": 0.6})),
    )
    assert chosen_by(view, BEST, pd.Series({"method": best, "epsilon": 1.0})) == (
        f"best proved of 15 methods compared by results{told}"
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


def test_tabs_on_risks_wait_for_no_curve(monkeypatch):
    monkeypatch.setattr(clinic, "control_text", lambda _: BEST)
    view = view_of(published=True)

    def judged(*chosen):
        whole = Study(dataset="cohort", methods=("nonprivate", "opera", "dpgd", "objpert"))
        study = replace(whole, methods=("nonprivate", *chosen))
        split = SimpleNamespace(entry=SimpleNamespace(predicts="class"))
        records = SimpleNamespace(published=True, first=split)
        made = replace(view, study=study, whole=whole, table=view.everything, records=records)  # type: ignore[arg-type]
        return clinic.wanted(made, corrected=False)

    for chosen in (("dpgd", "opera"), ("objpert",)):  # of the latter there is no curve yet
        result = judged(*chosen)
        assert isinstance(result, ClinicStudy)
        assert result.study.methods == ("opera",)


@pytest.mark.parametrize("planted", [0.0, 1.0])
def test_no_measure_of_ones_own_records_changes_which_method_is_shown(planted):
    view = view_of(published=False)
    view.everything.loc[view.everything["method"] == "opera", "accuracy"] = planted
    assert list(view.best["method"]) == ["dpgd"]
    assert "by a fixed rule" in chosen_by(view, BEST, view.best.iloc[0])
    assert line_of(BEST) == "the line"


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
