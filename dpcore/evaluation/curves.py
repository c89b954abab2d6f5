"""One row per (method, ε): in closed form for output perturbation, from sampled runs for the rest.

Measures are means over splits, and the band holds nine of ten single runs on an average split.
"…_noise_deviation" is of that noise, "…_split_error" the standard error of the choice of test
records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.evaluation.baselines import LINEAR, Baselines
from dpcore.evaluation.curve_columns import calibration_table, columns, noiseless
from dpcore.evaluation.exact_curves import closed_form
from dpcore.evaluation.feature_maps import by_map, in_order
from dpcore.evaluation.scoring import OBJECTIVE, SPLIT_ERROR, over_runs, scoring_for, split_error
from dpcore.evaluation.splits import Splits, each, enough_runs
from dpcore.evaluation.study import OBJECTIVES, Study, calibrations_of
from dpcore.evaluation.sweep import Watch, sweep
from dpcore.guarantee import Status
from dpcore.predictors import predictor_named
from dpcore.progress import Progress, numbered, section, silent, stoppable

if TYPE_CHECKING:
    import pandas as pd


SAME_LAM, WITHOUT_PRIVACY = "same λ, no noise", "without privacy"
"""Methods in a file: a private method with its noise left out, and the model that privacy is
compared with."""


def against(table: pd.DataFrame, compared: Baselines) -> pd.DataFrame:
    """The table with each measure of the model without privacy, "accuracy_baseline" and so on."""
    names = [str(name) for name in table.columns]
    measures = [name.removesuffix("_noiseless") for name in names if name.endswith("_noiseless")]
    return table.assign(
        baseline=compared.model,
        **{f"{name}_baseline": compared.measured[name] for name in measures},
        **{f"{name}_baseline{SPLIT_ERROR}": compared.split_errors[name] for name in measures},
        **{f"{name}_linear": compared.linear[name] for name in measures},
    )


def for_a_file(rows: pd.DataFrame) -> pd.DataFrame:
    """Prepare the rows for a file, with the page's model without privacy last."""
    import pandas as pd

    names, first = [str(name) for name in rows.columns], rows.iloc[0]
    models = {WITHOUT_PRIVACY: "_baseline"}
    if first["baseline"] != LINEAR:
        models = {f"{WITHOUT_PRIVACY}, {LINEAR}": "_linear"} | models
    measures = [name.removesuffix("_baseline") for name in names if name.endswith("_baseline")]
    same_in_all = [name for name in names if name.endswith(("_baseline", "_linear"))]
    references = []
    for title, ending in models.items():
        row: dict[str, object] = dict.fromkeys(
            map(str, rows.select_dtypes(exclude="number").columns), ""
        )
        row |= {"method": title, "status": str(Status.NOT_PRIVATE), "runs": 1, "steps": 0}
        row |= {name: first[name] for name in ("splits", "baseline", *same_in_all)}
        row |= {name: first[f"{name}{ending}"] for name in measures}
        if ending == "_baseline":
            row |= {
                f"{name}{SPLIT_ERROR}": first[f"{name}_baseline{SPLIT_ERROR}"] for name in measures
            }
        references.append(row)
    table = pd.DataFrame(references).reindex(columns=names)
    method = rows["method"].replace({"nonprivate": SAME_LAM})
    return pd.concat([rows.assign(method=method), table], ignore_index=True)


def all_curves(
    study: Study,
    split: Splits,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
    watch: Watch | None = None,
) -> pd.DataFrame:
    """Every method of the study at every ε: in closed form where there is one, else sampled.

    `watch` is for what a single sampled method has trained.
    """
    import pandas as pd

    if each(split)[0].maps:
        maps = by_map(study, split)
        parts = numbered(progress, len(maps), "features", with_steps=True)
        return in_order(
            [
                all_curves(*one, progress=part, cancelled=cancelled, watch=watch)
                for one, part in zip(maps, parts, strict=True)
            ],
            study,
        )
    exact = tuple(key for key in study.methods if predictor_named(key).closed_form)
    sampled = tuple(key for key in study.methods if key not in exact)
    tables = []
    # Each by itself, so that no digit hangs on which others are asked for.
    share = (0.5 if sampled else 1.0) / max(1, len(exact))
    for number, key in enumerate(exact):
        report = section(stoppable(progress, cancelled), number * share, share)
        closed = replace(study, methods=(key,))
        tables.append(closed_form(closed, split, report))
    if sampled:
        runs = enough_runs(study.runs, len(each(split)))
        trained = replace(study, methods=sampled, runs=runs)
        rows = sweep(
            trained,
            split=split,
            progress=progress,
            cancelled=cancelled,
            watch=watch,
        )
        tables.append(summarise(rows, trained, split))
    return pd.concat(tables, ignore_index=True)


def summarise(rows: pd.DataFrame, study: Study, split: Splits) -> pd.DataFrame:
    """A sweep's rows as one row per (method, ε): means over runs and 5 % / 95 % quantiles."""
    import pandas as pd

    parts = each(split)
    first = parts[0]
    scoring = scoring_for(first)
    positive = np.array([np.mean(one.y_test > 0.0) for one in parts])
    table = calibration_table(calibrations_of(study, first))
    groups = rows.groupby(["method", "epsilon"], sort=False)
    index = list(zip(table["method"], table["epsilon"], strict=True))
    measured = []
    for pair in index:
        runs = groups.get_group(pair)
        places = runs["split"].to_numpy()
        objectives = {name: runs[name].to_numpy() for name in OBJECTIVES}
        statistics = scoring.over_runs(positive, runs) | over_runs(objectives, places, (OBJECTIVE,))
        by_split = runs.groupby("split")[noiseless(scoring)].first()
        for name, values in by_split.items():
            statistics[str(name)] = float(values.mean())
            statistics[f"{name}{SPLIT_ERROR}"] = float(split_error(values.dropna().to_numpy()))
        measured.append(statistics)
    return table.assign(
        **pd.DataFrame(measured, index=table.index),
        runs=groups.size().loc[index].to_numpy(),
        splits=rows["split"].nunique(),
        source="sampled",
    )[list(columns(scoring))]
