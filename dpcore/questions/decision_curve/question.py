"""What deciding by risks of private models is worth, as one tidy table.

One row a (method, ε, threshold) with the band from 5 % to 95 % of single runs, then the model
without privacy, treating everybody and treating nobody.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from dpcore.controls.control import Control, Number
from dpcore.controls.explore import THRESHOLD
from dpcore.controls.options import exactly
from dpcore.datasets import Split, Table
from dpcore.erm.method import Array
from dpcore.errors import InvalidInput, number
from dpcore.evaluation.at_epsilon import crossing
from dpcore.evaluation.clinic.decision_curve import MAX_COST, Costs, Decisions, decisions
from dpcore.evaluation.clinic.risks import (
    NONE,
    OF_MODEL,
    Judged,
    Limits,
    judged_models,
    of_model,
    over_runs,
    split_of_each,
    summarised,
    with_ends,
)
from dpcore.evaluation.scoring import spread
from dpcore.evaluation.study import THRESHOLDS
from dpcore.guarantee import Status
from dpcore.progress import Progress
from dpcore.questions.question import asked
from dpcore.questions.risks import RiskQuestion
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd

MAX_THRESHOLDS = 1_000
TREAT_ALL, TREAT_NONE = "treat_all", "treat_none"
"""Methods of the rows that need no model."""
MEASURES: Limits = MappingProxyType(
    {
        "net_benefit": (-math.inf, 1.0),
        "true_positive_rate": (0.0, 1.0),
        "true_negative_rate": (0.0, 1.0),
        "predictive_value": (0.0, 1.0),
        "missed_per_1000": (0.0, 1000.0),
        "false_per_1000": (0.0, 1000.0),
    }
)
"""Those of `Decisions` with their limits for any people (`_limits`: for those at hand); each column
has "_low" and "_high" beside it."""
RATIOS = ("true_positive_rate", "true_negative_rate", "predictive_value")
"""Those that are ratios of mean counts, so that they agree with the counts beside them."""
COLUMNS = (*OF_MODEL, "threshold", *with_ends(MEASURES), "runs", "splits")
ROUNDING = 1e-12
"""Gain below which a model counts as worth no more than treating everybody."""


def shares(typed: str) -> tuple[float, ...]:
    """Read comma-separated risks from which one acts."""
    return tuple(number("threshold", one) for one in typed.split(","))


def both_costs(miss: str | None, alarm: str | None) -> tuple[float, float]:
    """Read the costs of a missed case and of a false alarm."""
    for name, text in (("miss-cost", miss), ("alarm-cost", alarm)):
        if text is None:
            raise InvalidInput(f"{name} is missing, but both costs or none must be given.")
    return number("miss-cost", miss), number("alarm-cost", alarm)


def both_or_none(miss: float | None, alarm: float | None) -> tuple[float, float] | None:
    """What the page's two fields say together."""
    return None if miss is None or alarm is None else (miss, alarm)


AT = replace(
    THRESHOLD,
    brief="comma-separated risks from which one acts, as shares of 1; default: 0.01 to 0.99",
)
MISS_COST = Control(
    "miss_cost",
    "Cost of a missed case",
    Number(0.0, MAX_COST, step=1.0),
    noun="a cost of a missed case of",
    option="miss-cost",
    brief="of one case that is missed, in your currency; with --alarm-cost",
    placeholder="in your currency",
    help="What one missed case costs you, all told. Leave it empty if you cannot say.",
)
ALARM_COST = Control(
    "alarm_cost",
    "Cost of a false alarm",
    Number(0.0, MAX_COST, step=1.0),
    noun="a cost of a false alarm of",
    option="alarm-cost",
    brief="of one person who is treated needlessly, in your currency; with --miss-cost",
    placeholder="in your currency",
    help="What it costs you to treat one person needlessly. Leave it empty if you cannot say.",
)


