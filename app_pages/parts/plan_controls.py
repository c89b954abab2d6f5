"""The controls beside Plan: one noisy training run. Their values live in the address bar."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from app_pages.parts import explanations as words
from app_pages.parts import links
from app_pages.parts.state import once
from dpcore.accounting.planner import Training
from dpcore.errors import number, whole
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency

SAMPLINGS = {"poisson": "Each record by chance (Poisson)", "fixed": "Batches of fixed size"}
ADJACENCIES = {
    "add-remove": "One record more or less",
    "zero-out": "One record blanked out",
    "replace-one": "One record replaced",
}
DECAYS = {"epoch": "Every epoch", "step": "Every step"}
DELTAS = tuple(float(f"1e{exponent}") for exponent in range(-12, -1))
MOST_RECORDS, MOST_EPOCHS = 1_000_000_000, 100_000
TARGETS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


@dataclass(frozen=True)
class Asked:
    """What the controls say.

    Parameters
    ----------
    training : Training
        The run.
    target : float
        The ε that may be spent, for the questions asked backwards.
    """

    training: Training
    target: float


def heed_link() -> str:
    """What the link asked for in vain, as one message; found once a session."""
    return once("plan_link", _heed)


def _heed() -> str:
    link = links.asked()
    refused = links.unknown(
        link,
        {
            "sampling": ("the sampling", list(SAMPLINGS.values()), "Poisson sampling"),
            "neighbour": ("the neighbour", list(ADJACENCIES.values()), "the usual one"),
            "decays": ("a decay", list(DECAYS.values()), "a decay every epoch"),
            "plan_delta": ("δ =", [plain(delta) for delta in DELTAS], "δ = 1e-5"),
            "target": ("a target ε =", [plain(target) for target in TARGETS], "ε = 2"),
        },
    )
    refused += links.outside(
        link,
        [
            ("records", "a number of records of", 1, MOST_RECORDS),
            ("batch", "a batch size of", 1, MOST_RECORDS),
            ("epochs", "a number of epochs of", 1, MOST_EPOCHS),
        ],
    )
    links.drop(link, refused)
    return links.told(refused)


def sidebar() -> Asked:
    """Draw the controls and read them.

    Raises
    ------
    InvalidInput
        From `dpcore`, for values that do not fit together.
    """
    with st.sidebar:
        records = st.number_input(
            "Records n",
            1,
            MOST_RECORDS,
            10_000,
            key="records",
            bind="query-params",
            help=words.RECORDS,
        )
        batch = st.number_input(
            "Batch size", 1, MOST_RECORDS, 100, key="batch", bind="query-params", help=words.BATCH
        )
        epochs = st.number_input(
            "Epochs", 1, MOST_EPOCHS, 8, key="epochs", bind="query-params", help=words.EPOCHS
        )
        sigma = st.number_input(
            "First noise σ₀",
            0.01,
            1e6,
            2.8,
            step=0.1,
            key="sigma",
            bind="query-params",
            help=words.PLAN_SIGMA,
        )
        clip = st.number_input(
            "Clipping norm C", 1e-6, 1e6, 1.0, key="clip", bind="query-params", help=words.CLIP
        )
        decay = st.number_input(
            "Decay R of the variance",
            0.01,
            1.0,
            0.99,
            step=0.01,
            key="decay",
            bind="query-params",
            help=words.DECAY,
        )
        every = _pick("Noise decays", DECAYS, "decays", words.DECAYS)
        delta: float = st.select_slider(
            "Failure probability δ",
            DELTAS,
            value=1e-5,
            format_func=plain,
            key="plan_delta",
            bind="query-params",
            help=words.DELTA,
        )
        st.caption(f"n·δ = {plain(records * delta)}")
        sampling = _pick("Sampling", SAMPLINGS, "sampling", words.SAMPLING)
        usual = {"poisson": 0, "fixed": 2}[sampling]
        adjacency = _pick(
            "One person's difference", ADJACENCIES, "neighbour", words.PLAN_ADJACENCY, usual
        )
        target: float = st.select_slider(
            "ε that may be spent",
            TARGETS,
            value=2.0,
            format_func=plain,
            key="target",
            bind="query-params",
            help=words.TARGET,
        )
    records = whole("records n", records, at_least=1)
    batch = whole("batch size", batch, at_least=1, at_most=records)
    per_epoch = max(1, round(records / batch))
    training = Training(
        sigma=number("σ₀", sigma, above=0.0),
        records=records,
        batch=batch,
        steps=per_epoch * whole("epochs", epochs, at_least=1),
        delta=delta,
        clip=clip,
        decay=decay,
        decay_every=per_epoch if every == "epoch" else 1,
        sampling=sampling,
        adjacency=Adjacency(adjacency),
    )
    return Asked(training, target)


def _pick(label: str, titles: dict[str, str], key: str, help_text: str, first: int = 0) -> str:
    """A drop-down over titles that answers with the key behind the title."""
    chosen: str = st.selectbox(
        label,
        list(titles),
        index=first,
        format_func=titles.__getitem__,
        key=key,
        help=help_text,
        bind="query-params",
    )
    return chosen
