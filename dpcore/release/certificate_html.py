"""A certificate as one file of HTML: no script, nothing from elsewhere, every text escaped.

It begins with a plain summary, for people who are no experts. Numbers are rounded to the safe side:
bounds of what may be lost up, those of what an attack proved, and the noise, down. The YAML has
every digit.

A page is compared with one made anew (`dpcore.release.files`): words of rows that change here make
another form of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from dpcore.accounting.risk import gaussian_advantage, odds
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.release.documents import TIERS, leaves, pattern
from dpcore.words import as_set, at_least, at_most, spaced

TABLES: dict[str, dict[str, str]] = {
    "Proof, computed from the mechanism alone": {
        "proof.epsilon": "Proved ε",
        "proof.delta": "δ",
        "proof.adjacency": "Adjacency",
        "proof.neighbours": "Data sets that are compared",
        "proof.choice": "Choice among settings",
        "proof.mu": "μ of Gaussian differential privacy",
        "proof.profile.#.delta": "δ at ε = {}",
        "proof.sensitivity": "Sensitivity, in units",
        "proof.noise_multiplier": "Noise multiplier",
        "proof.noise": "Noise",
        "proof.accountant": "Accountant",
        "proof.by.#": "Theorem {}",
        "proof.keeps_the_budget": "Keeps the budget that was asked for",
    },
    "Attack on the same mechanism": {
        "facts.attack.lower_bound": "ε that the attack proved, at least",
        "facts.attack.mu_lower_bound": "μ that the attack proved, at least",
        "facts.attack.delta": "δ of this ε",
        "facts.attack.confidence": "Confidence",
        "facts.attack.runs": "Releases on either data set",
        "facts.attack.about": "How it was made",
    },
    "What stays unprotected": {"unprotected.#": "{}"},
    "What was asked for": {
        "facts.released": "Date of the release",
        "facts.budget.epsilon": "ε",
        "facts.budget.delta": "δ",
    },
    "Mechanism": {
        "facts.mechanism.adjacency": "Adjacency",
        "facts.mechanism.dimension": "Number of weights",
        "facts.mechanism.units": "Units in the clipping norm",
        "facts.mechanism.sigma": "Noise scale σ, in units",
        "facts.mechanism.steps": "Noisy sums",
    },
    "Training": {
        "facts.training.method": "Method",
        "facts.training.loss": "Loss",
        "facts.training.lam": "Regularisation λ",
        "facts.training.learning_rate": "Learning rate",
        "facts.training.records": "Number of records, or of persons",
        "facts.training.count_sums": "Sums that correct the risks",
        "facts.training.hidden": "Hidden units",
        "facts.training.seed": "Seed of the first weights, which are public",
        "facts.training.spread": "Spread of the first weights",
        "facts.training.first": "First weight of each hidden unit",
        "facts.training.features": "Features",
        "facts.choice.among": "Models tried",
        "facts.choice.factors.#": "Factor {} of λ that was tried here",
        "facts.training.score_sums": "Sums that score a try",
        "facts.person.rows": "Most rows of one person that count",
    },
    "Hashes of the model and its files": {
        "facts.hashes.model": "SHA-256 of what the model says",
        "facts.hashes.columns": "SHA-256 of the description of the columns",
        "facts.hashes.files.#.sha256": "SHA-256 of {}",
    },
    "Payment in the ledger": {
        "facts.ledger.data_set": "Data set",
        "facts.ledger.person_unit": "What one person is",
        "facts.ledger.actor": "Released by",
        "facts.ledger.entry": "Number of the entry",
        "facts.ledger.chain_head": "Chain head after it",
    },
    "Versions of the programs": {
        "facts.versions.dpcore": "dpcore",
        "facts.versions.python": "Python",
        "facts.versions.numpy": "NumPy",
        "facts.versions.scipy": "SciPy",
    },
    "Hash of the certificate": {"hash": "SHA-256"},
}
"""Each table's caption, and by their path the headings of its rows, in their order.

