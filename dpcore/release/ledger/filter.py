"""The filter: what entries spend of a cap, each dependent on all before, and what is left of it.

δ is divided in equal and fixed parts over what the data set was created to accept, and one of these
must hold on every path:

- *sum*: all entries are (ε_i, 0)- or (ε_i, δ_i)-private, and Σε_i ≤ ε. It needs no δ of its own.
- *gaussian*: Σμ_i² ≤ μ(ε, δ_G)². Fully adaptive composition of Gaussian differential privacy (Smith
  and Thakurta 2022; Koskela, Tobaben, Honkela 2023): given the path, the rest is at most the
  Gaussian with the rest of Σμ², so E[(1 - e^{ε-L})₊ | path] is a supermartingale that begins at
  δ_G. Exact for Gaussian noise. An entry that is (ε, 0)-private counts with
  μ = 2Φ⁻¹(e^ε/(1 + e^ε)): its trade-off curve joins (0, 1), (a, a), (1, 0) with a = 1/(1 + e^ε) by
  straight lines, the convex curve of that Gaussian meets it in the same points and lies below.
- *renyi*: the mixture of Rényi orders of `orders`, at δ_R.

What is (ε_i, δ_i)-private is (ε_i, 0)-private but for an event of probability δ_i (Kairouz, Oh,
Viswanath 2015); Σδ_i ≤ δ_A on every path, and the events together have at most that probability.

The failures add up: where a path ends by *gaussian*, (1 - e^{ε-L})₊ is at most the first
supermartingale; where it ends by *renyi*, at most δ_R G; where it ends by *sum*, 0. Hence δ_G +
δ_R + δ_A ≤ δ. That the parts are fixed matters: a δ shared out along the path, by what was seen,
could be used twice. So does that privacy loss distributions are not composed here: stopping where
their product crosses a curve is no valid filter under adaptive choice (arXiv 2602.06756).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Any

import scipy

from dpcore.accounting.decimals import decimal, exactly, excess, named_above, named_below
from dpcore.accounting.events import ROUNDED_UP, change
from dpcore.errors import InvalidInput, number, one_of, reject
from dpcore.guarantee import SMALLEST_DELTA, Adjacency
from dpcore.mechanisms.gaussian import analytic_epsilon
from dpcore.release.ledger import orders
from dpcore.release.ledger.spends import (
    NOUNS,
    ApproximateSpend,
    ConcentratedSpend,
    GaussianSpend,
    PureSpend,
    Spend,
    SubsampledGaussianSpend,
    checked,
    from_json,
    kind_of,
    refusal,
    text,
)
from dpcore.words import as_set, at_least, lowered, spaced

ACCEPTS = ("gaussian", "renyi", "approximate")
MIN_CAP, MAX_CAP = 1e-6, 100.0
LARGEST_DELTA = 0.1


@dataclass(frozen=True)
class Totals:
    """What a data set's entries spend together; ``None`` where an entry rules the way out."""

    epsilon: Fraction | None = Fraction()  # Σε_i, of the decimals as typed
    mu_squared: float | None = 0.0  # Σμ_i²
    rdp: tuple[float, ...] | None = (0.0,) * len(orders.ORDERS)  # Σ RDP at each of `orders.ORDERS`
    delta: Fraction = Fraction()  # Σδ_i, of the decimals as typed

    def plus(self, more: Totals, times: int = 1) -> Totals:
        """Both together; μ² and RDP are rounded up."""
        epsilon = mu_squared = rdp = None
        if self.epsilon is not None and more.epsilon is not None:
            epsilon = self.epsilon + times * more.epsilon
        if self.mu_squared is not None and more.mu_squared is not None:
            mu_squared = _sum(self.mu_squared, more.mu_squared, times)
        if self.rdp is not None and more.rdp is not None:
            rdp = tuple(_sum(a, b, times) for a, b in zip(self.rdp, more.rdp, strict=True))
        return Totals(epsilon, mu_squared, rdp, self.delta + times * more.delta)

    def to_json(self) -> dict[str, Any]:
        """As plain data; exact sums are texts of all their digits."""
        epsilon = None if self.epsilon is None else exactly(self.epsilon)
        return {**vars(self), "epsilon": epsilon, "delta": exactly(self.delta)}


