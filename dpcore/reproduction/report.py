"""Shared parts of every paper's module: verdicts, orders, and the files of tables and figures."""

from __future__ import annotations

import importlib
import json
import math
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dpcore.reproduction as package
from dpcore.errors import InvalidInput, one_of, reject, whole
from dpcore.figures.style import Look, look
from dpcore.progress import Progress, silent
from dpcore.words import as_set, plain

if TYPE_CHECKING:
    import pandas as pd


SUPPORTED, PARTLY, NOT_SUPPORTED = "supported", "partly supported", "not supported"
UNCHECKED = "could not be checked"


@dataclass(frozen=True)
class Conclusion:
    """One conclusion of a paper against the evidence."""

    claim: str
    # `SUPPORTED`, `PARTLY`, `NOT_SUPPORTED` or `UNCHECKED`
    verdict: str
    # the figures behind the verdict, or why there are none
    seen: str


@dataclass(frozen=True)
class ExperimentOrder:
    """The experiment ordered; ``None`` stands for the paper's own setting, or for the usual one."""

    # stem of every file, "paper-003-figure-2"
    name: str
    # folder, made by `open`
    output: str
    datasets: tuple[str, ...] | None
    runs: int | None
    epochs: int | None
    progress: Progress

    def open(self, ending: str = "") -> Path:
        """The folder, made if missing; the path in it of a file by its ending."""
        folder = Path(self.output)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise reject(
                "output", self.output, f"a folder that can be made ({error.strerror})"
            ) from None
        return folder / f"{self.name}{ending}"

    def save(self, table: pd.DataFrame, ending: str = "") -> Path:
        path = self.open(f"{ending}.csv")
        table.to_csv(path, index=False)
        return path

    def wanted(
        self, own: Sequence[str], availability: Callable[[str], str], stand_in: str | None = None
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Data sets to use, and those that are not at hand; the work is refused where none is."""
        requested = tuple(own) if self.datasets is None else tuple(dict.fromkeys(self.datasets))
        if not requested:
            raise InvalidInput("datasets is empty, but at least one data set must be named.")
        at_hand = tuple(key for key in requested if availability(key) in ("local", "built in"))
        missing = tuple(key for key in requested if key not in at_hand)
        if at_hand:
            return at_hand, missing
        if stand_in is not None and self.datasets is None:
            return (stand_in,), missing
        raise InvalidInput(
            f"datasets is {', '.join(requested)}, but none of them is at hand: load them on a page "
            "once, or set DPCORE_DATA to a folder that holds them."
        )

    def at_most(self, epochs: int) -> int:
        """The paper's number of epochs, or the fewer that are ordered."""
        return epochs if self.epochs is None else min(epochs, self.epochs)

    def part(self, number: int, parts: int, title: str) -> Progress:
        """The progress of one of several equal parts."""

        def report(fraction: float, message: str) -> None:
            self.progress((number + fraction) / parts, f"{title}: {message}")

        return report


@dataclass(frozen=True)
class Result:
    verdicts: Sequence[Conclusion]
    files: Sequence[Path] = ()
    datasets: Sequence[str] = ()
    # data sets not at hand
    missing: Sequence[str] = ()
    # differences from the paper, a sentence each
    differs: Sequence[str] = ()


Experiment = Callable[[ExperimentOrder], Result]


@dataclass(frozen=True)
class Paper:
    """A paper and its experiments that can be run again."""

    key: str
    title: str
    figures: Mapping[int, Experiment]
    tables: Mapping[int, Experiment]


@cache
def papers() -> dict[str, Paper]:
    result = {}
    for module in pkgutil.iter_modules(package.__path__):
        if module.name.startswith("paper_"):
            paper: Paper = importlib.import_module(f"{package.__name__}.{module.name}").PAPER
            result[paper.key] = paper
    return dict(sorted(result.items()))


def reproduce(
    paper: str,
    *,
    figure: int | None = None,
    table: int | None = None,
    output: str,
    datasets: tuple[str, ...] | None = None,
    runs: int | None = None,
    epochs: int | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Run one figure or table (exactly one) of a paper again and judge its conclusions from it."""
    chosen = papers()[one_of("paper", paper, tuple(papers()))]
    requests = ("figure", figure, chosen.figures), ("table", table, chosen.tables)
    given = [(kind, number, every) for kind, number, every in requests if number is not None]
    if len(given) != 1:
        raise InvalidInput("figure and table: exactly one of them must be given.")
    ((kind, number, experiments),) = given
    if number not in experiments:
        raise reject(kind, number, _listed(experiments))
    order = ExperimentOrder(
        name=stem(paper, kind, number),
        output=output,
        datasets=datasets,
        runs=None if runs is None else whole("runs", runs, at_least=1, at_most=1_000),
        epochs=None if epochs is None else whole("epochs", epochs, at_least=1),
        progress=progress,
    )
    result = experiments[number](order)
    report = order.open(".json")
    answer: dict[str, Any] = {
        "what": order.name,
        "datasets": list(result.datasets),
        "missing": list(result.missing),
        "differs": list(result.differs),
        "verdicts": [asdict(verdict) for verdict in result.verdicts],
        "files": [str(path) for path in (*result.files, report)],
    }
    report.write_text(json.dumps(answer, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    progress(1.0, "done")
    return answer


def stem(paper: str, kind: str, number: int) -> str:
    """What the files of a figure or table are called, but for their endings."""
    return f"{paper}-{kind}-{number}"


def unchecked(claim: str, why: str) -> Experiment:
    """The experiment of a figure or table that can't be run again."""
    return lambda order: Result([Conclusion(claim, UNCHECKED, why)])


def supported(wholly: bool, partly: bool = False) -> str:
    """The verdict on what holds as a whole, or in part."""
    return SUPPORTED if wholly else PARTLY if partly else NOT_SUPPORTED


def by_most(outcomes: Sequence[bool]) -> str:
    """The verdict on what holds in all places, or at least in half of them."""
    return supported(all(outcomes), 2 * sum(outcomes) >= len(outcomes))


def ordering(
    claim: str,
    places: Sequence[tuple[str, float, float] | tuple[str, float, float, float]],
    *,
    better: str,
    worse: str,
    what: str,
    higher: bool = True,
    shown: Sequence[str] | None = None,
) -> Conclusion:
    """Whether one method beats another everywhere; a tie, or less than the margin, is no win."""
    sign = 1.0 if higher else -1.0
    wins = [sign * (a - b) > (margin[0] if margin else 0.0) for _, a, b, *margin in places]
    evidence = "; ".join(
        f"{place}: {better} {plain(a, 4)}, {worse} {plain(b, 4)}"
        for place, a, b, *_ in places
        if shown is None or place in shown
    )
    observation = f"In {sum(wins)} of {len(places)} places ({what}). {evidence}."
    return Conclusion(claim, by_most(wins), observation)


def on_stand_in(verdict: Conclusion, own: str, used: str) -> Conclusion:
    """The conclusion on other data than the paper's, which can't settle whether it is right."""
    evidence = (
        f"{own} is not what was used, and {used} only stands in for it. There: {verdict.seen}"
    )
    return Conclusion(verdict.claim, UNCHECKED, evidence)


def rounded(value: float | None, without: str) -> str:
    """A number to three digits, or the word where there is none."""
    return without if value is None or math.isnan(value) else plain(value)


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table, each by its columns' names."""
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _listed(numbers: Mapping[int, object]) -> str:
    *first, last = map(str, sorted(numbers))
    return f"{', '.join(first)} or {last}" if first else last


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
