"""Where systems stand: what runs says so itself, and claims never pass for proofs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dpcore import methods, systems
from dpcore.accounting.presets import preset
from dpcore.deep.guarantee import guarantee
from dpcore.errors import InvalidInput
from dpcore.guarantee import Edition, Status
from dpcore.models.register import model_named
from dpcore.systems import ClaimVerdict, Place, Relation, Runnable, System, forms, standing
from dpcore.systems.standings import HERE, PUBLISHED, UNCHECKED
from dpcore.systems.trainings import TRAININGS

SYSTEMS = systems.register()


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=list(SYSTEMS))
def test_a_standing_is_whole_and_said_once(system: System) -> None:
    found = standing(system)
    assert found.claim.endswith(".")
    assert found.proof.endswith(".")
    assert found.status in systems.STATUSES
    assert found.claim != found.proof
    assert (found.verdict == "our form: proved") == (found.of == HERE)
    assert (found.verdict == "proved as printed") == (
        found.status is Status.PROVED and found.of == PUBLISHED
    )
    told = [
        form
        for run in system.runs
        for form in forms(run)
        if form.claim and (form.edition is Edition.PUBLISHED or run.place is Place.ATLAS)
    ]
    # A method as published, or a model, states the claim; only then the record need not. One
    # record is about a part of what its method claims.
    assert told or system.claim or not system.paper
    if any(form.edition is Edition.PUBLISHED for form in told):
        assert not system.claim or system.key == "input-perturbation-local"
    # A verdict of one's own beside one that is computed could contradict it.
    computed = any(form.edition is Edition.PUBLISHED for run in system.runs for form in forms(run))
    assert not (computed and system.verdict)


@pytest.mark.parametrize("key", [key for key in methods.register() if key != "nonprivate"])
def test_a_methods_systems_say_what_its_register_says(key: str) -> None:
    editions = methods.method_named(key).editions
    for system in systems.runs_of(Place.EXPLORE, key):
        found = standing(system)
        run = next(each for each in system.runs if each.key == key)
        if run.relation is Relation.ITSELF and Edition.PUBLISHED in editions:
            printed = editions[Edition.PUBLISHED]
            assert found.claim == (system.claim or printed.claim)
            assert found.proof == printed.proof
            assert (found.status, found.of) == (printed.status, PUBLISHED)
        if Edition.SOUND in editions and found.of == HERE:
            assert found.status is editions[Edition.SOUND].status
            assert found.proof == editions[Edition.SOUND].proof


def test_what_is_known_of_the_five_papers() -> None:
    status = {key: standing(system).status for key, system in SYSTEMS.items()}
    assert status["opera"] is Status.PROVED
    for refuted in ("grpua", "sgdpert", "grpua-network", "input-perturbation", "pate-gan"):
        assert status[refuted] is Status.CLAIM_NOT_SUPPORTED
    for refuted in ("adaptive-tcdp", "optimised-noise"):
        assert status[refuted] is Status.CLAIM_NOT_SUPPORTED
    assert status["wishart-pca"] is Status.CLAIM_NOT_SUPPORTED
    for unmet in ("output-perturbation", "objective-perturbation", "gaussian"):
        assert status[unmet] is Status.CONDITIONS_NOT_MET
    assert status["noisy-sgd"] is Status.PROVED
    assert status["ganobfuscator"] is Status.DESCRIBED_ONLY


def test_one_source_has_one_year() -> None:
    wishart = SYSTEMS["wishart-pca"]
    assert model_named(wishart.runs[0].key).source == wishart.source


def test_paper_003_is_judged_by_its_own_accounting() -> None:
    found = standing(SYSTEMS["adaptive-tcdp"])
    assert "nothing supports the printed 7.956" in found.proof
    assert found.sound is not None
    assert found.sound.status is Status.PROVED
    # The stated ε of the run is the one that is judged.
    assert preset("chexpert-8").stated == 8.0


@pytest.mark.parametrize("key", TRAININGS)
def test_a_training_is_judged_by_the_deep_part(key: str) -> None:
    example = TRAININGS[key]
    (form,) = forms(Runnable(Place.TRAIN, key))
    held = guarantee(example.config, example.records, accountant="rdp")
    assert form.status is held.status
    assert (form.edition is Edition.PUBLISHED) == (held.claim.epsilon is not None)
    assert form.proof


def test_a_relative_says_nothing_about_a_system() -> None:
    alone = replace(SYSTEMS["dp-lstm"], runs=())
    assert SYSTEMS["dp-lstm"].runs
    assert standing(SYSTEMS["dp-lstm"]) == standing(alone)
    assert standing(alone).status is Status.DESCRIBED_ONLY
    assert standing(alone).proof == UNCHECKED
    assert not systems.runs_here(SYSTEMS["dp-lstm"])


def test_a_sound_form_never_lifts_the_verdict_on_the_claim() -> None:
    bare = replace(SYSTEMS["dpne"], runs=(Runnable(Place.EXPLORE, "grpua", Relation.SOUND),))
    assert standing(bare).status is Status.PROVED
    assert standing(bare).of == HERE
    judged = replace(bare, verdict=ClaimVerdict(Status.CLAIM_NOT_SUPPORTED, "It does not hold."))
    found = standing(judged)
    assert (found.status, found.proof) == (Status.CLAIM_NOT_SUPPORTED, "It does not hold.")
    assert found.of == PUBLISHED
    assert found.sound is not None


@pytest.mark.parametrize("place", Place)
def test_a_run_that_is_not_there_is_refused(place: Place) -> None:
    with pytest.raises(InvalidInput, match="'nowhere'"):
        forms(Runnable(place, "nowhere"))


def test_the_description_is_plain_and_complete() -> None:
    rows = systems.describe()
    assert [row["system"] for row in rows] == list(SYSTEMS)
    for row, system in zip(rows, SYSTEMS.values(), strict=True):
        found = standing(system)
        assert (row["claim"], row["proof"]) == (found.claim, found.proof)
        assert row["status"] == str(found.status)
        assert len(row["software"]) == len(system.software)
        assert [run["key"] for run in row["runs"]] == [run.key for run in system.runs]
