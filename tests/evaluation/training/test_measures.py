"""Accuracy, AUC and loss of network outputs, against scikit-learn and by hand."""

import numpy as np
import pytest
import torch
from sklearn.metrics import log_loss, roc_auc_score

from dpcore.evaluation.training import measures

GENERATOR = np.random.default_rng(3)
CLASSES = GENERATOR.integers(0, 2, 50)
LABELS = GENERATOR.integers(0, 2, (50, 3)).astype(np.float32)
LABELS[GENERATOR.random((50, 3)) < 0.2] = np.nan


def test_two_classes_are_ranked_by_the_difference_of_their_outputs():
    outputs = GENERATOR.normal(size=(4, 50, 2)).astype(np.float32).round(1)  # with ties
    wanted = [roc_auc_score(CLASSES, run[:, 1] - run[:, 0]) for run in outputs]
    assert measures.auc_of_outputs(outputs, CLASSES, "classes") == pytest.approx(wanted, rel=1e-6)
    assert measures.accuracies(outputs, CLASSES, "classes") == pytest.approx(
        [(run.argmax(1) == CLASSES).mean() for run in outputs]
    )


def test_more_classes_have_an_accuracy_and_no_area():
    outputs = np.eye(3, dtype=np.float32)[None, [0, 1, 2, 2]]
    targets = np.array([0, 1, 2, 0])
    assert measures.accuracies(outputs, targets, "classes").tolist() == [0.75]
    assert np.isnan(measures.auc_of_outputs(outputs, targets, "classes")).all()


def test_labels_are_averaged_over_what_is_known():
    outputs = GENERATOR.normal(size=(2, 50, 3)).astype(np.float32)
    known = np.isfinite(LABELS)
    for run, area, share in zip(
        outputs,
        measures.auc_of_outputs(outputs, LABELS, "labels"),
        measures.accuracies(outputs, LABELS, "labels"),
        strict=True,
    ):
        each = [
            roc_auc_score(LABELS[known[:, label], label], run[known[:, label], label])
            for label in range(3)
        ]
        assert area == pytest.approx(np.mean(each), rel=1e-9)
        assert share == pytest.approx(((run > 0) == (LABELS == 1))[known].mean(), rel=1e-9)


def test_an_output_that_is_no_number_leaves_no_area():
    outputs = np.zeros((2, 50, 2), np.float32)
    outputs[0, 3, 1] = np.nan
    assert np.isnan(measures.auc_of_outputs(outputs, CLASSES, "classes")[0])
    assert measures.auc_of_outputs(outputs, CLASSES, "classes")[1] == 0.5


def test_losses_are_those_of_training():
    outputs = GENERATOR.normal(size=(2, 50, 3)).astype(np.float32)
    targets = GENERATOR.integers(0, 3, 50)
    chances = torch.softmax(torch.as_tensor(outputs, dtype=torch.float64), -1).numpy()
    wanted = [log_loss(targets, run, labels=[0, 1, 2]) for run in chances]
    assert measures.losses(outputs, targets, "classes") == pytest.approx(wanted, rel=1e-5)
    known = np.isfinite(LABELS)
    chance = 1.0 / (1.0 + np.exp(-outputs.astype(float)))
    each = -np.log(np.where(LABELS == 1, chance, 1.0 - chance)) * known
    actual = measures.losses(outputs, LABELS, "labels")
    assert actual == pytest.approx(each.sum(-1).mean(-1), rel=1e-5)
