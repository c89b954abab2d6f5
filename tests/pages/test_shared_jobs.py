"""Two sessions with the same job: what one does to it does not end it for the other."""

import time

import pytest

from dpcore.work import jobs
from tests.pages.shown import open_page, said
from tests.pages.waiting import until

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]

# Begins by itself, and takes long enough to be stopped.
TRAIN = {"passes": "50", "units": "8", "repeats": "2"}
LONG = {"passes": "1000", "repeats": "30", "schedule": "Constant", "units": "8"}
EXPLORE = {
    "runs": "100",
    "data": "Synthetic clinical cohort",
    "patients": "30000",
}


def begun(is_long=True):
    """All trainings, besides the timing of one that waits for its start; or all other jobs."""
    attempts = list(jobs._attempts.items())
    return [jobs.Job(key) for key, attempt in attempts if attempt.kind.is_long == is_long]


def states(is_long=True):
    return [job.state for job in begun(is_long)]


def keys(app):
    return {str(button.key) for button in app.button}


def test_one_who_stops_a_training_leaves_it_to_the_other_who_sees_its_result():
    anne, bert = (open_page("train", **TRAIN) for _ in range(2))
    until(lambda: "running" in states(), anne, bert)
    anne.run()
    bert.run()
    anne.button(key="train_stop").click().run()
    assert "Stopped." in said(anne)
    assert set(states()) <= {"running", "queued", "done"}
    # Nor does it come back to who stopped it.
    time.sleep(1.0)
    assert "Stopped." in said(anne.run()) or "done" in states()
    until(lambda: "Trained." in said(bert), bert)
    assert set(states()) == {"done"}
    # It is there for both.
    until(lambda: "Trained." in said(anne), anne)


def long_training():
    """Two that watch the same one, which is under way."""
    anne, bert = (open_page("train", **LONG) for _ in range(2))
    until(lambda: "train_start" in keys(anne), anne)
    anne.button(key="train_start").click().run()
    until(lambda: "running" in states() and "train_stop" in keys(bert), anne, bert)
    return anne, bert


def test_a_training_ends_when_both_have_left_it_by_a_stop_and_by_other_settings():
    anne, bert = long_training()
    # One that is stopped before its first row is said to be untouched instead.
    until(lambda: any(job.partial() is not None for job in begun()), anne)
    bert.run()
    anne.number_input(key="passes").set_value(999).run()
    assert not anne.exception
    assert "running" in states()
    bert.button(key="train_stop").click().run()
    assert not {"running", "queued"} & set(states())
    assert "Stopped." in said(bert)


def test_one_who_stops_an_answer_or_changes_settings_leaves_it_to_the_other():
    anne, bert, carl = (open_page("explore", **EXPLORE) for _ in range(3))
    until(lambda: "running" in states(is_long=False), anne, bert, carl)
    for app in (anne, bert, carl):
        app.run()
    # Between two of them none runs.
    key = next(key for key in jobs._attempts if jobs.Job(key).state in ("queued", "running"))
    anne.button(key="first_stop").click().run()
    assert "stopped." in said(anne) or jobs.Job(key).state == "done"
    carl.selectbox(key="data").set_value("breast_cancer").run()
    assert jobs.Job(key).state in ("queued", "running", "done")
    bert.button(key="first_stop").click().run()
    assert jobs.Job(key).state in ("cancelled", "done")
