"""The controls of Plan: of one noisy run, the account, and the noise that releases need.

Those of a run are options of `epsilon` and `plan`, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpcore.accounting.accountants import ACCOUNTANTS
from dpcore.accounting.events import TrainingPlan, steps_per_epoch, usual_batch
from dpcore.controls import common
from dpcore.controls.control import Control, Number, OneOf, Page, Stops, Switch, Text, Values
from dpcore.guarantee import default_delta
from dpcore.words import typed

FIRST_EPOCHS = 10
FIRST = TrainingPlan(
    2.0, 10_000, 256, steps=FIRST_EPOCHS * steps_per_epoch(10_000, 256), delta=1e-5
)
MAX_STEPS = 10_000_000
MAX_LETTERS = 40
LENGTHS = {"epochs": "Epochs", "steps": "Steps"}
EPOCHS = "How often training goes through all the records."
SOLVED = {"epsilon": "ε", "sigma": "Noise", "epochs": "Epochs", "batch": "Batch size", "delta": "δ"}
RECORDS = "How many records (people, images) the training data hold. This number is public."
BY_RULE = 0.0
"""The stop of a slider for δ that stands for the rule in n."""
DELTA = f"{common.DELTA} {common.DELTA_RULE}"
DELTA_STOPS = Stops(
    (BY_RULE, *common.DELTAS), lambda delta: "by the rule" if delta == BY_RULE else typed(delta)
)
LOOKS = ("Accountants", "Schedule and map", "Risk", "Code")
ENTRIES, NO_ENTRIES = "account", "empty"
"""Name of the account's entries in the address, and its value where there are none."""
MAX_LETTERS_OF_BUDGET = 12


def _decays(values: Values) -> bool:
    return bool(values.get("decay", 1.0) < 1.0)


def _is_counted(values: Values) -> bool:
    return _decays(values) and values.get("decays") == "steps"


CONTROLS = Page(
    Control(
        "records",
        "Records n",
        Number(1, common.MAX_RECORDS, whole=True),
        default=FIRST.records,
        noun="a number of records of",
        field="records",
        brief="n, which is public, with --batch in place of --sampling-rate",
        help=RECORDS,
    ),
    Control(
        "batch",
        "Batch size",
        Number(1, common.MAX_RECORDS, whole=True),
        default=FIRST.batch,
        field="batch",
        brief="(expected) records per step",
        help="How many records one step looks at, on average. Batch size ÷ n is the sampling rate "
        "q.",
        by_records=usual_batch,
    ),
    Control(
        "length",
        "Length in",
        OneOf(LENGTHS, row=True),
        noun="a length in",
        help="Whether the length of training is given in passes over the data, or in single steps.",
    ),
    # One box for either unit: only a control that is already shown takes a value into the address
    # when it is set by another one.
    Control(
        "duration",
        "Steps",
        Number(1, MAX_STEPS, whole=True),
        default=FIRST_EPOCHS,
        noun="a length of",
        field="steps",
        brief="T",
        help="How many noisy steps training takes in all. Every step spends some of the budget.",
    ),
    Control(
        "sigma",
        "First noise σ₀",
        Number(1e-3, 1e6, step=0.1),
        default=FIRST.sigma,
        noun="a noise σ₀ of",
        field="sigma",
        brief="σ₀, on the sum of clipped records",
        help="**Noise σ₀**: standard deviation of the noise added to the *sum* of the batch's "
        "clipped gradients at the first step. Divided by C it is the noise multiplier.",
    ),
    Control(
        "clip",
        "Clipping norm C",
        Number(1e-6, 1e6, step=0.1),
        default=FIRST.clip,
        noun="a clipping norm of",
        field="clip",
        option="",
        brief="C, the norm of one record (default 1)",
        help="**Clipping norm C**: every record's gradient is shortened to at most this length.",
    ),
    Control(
        "decay",
        "Decay R of the variance",
        Number(0.01, 1.0, step=0.01),
        default=FIRST.decay,
        noun="a decay R of",
        field="decay",
        brief="R: the variance is multiplied by it each time",
        help="The noise *variance* is multiplied by R each time (paper 003): σ² becomes R σ². "
        "R = 1 keeps the noise constant. Opacus counts in σ: its γ is √R.",
    ),
    Control(
        "decays",
        "Noise decays",
        OneOf({"epoch": "Every epoch", "step": "Every step", "steps": "Every so many steps"}),
        noun="a decay",
        fallback_name="a decay every epoch",
        field="decay_every",
        brief="step (the default), epoch, or a number of steps",
        help="When the variance is multiplied by R. Paper 003's Algorithm 1 says every step; its "
        "experiments speak of epochs.",
        shown=_decays,
    ),
    Control(
        "every",
        "Steps between two decays",
        Number(1, MAX_STEPS, whole=True),
        default=100,
        noun="a decay after so many steps:",
        help="The variance is multiplied by R after this many steps.",
        shown=_is_counted,
    ),
    Control(
        "plan_delta",
        "Failure probability δ",
        DELTA_STOPS,
        default=BY_RULE,
        noun="δ =",
        fallback_name="δ by the rule",
        field="delta",
        help=DELTA,
        state="delta",
    ),
    Control(
        "sampling",
        "Sampling",
        OneOf({"poisson": "Each record by chance (Poisson)", "fixed": "Batches of fixed size"}),
        fallback_name="Poisson sampling",
        field="sampling",
        brief="poisson, or fixed for batches of fixed size",
        help="How a batch is drawn. The accountant must assume the same as the training code does.",
    ),
    common.adjacency(
        "neighbour",
        state="unit",
        brief="zero-out (the default: one record blanked, n public; the figures that the "
        "literature prints under add/remove), replace-one (the default for batches of fixed "
        "size), or add-remove, with --public-size",
    ),
    *common.choice("chosen_of"),
)

