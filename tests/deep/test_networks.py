"""The convolutional networks that are offered."""

import numpy as np
import pytest
import torch
from torch import nn

from dpcore.deep import networks


def parameters(network):
    return sum(each.numel() for each in network.parameters())


def test_the_lean_network_is_the_papers_without_its_hidden_layer():
    papers, lean = networks.small_cnn(1, 28, 10), networks.lean_cnn(1, 28, 10)
    assert [type(layer) for layer in lean] == [*map(type, papers[:7]), nn.Linear]
    assert [each.shape for each in lean[:7].parameters()] == [
        each.shape for each in papers[:7].parameters()
    ]
    assert (parameters(papers), parameters(lean)) == (26_010, 14_394)


@pytest.mark.parametrize("channels", [1, 3])
def test_first_filters_are_waves_of_one_length_whatever_the_seed(channels):
    torch.manual_seed(1)
    first, drawn = networks.lean_cnn(channels, 28, 10)[0], networks.small_cnn(channels, 28, 10)[0]
    torch.manual_seed(2)
    other = networks.lean_cnn(channels, 28, 10)[0]
    assert torch.equal(first.weight, other.weight)
    assert not first.bias.any()
    lengths = torch.linalg.vector_norm(first.weight.detach(), dim=(1, 2, 3))
    torch.testing.assert_close(lengths, torch.full((16,), 3**-0.5))
    random = torch.linalg.vector_norm(drawn.weight.detach(), dim=(1, 2, 3))
    assert float(random.mean()) == pytest.approx(float(lengths[0]), rel=0.1)
    assert first.weight.sum((2, 3)).abs().max() < 1e-5


def outputs_and_targets(loss, lead):
    torch.manual_seed(0)
    outputs = 20.0 * torch.randn(*lead, 3, dtype=torch.float64)
    if loss is networks.class_loss:
        return outputs, torch.randint(0, 3, lead)
    targets = torch.randint(0, 2, (*lead, 3)).double()
    targets[..., 1] = np.nan
    return outputs, targets


def test_labels_that_are_unknown_count_nothing():
    outputs, targets = outputs_and_targets(networks.label_loss, (5,))
    known = [0, 2]
    expected = nn.functional.binary_cross_entropy_with_logits(
        outputs[:, known], targets[:, known], reduction="none"
    )
    torch.testing.assert_close(networks.label_loss(outputs, targets), expected.sum(1))


def test_a_records_class_costs_its_cross_entropy():
    outputs, targets = outputs_and_targets(networks.class_loss, (5,))
    torch.testing.assert_close(
        networks.class_loss(outputs, targets),
        nn.functional.cross_entropy(outputs, targets, reduction="none"),
    )


@pytest.mark.parametrize("lead", [(40,), (2, 20)])
@pytest.mark.parametrize("loss", networks.CLOSED_FORMS)
def test_closed_forms_are_what_back_propagation_gives(loss, lead):
    outputs, targets = outputs_and_targets(loss, lead)

    def propagated(outputs, targets):
        return loss(outputs, targets)

    values, derivative = networks.with_derivative(loss, outputs, targets)
    expected, expected_derivative = networks.with_derivative(propagated, outputs, targets)
    assert not values.requires_grad
    torch.testing.assert_close(values, expected)
    torch.testing.assert_close(derivative, expected_derivative, rtol=1e-9, atol=1e-12)
