"""Clipped sums against gradients computed one record at a time, for every layer and clipping."""

from functools import partial

import pytest
import torch
from torch import nn

from dpcore.deep import layers, networks
from dpcore.deep.clipping import PerExample
from dpcore.deep.device import exact_arithmetic
from dpcore.deep.layers import StackedLinear
from dpcore.deep.networks import class_loss, label_loss
from dpcore.errors import InvalidInput

CLIPS = (1e-3, 0.3, 1e6)


def cross_entropy(outputs, targets):
    return nn.functional.cross_entropy(outputs, targets, reduction="none")


def stacked_cross_entropy(outputs, targets):
    return nn.functional.cross_entropy(outputs.transpose(1, 2), targets, reduction="none")


def networks_under_test():
    yield "linear", lambda: networks.perceptron(6, (), 3), (6,)
    yield "no bias", lambda: nn.Sequential(nn.Linear(6, 3, bias=False)), (6,)
    yield "perceptron", lambda: networks.perceptron(6, (5, 4), 3), (6,)
    yield "tanh", lambda: networks.perceptron(6, (5,), 3, activation="tanh"), (6,)
    yield "cnn", lambda: networks.small_cnn(1, 28, 3), (1, 28, 28)
    yield "lean cnn", lambda: networks.lean_cnn(2, 28, 3), (2, 28, 28)
    yield (
        "ghost convolution",
        lambda: nn.Sequential(nn.Conv2d(24, 40, 3), nn.Flatten(), nn.Linear(40, 3)),
        (24, 3, 3),
    )
    yield (
        "strided, no bias",
        lambda: nn.Sequential(
            nn.Conv2d(2, 3, 3, stride=2, padding=1, dilation=2, bias=False),
            nn.Flatten(),
            nn.Linear(27, 3),
        ),
        (2, 7, 7),
    )
    yield (
        "normalised",
        lambda: nn.Sequential(
            nn.Conv2d(2, 4, 3),
            nn.GroupNorm(2, 4),
            nn.Tanh(),
            nn.Flatten(),
            nn.LayerNorm(16),
            nn.Linear(16, 3),
        ),
        (2, 4, 4),
    )


DEVICES = ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",)
CASES = [(device, *case) for device in DEVICES for case in networks_under_test()]


@pytest.fixture(params=CASES, ids=[f"{name}, {device}" for device, name, *_ in CASES])
def case(request):
    torch.manual_seed(0)
    device, _, build, shape = request.param
    network = build().double().to(device)
    inputs, targets = torch.randn(7, *shape, dtype=torch.float64), torch.randint(0, 3, (7,))
    with exact_arithmetic():
        yield network, inputs.to(device), targets.to(device)


def test_both_ways_of_convolving_are_tried():
    ways = set()
    for name, build, shape in networks_under_test():
        if "conv" in name or "cnn" in name:
            torch.manual_seed(0)
            ready = PerExample(build().double())
            inputs = torch.randn(2, *shape, dtype=torch.float64)
            result, _ = ready.gradients(inputs, torch.zeros(2).long(), cross_entropy)
            ways.add(type(result[0]).__name__)
    assert ways == {"Patches", "Kernels"}