SOLVE = Control(
    "solve",
    "Solve for",
    OneOf(SOLVED, row=True),
    noun="to solve for",
    help="**ε**: what the run spends as it is set. Else the setting to find, so that the run "
    "spends at most the budget, all others as they are.",
)
# Text, so that what is no number is refused and not replaced.
TARGET = Control(
    "target",
    "Target ε",
    Text(12),
    default="2",
    option="epsilon",
    help="The ε that may be spent in all.",
)
MAP = Control(
    "map",
    "ε over",
    OneOf({"decay": "Noise and decay R", "rate": "Noise and sampling rate q"}, row=True),
    noun="the map",
    fallback_name="noise and decay",
    help="Every cell is one run like this one, with another first noise. It has another decay, or "
    "another share of the records in each step.",
)
PAPER = Control(
    "paper",
    "Compare with paper 003",
    Switch(),
    noun="the comparison",
    fallback_name="none",
    help="Shows what the formula of paper 003 (Zhang et al.) gives for this run: a claim, beside "
    "the proof.",
)
VIEW = common.tabs("plan_view", LOOKS, "Look closer")
DETAIL = (
    *(SOLVE, common.SAID_AS, TARGET, *common.AS_RISK, MAP, PAPER, VIEW),
    *common.RISK,
)
"""Controls of the question, and of what stands under its answer."""


def _typed(option: str, help: str) -> Control:
    """An option that no page draws."""
    return Control(option, option, Text(MAX_LETTERS), option=option, help=help)


TARGETS = (TARGET, *common.AS_RISK)
"""The options that say what a plan may spend."""
OPTIONS = (
    _typed("sampling-rate", "q: batch over records"),
    CONTROLS["records"],
    _typed(
        "public-size", "in place of --records under add-remove: a nominal size, public as typed"
    ),
    CONTROLS["batch"],
    CONTROLS["duration"],
    _typed("epochs", "⌈1/q⌉ steps each, in place of --steps"),
    CONTROLS["decay"],
    CONTROLS["decays"],
    _typed("last-sigma", "σ at the last step, falling linearly from --sigma"),
    CONTROLS["sampling"],
    CONTROLS["neighbour"],
    CONTROLS["chosen_of"],
    CONTROLS["chosen_of_by"],
    Control(
        "accountant",
        "Accountant",
        OneOf({key: accountant.title for key, accountant in ACCOUNTANTS.items()}),
        option="accountant",
        help="by default the tightest",
    ),
)
"""The options of `epsilon`, `plan` and `risk` that describe a run of many steps."""


