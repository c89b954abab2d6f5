"""Paper 002 (Fukuchi et al.), section 4: figure 2, and a verdict on each conclusion.

RMSE of linear and accuracy of logistic regression against n, for input, objective and output
perturbation and without privacy. The paper's ε, δ and n are illegible in the available text, and
its census sample is not at hand: ours stand in, so only the order of the methods is judged, which
the paper states in general (Theorem 2). Input perturbation is the sound edition: the paper's own
has no known guarantee for the model. The others are sound, too, and have the same (ε, δ), except
output perturbation with δ = 0, as in the paper.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dpcore.datasets import Preparation, Split, Table, availability, load, prepare
from dpcore.erm.method import Array, Settings, Training
from dpcore.erm.methods import method_named
from dpcore.erm.problem import Problem
from dpcore.erm.quadratic import Protocol
from dpcore.errors import InvalidInput
from dpcore.evaluation.scoring import Metric, metrics, scoring_for, spread_by
from dpcore.evaluation.scoring.regression import half_range, mean_squares
from dpcore.guarantee import Edition
from dpcore.predictors import titles
from dpcore.progress import Progress
from dpcore.reproduction.report import (
    UNCHECKED,
    Conclusion,
    ExperimentOrder,
    Paper,
    Result,
    by_most,
    ordering,
    panels,
    supported,
    unchecked,
)
from dpcore.words import as_set, plain, spaced

if TYPE_CHECKING:
    import pandas as pd

EPSILONS, DELTA = (0.1, 1.0), 1e-5
SIZES = (300, 1_000, 3_000, 10_000, 30_000, 100_000)
SMALL = 1_000
"""Largest n of "small n" in the verdicts."""
LAMS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
METHODS = ("nonprivate", "inputpert", "objpert", "outpert_pure")
RUNS, TUNING_RUNS = 20, 3
NEAR = 0.01
"""Least margin that counts as close, as a share of the measure's range; else the runs' spread."""

NUMBERS = {"adult": "hours-per-week", "cohort": "egfr"}
"""The sets that stand in, and the outcome of their linear regression."""
PATIENTS = 130_000
PREPARATION = Preparation(missing="drop", intercept=True)
NAMES = {"logistic": "accuracy", "squared": "rmse"}

DIFFERS = (
    "The paper's census sample (IPUMS, United States 2000) is not at hand; Adult (the census of "
    "1994) and the synthetic cohort stand in. In place of income, linear regression predicts "
    "Adult's hours worked a week and the cohort's kidney function (eGFR).",
    f"ε = {as_set(EPSILONS[0])} and {as_set(EPSILONS[1])}, δ = {as_set(DELTA)} and n = "
    f"{spaced(SIZES[0])} to {spaced(SIZES[-1])}: the paper's are lost in the text at hand.",
    "Input and objective perturbation are the sound editions. The paper's own input perturbation "
    "has a proof of local privacy only.",
    f"{RUNS} runs unless told otherwise, against 100. Each divides the records anew, a fifth for "
    "testing.",
    "As in the paper, each method has the λ that is best at the largest n, and keeps it. It is "
    "chosen on test records, which is not private.",
    "The picture of the accuracy begins at 0.3; what lies below is cut off.",
    "The squared loss goes on as a straight line where a residual exceeds half the range of y.",
)


@dataclass(frozen=True)
class DividedSet:
    dataset: str
    loss: str
    # all records, to be divided anew
    split: Split
    # n
    sizes: tuple[int, ...]

    @property
    def measure(self) -> Metric:
        return scoring_for(self.split).measures(self.split)[0]


def _figure(order: ExperimentOrder) -> Result:
    import pandas as pd

    if order.epochs is not None:
        raise InvalidInput("epochs is given, but nothing of paper 002 trains networks.")
    at_hand, missing = order.wanted(tuple(NUMBERS), availability)
    order.open()
    runs = order.runs or RUNS
    parts = [part for dataset in at_hand for part in _parts(dataset)]
    rows = []
    for number, part in enumerate(parts):
        report = order.part(number, len(parts), f"{part.dataset}, {part.loss} loss")
        rows.append(_trained(part, runs, report))
    table = pd.concat(
        [_summary(part, part_rows) for part, part_rows in zip(parts, rows, strict=True)]
    )
    files = [order.save(table), order.save(pd.concat(rows, ignore_index=True), "-runs")]
    for loss, name in NAMES.items():
        lines = table[table["loss"] == loss]
        if lines.empty:
            continue
        places = lines["dataset"] + [f", ε = {as_set(epsilon)}" for epsilon in lines["epsilon"]]
        top = float(lines["high"].max())
        files += panels(
            lines.assign(dataset=places).rename(
                columns={"mean": name, "low": f"{name}_low", "high": f"{name}_high"}
            ),
            value=name,
            ylabel="test accuracy" if loss == "logistic" else "test RMSE",
            ylimits=(0.3, 1.0) if loss == "logistic" else (0.0, 1.05 * top),
            titles=titles(),
            path=order.open(f"-{name}"),
            x="records",
            xlabel="records to train on",
        )
    return Result(_judged(table), files, at_hand, missing, DIFFERS)


def _parts(dataset: str) -> Iterator[DividedSet]:
    table = load(dataset, records=PATIENTS if dataset == "cohort" else None)
    tables = {"logistic" if table.entry.predicts == "class" else "squared": table}
    if dataset in NUMBERS:
        tables["squared"] = predicting(table, NUMBERS[dataset])
    for loss, variant in tables.items():
        split = prepare(variant, PREPARATION)
        sizes = tuple(size for size in SIZES if size <= split.records)
        yield DividedSet(dataset, loss, split, sizes if len(sizes) > 1 else (*sizes, split.records))


def predicting(table: Table, name: str) -> Table:
    """The records with a numeric column as the outcome; the old outcome is left out."""
    entry = table.entry
    columns = tuple(column for column in entry.columns if column.name != name)
    return replace(
        table,
        entry=replace(entry, label=entry.column(name), columns=columns),
        frame=table.frame[[column.name for column in columns]],
        label=table.frame[name].to_numpy(dtype=float),
        further=None if table.further is None else predicting(table.further, name),
    )


def divided(split: Split, run: int) -> Split:
    """The records in a new division into training and test parts."""
    features = np.vstack([split.x_train, split.x_test])
    labels = np.concatenate([split.y_train, split.y_test])
    order = np.random.default_rng([run, len(labels)]).permutation(len(labels))
    train, test = order[: split.records], order[split.records :]
    return replace(
        split,
        x_train=features[train],
        y_train=labels[train],
        x_test=features[test],
        y_test=labels[test],
        tested=len(test),
    )


def _values(
    part: DividedSet, split: Split, size: int, lams: Mapping[tuple[str, float], float], run: int
) -> list[dict[str, object]]:
    features, labels = split.x_train[:size], split.y_train[:size]
    rows = []
    for key in METHODS:
        method = method_named(key)
        for lam in sorted({lams[key, epsilon] for epsilon in EPSILONS}):
            problem = Problem(part.loss, lam, size, split.dimension)
            epsilons = [epsilon for epsilon in EPSILONS if lams[key, epsilon] == lam]
            calibrations = method.calibrate(problem, epsilons, DELTA, Edition.SOUND, Settings())
            training = Training(problem, features, labels, calibrations, 1, run)
            weights = method.release(training)[:, 0]
            for calibration, value in zip(calibrations, _scores(part, split, weights), strict=True):
                rows.append(
                    {
                        "dataset": part.dataset,
                        "loss": part.loss,
                        "records": size,
                        "method": key,
                        "epsilon": calibration.requested.epsilon,
                        "lam": lam,
                        "sigma": calibration.sigma,
                        "status": str(calibration.status),
                        "run": run,
                        "value": float(value),
                    }
                )
    return rows


def _scores(part: DividedSet, split: Split, weights: Array) -> Array:
    if part.loss == "logistic":
        return metrics.rates(weights, split.x_test, split.y_test).accuracy
    return half_range(split) * np.sqrt(mean_squares(weights, split.x_test, split.y_test))


def _trained(part: DividedSet, runs: int, progress: Progress) -> pd.DataFrame:
    """A row for each (n, method, ε, run), each at the method's own λ."""
    import pandas as pd

    settings = [(method, epsilon) for method in METHODS for epsilon in EPSILONS]
    trials, rows, tuning = [], [], min(runs, TUNING_RUNS)
    for run in range(tuning):
        split = divided(part.split, run)
        for number, lam in enumerate(LAMS):
            progress(0.3 * (run + number / len(LAMS)) / tuning, f"λ = {as_set(lam)}")
            trials += _values(part, split, part.sizes[-1], dict.fromkeys(settings, lam), run)
    scores = pd.DataFrame(trials).groupby(["method", "epsilon", "lam"])["value"].mean()
    best = (part.measure.sign * scores).groupby(["method", "epsilon"]).idxmax()
    lams = {(method, epsilon): lam for method, epsilon, lam in best}
    for run in range(runs):
        split = divided(part.split, run)
        for size in part.sizes:
            progress(
                0.3 + 0.7 * run / runs,
                f"run {spaced(run + 1)} of {spaced(runs)}, n = {spaced(size)}",
            )
            rows += _values(part, split, size, lams, run)
    progress(1.0, "done")
    return pd.DataFrame(rows)


