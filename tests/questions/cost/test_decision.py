"""What an answer says at a threshold, against the tables that are computed without counts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.evaluation.baselines import Baselines
from dpcore.evaluation.clinic.counts import TreatedCounts, joined
from dpcore.evaluation.curves import against
from dpcore.evaluation.scoring import ACCURACY
from dpcore.evaluation.study import THRESHOLDS
from dpcore.questions.cost.decision import Decision
from dpcore.questions.cost.question import CostQuestion
from dpcore.questions.decision_curve.question import DecisionCurveQuestion
from dpcore.questions.question import ask
from dpcore.work.task import JobContext
from tests.curves import answers
from tests.questions.cost.conftest import FEW, STUDY, answered


@pytest.mark.parametrize("method", ["dpgd", "opera"])
@pytest.mark.parametrize("threshold", [0.1, 0.5])
def test_people_are_those_of_the_table_of_decisions(method, threshold, reference):
    study = replace(STUDY, methods=(method,))
    decision = answered(study, reference, threshold)
    rows = ask(DecisionCurveQuestion(study, thresholds=(threshold,)))
    private, without = rows[rows["method"] == method], rows[rows["method"] == "reference"].iloc[0]
    assert decision.missed == pytest.approx(private["missed_per_1000"].to_numpy())
    assert decision.false == pytest.approx(private["false_per_1000"].to_numpy())
    assert decision.baseline_cases == pytest.approx(
        (without["missed_per_1000"], without["false_per_1000"])
    )
    treat_all = rows.loc[rows["method"] == "treat_all", "net_benefit"].iloc[0]
    gain = private["net_benefit"].to_numpy() - max(0.0, treat_all)
    assert decision.gain[0] == pytest.approx(gain)


def test_at_one_half_the_measure_is_the_accuracy_of_the_curves(reference):
    decision = answered(STUDY, reference, 0.5)
    assert decision.band[0] == pytest.approx(decision.rows["accuracy"].to_numpy())
    assert decision.band[1] == pytest.approx(decision.rows["accuracy_low"].to_numpy())
    assert decision.baseline == pytest.approx(reference[0].value)
    right = 1000 - decision.table["missed_per_1000"] - decision.table["false_per_1000"]
    assert decision.table["accuracy"].to_numpy() == pytest.approx(right.to_numpy() / 1000)


def test_single_runs_are_of_a_thousand_and_spread_over_the_splits(reference):
    counts = answered(STUDY, reference, 0.5).counts
    runs = counts.single(1, 0.5, FEW)
    assert runs.shape == (FEW, 4)
    assert (runs.sum(axis=1) == 1000).all()
    shares = counts.cases / counts.people
    assert runs[:, 0] + runs[:, 1] == pytest.approx(1000 * shares, abs=1.0)
    assert len(counts.single(1, 0.5, 1_000)) == len(counts.places)


def made(found, alarms, people=100, cases=40):
    """TreatedCounts of two splits with a run each, whatever the threshold."""

    def every(values):
        return np.repeat(np.array(values)[:, :, None], len(THRESHOLDS), axis=2)

    size, places = np.array([people, people]), np.array([0, 0, 1, 1])
    epsilons = 10.0 ** np.arange(len(found))
    return TreatedCounts(
        epsilons, places, size, np.array([cases, cases]), every(found), every(alarms)
    )


def decision_of(counts, without):
    rows = pd.DataFrame({"epsilon": counts.epsilons, "status": "proved", "runs": 4, "splits": 2})
    measured = {"accuracy": 0.9}
    compared = Baselines(ACCURACY, measured, measured, measured, {}, "", measured, 1.0, 0.4)
    return Decision(rows, counts, compared, without, 0.5)


def test_it_is_worth_it_from_where_nineteen_of_twenty_runs_are():
    # Treating nobody has a net benefit of 0, as here found = false alarms at the least ε.
    counts = made([[20] * 4, [40, 0, 40, 0], [30] * 4], [[20] * 4, [10] * 4, [10] * 4])
    decision = decision_of(counts, made([[40] * 2 + [40] * 2], [[0] * 4]))
    assert decision.gain[0] == pytest.approx([0.0, 0.1, 0.2])
    assert decision.worth_from == 100.0
    assert decision.guess == 0.6
    # What is not proved is worth nothing.
    unproved = replace(decision, rows=decision.rows.assign(status="conditions not met"))
    assert unproved.worth_from is None


def test_the_interval_of_the_mean_is_students_over_the_splits():
    counts = made([[30, 34, 20, 24]], [[0] * 4])
    decision = decision_of(counts, made([[40] * 4], [[0] * 4]))
    # Means of 0.92 and 0.82: standard error .05, and t with one degree of freedom 12.706.
    assert decision.half_width == pytest.approx([12.706 * 0.05], rel=1e-4)


def test_a_lead_is_that_of_the_means_on_each_split():
    mine = decision_of(made([[30, 30, 20, 20]], [[0] * 4]), None)
    better = decision_of(made([[34, 34, 24, 24]], [[0] * 4]), None)
    lead, half = mine.lead_of(better, 0)
    assert lead == pytest.approx(0.04)
    assert half == pytest.approx(0.0, abs=1e-12)


def test_counts_of_several_methods_are_joined_by_their_epsilons():
    one, other = made([[1] * 4, [2] * 4], [[0] * 4] * 2), made([[3] * 4, [4] * 4], [[0] * 4] * 2)
    both = joined([(one, [1.0]), (other, [10.0])])
    assert both.epsilons.tolist() == [1.0, 10.0]
    assert both.found[:, 0, 0].tolist() == [1, 4]
    read = TreatedCounts.read(both.written())
    assert np.array_equal(read.found, both.found)


def test_a_question_of_several_methods_or_of_no_risks_counts_nobody():
    assert CostQuestion(STUDY).counts_people
    for other in (
        {"methods": ("dpgd", "opera")},
        {"loss": "huber"},
        {"methods": ("nonprivate",)},
        {"dataset": "optical_digits"},
    ):
        assert not CostQuestion(replace(STUDY, **other)).counts_people
    assert CostQuestion(replace(STUDY, loss="huber", runs=1)).answer(JobContext()).files == {}


def test_the_table_is_that_of_the_job_beside_the_model_without_privacy(reference):
    told = answers(STUDY)
    done = against(CostQuestion(STUDY).answer(JobContext()).rows, reference[0])
    pd.testing.assert_frame_equal(told, done)
    assert ask(CostQuestion(STUDY))["method"].tolist() == ["dpgd"] * 3 + ["without privacy"]
