"""Accuracy or error, objective and excess risk against ε."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpcore.evaluation.frontier import crossing
from dpcore.figures.curves import (
    EPSILON_RANGE,
    PROVED,
    UNSUPPORTED,
    ReferenceLine,
    add_references,
    add_series,
    against_epsilon,
    at,
    name_of,
    named,
    series,
)
from dpcore.figures.drawn import Drawn
from dpcore.figures.noise import ROUNDING, rise
from dpcore.figures.quality import ACCURACY, CLOSE, Quality
from dpcore.figures.style import faded, look
from dpcore.figures.words import listed, percent, plain


@dataclass(frozen=True)
class Noiseless:
    """The model that a method trains without its noise: the limit of its curve for large ε.

    Parameters
    ----------
    value : float
        Its accuracy in [0, 1], or its error.
    lam, tuned_lam : float
        Its λ, and the one chosen by cross-validation.
    radius : float or None
        R of the ball that its weights are kept in, where there is one.
    """

    value: float
    lam: float
    tuned_lam: float
    radius: float | None = None

    @property
    def how(self) -> str:
        """What it is trained with."""
        if self.lam > 0.0 or self.radius is None:
            return f"λ = {plain(self.lam)}"
        return f"λ = 0, weights of length at most R = {plain(self.radius)}"


def accuracy(
    table: pd.DataFrame,
    references: Sequence[ReferenceLine],
    *,
    titles: Mapping[str, str],
    noiseless: Noiseless | None = None,
    quality: Quality = ACCURACY,
    dark: bool = False,
) -> Drawn:
    """Test accuracy, or another measure, against ε with the 90 % band of a single run.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns as `dpcore.evaluation.curves` gives them; accuracy in [0, 1].
    references : sequence of ReferenceLine
        The first is the non-private value that losses are counted against.
    titles : mapping
        Method key to display name.
    noiseless : Noiseless, optional
        The model that the curves tend to; without it the sentence leaves that out.
    quality : Quality
        What is drawn.
    dark : bool
        Whether it is drawn on a dark ground.
    """
    column, shown = quality.column, quality.shown
    low, high = _vertical_range(table, references, quality)
    figure = against_epsilon(
        title=quality.axis, low=low, high=high, percent=quality.percent, dark=dark
    )
    start, beyond = _start(table, quality)
    figure.update_xaxes(range=[math.log10(start), math.log10(EPSILON_RANGE[1])])
    add_series(figure, table, column, titles=titles, shown=shown, dark=dark)
    add_references(figure, references, dark=dark)

    curves = [(name, rows) for name, _, _, rows in named(table, column, titles)]
    ends = [
        f"{name} from {shown(rows[column].iloc[0])} at ε = {plain(rows['epsilon'].iloc[0])} "
        f"to {shown(rows[column].iloc[-1])} at ε = {plain(rows['epsilon'].iloc[-1])}"
        for name, rows in curves
    ]
    sentences = (
        _what_suffices(curves, references, noiseless, quality),
        _falls(curves, noiseless, quality),
        _flats(curves, start, quality),
        beyond,
    )
    return Drawn(
        figure,
        " ".join(sentence for sentence in sentences if sentence),
        f"{quality.title} against ε. {'; '.join(ends)}. "
        + "; ".join(f"{r.label}: {shown(r.value)}" for r in references)
        + ".",
    )


def _vertical_range(
    table: pd.DataFrame, references: Sequence[ReferenceLine], quality: Quality
) -> tuple[float, float]:
    """The vertical range: from below the lowest value to 100 %, or around all errors drawn."""
    values = [*table[quality.column].dropna(), *(r.value for r in references)]
    if quality.share:
        return math.floor(20.0 * max(0.0, min([*values, 0.5]) - 0.03)) / 20.0, 1.02
    return 0.9 * min(values, default=0.0), 1.06 * max(values, default=1.0)


def _start(table: pd.DataFrame, quality: Quality) -> tuple[float, str]:
    """ε at which the axis begins, and a remark on smaller ε.

    The axis begins at `EPSILON_RANGE` or, where the measure still changes left of that, as many
    decades earlier as it takes.
    """
    least = float(table["epsilon"].min()) if len(table) else EPSILON_RANGE[0]
    decade = round(math.log10(EPSILON_RANGE[0]))
    while 10.0**decade > least * (1.0 + 1e-9) and not _still(table, 10.0**decade, quality):
        decade -= 1
    start = 10.0**decade
    if least > start * (1.0 - 1e-9):
        return start, ""
    still = quality.rounded(quality.still).replace("1 points", "1 point")
    return start, (
        f"The figure begins at ε = {plain(start)}: from there down to ε = {plain(least)} no curve "
        f"changes by more than {still}."
    )


def _still(table: pd.DataFrame, epsilon: float, quality: Quality) -> bool:
    """Whether no curve changes by more than `STILL` from `epsilon` downwards."""
    column = quality.column
    for _, _, rows in series(table):
        rows = rows[rows[column].notna()]
        earlier = rows.loc[rows["epsilon"] <= epsilon, column]
        if earlier.empty:
            continue
        level = np.interp(math.log(epsilon), np.log(rows["epsilon"]), rows[column])
        if float((earlier - level).abs().max()) > quality.still:
            return False
    return True


def _what_suffices(
    curves: list[tuple[str, pd.DataFrame]],
    references: Sequence[ReferenceLine],
    noiseless: Noiseless | None,
    quality: Quality,
) -> str:
    """From which ε each method comes close to the model without privacy, in a sentence or two."""
    if not curves or not references:
        return "No private method is drawn."
    best_possible = references[0].value
    goal = best_possible - quality.measure.sign * quality.close
    least = quality.good(goal)
    share = "" if quality.share else f" ({percent(CLOSE, 0)} of the public range)"
    within = f"within {quality.rounded(quality.close)}{share} of the better model without privacy"
    for_good: list[tuple[float, str]] = []
    for_a_while: list[tuple[float, str]] = []
    never = []
    for name, rows in curves:
        rows = rows.assign(good=quality.good(rows[quality.column]))
        near = rows[rows["good"] >= least]
        start = crossing(rows, "good", least)
        if start is not None:
            later = rows[rows["epsilon"] >= start]
            for_good.append((start, f"{name} from ε = {plain(start)} on{_unproved(later)}"))
        elif len(near):
            range_text = f"{_stretch(rows, near)}, not beyond{_unproved(near)}"
            for_a_while.append((float(near["epsilon"].iloc[0]), f"{name} {range_text}"))
        else:
            never.append(name)
    if for_good or for_a_while:
        parts = [listed([words for _, words in sorted(for_good)])] if for_good else []
        parts += [words for _, words in sorted(for_a_while)]
        parts += [f"{listed(never)} nowhere on this grid"] if never else []
        return f"It comes {within}: {'; '.join(parts)}."
    best_name, last = max(
        ((name, rows.iloc[[-1]]) for name, rows in curves),
        key=lambda item: quality.good(item[1][quality.column].item()),
    )
    best = last[quality.column].item()
    short = (
        f"No method comes {within} on this grid; the nearest is {best_name}{_unproved(last)}, "
        f"{quality.gap(best - best_possible)} at the largest ε."
    )
    if noiseless is not None and not quality.measure.reaches(noiseless.value, goal):
        cost = quality.good(noiseless.value - best_possible)
        total = quality.good(best - best_possible)
        part = "All" if cost <= total else "Most" if 2.0 * cost <= total else "Part"
        why = (
            f"how strongly λ = {plain(noiseless.lam)} holds the model back, not noise"
            if noiseless.lam > noiseless.tuned_lam
            else "not from noise"
        )
        short += (
            f" {part} of that is {why}: without any noise ({noiseless.how}) it is "
            f"{quality.gap(noiseless.value - best_possible)}."
        )
    return short


def _stretch(rows: pd.DataFrame, near: pd.DataFrame) -> str:
    """Between which ε of the grid the rows `near` lie, and whether all rows between are among them.

    Both are sorted by ε.
    """
    low, high = near["epsilon"].iloc[0], near["epsilon"].iloc[-1]
    if low == high:
        return f"at ε = {plain(low)}"
    through = len(near) == rows["epsilon"].between(low, high).sum()
    return f"{'from ε =' if through else 'at some ε from'} {plain(low)} to {plain(high)}"


def _unproved(rows: pd.DataFrame) -> str:
    """The ε of these rows without a proof, in brackets; a claim's verdict is in the name."""
    open_ones = rows.loc[~rows["status"].isin([PROVED, UNSUPPORTED]), "epsilon"]
    if open_ones.empty:
        return ""
    if len(open_ones) == len(rows):
        return " (not proved there)"
    first = open_ones.min()
    later = (rows["epsilon"] >= first).sum() == len(open_ones)
    return f" (not proved {f'from ε = {plain(first)} on' if later else 'everywhere there'})"


