"""The training loop: what is sampled, what is added, what it is divided by, and going on later."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from scipy import stats
from torch import nn

from dpcore.deep import randomness, training
from dpcore.deep.config import TrainingConfig
from dpcore.deep.randomness import LEVELS, SeededRandomness, SystemRandomness
from dpcore.deep.training import TrainingRun
from dpcore.errors import Cancelled, InvalidInput
from dpcore.guarantee import Adjacency

SMALL = TrainingConfig(widths=(8,), epochs=3, batch=20, learning_rate=0.1, seed=4)
STRICT = 1e-3
"""Level of the statistical tests; the seeds are fixed, but for the system's randomness."""


def data(records=100, features=6, classes=3):
    generator = np.random.default_rng(0)
    inputs = generator.standard_normal((records, features)).astype(np.float32)
    return inputs, generator.integers(0, classes, records)


def started(config=SMALL, **rest):
    inputs, targets = data(**rest)
    return TrainingRun(config, inputs, targets, 3)


def weights_of(run):
    return torch.cat([each.detach().flatten() for each in run.per_example.parameters])


def tell(batch, runs):
    if batch.present is not None:
        return batch.present.sum(1).tolist()
    return [batch.records.shape[-1]] * runs


class Watched(TrainingRun):
    """A run that keeps what it drew and the noise that it added."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.drawn, self.added = [], []

    def _one(self, batch):
        self.drawn.append(tell(batch, self.runs))
        self.added.append([])
        return super()._one(batch)

    def _noisy(self, totals, sigmas, spread=None):
        before = [total.clone() for total in totals]
        result = super()._noisy(totals, sigmas, spread)
        parts = torch.split(result, [total.numel() for total in before])
        self.added[-1] += [
            (now.view_as(was) - was).numpy() for now, was in zip(parts, before, strict=True)
        ]
        return result


def assert_standard_normal(noise):
    assert stats.kstest(noise, "norm").pvalue > STRICT
    assert stats.kstest(noise * 1.5, "norm").pvalue < STRICT
    assert stats.kstest(noise / 1.5, "norm").pvalue < STRICT


def watched(configs, steps, **rest):
    inputs, targets = data(**rest)
    run = Watched(configs, inputs, targets, 3)
    run.advance(steps)
    return run


@pytest.mark.slow("trains networks")
@pytest.mark.parametrize("runs", [1, 4])
def test_batches_are_poisson(runs):
    config = replace(SMALL, epochs=60)
    configs = [replace(config, seed=seed) for seed in range(runs)]
    run = watched(configs if runs > 1 else config, 300)
    counts, rate = np.array(run.drawn), 0.2
    assert counts.shape == (300, runs)
    for mine in counts.T:
        total = int(mine.sum())
        assert stats.binomtest(total, 300 * 100, rate).pvalue > STRICT
        assert stats.binomtest(total, 300 * 100, 1.5 * rate).pvalue < STRICT
        # Spread as independent records give it; batches of one size would have none.
        spread = (mine.var(ddof=1) * 299) / (100 * rate * (1 - rate))
        assert stats.chi2.sf(spread, 299) > STRICT
        assert stats.chi2.cdf(spread, 299) > STRICT
    if runs > 1:
        assert np.abs(np.corrcoef(counts.T) - np.eye(runs)).max() < 0.25


@pytest.mark.parametrize("source", [SeededRandomness(0, 1), SystemRandomness()])
def test_every_record_is_drawn_as_often_as_any_other(source):
    times = np.zeros(50)
    for _ in range(2_000):
        times[randomness.draw("poisson", 50, 5, source).records.numpy()] += 1
    expected = 2_000 * 0.1
    spread = ((times - expected) ** 2).sum() / (expected * 0.9)
    level = STRICT if isinstance(source, SeededRandomness) else 1e-9
    assert level < stats.chi2.sf(spread, 50) < 1 - level


@pytest.mark.parametrize(("batch", "records"), [(1, 3), (256, 60_000), (100, 999_983), (7, 8)])
def test_no_record_is_drawn_more_often_than_is_accounted_for(batch, records):
    chance = Fraction(randomness.levels_drawn(batch, records), LEVELS)
    assert 0 <= Fraction(batch, records) - chance < Fraction(1, LEVELS)
    assert 2**32 % LEVELS == 0  # as many remainders of each kind
    again = torch.Generator().manual_seed(0)
    drawn = randomness.draw("poisson", records, batch, SeededRandomness(0, 1)).records
    # On a CPU a uniform float is one of the same levels.
    uniform = torch.rand(records, generator=again).double()
    assert torch.equal(drawn, (uniform < float(chance)).nonzero()[:, 0])


@pytest.mark.parametrize("runs", [1, 3])
def test_the_sampling_rate_is_of_the_public_size(runs):
    records, size, batch = 6_000, 10_000, 2_000
    drawn = randomness.draw("poisson", records, batch, SeededRandomness(0, 1), runs, size=size)
    counts = tell(drawn, runs)
    # 0.2 of 6,000 give 1,200 ± 31; a rate from the records there are would give 2,000.
    assert all(abs(count - records * batch / size) < 6 * 31 for count in counts)


@pytest.mark.parametrize("source", [SeededRandomness(0, 1), SystemRandomness()])
def test_batches_of_fixed_size_hold_different_records(source):
    for runs in (1, 3):
        result = randomness.draw("fixed", 30, 7, source, runs).records.reshape(runs, 7)
        assert all(len(set(row)) == 7 for row in result.tolist())


def test_noise_may_change_while_batches_and_start_stay():
    configs = [replace(SMALL, sigma=sigma) for sigma in (0.1, 5.0)]
    quiet, loud = (watched(config, 10).drawn for config in configs)
    assert quiet == loud
    assert torch.equal(*(weights_of(started(config)) for config in configs))


@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adam"])
@pytest.mark.parametrize(("decay", "average"), [(1.0, 0.0), (0.9, 0.0), (1.0, 0.3)])
def test_cancelled_run_goes_on_as_if_nothing_had_happened(optimizer, decay, average):
    config = replace(SMALL, optimizer=optimizer, decay=decay, average=average)
    whole = started(config)
    whole.advance(15)
    first, asked = started(config), []

    def after_seven():
        asked.append(first.step)
        return first.step == 7

    with pytest.raises(Cancelled):
        first.advance(15, after_seven)
    assert first.step == 7
    kept = first.state()
    first.advance(3)  # what was kept must not follow
    for _ in range(2):  # what was kept serves twice
        second = started(config)
        second.restore(kept)
        second.advance(100)
        assert second.step == second.steps == 15
        assert torch.equal(weights_of(whole), weights_of(second))
        for name, each in whole.weights().items():
            assert torch.equal(each, second.weights()[name])


@pytest.mark.parametrize("share", [1.0, 0.5, 0.2])
def test_averages_weigh_each_step_as_they_say(share):
    run, steps = started(replace(SMALL, average=share)), []
    while run.step < run.steps:
        run.advance(1)
        steps.append(weights_of(run))
    # Step s is let in with min(1, 1/(share·s)) and fades with every later one.
    weight = [min(1.0, 1.0 / (share * step)) for step in range(1, run.steps + 1)]
    fades = [np.prod([1.0 - later for later in weight[step + 1 :]]) for step in range(run.steps)]
    counts = np.multiply(weight, fades)
    assert counts.sum() == pytest.approx(1.0)
    expected = sum(count * each for count, each in zip(counts, steps, strict=True))
    actual = torch.cat([each.flatten() for each in run.weights().values()])
    assert torch.allclose(actual, expected.to(torch.float32), atol=1e-6)
    assert not torch.allclose(actual, steps[-1], atol=1e-3)


@pytest.mark.parametrize("final_rate", [0.0, 0.2, 1.0])
def test_learning_rate_falls_evenly_to_its_share(final_rate):
    run = started(replace(SMALL, final_rate=final_rate, sigma=0.1))
    rates = []
    for _ in range(run.steps):
        before = weights_of(run)
        run.advance(1)
        moved = torch.cat([each.grad.flatten() for each in run.per_example.parameters])
        rates.append(float((before - weights_of(run)) @ moved / moved.square().sum()))
    expected = np.linspace(SMALL.learning_rate, SMALL.learning_rate * final_rate, run.steps)
    assert rates == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("every", ["step", "epoch"])
@pytest.mark.parametrize("decay", [1.0, 0.8])
@pytest.mark.parametrize("sampling", ["poisson", "none"])
def test_noise_follows_the_schedule_that_is_accounted_for(every, decay, sampling):
    config = replace(SMALL, decay=decay, decay_every=every, sampling=sampling, sigma=2.0)
    run = started(config)
    accounted = config.training(100).schedule().each_step()
    assert run.steps == len(accounted)
    used = [run.sigmas(step)[0] for step in range(run.steps)]
    assert used == pytest.approx(accounted.tolist(), rel=1e-12)
    apart = 1 if every == "step" else run.steps_an_epoch
    assert used == pytest.approx([2.0 * decay ** (t // apart / 2) for t in range(run.steps)])


@pytest.mark.parametrize("clip", [0.3, 4.0])
def test_noise_added_is_the_schedules(clip):
    # One wide layer, so that a step alone holds thousands of draws.
    config = TrainingConfig(
        network="linear", epochs=4, batch=20, sigma=1.5, clip=clip, decay=0.25, decay_every="step"
    )
    run = watched(config, 3, features=1_000)
    last = np.zeros(3_003)
    for step, (weight, bias) in enumerate(run.added):
        noise = np.concatenate([weight.ravel(), bias.ravel()]) / run.sigmas(step)[0]
        assert_standard_normal(noise)
        if step:
            assert abs(np.corrcoef(noise, last)[0, 1]) < 4 / len(noise) ** 0.5
        last = noise


def test_sum_is_divided_by_the_expected_batch_size():
    config = replace(SMALL, sigma=0.0, clip=1e-3)
    run = watched(config, 0)
    before = [each.detach().clone() for each in run.per_example.parameters]
    state = run.randomness.state()
    run.advance(1)
    (drawn,) = run.drawn[0]
    assert drawn != config.batch
    again = SeededRandomness(0, 0)
    again.restore(state)
    records = randomness.draw("poisson", 100, 20, again).records
    assert len(records) == drawn
    fresh = started(config)
    clipped = fresh.per_example.clipped_sum(
        fresh.inputs[records], fresh.targets[records], fresh.loss, 1e-3
    )
    for now, old, total in zip(run.per_example.parameters, before, clipped.total, strict=True):
        torch.testing.assert_close(old - now, 0.1 * total / 20, rtol=1e-3, atol=2e-8)


@pytest.mark.parametrize("runs", [1, 3])
def test_empty_batches_still_get_their_noise(runs):
    config = replace(SMALL, batch=1, epochs=10, widths=())
    configs = [replace(config, seed=seed) for seed in range(runs)]
    run = watched(configs if runs > 1 else config, 40, records=4)
    # With several runs a batch is empty only where all are; some of each must have been seen.
    empty = [step for step, counts in enumerate(run.drawn) if not any(counts)]
    assert empty
    assert run.step == 40
    for step in empty:
        assert all(np.abs(noise).min() > 0.0 for noise in run.added[step])
    assert bool(weights_of(run).isfinite().all())


@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adam"])
@pytest.mark.parametrize("network", ["linear", "perceptron"])
def test_without_noise_and_clipping_it_is_plain_training(optimizer, network):
    plainly = {"sigma": 0.0, "clipped": False, "sampling": "none", "epochs": 8}
    config = replace(SMALL, network=network, optimizer=optimizer, **plainly)
    run, plain = started(config), started(config)
    parameters = list(plain.network.parameters())
    chosen = {
        "sgd": lambda: torch.optim.SGD(parameters, lr=0.1),
        "momentum": lambda: torch.optim.SGD(parameters, lr=0.1, momentum=0.9),
        "adam": lambda: torch.optim.Adam(parameters, lr=0.1),
    }[optimizer]()
    losses = []
    for _ in range(8):
        chosen.zero_grad()
        loss = nn.functional.cross_entropy(plain.network(plain.inputs), plain.targets)
        loss.backward()
        chosen.step()
        losses.append(loss.item())
    assert [run.advance(1) for _ in range(8)] == pytest.approx(losses, rel=1e-4)
    torch.testing.assert_close(weights_of(run), weights_of(plain), rtol=1e-3, atol=1e-4)


def test_runs_side_by_side_step_as_each_would_alone():
    # All records and no noise: what is left to differ is only the arithmetic.
    config = replace(SMALL, sampling="none", sigma=0.0, clip=0.05, epochs=6, optimizer="momentum")
    together = started([replace(config, seed=seed) for seed in range(3)])
    alone = [started(config) for _ in range(3)]
    with torch.no_grad():
        for run, single in enumerate(alone):
            for own, shared in zip(
                single.network.parameters(), together.network.parameters(), strict=True
            ):
                own.copy_(shared[run].reshape(own.shape))
    together.advance(6)
    scores = together.scores(data()[0])
    for run, single in enumerate(alone):
        single.advance(6)
        np.testing.assert_allclose(scores[run], single.scores(data()[0])[0], rtol=1e-4, atol=1e-5)


def test_runs_side_by_side_get_noise_of_their_own_size():
    sigmas = (0.5, 2.0, 7.0)
    config = TrainingConfig(network="linear", epochs=4, batch=20, decay=0.5)
    run = watched(
        [replace(config, sigma=sigma, seed=seed) for seed, sigma in enumerate(sigmas)],
        1,
        features=1_000,
    )
    weight, bias = run.added[0]
    each = [np.concatenate([weight[i].ravel(), bias[i].ravel()]) for i in range(3)]
    for sigma, noise in zip(sigmas, each, strict=True):
        assert_standard_normal(noise / sigma)
    assert np.abs(np.corrcoef(each) - np.eye(3)).max() < 4 / 3_000**0.5


@pytest.mark.parametrize(
    ("configs", "said"),
    [
        (replace(SMALL, batch=101), "batch size"),
        ([SMALL, replace(SMALL, clip=2.0)], "seed and σ only"),
        ([SMALL, replace(SMALL, epochs=9)], "seed and σ only"),
        ([], "at least one"),
        (replace(SMALL, network="cnn"), "square images"),
        ([replace(SMALL, network="cnn", seed=seed) for seed in (0, 1)], "perceptrons"),
        (replace(SMALL, network="cnn-lean"), "network is cnn-lean and records"),
    ],
)
def test_configurations_that_do_not_fit_are_refused(configs, said):
    with pytest.raises(InvalidInput, match=said):
        started(configs)


@pytest.mark.parametrize(
    ("targets", "task", "said"),
    [
        (np.zeros(99), "classes", "shape"),
        (np.full(100, 3), "classes", "largest class"),
        (np.full(100, -2), "classes", "least class"),
        (np.zeros((100, 2)), "labels", "shape"),
        (np.zeros(100), "ranks", "task"),
    ],
)
def test_targets_that_do_not_fit_are_refused(targets, task, said):
    with pytest.raises(InvalidInput, match=said):
        TrainingRun(SMALL, data()[0], targets, 3, task=task)


@pytest.mark.parametrize("system", [False, True])
@pytest.mark.parametrize("runs", [1, 2])
@pytest.mark.parametrize("task", ["classes", "labels"])
def test_a_null_record_contributes_nothing(task, runs, system):
    inputs, targets = data()
    null = np.arange(100) >= 90
    if task == "classes":
        blanked = np.where(null, -1, targets)
    else:
        blanked = np.where(null[:, None], np.nan, np.eye(3, dtype=np.float32)[targets])
    config = replace(SMALL, sampling="none", sigma=0.0, epochs=2)
    moved = np.where(null[:, None], 1e6, inputs).astype(np.float32)
    result = []
    for given in (inputs, moved):
        run = TrainingRun([config] * runs, given, blanked, 3, task=task, system=system)
        run.advance(2)
        result.append(weights_of(run))
    # The divisor is n, null records included; without them the other 90 give the same sum.
    absent = replace(config, adjacency="add-remove", public_size=100)
    fewer = TrainingRun([absent] * runs, inputs[:90], blanked[:90], 3, task=task, system=system)
    fewer.advance(2)
    assert torch.equal(*result)
    torch.testing.assert_close(result[0], weights_of(fewer), rtol=1e-3, atol=1e-5)
    assert not torch.equal(result[0], weights_of(started(config)))


def test_for_keeping_everything_is_in_double_precision_and_drawn_anew():
    runs = [TrainingRun(SMALL, *data(), 3, system=True) for _ in range(2)]
    assert torch.equal(*(weights_of(run) for run in runs))  # start weights may be seeded
    for run in runs:
        run.advance(1)
        assert {each.dtype for each in run.per_example.parameters} == {torch.float64}
        assert run.state()["randomness"] == {}
    first, second = (weights_of(run) for run in runs)
    apart = (first - second) * SMALL.batch / SMALL.learning_rate / SMALL.sigma
    # Two batches and two noises: their difference is at least as wide as the noise's own.
    assert float(apart.std()) > 1.2
    assert stats.kstest(apart.numpy() / 2.0**0.5, "norm").pvalue > 1e-9


@pytest.mark.parametrize("config", [SMALL, replace(SMALL, per_layer=True, noise="scaled")])
def test_records_that_fill_a_batch_up_count_nothing(config):
    filled, plain = started(config), started(config)
    assert not plain.fills  # without a GPU
    filled.fills = True
    losses = filled.advance(6), plain.advance(6)
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    torch.testing.assert_close(weights_of(filled), weights_of(plain), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("chosen", [{"sampling": "none"}, {"sampling": "poisson", "batch": 10}])
def test_a_sum_of_far_more_records_than_their_public_size_is_not_kept(monkeypatch, chosen):
    monkeypatch.setattr(training, "MAX_SUMMED", 10)
    config = replace(SMALL, adjacency=Adjacency.ADD_REMOVE, public_size=10, **chosen)
    TrainingRun(config, *data(records=40), 3, system=True)
    with pytest.raises(InvalidInput, match="more records than can be kept") as refused:
        TrainingRun(config, *data(records=41), 3, system=True)
    assert "41" not in str(refused.value)
    TrainingRun(config, *data(records=41), 3)
