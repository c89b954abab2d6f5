"""One column closer: what would be published of it in each of several draws of the noise.

A job of the page alone, beside the question whose table it looks at.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from dpcore.datasets import Table
from dpcore.datasets.schema import fields_named
from dpcore.progress import Progress
from dpcore.questions.describe.question import DescribeQuestion
from dpcore.summaries.counts import columns_of, exact, in_records, noisy, seeded_of
from dpcore.summaries.estimates import estimates, histograms, without_noise

if TYPE_CHECKING:
    import pandas as pd

DRAWS = 10
SEEDS = 2**32


@dataclass(frozen=True)
class DrawsQuestion(DescribeQuestion):
    """How one column's numbers might come out.

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
