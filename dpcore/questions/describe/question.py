"""The question what can be published of a table: counts, shares, means, spreads and quartiles."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from dpcore.controls.describe import BY, CROSS, ONLY, STATISTICS, WEIGHTS
from dpcore.datasets import Entry, Table
from dpcore.datasets.schema import fields_named
from dpcore.errors import whole
from dpcore.guarantee import Status
from dpcore.progress import Progress
from dpcore.questions.question import Question, asked
from dpcore.summaries.counts import (
    columns_of,
    exact,
    followed_columns,
    in_records,
    noisy,
    seeded,
    seeded_of,
)
from dpcore.summaries.estimates import (
    CONFIDENCE,
    READABLE,
    SummaryNumber,
    estimates,
    histograms,
    without_noise,
)
from dpcore.summaries.mechanism import SummaryQuery
from dpcore.summaries.request import SummaryRequest
from dpcore.summaries.study import TableStudy
from dpcore.summaries.survival import numbers

if TYPE_CHECKING:
    import pandas as pd

ACCOUNTANT = "Gaussian DP, exact"


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _weighted(text: str) -> tuple[tuple[str, int], ...]:
    pairs = (part.rpartition("=") for part in _listed(text))
    return tuple((name.strip(), whole("weight", weight, at_least=1)) for name, _, weight in pairs)


@dataclass(frozen=True)
class DescribeQuestion(Question):
    """What a table's summary could say in public, each number with its interval.

    All numbers of the table are one release with noise, whose ε and δ are of all of them together.
    Each is told at each ε, with an interval for the population that covers sampling and noise, and
    one for the table's own value that covers noise alone.

    Parameters
    ----------
    study : TableStudy
        It names the table, ε, δ and the adjacency.
    by : str
        The column of words whose values are the groups; "" for none.
    only : tuple of str
        The columns to summarise; all where it is left out.
    statistics : tuple of str
        Of shares, means (with standard deviations) and quartiles (with histograms); all where it is
        left out.
    cross : tuple of str
        Pairs of columns of words to cross, as "sex:smoker".
    weights : tuple of pairs
        Of the name of a column or statistic and its weight, 1 for all others: four times the weight
        is half the noise.

    Notes
    -----
    One row a number and ε. `error` is the half-width of the interval that is to be expected,
    `sampling_error` what is left of it without noise, and `noise_error` that of noise alone;
    `exact` is the table's own value, and `of` how many a share is of.
    """

    study: TableStudy = field(default_factory=TableStudy)
    by: str = asked(BY, default="", read=str, takes="str")
    only: tuple[str, ...] = asked(
        ONLY,
        default=(),
        read=_listed,
        written=lambda names: [",".join(names)],
        takes="tuple[str, ...]",
    )
    statistics: tuple[str, ...] = asked(STATISTICS, default=(), takes="tuple[str, ...]")
    cross: tuple[str, ...] = asked(
        CROSS,
        default=(),
        read=_listed,
        written=lambda names: [",".join(names)],
        takes="tuple[str, ...]",
    )
    weights: tuple[tuple[str, int], ...] = asked(
        WEIGHTS,
        default=(),
        read=_weighted,
        written=lambda weights: [",".join(f"{name}={weight}" for name, weight in weights)],
        takes="tuple[tuple[str, int], ...]",
    )

    doing = "Summarising the table"
    table_is = "Every number of the summary"
    examples = ("--dataset cohort --epsilon 1 --by admitted",)

    def measured(self, entry: Entry) -> SummaryQuery:
        """What is measured, by public facts alone."""
        return SummaryRequest(
            self.by, self.only, self.statistics, self.cross, self.weights
        ).measured(entry)

    def check(self, entry: Entry) -> None:
        self.measured(entry)

    def rows(self, records: Table, report: Progress) -> pd.DataFrame:
        return rows_of(self.study, self.measured(self.study.entry), records, report)

    def beside(self, table: pd.DataFrame) -> dict[str, Any]:
        return proved(self.study, self.measured(self.study.entry))


def rows_of(
    study: TableStudy, measured: SummaryQuery, records: Table, report: Progress
) -> pd.DataFrame:
    """Every number of a table at each ε, with its errors and the table's own value."""
    import pandas as pd

    n = records.records
    report(0.1, "adding up the records")
    sums = exact(records, measured)
    own, rows = in_records(sums.vector, measured), []
    still = study.mechanism(measured, study.epsilons[-1])
    truth = numbers(own, without_noise(still), n)
    units = {column.name: column.unit for column in followed_columns(records.entry)}
    for place, epsilon in enumerate(study.epsilons):
        report(0.2 + 0.8 * place / len(study.epsilons), "drawing noise")
        mechanism = study.mechanism(measured, epsilon)
        # The same draws at each ε: what moves is their size.
        released = numbers(noisy(sums, mechanism, seeded(study.seed)), mechanism, n)
        expected = numbers(own, mechanism, n)
        about = {
            "epsilon": epsilon,
            "delta": study.delta,
            "adjacency": study.adjacency,
            "status": str(Status.PROVED),
            "accountant": ACCOUNTANT,
            "sigma": mechanism.scale_of(1),
        }
        rows += [
            {**one.told(units.get(one.column, "")), **about, **_compared(one, awaited, plain)}
            for one, awaited, plain in zip(released, expected, truth, strict=True)
        ]
    return pd.DataFrame(rows)