@pytest.mark.slow("trains networks")
@pytest.mark.parametrize("at_a_time", [1, 3 * 196 * 64, 10**9])
def test_patches_taken_a_few_records_at_a_time_make_no_difference(at_a_time, monkeypatch):
    monkeypatch.setattr(layers, "AT_A_TIME", at_a_time)
    torch.manual_seed(0)
    network, inputs = networks.small_cnn(1, 28, 3).double(), torch.randn(7, 1, 28, 28).double()
    targets = torch.randint(0, 3, (7,))
    oracle = one_at_a_time(network, inputs, targets)
    clip = float(torch.stack(norms_of(oracle)).median())
    ready = PerExample(network)
    actual = ready.clipped_sum(inputs, targets, cross_entropy, clip)
    expected = clipped(oracle, norms_of(oracle), clip)
    ready.clipped_sum(-inputs, targets, cross_entropy, clip)  # takes the same memory again
    for own, theirs in zip(actual.total, expected, strict=True):
        torch.testing.assert_close(own, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("activation", [nn.ReLU, nn.Tanh, nn.Sigmoid])
@pytest.mark.parametrize("loss", [class_loss, label_loss])
@pytest.mark.parametrize("per_layer", [False, True])
@pytest.mark.parametrize("runs", [1, 3])
def test_stack_by_hand_is_what_back_propagation_gives(activation, loss, per_layer, runs):
    torch.manual_seed(0)
    lead = (9,) if runs == 1 else (runs, 9)
    linear = nn.Linear if runs == 1 else partial(StackedLinear, runs)
    network = nn.Sequential(linear(6, 5), activation(), linear(5, 4), activation(), linear(4, 3))
    inputs, targets = torch.randn(*lead, 6), torch.randint(0, 2, (*lead, 3)).float()
    targets[..., :2, 1] = torch.nan
    targets = targets if loss is label_loss else torch.randint(0, 3, lead)
    by_hand, recorded = PerExample(network), PerExample(network)
    assert by_hand.stack is not None
    recorded.stack = None
    scales = [0.5, torch.rand(network[0].bias.shape) + 0.5, 2.0, 1.0, 1.0, 3.0]
    for given in (None, scales):
        ours, theirs = (
            each.clipped_sum(inputs, targets, loss, 0.3, per_layer=per_layer, scales=given)
            for each in (by_hand, recorded)
        )
        for name in ("norms", "losses", "before", "weights"):
            torch.testing.assert_close(getattr(ours, name), getattr(theirs, name))
        torch.testing.assert_close(ours.total, theirs.total)


def test_what_is_no_plain_stack_in_training_is_recorded():
    half = networks.perceptron(6, (5,), 3)
    half[0].requires_grad_(False)
    nested = nn.Sequential(nn.Sequential(nn.Linear(6, 5), nn.Tanh()), nn.Linear(5, 3))
    softened = nn.Sequential(nn.Linear(6, 5), nn.GELU(), nn.Linear(5, 3))
    for network in (half, nested, softened, networks.small_cnn(1, 28, 3), nn.Linear(6, 3)):
        assert PerExample(network).stack is None


def one_at_a_time(network, inputs, targets):
    """Every record's gradient by plain back-propagation, a list of tensors a record."""
    result = []
    for record, target in zip(inputs, targets, strict=True):
        loss = cross_entropy(network(record[None]), target[None]).sum()
        result.append(torch.autograd.grad(loss, list(network.parameters())))
    return result


def summed(gradients, factors):
    return [
        sum(factor * gradient for factor, gradient in zip(factors, each, strict=True))
        for each in zip(*gradients, strict=True)
    ]


def norms_of(gradients, scales=None):
    scales = scales or [1.0] * len(gradients[0])
    return [
        torch.sqrt(sum(((g / s) ** 2).sum() for g, s in zip(each, scales, strict=True)))
        for each in gradients
    ]


def clipped(gradients, norms, clip):
    return summed(gradients, [min(1.0, clip * (1 - 1e-4) / norm) for norm in norms])


def assert_alike(actual, expected):
    for ours, theirs in zip(actual, expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-3 * float(theirs.abs().max()))


@pytest.mark.parametrize("clip", CLIPS)
@pytest.mark.parametrize("micro_batch", [None, 3])
def test_sum_is_the_sum_of_clipped_gradients(case, clip, micro_batch):
    network, inputs, targets = case
    oracle = one_at_a_time(network, inputs, targets)
    actual = PerExample(network).clipped_sum(
        inputs, targets, cross_entropy, clip, micro_batch=micro_batch
    )
    norms = norms_of(oracle)
    torch.testing.assert_close(actual.norms, torch.stack(norms), rtol=1e-4, atol=0.0)
    assert_alike(actual.total, clipped(oracle, norms, clip))


@pytest.mark.parametrize("clip", CLIPS)
def test_clipping_by_layer_clips_each_to_its_share(case, clip):
    network, inputs, targets = case
    ready = PerExample(network)
    oracle = one_at_a_time(network, inputs, targets)
    actual = ready.clipped_sum(inputs, targets, cross_entropy, clip, per_layer=True)
    sizes = [len(list(layer.parameters(recurse=False))) for layer in ready.trained]
    share, start = clip / len(sizes) ** 0.5, 0
    for size in sizes:
        part = [each[start : start + size] for each in oracle]
        assert_alike(actual.total[start : start + size], clipped(part, norms_of(part), share))
        start += size


@pytest.mark.parametrize("elementwise", [False, True])
def test_scaled_clipping_measures_the_scaled_norm(case, elementwise):
    network, inputs, targets = case
    torch.manual_seed(1)
    shapes = [parameter.shape for parameter in network.parameters()]
    scales = [
        0.1 + torch.rand(shape, dtype=torch.float64).to(inputs.device)
        if elementwise
        else 0.1 + place
        for place, shape in enumerate(shapes)
    ]
    oracle = one_at_a_time(network, inputs, targets)
    norms = norms_of(oracle, scales)
    clip = float(torch.stack(norms).median())
    actual = PerExample(network).clipped_sum(inputs, targets, cross_entropy, clip, scales=scales)
    torch.testing.assert_close(actual.norms, torch.stack(norms), rtol=1e-4, atol=0.0)
    assert_alike(actual.total, clipped(oracle, norms, clip))


def test_squares_are_summed_element_by_element(case):
    network, inputs, targets = case
    weights = torch.rand(len(inputs), dtype=torch.float64).to(inputs.device)
    actual, _ = PerExample(network).gradients(inputs, targets, cross_entropy)
    oracle = one_at_a_time(network, inputs, targets)
    expected = summed([[g.square() for g in each] for each in oracle], weights)
    ours = [tensor for layer in actual for tensor in layer.squared_sum(weights)]
    for own, theirs in zip(ours, expected, strict=True):
        torch.testing.assert_close(own, theirs, rtol=1e-8, atol=1e-12 * float(theirs.max()))


@pytest.mark.parametrize("per_layer", [False, True])
@pytest.mark.parametrize("micro_batch", [None, 3])
def test_squares_by_layer_are_those_of_the_clipped_gradients(case, per_layer, micro_batch):
    network, inputs, targets = case
    ready = PerExample(network)
    norms = ready.clipped_sum(inputs, targets, cross_entropy, 1.0).norms
    clip, present = float(norms.median()), torch.tensor([1.0, 1, 0, 1, 1, 1, 1]).to(inputs)
    actual = ready.clipped_sum(
        inputs, targets, cross_entropy, clip, present=present, per_layer=per_layer,
        micro_batch=micro_batch,
    ).squares  # fmt: skip
    assert actual.shape == (len(ready.trained), 7)
    for record in range(7):
        one = slice(record, record + 1)
        alone = ready.clipped_sum(
            inputs[one], targets[one], cross_entropy, clip, per_layer=per_layer
        ).total
        parts, start = [], 0
        for layer in ready.trained:
            size = len(list(layer.parameters(False)))
            parts.append(sum(float((each**2).sum()) for each in alone[start : start + size]))
            start += size
        expected = [part * float(present[record]) for part in parts]
        assert actual[:, record].tolist() == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("per_layer", [False, True])
def test_one_record_never_moves_the_sum_by_more_than_the_clip(case, per_layer):
    network, inputs, targets = case
    network.float()
    inputs = inputs.float()
    ready, furthest = PerExample(network), 0.0
    for scale in (1e-3, 1.0, 1e3):
        for record in range(len(inputs)):
            one = slice(record, record + 1)
            result = ready.clipped_sum(
                inputs[one] * scale, targets[one], cross_entropy, 0.1, per_layer=per_layer
            )
            moved = sum(float((each.double() ** 2).sum()) for each in result.total) ** 0.5
            furthest = max(furthest, moved)
    # Large gradients are clipped to the bound, and not far below.
    assert (0.0 if per_layer else 0.998 * 0.1) <= furthest <= 0.1


def test_stacked_networks_give_what_each_gives_alone():
    torch.manual_seed(2)
    stacked = networks.perceptron(6, (5,), 3, runs=4)
    inputs, targets = torch.randn(4, 9, 6), torch.randint(0, 3, (4, 9))
    present = (torch.rand(4, 9) < 0.6).float()
    clip = torch.tensor([[0.01], [0.1], [1.0], [10.0]])
    actual = PerExample(stacked).clipped_sum(
        inputs, targets, stacked_cross_entropy, clip, present=present
    )
    for run in range(4):
        alone = networks.perceptron(6, (5,), 3)
        with torch.no_grad():
            for own, shared in zip(alone.parameters(), stacked.parameters(), strict=True):
                own.copy_(shared[run].reshape(own.shape))
        kept = present[run].bool()
        expected = PerExample(alone).clipped_sum(
            inputs[run][kept], targets[run][kept], cross_entropy, float(clip[run])
        )
        for ours, theirs in zip(actual.total, expected.total, strict=True):
            torch.testing.assert_close(ours[run].reshape(theirs.shape), theirs)


def test_padding_counts_as_no_record(case):
    network, inputs, targets = case
    present = torch.tensor([1.0, 0, 1, 1, 0, 0, 1]).to(inputs)
    ready, kept = PerExample(network), present.bool()
    actual = ready.clipped_sum(inputs, targets, cross_entropy, 0.3, present=present)
    expected = ready.clipped_sum(inputs[kept], targets[kept], cross_entropy, 0.3)
    torch.testing.assert_close(actual.total, expected.total)


def test_empty_batch_sums_to_nothing(case):
    network, inputs, targets = case
    result = PerExample(network).clipped_sum(inputs[:0], targets[:0], cross_entropy, 1.0)
    assert [each.shape for each in result.total] == [p.shape for p in network.parameters()]
    assert not any(each.any() for each in result.total)


def test_record_that_is_no_number_counts_as_null_and_spoils_nothing(case):
    network, inputs, targets = case
    broken = inputs.clone()
    broken[2] = torch.nan
    broken[5] = torch.inf
    kept = torch.tensor([True, True, False, True, True, False, True]).to(inputs.device)
    ready = PerExample(network)
    actual = ready.clipped_sum(broken, targets, cross_entropy, 0.3)
    expected = ready.clipped_sum(inputs[kept], targets[kept], cross_entropy, 0.3)
    torch.testing.assert_close(actual.total, expected.total)


def test_network_that_diverged_leaves_those_beside_it_alone():
    torch.manual_seed(3)
    stacked = networks.perceptron(6, (5,), 3, runs=3)
    inputs, targets = torch.randn(3, 9, 6), torch.randint(0, 3, (3, 9))
    sane = PerExample(stacked).clipped_sum(inputs, targets, stacked_cross_entropy, 0.3)
    with torch.no_grad():
        stacked[0].weight[1].fill_(torch.nan)
    result = PerExample(stacked).clipped_sum(inputs, targets, stacked_cross_entropy, 0.3)
    for ours, theirs in zip(result.total, sane.total, strict=True):
        torch.testing.assert_close(ours[[0, 2]], theirs[[0, 2]])
        assert not ours[1].any()
    assert result.squares.isfinite().all()


def test_frozen_layers_are_left_out():
    network = networks.perceptron(6, (5,), 3)
    for parameter in network[0].parameters():
        parameter.requires_grad_(False)
    ready = PerExample(network)
    assert [tuple(p.shape) for p in ready.parameters] == [(3, 5), (3,)]
    inputs, targets = torch.randn(4, 6), torch.randint(0, 3, (4,))
    result = ready.clipped_sum(inputs, targets, cross_entropy, 1e6)
    loss = cross_entropy(network(inputs), targets).sum()
    for ours, theirs in zip(result.total, torch.autograd.grad(loss, ready.parameters), strict=True):
        torch.testing.assert_close(ours, theirs)


class Own(nn.Module):
    def forward(self, inputs):
        return inputs - inputs.mean(0)


@pytest.mark.parametrize(
    ("network", "said"),
    [
        (nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), "BatchNorm1d (1)"),
        (nn.Sequential(nn.LSTM(2, 2)), "LSTM (0)"),
        (nn.Sequential(nn.Linear(2, 2), nn.Softmax(0)), "Softmax (1)"),
        (nn.Sequential(nn.Linear(2, 2), Own()), "Own (1)"),
        (Own(), "Own"),
        (nn.Sequential(nn.Flatten(0), nn.Linear(2, 2)), "Flatten (0)"),
        (nn.Sequential(nn.Unflatten(0, (2, 2)), nn.Linear(2, 2)), "Unflatten (0)"),
    ],
)
def test_layers_that_mix_records_or_are_unknown_are_refused(network, said):
    with pytest.raises(InvalidInput) as refusal:
        PerExample(network)
    assert said in str(refusal.value)


ONE = nn.Linear(3, 3)


@pytest.mark.parametrize(
    ("network", "loss", "said"),
    [
        (nn.Sequential(ONE, ONE), cross_entropy, "used twice"),
        (nn.Sequential(nn.LayerNorm((4, 3)), nn.Linear(3, 2)), cross_entropy, "counts the records"),
        (nn.Sequential(nn.Linear(3, 2)), lambda out, target: out, "one number a record"),
    ],
)
def test_what_mixes_records_only_at_work_is_refused(network, loss, said):
    ready = PerExample(network)
    with pytest.raises(InvalidInput, match=said):
        ready.clipped_sum(torch.randn(4, 3), torch.zeros(4).long(), loss, 1.0)


def test_shared_parameters_are_refused():
    first, second = nn.Linear(3, 3), nn.Linear(3, 3)
    second.weight = first.weight
    with pytest.raises(InvalidInput, match="shared"):
        PerExample(nn.Sequential(first, second))
