"""The losses of a record, and their derivatives against back-propagation's."""

import numpy as np
import pytest
import torch
from torch import nn

from dpcore.deep import losses


def outputs_and_targets(loss, lead):
    torch.manual_seed(0)
    outputs = 20.0 * torch.randn(*lead, 3, dtype=torch.float64)
    if loss is losses.class_loss:
        return outputs, torch.randint(0, 3, lead)
    targets = torch.randint(0, 2, (*lead, 3)).double()
    targets[..., 1] = np.nan
    return outputs, targets


def test_labels_that_are_unknown_count_nothing():
    outputs, targets = outputs_and_targets(losses.label_loss, (5,))
    known = [0, 2]
    expected = nn.functional.binary_cross_entropy_with_logits(
        outputs[:, known], targets[:, known], reduction="none"
    )
    torch.testing.assert_close(losses.label_loss(outputs, targets), expected.sum(1))


def test_a_records_class_costs_its_cross_entropy():
    outputs, targets = outputs_and_targets(losses.class_loss, (5,))
    torch.testing.assert_close(
        losses.class_loss(outputs, targets),
        nn.functional.cross_entropy(outputs, targets, reduction="none"),
    )


@pytest.mark.parametrize("lead", [(40,), (2, 20)])
@pytest.mark.parametrize("loss", losses.CLOSED_FORMS)
def test_closed_forms_are_what_back_propagation_gives(loss, lead):
    outputs, targets = outputs_and_targets(loss, lead)

    def propagated(outputs, targets):
        return loss(outputs, targets)

    values, derivative = losses.with_derivative(loss, outputs, targets)
    expected, expected_derivative = losses.with_derivative(propagated, outputs, targets)
    assert not values.requires_grad
    torch.testing.assert_close(values, expected)
    torch.testing.assert_close(derivative, expected_derivative, rtol=1e-9, atol=1e-12)