def values(training: TrainingPlan) -> dict[str, Any]:
    """The controls' values for exactly this run, by key."""
    per_epoch = steps_per_epoch(training.records, training.batch)
    epochs, rest = divmod(training.steps, per_epoch)
    decays = {per_epoch: "epoch", 1: "step"}.get(training.decay_every, "steps")
    whole_epochs = rest == 0
    return {
        "records": training.records,
        "batch": training.batch,
        "length": "epochs" if whole_epochs else "steps",
        "duration": epochs if whole_epochs else training.steps,
        "sigma": training.sigma,
        "clip": training.clip,
        "decay": training.decay,
        # Constant noise never decays, so its interval does not matter.
        "decays": "epoch" if training.decay == 1.0 else decays,
        **({"every": training.decay_every} if decays == "steps" else {}),
        # The slider stops at powers of ten; a larger δ never gives a larger ε.
        "plan_delta": BY_RULE
        if training.delta == default_delta(training.records)
        else next((delta for delta in common.DELTAS if delta >= training.delta), common.DELTAS[-1]),
        "sampling": training.sampling,
        "neighbour": str(training.adjacency),
        "chosen_of": training.chosen_of,
    }


def _of_two_classes() -> dict[str, str]:
    from dpcore.datasets import catalogue

    return {entry.key: entry.title for entry in catalogue() if entry.predicts == "class"}


QUESTION = Control(
    "question",
    "What do you want to know?",
    OneOf(
        {
            "account": "What is left of my budget",
            "run": "One run",
            "release": "Noise of a release",
        },
        row=True,
    ),
    noun="the question",
    fallback_name="the account",
)
BUDGET = Control(
    "year_epsilon",
    "My budget ε",
    Text(MAX_LETTERS_OF_BUDGET),
    default="3",
    option="epsilon",
    brief="the budget",
    help="The ε that all trainings and releases may spend together, for example in one year.",
)
PEOPLE = Control(
    "people",
    "People in the data n",
    Number(1, common.MAX_RECORDS, whole=True),
    default=FIRST.records,
    noun="a number of people of",
    option="records",
    brief="people in the data, or under add-remove a public size, for the rule of δ (default "
    f"{FIRST.records})",
    help="How many records (people, images) the data hold. This number is public.",
)
YEAR_DELTA = Control(
    "year_delta",
    "Failure probability δ",
    DELTA_STOPS,
    default=BY_RULE,
    noun="δ =",
    fallback_name="δ by the rule",
    option="delta",
    brief="by default the rule: 10⁻⁵, or the largest power of ten at most 1/(10n)",
    help=DELTA,
    state="delta",
)
YEAR_NEIGHBOUR = common.adjacency(
    "year_neighbour",
    field="",
    label="What counts as one person's data",
    brief="zero-out (the default), replace-one or add-remove; one for the whole account",
    state="unit",
)
ACCOUNT = (BUDGET, YEAR_DELTA, PEOPLE, YEAR_NEIGHBOUR)
MODEL_DATA = Control(
    "model_data",
    "Learned from",
    OneOf(_of_two_classes),
    default="cohort",
    noun="the data set",
    help="On whose records a model's loss is measured. "
    "The synthetic cohort has the largest size of Explore's that is not above the people in the "
    "data.",
    state="data",
)
SHARED = (YEAR_DELTA, YEAR_NEIGHBOUR, MODEL_DATA)
"""The controls of the state that pages share. A year's budget is not the ε of one release."""

LADDER_BUDGET = (
    replace(
        BUDGET,
        key="ladder_epsilon",
        label="May spend ε",
        option="",
        help="The ε that all these releases may spend together. It begins with the budget of your "
        "account, and does not change that.",
    ),
    replace(YEAR_DELTA, key="ladder_delta", option="", state=""),
    replace(PEOPLE, key="ladder_people", option=""),
    replace(YEAR_NEIGHBOUR, key="ladder_neighbour", option="", state=""),
)
"""The budget of releases, in the order of `ACCOUNT`: each begins with the account's value."""
LADDER_SENSITIVITY = Control(
    "ladder_sensitivity",
    "Sensitivity Δ",
    Number(1e-6, 1e6, step=0.1),
    default=1.0,
    help="**Sensitivity Δ**: how far one person's data can move the released numbers (L2 norm), in "
    "their own units. A count of people has Δ = 1.",
)
LADDER_RELEASES = Control(
    "ladder_releases",
    "Releases",
    Number(1, 10_000, whole=True),
    default=1,
    noun="a number of releases of",
    help="All of them together keep the budget.",
)
LADDER = (*LADDER_BUDGET, LADDER_SENSITIVITY, LADDER_RELEASES)
