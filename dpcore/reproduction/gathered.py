"""All that was reproduced in a folder, as one file of HTML: verdicts, evidence and pictures."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from dpcore.figures import html_file
from dpcore.figures.html_file import text
from dpcore.reproduction.report import NOT_SUPPORTED, PARTLY, SUPPORTED, UNCHECKED, papers, stem
from dpcore.systems.literature import WORKS

TITLE = "The papers' figures and tables, run again"
NOT_RUN = "Not run here: "
COLOURS = {SUPPORTED: "#00603a", PARTLY: "#8a5a00", NOT_SUPPORTED: "#a3001a", UNCHECKED: "#46505a"}
STYLE = """
:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #0e141b; font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 56rem; margin: 0 auto; padding: 1.5rem; }
h2 { margin: 2em 0 .2em; border-bottom: 1px solid #56616d; }
h3 { margin: 1.2em 0 .2em; }
p { margin: .2em 0; overflow-wrap: anywhere; }
.verdict { font-weight: 600; }
.aside { color: #46505a; }
img { display: block; max-width: 100%; height: auto; margin: .6em 0; }
@media print { h2, h3, .verdict { break-after: avoid; } img { break-inside: avoid; } }
"""


def html(folder: Path) -> str:
    """What lies in a folder of `reproduce`, and what was not run there."""
    root, main = html_file.begin(TITLE, STYLE)
    text(main, "h1", TITLE)
    for paper in papers().values():
        text(main, "h2", paper.title)
        work = WORKS[paper.key.removeprefix("paper-")]
        text(main, "p", f"{work.title}, {work.year}", "aside")
        text(SubElement(main, "p"), "a", work.link_name, href=work.link)
        for kind, experiments in (("figure", paper.figures), ("table", paper.tables)):
            for number in sorted(experiments):
                text(main, "h3", f"{kind.capitalize()} {number}")
                answer = folder / f"{stem(paper.key, kind, number)}.json"
                if answer.exists():
                    _told(main, json.loads(answer.read_text("utf-8")), folder)
                else:
                    order = f"python -m dpcore reproduce {paper.key} --{kind} {number}"
                    text(main, "p", f"{NOT_RUN}{order} --output {folder.name}", "aside")
    return html_file.write(root)


def _told(place: Element, answer: Mapping[str, Any], folder: Path) -> None:
    for each in answer["verdicts"]:
        line = text(place, "p", "")
        text(line, "span", each["verdict"], "verdict", style=f"color:{COLOURS[each['verdict']]}")
        text(line, "span", f" {each['claim']}")
        text(place, "p", each["seen"])
    for name in ("datasets", "missing", "differs"):
        if answer[name]:
            words = {"datasets": "Run on", "missing": "Not at hand"}.get(name, "Differs")
            text(place, "p", f"{words}: {' '.join(answer[name])}", "aside")
    claims = " ".join(each["claim"] for each in answer["verdicts"])
    for name in answer["files"]:
        picture = folder / Path(name).name
        if picture.suffix == ".png" and picture.exists():
            data = base64.b64encode(picture.read_bytes()).decode()
            SubElement(place, "img", src=f"data:image/png;base64,{data}", alt=claims)