def _falls(
    curves: list[tuple[str, pd.DataFrame]], noiseless: Noiseless | None, quality: Quality
) -> str:
    """Which curves worsen as ε grows, and why where the table shows it; empty where none does."""
    noisier, biased = [], []
    for name, rows in curves:
        fall, text = _worst_fall(name, rows, _noise_grows(rows), quality)
        if fall > quality.close:
            noisier.append(text)
        if noiseless is not None:
            values = rows[quality.column].to_numpy()
            away = np.abs(values - noiseless.value)
            better = quality.good(values[:, None]) > quality.good(noiseless.value)
            nearer = better & (away[None, :] < away[:, None])
            fall, text = _worst_fall(name, rows, nearer & ~_noise_grows(rows), quality)
            if fall > quality.close:
                biased.append(text)
    sentences = []
    if noisier:
        sentences.append(
            f"{quality.title} {quality.worsens} where ε grows: {listed(noisier)}. There the rule "
            "for the number of training steps takes more of them, and more steps need more noise "
            "(see Noise σ)."
        )
    if biased and noiseless is not None:
        sentences.append(
            f"{quality.title} {quality.worsens} where noise does not grow: {listed(biased)}. "
            f"There it comes nearer to the same model without noise ({noiseless.how}), which has "
            f"only {quality.shown(noiseless.value)}."
        )
    return " ".join(sentences)


