"""The question whether published violations of privacy claims are caught on trial."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dpcore.audit.court import cases
from dpcore.audit.court.case import Case, Judgement, try_case
from dpcore.audit.study import CourtStudy
from dpcore.controls.control import Control, Switch
from dpcore.progress import Progress
from dpcore.questions.question import Question, asked, records_of
from dpcore.questions.verify.words import sentence

if TYPE_CHECKING:
    import pandas as pd

MENDED = Control(
    "mended",
    "Mended twin",
    Switch(),
    option="mended",
    brief="try the mended twin of each case, too",
)


@dataclass(frozen=True)
class CourtQuestion(Question):
    """Published violations on trial: the ε that a library or paper claims, and the ε that it loses.

    Each case is re-enacted as it was found; its outputs on two neighbouring data sets are told
    apart. The bound holds at its confidence.

    Parameters
    ----------
    study : CourtStudy
        It names the case, how many outputs are drawn, and their seed.
    mended : bool
        Whether the mended twin of each case is tried, too.

    Notes
    -----
    One row a case. `claimed` is ε at `delta`, `attacked` the lower bound; with fewer outputs than
    `needed` nothing can be decided. `twin_attacked` and `twin_verdict` are of the mended twin.
    """

    study: CourtStudy = field(default_factory=CourtStudy)
    mended: bool = asked(MENDED, default=False, takes="bool")

    doing = "Trying published violations"
    table_is = "Each case, with what is claimed and lost"
    of_table = False
    examples = ("--case paper-000 --mended",)

    def load(self) -> Any:
        return self.study

    def rows(self, records: Any, report: Progress) -> pd.DataFrame:
        import pandas as pd

        chosen, rows = self.study.cases, []
        for place, case in enumerate(chosen):
            report(place / len(chosen), f"trying {case.key}")
            row = row_of(case, self._tried(case, mended=False))
            twin = None
            if self.mended:
                report((place + 0.5) / len(chosen), f"trying {case.key}, mended")
                twin = self._tried(case, mended=True)
            row["twin_attacked"] = None if twin is None else twin.lost
            row["twin_verdict"] = None if twin is None else str(twin.verdict)
            rows.append(row)
        return pd.DataFrame(rows)

    def _tried(self, case: Case, *, mended: bool) -> Judgement:
        return try_case(case, mended=mended, outputs=self.study.outputs, seed=self.study.seed)

    def beside(self, table: pd.DataFrame) -> dict[str, Any]:
        return {"note": "\n".join(told(row) for row in records_of(table))}


QUESTION = CourtQuestion


def row_of(case: Case, tried: Judgement) -> dict[str, Any]:
    """A case as it was tried."""
    return {
        "case": case.key,
        "library": case.library,
        "versions": case.versions,
        "source": case.source,
        "link": case.link,
        "claimed": case.claim.epsilon,
        "delta": case.claim.delta,
        "adjacency": str(case.claim.adjacency),
        "claimed_by": case.claim.by,
        "attacked": tried.lost,
        "confidence": tried.confidence,
        "verdict": str(tried.verdict),
        "outputs": tried.outputs,
        "needed": tried.needed,
        "seconds": tried.seconds,
        "attack": case.attack,
        "origin": case.origin,
    }


def told(row: dict[str, Any]) -> str:
    """A case as it was tried, in a sentence or two."""
    return sentence(row, cases()[row["case"]].title)