@dataclass(frozen=True)
class DecisionCurveQuestion(RiskQuestion):
    """What deciding by a study's private models leads to, at each threshold.

    Parameters
    ----------
    study : Study
        It names the adjacency; logistic regression on two classes.
    thresholds : sequence of float
        Risks above 0 and below 1 from which on one acts; 0.01 to 0.99 if it is empty.
    costs : (float, float), optional
        Of a missed case and of a false alarm, in one's own currency; they add ``cost_per_1000``.
    corrected : bool
        Whether risks are corrected by noisy counts within the same ε.

    Notes
    -----
    One row a method, ε and threshold, then those of the model without privacy, of treating
    everybody and of treating nobody.
    """

    thresholds: tuple[float, ...] = asked(
        AT, default=(), read=shares, drawn=False, takes="Sequence[float]"
    )
    costs: tuple[float, float] | None = asked(
        MISS_COST,
        ALARM_COST,
        default=None,
        read=both_costs,
        written=lambda costs: [*map(exactly, costs)],
        chosen=both_or_none,
        takes="tuple[float, float] | None",
        looks=True,
    )

    tab = "Net benefit"
    doing = "Judging risks"
    table_is = "What deciding by each model leads to, at every ε and threshold"
    examples = ("--dataset cohort --records 300 --methods opera --epsilon 1 --threshold 0.2,0.5",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.thresholds) > MAX_THRESHOLDS:
            raise InvalidInput(
                f"threshold has {spaced(len(self.thresholds))} values, but must have at most "
                f"{spaced(MAX_THRESHOLDS)}."
            )
        levels = {number("threshold", level, above=0.0, below=1.0) for level in self.thresholds}
        object.__setattr__(self, "thresholds", tuple(sorted(levels)))
        if self.costs is not None:
            Costs(*self.costs)

    @property
    def levels(self) -> tuple[float, ...]:
        """The thresholds, ascending."""
        return self.thresholds or THRESHOLDS

    def rows(self, records: Table, report: Progress) -> pd.DataFrame:
        return decision_rows(self, judged_models(self.models, records, report))

    def table(self, rows: pd.DataFrame) -> pd.DataFrame:
        return rows if self.costs is None else Costs(*self.costs).added(rows)


QUESTION = DecisionCurveQuestion


def decision_rows(study: DecisionCurveQuestion, models: Sequence[Judged]) -> pd.DataFrame:
    """The rows of models that are `judged_models` already."""
    import pandas as pd

    tables = [_of_models(study, one) for one in models]
    tables += [_treated(study, models[0].splits, method) for method in (TREAT_ALL, TREAT_NONE)]
    return pd.concat(tables, ignore_index=True)[list(COLUMNS)]


def worth_from(rows: pd.DataFrame, threshold: float, column: str = "net_benefit") -> float | None:
    """The least proved ε from which on a model is worth more than treating all or nobody."""
    here = rows[rows["threshold"] == threshold]
    bar = max(0.0, float(here.loc[here["method"] == TREAT_ALL, "net_benefit"].iloc[0]))
    proved = here[here["status"] == str(Status.PROVED)].sort_values("epsilon")
    return crossing(proved, column, bar + ROUNDING)


def _of_models(study: DecisionCurveQuestion, models: Judged) -> pd.DataFrame:
    split_decisions = [decisions(*one, study.levels) for one in models.risks]
    if models.calibration is None:
        return _table(study, split_decisions).assign(**of_model(models))
    runs = [len(one.true_positives) for one in split_decisions]
    places = split_of_each(runs)
    return _table(study, split_decisions, places).assign(**of_model(models) | {"runs": sum(runs)})


def _treated(study: DecisionCurveQuestion, parts: Sequence[Split], method: str) -> pd.DataFrame:
    treated, title = (1.0, "treat all") if method == TREAT_ALL else (0.0, "treat none")
    split_decisions = [
        decisions(np.full(len(one.y_test), treated), one.y_test > 0, study.levels) for one in parts
    ]
    return _table(study, split_decisions).assign(**NONE | {"method": method, "title": title})


def _table(
    study: DecisionCurveQuestion, split_decisions: Sequence[Decisions], places: Array | None = None
) -> pd.DataFrame:
    """Measures at each threshold: spread over runs, or without `places` a mean over splits."""
    import pandas as pd

    values = {
        name: np.concatenate([getattr(one, name) for one in split_decisions]) for name in MEASURES
    }
    average = _average(study, split_decisions, places)
    ratios = {name: getattr(average, name)[0] for name in RATIOS}
    measures = summarised(_limits(split_decisions, values["net_benefit"]), values, places, ratios)
    columns = {"threshold": study.levels, **measures}
    return pd.DataFrame(columns).assign(runs=1, splits=len(split_decisions))


def _average(
    study: DecisionCurveQuestion, split_decisions: Sequence[Decisions], places: Array | None
) -> Decisions:
    found = np.concatenate([one.true_positives for one in split_decisions])
    alarms = np.concatenate([one.alarms for one in split_decisions])
    shares = np.concatenate([np.full((len(one.alarms), 1), one.share) for one in split_decisions])
    means = [over_runs(each, places)[0].astype(np.float64) for each in (found, alarms, shares)]
    return Decisions(np.array(study.levels), means[0][None], means[1][None], means[2].item())


def _limits(split_decisions: Sequence[Decisions], benefits: Array) -> Limits:
    """`MEASURES` within what their share of cases leaves possible on an average split.

    Of a net benefit, (runs, T), the high end lies not above that of all runs, either. It is skewed
    at high thresholds, and runs counted from the mean of two on a split are not.
    """
    share = float(np.mean([one.share for one in split_decisions]))
    healthy = 1.0 - share
    _, _, high = spread(benefits, axis=0)
    return {
        **MEASURES,
        "net_benefit": (-split_decisions[0].weights * healthy, np.minimum(high, share)),
        "missed_per_1000": (0.0, 1000.0 * share),
        "false_per_1000": (0.0, 1000.0 * healthy),
    }
