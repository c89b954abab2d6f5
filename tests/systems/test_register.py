"""The register of systems: complete, well said, and found by what people type."""

from __future__ import annotations

import re

import pytest

from dpcore import systems
from dpcore.accounting.paper_003 import PRESETS
from dpcore.erm import methods
from dpcore.models.systems import register as models
from dpcore.systems import Place, Relation
from dpcore.systems.literature import WORKS
from dpcore.systems.standings import TRAININGS
from dpcore.systems.system import matches_query

SYSTEMS = systems.register()
WRITTEN = [system.key for system in systems.WRITTEN]
"""The others are added for a method or a model by itself, and say less."""


def test_no_key_is_taken_twice():
    assert len(WRITTEN) == len(set(WRITTEN))
    assert set(WRITTEN) <= set(SYSTEMS)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", key) for key in SYSTEMS)


def test_every_method_that_adds_noise_and_every_model_belong_to_a_system():
    for key in methods.register():
        result = systems.runs_of(Place.EXPLORE, key)
        assert bool(result) == (key != "nonprivate"), key
    for key in models():
        assert systems.runs_of(Place.ATLAS, key), key


def test_whatever_runs_is_there():
    for system in SYSTEMS.values():
        known = {
            Place.EXPLORE: set(methods.register()),
            Place.PLAN: set(PRESETS),
            Place.TRAIN: set(TRAININGS),
            Place.ATLAS: set(models()),
        }
        for run in system.runs:
            assert run.key in known[run.place], system.key
            # What differs is said.
            assert run.relation is Relation.ITSELF or run.note or run.loss, system.key
            if run.place is Place.EXPLORE and run.loss:
                assert run.loss in methods.method_named(run.key).losses, system.key
            # Some system runs it, so that a relative's link has somewhere to lead.
            assert systems.runs_of(run.place, run.key) or run.place in (Place.PLAN, Place.TRAIN), (
                system.key
            )


def test_every_work_has_one_plain_link_and_belongs_to_a_system():
    used = {work.link for each in SYSTEMS.values() for work in each.literature}
    for key, work in WORKS.items():
        assert re.fullmatch(r"https://[\w.-]+/[\w./?=&-]+", work.link), work
        assert work.title == work.title.strip(" .")
        assert 1990 < work.year < 2030
        assert len(work.link_name) < 45
        assert work.link in used or key == "001"
    # One address is one publication.
    assert len({work.link for work in WORKS.values()}) == len(set(WORKS.values()))


K_MEANS = {"smooth-k-means", "k-means", "grid-k-means", "compressive-k-means"}
PAPER_003 = {"adaptive-tcdp", "tcdp-amplification", "dpsgd-003"}
DP_SGD = {"noisy-sgd", "dpsgd-003"}
ABADI = {"noisy-sgd", "dpsgd-003", "gaussian-004"}
BAYES = {"naive-bayes", "naive-bayes-sources"}

FOUND: list[tuple[set[str], list[str]]] = [
    (PAPER_003, ["Paper 003", "paper003", "paper 3", "003 paper"]),
    (K_MEANS, ["k means", "K-Means", "k‑means", "means k", "KMEANS"]),
    (ABADI, ["abadi 2016", "2016 Abadi", "(Abadi et al. 2016)"]),
    (DP_SGD, ["dp-sgd", "Dp-Sgd"]),
    (BAYES, ["naïve Bayes", "naivebayes"]),
    ({"scattering-linear"}, ["tramer", "Tramèr", "Boneh Tramer 2021"]),
    ({"dp-ctgan", "pate-gan"}, ["GAN pate"]),
    ({"rana-forest", "smooth-forest"}, ["random forests"]),
    (set(), ["theorem functional mechanism logistic", "abadi qwertz"]),
    ({"optimised-noise"}, ["optimized additive noise", "optimised additive noise"]),
]
FINDS = {query: found for found, queries in FOUND for query in queries}


@pytest.mark.parametrize("query", FINDS)
def test_what_people_type_is_matches_query(query):
    matches = {each.key for each in systems.selected(search=query)}
    assert matches == FINDS[query]


@pytest.mark.parametrize("query", ["", "   ", "-", "…", "()"])
def test_nothing_typed_narrows_nothing(query):
    assert all(matches_query(query, each) for each in SYSTEMS.values())


def test_a_system_is_found_by_what_its_card_says():
    for system in SYSTEMS.values():
        for text in (system.title, system.title.upper(), system.source, system.key):
            assert matches_query(text, system), system.key
        for work in system.literature:
            assert matches_query(f"{work.year} {work.title}", system), system.key


def test_a_word_is_found_where_one_begins_only():
    assert not matches_query("annathan", SYSTEMS["random-decision-tree"])
    assert matches_query("jaganna", SYSTEMS["random-decision-tree"])


@pytest.mark.parametrize(
    ("asked", "keeps"),
    [
        ({"family": "synthetic data"}, lambda each: each.family == "synthetic data"),
        ({"practice": "known to leak"}, lambda each: bool(each.leaks)),
        ({"status": "proved"}, lambda each: systems.standing(each).status == "proved"),
        ({"paper": "beside"}, lambda each: not each.paper),
        ({"failures": True}, lambda each: bool(each.breaks or each.leaks)),
        (
            {"runnable": True, "paper": "003"},
            lambda each: each.key in PAPER_003 and systems.runs_here(each),
        ),
    ],
)
def test_every_filter_narrows(asked, keeps):
    kept = {each.key for each in systems.selected(**asked)}
    assert kept == {key for key, each in SYSTEMS.items() if keeps(each)}
    assert 0 < len(kept) < len(SYSTEMS)
