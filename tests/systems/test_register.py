"""The register of systems: complete, well said, and found by what people type."""

from __future__ import annotations

import re

import pytest

from dpcore import methods, systems
from dpcore.accounting.presets import PRESETS
from dpcore.errors import InvalidInput
from dpcore.models.register import register as models
from dpcore.systems import Family, Place, Relation
from dpcore.systems.literature import WORKS
from dpcore.systems.search import matches_query
from dpcore.systems.trainings import TRAININGS

SYSTEMS = systems.register()
WRITTEN = [system.key for system in systems.written()]
"""The others are added for a method or a model by itself, and say less."""

# The survey's references that are systems or results of its own subject, by section.
TOLD = {
    "II-A": {14, 17, 19, 22},
    "III-A-1": {*range(26, 35), 36},
    "III-A-2": {23, 28, *range(37, 43), *range(44, 48)},
    "III-A-3": {48, 51, 52},
    "III-B-1": {18, *range(53, 61)},
    "III-B-2": {61, 62},
    "III-C": {*range(64, 72)},
    "IV-A-1": {72, 73, 82},
    "IV-A-2": {74, 81, 83, 84, 86},
    "IV-A-3": {75},
    "IV-A-4": {*range(76, 81), 88, 89},
    "IV-B-1": {91},
    "IV-B-2": {93},
    "IV-B-3": {94},
}
OWN = {
    "000": {"opera", "grpua", "grpua-network", "outpert", "sgdpert", "analytic-gaussian"},
    "002": {
        "input-perturbation",
        "input-perturbation-local",
        "objective-gaussian",
        "output-laplace",
    },
    "003": {"adaptive-tcdp", "tcdp-amplification", "dpsgd-003"},
    "004": {"optimised-noise", "gaussian-004"},
}


@pytest.mark.parametrize("section", TOLD)
def test_every_system_of_the_survey_is_there(section):
    here = [each for each in SYSTEMS.values() if (each.paper, each.section) == ("001", section)]
    assert {number for each in here for number in each.references} == TOLD[section]


def test_the_survey_has_no_other_sections():
    assert {each.section for each in SYSTEMS.values() if each.paper == "001"} == set(TOLD)


@pytest.mark.parametrize("paper", OWN)
def test_each_papers_own_algorithms_and_baselines_are_there(paper):
    assert {key for key, each in SYSTEMS.items() if each.paper == paper} == OWN[paper]


def test_no_key_is_taken_twice():
    assert len(WRITTEN) == len(set(WRITTEN))
    assert set(WRITTEN) <= set(SYSTEMS)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", key) for key in SYSTEMS)


def test_every_method_that_adds_noise_belongs_to_a_system():
    for key in methods.register():
        result = systems.runs_of(Place.EXPLORE, key)
        assert bool(result) == (key != "nonprivate"), key


def test_every_model_belongs_to_a_system():
    for key in models():
        assert systems.runs_of(Place.ATLAS, key), key


def test_a_system_is_said_in_sentences():
    for system in SYSTEMS.values():
        assert system.title, system.key
        assert system.source, system.key
        assert system.family in set(Family), system.key
        assert bool(system.section) == bool(system.paper), system.key
        for text in (system.what, *system.breaks, *system.leaks):
            assert text.endswith("."), system.key
        for note in (*(run.note for run in system.runs), *(each.note for each in system.software)):
            assert not note or note.endswith("."), system.key
        assert len(system.what) < 160, system.key


def test_a_system_is_said_in_short_sentences():
    for system in SYSTEMS.values():
        because = system.verdict.because if system.verdict else ""
        for text in (system.what, system.claim, because, *system.breaks, *system.leaks):
            for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", text):
                words = re.findall(r"[^\W_]+(?:['.-][^\W_]+)*", sentence)
                assert len(words) <= 20, (system.key, sentence)


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


