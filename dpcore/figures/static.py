"""Figures as PNG and SVG files, for reports: mean and band, against ε on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dpcore.figures.style import Look, look
from dpcore.words import as_set

if TYPE_CHECKING:
    import pandas as pd

DASHES = {
    "solid": "-",
    "dash": "--",
    "dot": ":",
    "dashdot": "-.",
    "longdash": (0, (8, 3)),
    "longdashdot": (0, (8, 3, 2, 3)),
}
FEW, DECADE = 6, 10.0
"""Up to so many values within two decades, the axis names the values themselves."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def panels(
    table: pd.DataFrame,
    *,
    value: str,
    ylabel: str,
    ylimits: tuple[float, float],
    titles: Mapping[str, str],
    path: Path,
    x: str = "epsilon",
    xlabel: str | Mapping[str, str] = "ε (requested total)",
    logarithmic: bool = True,
    looks: Mapping[str, Look] | None = None,
) -> list[Path]:
    """One panel per data set, one line and band per method."""
    import matplotlib
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(table["dataset"]))
    figure = Figure(figsize=(4.6 * len(names), 3.8), layout="constrained")
    axes = figure.subplots(1, len(names), squeeze=False)
    for axis, name in zip(axes[0], names, strict=True):
        panel = table[table["dataset"] == name]
        for place, method in enumerate(dict.fromkeys(panel["method"])):
            rows = panel[panel["method"] == method].sort_values(x)
            style = look(method) if looks is None else looks[method]
            axis.plot(
                rows[x],
                rows[value],
                color=style.colour,
                linestyle=DASHES.get(style.dash, "-"),
                marker=MARKERS[place % len(MARKERS)],
                markersize=4,
                label=titles[method],
            )
            axis.fill_between(
                rows[x],
                rows[f"{value}_low"],
                rows[f"{value}_high"],
                color=style.colour,
                alpha=0.15,
                linewidth=0,
            )
        axis.set(
            ylim=ylimits,
            title=name,
            xscale="log" if logarithmic else "linear",
            xlabel=xlabel if isinstance(xlabel, str) else xlabel[name],
        )
        places = sorted(set(panel[x]))
        if places and len(places) <= FEW and places[-1] < DECADE**2 * places[0]:
            axis.set_xticks(places, labels=[as_set(place) for place in places])
            axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel(ylabel)
    axes[0][0].legend(fontsize=8)
    files = [path.with_suffix(suffix) for suffix in (".png", ".svg")]
    # No date and a fixed salt for identifiers keep the files the same from run to run.
    with matplotlib.rc_context({"svg.hashsalt": path.name}):
        for file in files:
            metadata = {"Date": None} if file.suffix == ".svg" else {}
            figure.savefig(file, dpi=150, metadata=metadata)
    return files
