"""The question whether a statement of privacy from elsewhere stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dpcore.accounting import tradeoff
from dpcore.accounting.account import accountant
from dpcore.accounting.accountants import certify, lower_bound
from dpcore.accounting.elsewhere import Done, StatedSteps, StatementStudy, as_done
from dpcore.accounting.events import steps
from dpcore.accounting.risk import odds, promised
from dpcore.controls.control import OneOf
from dpcore.controls.statement import CLAIMED, DELTA, DIVISION, NEIGHBOURS, SAMPLER
from dpcore.errors import number, one_of
from dpcore.guarantee import SMALLEST_DELTA, Adjacency, Guarantee
from dpcore.progress import Progress
from dpcore.questions.question import Question, asked, records_of
from dpcore.words import as_set, at_least, at_most, counted

if TYPE_CHECKING:
    import pandas as pd

STANDS, TOO_LOW, UNPROVED, UNCLAIMED = "stands", "too low", "cannot be proved", "proved"
NOISES = {
    "gaussian": "noise multiplier",
    "laplace": "Laplace scale",
    "discrete-gaussian": "discrete Gaussian σ",
    "discrete-laplace": "discrete Laplace scale",
}
MOST_READ = 3
"""Kinds of steps that are said in words."""


def read_as(steps: Sequence[StatedSteps]) -> str:
    """How steps were read, in a sentence."""
    said = [
        (f"{counted(each.epochs, 'epoch')}, which are " if each.epochs else "")
        + f"{counted(each.times, 'step')} with {NOISES[each.law]} {as_set(each.noise)}, "
        + ("each " if each.times > 1 else "")
        + (
            "on all records"
            if each.rate == 1.0
            else f"on a share of {as_set(each.rate)} of the records"
        )
        for each in steps[:MOST_READ]
    ]
    more = len(steps) - MOST_READ
    said += [f"{counted(more, 'further kind')} of steps"] if more > 0 else []
    return f"Read as {'; then '.join(said)}."


def sentence(row: dict[str, Any]) -> str:
    """The verdict in one or two sentences, with δ and the neighbours."""
    at = f"δ = {as_set(row['delta'])}, {row['adjacency']}, by {row['proved_by']}"
    claimed = "" if row["claimed"] is None else f"ε = {as_set(row['claimed'])} is claimed"
    why = f" {row['why']}" if row["why"] else ""
    if row["proved"] is None:
        return f"No ε can be proved{f', and {claimed}' if claimed else ''}.{why}"
    proved = f"ε = {at_most(row['proved'])} is proved ({at})"
    return {
        STANDS: f"The claim stands: {claimed}, and {proved}.{why}",
        TOO_LOW: (
            f"The claim is too low: {claimed}, but at least ε = {at_least(row['lost'] or 0.0)} is "
            f"lost, and {proved}.{why}"
        ),
        UNPROVED: (
            f"The claim cannot be proved: {claimed}, but {proved}. Neither a proof of the claim "
            f"nor an attack beyond it is at hand.{why}"
        ),
        UNCLAIMED: f"Of these steps {proved}.{why}",
    }[row["verdict"]]


@dataclass(frozen=True)
class StatementQuestion(Question):
    """Whether a statement of privacy from elsewhere stands: ε, μ and risk computed anew.

    Its steps are counted as they were done: what was not sampled by a coin for each record is not
    counted as if it had been.

    Parameters
    ----------
    study : StatementStudy
        Its noisy steps.
    claimed : float, optional
        The ε that is claimed.
    delta : float
        δ at which it is claimed, and at which ε is computed.
    sampler : str
        "poisson"; "shuffled" or "ordered": each record in one batch an epoch, in a new or always
        the same order; "fixed": batches of a fixed size, drawn anew; "weighted".
    division : str
        What sums are divided by: "expected", a public number; "records", their number; "actual",
        the size of each batch.
    adjacency : str
        "zero-out", "replace-one" or "add-remove".

    Notes
    -----
    One row: `claimed` and `proved` are ε at `delta`, `mu` is of Gaussian DP where both errors are
    at least δ, `right` of 100 people guessing are right at most, `lost` is the ε that is lost at
    least where the claim is too low, `why` what is to be said of how it was done.

    Examples
    --------
    >>> import dpcore
    >>> study = dpcore.StatementStudy("1.1, 0.01, 1000")
    >>> dpcore.statement(study, claimed=1.52)["verdict"].iloc[0]
    'stands'
    """

    study: StatementStudy = field(default_factory=StatementStudy)
    claimed: float | None = asked(CLAIMED, default=None, takes="float | None")
    delta: float = asked(DELTA, default=1e-5, takes="float")
    sampler: str = asked(SAMPLER, default="poisson", takes="str")
    division: str = asked(DIVISION, default="expected", takes="str")
    adjacency: str = asked(NEIGHBOURS, default="zero-out", takes="str")

    of_table = False
    doing = "Accounting"
    table_is = "What is claimed and what is proved"
    examples = ('--history "1.1, 256/60000, 10 epochs" --claimed 0.8 --sampler shuffled',)

    def __post_init__(self) -> None:
        if self.claimed is not None:
            number("claimed", self.claimed, above=0.0, at_most=1e6)
        number("delta", self.delta, at_least=SMALLEST_DELTA, below=1.0)
        for name, control in (
            ("sampler", SAMPLER),
            ("division", DIVISION),
            ("adjacency", NEIGHBOURS),
        ):
            assert isinstance(control.kind, OneOf)
            one_of(name, getattr(self, name), tuple(control.kind.options()))

    def load(self) -> StatementStudy:
        return self.study

    def rows(self, records: Any, report: Progress) -> pd.DataFrame:
        import pandas as pd

        done = as_done(self.study.steps, self.sampler, self.division, Adjacency(self.adjacency))
        proof = self._proof(done)
        budget = promised(proof)
        guessing = None if budget is None else odds(budget, proof.adjacency, proof.advantage)
        verdict, lost = self._verdict(done, proof)
        row = {
            "claimed": self.claimed,
            "proved": proof.epsilon,
            "delta": self.delta,
            "adjacency": self.adjacency,
            "mu": proof.mu,
            "right": None if guessing is None else guessing.right,
            "verdict": verdict,
            "lost": lost,
            "proved_by": proof.by,
            "sampler": self.sampler,
            "division": self.division,
            "history": self.study.history,
            "why": done.why or proof.reason,
        }
        return pd.DataFrame([row])

    def beside(self, table: pd.DataFrame) -> dict[str, Any]:
        (row,) = records_of(table)
        return {"note": f"{sentence(row)} {read_as(self.study.steps)}"}

    def _proof(self, done: Done) -> Guarantee:
        """What is proved of the steps as they were done, by the tightest accountant."""
        adjacency = Adjacency(self.adjacency)
        if done.event is None:
            return Guarantee(None, None, adjacency, "no theorem", done.why)
        names = (done.by,) if done.by else (accountant(steps(done.event)), "basic")
        tried = (certify(done.event, self.delta, adjacency, name) for name in names)
        proof = min(tried, key=lambda each: each.bound)
        if proof.epsilon is None or done.by:
            return proof
        curve = tradeoff.from_event(done.event, adjacency)
        return replace(proof, mu=curve.finite_mu(self.delta), advantage=tradeoff.advantage(curve))

    def _verdict(self, done: Done, proof: Guarantee) -> tuple[str, float | None]:
        """The verdict on the claim, and the ε that is lost at least where it is too low."""
        if self.claimed is None:
            return UNCLAIMED if proof.epsilon is not None else UNPROVED, None
        if self.claimed >= proof.bound:
            return STANDS, None
        if done.event is not None and done.is_exact:
            lost = lower_bound(done.event, self.delta, proof.adjacency)
            if lost > self.claimed:
                return TOO_LOW, lost
        return UNPROVED, None


QUESTION = StatementQuestion
