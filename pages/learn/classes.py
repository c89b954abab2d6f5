"""Keep open classes in the server's memory: a code, a lesson, guesses and answers without names.

Nothing of it is on disk. What a class has guessed is gone when its presenter goes to another lesson
or ends the class, and an hour after the last guess.
"""

from __future__ import annotations

import hashlib
import secrets
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock, Thread
from typing import Any
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from dpcore.controls.learn import CLASS_CODE
from dpcore.errors import InvalidInput
from dpcore.lessons.figure import Guess

LETTERS = "CDFHJKLMNPRTVWXY"
"""No two of them look alike, and none makes a word."""
LENGTH = 4
MAX_CLASSES, MAX_PHONES = 100, 200
SECONDS, SWEEP_SECONDS = 3600.0, 60.0
"""From the last guess to the end of a class, and between two looks for such."""
OF_THIS_MACHINE = ("localhost", "127.0.0.1", "::1", "[::1]")
SOME_OTHER = ("192.0.2.1", 9)
"""An address of nobody (RFC 5737): nothing is sent there."""


@dataclass(frozen=True)
class OpenClass:
    """What one session sees of a class."""

    code: str
    is_presenter: bool
    lesson: int
    seed: int
    epsilon: float  # of the coin
    is_shown: bool
    guesses: tuple[Guess, ...]
    yes: int  # answers as they were sent
    answers: int
    mine: Guess | None
    has_answered: bool
    stage: int  # changes with the lesson and as the curve is shown
    news: int  # changes with anything


@dataclass
class _Class:
    presenter: str
    lesson: int
    seed: int
    changed: float
    epsilon: float
    is_shown: bool = False
    guesses: dict[str, Guess] = field(default_factory=dict)
    answers: dict[str, bool] = field(default_factory=dict)
    stage: int = 0
    news: int = 0
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(16))

    def name(self, visitor: str) -> str:
        """Return what tells visitors apart, in this class alone."""
        return hashlib.blake2b(visitor.encode(), key=self.salt, digest_size=16).hexdigest()

    def clear(self) -> None:
        """Forget the guesses and answers, and hide the curve."""
        self.guesses, self.answers = {}, {}
        self.is_shown = False
        self.stage += 1
        self.news += 1


