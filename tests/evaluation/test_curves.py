"""Closed-form curves against large sweeps; bands and summaries."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.evaluation import curves
from dpcore.evaluation.curves import closed_form, summarise
from dpcore.evaluation.scoring.classes import CLASSIFICATION
from dpcore.evaluation.study import Study, calibrations_for, delta_for, problem_for
from dpcore.evaluation.sweep import sweep

CLOSED = ("nonprivate", "outpert", "opera")
RUNS = 1_000
MEANS = ("accuracy", "balanced_accuracy", "objective", "excess_risk", "missed_per_1000")


def compared(study, split):
    """Closed form, summary of a sweep, and the sweep's rows."""
    rows = sweep(study, split=split)
    return closed_form(study, split), summarise(rows, study, split), rows


STUDIES = {
    "sound": Study(methods=CLOSED, epsilons=(0.1, 1.0, 10.0), runs=RUNS),
    "published": Study(
        methods=CLOSED, edition="published", loss="huber", epsilons=(0.5, 5.0), runs=RUNS
    ),
    "zero-out": Study(
        methods=("opera",), adjacency="zero-out", lam=0.05, epsilons=(0.3, 3.0), runs=RUNS
    ),
    "no λ": Study(methods=CLOSED, lam=0.0, radius=5.0, epsilons=(1.0, 30.0), runs=RUNS, steps=40),
}


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize("name", STUDIES)
def test_closed_forms_agree_with_a_large_sweep(name, cancer):
    study = STUDIES[name]
    closed, sampled, rows = compared(study, cancer)
    assert tuple(closed.columns) == tuple(sampled.columns) == curves.columns(CLASSIFICATION)
    errors = (1000.0 * (1.0 - closed["accuracy"])).to_numpy()
    wrong = (closed["missed_per_1000"] + closed["false_per_1000"]).to_numpy()
    assert wrong == pytest.approx(errors)
    assert set(closed["source"]) == {"closed form"}
    assert set(sampled["source"]) == {"sampled"}
    assert (sampled["runs"] == study.runs).all()
    for name in ("accuracy_noiseless", "auc_noiseless"):
        assert closed[name].to_numpy() == pytest.approx(sampled[name].to_numpy(), abs=1e-4)
    same = list(curves.CALIBRATION_COLUMNS)
    pd.testing.assert_frame_equal(closed[same], sampled[same])
    spread = rows.groupby(["method", "epsilon"], sort=False)[["accuracy_test", "objective"]].std()
    accuracy, objective = (spread[name].to_numpy() / np.sqrt(RUNS) for name in spread)
    limits = {
        "accuracy": accuracy,
        "balanced_accuracy": 2.0 * accuracy,
        "objective": objective,
        "excess_risk": objective,
        "missed_per_1000": 1000.0 * accuracy,
    }
    noisy = (closed["sigma"] > 0).to_numpy()
    for column in MEANS:
        gap = np.abs(closed[column] - sampled[column]).to_numpy()
        assert (gap <= 4.5 * limits[column] + 2e-6 * (1.0 + closed[column].abs())).all(), column
    # The comparison is sharp: between neighbouring ε the means differ by far more.
    if noisy.sum() > 1:
        moved = np.abs(np.diff(closed["objective"][noisy].to_numpy()))
        assert moved.max() > 9.0 * limits["objective"].max()


@pytest.mark.slow("trains many models")
def test_bands_hold_nine_runs_in_ten(cancer):
    study = replace(STUDIES["sound"], methods=("outpert", "opera"))
    closed, sampled, rows = compared(study, cancer)
    groups = rows.groupby(["method", "epsilon"], sort=False)
    for bands in (closed, sampled):
        for column, measured in (("accuracy", "accuracy_test"), ("objective", "objective")):
            assert (bands[f"{column}_low"] <= bands[column] + 1e-9).all()
            assert (bands[f"{column}_high"] >= bands[column] - 1e-9).all()
            for row, (_, group) in enumerate(groups):
                low, high = bands.loc[row, [f"{column}_low", f"{column}_high"]]
                inside = group[measured].between(low - 1e-9, high + 1e-9).mean()
                # 90 % up to the error of a quantile of 200 draws; accuracy comes in steps of
                # 1/114, and a band's ends count whole steps.
                assert inside >= 0.85
                if column == "objective":
                    assert inside <= 0.95


def test_excess_risk_stays_under_the_sound_bound_and_above_zero(cancer):
    epsilons = tuple(float(e) for e in np.geomspace(1e-3, 100, 12))
    for edition in ("sound", "published"):
        for loss in ("logistic", "huber"):
            study = Study(methods=CLOSED, loss=loss, edition=edition, epsilons=epsilons, lam=0.02)
            result = closed_form(study, cancer)
            assert (result["excess_risk"] >= -1e-6).all()
            noisy = result[result["sigma"] > 0]
            assert (noisy["excess_risk"] <= noisy["excess_risk_bound_sound"]).all()
            printed = noisy[noisy["excess_risk_bound_published"].notna()]
            assert set(printed["method"]) == ({"opera"} if edition == "published" else set())


def test_at_a_fixed_t_more_budget_means_less_noise_and_a_better_objective(cancer):
    epsilons = (0.1, 0.3, 1.0, 3.0, 10.0)
    result = closed_form(Study(methods=("opera",), epsilons=epsilons, steps=50), cancer)
    assert (np.diff(result["sigma"]) < 0).all()
    assert (np.diff(result["objective"]) < 0).all()


def test_summaries_are_means_and_quantiles_of_the_runs(cancer):
    study = Study(methods=("opera", "dpgd"), epsilons=(3.0, 0.5), runs=20)
    rows = sweep(study, split=cancer)
    result = summarise(rows, study, cancer)
    assert result["method"].tolist() == ["opera"] * 2 + ["dpgd"] * 2
    assert result["epsilon"].tolist() == [3.0, 0.5] * 2
    for _, line in result.iterrows():
        some = rows[(rows["method"] == line["method"]) & (rows["epsilon"] == line["epsilon"])]
        assert line["accuracy"] == pytest.approx(some["accuracy_test"].mean())
        assert line["accuracy_low"] == pytest.approx(some["accuracy_test"].quantile(0.05))
        assert line["objective_high"] == pytest.approx(some["objective"].quantile(0.95))
        assert line["excess_risk"] == pytest.approx(some["excess_risk"].mean())
        share = np.mean(cancer.y_test > 0)
        missed = 1000 * share * (1 - some["true_positive_rate"].mean())
        assert line["missed_per_1000"] == pytest.approx(missed)
        assert line["sigma"] == some["sigma"].iloc[0]


def test_each_row_has_the_delta_of_what_holds(cancer):
    study = Study(methods=("opera", "objpert_pure", "outpert_pure"), epsilons=(1.0,))
    result = calibrations_for(study, problem_for(study, cancer), delta_for(study, cancer))
    rows = curves.calibration_table(result).set_index("method")
    assert rows.loc["opera", "delta"] == delta_for(study, cancer) > 0.0
    assert (rows.loc[["objpert_pure", "outpert_pure"], "delta"] == 0.0).all()
    assert (rows["status"] == "proved").all()
