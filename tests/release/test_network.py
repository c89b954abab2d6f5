"""A released network: its gradients, what is proved of them, and the way to its predictions."""

from __future__ import annotations

import copy
import json
import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from dpcore.errors import InvalidInput
from dpcore.release import grid, risk_counts
from dpcore.release import release as releasing
from dpcore.release.attack import attack
from dpcore.release.certificate import Certificate, certificate
from dpcore.release.check import check
from dpcore.release.mechanism import Mechanism, Path, descend
from dpcore.release.model import ReleasedModel
from dpcore.release.plan import plan
from dpcore.release.scorer import LOSSES, Network
from tests.release.test_grid import records
from tests.release.test_release import COLUMNS, ledger_with, outputs, release_table, released_from

HIDDEN = 3


def made(count, loss="logistic", seed=0):
    """A network, and rows times their labels."""
    rows, labels = records(count, seed)
    labels[::9] = 0.0
    return Network(loss, len(rows), HIDDEN), rows * labels


def weights_of(network, seed=1, size=3.0):
    return np.random.default_rng(seed).normal(size=network.parameters) * size


@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_are_those_of_automatic_differentiation(loss):
    torch = pytest.importorskip("torch")
    network, signed = made(60, loss)
    d = network.features
    longest = 0.0
    for seed, size in ((1, 0.2), (2, 1.0), (3, 6.0)):
        weights = weights_of(network, seed, size)
        result = network.gradients(signed, weights)
        for record in range(60):
            at = torch.tensor(weights, requires_grad=True)
            row = torch.tensor(signed[:, record])
            sums = at[d + HIDDEN :].reshape(HIDDEN, d) @ row
            score = at[:d] @ row + at[d : d + HIDDEN] @ (sums / torch.sqrt(1.0 + sums**2))
            if loss == "logistic":
                lost = torch.nn.functional.softplus(-score)
            else:
                short = torch.clamp((1.5 - score) / 1.0, 0.0, 1.0)
                lost = 0.5 * short**2 + torch.clamp(0.5 - score, min=0.0)
            lost.backward()
            exact = at.grad.numpy()
            length = float(np.linalg.norm(exact))
            longest = max(longest, length)
            np.testing.assert_allclose(
                result[:, record], exact / max(length, 1.0), rtol=1e-9, atol=1e-12
            )
            if not signed[:, record].any():
                assert not result[:, record].any()
    assert longest > 2.0  # else nothing was clipped


@pytest.mark.parametrize("loss", LOSSES)
def test_no_vector_is_longer_than_the_bound_whatever_is_passed_in(loss):
    network, signed = made(50, loss)
    most = grid.bound(network.parameters)
    hostile = signed.copy()
    for record, value in enumerate((np.nan, np.inf, -np.inf, 1e300, -1e155, 2.0**40, 5e-324)):
        hostile[record % network.features, 2 * record] = value
        hostile[:, 2 * record + 1] = value
    full = 0.0
    for weights in (
        np.zeros(network.parameters),
        network.start(),
        network.steepest(),
        *(weights_of(network, size=10.0**size) for size in (0, 3, 8, 99, 160, 306)),
        np.full(network.parameters, np.inf),
        np.full(network.parameters, np.nan),
    ):
        for rows in (signed, hostile, 2.0 * signed):
            units = grid.contributions(rows, weights, network.gradients).astype(object)
            squares = (units**2).sum(axis=0)
            assert max(squares) <= most**2
            full = max(full, *squares)
            if rows is signed and np.abs(weights).max() < 1e99:
                # Clipped records are as long as is allowed, and none is dropped for it.
                exact = np.abs(network.gradients(rows, weights)) * grid.UNITS
                np.testing.assert_array_equal(units.any(axis=0), (exact > 0.5).any(axis=0))
    assert math.sqrt(full) > grid.UNITS - 1


