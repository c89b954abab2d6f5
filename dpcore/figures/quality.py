"""How the measure that models are compared by is written: accuracy, or error in its own unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpcore.evaluation import scoring
from dpcore.evaluation.scoring import Measure
from dpcore.figures.words import percent, plain, points

CLOSE = 0.02
"""Share of a measure's span below the best that a sentence calls "close"."""
STILL = 0.01
"""Share of it that counts as no change."""


@dataclass(frozen=True)
class Quality:
    """A measure with its words.

    Parameters
    ----------
    measure : Measure
    """

    measure: Measure

    @property
    def column(self) -> str:
        """Its name in a table."""
        return self.measure.column

    @property
    def share(self) -> bool:
        """Whether it is a share in [0, 1], where more is better; else an error, where less is."""
        return self.measure.sign > 0.0

    @property
    def name(self) -> str:
        """In the middle of a sentence."""
        return "accuracy" if self.share else "RMSE"

    @property
    def title(self) -> str:
        """At the beginning of one."""
        return "Accuracy" if self.share else "RMSE"

    @property
    def axis(self) -> str:
        """Of a figure."""
        return f"{self.title} on test records{'' if self.share else ' (lower is better)'}"

    @property
    def worsens(self) -> str:
        """What it does where models become worse."""
        return "falls" if self.share else "rises"

    @property
    def close(self) -> float:
        """`CLOSE` in its units."""
        return CLOSE * self.measure.span

    @property
    def still(self) -> float:
        """`STILL` in its units."""
        return STILL * self.measure.span

    def good(self, value: Any) -> Any:
        """A value, or an array of them, with its sign: more is better."""
        return self.measure.sign * value

    def shown(self, value: float) -> str:
        """A value alone."""
        return percent(value) if self.share else plain(value)

    def named(self, value: float) -> str:
        """A value that says what it is of."""
        return percent(value) if self.share else f"RMSE {plain(value)}"

    def signed(self, difference: float) -> str:
        """A difference in points, or in the measure's unit."""
        if self.share:
            return points(difference)
        size = plain(abs(difference))
        return size if size == "0" else ("+" if difference > 0 else "−") + size

    def amount(self, difference: float) -> str:
        """How large a difference is, whatever its sign."""
        return f"{points(difference).lstrip('+−')} points" if self.share else plain(abs(difference))

    def rounded(self, difference: float) -> str:
        """The same for one of the round figures above."""
        return f"{100.0 * difference:.0f} points" if self.share else f"{plain(difference)} in RMSE"

    def gap(self, difference: float) -> str:
        """A difference to something better or worse, with what it is of."""
        if self.share:
            return f"{points(difference)} points"
        return f"an RMSE {plain(abs(difference))} {'higher' if difference > 0 else 'lower'}"


ACCURACY = Quality(scoring.ACCURACY)
