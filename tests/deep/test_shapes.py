"""Every shape at work: the law of its noise, what clipping bounds, what it learns and may see."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import load_digits

from dpcore.accounting import paper_004
from dpcore.deep import shapes
from dpcore.deep.config import COSTS, NOISES, TrainingConfig, guarantee
from dpcore.deep.shapes import Average, ExampleGradients, flat
from dpcore.deep.training import TrainingRun
from dpcore.errors import Cancelled, InvalidInput
from tests.deep.test_training import assert_standard_normal

BASE = TrainingConfig(widths=(20,), epochs=4, batch=100, learning_rate=0.2, clip=0.5, sigma=0.6)
SHAPES = {
    "isotropic": BASE,
    "published, exact": replace(BASE, noise="published-004", reading="exact"),
    "published, private": replace(BASE, noise="published-004", weights="private"),
    "published, public": replace(BASE, noise="published-004", weights="public", refresh=0),
    "released": replace(BASE, noise="scaled", weights="released"),
    "released, gradient": replace(BASE, noise="scaled", weights="released", cost="gradient"),
    "paid": replace(BASE, noise="scaled", weights="paid", share=0.2),
    "paid, gradient": replace(BASE, noise="scaled", weights="paid", cost="gradient"),
    **{
        f"public, {cost}, {'elementwise' if elementwise else 'by layer'}": replace(
            BASE, noise="scaled", weights="public", cost=cost, elementwise=elementwise, refresh=3
        )
        for cost in COSTS
        for elementwise in (False, True)
    },
}


@pytest.fixture(scope="module")
def digits():
    inputs, targets = load_digits(return_X_y=True)
    return (inputs / 16.0).astype(np.float32), targets


def started(config, digits, run=TrainingRun):
    """Two thirds of the digits are private, the rest public."""
    inputs, targets = digits
    return run(config, inputs[:1200], targets[:1200], 10, public=(inputs[1200:], targets[1200:]))


class Watched(TrainingRun):
    """A run that keeps the noise it added and the scale it was said to have."""

    added, shares = (), ()

    def _one(self, batch):
        scales = self.shape.spread()
        self.scale = scales or [1.0] * len(self.per_example.parameters)
        self.before = [each.detach().clone() for each in self.per_example.parameters]
        self.sums, self.added, self.shares, self.sizes = [], [], None, []
        return super()._one(batch)

    def _noisy(self, totals, sigmas, spread=None):
        before = [total.clone() for total in totals]
        result = super()._noisy(totals, sigmas, spread)
        parts = torch.split(result, [total.numel() for total in before])
        added = [now.view_as(was) - was for now, was in zip(parts, before, strict=True)]
        self.sizes += [sigmas[0]] * len(added)
        if self.added:
            self.shares = (before[0], added[0])
        else:
            self.sums, self.added = before, added
        return result

    def standardised(self):
        """Noise over the standard deviation that accounting needs of it, all coordinates."""
        sigma = self.sigmas(self.step - 1)[0] / math.sqrt(1.0 - self.shape.share)
        parts = [
            (noise / (sigma * scale)).flatten()
            for noise, scale in zip(self.added, self.scale, strict=True)
        ]
        return torch.cat(parts).double().numpy()


def test_register_holds_the_shapes_a_configuration_may_name():
    assert set(shapes.SHAPES) == set(NOISES)
    assert set(COSTS) == set(shapes.POWERS)


@pytest.mark.slow("trains networks")
@pytest.mark.parametrize("name", SHAPES)
def test_noise_has_its_law_on_every_coordinate(name, digits):
    run = started(SHAPES[name], digits, Watched)
    drawn, scales = [], []
    for _ in range(8):
        run.advance(1)
        drawn.append(run.standardised())
        scales += [
            np.broadcast_to(torch.as_tensor(scale).numpy(), noise.shape).ravel()
            for scale, noise in zip(run.scale, run.added, strict=True)
        ]
    noise, scale = np.concatenate(drawn), np.concatenate(scales)
    # Small and large scales each on their own: a spread that is not D would average out.
    for part in (noise, noise[scale <= np.median(scale)], noise[scale >= np.median(scale)]):
        assert_standard_normal(part)


@pytest.mark.slow("trains networks")
@pytest.mark.parametrize("name", [name for name in SHAPES if "public," in name[:7]])
def test_one_record_moves_the_scaled_sum_by_at_most_the_clip(name, digits):
    run = started(SHAPES[name], digits)
    run.shape.prepare(0)
    scales, ready = run.shape.scales(), run.per_example
    generator = torch.Generator().manual_seed(1)
    largest = 0.0
    for size in (1e-2, 1.0, 1e2, 1e4):
        # Each coordinate of the input alone, so that the worst direction for D is among them.
        for inputs in (size * torch.eye(64), size * torch.randn(64, 64, generator=generator)):
            for record in range(64):
                result = ready.clipped_sum(
                    inputs[record : record + 1],
                    run.targets[record : record + 1],
                    run.loss,
                    BASE.clip,
                    scales=scales,
                )
                scaled = [t.double() / s for t, s in zip(result.total, scales, strict=True)]
                norm = float(flat(scaled).norm())
                assert norm <= BASE.clip
                shares = result.squares[:, 0] / BASE.clip**2
                assert float(shares.min()) >= 0.0
                assert float(shares.double().sum()) <= 1.0
                assert float(shares.sum()) == pytest.approx((norm / BASE.clip) ** 2, rel=1e-3)
                largest = max(largest, norm)
    assert largest > 0.999 * BASE.clip


@pytest.mark.parametrize("name", [name for name in SHAPES if SHAPES[name].noise == "scaled"])
def test_gradients_are_clipped_in_the_scale_of_their_noise(name, digits):
    run = started(replace(SHAPES[name], sampling="none", epochs=9, sigma=0.2), digits, Watched)
    run.advance(9)
    with torch.no_grad():
        for now, old in zip(run.per_example.parameters, run.before, strict=True):
            now.copy_(old)
    again = [
        run.per_example.clipped_sum(
            run.inputs, run.targets, run.loss, run.config.clip, scales=scales
        ).total
        for scales in (run.scale, None)
    ]
    for noted, scaled in zip(run.sums, again[0], strict=True):
        torch.testing.assert_close(noted, scaled)
    if "curvature, by layer" not in name:  # where D is all but 1
        assert any(not torch.allclose(*pair, rtol=1e-2) for pair in zip(*again, strict=True))


def test_averages_are_unbiased_from_the_first_and_know_their_noise():
    generator = torch.Generator().manual_seed(0)
    noise = torch.randn(20, 5_000, generator=generator, dtype=torch.float64)
    average = Average(0.9)
    assert float(average.value) == float(average.variance) == 0.0
    for step, each in enumerate(noise):
        sigma = 1.0 + 0.1 * step
        average.add(3.0 + sigma * each, torch.tensor(sigma**2))
        if step in (0, 1, 19):
            error = float(average.variance) ** 0.5
            assert_standard_normal((average.value - 3.0) / error)


def of_two_layers(digits, **changes):
    """A shape on layers of 1,300 and 210 coordinates, before any step."""
    return started(replace(BASE, noise="scaled", **changes), digits).shape


def test_shares_are_turned_into_squares_of_the_plain_norm(digits):
    shape = of_two_layers(digits, weights="paid")
    shape.by_layer = torch.tensor([0.5, 2.0], dtype=torch.float64)
    shape.learn(torch.tensor([30.0, 60.0]), 4.0)
    # s² = d² C² times the share; so is the noise.
    assert shape.squares.value.tolist() == pytest.approx([30 * 0.25 * 0.25, 60 * 4 * 0.25])
    assert shape.squares.variance.sqrt().tolist() == pytest.approx([4 * 0.25 * 0.25, 4 * 4 * 0.25])


def test_squares_count_for_no_less_than_their_noise(digits):
    shape = of_two_layers(digits, weights="paid")
    shape.learn(torch.tensor([-50.0, 100.0]), 10.0)
    shape.prepare(1)
    expected = shapes.best_scales(torch.tensor([10.0, 100.0]), torch.tensor([1300.0, 210.0]), 2)
    torch.testing.assert_close(shape.by_layer, expected)


@pytest.mark.parametrize("weights", ["released", "paid"])
def test_gradient_weights_come_from_what_was_released(weights, digits):
    shape = of_two_layers(digits, weights=weights, cost="gradient")
    like = shape.ready.parameters
    generator = torch.Generator().manual_seed(3)
    # The first layer's mean gradient is 0 and the second's 3 a coordinate, under noise of 1.
    for _ in range(200):
        noise = [torch.randn(each.shape, generator=generator) for each in like]
        shape.observe([noise[0], noise[1], noise[2] + 3.0, noise[3] + 3.0], 1.0)
        if weights == "paid":
            shape.learn(torch.tensor([50.0, 50.0]), 1.0)
    result = shape._gradient()
    assert float(result[1]) == pytest.approx(3.0 * 210, rel=0.05)
    # Nothing but the error of an average of about nineteen noisy sums.
    assert float(result[0]) < 0.25 * 1300 * 19**-0.5
    shape.prepare(200)
    assert float(shape.by_layer[0] / shape.by_layer[1]) > 1.5


def test_paid_query_and_gradient_together_cost_what_the_step_may(digits):
    config = replace(SHAPES["paid"], sigma=0.9)
    run = started(config, digits, Watched)
    run.advance(12)
    on_sum, on_shares = run.sizes[0], run.sizes[-1]
    assert len(run.sizes) == len(run.added) + 1
    # One Gaussian query whose sensitivity is C for the sum and 1 for the shares.
    assert (config.clip / on_sum) ** 2 + (1.0 / on_shares) ** 2 == pytest.approx(
        (config.clip / config.sigma) ** 2, rel=1e-12
    )
    assert (1.0 / on_shares) ** 2 == pytest.approx(0.2 * (config.clip / config.sigma) ** 2)


@pytest.mark.slow("trains networks")
def test_noise_on_the_shares_has_its_law(digits):
    config = replace(SHAPES["paid"], widths=(), epochs=400, share=0.5)
    run, seen = started(config, digits, Watched), []
    for _ in range(600):
        run.advance(1)
        answer, noise = run.shares
        assert 0.0 <= float(answer.sum()) <= 1200
        seen.append(float(noise[0]) / (config.sigma / (config.clip * math.sqrt(0.5))))
    assert_standard_normal(np.array(seen))


@pytest.mark.parametrize("name", SHAPES)
def test_cancelled_run_goes_on_as_if_nothing_had_happened(name, digits):
    config = replace(SHAPES[name], epochs=1, refresh=SHAPES[name].refresh and 4)
    whole, first = started(config, digits), started(config, digits)
    whole.advance(11)
    with pytest.raises(Cancelled):
        first.advance(11, lambda: first.step == 5)
    kept = first.state()
    first.advance(2)
    second = started(config, digits)
    second.restore(kept)
    second.advance(6)
    for one, other in zip(whole.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(one, other)


def test_private_weights_change_with_one_record_and_public_ones_do_not(digits):
    inputs, targets = digits
    public = (inputs[1200:], targets[1200:])
    for name, moves in (("published, private", True), ("published, public", False)):
        spreads = []
        for blanked in (False, True):
            mine = inputs[:1200].copy()
            mine[7] = 3.0 if blanked else mine[7]
            run = TrainingRun(SHAPES[name], mine, targets[:1200], 10, public=public)
            run.shape.prepare(0)
            spreads.append(flat(run.shape.spread()))
        assert (not torch.equal(*spreads)) is moves


def test_public_weights_computed_once_certify_by_the_least_noise(digits):
    run = started(SHAPES["published, public"], digits)
    result = run.guarantee()
    even = guarantee(replace(BASE, sigma=BASE.sigma * run.shape.min_noise_ratio), 1200)
    assert result.certified == even.certified
    anyhow = guarantee(run.config, 1200)
    assert anyhow.certified.epsilon > result.certified.epsilon
    often = started(replace(run.config, refresh=1), digits)
    assert often.guarantee() == anyhow
    often.advance(20)
    assert often.shape.min_noise_ratio == paper_004.MIN <= float(flat(often.shape.spread()).min())


def test_refresh_says_when_weights_are_computed_afresh(digits):
    config = replace(SHAPES["published, private"], refresh=3, sigma=0.2)
    run, spreads = started(config, digits), []
    for _ in range(7):
        run.advance(1)
        spreads.append(flat(run.shape.spread()))
    same = [torch.equal(*pair) for pair in pairwise(spreads)]
    assert same == [True, True, False, True, True, False]


@pytest.mark.parametrize("elementwise", [False, True])
def test_curvature_is_the_losses_second_derivative(elementwise):
    # A linear model, where the Gauss-Newton matrix is the Hessian: E x_j² p_k (1 - p_k).
    generator = np.random.default_rng(0)
    inputs = generator.standard_normal((4000, 5)).astype(np.float32) * [3, 1, 1, 0.3, 0.1]
    run = TrainingRun(replace(BASE, network="linear"), inputs, np.zeros(4000), 3)
    examples = ExampleGradients(run.inputs, run.targets, run.loss)
    chances = torch.from_numpy(run.scores(run.inputs.numpy())[0]).softmax(1).detach()
    expected = ((chances * (1 - chances)).T @ run.inputs**2) / 4000
    actual = shapes.mean_curvature(run.per_example, examples)[:15].reshape(3, 5)
    torch.testing.assert_close(actual.float(), expected, rtol=0.12, atol=0.0)
    plain = shapes.mean_squares(run.per_example, examples, 1e9)[:15].reshape(3, 5)
    assert float((plain.float() / expected - 1.0).abs().max()) > 0.3


def test_moments_are_those_of_gradients_taken_one_at_a_time(digits):
    run = started(BASE, digits)
    inputs, targets = run.inputs[:30], run.targets[:30]
    examples = ExampleGradients(inputs, targets, run.loss)
    each = []
    for record in range(30):
        loss = run.loss(run.network(inputs[record : record + 1]), targets[record : record + 1])
        each.append(flat(torch.autograd.grad(loss.sum(), run.per_example.parameters)))
    gradients = torch.stack(each)
    torch.testing.assert_close(
        shapes.mean_gradient(run.per_example, examples), gradients.mean(0), rtol=1e-4, atol=1e-7
    )
    clip = float(gradients.norm(dim=1).median())
    clipped = gradients * (clip / gradients.norm(dim=1)).clamp_max(1.0)[:, None]
    torch.testing.assert_close(
        shapes.mean_squares(run.per_example, examples, clip),
        clipped.square().mean(0),
        rtol=1e-4,
        atol=1e-9,
    )


def test_example_that_is_no_number_counts_for_nothing(digits):
    run = started(BASE, digits)
    inputs, targets = run.inputs[:30].clone(), run.targets[:30]
    sane = ExampleGradients(inputs[:29], targets[:29], run.loss)
    inputs[29] = torch.nan
    broken = ExampleGradients(inputs, targets, run.loss)
    for moment, *clip in ((shapes.mean_gradient,), (shapes.mean_squares, 0.5)):
        wanted = moment(run.per_example, sane, *clip) * 29 / 30
        torch.testing.assert_close(moment(run.per_example, broken, *clip), wanted)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"noise": "square"}, "noise"),
        ({"noise": "isotropic", "weights": "public"}, "weights"),
        ({"noise": "scaled", "weights": "private"}, "weights"),
        ({"noise": "published-004", "weights": "paid"}, "weights"),
        ({"noise": "scaled", "cost": "curvature"}, "curvature"),
        ({"noise": "scaled", "weights": "paid", "elementwise": True}, "elementwise"),
        ({"noise": "published-004", "decay": 0.9}, "decay"),
        ({"noise": "published-004", "sampling": "none"}, "sampling"),
        ({"share": 1.0}, "share"),
        ({"refresh": -1}, "refresh"),
        ({"order": 0.0}, "λ"),
        ({"reading": "aloud"}, "reading"),
        ({"cost": "much"}, "cost"),
    ],
)
def test_shapes_that_do_not_exist_are_refused(changes, said):
    with pytest.raises(InvalidInput, match=said):
        replace(BASE, **changes)


def test_public_examples_must_be_given(digits):
    inputs, targets = digits
    for name in ("public, adaclip, by layer", "published, public"):
        with pytest.raises(InvalidInput, match="no public examples"):
            TrainingRun(SHAPES[name], inputs, targets, 10)


def test_runs_side_by_side_have_isotropic_noise(digits):
    configs = [replace(SHAPES["released"], seed=seed) for seed in range(2)]
    with pytest.raises(InvalidInput, match="side by side"):
        started(configs, digits)


POWERS = (1, 2)


def least_cost(squares, weights, power):
    """T^(r/2+1) / M^(r/2): what the best d costs where no ratio binds."""
    share = power / (power + 2)
    total = float((weights ** (1.0 - share) * squares**share).sum())
    return total ** (power / 2 + 1) / float(squares.sum()) ** (power / 2)


def drawn(seed, spread=1.0):
    generator = np.random.default_rng(seed)
    return tuple(torch.from_numpy(np.exp(spread * generator.standard_normal(6))) for _ in range(2))


def searched(squares, weights, power):
    """The same problem by an optimiser that knows no closed form; the mass is restored at the end.

    Both sums are homogeneous in d, so the constraint may be put into the objective.
    """
    s2, a = squares.numpy() / float(squares.sum()), weights.numpy()

    def objective(u):
        return np.log(np.sum(a * np.exp(power * u))) + power / 2 * np.log(
            np.sum(s2 * np.exp(-2 * u))
        )

    result = np.exp(minimize(objective, np.zeros(len(a)), tol=1e-9).x)
    return result * np.sqrt(np.sum(s2 / result**2))


def cost(scale, weights, power):
    """Σ a d^r."""
    return float((weights.double() * scale.double() ** power).sum())


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("seed", range(4))
def test_closed_form_is_what_an_optimiser_finds(power, seed):
    squares, weights = drawn(seed)
    result = shapes.best_scales(squares, weights, power)
    np.testing.assert_allclose(result, searched(squares, weights, power), rtol=1e-4)
    assert cost(result, weights, power) == pytest.approx(
        least_cost(squares, weights, power), rel=1e-12
    )


@pytest.mark.parametrize("power", POWERS)
@given(seed=st.integers(0, 10**6), spread=st.floats(0.0, 30.0))
def test_clipping_mass_is_kept_and_the_ratio_bounded(power, seed, spread):
    squares, weights = drawn(seed, spread)
    result = shapes.best_scales(squares, weights, power)
    assert float((squares / result**2).sum()) == pytest.approx(float(squares.sum()), rel=1e-9)
    assert float(result.max() / result.min()) <= shapes.RATIO * (1 + 1e-9)


@pytest.mark.parametrize("power", POWERS)
def test_coordinates_without_signal_or_cost_stay_within_the_ratio(power):
    squares, weights = torch.tensor([0.0, 1.0, 2.0, 0.0]), torch.tensor([1.0, 0.0, 2.0, 0.0])
    result = shapes.best_scales(squares, weights, power)
    assert bool(result.isfinite().all())
    assert result[0] == result.min()
    assert result[1] == result.max()
    assert float(result[1] / result[0]) == pytest.approx(shapes.RATIO)
    nothing = torch.zeros(4)
    assert shapes.best_scales(nothing, weights, power).tolist() == [1.0] * 4
    assert shapes.best_scales(squares, nothing, power).tolist() == [1.0] * 4
