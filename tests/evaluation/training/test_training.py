"""Trainings: the ledger against the accountant, also after a stop; batches, budgets, files."""

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats

from dpcore.accounting.accountants import certify
from dpcore.accounting.events import Composed, TrainingPlan
from dpcore.accounting.planner import spent
from dpcore.datasets import Preparation, images
from dpcore.deep.config import TrainingConfig
from dpcore.deep.training import TrainingRun
from dpcore.errors import Cancelled, InvalidInput
from dpcore.evaluation.training.data import training_data
from dpcore.evaluation.training.report import conclusion, measured, measures, outcome
from dpcore.evaluation.training.study import TrainingStudy, new_release, of_same_records
from dpcore.evaluation.training.task import begin, sweep_training, swept, train
from dpcore.evaluation.training.task import task as training_task
from dpcore.guarantee import Adjacency
from dpcore.questions.comparison.arms import comparison_arms
from dpcore.work.task import JobContext
from tests.work.tasks import stops_after

LINEAR = TrainingConfig(network="linear", epochs=3, batch=256, learning_rate=0.5, decay=0.8)
STUDY = TrainingStudy("digits", config=LINEAR, epsilon=3.0, runs=2)
RECORDS, STEPS = 1_437, 6  # of digits, an epoch


pytestmark = pytest.mark.usefixtures("one_thread")


def without_time(rows):
    return rows.drop(columns="seconds")


def plan(sigma, steps, **more):
    """Written out anew: n, batch, steps so far, decay at each epoch's end."""
    return TrainingPlan(sigma, RECORDS, 256, steps, 1e-5, decay=0.8, decay_every=STEPS, **more)


def trained(*studies, **more):
    trainer = begin(studies, device="cpu", **more)
    trainer.run()
    return trainer


def settings(trainer):
    return json.loads(outcome(trainer).files["settings.json"])


@pytest.fixture(scope="module")
def history():
    return train(STUDY, device="cpu")


@pytest.fixture(scope="module")
def unbroken():
    return trained(STUDY)


@pytest.fixture(scope="module")
def kept():
    return trained(KEPT)


def test_epsilon_is_the_accountants_for_the_steps_so_far(history):
    sigma = STUDY.with_calibrated_sigma(RECORDS).sigma
    last = history[history["epoch"] == 3]
    assert last["accuracy_test"].nunique() == 2  # runs have seeds of their own
    for row in history[history["run"] == 0].itertuples():
        run = plan(sigma, row.steps)
        assert row.epsilon == pytest.approx(spent(run, "pld").epsilon, rel=1e-6)
        assert row.sigma == pytest.approx(sigma * 0.8 ** (0.5 * (row.epoch - 1)))
        assert (row.delta, row.adjacency, row.accountant) == (1e-5, "zero-out", "PLD")
        assert row.status == "exploration only"  # from a seed
    end = history["epsilon"].iloc[-1]
    assert 2.99 < end <= 3.0


def test_batches_of_fixed_size_are_accounted_for_as_such():
    config = replace(LINEAR, sampling="fixed", adjacency="replace-one", epochs=2)
    study = TrainingStudy("digits", config=config, epsilon=8.0)
    rows, sigma = train(study, device="cpu"), study.with_calibrated_sigma(RECORDS).sigma
    run = plan(sigma, STEPS, sampling="fixed", adjacency=Adjacency.REPLACE_ONE)
    assert rows["accountant"].tolist() == ["PLD"] * 2
    assert rows["epsilon"][0] == pytest.approx(spent(run, "pld").epsilon, rel=1e-6)
    assert rows["epsilon"][1] <= 8.0


@pytest.mark.parametrize(("sigma", "clipped"), [(0.0, True), (1.0, False), (0.0, False)])
def test_without_clipping_or_noise_nothing_is_certified(sigma, clipped):
    config = replace(LINEAR, sigma=sigma, clipped=clipped, epochs=1)
    rows = train(TrainingStudy("digits", config=config), device="cpu")
    assert rows["epsilon"].isna().all()
    assert set(rows["status"]) == {"not private"}