def test_a_system_has_the_title_year_and_link_of_where_it_is_printed():
    for system in (SYSTEMS[key] for key in WRITTEN):
        assert system.literature, system.key
        years = {int(year) for year in re.findall(r"\b(?:19|20)\d\d\b", system.source)}
        printed = {work.year for work in system.literature}
        # Where authors are named with years, these are the years of the links.
        assert years in (set(), printed), system.key
        if not years:
            assert system.literature == (WORKS[system.paper],), system.key


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


@pytest.mark.slow("trains models")
def test_the_main_claims_of_the_papers_come_first():
    main = [each for each in SYSTEMS.values() if each.is_main]
    assert {each.paper for each in main} == {"000", "002", "003", "004"}
    assert all(each.literature == (WORKS[each.paper],) for each in main)
    assert list(systems.selected())[: len(main)] == main
    assert set(systems.selected()) == set(SYSTEMS.values())


def test_an_unknown_system_is_refused():
    with pytest.raises(InvalidInput, match="system is 'magic', but it must be one of opera"):
        systems.system_named("magic")


K_MEANS = {"smooth-k-means", "k-means", "grid-k-means", "compressive-k-means"}
PAPER_003 = {"adaptive-tcdp", "tcdp-amplification", "dpsgd-003"}
DP_SGD = {"noisy-sgd", "dpsgd-003"}
ABADI = {"noisy-sgd", "dpsgd-003", "gaussian-004"}
BAYES = {"naive-bayes", "naive-bayes-sources"}

FOUND: list[tuple[set[str], list[str]]] = [
    (PAPER_003, ["paper 003", "Paper 003", "paper003", "paper 3", "003 paper"]),
    (K_MEANS, ["kmeans", "k means", "k-means", "K-Means", "k‑means", "means k", "KMEANS"]),
    ({"dpsgd-003", "gaussian-004", "noisy-sgd", "pate"}, ["Abadi"]),
    (ABADI, ["abadi 2016", "2016 Abadi", "Abadi, 2016", "(Abadi et al. 2016)"]),
    (DP_SGD, ["dp-sgd", "dpsgd", "Dp-Sgd"]),
    ({"dp-ftrl", "dpsgd-003", "noisy-sgd"}, ["DP SGD"]),
    (BAYES, ["naive bayes", "naïve Bayes", "naivebayes"]),
    ({"naive-bayes"}, ["bayes naive vaidya"]),
    ({"scattering-linear"}, ["tramer", "Tramèr", "Boneh Tramer 2021"]),
    ({"functional-distributed"}, ["Cortes"]),
    ({"loss-distributions"}, ["renyi"]),
    ({"dp-ftrl", "opera", "outpert"}, ["opera"]),
    ({"grpua", "grpua-network", "sgdpert"}, ["GRPUA"]),
    ({"pate-gan"}, ["pate-gan", "pategan"]),
    ({"dp-ctgan", "pate-gan"}, ["GAN pate"]),
    ({"ganobfuscator"}, ["ganobf"]),
    ({"rana-forest", "smooth-forest"}, ["random forests"]),
    ({"smooth-forest"}, ["decision tree fletcher"]),
    (
        {"input-perturbation", "input-perturbation-local"},
        ["input perturbation", "input-perturbation fukuchi"],
    ),
    (set(), ["theorem functional mechanism logistic", "qwertz", "abadi qwertz"]),
    ({"functional-logistic"}, ["functional mechanism logistic"]),
    ({"optimised-noise"}, ["optimized additive noise", "optimised additive noise"]),
    ({"adassp"}, ["adassp", "ada ssp"]),
    ({"bolt-on"}, ["bolt on", "bolton"]),
    ({"adaptive-tcdp"}, ["medical data"]),
    ({"adaptive-tcdp", "tcdp-amplification"}, ["tcdp"]),
    ({"huber-svm"}, ["svm huber"]),
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


def test_a_long_query_takes_no_time():
    assert not matches_query(" ".join("a" for _ in range(40)) + " 9z", SYSTEMS["noisy-sgd"])


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
