"""What a link to Train asked for in vain."""

from __future__ import annotations

from dataclasses import asdict

from app_pages.parts import links, meaning, train_compare, train_effects, train_noise
from app_pages.parts import train_controls as controls
from app_pages.parts.plan_controls import ADJACENCIES, DELTAS, MOST_RECORDS
from app_pages.parts.state import once
from app_pages.parts.train_presets import FIRST, Settings
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency

KNOWN = {
    *asdict(FIRST),
    *("person", "public_size", "train_seed", "train_view", "meaning", train_compare.LINK),
    *train_effects.ALLOWED,
    *meaning.ALLOWED,
    *(name for name, *_ in meaning.NUMBERS),
}


def heed() -> str:
    """What the link asked for in vain, as one message; found once a session."""
    links.renewed("train", "person", ADJACENCIES, lambda _: Adjacency.ADD_REMOVE)
    return once("train_link", _heed)


def _heed() -> str:
    link = links.asked()

    def among(found: dict[str, str], key: str) -> tuple[list[str], str]:
        return list(found.values()), found[str(getattr(FIRST, key))]

    refused = links.unknown(
        link,
        {
            key: (title, *among(found, key))
            for key, title, found in (
                ("dataset", "the data set", controls.titles()),
                ("measure", "the measure", controls.METRICS),
                ("features", "the inputs", controls.FEATURES),
                ("network", "the network", controls.NETWORKS),
                ("activation", "the activation", controls.ACTIVATIONS),
                ("optimizer", "the optimizer", controls.OPTIMIZERS),
                ("schedule", "the schedule", controls.SCHEDULES),
                ("when", "a decay", controls.WHENS),
                ("shape", "the noise", controls.NOISES),
                ("draws", "batches", controls.DRAWS),
                *((key, *said) for key, said in train_noise.CHOICES.items()),
            )
        }
        | {
            "train_delta": ("δ =", [plain(each) for each in DELTAS], plain(FIRST.train_delta)),
            "person": ("the neighbour", list(ADJACENCIES.values()), "one record blanked out"),
            "train_view": ("the tab", controls.TABS, "the first one"),
            **train_effects.ALLOWED,
            **meaning.ALLOWED,
        },
    )
    refused += links.outside(
        link,
        [
            ("layers", "a number of hidden layers of", 1, controls.MOST_LAYERS),
            ("units", "a number of units of", 1, controls.MOST_UNITS),
            ("target_epsilon", "an ε of", *controls.EPSILONS),
            ("passes", "a number of epochs of", 1, controls.MOST_EPOCHS),
            ("lot", "a batch size of", 1, controls.MOST_BATCH),
            ("rate", "a learning rate of", *controls.RATES),
            ("final_rate", "a share of the learning rate of", *controls.SHARES),
            ("averaging", "a share of steps to average of", *controls.SHARES),
            ("clipping", "a clipping norm of", *controls.CLIPS),
            ("ratio", "a decay R of", *controls.RATIOS),
            ("repeats", "a number of runs of", 1, controls.MOST_RUNS),
            ("train_seed", "a seed of", 0, controls.MOST_SEED),
            ("public_size", "a public size of", 1, MOST_RECORDS),
            *train_noise.NUMBERS,
            *meaning.NUMBERS,
        ],
    )
    refused += links.strangers(link, KNOWN) + train_compare.heed(link)
    links.drop(link, refused)
    return links.told(refused)


def address(settings: Settings) -> dict[str, str]:
    """The settings of a link that opens Train with these: what differs from its first view."""
    titles = {
        "dataset": controls.titles(),
        "measure": controls.METRICS,
        "features": controls.FEATURES,
        "network": controls.NETWORKS,
        "activation": controls.ACTIVATIONS,
        "optimizer": controls.OPTIMIZERS,
        "schedule": controls.SCHEDULES,
        "when": controls.WHENS,
        "shape": controls.NOISES,
        "draws": controls.DRAWS,
        **{key: found for key, (_, found) in train_noise.CHOICES.items()},
    }
    first = asdict(FIRST)
    said = {
        key: titles[key][str(value)] if key in titles else str(value)
        for key, value in asdict(settings).items()
        if value != first[key] and value is not None
    }
    return said | {links.VERSION: links.THIS}
