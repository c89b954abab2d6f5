"""The systems of the literature by family and status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import pandas as pd

from dpcore.figures.canvas import canvas
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import BLUE, GREEN, NEUTRAL, ORANGE, PURPLE, SKY, VERMILLION
from dpcore.systems import Family, System, describe, standing
from dpcore.words import listed

ROW, MIN, FEW = 30, 240, 10
# Colour on a light ground, colour on a dark one, and the filling that tells it apart without.
LOOKS = {
    "proved as printed": (GREEN, GREEN, ""),
    "proved (our corrected version)": (PURPLE, PURPLE, "\\"),
    "conditions not met": (BLUE, SKY, "/"),
    "promises too much": (VERMILLION, ORANGE, "x"),
    "described only": (NEUTRAL, NEUTRAL, "."),
}


def families(systems: Iterable[System], *, dark: bool = False) -> Drawn:
    """One bar a family, one piece a status."""
    counts = Counter((str(system.family), standing(system).label) for system in systems)
    names = [str(family) for family in Family if family in {name for name, _ in counts}]
    figure = canvas(
        # On a narrow screen the legend takes four lines, and half of the height at most.
        max(MIN, 96 + ROW * len(names)),
        dark,
        keeps_zoom=False,
        barmode="stack",
        bargap=0.3,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "traceorder": "normal"},
        dragmode=False,
    )
    for status, (light, on_dark, filling) in LOOKS.items():
        colour = on_dark if dark else light
        figure.add_bar(
            y=names,
            x=[counts[name, status] for name in names],
            name=status,
            orientation="h",
            marker={
                "color": colour,
                "line": {"color": colour, "width": 1},
                "pattern": {"shape": filling, "fillmode": "replace", "solidity": 0.5},
            },
            hovertemplate=f"%{{y}}<br>{status}: %{{x}}<extra></extra>",
        )
    most = max(sum(counts[name, status] for status in LOOKS) for name in names)
    figure.update_xaxes(
        range=[0, 1.05 * most],
        dtick=1 if most < FEW else None,
        title={"text": "systems"},
        fixedrange=True,
        rangemode="tozero",
    )
    figure.update_yaxes(
        autorange="reversed",
        automargin=True,
        type="category",
        fixedrange=True,
    )
    sentence = _sentence({s: sum(counts[name, s] for name in names) for s in LOOKS})
    return Drawn(figure, sentence, f"Systems by family and status, as bars. {sentence}")


def _sentence(counts: Mapping[str, int]) -> str:
    """What is counted of each status, in the order of `LOOKS`."""
    total, described = sum(counts.values()), counts["described only"]
    judged = [
        f"{count} “{status}”"
        for status, count in counts.items()
        if status != "described only" and count
    ]
    if total == 1:
        return f"One system: “{next(status for status in counts if counts[status])}”."
    if not judged:
        return f"Described only, all {total}: nothing of them is checked or run here."
    if not described:
        return f"All {total} were checked or run here: {listed(judged)}."
    return (
        f"{described} of {total} are described only, the others checked or run here. "
        f"These are {listed(judged)}."
    )


def everything(systems: Iterable[System]) -> pd.DataFrame:
    """One row per system, for the table and its CSV."""
    rows = [
        {
            "verdict": entry["verdict"],
            "status": entry["status"],
            "what the status is about": entry["status_of"],
            "status of our corrected version": entry["sound_form"],
            "implementations": entry["implementations"],
            "title": entry["title"],
            "authors": entry["source"],
            "printed in": "; ".join(f"{work['title']} ({work['year']})" for work in entry["works"]),
            "links": " ".join(work["link"] for work in entry["works"]),
            "paper": entry["paper"],
            "section": entry["section"],
            "its numbers in the paper's references": " ".join(map(str, entry["references"])),
            "kind": entry["family"],
            "what it does": entry["what"],
            "claim": entry["claim"],
            "proof": entry["proof"],
            "known failures": " ".join(entry["breaks"]),
            "leaks of implementations": " ".join(entry["leaks"]),
            "software": "; ".join(package["name"] for package in entry["software"]),
            "runs here": "; ".join(f"{run['place']}: {run['key']}" for run in entry["runs"]),
            "key": entry["system"],
        }
        for entry in describe(systems)
    ]
    return pd.DataFrame(rows)
