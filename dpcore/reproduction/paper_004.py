"""Paper 004 (Xiang et al.), section V: its figures and tables, and a verdict on each conclusion.

The paper compares noise at the printed ε. Here that comparison stands beside one at the same
certified ε. Solved exactly, the paper's equation (11) is isotropic noise, which leaves nothing to
compare. Read as Δ_i = α/√d it is uneven, steered by the gradient of all private records, and no ε
is certified. With the weights of public examples instead an ε is certified, and the result of
isotropic noise at that ε stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dpcore.datasets import images
from dpcore.deep.config import TrainingConfig
from dpcore.errors import InvalidInput
from dpcore.evaluation.effects import EFFECTS
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.task import begin
from dpcore.figures.style import BLUE, GREEN, NEUTRAL, PURPLE, SKY, VERMILLION, Look
from dpcore.guarantee import SAME_FIGURE
from dpcore.reproduction import sensitivity_004
from dpcore.reproduction.report import (
    NOT_SUPPORTED,
    UNCHECKED,
    Conclusion,
    ExperimentOrder,
    Paper,
    Result,
    by_most,
    ordering,
    panels,
    records,
    rounded,
    supported,
    unchecked,
)
from dpcore.reproduction.trainings import (
    OWN,
    Labelled,
    against,
    digit_sets,
    on_each,
    trained,
    without_privacy,
)
from dpcore.words import as_set, plain, spaced

if TYPE_CHECKING:
    import pandas as pd

RUNS = 3
EPOCHS, LOT, CLIP, UNITS, DELTA = 30, 1_000, 4.0, 128, 1e-5
"""Table II for MNIST; δ and the epochs are those of section V-C."""

SMALL_LOT = 64
"""Lot size where there are too few records for the paper's lots."""

PUBLIC = 500
"""Number of records set aside as public for the variant whose privacy can be certified."""

TITLES = {
    "isotropic": "isotropic, certified at the printed ε",
    "published": "optimized, as printed (private w)",
    "exact": "optimized, solved exactly (isotropic)",
    "public": "optimized, public w",
    "matched": "isotropic at the ε certified for public w",
    "scaled": "scaled clipping and noise, certified",
    "nonprivate": "without privacy",
}
LOOKS = {
    "isotropic": Look(VERMILLION, VERMILLION, "dash", "square"),
    "published": Look(BLUE, BLUE, "solid", "circle"),
    "exact": Look(SKY, SKY, "dot", "circle"),
    "public": Look(PURPLE, PURPLE, "longdash", "triangle-up"),
    "matched": Look("#5B6672", "#9AA7B4", "longdashdot", "x"),
    "scaled": Look(GREEN, GREEN, "dashdot", "diamond"),
    "nonprivate": Look(NEUTRAL, NEUTRAL, "dot", "star"),
}

SHIFTED = LOOKS["published"], LOOKS["isotropic"], LOOKS["scaled"]
"""Of the weights drawn in figure 2."""

LEVELS = (0.05, 0.3, 1.0)
PRINTED_ACCURACY = {0.05: 0.8519, 0.3: 0.8855, 1.0: 0.9469}
GRID_EPSILONS, GRID_DELTAS = (0.01, 0.05, 0.3, 1.2), (1e-5, 1e-2)
SIZES = {
    "batch": (500, 1_000, 1_500, 2_000, 2_500),
    "units": (32, 64, 128, 256, 512),
    "clip": (1.0, 2.0, 4.0, 8.0),
}
"""Figure 5's axes: the lots are named in V-D, the others are around the defaults."""

STRUCTURE_EPSILON = 0.3
CLOSE, CLEAR, SUBSTANTIAL = 0.02, 0.01, 0.05
"""Differences of accuracy: similar up to the first; clear and substantial from the others on."""

WINS = f"a win is by more than {CLEAR:.0%} and than the spread of the runs"

NETWORKS = 20
MOSTLY = 0.9
"""Networks trained for figure 2, and the share of pairs that counts as predicted."""

ONE_CLASS = "in paper 004 each record has one class"
LAST_LAYERS = (
    "The pre-trained network, of which only the last layers are trained privately, and the "
    "learning rate are not in print."
)
NOT_IN_PRINT = "The learning rate, the sizes of the layers and λ are not in print."


# Studies


