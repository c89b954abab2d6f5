"""A certificate as one file of HTML: no script, nothing from elsewhere, every text escaped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from dpcore.release.registry import TIERS, leaves

POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}caption{text-align:left;font-weight:600;padding:1em "
    "0 .3em}th,td{text-align:left;vertical-align:top;border-top:1px solid #bbb;padding:.3em .6em "
    ".3em 0;overflow-wrap:anywhere}th{font-weight:400;width:38%}@page{size:A4;margin:16mm}"
)


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
    SubElement(body, "p").text = document["claim"]
    for caption, part in (
        ("Proof, computed from the mechanism alone", document["proof"]),
        ("Attack on the same mechanism", document["facts"]["attack"]),
        ("What stays unprotected", {"": list(document["unprotected"])}),
        ("Facts", {k: v for k, v in document["facts"].items() if k not in ("attack", "about")}),
        ("Hash of the certificate", {"SHA-256": document["hash"]}),
    ):
        _table(body, caption, leaves(part))
    deployment = leaves(document["registry"]["deployment"])
    for tier in (1, 2, 3):
        _table(
            body,
            f"Registry of deployments, tier {tier}",
            {name: value for name, value in deployment.items() if TIERS[name] == tier},
        )
    return f"<!doctype html>\n{tostring(root, encoding='unicode', method='html')}\n"


def _table(body: Element, caption: str, rows: dict[str, Any]) -> None:
    table = SubElement(body, "table")
    SubElement(table, "caption").text = caption
    for name, value in rows.items():
        row = SubElement(table, "tr")
        SubElement(row, "th", scope="row").text = name.replace("_", " ").replace(".", " · ")
        SubElement(row, "td").text = str(value)
