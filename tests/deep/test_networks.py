"""The convolutional networks that are offered."""

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
