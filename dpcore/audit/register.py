"""The attacks that each method must survive. A method with a proof but without one is a gap.

An attack flags two thirds of the noise where its score is the likelihood ratio of the release, or
increases with it, and the promise is tight; elsewhere half of the noise, on a small problem: where
steps on batches add up, or much post-processing precedes the output.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

from dpcore.audit import deep, on_models, outsider, training
from dpcore.audit.attack import Attack
from dpcore.audit.training import TrainingSetting, attack
from dpcore.erm.method import Settings
from dpcore.erm.methods import method_named
from dpcore.guarantee import Adjacency, Edition

REPLACE, ZERO = Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT

two_records = partial(TrainingSetting, records=2, lam=100.0)
half = partial(two_records, gaussian=False, delta=0.1, runs=8_000)
"""Batches of one of two records: a mixture of two normal laws, which a threshold attacks."""
threshold = partial(TrainingSetting, gaussian=False, runs=4_500)

SETTINGS = (
    TrainingSetting("outpert", REPLACE, epsilon=0.9, delta=0.1),
    TrainingSetting("opera", REPLACE, epsilon=4.0),
    TrainingSetting("opera", ZERO, epsilon=4.0),
    # Every step takes all records: what remains is the composition of normal steps.
    two_records("sgdpert", REPLACE, epsilon=20.0, runs=800, settings=Settings(steps=50, batch=2)),
    half(
        "sgdpert",
        REPLACE,
        epsilon=20.0,
        delta=0.05,
        flags=0.5,
        others=-1.0,
        settings=Settings(steps=50, batch=1),
    ),
    two_records("grpua", REPLACE, epsilon=4.0, settings=Settings(steps=10, batch=2)),
    half("grpua", REPLACE, others=-1.0, settings=Settings(steps=1, batch=1)),
    half("grpua", ZERO, settings=Settings(steps=1, batch=1)),
    half("grpua", REPLACE, flags=0.5, others=-1.0, settings=Settings(steps=4, batch=1)),
    TrainingSetting("psgd", REPLACE, epsilon=4.0, settings=Settings(steps=8, batch=5)),
    TrainingSetting("psgd", ZERO, epsilon=4.0, settings=Settings(steps=8, batch=5)),
    # A stream of one step, and one of three: the more there are, the less their mean tells.
    TrainingSetting("dpftrl", REPLACE, epsilon=4.0, settings=Settings(steps=1)),
    TrainingSetting("dpftrl", ZERO, epsilon=4.0, records=3),
    # Strong regularisation makes the noise on the step itself small, and forgets earlier steps.
    TrainingSetting("dpnewton", REPLACE, epsilon=4.0, lam=100.0, settings=Settings(steps=1)),
    # Steps short enough for the loss to stay linear: the last weights are then normal.
    TrainingSetting("dpgd", REPLACE, epsilon=4.0, lam=1e-6, huber_width=1e-3),
    TrainingSetting("dpgd", ZERO, epsilon=4.0, lam=1e-6, huber_width=1e-3),
    # Curves bring many features, but a record still has length 1.
    TrainingSetting("dpgd", ZERO, epsilon=4.0, lam=1e-6, huber_width=1e-3, features="fine"),
    TrainingSetting("objpert", REPLACE, epsilon=4.0, lam=20.0),
    TrainingSetting("objpert", ZERO, epsilon=4.0, lam=20.0),
    # Residuals have slopes of either sign, which another bound covers.
    TrainingSetting("objpert", REPLACE, epsilon=4.0, lam=20.0, loss="squared"),
    TrainingSetting(
        "dpgd", REPLACE, epsilon=4.0, lam=20.0, settings=Settings(steps=1), loss="squared"
    ),
    TrainingSetting("opera", REPLACE, epsilon=4.0, lam=20.0, loss="squared"),
    # With one weight the noise is Laplace, whose every threshold tells ε.
    threshold("objpert_pure", ZERO, dimension=1, lam=20.0),
    threshold("outpert_pure", REPLACE, dimension=1),
    threshold("inputpert", REPLACE, delta=0.1, lam=20.0),
    # With strong regularisation the weights are almost linear in the noisy sums.
    threshold("adassp", REPLACE, delta=0.1, lam=20.0, loss="squared"),
    threshold("adassp", ZERO, delta=0.1, flags=0.5, lam=20.0, loss="squared"),
    threshold("functional", REPLACE, flags=0.5, dimension=1, lam=20.0, loss="squared"),
)


@cache
def attacks(edition: Edition = Edition.SOUND) -> dict[str, tuple[Attack, ...]]:
    """All attacks by method or model of the survey; those on networks and on corrected risks.

    Of the edition in print, whose claim is tried, they are those on convex methods.
    """
    if edition is Edition.PUBLISHED:
        return _by_method([attack(replace(each, edition=edition)) for each in in_print()])
    every = [
        *(attack(setting) for setting in SETTINGS),
        *(on_models.attack(setting) for setting in on_models.settings()),
        *(deep.attack(setting) for setting in deep.SETTINGS),
        *(deep.one_run(by_guesses=by_guesses) for by_guesses in (False, True)),
        outsider.attack(outsider.SETTING),
        *(training.attack_on_counts(setting) for setting in training.COUNT_SETTINGS),
    ]
    return _by_method(every)


def in_print() -> list[TrainingSetting]:
    """The settings of methods that have an edition in print."""
    return [each for each in SETTINGS if Edition.PUBLISHED in method_named(each.method).editions]


def _by_method(every: list[Attack]) -> dict[str, tuple[Attack, ...]]:
    attacks_by_key: dict[str, tuple[Attack, ...]] = {}
    for each in every:
        attacks_by_key[each.method] = (*attacks_by_key.get(each.method, ()), each)
    return attacks_by_key