"#" is any number of a list, and "{}" what distinguishes one of the list.
"""
DEPLOYMENT = {
    "name": "Name",
    "data_curator": "Who answers for the data",
    "description": "Description",
    "intended_use": "Intended use",
    "data_product_type": "Kind of data product",
    "data_product_region": "Region of the people in the data",
    "data_product_sector": "Sector",
    "publication_date": "Date of publication",
    "dp_flavor.name": "Kind of differential privacy",
    "dp_flavor.data_domain": "Data that may come in",
    "dp_flavor.unprotected_quantities": "What stays unprotected",
    "privacy_loss.privacy_unit": "Privacy unit",
    "privacy_loss.privacy_unit_description": "What the privacy unit means",
    "privacy_loss.privacy_parameters.epsilon": "ε",
    "privacy_loss.privacy_parameters.delta": "δ",
    "privacy_loss.privacy_parameters_description": "More on ε and δ",
    "model.model_name": "Privacy model",
    "model.actors": "Who is trusted",
    "model.is_many_release": "Released several times",
    "model.is_dynamic": "Data change over time",
    "model.is_interactive": "Answers questions as they come",
    "accounting.post_processing": "Post-processing",
    "accounting.composition": "Composition",
    "implementation.pre_processing_eda_hyperparameter_tuning": (
        "Preparation, exploration and tuning"
    ),
    "implementation.mechanisms": "Mechanisms",
    "implementation.justification": "Why it holds",
}
"""The headings of the fields of OpenDP's registry (`dpcore.release.documents.TIERS`)."""


DOES, PROMISED, NOT_PROMISED = (
    "What the model does",
    "What is promised to one person",
    "What is not promised",
)
_GIVES = {
    "logistic": "It gives each person a risk.",
    "huber": "It gives a score, which is no risk.",
}
_EVERYONE = (
    "That holds for whoever sees every file of this release, even if they know all other people's "
    "data."
)
_NOT = (
    "The model may be wrong: how often it is was not measured here.",
    "Something may be learned about you without your data: what is true of many people may be true "
    "of you, too.",
    "What was published of the same people elsewhere is not covered.",
)
POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.7em;line-height:1.25}h2{font-size:1.15em;margin:1.4em 0 .2em}"
    ".plain p{font-size:1.1em;margin:.2em 0}"
    "table{border-collapse:collapse;width:100%}caption{text-align:left;font-weight:600;padding:1em "
    "0 .3em}th,td{text-align:left;vertical-align:top;border-top:1px solid #8888;padding:.3em .6em "
    ".3em 0;overflow-wrap:anywhere}th{font-weight:400;width:38%}"
    "@page{size:A4;margin:16mm}@media print{:root{color-scheme:light}body{margin:0;max-width:none}"
    "tr{break-inside:avoid}h2,caption{break-after:avoid}}"
)
ROUNDED = (
    "Numbers below are rounded to the safe side; certificate.yaml has every digit, and is what "
    "certificate check looks at."
)
DIGITS = 3
_UP = ("epsilon", "delta", "mu")
_DOWN = ("lower_bound", "mu_lower_bound", "confidence", "noise_multiplier")