def _summary(part: DividedSet, rows: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    groups = rows.groupby(["dataset", "loss", "epsilon", "records", "method", "lam"], sort=False)
    mean, low, high = spread_by(groups["value"])
    table = pd.DataFrame({"mean": mean, "low": low, "high": high, "runs": groups.size()})
    measure = part.measure
    return table.reset_index().assign(sign=measure.sign, span=measure.span)


class FigurePoint(NamedTuple):
    name: str
    # margin that counts as close
    close: float
    # a row for each n, ascending, and a column for each method; spreads are half the bands
    means: pd.DataFrame
    spreads: pd.DataFrame

    def at(self, size: int) -> str:
        """The place of one n."""
        return f"{self.name}, n = {spaced(size)}"


def _places(table: pd.DataFrame) -> list[FigurePoint]:
    table = table.assign(spread=0.5 * (table["high"] - table["low"]))
    return [
        FigurePoint(
            f"{dataset} at ε = {as_set(rows['epsilon'].iloc[0])}",
            NEAR * float(rows["span"].iloc[0]),
            *(rows.pivot(index="records", columns="method", values=v) for v in ("mean", "spread")),
        )
        for (dataset, _), rows in table.groupby(["dataset", "epsilon"], sort=False)
    ]


def _judged(table: pd.DataFrame) -> list[Conclusion]:
    verdicts: list[Conclusion] = []
    for loss, judge in (("squared", _judge_linear), ("logistic", _judge_logistic)):
        rows = table[table["loss"] == loss]
        if not rows.empty:
            verdicts += judge(_places(rows))
    return [*verdicts, *_against_output(table), _judge_local(sorted(set(table["records"])))]


def _judge_linear(places: list[FigurePoint]) -> list[Conclusion]:
    small = "Even with small n the RMSEs of input and of objective perturbation are quite close"
    return [
        _approaches(
            places,
            "inputpert",
            "RMSE",
            -1.0,
            "The RMSE of input perturbation approaches the non-private one as n grows (4.2, "
            "figure 2 a and b).",
        ),
        _close(
            places,
            "nonprivate",
            "RMSE",
            "For very large n the RMSE of input perturbation is almost the non-private one (4.2, "
            "figure 2 a and b).",
        ),
        _close(places, "objpert", "RMSE", f"{small} (4.2, figure 2 a and b).", small=True),
    ]


def _judge_logistic(places: list[FigurePoint]) -> list[Conclusion]:
    approach = (
        "The accuracy of {} perturbation approaches the non-private one as n grows (4.3, figure 2)."
    )
    return [
        _approaches(places, "inputpert", "accuracy", 1.0, approach.format("input")),
        _approaches(places, "objpert", "accuracy", 1.0, approach.format("objective")),
        _close(
            places,
            "objpert",
            "accuracy",
            "For large n the accuracy of input perturbation is almost that of objective "
            "perturbation (4.3, figure 2).",
        ),
        _below_objective(places),
    ]


def _below_objective(places: list[FigurePoint]) -> Conclusion:
    pairs = []
    for place in places:
        for size in place.means.loc[:SMALL].index:
            theirs, ours = place.means.loc[size, ["objpert", "inputpert"]]
            margin = place.spreads.loc[size, ["objpert", "inputpert"]].max()
            pairs.append((f"{place.at(size)} (spread {plain(margin, 2)})", theirs, ours, margin))
    return ordering(
        "With small n the accuracy of input perturbation is slightly lower than that of "
        "objective perturbation (4.3, figure 2).",
        pairs,
        better="ObjPert",
        worse="InputPert",
        what="accuracy",
    )


def _approaches(
    places: list[FigurePoint], method: str, quantity: str, sign: float, claim: str
) -> Conclusion:
    ends = []
    for place in places:
        lost = (sign * (place.means["nonprivate"] - place.means[method])).iloc[[0, -1]]
        margin = place.spreads[method].loc[lost.index].max()
        name = f"{place.at(lost.index[0])} and {spaced(lost.index[1])} (spread {plain(margin, 2)})"
        ends.append((name, *lost, margin))
    return ordering(
        claim,
        ends,
        better="lost with the fewest",
        worse="lost with the most records",
        what=f"{quantity} lost to privacy",
    )


def _close(
    places: list[FigurePoint], other: str, quantity: str, claim: str, *, small: bool = False
) -> Conclusion:
    near, parts = [], []
    for place in places:
        for size in (place.means.loc[:SMALL] if small else place.means.tail(1)).index:
            ours, theirs = place.means.loc[size, ["inputpert", other]]
            allowed = max(place.close, *place.spreads.loc[size, ["inputpert", other]])
            near.append(abs(ours - theirs) <= allowed)
            parts.append(
                f"{place.at(size)}: InputPert {plain(ours, 4)}, {titles()[other]} "
                f"{plain(theirs, 4)} (close: {plain(allowed, 2)})"
            )
    evidence = f"Close in {sum(near)} of {len(near)} places ({quantity}). {'; '.join(parts)}."
    return Conclusion(claim, by_most(near), evidence)


def _against_output(table: pd.DataFrame) -> list[Conclusion]:
    """The observed order, on which the available text is silent."""
    verdicts = []
    for loss, rows in table.groupby("loss"):
        sign, places = float(rows["sign"].iloc[0]), _places(rows)
        better = {
            method: sum(
                int((sign * (place.means[method] - place.means["outpert_pure"]) > 0.0).sum())
                for place in places
            )
            for method in ("inputpert", "objpert")
        }
        count = sum(len(place.means) for place in places)
        verdicts.append(
            Conclusion(
                f"Output perturbation against the others, by {NAMES[str(loss)]} (drawn in figure "
                "2; the text at hand draws no conclusion).",
                UNCHECKED,
                f"Mean of InputPert better in {better['inputpert']} and of ObjPert in "
                f"{better['objpert']} of {count} places (set, ε and n).",
            )
        )
    return verdicts


def _judge_local(sizes: Sequence[int]) -> Conclusion:
    """Whether a message's ε is of order √n, by its exact curve."""
    parts, orders = [], []
    for epsilon in EPSILONS:
        ends = sizes[0], sizes[-1]
        local = [Protocol(size, epsilon, DELTA).local_epsilon for size in ends]
        ratios = [each / math.sqrt(size) for each, size in zip(local, ends, strict=True)]
        orders.append(ratios[1] <= 1.1 * ratios[0])
        parts.append(
            f"at ε = {as_set(epsilon)} for the model a message has ε = {plain(local[0])} with n "
            f"= {spaced(sizes[0])} ({plain(ratios[0], 2)} √n) and {plain(local[1])} with n = "
            f"{spaced(sizes[-1])} ({plain(ratios[1], 2)} √n)"
        )
    return Conclusion(
        "Each contributor's data are locally private with an ε of order √n (corollary 1, 3.5).",
        supported(all(orders)),
        "By the exact curve of the sound messages, whose noise falls with n like the paper's: "
        + "; ".join(parts)
        + ". The classical formula behind the corollary is proved for ε < 1 only; beyond, ε grows "
        "with n.",
    )


PAPER = Paper(
    "paper-002",
    "Fukuchi et al.: input perturbation",
    figures={
        1: unchecked(
            "Contributors perturb their own data, a database learns from them (figure 1).",
            "Nothing but the number of the figure is left in the text at hand.",
        ),
        2: _figure,
    },
    tables={
        1: unchecked(
            "Input perturbation has the privacy and the utility of objective perturbation, and "
            "local privacy besides (table 1).",
            "The bounds that the table compares are lost in the text at hand. The theorem behind "
            "its privacy is not proved: its tail bound takes the minimiser for a constant.",
        ),
        2: unchecked(
            "The notation (table 2).", "The table names symbols; there is no result in it."
        ),
    },
)
