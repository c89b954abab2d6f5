"""The controls beside Train: one private training. Their values live in the address bar."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import streamlit as st

from app_pages.parts import plan_words, train_noise, train_upload
from app_pages.parts import train_words as words
from app_pages.parts.fields import pick
from app_pages.parts.plan_controls import ADJACENCIES, DELTAS, MOST_RECORDS
from app_pages.parts.state import chosen, put
from app_pages.parts.train_fields import number, switch, whole
from app_pages.parts.train_presets import FIRST, PRESETS, Settings
from dpcore.datasets import images
from dpcore.datasets.images import ExamplesEntry
from dpcore.deep.recipe import Recipe
from dpcore.evaluation.training import TrainingStudy
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency

if TYPE_CHECKING:
    from dpcore.evaluation.brought import Brief

FEATURES = {
    "raw": "As they are",
    "deskewed": "Set upright",
    "scattering": "Scattering",
    "whitened": "Scattering, whitened",
}
NETWORKS = {
    "linear": "Linear",
    "perceptron": "Perceptron",
    "cnn": "CNN",
    "cnn-lean": "Lean CNN",
}
ACTIVATIONS = {"relu": "ReLU", "tanh": "tanh"}
OPTIMIZERS = {"sgd": "SGD", "momentum": "Momentum", "adam": "Adam"}
METRICS = {"accuracy_test": "Accuracy", "auc_test": "AUC"}
SCHEDULES = {"constant": "Constant", "decaying": "Decaying"}
WHENS = {"epoch": "Every epoch", "step": "Every step"}
NOISES = {
    "isotropic": "The same for every weight",
    "scaled": "Scaled with the clipping",
    "published-004": "As paper 004 prints it",
}
DRAWS = {"poisson": "By chance (Poisson)", "none": "Every record"}
TABS = (
    "Noise schedule",
    "Shapes of noise",
    "Effect of a setting",
    "Why accuracy fell",
    "Compare runs",
    "Numbers",
    "Take along",
)
EPSILONS, RATES, CLIPS, RATIOS = (0.01, 1000.0), (1e-6, 1e3), (1e-6, 1e6), (0.01, 1.0)
SHARES = (0.0, 1.0)
MOST_EPOCHS, MOST_BATCH, MOST_LAYERS, MOST_UNITS, MOST_RUNS = 1_000, 1_000_000, 5, 2_000, 30
MOST_SEED = 2**32 - 1


@dataclass(frozen=True)
class Asked:
    """What the controls say.

    Parameters
    ----------
    study : TrainingStudy
        Its recipe's σ is not solved yet.
    entry : ExamplesEntry
        The data.
    metric : str
        What is measured: "accuracy_test" or "auc_test".
    uploaded : Brief or None
        What is told of the records, where they come from a file of the person's own.
    """

    study: TrainingStudy
    entry: ExamplesEntry
    metric: str
    uploaded: Brief | None


def titles() -> dict[str, str]:
    """Data sets for networks by key, the built-in ones first."""
    known = images.keys()
    return {key: images.entry(key).title for key in known}


def sidebar() -> Asked:
    """Draw the controls and read them.

    Raises
    ------
    InvalidInput
        From `dpcore`, for values that do not fit together.
    """
    with st.sidebar:
        first = st.container()
        dataset = pick("Data", titles(), "dataset", words.DATA)
        entry, uploaded, settings = images.entry(dataset), None, ()
        if dataset == train_upload.DATASET:
            uploaded, settings = train_upload.ask()
            entry = entry if uploaded is None else uploaded.entry
        metric = _metric(entry)
        features = pick("Inputs", FEATURES, "features", words.INPUTS)
        network = switch("Network", NETWORKS, "network", words.NETWORK)
        widths = Recipe.widths
        if network == "perceptron":
            with st.container(horizontal=True):
                layers = whole("Hidden layers", 1, MOST_LAYERS, "layers", words.LAYERS)
                units = whole("Units in each", 1, MOST_UNITS, "units", words.UNITS)
            widths = (units,) * layers
        epsilon = number("Privacy loss ε", EPSILONS, "target_epsilon", words.EPSILON, step=0.5)
        delta: float = st.select_slider(
            "Failure probability δ",
            DELTAS,
            value=FIRST.train_delta,
            format_func=plain,
            key="train_delta",
            bind="query-params",
            help=words.DELTA,
        )
        with st.container(horizontal=True):
            epochs = whole("Epochs", 1, MOST_EPOCHS, "passes", words.EPOCHS)
            batch = whole("Batch size", 1, MOST_BATCH, "lot", words.BATCH)
        with st.container(horizontal=True):
            rate = number("Learning rate", RATES, "rate", words.RATE, step=0.1)
            clip = number("Clipping norm C", CLIPS, "clipping", words.CLIP, step=0.1)
        noise = pick("Noise over weights", NOISES, "shape", words.NOISE)
        shaping, public = train_noise.more(noise)
        decay, when = 1.0, "epoch"
        # Paper 004 knows no other noise than constant.
        if noise != "published-004":
            schedule = switch("Noise over time", SCHEDULES, "schedule", words.SCHEDULE)
            if schedule == "decaying":
                decay = number("Decay R of the variance", RATIOS, "ratio", words.DECAY, step=0.01)
                when = switch("Noise decays", WHENS, "when", words.WHEN)
        with st.container(horizontal=True):
            runs = whole("Runs", 1, MOST_RUNS, "repeats", words.RUNS)
            seed = st.number_input(
                "Seed", 0, MOST_SEED, 0, key="train_seed", bind="query-params", help=words.SEED
            )
        adjacency = pick("One person's difference", ADJACENCIES, "person", plan_words.ADJACENCY)
        size = _public_size() if adjacency == Adjacency.ADD_REMOVE else None
        optimizer = switch("Optimizer", OPTIMIZERS, "optimizer", words.OPTIMIZER)
        with st.container(horizontal=True):
            final = number("Rate left at the end", SHARES, "final_rate", words.FINAL_RATE, step=0.1)
            average = number(
                "Average over the last share", SHARES, "averaging", words.AVERAGE, step=0.05
            )
        activation = switch("Activation", ACTIVATIONS, "activation", words.ACTIVATION)
        draws = switch("Batches", DRAWS, "draws", words.SAMPLING)
    with first:
        _presets()
    recipe = Recipe(
        network=network,
        widths=widths,
        activation=activation,
        epochs=epochs,
        batch=batch,
        learning_rate=rate,
        final_rate=final,
        optimizer=optimizer,
        average=average,
        clip=clip,
        decay=decay,
        decay_every=when if decay < 1.0 else "epoch",
        sampling=draws,
        adjacency=adjacency,
        public_size=size,
        delta=delta,
        seed=seed,
        noise=noise,
        **shaping,
    )
    study = TrainingStudy(
        dataset=dataset,
        features=features,
        recipe=recipe,
        epsilon=epsilon,
        runs=runs,
        public=public,
        settings=settings,
    )
    return Asked(study, entry, metric, uploaded)


def _public_size() -> int | None:
    return st.number_input(
        "Public size",
        1,
        MOST_RECORDS,
        None,
        key="public_size",
        placeholder="a number that everybody may know",
        bind="query-params",
        help=plan_words.PUBLIC_SIZE,
    )


def _metric(entry: ExamplesEntry) -> str:
    """AUC for labels and accuracy for many classes; for two classes there is a choice."""
    if entry.task == "labels":
        return "auc_test"
    if len(entry.names) > 2:
        return "accuracy_test"
    return switch("Measured by", METRICS, "measure", words.MEASURE)


def _presets() -> None:
    """A drop-down that sets all the controls at once, and names the settings they are at."""
    at = next((name for name, found in PRESETS.items() if _said(found)), None)
    put({"train_preset": at})
    st.selectbox(
        "Start from",
        list(PRESETS),
        index=None,
        placeholder="Your own settings",
        key="train_preset",
        help=words.PRESET,
        on_change=_load,
    )


def _said(settings: Settings) -> bool:
    """Whether the controls say exactly these settings, as far as they are drawn."""
    return all(chosen(key) in ("", str(value)) for key, value in asdict(settings).items())


def _load() -> None:
    found = PRESETS.get(chosen("train_preset"))
    if found is not None:
        put(asdict(found))