def _sum(first: float, second: float, times: int) -> float:
    if second == 0.0:
        return first
    product = second if times == 1 else math.nextafter(second * times, math.inf)
    return math.nextafter(first + product, math.inf)


@dataclass(frozen=True)
class LedgerTerms:
    """What is agreed when a data set is created, and public."""

    person_unit: str  # what one record is, such as "one patient"
    adjacency: Adjacency
    epsilon: float  # with δ the first cap, from which the weights of the orders follow
    delta: float
    owner: str
    accepts: tuple[str, ...]  # of `ACCEPTS`; (ε, 0)-private entries always are

    def charge(self, spend: Spend) -> Totals:
        """What one spend costs by each way; refuses one that is not accepted or not proved."""
        if reason := refusal(spend, self.adjacency):
            raise InvalidInput(reason)
        inner = checked(spend)
        needed = {
            GaussianSpend: ("gaussian", "renyi"),
            SubsampledGaussianSpend: ("renyi",),
            ConcentratedSpend: ("renyi",),
            PureSpend: self.accepts,
            ApproximateSpend: ("approximate",),
        }[type(inner)]
        if not set(needed) & set(self.accepts):
            raise InvalidInput(
                f"The data set was created to accept {' and '.join(self.accepts)}, but this spend "
                f"needs {' or '.join(needed)}."
            )
        match inner:
            case GaussianSpend():
                mu = change(self.adjacency) / inner.noise_multiplier
                mu_squared = inner.count * mu**2 * ROUNDED_UP
                return Totals(None, mu_squared, orders.of_step(inner.step(), self.adjacency))
            case SubsampledGaussianSpend():
                if inner.sampling_rate == 1.0:
                    whole = GaussianSpend(inner.noise_multiplier, inner.steps)
                    return self.charge(whole)
                return Totals(None, None, orders.of_step(inner.step(), self.adjacency))
            case ConcentratedSpend():
                rdp = tuple((orders.ORDERS * inner.rho * ROUNDED_UP).tolist())
                return Totals(None, None, rdp)
            case PureSpend() | ApproximateSpend():
                delta = inner.delta if isinstance(inner, ApproximateSpend) else 0.0
                epsilon = float(inner.epsilon)
                rdp = orders.of_pure(epsilon)
                return Totals(decimal(inner.epsilon), pure_mu(epsilon) ** 2, rdp, decimal(delta))


def terms(
    *,
    person_unit: str,
    adjacency: Adjacency | str,
    epsilon: float,
    delta: float,
    owner: str,
    accepts: Iterable[str] = ACCEPTS,
) -> LedgerTerms:
    """Checked terms; see `LedgerTerms`."""
    names = tuple(map(str, Adjacency))
    chosen = {one_of("accepts", name, ACCEPTS) for name in accepts}
    if not chosen:
        raise InvalidInput(f"accepts is empty, but it must name some of {', '.join(ACCEPTS)}.")
    return LedgerTerms(
        person_unit,
        Adjacency(one_of("adjacency", str(adjacency), names)),
        *cap(epsilon, delta),
        owner,
        tuple(name for name in ACCEPTS if name in chosen),
    )


def cap(epsilon: float, delta: float) -> tuple[float, float]:
    """A cap (ε, δ), checked; with more digits than a float has, it is the float below."""
    number("ε", epsilon, at_least=MIN_CAP, at_most=MAX_CAP)
    number("δ", delta, at_least=SMALLEST_DELTA * 1e3, at_most=LARGEST_DELTA)
    return named_below(decimal(epsilon)), named_below(decimal(delta))