def proved(study: TableStudy, measured: SummaryQuery) -> dict[str, Any]:
    """What is proved at each ε, and what intervals are."""
    return {
        "calibrations": [
            {
                "epsilon": epsilon,
                "delta": study.delta,
                "adjacency": study.adjacency,
                "accountant": ACCOUNTANT,
                "mu": mechanism.mu,
                "sigma": mechanism.scale_of(1),
                "squared_sensitivity": float(measured.squared(mechanism.adjacency)),
            }
            for epsilon in study.epsilons
            for mechanism in (study.mechanism(measured, epsilon),)
        ],
        "confidence": CONFIDENCE,
        "readable": f"a half-width of at most {READABLE:g} of what the number may be",
    }


def _compared(one: SummaryNumber, expected: SummaryNumber, truth: SummaryNumber) -> dict[str, Any]:
    return {
        "error": (expected.high - expected.low) / 2.0,
        "sampling_error": (truth.high - truth.low) / 2.0,
        "noise_error": (expected.noise_high - expected.noise_low) / 2.0,
        "exact": truth.value,
        "width": one.width,
        **({"of": truth.of} if truth.of else {}),
    }


DRAWS = 10
SEEDS = 2**32


@dataclass(frozen=True)
class DrawsQuestion(DescribeQuestion):
    """How one column's numbers might come out; a job of the page alone.

    Parameters
    ----------
    column : str

    Notes
    -----
    One row a number, draw and ε, with `exact`, the table's own value; the first draw is the one of
    the table, and alone has the histogram. Of the groups' column there are their sizes.
    """

    column: str = ""

    doing = "Drawing the noise ten times"

    @classmethod
    def of(cls, question: DescribeQuestion, column: str = "") -> DrawsQuestion:
        """A column of another question's table."""
        return cls(
            **fields_named(question, *(each.name for each in fields(question))), column=column
        )

    def rows(self, records: Table, report: Progress) -> pd.DataFrame:
        import pandas as pd

        study, measured, n = self.study, self.measured(self.study.entry), records.records
        # Shares of a cross-table hang on its margins.
        kept = {
            self.column,
            *(
                side.name
                for x in measured.columns
                for side in measured.sides(x)
                if x.name == self.column
            ),
        }
        own = tuple(each for each in measured.columns if each.name in kept)
        report(0.1, "adding up the records")
        query, rows = replace(measured, columns=own), []
        sums = exact(records, query)
        still = without_noise(replace(study.mechanism(measured, study.epsilons[0]), measured=query))
        true = in_records(sums.vector, query)
        truth = estimates(true, still, n) + histograms(true, still)
        units = {column.name: column.unit for column in columns_of(records.entry)}
        for place, epsilon in enumerate(study.epsilons):
            report(0.2 + 0.8 * place / len(study.epsilons), "drawing noise")
            closer = replace(study.mechanism(measured, epsilon), measured=query)
            for draw in range(DRAWS):
                noise = seeded_of((study.seed + draw) % SEEDS, measured, query)
                drawn = noisy(sums, closer, noise)
                found = estimates(drawn, closer, n)
                if draw == 0:
                    found += histograms(drawn, closer)
                rows += [
                    {
                        **one.told(units.get(self.column, "")),
                        "exact": truly.value,
                        "draw": draw,
                        "epsilon": epsilon,
                    }
                    for one, truly in zip(found, truth, strict=draw == 0)
                    if one.column == self.column
                ]
        return pd.DataFrame(rows)


QUESTION = DescribeQuestion
