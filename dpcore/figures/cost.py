"""The cost of privacy in its two parts: the form that a private method needs, and its noise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from dpcore.figures.canvas import LEGEND, axis, canvas
from dpcore.figures.drawn import Drawn
from dpcore.figures.quality import Quality
from dpcore.figures.style import ORANGE, PURPLE, VERMILLION, Look
from dpcore.figures.words import difference_at, literal, significant

FORM = Look(VERMILLION, ORANGE, "solid", "square")
NOISE = Look(PURPLE, PURPLE, "solid", "square")
"""Colours of the two parts, on light and on dark."""

ROW = 38


@dataclass(frozen=True)
class Cost:
    """What privacy costs of a measure, in numbers as shown: the parts add up to the total.

    Parameters
    ----------
    baseline : float
        The measure of the data set's model without privacy.
    noiseless : float
        Of the same private training with its noise left out.
    value : float
        Of the private model.
    quality : Quality
    """

    baseline: float
    noiseless: float
    value: float
    quality: Quality

    @classmethod
    def of(cls, row: pd.Series, baseline: float, quality: Quality) -> Cost:
        """The cost at one row of a table of curves."""
        column = quality.column
        return cls(baseline, float(row[f"{column}_noiseless"]), float(row[column]), quality)

    def difference(self, value: float, reference: float) -> float:
        """A difference as shown; of errors with the decimals of the largest of the three."""
        size = significant(max(abs(each) for each in (self.baseline, self.noiseless, self.value)))
        if self.quality.share or not 0.0 < size < math.inf:
            return self.quality.difference(value, reference)
        decimals = 2 - math.floor(math.log10(size))
        return difference_at(value, reference, decimals)

    def _signed(self, value: float, reference: float) -> str:
        return self.quality.signed(self.difference(value, reference))

    @property
    def total(self) -> str:
        """What is lost against the model without privacy, with its sign."""
        return self._signed(self.value, self.baseline)

    @property
    def form(self) -> str:
        """The part of the model's form: its regularisation, its early end, its preparation."""
        return self._signed(self.noiseless, self.baseline)

    @property
    def noise(self) -> str:
        """The part of the noise."""
        return self._signed(self.value, self.noiseless)

    @property
    def unit(self) -> str:
        """Unit of all three."""
        if self.quality.percent:
            return "points"
        return self.quality.measure.unit or self.quality.name

    @property
    def without(self) -> str:
        """The total in words, beside the value without privacy."""
        shown, words = self.quality.shown(self.baseline), self.quality.words
        difference = self.difference(self.value, self.baseline)
        if difference == 0.0:
            return f"{words.same} without privacy ({shown})"
        than = words.more if difference > 0.0 else words.less
        return f"{self.quality.amount(difference)} {than} without privacy ({shown})"

    @property
    def sentence(self) -> str:
        """All three in one sentence."""
        return (
            f"Cost of privacy: {self.total} {self.unit} = {self.form} by its simpler form, "
            f"{self.noise} by noise."
        )


def bars(costs: Mapping[str, Cost], *, dark: bool = False) -> Drawn:
    """A bar for each method, in two colours: what its form and what its noise costs.

    Parameters
    ----------
    costs : mapping of str to Cost
        By the method's name, all of one measure; not empty.
    dark : bool
    """
    names = list(costs)
    quality = next(iter(costs.values())).quality
    scale = 100.0 if quality.percent else 1.0
    figure = canvas(70 + ROW * len(names), right=30, kept=False, barmode="relative", legend=LEGEND)
    parts: Sequence[tuple[str, Look, list[float]]] = (
        (
            "simpler form",
            FORM,
            [cost.difference(cost.noiseless, cost.baseline) for cost in costs.values()],
        ),
        (
            "noise",
            NOISE,
            [cost.difference(cost.value, cost.noiseless) for cost in costs.values()],
        ),
    )
    for words, style, values in parts:
        figure.add_bar(
            x=[scale * value for value in values],
            y=names,
            orientation="h",
            name=words,
            marker={
                "color": style.on(dark),
                "pattern": {"shape": "/" if words == "noise" else ""},
            },
            hovertemplate=f"%{{y}}: {words} %{{x:.3g}}<extra></extra>",
        )
    unit = next(iter(costs.values())).unit
    figure.update_xaxes(
        **axis(f"change in {literal(unit)} against the model without privacy", dark)
    )
    figure.update_yaxes(autorange="reversed", **axis("", dark))
    sentence = "; ".join(
        f"{name}: {cost.total} = {cost.form} form, {cost.noise} noise"
        for name, cost in costs.items()
    )
    return Drawn(figure, f"In {unit}: {sentence}.", f"Cost of privacy in two parts. {sentence}.")
