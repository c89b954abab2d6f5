"""The effect of one setting on a private training within the same ε, one row a value.

A setting can't be changed alone at a fixed ε: the noise or the epochs give way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dpcore.controls.control import Control, OneOf, Text
from dpcore.datasets import images
from dpcore.errors import InvalidInput, number
from dpcore.evaluation import effects
from dpcore.evaluation.effects import EFFECTS, EPOCHS, NOISE, Effect
from dpcore.evaluation.training.measures import averaged
from dpcore.evaluation.training.study import TrainingStudy, of_same_records
from dpcore.evaluation.training.task import swept
from dpcore.progress import Progress
from dpcore.questions.question import Question, asked
from dpcore.work.task import JobContext, Outcome

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.datasets.images import Examples

SETTING = Control(
    "effect",
    "Setting to vary",
    OneOf({key: f"{effect.title} {effect.symbol}".strip() for key, effect in EFFECTS.items()}),
    default="decay",
    noun="the effect of",
    option="setting",
    brief="decay, sigma, clip, batch or units; default: decay",
    help="Paper 003 varies the decay R, the first noise σ₀ and the clipping norm C (figure 2). "
    "Paper 004 varies the batch size, the hidden units and the clipping norm (figure 5).",
)
GIVES_WAY = Control(
    "gives_way",
    "What gives way to keep ε",
    OneOf({NOISE: "The noise", EPOCHS: "The epochs"}, row=True),
    noun="to let give way",
    fallback_name="what usually does",
    option="gives-way",
    brief="noise: σ₀ is solved anew; epochs: as many are run as σ₀ affords; default: by setting",
    help="**The noise**: as many epochs as set, the noise solved anew for each value. **The "
    "epochs**: the same first noise, and as many epochs as keep within ε. They are at most ten "
    "times as many as set.",
)
VALUES = Control(
    "effect_values",
    "Values",
    Text(1_000),
    option="values",
    brief="comma-separated; default: the present one and some around it",
)


def numbers(typed: str) -> tuple[float, ...]:
    """Read comma-separated values."""
    return tuple(number("values", one) for one in typed.split(","))


@dataclass(frozen=True)
class VaryQuestion(Question):
    """What one setting does to a private training within the same ε.

    A setting can't be changed alone at a fixed ε: the noise or the epochs give way.

    Parameters
    ----------
    study : TrainingStudy
        Its ε is the target; without one its budget, or else the ε of its own σ₀. Its
        configuration names the adjacency.
    setting : str
        "decay", "sigma", "clip", "batch" or "units".
    values : sequence of float
        Values to compare; where none is named, the present one and some around it.
    gives_way : str
        "noise": σ₀ is solved anew. "epochs": as many are run as σ₀ affords. Where it is left out,
        what usually does for this setting.

    Notes
    -----
    Where the training with each value ended, after the last epoch that all its runs reached.
    """

    study: TrainingStudy = field(default_factory=TrainingStudy)
    setting: str = asked(SETTING, default="decay", takes="str")
    values: tuple[float, ...] = asked(
        VALUES, default=(), read=numbers, drawn=False, takes="Sequence[float]"
    )
    gives_way: str = asked(GIVES_WAY, default="", takes="str")

    of_table = False
    is_long = True
    doing = "Varying a setting"
    table_is = "Where the training with each value ended"
    examples = (
        "--dataset digits --network linear --epsilon 3 --epochs 2 --setting clip --values 0.5,1",
    )

    def __post_init__(self) -> None:
        kept = {
            "study": replace(self.study, solved=None),
            "values": tuple(number("values", value) for value in self.values),
            "gives_way": effects.effect(self.setting).way(self.gives_way),
        }
        for name, value in kept.items():
            object.__setattr__(self, name, value)

    @property
    def effect(self) -> Effect:
        """The setting, and how it is varied."""
        return EFFECTS[self.setting]

    @property
    def upload(self) -> str:
        return str(dict(self.study.settings).get("file", ""))

    def load(self) -> Examples:
        return images.load(self.study.dataset, **dict(self.study.settings))

    def check(self, entry: Any) -> None:
        if reason := self.effect.why_not(self.study):
            raise InvalidInput(reason)

    def studies(self, records: int) -> Sequence[TrainingStudy]:
        """The training with each value, of n records; refuses what ε does not afford."""
        values = self.values or self.effect.values(self.study, records, self.gives_way)
        varied = self.effect.varied
        return of_same_records(
            [varied(self.study, value, records, self.gives_way) for value in values]
        )

    def answer(self, context: JobContext) -> Outcome:
        """Train with each value; the rows are the history, with the value in each."""
        records = context.records or self.load()
        studies = self.studies(self.study.trained_on(records.records))
        values = [self.effect.read(study.config) for study in studies]

        def named(history: pd.DataFrame) -> pd.DataFrame:
            return history.assign(value=[values[place] for place in history["study"]])

        def partial(history: pd.DataFrame) -> None:
            context.partial(named(history))

        history = swept(studies, replace(context, records=records, partial=partial)).rows
        return Outcome(named(history))

    def rows(self, records: Examples, report: Progress) -> pd.DataFrame:
        return self.answer(JobContext(report, records=records)).rows

    def table(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The state of each training after the last epoch that all its runs reached."""
        import pandas as pd

        if rows.empty:
            return pd.DataFrame({"parameter": [], "value": []})
        ends = averaged(rows.assign(series=rows["study"])).groupby("series", sort=True).tail(1)
        ends = ends.sort_values("series").drop(columns=["series", "seconds"])
        ends = ends.reset_index(drop=True)
        ends["sigma"] = [self._first_sigma(row) for _, row in ends.iterrows()]
        ends.insert(0, "value", ends.pop("value"))
        ends.insert(0, "parameter", self.setting)
        return ends

    def _first_sigma(self, row: pd.Series) -> float:
        config = self.effect.put(self.study.config, row["value"])
        falls = row["steps" if config.decay_every == "step" else "epoch"] - 1
        return float(row["sigma"] * config.decay ** (-0.5 * falls))


QUESTION = VaryQuestion
