"""What an answer says at one threshold: the model's measure, and whom it treats, at each ε."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from dpcore.evaluation.at_epsilon import ModelAtEpsilon, crossing
from dpcore.evaluation.baselines import Baselines
from dpcore.evaluation.clinic.counts import Outcomes, TreatedCounts
from dpcore.evaluation.scoring import ACCURACY, NOISE_DEVIATION, SPLIT_ERROR, Metric, spread_over
from dpcore.guarantee import Status

if TYPE_CHECKING:
    import pandas as pd

    Table = pd.DataFrame

ROUNDING = 1e-12
"""A gain below which there is none."""
CONFIDENCE = 0.95
LEAST_GAIN = 0.005
"""Net benefit below which a model is worth hardly more than treating all or nobody."""
NEARLY_ALL = 0.9
"""Share of people from which on a model treats nearly everybody."""
Values = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Decision:
    """One model at each ε of a question, beside the model without privacy.

    Parameters
    ----------
    rows : DataFrame
        Of a table of curves, one an ε, ascending.
    counts : TreatedCounts or None
        At the same ε; of models that give no risks of one of two classes there are none.
    compared : Baselines
        On the same splits.
    reference : TreatedCounts or None
        Of the model without privacy.
    threshold : float
        Risk from which on one acts; the measure of accuracy is at it, too, where people are
        counted.
    """

    rows: Table
    counts: TreatedCounts | None
    compared: Baselines
    reference: TreatedCounts | None
    threshold: float

    def model_at(self, place: int) -> ModelAtEpsilon:
        """The model at one of its ε."""
        return ModelAtEpsilon.of(self.rows.iloc[place])

    @property
    def measure(self) -> Metric:
        """What models are compared by."""
        return self.compared.measure

    @property
    def epsilons(self) -> Values:
        """The ε of its rows."""
        return self.rows["epsilon"].to_numpy(np.float64)

    @cached_property
    def outcomes(self) -> Outcomes | None:
        """Whom the model treats."""
        return None if self.counts is None else self.counts.outcomes(self.threshold)

    @cached_property
    def without(self) -> Outcomes | None:
        """Whom the model without privacy treats."""
        return None if self.reference is None else self.reference.outcomes(self.threshold)

    @property
    def is_counted(self) -> bool:
        """Whether its measure is the share of people who are decided on rightly."""
        return self.outcomes is not None and self.measure == ACCURACY

    @property
    def is_at_one_half(self) -> bool:
        """Whether its measure is that of a table of curves, which acts from 50 % on."""
        return not self.is_counted or self.threshold == 0.5

    @cached_property
    def band(self) -> tuple[Values, Values, Values]:
        """The measure's mean, and the band of single runs, at each ε."""
        if self.is_counted:
            assert self.outcomes is not None
            return _spread(self.outcomes.right, self.outcomes.places)
        name = self.measure.column
        value, low, high = (self.rows[f"{name}{end}"].to_numpy() for end in ("", "_low", "_high"))
        return value, low, high

    @cached_property
    def half_width(self) -> Values:
        """Half of the mean's 95 % interval over splits and noise, at each ε.

        Of several splits, by Student's t over their means. On a single one its test records take
        the place of splits.
        """
        name, splits = self.measure.column, int(self.rows["splits"].iloc[0])
        runs = self.rows["runs"].to_numpy(np.float64)
        if self.is_counted and splits > 1:
            assert self.outcomes is not None
            means = _split_means(self.outcomes.right, self.outcomes.places)
            error = means.std(axis=1, ddof=1) / math.sqrt(splits)
            return np.asarray(_reach(splits - 1) * error)
        noise = np.nan_to_num(self.rows[f"{name}{NOISE_DEVIATION}"].to_numpy(np.float64))
        if self.is_counted:
            assert self.outcomes is not None
            noise = self.outcomes.right.std(axis=1, ddof=1)
        if splits > 1:
            between = self.rows[f"{name}{SPLIT_ERROR}"].to_numpy(np.float64)
            return np.asarray(_reach(splits - 1) * np.hypot(between, noise / np.sqrt(runs)))
        low, high = self.compared.ranges.get(name, (math.nan, math.nan))
        of_noise = np.array([_reach(int(count) - 1) for count in runs]) * noise / np.sqrt(runs)
        return np.asarray(np.hypot(np.nan_to_num(high - low) / 2.0, of_noise))

    @cached_property
    def missed(self) -> Values:
        """Cases of 1,000 people who are not treated, at each ε."""
        assert self.outcomes is not None
        return _spread(self.outcomes.missed, self.outcomes.places)[0]

    @cached_property
    def false(self) -> Values:
        """Others of 1,000 people who are treated, at each ε."""
        assert self.outcomes is not None
        return _spread(self.outcomes.false, self.outcomes.places)[0]

    @cached_property
    def treated(self) -> Values:
        """Share of people who are treated, at each ε."""
        assert self.outcomes is not None
        return _spread(self.outcomes.found + self.outcomes.alarms, self.outcomes.places)[0]

    @cached_property
    def gain(self) -> tuple[Values, Values, Values]:
        """Net benefit beyond the better of treating all and treating nobody, at each ε.

        Its mean, and the band of single runs on an average split.
        """
        outcomes = self.outcomes
        assert outcomes is not None
        treat_all = float(_split_means(outcomes.treat_all, outcomes.places).mean())
        return _spread(outcomes.net_benefit - max(0.0, treat_all), outcomes.places)

    @property
    def baseline(self) -> float:
        """The measure of the model without privacy."""
        if self.is_counted and self.without is not None:
            return float(_split_means(self.without.right, self.without.places).mean())
        return self.compared.value

    @property
    def guess(self) -> float:
        """The measure of an answer without any features: at a threshold, the better of two."""
        if self.is_counted and self.without is not None:
            share = float(_split_means(self.without.share[None], self.without.places).mean())
            return max(share, 1.0 - share)
        return self.compared.guess

    @property
    def baseline_cases(self) -> tuple[float, float]:
        """Missed cases and false alarms of 1,000 by the model without privacy."""
        assert self.without is not None
        missed, false = (
            float(_split_means(each, self.without.places).mean())
            for each in (self.without.missed, self.without.false)
        )
        return missed, false

    @cached_property
    def worth_from(self) -> float | None:
        """The least ε, proved, from which on treating by the model is worth it in 19 of 20 runs."""
        rows = self.rows.assign(worst=self.gain[1])
        return crossing(rows[rows["status"] == str(Status.PROVED)], "worst", ROUNDING)

    def lead_of(self, other: Decision, place: int) -> tuple[float, float]:
        """By how much another model does better at one ε of this one, and half its 95 % interval.

        Where people are counted on several splits, of the differences on each of them.
        """
        there = int(np.flatnonzero(other.epsilons == self.epsilons[place])[0])
        sign = self.measure.sign
        lead = sign * float(other.band[0][there] - self.band[0][place])
        splits = int(self.rows["splits"].iloc[0])
        if not self.is_counted or splits < 2:
            return lead, float(np.hypot(other.half_width[there], self.half_width[place]))
        assert self.outcomes is not None
        assert other.outcomes is not None
        mine = _split_means(self.outcomes.right[place], self.outcomes.places)
        theirs = _split_means(other.outcomes.right[there], other.outcomes.places)
        error = float((theirs - mine).std(ddof=1)) / math.sqrt(splits)
        return lead, _reach(splits - 1) * error

    @cached_property
    def table(self) -> Table:
        """One row an ε: what is drawn, and whose it is."""
        import pandas as pd

        name = self.measure.column
        value, low, high = self.band
        columns: Mapping[str, object] = {
            **{each: self.rows[each].to_numpy() for each in ("method", "edition", "epsilon")},
            **{each: self.rows[each].to_numpy() for each in ("delta", "adjacency", "status")},
            name: value,
            f"{name}_low": low,
            f"{name}_high": high,
            f"{name}_half_width": self.half_width,
            f"{name}_baseline": self.baseline,
        }
        if self.outcomes is not None:
            missed, false = self.baseline_cases
            columns = {
                **columns,
                "threshold": self.threshold,
                "missed_per_1000": self.missed,
                "missed_per_1000_baseline": missed,
                "false_per_1000": self.false,
                "false_per_1000_baseline": false,
                "net_benefit_gain": self.gain[0],
                "net_benefit_gain_low": self.gain[1],
            }
        whole: Table = pd.DataFrame(columns)
        return whole.assign(**{each: self.rows[each].to_numpy() for each in ("runs", "splits")})


def _reach(freedom: int) -> float:
    """Student's quantile; `scipy.stats`, which has it too, takes half a second to load."""
    return float(stdtrit(max(1, freedom), 0.5 + CONFIDENCE / 2.0))


def _spread(values: Values, places: NDArray[np.integer]) -> tuple[Values, Values, Values]:
    """`spread_over` at each ε of values (E, runs)."""
    mean, low, high = spread_over(values.T, places.astype(np.float64))
    return mean, low, high


def _split_means(values: Values, places: NDArray[np.integer]) -> Values:
    """Mean of the runs on each split, (E, splits)."""
    rows = np.atleast_2d(values)
    counts = np.bincount(places)
    sums = np.stack([np.bincount(places, row) for row in rows])
    return np.asarray(sums / counts)
