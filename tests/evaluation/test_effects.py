"""One setting varied at a fixed budget: what gives way, what is refused."""

import re
from dataclasses import replace

import pytest

from dpcore.accounting.planner import spent
from dpcore.deep.config import TrainingConfig
from dpcore.errors import InvalidInput
from dpcore.evaluation.effects import EFFECTS, MAX_TIMES, effect
from dpcore.evaluation.training.study import TrainingStudy

RECORDS = 1_437
STUDY = TrainingStudy(
    dataset="digits",
    config=TrainingConfig(widths=(8, 8), epochs=4, batch=256, decay=0.9, learning_rate=1.0),
    epsilon=2.0,
    runs=2,
)


def epsilon(config):
    return spent(config.training(RECORDS), "pld").epsilon


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize("key", list(EFFECTS))
def test_only_the_setting_and_what_gives_way_change(key):
    varied = effect(key)
    now = varied.present(STUDY, RECORDS)
    for way in varied.gives_way:
        values = varied.values(STUDY, RECORDS, way)
        assert values == tuple(sorted(set(values)))
        assert now in values
        assert len(values) >= 3
        for value in values:
            study = varied.varied(STUDY, value, RECORDS, way)
            with_calibrated_sigma = study.with_calibrated_sigma(RECORDS)
            assert varied.read(with_calibrated_sigma) == value
            back = varied.put(with_calibrated_sigma, varied.read(STUDY.config))
            assert replace(back, sigma=1.0, epochs=1) == replace(STUDY.config, sigma=1.0, epochs=1)
            if way == "noise":
                assert with_calibrated_sigma.epochs == STUDY.config.epochs
                assert 1.99 < epsilon(with_calibrated_sigma) <= 2.0


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize(
    ("key", "low", "high"), [("decay", 0.8, 1.0), ("sigma", 1.5, 2.5), ("clip", 1.25, 0.8)]
)
def test_where_epochs_give_way_gentler_spending_affords_more(key, low, high):
    few, many = (EFFECTS[key].varied(STUDY, value, RECORDS, "epochs") for value in (low, high))
    assert few.config.epochs < many.config.epochs
    for study in (few, many):
        assert study.budget == 2.0
        # One epoch less stays within the budget; all of them would be too many, or just fit.
        assert epsilon(replace(study.config, epochs=study.config.epochs - 1)) <= 2.0
        assert epsilon(replace(study.config, epochs=study.config.epochs + 1)) > 2.0


def test_without_a_target_the_budget_is_what_the_study_spends():
    own = replace(STUDY, epsilon=None, config=replace(STUDY.config, sigma=3.0))
    whole = epsilon(own.config)
    assert EFFECTS["clip"].varied(own, 2.0, RECORDS).epsilon == whole
    shorter = EFFECTS["sigma"].varied(own, 2.0, RECORDS)
    assert shorter.budget == whole
    assert shorter.config.epochs < own.config.epochs
    # However much noise there is, not without end.
    result = EFFECTS["sigma"].varied(STUDY, 30.0, RECORDS)
    assert result.config.epochs == MAX_TIMES * STUDY.config.epochs


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("decay", 1.5, "decay R is 1.5"),
        ("sigma", 0.0, "σ is 0"),
        ("sigma", 0.05, "steps"),
        ("clip", -1.0, "C is -1"),
        ("batch", RECORDS + 1, "batch size is 1438"),
        ("units", 2.5, "hidden units is 2.5"),
    ],
)
def test_values_out_of_range_are_named(key, value, words):
    with pytest.raises(InvalidInput, match=words):
        EFFECTS[key].varied(STUDY, value, RECORDS)


def test_the_largest_batch_is_the_public_size_and_does_not_name_n():
    config = replace(STUDY.config, adjacency="add-remove", public_size=1_000, batch=500)
    study = replace(STUDY, config=config)
    assert EFFECTS["batch"].values(study, RECORDS)[-1] == 1_000
    with pytest.raises(InvalidInput, match="at most 1 000"):
        EFFECTS["batch"].varied(study, RECORDS, RECORDS)


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        ("units", {"network": "linear"}),
        ("units", {"widths": ()}),
        ("batch", {"sampling": "none"}),
        ("decay", {"noise": "published-004", "decay": 1.0}),
        ("sigma", {"noise": "published-004", "decay": 1.0}),
        ("clip", {"clipped": False}),
    ],
)
def test_where_a_setting_has_no_effect_it_says_so(key, changes):
    study = replace(STUDY, config=replace(STUDY.config, **changes))
    assert EFFECTS[key].why_not(STUDY) == ""
    with pytest.raises(InvalidInput, match=re.escape(EFFECTS[key].why_not(study))):
        EFFECTS[key].varied(study, 1.0, RECORDS)


def test_an_unknown_effect_or_way_names_what_there_is():
    with pytest.raises(InvalidInput, match="decay, sigma, clip, batch, units"):
        effect("width")
    with pytest.raises(InvalidInput, match="one of noise"):
        EFFECTS["batch"].varied(STUDY, 10, RECORDS, "epochs")
