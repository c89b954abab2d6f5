"""What curves of survival say follows from their rows."""

import pytest

from dpcore.errors import InvalidInput
from dpcore.questions.question import ask
from dpcore.questions.survival.question import SurvivalQuestion
from dpcore.summaries.study import TableStudy

STUDY = TableStudy(records=1_000, epsilons=(0.1, 1.0, 10.0), delta=1e-6)


@pytest.fixture(scope="module")
def question():
    return SurvivalQuestion(STUDY, by="sex")


@pytest.fixture(scope="module")
def rows(question):
    return ask(question)


def test_every_interval_of_every_group_has_a_row_at_every_epsilon(question, rows):
    alive = rows[rows["statistic"] == "event-free"]
    whole = alive[~alive["level"].str.contains("less")]
    assert len(whole) == 3 * 3 * 24
    assert set(whole["time"]) == set(question.follow_up.ends)
    assert set(rows.loc[rows["statistic"] != "event-free", "time"]) == {60.0}
    assert set(rows.loc[rows["unit"] == "months", "statistic"]) == {
        "median time",
        "restricted mean",
    }


def test_errors_fall_with_epsilon_to_those_of_chance(rows):
    for name, one in rows.groupby(["statistic", "level", "group"], sort=False):
        assert name[0] == "median time" or one["noise_error"].is_monotonic_decreasing
        assert (one["error"] >= 0.99 * one["sampling_error"]).all()


def test_what_is_proved_is_of_one_cell_a_person(question, rows):
    proofs = question.beside(rows)["calibrations"]
    assert [one["squared_sensitivity"] for one in proofs] == [1.0, 1.0, 1.0]
    replaced = SurvivalQuestion(TableStudy(records=1_000, adjacency="replace-one"), by="sex")
    assert replaced.beside(rows)["calibrations"][0]["squared_sensitivity"] == 2.0


def test_time_is_cut_by_the_number_of_records_that_is_public():
    for records, count in ((999, 12), (1_000, 24), (49_999, 24), (50_000, 48)):
        question = SurvivalQuestion(TableStudy(records=records))
        assert question.follow_up.intervals == count


def test_time_and_event_can_be_named(question):
    named = question.spelled_out()
    assert (named.time, named.event) == ("followed", "died=yes")
    assert named.measured(STUDY.entry) == question.measured(STUDY.entry)
    with pytest.raises(InvalidInput, match="time is left out"):
        ask(SurvivalQuestion(TableStudy("breast_cancer")))