def learning_rate(epsilon: float) -> float:
    """Learning rate for every noise: the paper names none, and more noise needs smaller steps."""
    return min(0.25, 0.25 * math.sqrt(epsilon))


def setting(
    dataset: str, epsilon: float, order: ExperimentOrder, delta: float = DELTA
) -> TrainingStudy:
    """Isotropic noise, certified at ε, with the paper's settings where there are enough records."""
    few = images.load(dataset).records < 10 * LOT
    config = TrainingConfig(
        network="perceptron",
        widths=(UNITS,),
        epochs=order.at_most(EPOCHS),
        batch=SMALL_LOT if few else LOT,
        learning_rate=learning_rate(epsilon),
        clip=CLIP,
        delta=delta,
    )
    return TrainingStudy(dataset, config=config, epsilon=epsilon, runs=order.runs or RUNS)


def readings(study: TrainingStudy, count: int) -> dict[str, TrainingStudy]:
    """Isotropic noise, and the optimized noise for the same printed ε.

    "published" is uneven, steered by all private records' gradient, computed once an epoch; "exact"
    is equation (11) without further assumptions: isotropic noise of the paper's σ.
    """
    printed = replace(study.config, noise="published-004")
    private = replace(printed, weights="private", refresh=study.config.steps_an_epoch(count))
    return {
        "isotropic": study,
        "published": replace(study, config=private),
        "exact": replace(study, config=replace(printed, reading="exact")),
    }


