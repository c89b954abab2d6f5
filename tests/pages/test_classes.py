"""Open classes: who may do what, how much they hold, when they are forgotten, and their link."""

from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock
from urllib.parse import urlsplit

import pytest

from dpcore.errors import InvalidInput
from pages.learn import classes
from pages.learn.classes import LETTERS, MAX_CLASSES, MAX_PHONES, SECONDS, OpenClasses

HOST, PHONE, COIN = "host", "phone", 1.0986


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture(autouse=True)
def no_sweeper(monkeypatch):
    monkeypatch.setattr(classes, "Thread", Mock())


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def room(clock):
    return OpenClasses(clock)


@pytest.fixture
def code(room):
    return room.open(HOST, 1, 7, COIN)


def test_a_code_is_four_letters_that_do_not_look_alike(room):
    codes = {room.open(HOST, 1, 0, COIN) for _ in range(MAX_CLASSES)}
    assert len(codes) == MAX_CLASSES
    assert all(len(code) == 4 and set(code) <= set(LETTERS) for code in codes)
    assert not set(LETTERS) & set("0O1I8B5S2Z6GUQ")
    with pytest.raises(InvalidInput):
        room.open(HOST, 1, 0, COIN)


def test_a_guess_is_seen_without_who_made_it(room, code):
    assert room.guess(code.lower(), PHONE, 1, {1.0: 60.0})
    assert room.guess(code, PHONE, 1, {1.0: 70.0})
    assert room.guess(code, "another", 1, {4.0: 50.0})
    seen = room.see(code, HOST)
    assert seen.is_presenter
    assert seen.guesses == ({1.0: 70.0}, {4.0: 50.0})
    assert PHONE not in repr(room._open)
    mine = room.see(code, PHONE)
    assert (mine.mine, mine.is_presenter) == ({1.0: 70.0}, False)
    assert room.see("XXXX", PHONE) is None
    assert not room.guess("XXXX", PHONE, 1, {1.0: 60.0})


def test_a_late_guess_is_left_out(room, code):
    assert not room.guess(code, PHONE, 2, {1.0: 60.0})
    room.show(code, HOST)
    assert not room.guess(code, PHONE, 1, {1.0: 60.0})
    assert room.see(code, HOST).guesses == ()


def test_a_phone_answers_once_and_by_the_class_s_coin(room, code):
    assert not room.answer(code, PHONE, 0.5, True)
    assert room.answer(code, PHONE, COIN, True)
    assert not room.answer(code, PHONE, COIN, False)
    room.toss_by(code, HOST, 0.5)
    seen = room.see(code, PHONE)
    assert (seen.yes, seen.answers, seen.epsilon, seen.has_answered) == (1, 1, COIN, True)
    room.restart(code, HOST)
    room.toss_by(code, HOST, 0.5)
    assert room.see(code, PHONE).epsilon == 0.5


def test_only_the_presenter_leads(room, code):
    before = room.see(code, PHONE)
    room.show(code, PHONE)
    room.turn_to(code, PHONE, 2, 0)
    room.toss_by(code, PHONE, 0.5)
    room.restart(code, PHONE)
    room.end(code, PHONE)
    assert room.see(code, PHONE) == before
    room.end(code, HOST)
    assert room.see(code, PHONE) is None


def test_another_lesson_forgets_what_was_guessed_and_answered(room, code):
    room.guess(code, PHONE, 1, {1.0: 60.0})
    room.answer(code, PHONE, COIN, True)
    room.turn_to(code, HOST, 1, 7)
    assert room.see(code, HOST).guesses
    stage = room.see(code, HOST).stage
    room.turn_to(code, HOST, 2, 7)
    seen = room.see(code, PHONE)
    assert (seen.lesson, seen.guesses, seen.answers, seen.mine) == (2, (), 0, None)
    assert seen.stage > stage


def test_a_class_is_forgotten_an_hour_after_its_last_guess(room, code, clock):
    clock.now = SECONDS - 1.0
    room.guess(code, PHONE, 1, {1.0: 60.0})
    clock.now += SECONDS - 1.0
    assert room.see(code, HOST) is not None
    clock.now += 2.0
    room.see("XXXX", HOST)
    assert room._open == {}


def test_the_sweeper_forgets_what_nobody_asks_for(monkeypatch, room, code, clock):
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        clock.now += SECONDS

    monkeypatch.setattr(classes.time, "sleep", sleep)
    room._sweep()
    assert slept == [classes.SWEEP_SECONDS]
    assert room._open == {}


def test_many_phones_at_once_are_all_kept_and_no_more_than_fit(room, code):
    def guess(number):
        kept = room.guess(code, f"phone {number}", 1, {1.0: float(number)})
        return kept, room.answer(code, f"phone {number}", COIN, number % 2 == 0)

    with ThreadPoolExecutor(16) as threads:
        kept = list(threads.map(guess, range(MAX_PHONES + 40)))
    assert [sum(column) for column in zip(*kept, strict=True)] == [MAX_PHONES, MAX_PHONES]
    seen = room.see(code, HOST)
    assert len(seen.guesses) == seen.answers == MAX_PHONES
    # Who is in may still guess again.
    first = next(number for number, (is_kept, _) in enumerate(kept) if is_kept)
    assert room.guess(code, f"phone {first}", 1, {1.0: 1.0})


@pytest.mark.parametrize(
    ("url", "listens_on", "allowed", "host"),
    [
        ("http://localhost:8501/learn", "127.0.0.1", ["localhost"], None),
        ("http://localhost:8501/learn", "0.0.0.0", ["localhost"], None),
        ("http://localhost:8501/learn", "0.0.0.0", ["localhost", "10.0.0.7"], "10.0.0.7:8501"),
        ("http://localhost:8501/learn", "0.0.0.0", ["explorer.example"], "explorer.example:8501"),
        ("http://127.0.0.1:8501/learn", "", ["*"], "10.0.0.7:8501"),
        ("https://explorer.example/a/learn?x=1", "127.0.0.1", [], "explorer.example"),
    ],
)
def test_a_class_s_link_is_one_that_phones_reach(monkeypatch, url, listens_on, allowed, host):
    options = {"server.address": listens_on, "server.allowedHosts": allowed}
    monkeypatch.setattr(classes.st, "get_option", options.__getitem__)
    monkeypatch.setattr(classes, "is_host_allowed", lambda name: "*" in allowed or name in allowed)
    monkeypatch.setattr(classes, "own_address", lambda: "10.0.0.7")
    monkeypatch.setattr(type(classes.st.context), "url", url)
    parts = urlsplit(classes.link_for_phones("KTRM"))
    assert (parts.netloc or None) == host
    assert parts.query == ("class_code=KTRM" if host else "")


def test_a_qr_code_is_black_on_white_with_its_quiet_zone():
    drawn = classes.qr_code("http://10.0.0.7:8501/learn?class_code=KTRM")
    assert drawn.startswith("<svg ")
    assert "#fff" in drawn