class OpenClasses:
    """The open classes, for all threads."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = Lock()
        self._open: dict[str, _Class] = {}
        self._sweeps = False

    def open(self, presenter: str, lesson: int, seed: int, epsilon: float) -> str:
        """Open a class for a presenter; returns its code."""
        with self._lock:
            self._forget()
            if len(self._open) >= MAX_CLASSES:
                raise InvalidInput(
                    f"{MAX_CLASSES} classes are open on this server; try again once one has ended"
                )
            code = ""
            while not code or code in self._open:
                code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
            self._open[code] = made = _Class("", lesson, seed, self._now(), epsilon)
            made.presenter = made.name(presenter)
            if not self._sweeps:
                self._sweeps = True
                Thread(target=self._sweep, daemon=True).start()
            return code

    def see(self, code: str, visitor: str) -> OpenClass | None:
        """Return what a visitor sees of the class; ``None`` where there is none of this code."""
        with self._lock:
            found = self._found(code)
            if found is None:
                return None
            name = found.name(visitor)
            return OpenClass(
                code.upper(),
                name == found.presenter,
                found.lesson,
                found.seed,
                found.epsilon,
                found.is_shown,
                tuple(found.guesses.values()),
                sum(found.answers.values()),
                len(found.answers),
                found.guesses.get(name),
                name in found.answers,
                found.stage,
                found.news,
            )

    def guess(self, code: str, visitor: str, lesson: int, guess: Guess) -> bool:
        """Keep a phone's guess on this lesson, its last one; whether it is kept."""
        with self._lock:
            found = self._found(code)
            if found is None or found.lesson != lesson or found.is_shown:
                return False
            return self._keep(found, found.guesses, visitor, dict(guess))

    def answer(self, code: str, visitor: str, epsilon: float, is_yes: bool) -> bool:
        """Keep what a phone's coin has sent, its first answer; whether it is kept."""
        with self._lock:
            found = self._found(code)
            if found is None or found.epsilon != epsilon or found.name(visitor) in found.answers:
                return False
            return self._keep(found, found.answers, visitor, is_yes)

    def _keep(self, found: _Class, kept: dict[str, Any], visitor: str, value: object) -> bool:
        name = found.name(visitor)
        if name not in kept and len(kept) >= MAX_PHONES:
            return False
        kept[name] = value
        found.changed = self._now()
        found.news += 1
        return True

    def turn_to(self, code: str, presenter: str, lesson: int, seed: int) -> None:
        """Go to another lesson, or another seed, and forget what was guessed before."""
        with self._lock:
            found = self._presented(code, presenter)
            if found is not None and (found.lesson, found.seed) != (lesson, seed):
                found.lesson, found.seed = lesson, seed
                found.clear()

    def toss_by(self, code: str, presenter: str, epsilon: float) -> None:
        """Take another coin, as long as nobody has answered: one estimate is of one coin."""
        with self._lock:
            found = self._presented(code, presenter)
            if found is not None and not found.answers and found.epsilon != epsilon:
                found.epsilon = epsilon
                found.stage += 1
                found.news += 1

    def show(self, code: str, presenter: str) -> None:
        """Show the curve to everybody."""
        with self._lock:
            found = self._presented(code, presenter)
            if found is not None:
                found.is_shown = True
                found.stage += 1
                found.news += 1

    def restart(self, code: str, presenter: str) -> None:
        """Forget the guesses, and let everybody guess again."""
        with self._lock:
            found = self._presented(code, presenter)
            if found is not None:
                found.clear()

    def end(self, code: str, presenter: str) -> None:
        """End the class, and forget all of it."""
        with self._lock:
            if self._presented(code, presenter) is not None:
                del self._open[code.upper()]

    def _found(self, code: str) -> _Class | None:
        self._forget()
        return self._open.get(code.upper())

    def _presented(self, code: str, presenter: str) -> _Class | None:
        found = self._found(code)
        return found if found is not None and found.name(presenter) == found.presenter else None

    def _forget(self) -> None:
        oldest = self._now() - SECONDS
        self._open = {code: each for code, each in self._open.items() if each.changed > oldest}

    def _sweep(self) -> None:
        """Forget what nobody asks for any more, until no class is open."""
        while True:
            time.sleep(SWEEP_SECONDS)
            with self._lock:
                self._forget()
                if not self._open:
                    self._sweeps = False
                    return


CLASSES = OpenClasses()


def link_for_phones(code: str) -> str:
    """Return the class's link for phones; "" where the server listens on this machine alone."""
    parts = urlsplit(st.context.url or "")
    host = parts.hostname or ""
    if host in ("", *OF_THIS_MACHINE):
        host = _network_name()
    if not host:
        return ""
    name = f"[{host}]" if ":" in host else host
    place = name if parts.port is None else f"{name}:{parts.port}"
    settings = urlencode({CLASS_CODE.key: code})
    return parts._replace(netloc=place, query=settings, fragment="").geturl()


def qr_code(address: str) -> str:
    """Return a link as QR code: SVG, black on white with its quiet zone, on dark pages too."""
    made = segno.make(address, error="m", micro=False)
    return str(made.svg_inline(scale=4, border=4, dark="#000", light="#fff"))


def own_address() -> str:
    """Return this machine's address in its network; "" without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(SOME_OTHER)  # chooses the way, and sends nothing
            address = str(probe.getsockname()[0])
        except OSError:
            return ""
    return "" if address in OF_THIS_MACHINE else address


def _network_name() -> str:
    """Return a name by which the server answers to others, if it listens to them."""
    listens_on = st.get_option("server.address") or ""
    if listens_on in OF_THIS_MACHINE:
        return ""
    named = [each for each in st.get_option("server.allowedHosts") if "*" not in each]
    others = [each for each in named if each not in OF_THIS_MACHINE]
    mine = own_address()
    return others[0] if others else mine if is_host_allowed(mine) else ""
