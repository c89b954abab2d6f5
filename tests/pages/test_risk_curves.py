"""The tab of risk curves: the sentences of the package, and no training."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dpcore.controls.explore import EPSILONS
from dpcore.datasets import Preparation, entry
from dpcore.evaluation import jobs, work
from dpcore.evaluation.clinic.column_curves import ColumnStudy, charted
from dpcore.evaluation.clinic.rows import REFERENCE
from dpcore.evaluation.study import Study
from dpcore.figures.column_curves import column_curve
from pages.shared.verbatim import verbatim
from tests.pages.explored import only_methods
from tests.pages.test_explore import COHORT, alone, at, spoken

__all__ = ["alone"]

LINK = COHORT | {"patients": "100", "view": "Risk curves", "focus": "OPERA", "runs": "10"}
ALL = Study(dataset="cohort", records=100, methods=("opera",), epsilons=EPSILONS, runs=10)
FEATURES = {"plain": "As they are", "additive": "A curve in each number (additive)"}


@pytest.fixture(autouse=True)
def one_method(monkeypatch: pytest.MonkeyPatch) -> None:
    only_methods(monkeypatch, "opera")


def left(folder: Path, features: Any, columns: tuple[str, ...] = ()) -> pd.DataFrame:
    """The result of a job, as a worker leaves it."""
    study = ColumnStudy(replace(ALL, preparation=Preparation(features=features)), columns)
    rows = charted(study)
    (folder / jobs.FOLDER).mkdir(exist_ok=True)
    text = rows.to_csv(index=False, na_rep=work.MISSING)
    (folder / jobs.FOLDER / f"{study.key}.csv").write_text(text)
    return rows


def told(rows: pd.DataFrame, epsilon: float, column: str, measure: str = "log_odds") -> str:
    one = rows[rows["column"] == column]
    without, line = one[one["method"] == REFERENCE], one[one["method"] == "opera"]
    line = line[line["epsilon"] == epsilon]
    drawn = column_curve(line, without, entry("cohort"), measure=measure)
    return verbatim(drawn.sentence)


def test_the_sentence_is_that_of_the_package_and_follows_every_control(tmp_path: Path) -> None:
    lines, curves = (left(tmp_path, features) for features in FEATURES)
    app = at(LINK)
    assert "curve_figure" in {str(chart.key) for chart in app.get("plotly_chart")}
    assert told(lines, 1.0, "age") in spoken(app)
    app.number_input(key="epsilon").set_value(10.0).run()
    assert told(lines, 10.0, "age") in spoken(app)
    app.selectbox(key="curve_of").set_value("sex").run()
    assert told(lines, 10.0, "sex") in spoken(app)
    for measure in ("risk", "risk_at_average"):
        app.selectbox(key="curve_as").set_value(measure).run()
        assert told(lines, 10.0, "sex", measure) in spoken(app)
    bent = at(LINK | {"feature_map": FEATURES["additive"], "curve_of": "bmi"})
    assert not bent.exception
    assert told(curves, 1.0, "bmi") in spoken(bent)
    assert told(lines, 1.0, "bmi") not in spoken(bent)
    assert not any("ColumnStudy" in repr(attempt) for attempt in jobs._attempts.values())


def test_of_many_columns_only_the_chosen_one_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.explore.risk_curves.MOST_TOGETHER", 9)
    rows = left(tmp_path, "plain", ("sex",))
    app = at(LINK | {"curve_of": "sex"})
    assert told(rows, 1.0, "sex") in spoken(app)
    app.selectbox(key="curve_of").set_value("age").run()
    assert "Risk curves are being drawn" in spoken(app)


def test_nothing_is_drawn_before_the_tab_is_open_nor_where_columns_are_mixed() -> None:
    closed = at(LINK | {"view": "Per 1,000"})
    assert "curve_of" not in {box.key for box in closed.selectbox}
    app = at(LINK | {"curve_of": "[x](http://y) `z`"})
    assert "Risk curves are being drawn" in spoken(app)
    assert "the curve of" in app.warning[0].value
    assert "](http" not in app.warning[0].value
    assert app.selectbox(key="curve_of").value == "age"
    waves = at(LINK | {"feature_map": "Random Fourier (Gaussian kernel)"})
    assert "features is 'fourier', but it must be plain" in spoken(waves)