def _noise_grows(rows: pd.DataFrame) -> np.ndarray:
    """Whether both T and σ are larger at the second of each pair of rows, (rows, rows)."""
    steps, sigmas = rows["steps"].to_numpy(), rows["sigma"].to_numpy()
    more: np.ndarray = steps[None, :] > steps[:, None]
    return more & (sigmas[None, :] > sigmas[:, None] * (1.0 + ROUNDING))


def _worst_fall(
    name: str, rows: pd.DataFrame, eligible: np.ndarray, quality: Quality
) -> tuple[float, str]:
    """Largest loss from one row to a later one among the pairs counted, and its sentence part."""
    epsilons = rows["epsilon"].to_numpy()
    values = quality.good(rows[quality.column].to_numpy())
    falls = np.where(np.triu(eligible, 1), values[:, None] - values[None, :], 0.0)
    before, after = np.unravel_index(int(np.argmax(falls)), falls.shape)
    fall = float(falls[before, after])
    return fall, (
        f"{name} by {quality.amount(fall)} from ε = {plain(epsilons[before])} to "
        f"{plain(epsilons[after])}"
    )


def _flats(curves: list[tuple[str, pd.DataFrame]], start: float, quality: Quality) -> str:
    """Which curves are flat up to where the rule for T ends its single step; empty if none is."""
    parts = []
    for name, rows in curves:
        growth = rise(rows)
        if growth is None or growth.steps[0] > 1 or growth.epsilons[0] <= start:
            continue
        values = quality.good(rows[quality.column].to_numpy())
        index = int(np.flatnonzero(rows["epsilon"].to_numpy() == growth.epsilons[0])[0])
        before, at_end, after = values[index - 1], values[index], values[index + 1]
        if index > 0 and abs(at_end - before) <= quality.still < after - at_end:
            parts.append(f"{name} up to ε = {plain(growth.epsilons[0])}")
    if not parts:
        return ""
    return (
        f"The flat stretch before a jump ({listed(parts)}) is where the rule for training takes a "
        "single step; from there it takes more (see Noise σ)."
    )