@dataclass(frozen=True)
class LedgerAccount:
    """A data set at one moment: its terms, its cap, what is taken, and the last spend."""

    terms: LedgerTerms
    epsilon: float
    delta: float
    totals: Totals = Totals()
    last: Mapping[str, Any] | None = None

    @property
    def part(self) -> float:
        """The part of δ for each of what is accepted, rounded down."""
        return self.delta / (len(self.terms.accepts) * ROUNDED_UP)

    @property
    def failing(self) -> Fraction:
        """The part of δ for what is (ε, δ)-private, which is compared exactly."""
        accepts = self.terms.accepts
        return decimal(self.delta) / len(accepts) if "approximate" in accepts else Fraction()

    def epsilon_spent(self, totals: Totals | None = None) -> float:
        """The ε that totals spend at the cap's δ, rounded up; ``inf`` where no ε suffices."""
        spent = self.exactly_spent(totals)
        return named_above(spent) if isinstance(spent, Fraction) else spent

    def exactly_spent(self, totals: Totals | None = None) -> Fraction | float:
        """The ε of `epsilon_spent`, exact where it is a sum of decimals."""
        totals = self.totals if totals is None else totals
        accepts, part = self.terms.accepts, self.part
        if totals.delta > self.failing:
            return math.inf
        candidates: list[Fraction | float] = [math.inf]
        if totals.epsilon is not None:
            candidates.append(totals.epsilon)
        if totals.mu_squared is not None and "gaussian" in accepts:
            candidates.append(_gaussian_epsilon(totals.mu_squared, part))
        if totals.rdp is not None and "renyi" in accepts:
            count = len(accepts)
            first = orders.weights(self.terms.epsilon, self.terms.delta / count)
            candidates.append(orders.epsilon_of(totals.rdp, first, part))
        return min(candidates)

    def within(self, totals: Totals) -> bool:
        """Whether totals keep the cap."""
        return self.exactly_spent(totals) <= decimal(self.epsilon)

    def spent(self, spend: Spend, plain: Mapping[str, Any]) -> LedgerAccount:
        """The account after a spend, whether or not it keeps the cap."""
        return replace(self, totals=self.totals.plus(self.terms.charge(spend)), last=plain)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        parts = {"terms": vars(self.terms), "totals": self.totals.to_json()}
        return {**vars(self), **parts}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> LedgerAccount:
        """The account of `to_json`, from anyone."""
        agreed = plain["terms"]
        named = {name: text(name, agreed[name]) for name in ("person_unit", "owner")}
        last = plain["last"]
        if last is not None:
            from_json(last)
        return cls(
            terms(**{**agreed, **named}),
            *cap(plain["epsilon"], plain["delta"]),
            _totals(**plain["totals"]),
            last,
        )


def _totals(epsilon: object, mu_squared: object, rdp: Any, delta: object) -> Totals:
    """Totals from anyone, checked; raises as `LedgerAccount.from_json`."""
    if rdp is not None and len(rdp) != len(orders.ORDERS):
        raise reject("number of orders", len(rdp), str(len(orders.ORDERS)))
    return Totals(
        None if epsilon is None else _exact("ε", epsilon),
        None if mu_squared is None else number("μ²", mu_squared, at_least=0.0),
        None if rdp is None else tuple(number("RDP", each, at_least=0.0) for each in rdp),
        _exact("δ", delta),
    )


def _exact(field: str, value: Any) -> Fraction:
    number(field, value, at_least=0.0)
    return decimal(value)


@lru_cache(maxsize=256)
def _gaussian_epsilon(mu_squared: float, delta: float) -> float:
    if mu_squared == 0.0:
        return 0.0
    return analytic_epsilon(1.0 / math.sqrt(mu_squared * ROUNDED_UP), delta)


def pure_mu(epsilon: float) -> float:
    """μ of the Gaussian that (ε, 0) is at most: 2Φ⁻¹(e^ε/(1 + e^ε)), rounded up."""
    if epsilon < 10.0:  # erf(μ/√8) = tanh(ε/2): nothing cancels
        mu = 2.0 * math.sqrt(2.0) * float(scipy.special.erfinv(math.tanh(epsilon / 2.0)))
    else:
        log_tail = -epsilon - math.log1p(math.exp(-epsilon))
        mu = -2.0 * float(scipy.special.ndtri_exp(log_tail))
    return mu * (1.0 + 1e-9)


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