def test_the_first_weights_are_public_and_the_same_everywhere():
    network = Network("logistic", 2, 2)
    # Python's random.Random(1).random():
    spread = math.sqrt(3.0) * network.facts()["spread"]
    drawn = (0.13436424411240122, 0.8474337369372327, 0.763774618976614, 0.2550690257394217)
    direct, outer = [0.0, 0.0], [network.facts()["first"]] * 2
    units = [spread * (2.0 * each - 1.0) for each in drawn]
    assert network.start().tolist() == [*direct, *outer, *units]


def test_noise_is_asked_for_as_said_and_training_begins_at_the_first_weights():
    network, signed = made(20)
    asked: list[tuple[int, int]] = []

    def draw(sigma, count):
        asked.append((sigma, count))
        return [0] * count

    mechanism = Mechanism("zero-out", network.parameters, grid.UNITS, 9, 1)
    weights = descend(signed, mechanism, Path(network, 0.0, 0.5, 20), draw)
    assert asked == [(9, network.parameters)]
    mean = grid.contributions(signed, network.start(), network.gradients).sum(axis=1) / 20
    np.testing.assert_allclose(weights, network.start() - 0.5 * mean / grid.UNITS, atol=1e-12)


def test_gradients_that_nobody_clips_are_found_before_anything_is_paid(monkeypatch):
    """A sum whose record is longer than R, and that is not checked either."""
    monkeypatch.setattr(releasing, "attack", partial(attack, runs=2_000))
    clipped = Network.gradients
    monkeypatch.setattr(Network, "gradients", lambda *given: 2.0 * clipped(*given))
    monkeypatch.setattr(grid, "bound", lambda dimension: 4 * grid.UNITS)
    ledger = ledger_with("memory")
    # The proof is that of the right bound.
    monkeypatch.setattr(Mechanism, "bound", property(lambda self: grid.UNITS + 10))
    with pytest.raises(InvalidInput, match="nothing was paid"):
        released_from(ledger, hidden=HIDDEN)
    assert len(ledger.history("clinic")) == 1


@pytest.fixture(scope="module")
def paid():
    ledger = ledger_with("memory")
    yield ledger, released_from(ledger, hidden=HIDDEN, features="additive", epsilon=8.0)
    ledger.close()


def test_a_network_is_released_with_a_certificate_that_holds(paid):
    ledger, released = paid
    facts = released.certificate.document["facts"]
    training = facts["training"]
    assert (training["loss"], training["hidden"], training["seed"]) == ("logistic", HIDDEN, 1)
    assert facts["mechanism"]["dimension"] == len(released.model.weights)
    whole = check(released.certificate.to_yaml(), ledger, released.model)
    assert (whole.problems, whole.warning) == ((), "")
    table = release_table().table
    right = np.sign(released.model.scores(table.frame)) == table.label
    assert right[table.label != 0].mean() > 0.7


@pytest.mark.parametrize(
    ("part", "field", "value", "words"),
    [
        ("mechanism", "dimension", 1, "number of weights"),
        ("training", "hidden", HIDDEN + 1, "hidden units"),
        ("training", "loss", "huber", "loss or features"),
        ("training", "features", "plain", "loss or features"),
        ("training", "count_sums", None, "whether risks are corrected"),
        ("hashes", "columns", "0" * 64, "their hash is another"),
    ],
)
def test_a_certificate_speaks_of_the_model_as_it_is(part, field, value, words, paid):
    released = paid[1]
    facts = copy.deepcopy(dict(released.certificate.document["facts"]))
    assert check(certificate(facts).to_yaml(), None, released.model).problems == ()
    if field == "count_sums":
        value = 0 if facts["training"]["count_sums"] else 1
    facts[part][field] = value
    # All numbers follow anew, and the hash is right: only the model says otherwise.
    forged = Certificate(json.loads(json.dumps(certificate(facts).document))).to_yaml()
    assert check(forged).problems == ()
    (problem,) = check(forged, None, released.model).problems
    assert words in problem


