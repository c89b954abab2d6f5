"""What noise alone does to predictions: as much as the certified training's noise, and no other."""

import csv
import io
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dpcore.release import demonstration, grid, risk_counts
from dpcore.release import made_up as module
from dpcore.release.demonstration import PATIENT
from dpcore.release.made_up import NoiseAlone, made_up_records, noise_alone
from dpcore.release.mechanism import descend
from dpcore.release.model import entry_of
from dpcore.release.plan import plan
from dpcore.release.prediction import batch, frame_of, noise_by, outcomes
from tests.release.test_release import COLUMNS

RELEASES, RECORDS = 40, 2_000


def normal(generator, share):
    """A sampler of noise that has this share of the σ that it should have."""

    def draw(sigma, count):
        return [int(each) for each in np.rint(share * sigma * generator.normal(size=count))]

    return draw


def certificate(made):
    facts = {"training": made.path.facts(), "mechanism": made.mechanism.to_json()}
    return {"facts": facts}


def trained(made, signed, draw):
    weights, sums = descend(signed, made.mechanism, made.path, draw), made.path.count_sums
    scorer, mechanism = made.path.scorer, made.mechanism
    risks = risk_counts.corrected(scorer, signed, weights, mechanism, sums, draw) if sums else None
    return made.model(weights, risks)


def standard_errors(corrected, share):
    """How many of its own standard errors each release's log odds are off, (releases, people)."""
    made = plan(COLUMNS, RECORDS, epsilon=2.0, delta=1e-6, steps=40, corrected=corrected)
    entry, draw = entry_of(COLUMNS), np.random.default_rng(1)
    frame, labels = made_up_records(entry, RECORDS + 50, draw)
    untrained = made.untrained()
    signed = (grid.rows(entry, frame, untrained.preparation) * labels)[:, :RECORDS]
    people = frame[RECORDS:]
    without = trained(made, signed, normal(draw, 0.0)).scores(people)
    result = []
    for _ in range(RELEASES):
        model = trained(made, signed, normal(draw, share))
        noise = noise_alone(model, certificate(made))
        assert isinstance(noise, NoiseAlone)
        low, high = noise.intervals(people).T
        error = (np.log(high / (1.0 - high)) - np.log(low / (1.0 - low))) / 2.0 / module.ERRORS
        result.append((model.scores(people) - without) / error)
    return np.array(result)


@pytest.mark.slow("releases models many times over")
@pytest.mark.parametrize("corrected", [False, True])
def test_the_right_noise_is_accepted_and_a_wrong_one_is_not(corrected):
    """On records as those that are made up, where the curvature is the right one."""
    halved, right, doubled = (standard_errors(corrected, share) for share in (0.5, 1.0, 2.0))
    assert 0.8 < np.sqrt(np.mean(right**2)) < 1.25
    assert 0.93 < np.mean(np.abs(right) < module.ERRORS) < 0.99
    assert np.sqrt(np.mean(halved**2)) < 0.65
    assert np.sqrt(np.mean(doubled**2)) > 1.5


def test_the_covariance_is_that_of_the_certified_steps():
    """One weight, no curvature but λ: the recursion written out, for one unit of noise a step."""
    rate, lam, steps, total = 0.5, 0.3, 7, 0.0
    for begun in range(steps):
        weight = velocity = 0.0
        for step in range(begun, steps):
            velocity = 0.9 * velocity + (step == begun) + lam * weight
            weight -= rate * velocity
        total += weight**2
    (variance,) = (module._root(np.zeros((1, 1)), steps, rate, lam) ** 2).ravel()
    assert variance == pytest.approx(total, rel=1e-12)


@cache
def released():
    return demonstration.released()


@pytest.mark.slow("releases models many times over")
def test_a_release_says_it_on_its_own_and_less_noise_says_less():
    model, document = released().model, released().certificate.document
    noise = noise_by(model, released().certificate.to_yaml().encode())
    assert isinstance(noise, NoiseAlone)
    (low, high) = noise.intervals(frame_of(model.entry, [PATIENT]))[0]
    (risk,) = outcomes(model, [PATIENT])
    assert 0.0 < low < risk < high < 1.0
    mechanism = dict(document["facts"]["mechanism"])
    mechanism["sigma"] //= 2
    halved = noise_alone(model, {"facts": {**document["facts"], "mechanism": mechanism}})
    assert isinstance(halved, NoiseAlone)
    assert np.allclose(halved.root, noise.root / 2.0)


def test_what_cannot_be_known_says_why():
    model, document = released().model, released().certificate.document
    edited, text = (
        replace(model, weights=(0.0, *model.weights[1:])),
        released().certificate.to_yaml().encode(),
    )
    assert noise_by(edited, text) == noise_by(model, b"\xff") == module.NO_CERTIFICATE
    network = plan(COLUMNS, 300, epsilon=1.0, delta=1e-6, hidden=2, corrected=False).untrained()
    huber = plan(COLUMNS, 300, epsilon=1.0, delta=1e-6, loss="huber").untrained()
    assert noise_alone(network, document) == module.NETWORK
    assert noise_alone(huber, document) == module.NO_RISKS
    training = document["facts"]["training"]
    without = {name: value for name, value in training.items() if name != "lam"}
    for changed, why in (
        (without, module.NOT_STATED),
        (training | {"learning_rate": 1e300}, module.BEYOND),
    ):
        facts = {**document["facts"], "training": changed}
        assert noise_alone(model, {"facts": facts}) == why
    large = replace(model, weights=(1e100,) * len(model.weights))
    assert noise_alone(large, document) == module.BEYOND


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


def test_a_prediction_and_its_noise_depend_on_its_own_line():
    model, text = released().model, released().certificate.to_yaml().encode()
    head, *lines = demonstration.table().splitlines()[:40]
    everyone = rows_of(batch(model.to_json().encode(), text, b"\n".join([head, *lines]), "a").csv)
    (alone,) = rows_of(batch(model.to_json().encode(), text, head + b"\n" + lines[7], "a").csv)[1:]
    assert alone[1:3] == everyone[8][1:3]
    assert np.allclose([*map(float, alone[3:])], [*map(float, everyone[8][3:])], rtol=1e-5)
