"""`sweep`: train and measure, as on Explore."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dpcore.cli.options import optional, optional_whole, words
from dpcore.cli.output import print_json, progress
from dpcore.cli.tables import source, table_options
from dpcore.errors import number, one_of, reject, whole
from dpcore.guarantee import Status

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.cli.options import Commands
    from dpcore.datasets import Preparation

PREPARATIONS = ("public", "paper-000")


def add(commands: Commands) -> None:
    """Add the command."""
    command = commands.add_parser("sweep", help="train every (method, ε, run) and tabulate")
    table_options(command)
    command.add_argument("--records", help="size of the synthetic cohort")
    command.add_argument(
        "--loss", help="logistic or huber (classes), squared (numbers); default: by the data set"
    )
    command.add_argument("--huber-width", default="0.5")
    command.add_argument("--methods", default="nonprivate,outpert,opera,dpgd")
    command.add_argument("--edition", default="sound", help="sound or published")
    command.add_argument("--epsilon", default="0.01,0.1,1", help="comma-separated total ε")
    command.add_argument("--delta", help="default: by rule")
    command.add_argument("--lam", help="λ; default: by rule in n and d")
    command.add_argument("--radius", help="R, needed when λ = 0")
    command.add_argument(
        "--adjacency", default="zero-out", help="zero-out (one record blanked) or replace-one"
    )
    command.add_argument("--runs", default="30")
    command.add_argument("--seed", default="0")
    command.add_argument("--steps", help="T; default: each method's rule")
    command.add_argument("--batch", help="records per stochastic step; default: rule")
    command.add_argument(
        "--full-length", action="store_true", help="published GRPUA and SgdPert: T = n² - 1"
    )
    command.add_argument(
        "--missing-contributors",
        default="0",
        help="inputpert: people who may stay away without the promise being broken",
    )
    command.add_argument(
        "--preparation",
        default="public",
        help=" or ".join(PREPARATIONS) + "; the options from here to --split-seed change it",
    )
    command.add_argument("--missing", help="drop or impute")
    command.add_argument("--scaling", help="public or data (which leaks)")
    command.add_argument("--interval", help="symmetric or unit")
    command.add_argument("--norm", help="unit or clip")
    command.add_argument("--intercept", action="store_true", default=None)
    command.add_argument(
        "--log-transform",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="the public transform of long-tailed columns",
    )
    command.add_argument("--include", help="comma-separated columns that are usually left out")
    command.add_argument("--features", help="plain or fourier (random, for a Gaussian kernel)")
    command.add_argument("--fourier-features", help="how many; an even number")
    command.add_argument("--bandwidth", help="of the Gaussian kernel; rows are at most 1 long")
    command.add_argument("--test-fraction", help="share of the records kept for testing")
    command.add_argument("--split-seed")
    command.add_argument(
        "--output",
        help="CSV file; default: standard output, with one row for the model without privacy",
    )
    command.add_argument(
        "--summary",
        action="store_true",
        help="one row per method and ε, in closed form where there is one, as on the page",
    )
    command.add_argument("--json", action="store_true", help="print rows as JSON under 'sweep'")
    command.set_defaults(run=_sweep)


def _sweep(options: argparse.Namespace) -> None:
    from dpcore.datasets import OWN, described, entry, prepare
    from dpcore.datasets.prepare import complete_only
    from dpcore.erm.method import COMPLETE_ONLY
    from dpcore.evaluation.curves import answers
    from dpcore.evaluation.marks import marked
    from dpcore.evaluation.study import Study, losses_for
    from dpcore.evaluation.sweep import sweep

    found = source(options)
    public = described(found.columns) if found.dataset == OWN else entry(found.dataset)
    study = Study(
        dataset=found.dataset,
        upload=found.upload,
        columns=found.columns,
        records=optional_whole("records", options.records, 100),
        loss=options.loss or losses_for(public)[0],
        huber_width=number("huber-width", options.huber_width),
        lam=optional("lam", options.lam),
        methods=words(options.methods),
        edition=options.edition,
        epsilons=tuple(number("epsilon", part) for part in options.epsilon.split(",")),
        delta=optional("delta", options.delta),
        adjacency=options.adjacency,
        runs=whole("runs", options.runs, at_least=1),
        seed=whole("seed", options.seed, at_least=0),
        steps=optional_whole("steps", options.steps, 1),
        batch=optional_whole("batch", options.batch, 1),
        full_length=options.full_length,
        radius=optional("radius", options.radius),
        missing_contributors=whole(
            "missing-contributors", options.missing_contributors, at_least=0
        ),
        preparation=_preparation(options),
    )
    output = None if options.output is None else _writable(options.output)
    split = None if found.table is None else prepare(found.table, study.preparation)
    rows = marked((answers if options.summary else sweep)(study, split=split, progress=progress))
    if complete_only(public, study.preparation):
        print(f"About every ε: {COMPLETE_ONLY}.", file=sys.stderr)
    if output is not None:
        try:
            output.write_text(rows.to_csv(index=False), encoding="utf-8")
        except OSError as error:
            allowed = f"a file that can be written ({error.strerror})"
            raise reject("output", options.output, allowed) from None
        print(f"{len(rows):,} rows written to {output}", file=sys.stderr)
    if options.json:
        print_json({"sweep": rows.to_dict("records")})
    elif output is None:
        print(_without_privacy_once(rows).to_csv(index=False), end="")


def _writable(name: str) -> Path:
    """The path of a file that may be written, as far as can be said before there is anything."""
    try:
        path = Path(name)
        if path.is_dir() or not path.parent.is_dir():
            raise reject("output", name, "a file in a folder that exists")
        path.exists()  # which a name that is too long is no answer to
    except OSError as error:
        raise reject("output", name, f"a file that can be written ({error.strerror})") from None
    return path


def _without_privacy_once(rows: pd.DataFrame) -> pd.DataFrame:
    """For reading: of a model without noise, one row tells all that there is, at no ε and no δ."""
    still = rows["status"] == str(Status.NOT_PRIVATE)
    told = rows[~(still & rows.duplicated("method"))].reset_index(drop=True)
    told.loc[told["status"] == str(Status.NOT_PRIVATE), ["epsilon", "delta"]] = math.nan
    return told


def _preparation(options: argparse.Namespace) -> Preparation:
    from dpcore.datasets import PAPER_000, Preparation

    one_of("preparation", options.preparation, PREPARATIONS)
    names = ("missing", "scaling", "interval", "norm", "intercept", "log_transform", "features")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    if options.include is not None:
        given["include"] = words(options.include)
    if options.fourier_features is not None:
        given["fourier_features"] = whole("fourier-features", options.fourier_features, at_least=2)
    if options.bandwidth is not None:
        given["bandwidth"] = number("bandwidth", options.bandwidth, above=0.0)
    if options.test_fraction is not None:
        given["test_fraction"] = number("test-fraction", options.test_fraction)
    if options.split_seed is not None:
        given["seed"] = whole("split-seed", options.split_seed, at_least=0)
    return replace(PAPER_000 if options.preparation == "paper-000" else Preparation(), **given)