def test_onnx_gives_the_same(paid):
    far = Network("huber", 7, 5)
    other = ReleasedModel(
        COLUMNS, "plain", "huber", tuple(weights_of(far, size=9.0).tolist()), hidden=5
    )
    for model, names in ((paid[1].model, ("score", "risk")), (other, ("score",))):
        scores = model.scores(release_table().table.frame)
        assert np.ptp(scores) > 0.1
        score, *risks = outputs(model, *names)
        np.testing.assert_allclose(score, scores, rtol=0, atol=1e-6)
        for risk in risks:
            np.testing.assert_allclose(risk, expit(scores), rtol=0, atol=1e-6)


def test_counts_of_scores_are_bounded_and_the_networks_own():
    """What corrects the risks, from rows of all kinds."""
    network, signed = made(70)
    weights = weights_of(network)
    signed[3, 5], signed[:, 7], signed[2, 9] = np.nan, np.inf, 1e300
    places = risk_counts.knots_of(network, weights)
    result = risk_counts.contributions(network, signed, weights, places)
    assert result.min() >= 0
    assert result.sum(axis=1).max() == grid.UNITS
    assert not result[::9].any()  # blank ones
    # No score lies beyond the knots, and they are those of the network, not of its linear part.
    scores = network.scores(records(2_000, 4)[0], weights)
    assert np.abs(scores).max() < places[-1] < 9.0 * np.abs(scores).max()


def test_a_networks_risks_are_corrected_within_the_same_budget():
    ledger = ledger_with("memory")
    released = released_from(ledger, hidden=HIDDEN, corrected=True)
    model, facts = released.model, released.certificate.document["facts"]
    assert model.risks is not None
    assert facts["training"]["count_sums"] == 1
    assert check(released.certificate.to_yaml(), ledger, model).problems == ()
    assert ReleasedModel.from_json(model.to_json()) == model
    expected = expit(model.scores(release_table().table.frame))
    np.testing.assert_allclose(outputs(model, "score", "risk")[1], expected, rtol=0, atol=1e-6)


def test_a_model_is_read_as_it_was_written_and_nothing_else(paid):
    model = paid[1].model
    assert ReleasedModel.from_json(model.to_json()) == model
    plain = json.loads(model.to_json())
    hidden = [{"hidden": each} for each in (HIDDEN + 1, 0, -1, True, 3.5, None, 10**9)]
    for changed in (*hidden, {"layers": 3}):
        with pytest.raises(InvalidInput):
            ReleasedModel.from_json(json.dumps(plain | changed))


def test_a_rule_says_how_many_units_and_too_many_are_refused():
    chosen: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6, "hidden": None}
    few, many = (plan(COLUMNS, n, **chosen) for n in (300, 300_000))
    assert 1 <= few.path.scorer.hidden <= many.path.scorer.hidden
    assert many.at(2.0).path.scorer == many.path.scorer
    linear = plan(COLUMNS, 300, epsilon=1.0, delta=1e-6)
    assert few.mechanism.steps == 2 * linear.mechanism.steps
    assert few.path.learning_rate <= linear.path.learning_rate / 2
    assert many.path.learning_rate == pytest.approx(4.0 / 3.0, rel=1e-3)
    assert few.mechanism.epsilon(1e-6) <= 1.0
    for hidden in (-1, 65, 1.5):
        with pytest.raises(InvalidInput, match="hidden"):
            plan(COLUMNS, 300, **chosen | {"hidden": hidden})
    outcome = "predict ill: one of no, yes"
    wide = "\n".join([*(f"c{each}: 0 to 1" for each in range(70)), outcome])
    with pytest.raises(InvalidInput, match=r"hidden is 8, but it must be at most 3"):
        plan(wide, 300, **chosen | {"hidden": 8}, features="additive")
    assert plan(wide, 300, **chosen, features="additive").path.scorer.hidden == 3