@pytest.mark.parametrize("after", [1, STEPS, 2 * STEPS + 3])
def test_a_stopped_training_has_spent_for_its_steps_and_goes_on_as_if_unbroken(after, unbroken):
    first, second = (begin([STUDY], device="cpu") for _ in range(2))
    with pytest.raises(Cancelled):
        first.run(cancelled=stops_after(after))
    rows = first.history()
    assert rows["steps"].max() == first.steps_done(0) == after
    assert rows["epoch"].max() == -(-after // STEPS)
    run = plan(STUDY.with_calibrated_sigma(RECORDS).sigma, after)
    assert rows["epsilon"].max() == pytest.approx(spent(run, "pld").epsilon, rel=1e-6)
    assert conclusion(first)["certified"]["epsilon"] == rows["epsilon"].max()
    assert conclusion(first)["epsilon"] is None  # its noise comes from a seed
    assert conclusion(first)["steps"] == after
    second.restore(first.state())
    for trainer in (first, second):
        trainer.run()
        pd.testing.assert_frame_equal(
            without_time(trainer.history()), without_time(unbroken.history()), check_exact=True
        )
    for name, values in unbroken.weights(0).items():
        assert np.array_equal(second.weights(0)[name], values)


def test_rows_that_one_record_can_move_are_learned_from_without_privacy_only():
    settings = (("preparation", Preparation(scaling="data")),)
    with pytest.raises(InvalidInput, match="scaling of the preparation is 'data'"):
        TrainingStudy("breast_cancer", config=LINEAR, settings=settings)
    bare = replace(LINEAR, sigma=0.0, clipped=False, decay=1.0)
    reference = TrainingStudy("breast_cancer", config=bare, epsilon=None, settings=settings)
    assert set(train(reference, device="cpu")["status"]) == {"not private"}


@pytest.mark.parametrize("models", [1, 2])
def test_where_runs_take_turns_the_written_models_count(models):
    config = replace(LINEAR, noise="scaled", weights="released", sigma=3.0)
    study = TrainingStudy("digits", config=config, epsilon=None, runs=2, models=models)
    trainer = begin([replace(study, release=new_release())], device="cpu")
    with pytest.raises(Cancelled):
        trainer.run(cancelled=stops_after(STEPS + 1))
    assert [batch.run.step for batch in trainer._batches] == [STEPS, 1]
    said, one = conclusion(trainer), trainer.spent(0, STEPS).epsilon
    assert said["steps"] == STEPS
    assert said["certified"]["epsilon"] == one
    assert said["epsilon"] == one if models == 1 else said["epsilon"] > one


def test_training_ends_before_the_step_that_would_exceed_the_budget():
    config = replace(LINEAR, sigma=1.5)
    study = TrainingStudy("digits", config=config, epsilon=None, budget=3.0)
    trainer = trained(study)
    taken = trainer.steps_done(0)
    assert 0 < taken < 3 * STEPS
    run = plan(1.5, taken)
    epsilon = spent(run, "pld").epsilon
    assert trainer.history()["epsilon"].iloc[-1] == pytest.approx(epsilon, rel=1e-6)
    assert epsilon <= 3.0 < spent(replace(run, steps=taken + 1), "pld").epsilon
    whole = begin([replace(study, budget=100.0)], device="cpu")
    assert whole.steps_planned(0) == 3 * STEPS
    with pytest.raises(InvalidInput, match="No number of steps"):
        begin([replace(study, budget=0.01)], device="cpu")


@pytest.mark.slow("trains many models")
def test_studies_of_the_same_records_are_trained_as_one_batch():
    studies = [replace(STUDY, epsilon=epsilon) for epsilon in (0.02, 8.0)]
    studies.append(replace(STUDY, config=replace(LINEAR, sigma=0.0)))
    studies.append(replace(STUDY, config=replace(LINEAR, learning_rate=0.1)))
    trainer = begin(studies, device="cpu")
    assert sorted(batch.run.runs for batch in trainer._batches) == [2, 2, 4]
    result = sweep_training(studies, device="cpu")
    assert [len(rows) for rows in result] == [6] * 4
    ends = [rows.groupby("run").tail(1) for rows in result]
    assert ends[0]["epsilon"].max() <= 0.02 < ends[1]["epsilon"].max() <= 8.0
    assert ends[2]["epsilon"].isna().all()
    with pytest.raises(InvalidInput, match="studies differ in their records"):
        of_same_records((STUDY, replace(STUDY, held_out=True)))


def test_a_sweep_gives_what_each_study_gives_up_to_its_random_draws():
    # Without noise and sampling nothing is random but the start, which is the same for one run.
    config = replace(LINEAR, sigma=0.0, sampling="none", epochs=4)
    alone = train(TrainingStudy("digits", config=config), device="cpu")
    one, _ = sweep_training(
        [
            TrainingStudy("digits", config=config),
            TrainingStudy("digits", config=replace(config, learning_rate=0.1)),
        ],
        device="cpu",
    )
    pd.testing.assert_frame_equal(without_time(one), without_time(alone), check_exact=True)


def test_large_batches_are_cut(monkeypatch):
    from dpcore.evaluation.training import trainer

    monkeypatch.setattr(trainer, "MAX_ENTRIES", 256 * 64 * 2)
    made = begin([replace(STUDY, runs=5, models=5)], device="cpu")
    assert [batch.run.runs for batch in made._batches] == [2, 2, 1]
    made.run()
    assert made.history()["run"].tolist() == [run for run in range(5) for _ in range(3)]
    assert made.weights(0)["0.weight"].shape == (5, 10, 64)


def test_the_weights_give_the_scores_that_were_measured():
    config = replace(LINEAR, network="perceptron", widths=(16,))
    trainer = trained(replace(STUDY, config=config, models=2))
    left = outcome(trainer)
    loaded = np.load(io.BytesIO(left.files["weights.npz"]))
    examples = images.load("digits")
    for run in (0, 1):
        network = torch.nn.Sequential(
            torch.nn.Linear(64, 16), torch.nn.ReLU(), torch.nn.Linear(16, 10)
        )
        network.load_state_dict({name: torch.as_tensor(loaded[name][run]) for name in loaded})
        with torch.no_grad():
            outputs = network(torch.as_tensor(examples.test_inputs.reshape(-1, 64)))
        share = (outputs.argmax(1).numpy() == examples.test_targets).mean()
        rows = left.rows[(left.rows["run"] == run) & (left.rows["epoch"] == 3)]
        assert rows["accuracy_test"].item() == pytest.approx(share)


def test_the_settings_say_what_was_trained_and_what_it_spent(unbroken):
    text = settings(unbroken)
    config = TrainingConfig(**text["recipe"])
    assert config == replace(STUDY.with_calibrated_sigma(RECORDS), widths=TrainingConfig.widths)
    result = text["conclusion"]
    assert result["certified"]["epsilon"] == unbroken.history()["epsilon"].iloc[-1]
    assert result["certified"]["status"] == "proved"
    assert result["accountant"] == "PLD"
    assert (result["epsilon"], result["randomness"]) == (None, "seed")
    assert result["status"] == "exploration only"
    assert text["study"]["runs"] == 2


KEPT = replace(STUDY, release=new_release())


def test_the_settings_hold_only_what_took_part(unbroken, kept):
    result = settings(unbroken)
    assert result["recipe"]["seed"] == STUDY.config.seed
    assert "sigma" not in result["study"]["recipe"]  # it was solved
    for recipe in (result["recipe"], result["study"]["recipe"]):
        assert not {"widths", "activation", "public_size", "cost", "share", "order"} & set(recipe)
    # Batches and noise came from the system: the seed gave the first weights and nothing else.
    for recipe in (settings(kept)["recipe"], settings(kept)["study"]["recipe"]):
        assert "seed" not in recipe
        assert recipe["seed_of_first_weights"] == STUDY.config.seed


@pytest.mark.parametrize("models", [1, 2])
def test_what_is_kept_is_proved_for_all_the_models_in_the_file(models):
    left = outcome(trained(replace(KEPT, models=models)))
    weights = np.load(io.BytesIO(left.files["weights.npz"]))
    assert weights["0.weight"].shape == (models, 10, 64)
    assert weights["0.weight"].dtype == np.float32
    actual = json.loads(left.files["settings.json"])["conclusion"]
    said = (actual["randomness"], actual["status"], actual["models"])
    assert said == ("system", "proved", models)
    run = plan(actual["sigma"], 18)
    together = Composed((run.event(),) * models)
    wanted = certify(together, 1e-5, Adjacency.ZERO_OUT, "pld").epsilon
    assert actual["epsilon"] == pytest.approx(wanted, rel=1e-6)
    assert actual["certified"]["epsilon"] == pytest.approx(spent(run, "pld").epsilon, rel=1e-6)
    # Two models at ε = 3 each tell more than one.
    assert (actual["epsilon"] > 3.5) == (models == 2)
    assert actual["neighbours"] == "one record blanked out, of the training part"


def test_files_that_epsilon_speaks_of_hold_no_measures_and_the_others_no_epsilon(kept):
    files = outcome(kept).files
    assert set(files) == {"weights.npz", "settings.json", "measures.json"}
    marked = json.loads(files["measures.json"])
    assert marked == measures(kept)
    assert marked["measures"] == "not private"
    assert 0.3 < marked["accuracy"]["mean"] < 1.0
    for word in ("accuracy", "auc", "loss", "seconds", "measured"):
        assert f'"{word}' not in files["settings.json"].decode()
    for file in (files["measures.json"].decode(), measured(kept.history()).to_csv()):
        assert "epsilon" not in file
        assert "proved" not in file
        assert "not private" in file


def test_two_trainings_for_keeping_share_no_noise():
    config = replace(LINEAR, sampling="none", epochs=1, decay=1.0, clip=1.0)

    def left(sigma, release):
        study = replace(
            STUDY, config=replace(config, sigma=sigma), epsilon=None, runs=1, release=release
        )
        trainer = begin([study], device="cpu")
        before = trainer.weights(0)["0.weight"].astype(float)
        trainer.run()
        moved = (before - trainer.weights(0)["0.weight"].astype(float)) * RECORDS / 0.5
        return moved, trainer.studies[0].release

    def taken_off(releases):
        (few, _), (much, _) = left(20.0, releases[0]), left(40.0, releases[1])
        return (40.0 * few - 20.0 * much) / 20.0

    exact = left(0.0, "")[0]
    # With one seed the exact sum comes out to the rounding of the weights ...
    assert np.abs(taken_off(["", ""]) - exact).max() < 0.5
    # ... and for keeping there is as much noise left as two independent ones leave: √5 · 20.
    apart = (taken_off([new_release(), new_release()]) - exact).ravel()
    assert stats.kstest(apart / (40.0 * 2.0**0.5), "norm").pvalue > 1e-9
    assert apart.std() > 40.0


def test_a_release_is_one_name_for_one_training():
    with pytest.raises(InvalidInput, match="release"):
        replace(STUDY, release="mine")
    with pytest.raises(InvalidInput, match="models"):
        replace(STUDY, models=3)
    with pytest.raises(InvalidInput, match="C of what is kept"):
        replace(KEPT, config=replace(LINEAR, clip=1e-13))
    assert replace(KEPT, release=new_release()).key != KEPT.key
    assert KEPT.key != STUDY.key


@pytest.mark.slow("trains many models")
def test_under_add_remove_everything_comes_from_the_public_size():
    examples = images.load("digits")
    config = replace(LINEAR, adjacency="add-remove", public_size=1_400, batch=200)

    def first(count):
        return replace(
            examples,
            train_inputs=examples.train_inputs[:count],
            train_targets=examples.train_targets[:count],
        )

    def left(count):
        study = replace(STUDY, config=config, release="0" * 32)
        trainer = trained(study, records=first(count))
        return trainer.configs[0].__dict__, outcome(trainer).files["settings.json"]

    # 1,400 and 1,401 need 7 and 8 batches of 200; the public size says 7 to both.
    for count in (1_399, 1_400, 1_401):
        assert left(count) == left(1_400)
    assert b'"records": 1400' in left(1_437)[1]
    assert b"1437" not in left(1_437)[1]

    def compared(count):
        arms = comparison_arms(replace(STUDY, config=config)).values()
        return trained(*arms, records=first(count)).history()["steps"].tolist()

    # 199 records are fewer than a batch.
    assert compared(199) == compared(200) == compared(1_400)
    with pytest.raises(InvalidInput, match="held out"):
        replace(STUDY, held_out=True, config=config)


def test_held_out_and_public_records_are_not_trained_on():
    whole = images.load("digits")
    result = training_data(replace(STUDY, held_out=True, public=100))
    assert len(result.test_inputs) == RECORDS // 6
    assert len(result.public[0]) == 100
    assert len(result.inputs) == RECORDS - RECORDS // 6 - 100
    parts = [result.inputs, result.test_inputs, result.public[0]]
    together = np.concatenate(parts).reshape(RECORDS, -1)
    everyone = whole.train_inputs.reshape(RECORDS, -1)
    assert np.array_equal(np.sort(together, 0), np.sort(everyone, 0))
    trainer = begin([replace(STUDY, held_out=True)], device="cpu")
    assert trainer.records == RECORDS - RECORDS // 6


def test_a_key_hangs_on_the_whole_description():
    others = [
        replace(STUDY, dataset="mnist"),
        replace(STUDY, features="scattering"),
        replace(STUDY, config=replace(LINEAR, seed=1)),
        replace(STUDY, epsilon=2.0),
        replace(STUDY, runs=3),
        replace(STUDY, budget=1.0),
        replace(STUDY, held_out=True),
        replace(STUDY, public=1),
        replace(STUDY, settings=(("records", 5),)),
    ]
    assert len({each.key for each in (STUDY, *others)}) == len(others) + 1
    assert replace(STUDY, epsilon=3).key == STUDY.key


CNN = TrainingConfig(network="cnn")


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"dataset": "nothing"}, "dataset is 'nothing'"),
        ({"features": "deep"}, "features is 'deep', .* raw, deskewed, scat"),
        ({"epsilon": 0.0}, "epsilon is 0"),
        ({"runs": 0}, "runs is 0"),
        ({"budget": -1.0}, "budget is -1"),
        ({"public": -1}, "public records is -1"),
        ({"dataset": "mnist", "features": "scattering", "config": CNN}, ".*cnn.*scattering feat"),
        ({"config": CNN}, ".*cnn.*8 × 8 has images of 8"),
        ({"dataset": "heart", "config": CNN}, ".*cnn.* holds no images"),
        ({"dataset": "heart", "features": "scattering"}, ".*scattering features, but"),
        ({"config": TrainingConfig(noise="scaled", weights="public")}, "public records are 0"),
        ({"budget": 1.0, "config": TrainingConfig(sigma=0.0)}, "budget is given"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_one_sentence(changed, sentence):
    with pytest.raises(InvalidInput, match=f"^{sentence}"):
        replace(STUDY, **changed)


def test_uploaded_records_come_along_with_the_training():
    digits = images.load("digits")
    entry = replace(images.entry("features_npz"), task="classes", names=digits.names)
    flat = replace(
        digits,
        entry=entry,
        train_inputs=digits.train_inputs.reshape(len(digits.train_inputs), -1),
        test_inputs=digits.test_inputs.reshape(len(digits.test_inputs), -1),
    )
    study = replace(STUDY, dataset="features_npz", settings=(("file", "sha256:0"),))
    context = JobContext(records=flat)
    same = training_task(STUDY).run(JobContext()).rows
    for result in (training_task(study).run(context).rows, swept((study,), context).rows):
        assert list(result["accuracy_test"]) == list(same["accuracy_test"])
        assert list(result["epsilon"]) == list(same["epsilon"])


def test_a_training_is_a_job_with_live_rows_and_files():
    seen = []
    told = []
    context = JobContext(lambda share, message: told.append((share, message)), seen.append)
    left = training_task(STUDY).run(context)
    assert [share for share, _ in told] == sorted(share for share, _ in told)
    pd.testing.assert_frame_equal(seen[-1], left.rows)
    assert set(left.files) == {"weights.npz", "settings.json", "measures.json"}
    rows = swept((STUDY, replace(STUDY, epsilon=1.0)), JobContext(partial=seen.append)).rows
    assert rows["study"].tolist() == [0] * 6 + [1] * 6


def test_a_job_can_be_stopped_while_it_looks_for_its_noise():
    # Thousands of levels of noise: certifying one σ takes seconds.
    slow = replace(STUDY, config=replace(LINEAR, decay=0.999, decay_every="step", epochs=400))
    messages = []
    with pytest.raises(Cancelled):
        training_task(slow).run(
            JobContext(
                lambda share, message: messages.append(message),
                cancelled=lambda: "finding the noise" in messages,
            )
        )
    assert messages[-1] == "finding the noise"


def test_several_labels_have_an_area():
    labels = TrainingStudy(
        "chest_features",
        config=replace(LINEAR, learning_rate=5.0),
        epsilon=30.0,
        settings=(("records", 1_000), ("features", 32)),
    )
    assert 0.6 < train(labels, device="cpu")["auc_test"].iloc[-1] < 1.0


@pytest.mark.parametrize("published", [True, False])
def test_scattering_features_of_what_may_be_private_are_not_kept(published, tmp_path, monkeypatch):
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    whole = images.load("digits")
    few = {name: getattr(whole, name)[:40] for name in ("train_inputs", "train_targets")}
    result = replace(whole, **few, published=published)
    monkeypatch.setattr(images, "load", lambda key: result)
    made = training_data(replace(STUDY, features="scattering"))
    assert made.inputs.shape == (40, 81 * 4)
    assert any(tmp_path.rglob("scattering-*")) == published


@pytest.mark.slow("trains many models")
def test_of_many_epochs_evenly_spread_ones_are_noted():
    config = replace(LINEAR, epochs=1_000, sampling="none", decay=1.0)
    study = TrainingStudy("digits", config=config, epsilon=3.0)
    rows, sigma = train(study, device="cpu"), study.with_calibrated_sigma(RECORDS).sigma
    assert rows["epoch"].tolist() == list(range(5, 1_001, 5))
    assert rows["steps"].tolist() == rows["epoch"].tolist()
    run = TrainingPlan(sigma, RECORDS, RECORDS, 500, 1e-5, sampling="none")
    half = rows[rows["epoch"] == 500]["epsilon"].item()
    assert half == pytest.approx(spent(run, "pld").epsilon, rel=1e-6)


def test_the_ledger_follows_the_run_that_is_trained(unbroken):
    examples = images.load("digits")
    run = TrainingRun(
        STUDY.with_calibrated_sigma(RECORDS), examples.train_inputs, examples.train_targets, 10
    )
    row = unbroken.history().iloc[-1]
    assert row["steps"] == run.steps
    assert row["sigma"] == run.sigmas(run.steps - 1)[0]


def test_what_is_certified_with_public_weights_holds_for_all_runs():
    noise = {"noise": "published-004", "weights": "public", "refresh": 0}
    config = TrainingConfig(widths=(8,), epochs=1, batch=256, **noise)
    study = TrainingStudy(dataset="digits", config=config, epsilon=1.0, runs=3, public=200)
    trainer = begin([study])
    each = [begin([replace(study, runs=1, config=replace(config, seed=s))]) for s in range(3)]
    leasts = [alone.min_noise_ratio(0) for alone in each]
    assert leasts[0] > min(leasts)  # or the first run's would do by chance
    assert trainer.min_noise_ratio(0) == min(leasts)
    spent = [alone.spent(0, alone.steps_planned(0)).epsilon for alone in each]
    assert trainer.spent(0, trainer.steps_planned(0)).epsilon == max(filter(None, spent))
