"""A certificate as one file of HTML: no script, nothing from elsewhere, every text escaped.

It begins in plain words. Numbers are rounded to the safe side: bounds of what may be lost up, those
of what an attack proved, and the noise, down. The YAML has every digit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from dpcore.release.certificate_words import DEPLOYMENT, TABLES
from dpcore.release.plain_summary import plain_summary
from dpcore.release.registry import TIERS, leaves, pattern
from dpcore.words import as_set, at_least, at_most, spaced

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
