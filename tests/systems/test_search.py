"""The search finds what people type, and nothing that only looks like it."""

from __future__ import annotations

import pytest

from dpcore import systems
from dpcore.systems.search import matches_query

SYSTEMS = systems.register()
K_MEANS = {"smooth-k-means", "k-means", "grid-k-means", "compressive-k-means"}
PAPER_003 = {"adaptive-tcdp", "tcdp-amplification", "dpsgd-003"}
DP_SGD = {"noisy-sgd", "dpsgd-003"}
ABADI = {"noisy-sgd", "dpsgd-003", "gaussian-004"}
BAYES = {"naive-bayes", "naive-bayes-sources"}

FINDS = {
    "paper 003": PAPER_003,
    "Paper 003": PAPER_003,
    "paper003": PAPER_003,
    "paper 3": PAPER_003,
    "003 paper": PAPER_003,
    "kmeans": K_MEANS,
    "k means": K_MEANS,
    "k-means": K_MEANS,
    "K-Means": K_MEANS,
    "k‑means": K_MEANS,
    "means k": K_MEANS,
    "KMEANS": K_MEANS,
    "Abadi": ABADI | {"pate"},
    "abadi 2016": ABADI,
    "2016 Abadi": ABADI,
    "Abadi, 2016": ABADI,
    "(Abadi et al. 2016)": ABADI,
    "dp-sgd": DP_SGD,
    "dpsgd": DP_SGD,
    "DP SGD": {*DP_SGD, "dp-ftrl"},
    "Dp-Sgd": DP_SGD,
    "naive bayes": BAYES,
    "naïve Bayes": BAYES,
    "naivebayes": BAYES,
    "bayes naive vaidya": {"naive-bayes"},
    "tramer": {"scattering-linear"},
    "Tramèr": {"scattering-linear"},
    "Boneh Tramer 2021": {"scattering-linear"},
    "Cortes": {"functional-distributed"},
    "renyi": {"loss-distributions"},
    "opera": {"opera", "outpert", "dp-ftrl"},
    "GRPUA": {"grpua", "grpua-network", "sgdpert"},
    "pate-gan": {"pate-gan"},
    "pategan": {"pate-gan"},
    "GAN pate": {"pate-gan", "dp-ctgan"},
    "ganobf": {"ganobfuscator"},
    "random forests": {"rana-forest", "smooth-forest"},
    "decision tree fletcher": {"smooth-forest"},
    "input perturbation": {"input-perturbation", "input-perturbation-local"},
    "input-perturbation fukuchi": {"input-perturbation", "input-perturbation-local"},
    "theorem functional mechanism logistic": set(),
    "functional mechanism logistic": {"functional-logistic"},
    "optimized additive noise": {"optimised-noise"},
    "optimised additive noise": {"optimised-noise"},
    "adassp": {"adassp"},
    "ada ssp": {"adassp"},
    "bolt on": {"bolt-on"},
    "bolton": {"bolt-on"},
    "medical data": {"adaptive-tcdp"},
    "tcdp": {"adaptive-tcdp", "tcdp-amplification"},
    "svm huber": {"huber-svm"},
    "qwertz": set(),
    "abadi qwertz": set(),
}


@pytest.mark.parametrize("query", FINDS)
def test_what_people_type_is_matches_query(query: str) -> None:
    matches = {each.key for each in systems.selected(search=query)}
    assert matches == FINDS[query]


@pytest.mark.parametrize("query", ["", "   ", "-", "…", "()"])
def test_nothing_typed_narrows_nothing(query: str) -> None:
    assert all(matches_query(query, each) for each in SYSTEMS.values())


def test_a_system_is_found_by_what_its_card_says() -> None:
    for system in SYSTEMS.values():
        for text in (system.title, system.title.upper(), system.source, system.key):
            assert matches_query(text, system), system.key
        for work in system.literature:
            assert matches_query(f"{work.year} {work.title}", system), system.key


def test_a_word_is_found_where_one_begins_only() -> None:
    assert not matches_query("annathan", SYSTEMS["random-decision-tree"])
    assert matches_query("jaganna", SYSTEMS["random-decision-tree"])


def test_a_long_query_takes_no_time() -> None:
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
def test_every_filter_narrows(asked, keeps) -> None:
    kept = {each.key for each in systems.selected(**asked)}
    assert kept == {key for key, each in SYSTEMS.items() if keeps(each)}
    assert 0 < len(kept) < len(SYSTEMS)
