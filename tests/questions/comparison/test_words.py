"""How a private training stands beside the same without privacy."""

import pandas as pd
import pytest

from dpcore.evaluation.scoring.metrics import area_interval
from dpcore.evaluation.training import measures
from dpcore.questions.comparison import words

ENDED = ("private", "nonprivate")


def history(values):
    """Accuracy by (run, epoch)."""
    return pd.DataFrame(
        [
            {"run": run, "epoch": epoch, "accuracy_test": value, "loss_train": 1.0 - value}
            for (run, epoch), value in values.items()
        ]
    )


def means(series, values):
    """Rows of `measures.averaged`: accuracy by epoch."""
    rows = {(0, epoch): value for epoch, value in values.items()}
    return measures.averaged(measures.gathered({series: history(rows)}))


def test_clipping_and_noise_are_told_apart_at_the_same_epoch():
    table = pd.concat(
        [
            means("private", {1: 0.5, 2: 0.6, 3: 0.7}),
            means("nonprivate", {1: 0.8, 2: 0.9}),
            means("clipped", {1: 0.55}),
        ]
    )
    now = words.compared(table, "accuracy_test", ended=["private"])
    assert (now.value, now.reference, now.clipped, now.epoch) == (0.6, 0.9, None, 2)
    more = pd.concat([table, means("clipped", {2: 0.65, 3: 0.66})])
    now = words.compared(more, "accuracy_test", ended=["private"])
    assert (now.clipped, now.epoch) == (0.65, 2)
    # Both compared ones have ended: clipping waits for its own end.
    now = words.compared(more, "accuracy_test", ended=ENDED)
    assert (now.value, now.reference, now.clipped, now.epoch) == (0.7, 0.9, None, None)
    now = words.compared(more, "accuracy_test", ended=(*ENDED, "clipped"))
    assert now.clipped == 0.66


def test_means_and_bands_are_over_the_runs_that_have_all_come_so_far():
    # Of two runs the band is from the lower to the higher.
    rows = history({(0, 1): 0.2, (1, 1): 0.4, (0, 2): 0.6, (1, 2): 0.8, (0, 3): 0.9})
    table = measures.averaged(measures.gathered({"private": rows}))
    assert list(table["epoch"]) == [1, 2]
    assert table["accuracy_test"].to_numpy() == pytest.approx([0.3, 0.7])
    assert table["accuracy_test_low"].to_numpy() == pytest.approx([0.2, 0.6])
    assert table["accuracy_test_high"].to_numpy() == pytest.approx([0.4, 0.8])
    assert table["loss_train"].to_numpy() == pytest.approx([0.7, 0.3])
    assert list(table["runs"]) == [2, 2]


@pytest.mark.parametrize(
    ("private", "free", "expected"),
    [
        ({(0, 1): 0.5}, {(0, 1): 0.6, (0, 2): 0.9}, (0.5, 0.6, 1)),
        ({(0, 1): 0.5, (0, 2): 0.8}, {(0, 1): 0.6}, (0.5, 0.6, 1)),
        ({(0, 2): 0.5}, {(0, 1): 0.6}, (0.5, None, None)),
    ],
    ids=["private behind", "private ahead", "no epoch of both"],
)
def test_while_one_trains_both_are_compared_at_the_same_epoch_or_not_at_all(
    private, free, expected
):
    parts = {"private": history(private), "nonprivate": history(free)}
    table = measures.averaged(measures.gathered(parts))
    actual = words.compared(table, "accuracy_test", ended=())
    assert (actual.value, actual.reference, actual.epoch) == expected


def test_the_second_class_is_the_positive_one_of_an_area():
    result = words.on_new_records(0.8, "auc_test", (40, 10))
    assert result == area_interval(0.8, 10, 40) != area_interval(0.8, 40, 10)


@pytest.mark.parametrize(
    ("nonprivate", "ended", "note"),
    [
        ([1, 2], ["private"], "epoch 2 of 3; one repetition"),
        ([1, 2, 3], ["private"], "one repetition"),
        ([1, 2, 3], ENDED, "one repetition"),
    ],
)
def test_both_numbers_are_of_one_epoch(nonprivate, ended, note):
    epochs = [1, 2, 3, *nonprivate]
    table = pd.DataFrame(
        {
            "series": ["private"] * 3 + ["nonprivate"] * len(nonprivate),
            "epoch": epochs,
            "accuracy_test": [0.1 * epoch for epoch in epochs],
            "accuracy_test_low": 0.0,
            "accuracy_test_high": 1.0,
            "runs": 1,
        }
    )
    now = words.compared(table, "accuracy_test", ended=ended)
    known = {"epochs": 3, "reached": 3, "midway": False, "nothing": ("…", "not yet")}
    measured, lost = words.measured(now, "accuracy_test", **known)
    assert measured[1:3] == (f"{10 * nonprivate[-1]}.0 %", note)
    assert lost[1].lstrip("+−") == "0.0"
    assert lost[2].endswith("both after epoch 2") == (nonprivate == [1, 2])
    (waiting, _) = words.measured(None, "accuracy_test", **known)
    assert waiting[:3] == ("Accuracy", "…", "not yet")
