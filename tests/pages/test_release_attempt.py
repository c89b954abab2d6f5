"""An attempt to release: cancelled before it is paid or not at all, and paid once."""

import time
from threading import Event
from unittest.mock import Mock

import pytest

from dpcore.errors import Cancelled, InvalidInput
from dpcore.release import demonstration
from dpcore.release.ledger import GaussianSpend
from dpcore.release.plan import plan
from dpcore.release.roles import Actor, Role
from pages.release import account, final_step, payment
from pages.release.account import Attempt, Attempts, WatchedAttempt
from pages.release.payment import Press
from pages.release.steps import ReleaseStep, current, last

SECONDS = 60.0


class Paying:
    """Work that pays, and waits where it is told to.

    Parameters
    ----------
    before, after : callable
        What happens before the payment is decided on, and after it.
    """

    def __init__(self, before=lambda: None, after=lambda: None):
        self.payments = 0
        self._before, self._after = before, after

    def __call__(self, attempt):
        self._before()
        attempt.commit()
        self.payments += 1
        attempt.paid()
        self._after()


def raising(error):
    def fail():
        raise error

    return fail


def ended(work, is_present=True):
    attempt = Attempt(work, lambda: is_present)
    attempt.wait()
    assert not attempt.is_under_way
    return attempt


def test_two_presses_of_what_one_reader_saw_pay_once():
    go_on, attempts = Event(), Attempts()
    work = Paying(before=lambda: go_on.wait(SECONDS))
    for _ in range(2):  # a double click
        attempts.begin(0, work, lambda: True)
    attempts.begin(1, work, lambda: True)  # a page that was loaded anew meanwhile
    assert attempts.count == 1
    first = attempts.latest
    assert first is not None
    go_on.set()
    first.wait()
    attempts.begin(0, work, lambda: True)  # a page from before
    assert (attempts.count, work.payments, attempts.latest) == (1, 1, first)
    attempts.begin(1, work, lambda: True)
    assert attempts.latest is not None
    attempts.latest.wait()
    assert (attempts.count, work.payments) == (2, 2)


def test_it_is_cancelled_before_it_is_paid_or_not_at_all():
    begun, go_on = Event(), Event()

    def wait():
        begun.set()
        go_on.wait(SECONDS)

    early = Paying(before=wait)
    attempt = Attempt(early, lambda: True)
    watched, anothers = WatchedAttempt(attempt, attempt), WatchedAttempt(attempt, None)
    begun.wait(SECONDS)
    assert (watched.line().button, anothers.line().button) == ("Cancel", "")
    anothers.stop()
    assert attempt.is_wanted
    watched.stop()
    go_on.set()
    attempt.wait()
    assert (attempt.phase, early.payments) == ("cancelled", 0)
    begun.clear()
    go_on.clear()
    late = Paying(after=wait)
    attempt = Attempt(late, lambda: True)
    watched = WatchedAttempt(attempt, attempt)
    begun.wait(SECONDS)
    assert watched.line().button == ""
    watched.stop()
    go_on.set()
    attempt.wait()
    assert (attempt.phase, late.payments) == ("released", 1)


def test_nothing_is_paid_for_a_reader_who_has_left():
    work = Paying()
    assert ended(work, is_present=False).phase == "cancelled"
    assert work.payments == 0


@pytest.mark.parametrize(("role", "payments"), [("analyst", 1), ("reader", 0)])
def test_nothing_is_paid_for_one_whose_role_was_taken_away(role, payments, tmp_path, monkeypatch):
    file = tmp_path / "roles.toml"
    file.write_text(f'[roles]\n"b@clinic.example" = "{role}"\n')
    monkeypatch.setenv("DPCORE_ROLES", str(file))
    claims = {"iat": time.time(), "exp": time.time() + 3_600}
    press = Press(0, Actor("b@clinic.example", Role.ANALYST), claims)
    records, order = Mock(), Mock(plan=plan(demonstration.columns(), 100, epsilon=1, delta=1e-6))
    records.train.side_effect = InvalidInput("No more is needed here.")
    records.measure.side_effect = records.train.side_effect
    for work, pay in (
        (final_step._work, records.pay),
        (payment.measuring, records.pay_measurement),
    ):
        attempt = ended(work(records, order, press))
        assert pay.call_count == payments
        assert (attempt.phase == "refused") == (not payments)
        assert (attempt.refusal == payment.NO_LONGER) == (not payments)


@pytest.mark.parametrize(
    ("work", "phase", "told"),
    [
        (Paying(before=raising(InvalidInput("No."))), "refused", "No."),
        (Paying(before=raising(MemoryError())), "refused", account.FAULT),
        (Paying(after=raising(InvalidInput("No."))), "lost", "No."),
        (Paying(after=raising(MemoryError())), "lost", account.FAULT),
        (Paying(after=raising(Cancelled())), "lost", ""),
    ],
)
def test_what_ends_it_after_the_payment_loses_it(work, phase, told):
    attempt = ended(work)
    assert (attempt.phase, attempt.refusal) == (phase, told)


def test_a_payment_that_is_cut_off_is_doubtful_and_one_that_is_refused_is_not():
    def cut_off(attempt):
        attempt.commit()
        raise InvalidInput("It took too long.")

    def refused(attempt):
        attempt.commit()
        demonstration.ledger().spend(
            demonstration.DATA_SET, GaussianSpend(0.2), actor="A", purpose="B"
        )

    assert ended(cut_off).phase == "doubtful"
    assert ended(refused).phase == "refused"


def test_the_first_step_that_is_not_done_comes_next():
    done, open_step = ReleaseStep("done", "a"), ReleaseStep("to do", "b")
    assert current((done, open_step, done, open_step, open_step)) == 2
    assert current((done,) * 5) == 5
    may_be_left_out = ReleaseStep("optional", "c")
    assert current((done, done, may_be_left_out, done, open_step)) == 5
    assert last((done, done, may_be_left_out, done), "", "").state == "to do"
    assert last((done,) * 4, "", "").state == "to do"
    assert last((done,) * 4, "", "entry 2") == ReleaseStep("done", "entry 2")
    assert last((done,) * 4, "training", "") == ReleaseStep("to do", "training")
    for released in ("", "entry 2"):
        waiting = last((done, open_step, done, done), "", released)
        assert waiting == ReleaseStep("not possible yet", "step 2 comes first")
    assert open_step.label(2) == "**2 What one person is** · to do: b"