def objective(
    table: pd.DataFrame,
    references: Sequence[ReferenceLine],
    *,
    titles: Mapping[str, str],
    dark: bool = False,
) -> Drawn:
    """Value of the training objective against ε (logarithmic), with the band of a single run.

    The first reference is the smallest value there is: that of the non-private minimiser.
    """
    in_range = table["epsilon"] >= EPSILON_RANGE[0]
    values = table.loc[in_range & (table["objective"] > 0), "objective"].dropna()
    # Where a model without noise fits exactly, its objective of 0 has no place on the axis.
    lines = [reference for reference in references if reference.value > 0.0]
    floor = min([*values, *(reference.value for reference in lines)], default=0.1)
    top = min(float(values.max()), 1e4 * floor) if len(values) else 10.0 * floor
    figure = against_epsilon(
        title="Objective (lower fits better)", low=0.8 * floor, high=1.5 * top, log=True, dark=dark
    )
    add_series(figure, table, "objective", titles=titles, shown=plain, dark=dark)
    add_references(figure, lines, dark=dark)
    parts = [
        f"{name} {plain(at(rows, 1.0)['objective'])}"
        for name, _, _, rows in named(table, "objective", titles)
    ]
    best = f"; without privacy it is {plain(references[0].value)}" if references else ""
    sentence = f"For example at ε = 1 the objective is: {listed(parts)}{best}." if parts else ""
    return Drawn(
        figure,
        sentence or "No private method is drawn.",
        f"Objective against ε, both logarithmic. {sentence}",
    )


BOUNDS = (
    ("excess_risk_bound_published", "bound from the paper's proof", "dot"),
    ("excess_risk_bound_sound", "bound with the exact Δ", "dash"),
)


def excess_risk(table: pd.DataFrame, *, titles: Mapping[str, str], dark: bool = False) -> Drawn:
    """Measured excess risk under the explicit bounds of the proofs, both logarithmic.

    Excess risk is the objective above its minimum. A bound is drawn where its proof has constants.
    """
    columns = ["excess_risk", *(column for column, _, _ in BOUNDS)]
    visible = table[table["epsilon"] >= EPSILON_RANGE[0]]
    values = [
        float(value) for column in columns for value in visible[column].dropna() if value > 0.0
    ]
    low, high = (min(values), max(values)) if values else (0.1, 1.0)
    figure = against_epsilon(
        title="Excess risk (objective above its minimum)",
        low=max(0.5 * low, 1e-9 * high),
        high=2.0 * high,
        log=True,
        dark=dark,
    )
    add_series(figure, table, "excess_risk", titles=titles, shown=plain, dark=dark)
    satisfied = checked = 0
    slack: list[float] = []
    without: list[str] = []
    for method, edition, rows in series(table):
        name = name_of(table, method, edition, titles)
        bounded = False
        for column, words, dash in BOUNDS:
            drawn = rows[rows[column].notna()]
            if drawn.empty:
                continue
            bounded = True
            colour = look(method).on(dark)
            figure.add_scatter(
                x=drawn["epsilon"],
                y=drawn[column],
                mode="lines",
                name=f"{name}: {words}",
                line={"color": faded(colour, 0.75), "dash": dash, "width": 1.5},
                hovertemplate=f"{name}: {words}<br>ε = %{{x:.3g}}: %{{y:.3g}}<extra></extra>",
            )
            compared = drawn[drawn["excess_risk"] > 0.0]
            checked += len(compared)
            satisfied += int((compared["excess_risk"] <= compared[column]).sum())
            slack.extend(compared[column] / compared["excess_risk"])
        if not bounded and not rows.empty:
            without.append(name)
    if not checked:
        sentence = "No proof behind these methods gives a bound with constants."
    elif satisfied == checked:
        sentence = (
            f"Every measured value lies below its bound; the tightest bound is "
            f"{plain(min(slack), 2)} times what is measured, the loosest {plain(max(slack), 2)}."
        )
    else:
        sentence = f"{checked - satisfied} of {checked} measured values lie above their bound."
    if checked and without:
        sentence += f" No bound with constants: {listed(without)}."
    return Drawn(figure, sentence, f"Excess risk against ε, both logarithmic. {sentence}")
