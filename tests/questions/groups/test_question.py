"""The table of groups: the models of the decisions, planted harm, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import load
from dpcore.errors import InvalidInput
from dpcore.evaluation.baselines import LINEAR
from dpcore.evaluation.clinic import risks as models_of
from dpcore.evaluation.clinic.groups import MEASURES, MIN, group_measures
from dpcore.evaluation.clinic.risks import REFERENCE, Judged, reference, released
from dpcore.evaluation.scoring import spread
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study
from dpcore.progress import silent
from dpcore.questions.decision_curve.question import DecisionCurveQuestion
from dpcore.questions.groups import question
from dpcore.questions.groups.figure import hurt
from dpcore.questions.groups.question import EVERYBODY, GAP, GroupsQuestion
from dpcore.questions.question import ask

STUDY = Study(dataset="cohort", records=300, methods=("opera",), epsilons=(0.5, 5.0), runs=12)
SMOKERS = GroupsQuestion(STUDY, by="smoker", threshold=0.3)


@pytest.fixture(scope="module", autouse=True)
def no_trees_are_tried():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dpcore.evaluation.baselines._better", lambda *_: LINEAR)
        yield


@pytest.fixture(scope="module")
def table():
    return load("cohort", records=300)


@pytest.fixture(scope="module")
def rows(table):
    return ask(SMOKERS, records=table)


def test_there_is_a_row_for_each_model_group_and_measure(rows):
    assert rows.groupby("method", sort=False).size().to_dict() == {"opera": 56, REFERENCE: 28}
    assert rows["group"].unique().tolist() == ["smoker = no", "smoker = yes", EVERYBODY, GAP]
    assert rows["measure"].unique().tolist() == list(MEASURES)
    assert set(rows.loc[rows["method"] == REFERENCE, "status"]) == {"not private"}
    assert_gaps_are_between_the_values(rows)


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize("corrected", [False, True])
def test_everybody_is_who_decisions_are_counted_on(rows, table, corrected):
    if corrected:
        rows = ask(replace(SMOKERS, corrected=True), records=table)
        private = rows[rows["method"] == "opera"]
        assert (private["training_epsilon"] < private["epsilon"]).all()
    everybody = rows[rows["group"] == EVERYBODY]
    deciding = ask(DecisionCurveQuestion(STUDY, corrected, (0.3,)), records=table)
    for _, one in deciding.iloc[:3].iterrows():
        same = (
            everybody["epsilon"].isna()
            if one["method"] == REFERENCE
            else (everybody["epsilon"] == one["epsilon"])
        )
        here = everybody[same].set_index("measure")
        assert set(here["people"]) == {10_000}
        for name in ("missed_per_1000", "false_per_1000", "true_positive_rate"):
            ends = [one[f"{name}{end}"] for end in ("", "_low", "_high")]
            assert here.loc[name, ["value", "value_low", "value_high"]].tolist() == pytest.approx(
                ends, abs=1e-9
            )


def test_a_group_is_counted_by_its_own_column(rows, table):
    (split,) = splits(table, STUDY.preparation)
    ((risks, ill),) = released(SMOKERS.models, [split], silent)[0].risks
    smokes = table.further.frame["smoker"].to_numpy() > 0.5
    missed = 1000.0 * ((risks < 0.3) & ill & smokes).sum(axis=1) / smokes.sum()
    result = rows[(rows["epsilon"] == 0.5) & (rows["measure"] == "missed_per_1000")]
    one = result[result["group"] == "smoker = yes"].iloc[0]
    assert one["people"] == smokes.sum()
    assert one[["value", "value_low", "value_high"]].tolist() == pytest.approx(
        [float(end) for end in spread(missed)]
    )
    others, smokers = (
        group_measures(risks, ill, smokes.astype(int), 2, 0.3).rates["missed_per_1000"].T
    )
    difference = others - smokers if others.mean() > smokers.mean() else smokers - others
    assert (difference < 0.0).any()  # noise turns the gap round in some run
    gap = result[result["group"] == GAP].iloc[0]
    assert gap[["value", "value_low", "value_high"]].tolist() == pytest.approx(
        [float(end) for end in spread(difference)]
    )


OF_GAP = ["value_low", "value", "value_high"]


def assert_gaps_are_between_the_values(rows):
    for _, model in rows.groupby(["method", "epsilon", "measure"], dropna=False):
        groups = model[~model["group"].isin([EVERYBODY, GAP]) & ~model["too_small"]]["value"]
        low, value, high = model.loc[model["group"] == GAP, OF_GAP].iloc[0]
        if groups.notna().sum() < 2:
            assert np.isnan([low, value, high]).all()
            continue
        assert value == pytest.approx(groups.max() - groups.min(), abs=1e-9)
        assert low <= value <= high


def planted(table, monkeypatch, column, shift):
    """A table whose private models are the reference but for one weight, and its twelve runs."""
    without = reference(SMOKERS.models, table, silent)
    (weights,), (split,) = without.weights, without.splits
    weights = np.repeat(weights, STUDY.runs, axis=0)
    weights[:, split.feature_names.index(column)] += shift
    calibration = released(SMOKERS.models, splits(table, STUDY.preparation), silent)[0].calibration
    monkeypatch.setattr(models_of, "released", lambda *_: [Judged([weights], [split], calibration)])
    return ask(SMOKERS, records=replace(table))  # of which no models are kept


def told(rows):
    private = rows["method"] != REFERENCE
    return hurt(rows[private], rows[~private], "missed_per_1000")


@pytest.mark.slow("trains many models")
def test_a_small_group_that_is_hurt_is_named_and_else_none(table, monkeypatch):
    hurting = planted(table, monkeypatch, "smoker", -8.0)
    people = hurting.groupby("group")["people"].first()
    assert people["smoker = yes"] < people["smoker = no"]
    assert "most for smoker = yes: " in told(hurting)
    for shift in (8.0, 0.0):
        assert "no group" in told(planted(table, monkeypatch, "smoker", shift))


@pytest.mark.slow("trains many models")
def test_people_of_several_splits_are_counted_once(monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.splits.MAX", 5)
    table = load("breast_cancer")
    study = replace(STUDY, dataset="breast_cancer", records=None)
    result = ask(GroupsQuestion(study, by="mean radius"), records=table)
    one = result[(result["epsilon"] == 5.0) & (result["measure"] == "accuracy")]
    fewer = GroupsQuestion(replace(study, runs=1), by="mean radius")
    runs = ask(fewer, records=table).groupby("method")["runs"].first()
    assert (runs["opera"], runs[REFERENCE]) == (10, 1)  # two models on each split
    assert_gaps_are_between_the_values(result)
    tested = one[one["group"] == EVERYBODY]["people"].iloc[0]
    assert 114 < tested < 569  # five splits of 114
    assert one[~one["group"].isin([EVERYBODY, GAP])]["people"].sum() == tested
    assert one["too_small"].any()
    assert one.loc[one["people"] == 0, "value"].isna().all()


def test_a_group_that_is_too_small_for_one_model_is_left_out_for_all(rows, table, monkeypatch):
    counts = question._counts

    def fewer_without_privacy(models, *more):
        people, cases = counts(models, *more)
        if models.calibration is None:
            cases[1] = MIN - 1
        return people, cases

    assert not rows["too_small"].any()
    monkeypatch.setattr(question, "_counts", fewer_without_privacy)
    result = ask(SMOKERS, records=table)
    small = result.loc[result["too_small"], "group"].value_counts()
    assert small.to_dict() == dict.fromkeys(["smoker = yes", GAP], len(result) // 4)
    assert result.loc[result["group"] == GAP, "value"].isna().all()


def test_what_has_no_groups_is_refused(table):
    with pytest.raises(InvalidInput, match="column is 'hat', but it must be one of the columns"):
        ask(replace(SMOKERS, by="hat"), records=table)
    with pytest.raises(InvalidInput, match="by is missing"):
        ask(replace(SMOKERS, by=""), records=table)
    with pytest.raises(InvalidInput, match="threshold is"):
        replace(SMOKERS, threshold=1.0)
    assert SMOKERS.key != replace(SMOKERS, by="sex").key