def with_public_weights(study: TrainingStudy, count: int) -> tuple[TrainingStudy, TrainingStudy]:
    """Uneven noise steered by public examples, and isotropic noise of the same certified ε."""
    config = replace(study.config, noise="published-004", weights="public", refresh=0)
    uneven = replace(study, config=config, public=min(PUBLIC, count // 3))
    trainer = begin([uneven])
    least = min(1.0, trainer.min_noise_ratio(0)) * trainer.configs[0].sigma
    matched = replace(uneven, config=replace(study.config, sigma=least), epsilon=None)
    return uneven, matched


# Figure 2


def figure_2(order: ExperimentOrder) -> Result:
    """The cost of a network for x₁ AND x₂ when its weights are shifted."""
    if order.epochs is not None or order.datasets is not None:
        raise InvalidInput(
            "epochs or datasets is given, but figure 2 trains on x₁ AND x₂ for 150 epochs."
        )
    order.open()
    single, pairs, lines = sensitivity_004.surfaces(order.runs or NETWORKS, order.progress)
    files = [order.save(single), order.save(pairs, "-surfaces"), order.save(lines, "-lines")]
    curves = lines.assign(dataset="x₁ AND x₂", method=lines["weight"])
    low, high = float(lines["change_low"].min()), float(lines["change_high"].max())
    room = 0.05 * (high - low)
    files += panels(
        curves,
        value="change",
        ylabel="change of the cost",
        ylimits=(low - room, high + room),
        titles={name: f"{name} alone" for name in sensitivity_004.DRAWN},
        path=order.open(),
        x="shift",
        xlabel="shift of the weight",
        logarithmic=False,
        looks=dict(zip(sensitivity_004.DRAWN, SHIFTED, strict=True)),
    )
    differs = [
        f"{order.runs or NETWORKS} networks from starting weights of their own; the paper shows "
        "one, whose weights are not in print.",
        f"Learning rate {as_set(sensitivity_004.LEARNING_RATE)} and batches of "
        f"{sensitivity_004.BATCH}, which are not in print either.",
    ]
    return Result(judge_sensitivity(single, pairs), files, differs=differs)


def judge_sensitivity(single: pd.DataFrame, pairs: pd.DataFrame) -> list[Conclusion]:
    """Whether no shift is always best, and whether derivatives predict the cost of a shift."""
    better = []
    for _, surface in pairs.groupby(["run", "first"]):
        best = min(records(surface), key=lambda row: row["cost"])
        better.append(best["shift"] > 0.0 or best["other"] > 0.0)
    right = total = 0
    for _, rows in single.groupby("run"):
        slopes, changes = rows["derivative"].to_numpy(), rows["change"].to_numpy()
        for first in range(len(rows)):
            for other in range(first):
                total += 1
                steeper = slopes[first] > slopes[other]
                right += bool((changes[first] > changes[other]) == steeper)
    share = right / total
    return [
        Conclusion(
            "The least noise does not always yield the least cost (IV-A, figure 2(a)).",
            supported(any(better)),
            f"In {sum(better)} of {len(better)} surfaces the cost is least at a shift above 0. "
            "A shift has a direction; noise of mean 0 has none and gains nothing by it.",
        ),
        Conclusion(
            "Weights differ in sensitivity, and the derivative says which of two costs more when "
            "it is shifted (IV-A, figure 2(c)).",
            supported(share >= MOSTLY, share > 0.5),
            f"For {right} of {total} pairs of weights the one with the larger derivative costs "
            f"more when shifted by {as_set(single['shift'].iloc[0])}. Mostly is taken to mean "
            f"{MOSTLY:.0%}; a coin would be right for half.",
        ),
    ]


# Figure 3


def figure_3(order: ExperimentOrder) -> Result:
    """MNIST at ε = 0.05, 0.3 and 1, for every reading of the optimized noise."""
    return _compared(
        order,
        _levels,
        judge_levels,
        lambda ends: [judge_theorem(ends)],
        x="printed_epsilon",
        xlabel="ε as printed (the certified one is in the CSV)",
    )


def _levels(dataset: str, order: ExperimentOrder) -> Iterator[Labelled]:
    count = images.load(dataset).records
    for epsilon in LEVELS:
        plain = setting(dataset, epsilon, order)
        uneven, matched = with_public_weights(plain, count)
        scaled = replace(plain, config=replace(plain.config, noise="scaled"))
        studies = readings(plain, count) | {"public": uneven, "matched": matched, "scaled": scaled}
        if epsilon == LEVELS[-1]:
            studies["nonprivate"] = without_privacy(plain)
        for series, study in studies.items():
            yield {"dataset": dataset, "method": series, "printed_epsilon": epsilon}, study


def judge_printed(ends: pd.DataFrame) -> list[Conclusion]:
    """The optimized noise as printed against isotropic noise, and against the printed accuracy."""
    ends_by_key, levels = _by_level(ends)
    at = f"at ε = {_listed(as_set(level) for level in levels)}"
    printed = _listed(f"{100.0 * PRINTED_ACCURACY[level]:.2f}" for level in levels)
    accuracies = "; ".join(
        f"ε = {as_set(level)}: printed {PRINTED_ACCURACY[level]:.2%}, here "
        f"{ends_by_key['published', level]['accuracy']:.2%}"
        for level in levels
    )
    return [
        ordering(
            f"The optimized noise is more accurate than Gaussian noise {at} (V-C, figure 3), both "
            "at the ε that is printed.",
            _places(ends_by_key, levels, "published", "isotropic"),
            better="optimized as printed",
            worse="isotropic",
            what=f"test accuracy; {WINS}; nothing is certified for the first",
        ),
        Conclusion(
            f"Test accuracy is {printed} % {at} (V-C, figure 3).",
            UNCHECKED,
            f"{NOT_IN_PRINT} {accuracies}.",
        ),
    ]


def judge_levels(ends: pd.DataFrame) -> list[Conclusion]:
    """All that the paper concludes from figure 3."""
    ends_by_key, levels = _by_level(ends)
    against_isotropic, against_print = judge_printed(ends)
    gaps = [
        ends_by_key["published", level]["accuracy"] - ends_by_key["isotropic", level]["accuracy"]
        for level in levels
    ]
    growing = gaps[0] - gaps[-1] >= CLEAR
    falling = all(early > late for early, late in pairwise(gaps))
    gap_text = ", ".join(
        f"{gap:+.3f} at ε = {as_set(e)}" for e, gap in zip(levels, gaps, strict=True)
    )
    return [
        against_isotropic,
        Conclusion(
            "The optimized noise is more accurate under the same privacy (abstract): equation (11) "
            "solved exactly, at the same certified ε.",
            NOT_SUPPORTED,
            "Solved exactly, every coordinate gets the same σ: it is isotropic noise, and at the "
            "same certified ε there is nothing between them. Its σ for the printed ε is certified "
            "at "
            + ", ".join(
                f"{rounded(ends_by_key['exact', level]['epsilon'], 'nothing')} for ε = "
                f"{as_set(level)}"
                for level in levels
            )
            + ".",
        ),
        ordering(
            "The optimized noise is more accurate under the same privacy (abstract): read as "
            "Δ_i = α/√d, with public weights, at the same certified ε.",
            _places(ends_by_key, levels, "public", "matched"),
            better="optimized with public w",
            worse="isotropic at its certified ε",
            what=f"test accuracy; {WINS}",
        ),
        Conclusion(
            "Its advantage grows as the privacy constraint gets stricter (V-C, figure 3).",
            supported(growing and falling and gaps[0] > 0, growing),
            f"Optimized as printed less isotropic, test accuracy at the printed ε: {gap_text}. "
            f"From {CLEAR:.0%} on a change is taken to be clear.",
        ),
        against_print,
    ]


Ends = dict[tuple[str, float], dict[str, Any]]
"""Rows of `ends` by method and printed ε."""


def _by_level(ends: pd.DataFrame) -> tuple[Ends, list[float]]:
    by_key = {(row["method"], row["printed_epsilon"]): row for row in records(ends)}
    return by_key, sorted({level for method, level in by_key if method == "published"})


def _listed(texts: Iterable[str]) -> str:
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


def _places(
    ends: Ends, levels: Sequence[float], better: str, worse: str
) -> list[tuple[str, float, float, float]]:
    return [
        _clearly(
            f"ε = {as_set(level)} as printed (certified "
            f"{rounded(ends[better, level]['epsilon'], 'nothing')} and "
            f"{rounded(ends[worse, level]['epsilon'], 'nothing')})",
            ends[better, level],
            ends[worse, level],
        )
        for level in levels
    ]


def judge_theorem(ends: pd.DataFrame) -> Conclusion:
    """Whether the certified ε of the optimized noise stays within the paper's claim."""
    rows = [row for row in records(ends) if row["method"] in ("published", "exact", "public")]
    within = [
        row["epsilon"] is not None and row["epsilon"] <= row["claimed_epsilon"] * (1.0 + 1e-9)
        for row in rows
    ]
    evidence = "; ".join(
        f"{TITLES[row['method']]}, claimed {plain(row['claimed_epsilon'])}: "
        f"certified {rounded(row['epsilon'], 'nothing')}"
        for row in rows
    )
    return Conclusion(
        "Algorithm 1 is (ε, δ)-private (theorem 1).",
        supported(all(within), any(within)),
        f"Certified within the claim in {sum(within)} of {len(rows)} places (PLD, zero-out). "
        f"{SAME_FIGURE} {evidence}. Equation (9) leaves λ²S/2 out of the moment, and with private "
        "weights w the noise itself tells about the records.",
    )


# Figure 4


def figure_4(order: ExperimentOrder) -> Result:
    claim = "The optimized noise is more accurate than Gaussian noise on {} (V-C, figure 4({}))."
    others = [
        Conclusion(claim.format(*place), UNCHECKED, LAST_LAYERS)
        for place in (("SVHN", "c"), ("CIFAR-10", "d"))
    ]
    return _compared(
        order,
        _grid,
        judge_grid,
        lambda ends: [judge_theorem(ends), *others],
        x="printed_epsilon",
        xlabel="ε as printed",
        missing=("svhn", "cifar10"),
        differs=("δ = 0.01 is larger than one in the number of records.",),
    )


def _grid(dataset: str, order: ExperimentOrder) -> Iterator[Labelled]:
    for delta in GRID_DELTAS:
        for epsilon in GRID_EPSILONS:
            plain = setting(dataset, epsilon, order, delta)
            for series, study in readings(plain, images.load(dataset).records).items():
                labels = {"dataset": f"{dataset}, δ = {as_set(delta)}", "records": dataset}
                yield labels | {"method": series, "printed_epsilon": epsilon}, study


def judge_grid(ends: pd.DataFrame) -> list[Conclusion]:
    """All that the paper concludes from figure 4."""
    rows = _by_place(ends)
    accuracies = {key: row["accuracy"] for key, row in rows.items()}
    epsilons = sorted({epsilon for _, epsilon, _ in accuracies})
    deltas = sorted({delta for *_, delta in accuracies})
    rises = [
        accuracies[method, late, delta] >= accuracies[method, early, delta]
        for method in ("isotropic", "published")
        for delta in deltas
        for early, late in pairwise(epsilons)
    ] + [
        accuracies[method, epsilon, deltas[-1]] >= accuracies[method, epsilon, deltas[0]]
        for method in ("isotropic", "published")
        for epsilon in epsilons
    ]

    return [
        Conclusion(
            "Accuracy grows with ε and with δ (V-C, figure 4(a) and (b)).",
            by_most(rises),
            f"In {sum(rises)} of {len(rises)} steps from one ε or δ to the next.",
        ),
        judge_low_privacy(rows, (epsilons[-1], deltas[-1])),
        judge_high_privacy(rows, (epsilons[0], deltas[0])),
    ]


def judge_corner(ends: pd.DataFrame) -> Conclusion:
    """What the paper concludes of the one place in figure 4 that is at hand."""
    rows = _by_place(ends)
    ((_, *place), *_) = rows
    is_low = tuple(place) == (GRID_EPSILONS[-1], GRID_DELTAS[-1])
    return (judge_low_privacy if is_low else judge_high_privacy)(rows, tuple(place))


Places = dict[tuple[str, float, float], dict[str, Any]]
"""Rows of `ends` by method, printed ε and δ."""


def _by_place(ends: pd.DataFrame) -> Places:
    return {(row["method"], row["printed_epsilon"], row["delta"]): row for row in records(ends)}


def _gap(rows: Places, place: tuple[float, ...]) -> tuple[float, str]:
    """How much more accurate the optimized noise is at a place, and both in words."""
    epsilon, delta = place
    ours, theirs = (
        float(rows[name, epsilon, delta]["accuracy"]) for name in ("published", "isotropic")
    )
    return ours - theirs, (
        f"At ({as_set(epsilon)}, {as_set(delta)}): optimized as printed {ours:.3f}, "
        f"isotropic {theirs:.3f}."
    )


def judge_low_privacy(rows: Places, place: tuple[float, ...]) -> Conclusion:
    gap, seen = _gap(rows, place)
    return Conclusion(
        "At low privacy, (1.2, 0.01), both mechanisms are similarly accurate (V-C, figure 4).",
        supported(abs(gap) <= CLOSE),
        f"{seen} Similar is taken to mean within {CLOSE:.0%}.",
    )


def judge_high_privacy(rows: Places, place: tuple[float, ...]) -> Conclusion:
    gap, seen = _gap(rows, place)
    epsilon, delta = place
    exact = rows.get(("exact", epsilon, delta))
    of_budget = ""
    if exact is not None:
        of_budget = (
            " Isotropic noise of the same budget τ, which equation (11) gives, reaches "
            f"{exact['accuracy']:.3f}; it is certified at ε = "
            f"{rounded(exact['epsilon'], 'nothing')}, not {as_set(epsilon)}."
        )
    return Conclusion(
        "At high privacy, (0.01, 1e-5), the optimized mechanism is substantially more accurate "
        "(82.87 % against 43.75 %; V-C, figure 4), both at the ε that is printed.",
        supported(gap >= SUBSTANTIAL, gap > CLEAR),
        f"{seen} Nothing is certified for the first.{of_budget}",
    )


# Figure 5


def figure_5(order: ExperimentOrder) -> Result:
    """Lot size, hidden units and clipping norm against accuracy, MNIST."""
    claim = "On CIFAR-10 the optimized mechanism gains 2 % from lots of 500 to 2 500"
    return _compared(
        order,
        _structures,
        judge_structure,
        lambda ends: [Conclusion(f"{claim} (V-D, figure 5(b)).", UNCHECKED, LAST_LAYERS)],
        x="value",
        ylabel=f"test accuracy at printed ε = {as_set(STRUCTURE_EPSILON)}",
        missing=("cifar10",),
        differs=(
            f"At ε = {as_set(STRUCTURE_EPSILON)}: which ε figure 5 has on MNIST is not in print, "
            "nor are the numbers of hidden units and the clipping norms.",
        ),
    )


def _structures(dataset: str, order: ExperimentOrder) -> Iterator[Labelled]:
    count = images.load(dataset).records
    plain = setting(dataset, STRUCTURE_EPSILON, order)
    for key, values in SIZES.items():
        for value in values:
            if key == "batch":
                value = max(1, round(value * (plain.config.batch / LOT)))
            varied = readings(EFFECTS[key].varied(plain, value, count), count)
            for series in ("isotropic", "published"):
                labels = {"dataset": f"{dataset}: {EFFECTS[key].title}", "records": dataset}
                row = {"parameter": key, "method": series, "value": value}
                yield labels | row, varied[series]


def judge_structure(ends: pd.DataFrame) -> list[Conclusion]:
    """All that the paper concludes from figure 5 of the settings at hand."""
    judges = {"batch": _judge_lots, "units": _judge_units, "clip": _judge_clip}
    return [
        conclusion
        for key, judge in judges.items()
        if key in set(ends["parameter"])
        for conclusion in judge(
            {method: _curve(ends, key, method) for method in ("published", "isotropic")}
        )
    ]


Curves = dict[str, dict[float, float]]
"""Accuracy by the value of one setting, for each method."""


def _curve(ends: pd.DataFrame, key: str, method: str) -> dict[float, float]:
    rows = [r for r in records(ends) if r["parameter"] == key and r["method"] == method]
    return {row["value"]: row["accuracy"] for row in sorted(rows, key=lambda r: r["value"])}


def _spread(curves: Curves, method: str) -> float:
    values = curves[method].values()
    return max(values) - min(values)


def _shown(curves: Curves) -> str:
    return "; ".join(
        f"{name} " + ", ".join(f"{as_set(v)}: {a:.3f}" for v, a in curves[method].items())
        for method, name in (("published", "optimized as printed"), ("isotropic", "isotropic"))
    )


def _judge_lots(curves: Curves) -> list[Conclusion]:
    lots = list(curves["published"])
    gaps = [curves["published"][lot] - curves["isotropic"][lot] for lot in lots]
    steadier = _spread(curves, "isotropic") - _spread(curves, "published") >= CLEAR
    return [
        Conclusion(
            "The gap between the optimized and Gaussian noise is larger with smaller lots "
            "(V-D, figure 5(a)).",
            supported(gaps[0] - max(0.0, gaps[-1]) >= CLEAR),
            f"Gap {gaps[0]:+.3f} with lots of {as_set(lots[0])}, {gaps[-1]:+.3f} with "
            f"{as_set(lots[-1])}. "
            f"Accuracy by lot size: {_shown(curves)}.",
        ),
        Conclusion(
            "The optimized mechanism is robust to lot size, more than the Gaussian "
            "(V-D, figure 5(a)).",
            supported(steadier),
            f"Accuracy ranges over {_spread(curves, 'published'):.3f} (optimized as printed) and "
            f"{_spread(curves, 'isotropic'):.3f} (isotropic).",
        ),
    ]


def _judge_units(curves: Curves) -> list[Conclusion]:
    steady = [_spread(curves, method) < CLOSE for method in curves]
    return [
        Conclusion(
            "The number of hidden units changes accuracy by less than 2 % for both "
            "(V-D, figure 5(c)).",
            supported(all(steady), any(steady)),
            f"Accuracy by hidden units: {_shown(curves)}.",
        )
    ]


def _judge_clip(curves: Curves) -> list[Conclusion]:
    return [
        Conclusion(
            "The optimized mechanism is more sensitive to the clipping norm than the Gaussian "
            "(V-D, figure 5(d)).",
            supported(_spread(curves, "published") - _spread(curves, "isotropic") >= CLEAR),
            f"Accuracy by C: {_shown(curves)}.",
        )
    ]


# Table I


def table_1(order: ExperimentOrder) -> Result:
    """Seconds a step: without privacy, isotropic noise, optimized noise as in algorithm 1."""
    import pandas as pd

    at_hand, missing = digit_sets(order, ONE_CLASS)
    order.open()
    rows = []
    for number, dataset in enumerate(at_hand):
        plain = replace(setting(dataset, 1.0, replace(order, epochs=1)), runs=1)
        printed = replace(plain.config, noise="published-004", weights="private", refresh=1)
        for series, study in (
            ("nonprivate", without_privacy(plain)),
            ("isotropic", plain),
            ("published", replace(plain, config=printed)),
        ):
            trainer = begin([study])
            trainer.run(order.part(number, len(at_hand), f"{dataset}, {TITLES[series]}"))
            row = trainer.history().iloc[-1]
            rows.append((dataset, series, int(row["steps"]), float(row["seconds"])))
    table = pd.DataFrame(rows, columns=["dataset", "method", "steps", "seconds"])
    table["seconds_a_step"] = table["seconds"] / table["steps"]
    verdicts = on_each(at_hand, table, judge_times)
    differs = [
        *_differs(order, at_hand),
        "One epoch; the weights w are computed from all records at every step, as in algorithm 1.",
        "SVHN and CIFAR-10 are not timed.",
    ]
    return Result(verdicts, [order.save(table)], at_hand, missing, differs)


def judge_times(table: pd.DataFrame) -> list[Conclusion]:
    """Whether the optimized noise takes at most twice isotropic noise's time (Table I: 1.5)."""
    seconds = {row["method"]: row["seconds_a_step"] for row in records(table)}
    times = ", ".join(f"{TITLES[key]} {value:.4f} s" for key, value in seconds.items())
    ratio = seconds["published"] / seconds["isotropic"]
    return [
        Conclusion(
            "The optimized noise adds only moderate computation (Table I: 0.937 s a batch against "
            "0.623 s with Gaussian noise and 0.344 s without).",
            supported(ratio <= 2.0),
            f"{times}: {plain(ratio)} times isotropic noise, because w needs the gradient of all "
            "records at every step. Moderate is taken to mean at most twice.",
        )
    ]


# Common to all


def _compared(
    order: ExperimentOrder,
    labelled: Callable[[str, ExperimentOrder], Iterator[Labelled]],
    judge: Callable[[pd.DataFrame], list[Conclusion]],
    overall: Callable[[pd.DataFrame], Sequence[Conclusion]],
    *,
    x: str,
    xlabel: str = "",
    ylabel: str = "test accuracy",
    missing: Sequence[str] = (),
    differs: Sequence[str] = (),
) -> Result:
    """A figure of test accuracy, judged on each set by itself and then from all."""
    at_hand, unavailable = digit_sets(order, ONE_CLASS)
    order.open()
    studies = [study for dataset in at_hand for study in labelled(dataset, order)]
    ends, files = trained(
        order,
        studies,
        order.progress,
        value="accuracy",
        ylabel=ylabel,
        titles=TITLES,
        looks=LOOKS,
        x=x,
        xlabel={row["dataset"]: xlabel or _unit(row["parameter"]) for row, _ in studies},
    )
    verdicts = [*on_each(at_hand, ends, judge), *overall(ends)]
    differences = [*_differs(order, at_hand), *differs]
    return Result(verdicts, files, at_hand, (*unavailable, *missing), differences)


def _unit(parameter: str) -> str:
    return EFFECTS[parameter].unit or EFFECTS[parameter].symbol


def _differs(order: ExperimentOrder, at_hand: Sequence[str]) -> list[str]:
    differs = [
        f"{NOT_IN_PRINT} The network is fully connected with {UNITS} hidden units and no "
        "convolutions, the learning rate 0.25 √ε (at most 0.25) for every noise, and λ → ∞.",
        "The noise is on the sum of a lot; on the mean, as printed, it would be as many times "
        "larger as a lot has records.",
        "The weights w are computed from all records once an epoch, not at every step.",
        f"{PUBLIC} records, at most a third, are set aside as public where weights are public.",
        "All records of the training part are used: 60 000 of MNIST, not 55 000.",
    ]
    if any(name != OWN for name in at_hand):
        differs.append(
            f"On sets of fewer than {spaced(10 * LOT)} records lots have {SMALL_LOT} on average."
        )
    if order.epochs is not None and order.epochs < EPOCHS:
        differs.append(
            f"A quick look: {order.epochs} epoch(s) instead of {EPOCHS}, so that verdicts on "
            "accuracy are about such short trainings."
        )
    return differs


def _clearly(
    place: str, ours: dict[str, Any], theirs: dict[str, Any]
) -> tuple[str, float, float, float]:
    """Two rows of `ends` with the margin for a win: the runs' spread, and at least `CLEAR`."""
    name, our_value, their_value, spread = against(place, ours, theirs, "accuracy")
    return name, our_value, their_value, max(spread, CLEAR)


PAPER = Paper(
    "paper-004",
    "Xiang et al.: optimized additive noise",
    figures={
        1: unchecked(
            "A small network has two inputs, two hidden units and one output (figure 1).",
            "The figure is a drawing of a network; there is nothing in it to measure.",
        ),
        2: figure_2,
        3: figure_3,
        4: figure_4,
        5: figure_5,
    },
    tables={
        1: table_1,
        2: unchecked(
            "The experimental setup: lots of 1 000, clipping values of 4, 0.2 and 0.2 (Table II).",
            "The table lists settings and no result. The learning rate, the sizes of the layers "
            "and λ are not among them.",
        ),
    },
)
