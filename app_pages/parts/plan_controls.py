"""The controls beside Plan: one noisy training run. Their values live in the address bar."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from app_pages.parts import plan_words as words
from app_pages.parts.fields import pick
from app_pages.parts.state import chosen, keep, kept, put
from dpcore.accounting.accountants import default_adjacency
from dpcore.accounting.planner import UNKNOWNS, Training
from dpcore.accounting.presets import PRESETS, matching, preset
from dpcore.errors import number, whole
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency

SAMPLINGS = {"poisson": "Each record by chance (Poisson)", "fixed": "Batches of fixed size"}
ADJACENCIES = {
    "zero-out": "One record blanked out",
    "replace-one": "One record replaced",
    "add-remove": "One record more or less",
}
LENGTHS = {"epochs": "Epochs", "steps": "Steps"}
DECAYS = {"epoch": "Every epoch", "step": "Every step", "steps": "Every so many steps"}
DELTAS = tuple(float(f"1e{exponent}") for exponent in range(-12, -1))
MOST_RECORDS, MOST_STEPS = 1_000_000_000, 10_000_000
SIGMAS, CLIPS, RATIOS = (1e-3, 1e6), (1e-6, 1e6), (0.01, 1.0)
FIRST = PRESETS["chexpert"].training
PENDING = "plan_pending"


@dataclass(frozen=True)
class Asked:
    """What the controls say.

    Parameters
    ----------
    training : Training
        The run.
    per_epoch : int
        Steps of one pass over the data.
    """

    training: Training
    per_epoch: int


SOLVED = {
    "epsilon": "ε",
    "sigma": "noise σ₀",
    "steps": "epochs",
    "batch": "batch size",
    "delta": "δ",
}
assert set(SOLVED) <= set(UNKNOWNS)
TARGETS = (0.001, 1000.0)
FIRST_TARGET = 2.0


# What a link may ask of the controls, in the form that `links` checks.
ALLOWED = {
    "sampling": ("the sampling", list(SAMPLINGS.values()), "Poisson sampling"),
    "neighbour": ("the neighbour", list(ADJACENCIES.values()), "one record blanked out"),
    "decays": ("a decay", list(DECAYS.values()), "a decay every epoch"),
    "length": ("a length in", list(LENGTHS.values()), "epochs"),
    "plan_delta": ("δ =", [plain(delta) for delta in DELTAS], f"δ = {plain(FIRST.delta)}"),
    "solve": ("to solve for", list(SOLVED.values()), "ε"),
}
NUMBERS = [
    ("records", "a number of records of", 1, MOST_RECORDS),
    ("batch", "a batch size of", 1, MOST_RECORDS),
    ("duration", "a length of", 1, MOST_STEPS),
    ("every", "a decay after so many steps:", 1, MOST_STEPS),
    ("sigma", "a noise σ₀ of", *SIGMAS),
    ("clip", "a clipping norm of", *CLIPS),
    ("decay", "a decay R of", *RATIOS),
    ("target", "a target ε of", *TARGETS),
]


def target() -> float:
    """The ε that may be spent in all, as the question asked backwards says."""
    return number("target ε", chosen("target") or FIRST_TARGET, above=0.0)


def values_of(training: Training) -> dict[str, object]:
    """What the controls say for exactly this run, by key."""
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
        # Constant noise never decays, whenever it would.
        "decays": "epoch" if training.decay == 1.0 else decays,
        **({"every": training.decay_every} if decays == "steps" else {}),
        # The slider stops at powers of ten; a larger δ is never a worse bargain for ε.
        "plan_delta": next((d for d in DELTAS if d >= training.delta), DELTAS[-1]),
        "sampling": training.sampling,
        "neighbour": str(training.adjacency),
    }


def set_to(training: Training) -> None:
    """Have the controls say exactly this run; to be called before they are drawn."""
    values = values_of(training)
    keep(PENDING, values)
    put(values)


def drawn() -> None:
    """The controls have reached the browser: from here on they say what the reader sets.

    A run of the page that is cut short may take values with it that the browser has never seen. Its
    old ones would come back with the next event, so until a run ends they are set again.
    """
    keep(PENDING, None)


def steps_per_epoch(records: int, batch: int) -> int:
    """Steps of one pass over the data, to the nearest whole number."""
    return max(1, round(records / batch))


def sidebar() -> Asked:
    """Draw the controls and read them.

    Raises
    ------
    InvalidInput
        From `dpcore`, for values that do not fit together.
    """
    put(kept(PENDING) or {})
    with st.sidebar:
        first, run = st.container(), st.container()
        sampling = pick("Sampling", SAMPLINGS, "sampling", words.SAMPLING, _usual_adjacency)
        adjacency = pick("One person's difference", ADJACENCIES, "neighbour", words.ADJACENCY)
    with run:
        nominal = adjacency == Adjacency.ADD_REMOVE
        records = st.number_input(
            "Public size" if nominal else "Records n",
            1,
            MOST_RECORDS,
            FIRST.records,
            key="records",
            bind="query-params",
            help=words.PUBLIC_SIZE if nominal else words.RECORDS,
        )
        batch = st.number_input(
            "Batch size",
            1,
            MOST_RECORDS,
            FIRST.batch,
            key="batch",
            bind="query-params",
            help=words.BATCH,
        )
        length = st.segmented_control(
            "Length of training in",
            list(LENGTHS),
            format_func=LENGTHS.__getitem__,
            default="epochs",
            required=True,
            key="length",
            bind="query-params",
            help=words.LENGTH,
            on_change=_carry_length,
        )
        # One box for either unit: only a control that is there already takes a value into the
        # address when it is set by another one.
        count = st.number_input(
            LENGTHS[length or "epochs"],
            1,
            MOST_STEPS,
            8,
            key="duration",
            bind="query-params",
            help=words.STEPS if length == "steps" else words.EPOCHS,
        )
        sigma = _number("First noise σ₀", SIGMAS, FIRST.sigma, "sigma", words.SIGMA, step=0.1)
        clip = _number("Clipping norm C", CLIPS, FIRST.clip, "clip", words.CLIP, step=0.1)
        decay = _number(
            "Decay R of the variance", RATIOS, FIRST.decay, "decay", words.DECAY, step=0.01
        )
        decays = pick("Noise decays", DECAYS, "decays", words.DECAYS)
        every = st.number_input(
            "Steps between two decays",
            1,
            MOST_STEPS,
            100,
            key="every",
            bind="query-params",
            disabled=decays != "steps",
            help=words.EVERY,
        )
        delta: float = st.select_slider(
            "Failure probability δ",
            DELTAS,
            value=FIRST.delta,
            format_func=plain,
            key="plan_delta",
            bind="query-params",
            help=words.DELTA,
        )
        share = records * delta
        st.caption(
            f"n·δ = {plain(share)}"
            + (
                ": large. At δ = 1/n one record could be published outright."
                if share > 0.1
                else "."
            )
        )
    records = whole("public size" if nominal else "records n", records, at_least=1)
    batch = whole("batch size", batch, at_least=1, at_most=records)
    per_epoch = steps_per_epoch(records, batch)
    steps = whole("steps", count, at_least=1) * (1 if length == "steps" else per_epoch)
    training = Training(
        sigma=number("σ₀", sigma, above=0.0),
        records=records,
        batch=batch,
        steps=steps,
        delta=delta,
        clip=clip,
        decay=decay,
        decay_every=1 if decay == 1.0 else {"epoch": per_epoch, "step": 1}.get(decays, every),
        sampling=sampling,
        adjacency=Adjacency(adjacency),
    )
    keep("plan_length", (steps, per_epoch))
    with first:
        _presets(training)
    return Asked(training, per_epoch)


def _presets(training: Training) -> None:
    """A drop-down that sets all the controls at once, and names the settings they are at."""
    titles = {key: found.title for key, found in PRESETS.items()}
    found = matching(training)
    put({"preset": None if found is None else found.key})
    st.selectbox(
        "Start from",
        list(titles),
        index=None,
        format_func=titles.__getitem__,
        placeholder="Settings of paper 003",
        key="preset",
        help=words.PRESET,
        on_change=_load,
    )


def _load() -> None:
    key = chosen("preset")
    if key in PRESETS:
        set_to(preset(key).training)


def _usual_adjacency() -> None:
    """Another sampling begins with the adjacency that its theorems speak of."""
    put({"neighbour": str(default_adjacency(chosen("sampling")))})


def _carry_length() -> None:
    """The run keeps its length when only its unit is changed."""
    steps, per_epoch = kept("plan_length") or (FIRST.steps, FIRST.decay_every)
    if chosen("length") == "steps":
        put({"duration": steps})
    else:
        put({"duration": max(1, round(steps / per_epoch))})


def _number(
    label: str,
    limits: tuple[float, float],
    first: float,
    key: str,
    help_text: str,
    *,
    step: float,
) -> float:
    return st.number_input(
        label,
        *limits,
        first,
        step=step,
        format="%.6g",
        key=key,
        bind="query-params",
        help=help_text,
    )
