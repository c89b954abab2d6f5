"""What a data set has left, as a number and in words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from dpcore.accounting.decimals import decimal, exactly, excess, named_below
from dpcore.errors import InvalidInput
from dpcore.release.ledger.filter import LedgerAccount, Totals
from dpcore.release.ledger.spends import NOUNS, Spend, from_json, kind_of
from dpcore.rounding import lowered
from dpcore.words import as_set, at_least, spaced

MAX_MORE = 10_000
"""Most further spends that are counted."""
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Refused(InvalidInput):
    """A spend that the cap does not cover; nothing was written."""

    def __init__(self, message: str, left: Left) -> None:
        super().__init__(message)
        self.left = left

    def __reduce__(self) -> tuple[type[Refused], tuple[str, Left]]:
        # It is also raised in a process that holds records, and sent from there.
        return Refused, (str(self), self.left)


@dataclass(frozen=True)
class Left:
    """What is left of a cap."""

    account: LedgerAccount

    @property
    def cap(self) -> tuple[float, float]:
        """The cap (ε, δ)."""
        return self.account.epsilon, self.account.delta

    @property
    def epsilon_spent(self) -> float:
        """The ε that is spent at the cap's δ, rounded up."""
        return self.account.epsilon_spent()

    @property
    def epsilon(self) -> float:
        """The cap's ε less what is spent, rounded down."""
        spent, cap = self.account.exactly_spent(), decimal(self.account.epsilon)
        return named_below(cap - Fraction(spent)) if spent < cap else 0.0

    @property
    def shown(self) -> float:
        """The ε that is left, rounded down to three digits, and to 0 below a thousandth of the cap.

        Payments that fill a cap leave a rest of their rounding, which pays for nothing.
        """
        return lowered(self.epsilon, 3) if 1_000.0 * self.epsilon >= self.account.epsilon else 0.0

    @property
    def basis(self) -> str:
        """The δ, adjacency and accountant of what is left, in a few words."""
        adjacency = self.account.terms.adjacency
        return f"δ = {as_set(self.account.delta)} · {adjacency} · the ledger’s filter."

    def more(self, spend: Spend) -> int:
        """How many more like this spend are within the cap; at most `MAX_MORE`."""
        account = self.account
        charge = account.terms.charge(spend)

        def within(times: int) -> bool:
            return account.within(account.totals.plus(charge, times))

        if not within(1):
            return 0
        low, high = 1, 2
        while high <= MAX_MORE and within(high):
            low, high = high, 2 * high
        high = min(high, MAX_MORE + 1)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if within(middle) else (low, middle)
        return low

    def words(self, spend: Spend | None = None) -> str:
        """What is left in one sentence, and how many more like a spend, or like the last one."""
        account = self.account
        of_cap = f"of {exactly(decimal(account.epsilon))} is left at δ = {as_set(account.delta)}"
        if spend is None and account.last is None:
            return f"ε = {as_set(self.shown)} {of_cap}: nothing is spent."
        like = from_json(account.last or {}) if spend is None else spend
        count = self.more(like)
        # However little it is, what pays for one more is not nothing.
        shown = lowered(self.epsilon, 3) if count else self.shown
        noun = NOUNS[kind_of(like)] + ("" if count == 1 else "s")
        number = _WORDS[count] if count < len(_WORDS) else spaced(count)
        beyond = "at least " if count == MAX_MORE else ""
        which = "the last" if spend is None else "this one"
        alone = account.exactly_spent(Totals().plus(account.terms.charge(like)))
        rest = decimal(account.epsilon) - account.exactly_spent()
        less = ": several cost less than their sum" if count and count * alone > rest else ""
        return (
            f"ε = {as_set(shown)} {of_cap}, enough for {beyond}{number} more {noun} like "
            f"{which}{less}."
        )


def refused(account: LedgerAccount, after: LedgerAccount, spend: Spend) -> Refused:
    """The refusal of a spend after which the cap would not be kept."""
    left, spent = Left(account), after.exactly_spent()
    cap, part, delta = decimal(account.epsilon), account.failing, as_set(account.delta)
    reason = f"has no finite ε, but the data set's cap is {exactly(cap)} at δ = {delta}"
    if after.totals.delta > part:
        known = f"of δ = {delta}, the part of known (ε, δ) is {at_least(float(part))}"
        reason = f"is δ = {excess(after.totals.delta, part)} too much: {known}"
    elif isfinite(spent):
        over = excess(Fraction(spent), cap)
        reason = f"is ε = {over} too much: its cap is {exactly(cap)} at δ = {delta}"
    return Refused(f"The spend {reason}. {left.words(None if account.last else spend)}", left)