def plain_summary(document: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Three headings, each with its sentences; the first are a person's own words."""
    facts, proof = document["facts"], document["proof"]
    budget = PrivacyBudget(proof["epsilon"], proof["delta"])
    noise = gaussian_advantage(proof["mu"])
    promise = odds(budget, Adjacency(proof["adjacency"]), noise)
    gives = _GIVES.get(facts["training"].get("loss"), "")
    return [
        (DOES, [_ended(facts["about"]["description"]), *filter(None, [gives])]),
        (PROMISED, [promise.sentence, _EVERYONE]),
        (NOT_PROMISED, list(_NOT)),
    ]


def _ended(text: str) -> str:
    return text if text[-1:] in ".!?" else f"{text}."


def html(document: Mapping[str, Any]) -> str:
    """A certificate's document as the text of one file; the YAML is what is checked."""
    root = Element("html", lang="en")
    head = SubElement(root, "head")
    SubElement(head, "meta", charset="utf-8")
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": POLICY})
    SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    title = f"Privacy certificate: {document['facts']['about']['name']}"
    SubElement(head, "title").text = title
    SubElement(head, "style").text = STYLE
    body = SubElement(SubElement(root, "body"), "main")
    SubElement(body, "h1").text = title
    for heading, sentences in plain_summary(document):
        section = SubElement(body, "section", {"class": "plain"})
        SubElement(section, "h2").text = heading
        for sentence in sentences:
            SubElement(section, "p").text = sentence
    SubElement(body, "h2").text = "For experts"
    SubElement(body, "p").text = document["claim"]
    SubElement(body, "p").text = ROUNDED
    _tables(body, document)
    return f"<!doctype html>\n{tostring(root, encoding='unicode', method='html')}\n"


def _tables(body: Element, document: Mapping[str, Any]) -> None:
    """Draw the tables, each row headed in words; its key in the YAML shows when it is pointed at.

    Facts and proof are there whole: what has no words follows under its key.
    """
    facts = {name: part for name, part in document["facts"].items() if name != "about"}
    left = leaves({name: document[name] for name in ("proof", "unprotected", "hash")})
    left |= leaves(facts, "facts.")
    for caption, words in TABLES.items():
        paths = [path for path in left if pattern(path) in words]
        paths.sort(key=lambda path: list(words).index(pattern(path)))
        headings = [words[pattern(path)].format(_which(path, left)) for path in paths]
        values = [left[path] for path in paths]
        _worded(body, caption, list(zip(paths, headings, values, strict=True)))
        for path in paths:
            del left[path]
            left.pop(_naming_path(path), None)
    _worded(body, "Further parts", [(path, path, value) for path, value in left.items()])
    deployment = leaves(document["registry"]["deployment"])
    for tier in (1, 2, 3):
        _worded(
            body,
            f"Registry of deployments, tier {tier}",
            [
                (f"registry.deployment.{name}", words, deployment[name])
                for name, words in DEPLOYMENT.items()
                if TIERS[name] == tier
            ],
        )


def _naming_path(path: str) -> str:
    """The path of the value that names a list's item: the ε of a δ, a hash's name; else ""."""
    within, _, name = path.rpartition(".")
    naming_field = {"delta": "epsilon", "sha256": "name"}.get(name, "")
    return f"{within}.{naming_field}" if naming_field and "#" in pattern(path) else ""


def _which(path: str, values: Mapping[str, Any]) -> str:
    """The name of a list's item: the value at its naming path, else its number from 1."""
    naming_path = _naming_path(path)
    if naming_path in values:
        return _rounded(naming_path.rpartition(".")[2], values[naming_path])
    last = path.rpartition(".")[2]
    return str(int(last) + 1) if last.isdigit() else last


def _worded(body: Element, caption: str, rows: Sequence[tuple[str, str, object]]) -> None:
    """Draw a table of paths, headings and values, unless there are none."""
    if not rows:
        return
    table = SubElement(body, "table")
    SubElement(table, "caption").text = caption
    for path, heading, value in rows:
        # What an attack proved at δ it proved at any smaller one.
        name = "lower_bound" if path == "facts.attack.delta" else path.rpartition(".")[2]
        row = SubElement(table, "tr")
        SubElement(row, "th", scope="row", title=path).text = heading
        SubElement(row, "td").text = _rounded(name, value)


def _rounded(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return spaced(value)
    if not isinstance(value, float):
        return str(value)
    if name in _UP:
        return at_most(value, DIGITS)
    return at_least(value, DIGITS) if name in _DOWN else as_set(value)
