"""The wording of the measure that compares models: accuracy, or error in its own unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpcore.evaluation import scoring
from dpcore.evaluation.scoring import Metric
from dpcore.figures.escape import literal
from dpcore.words import capitalised, difference, difference_at, percent, plain, points, significant

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Words:
    name: str  # in the middle of a sentence
    result: str  # what a model does, with places for the value, the records and the unit
    same: str  # compared with the model without privacy
    more: str
    less: str
    guess: str  # the answer without any features, of a line in a figure
    guessing: str  # the same in a sentence
    rough: str  # what few test records leave rough
    meaning: str  # for someone who meets it for the first time, Markdown
    cost: str
    article: str = "an"
    percent: bool = False


AGAINST = (
    "counted against the model that would be used without privacy. That is a linear one or boosted "
    "trees, by cross-validation: one for each data set, whatever is chosen here."
)
WORDS = {
    "accuracy": Words(
        "accuracy",
        "is right for {value} of {records}",
        "as many as",
        "more than",
        "fewer than",
        "the most frequent answer",
        "always giving the most frequent answer",
        "accuracy and every count of 1 000",
        "Share of test records that the private model gets right, on average over its noise.",
        f"Percentage points of accuracy lost, {AGAINST}",
        percent=True,
    ),
    "auc": Words(
        "AUC",
        "ranks with an AUC of {value}",
        "as high as",
        "higher than",
        "lower than",
        "a coin",
        "tossing a coin",
        "AUC and every count of 1 000",
        "**Area under the ROC curve**: how often the private model ranks a case above someone who "
        "is none. Both are taken at random, on average over its noise. 0.5 is a coin, 1 is "
        "perfect.",
        f"AUC lost, {AGAINST}",
    ),
    "rmse": Words(
        "RMSE",
        "is off by {value}{unit} (RMSE)",
        "as much as",
        "more than",
        "less than",
        "always the mean",
        "always giving the mean of the training records",
        "RMSE and R²",
        "**Root mean squared error** on test records, in the outcome's own unit, over its noise. "
        "It is how far predictions are off, large misses counting most. Predictions are first "
        "brought into the outcome's public range, which costs no privacy.",
        f"How much larger the error becomes, {AGAINST}",
    ),
}
"""The words of each measure, by its column."""

CLOSE = 0.02
"""Share of a measure's span below the best that a sentence calls "close"."""
STILL = 0.01
"""Share of a measure's span that counts as no change."""


@dataclass(frozen=True)
class Quality:
    """A measure with its words."""

    measure: Metric

    @property
    def column(self) -> str:
        """Its name in a table."""
        return self.measure.column

    @property
    def share(self) -> bool:
        """Whether more of it is better, a share in [0, 1]; else it is an error, where less is."""
        return self.measure.sign > 0.0

    @property
    def percent(self) -> bool:
        """Whether it is written in percent, and its differences in points."""
        return self.words.percent

    @property
    def words(self) -> Words:
        """The words of the measure."""
        return WORDS[self.column]

    @property
    def name(self) -> str:
        """The measure's name in the middle of a sentence."""
        return self.words.name

    @property
    def title(self) -> str:
        """The measure's name at the beginning of a sentence."""
        return capitalised(self.name)

    @property
    def unit(self) -> str:
        """The unit of a difference."""
        return "points" if self.percent else self.measure.unit or self.name

    @property
    def axis(self) -> str:
        """Title of a figure's axis."""
        unit = f" in {literal(self.measure.unit)}" if self.measure.unit else ""
        return f"{self.title} on test records{unit}{'' if self.share else ' (lower is better)'}"

    @property
    def close(self) -> float:
        """`CLOSE` in its units."""
        return CLOSE * self.measure.span

    @property
    def still(self) -> float:
        """`STILL` in its units."""
        return STILL * self.measure.span

    def worst_allowed(self, best: float, allowed_loss: float) -> float:
        """The worst value that is accepted."""
        if not self.share:
            return best * (1.0 + allowed_loss / 100.0)
        return best - (allowed_loss / 100.0 if self.percent else allowed_loss)

    def good(self, value: Any) -> Any:
        """A value, or an array of them, with its sign: more is better."""
        return self.measure.sign * value

    def shown(self, value: float) -> str:
        """A value alone."""
        return percent(value) if self.percent else plain(value)

    def as_shown(self, value: float) -> float:
        """The number that a reader sees of a value: what is compared agrees with what is read."""
        if self.percent:
            return float(f"{100.0 * value:.1f}") / 100.0
        return round(value, 3) if self.share else significant(value)

    def rows_as_shown(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the measure and the ends of its band as a reader sees them."""
        columns = [self.column, f"{self.column}_low", f"{self.column}_high"]
        return rows.assign(**{name: rows[name].map(self.as_shown) for name in columns})

    def difference(self, value: float, reference: float) -> float:
        """A difference of two values as they are shown, so that sums on screen add up."""
        if self.percent:
            return difference(value, reference)
        if self.share:
            return difference_at(value, reference)
        return significant(value) - significant(reference)

    def ends(self, low: float, high: float) -> str:
        """A range of values, roughly."""
        if self.percent:
            return f"{percent(low, 0)} to {percent(high, 0)}"
        return f"{plain(low, 2)} to {plain(high, 2)}"

    def named(self, value: float) -> str:
        """A value with the measure's name."""
        return percent(value) if self.percent else f"{self.name} {plain(value)}"

    def signed(self, difference: float) -> str:
        """A difference in points, or in the measure's unit."""
        if self.percent:
            return points(difference)
        size = self._size(difference)
        return size if size == "0" else ("+" if difference > 0 else "−") + size

    def amount(self, difference: float) -> str:
        """How large a difference is, whatever its sign."""
        if self.percent:
            return f"{points(difference).lstrip('+−')} points"
        return self._size(difference)

    def rounded(self, difference: float) -> str:
        """The size of one of the round figures above."""
        if self.percent:
            return f"{100.0 * difference:.0f} points"
        return f"{plain(difference)} in {self.name}"

    def gap(self, difference: float) -> str:
        """A difference to something better or worse, with the measure's name."""
        if self.percent:
            return f"{points(difference)} points"
        direction = "higher" if difference > 0 else "lower"
        return f"{self.words.article} {self.name} {self._size(difference)} {direction}"

    def _size(self, difference: float) -> str:
        """The size of a difference; an area's in thousandths, like the areas themselves."""
        size = round(abs(difference), 3) if self.share else abs(difference)
        return plain(size)


ACCURACY = Quality(scoring.ACCURACY)
