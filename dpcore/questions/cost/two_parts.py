"""The cost of privacy in its two parts: the form that a private method needs, and its noise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from dpcore.figures.canvas import LEGEND, axis, canvas
from dpcore.figures.drawn import Drawn
from dpcore.figures.escape import literal
from dpcore.figures.quality import Quality
from dpcore.figures.style import ORANGE, PURPLE, VERMILLION, Look
from dpcore.words import difference_at, plain, significant

FORM = Look(VERMILLION, ORANGE, "solid", "square")
NOISE = Look(PURPLE, PURPLE, "solid", "square")
"""Colours of the two parts on every page, on light and on dark."""

HEIGHT, ROW = 96, 38
"""Pixels around the bars, and of each."""
ROOM = 1.1


@dataclass(frozen=True)
class Cost:
    """What privacy costs of a measure, in numbers as shown: the parts add up to the total."""

    baseline: float  # without privacy
    noiseless: float  # the same private training with its noise left out
    value: float
    quality: Quality
    part: str = "simpler model"

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
    def without(self) -> str:
        """The total in words, beside the value without privacy."""
        shown, words = self.quality.shown(self.baseline), self.quality.words
        difference = self.difference(self.value, self.baseline)
        if difference == 0.0:
            return f"{words.same} without privacy ({shown})"
        than = words.more if difference > 0.0 else words.less
        return f"{self.quality.amount(difference)} {than} without privacy ({shown})"

    @property
    def changes(self) -> dict[str, float]:
        """The change that each part makes, as shown; in the measure's unit."""
        return {
            self.part: self.difference(self.noiseless, self.baseline),
            "noise": self.difference(self.value, self.noiseless),
        }

    @property
    def parts(self) -> str:
        """Both parts in a few words."""
        return f"{self.form} {self.part}, {self.noise} noise"

    @property
    def sentence(self) -> str:
        """All three in one sentence."""
        return (
            f"Cost of privacy: {self.total} {self.quality.unit} = {self.form} by its {self.part}, "
            f"{self.noise} by noise."
        )


def bars(costs: Mapping[str, Cost], quality: Quality, *, dark: bool = False) -> Drawn:
    """A bar for each model, in two colours: what its form and what its noise costs."""
    scale = 100.0 if quality.percent else 1.0
    changes = [cost.changes for cost in costs.values()]
    figure = canvas(
        HEIGHT + ROW * max(1, len(costs)),
        dark,
        right=30,
        keeps_zoom=False,
        barmode="relative",
        showlegend=True,
        legend=LEGEND | {"traceorder": "normal"},
    )
    for part, look in zip(changes[0] if changes else (), (FORM, NOISE), strict=False):
        figure.add_bar(
            x=[scale * each[part] for each in changes],
            y=list(costs),
            orientation="h",
            name=part,
            # Distinguishable without colour too.
            marker={"color": look.on(dark), "pattern": {"shape": "/" if look is NOISE else ""}},
            hovertext=[plain(scale * each[part]) for each in changes],
            hovertemplate=f"{part} %{{hovertext}}<extra>%{{y}}</extra>",
        )
    # A change that counts as none does not fill the width.
    ends = [0.0, -quality.measure.sign * quality.still]
    for each in changes:
        ends += [sum(side(0.0, change) for change in each.values()) for side in (min, max)]
    figure.update_xaxes(
        **axis(f"change in {literal(quality.unit)} against no privacy", zeroline=True),
        range=[ROOM * scale * end for end in (min(ends), max(ends))],
    )
    figure.update_yaxes(autorange="reversed", **axis("", visible=any(costs)))
    sentence = "; ".join(f"{name}: {cost.total} = {cost.parts}" for name, cost in costs.items())
    return Drawn(
        figure, f"In {quality.unit}: {sentence}.", f"Cost of privacy in two parts. {sentence}."
    )
