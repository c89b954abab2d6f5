"""The command line: every answer of the pages, as text, JSON or files.

Exit codes: 0 for an answer, also when a theorem's condition is unmet and the proved answer is
empty; 2 for malformed input, with one sentence on standard error.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from dpcore.errors import InvalidInput, number, one_of, reject, whole

if TYPE_CHECKING:
    from dpcore.datasets import Preparation

PREPARATIONS = ("public", "paper-000")


class _Parser(argparse.ArgumentParser):
    """Reports bad usage as one sentence and exit code 2."""

    def error(self, message: str) -> NoReturn:
        raise InvalidInput(f"{self.prog}: {message}.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; ``None`` for those of the process.
    """
    try:
        options = _parser().parse_args(arguments)
        options.run(options)
        sys.stdout.flush()
    except InvalidInput as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader, such as `head`, has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="dpcore", description=__doc__.split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    for question, needs in (
        ("sigma", ("epsilon", "delta")),
        ("epsilon", ("sigma", "delta")),
        ("delta", ("epsilon", "sigma")),
    ):
        command = commands.add_parser(question, help=f"{question} of a Gaussian mechanism")
        for name in needs:
            command.add_argument(f"--{name}", required=True)
        command.add_argument("--sensitivity", default="1", help="Δ, in the query's units")
        command.add_argument("--mechanism", default="analytic", help="analytic or classical")
        command.add_argument("--json", action="store_true", help="print one JSON object")
        command.set_defaults(run=_gaussian, needs=needs)

    command = commands.add_parser("datasets", help="the catalogue, with public bounds and traps")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_datasets)

    command = commands.add_parser("methods", help="the register: claim, proof and status")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_methods)

    command = commands.add_parser("sweep", help="train every (method, ε, run) and tabulate")
    command.add_argument("--dataset", default="breast_cancer")
    command.add_argument("--records", help="size of the synthetic cohort")
    command.add_argument("--loss", default="logistic", help="logistic or huber")
    command.add_argument("--huber-width", default="0.5")
    command.add_argument("--methods", default="nonprivate,outpert,opera,dpgd")
    command.add_argument("--edition", default="sound", help="sound or published")
    command.add_argument("--epsilon", default="0.01,0.1,1", help="comma-separated total ε")
    command.add_argument("--delta", help="default: by rule")
    command.add_argument("--lam", help="λ; default: by rule in n and d")
    command.add_argument("--radius", help="R, needed when λ = 0")
    command.add_argument("--adjacency", default="replace-one", help="replace-one or zero-out")
    command.add_argument("--runs", default="30")
    command.add_argument("--seed", default="0")
    command.add_argument("--steps", help="T; default: each method's rule")
    command.add_argument("--batch", help="records per stochastic step; default: rule")
    command.add_argument(
        "--full-length", action="store_true", help="published GRPUA and SgdPert: T = n² - 1"
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
    command.add_argument("--split-seed")
    command.add_argument("--output", help="CSV file; default: standard output")
    command.add_argument(
        "--summary",
        action="store_true",
        help="one row per method and ε, in closed form where there is one, as on the page",
    )
    command.add_argument("--json", action="store_true", help="print rows as JSON under 'sweep'")
    command.set_defaults(run=_sweep)

    command = commands.add_parser("reproduce", help="a paper's figures, with verdicts")
    command.add_argument("paper", help="paper-000")
    command.add_argument("--figure", help="2, 3, 4 or 5")
    command.add_argument("--table", help="1")
    command.add_argument("--output", required=True, help="folder for CSV, PNG, SVG and verdicts")
    command.add_argument("--datasets", help="comma-separated; default: the paper's, where at hand")
    command.add_argument("--runs", default="30")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_reproduce)
    return parser


def _gaussian(options: argparse.Namespace) -> None:
    from dpcore.mechanisms.answers import answer

    given = {name: number(name, getattr(options, name), above=0.0) for name in options.needs}
    sensitivity = number("sensitivity", options.sensitivity, above=0.0)
    found = answer(options.command, options.mechanism, sensitivity=sensitivity, **given)
    if options.json:
        _print_json(found)
        return
    value = found[options.command]
    print(f"{options.command} = {'(no proved value)' if value is None else f'{value:.10g}'}")
    print(f"mechanism: {found['mechanism']}, {found['theorem']}")
    for condition in found["conditions"]:
        print(f"condition {'met' if condition['met'] else 'NOT met'}: {condition['condition']}")
        if condition["why"]:
            print(f"  {condition['why']}")
    if value is None:
        print(
            f"claim (printed formula): {options.command} = {found['claim'][options.command]:.10g}"
        )
    if found["certified_epsilon"] is not None:
        print(f"certified ε of this noise at this δ: {found['certified_epsilon']:.10g}")


def _datasets(options: argparse.Namespace) -> None:
    from dpcore.datasets import describe_all

    entries = describe_all()
    if options.json:
        _print_json({"datasets": entries})
        return
    for entry in entries:
        print(
            f"{entry['key']:14} {entry['records']!s:>9}  {entry['availability']:9} {entry['title']}"
        )


def _methods(options: argparse.Namespace) -> None:
    from dpcore.methods import describe

    entries = describe()
    if options.json:
        _print_json({"methods": entries})
        return
    for entry in entries:
        print(f"{entry['method']} ({entry['edition']}): {entry['status']}")
        print(f"  claim: {entry['claim']}\n  proof: {entry['proof']}")


def _sweep(options: argparse.Namespace) -> None:
    from dpcore.evaluation.curves import answers
    from dpcore.evaluation.study import Study
    from dpcore.evaluation.sweep import sweep

    study = Study(
        dataset=options.dataset,
        records=_optional_whole("records", options.records, 100),
        loss=options.loss,
        huber_width=number("huber-width", options.huber_width),
        lam=_optional("lam", options.lam),
        methods=_words(options.methods),
        edition=options.edition,
        epsilons=tuple(number("epsilon", part) for part in options.epsilon.split(",")),
        delta=_optional("delta", options.delta),
        adjacency=options.adjacency,
        runs=whole("runs", options.runs, at_least=1),
        seed=whole("seed", options.seed, at_least=0),
        steps=_optional_whole("steps", options.steps, 1),
        batch=_optional_whole("batch", options.batch, 1),
        full_length=options.full_length,
        radius=_optional("radius", options.radius),
        preparation=_preparation(options),
    )
    output = None if options.output is None else Path(options.output)
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise reject("output", options.output, "a file in a folder that exists")
    rows = (answers if options.summary else sweep)(study, progress=_progress)
    if output is not None:
        try:
            output.write_text(rows.to_csv(index=False), encoding="utf-8")
        except OSError as error:
            allowed = f"a file that can be written ({error.strerror})"
            raise reject("output", options.output, allowed) from None
        print(f"{len(rows):,} rows written to {output}", file=sys.stderr)
    if options.json:
        _print_json({"sweep": rows.to_dict("records")})
    elif output is None:
        print(rows.to_csv(index=False), end="")


def _preparation(options: argparse.Namespace) -> Preparation:
    from dpcore.datasets import PAPER_000, Preparation

    one_of("preparation", options.preparation, PREPARATIONS)
    names = ("missing", "scaling", "interval", "norm", "intercept")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    if options.split_seed is not None:
        given["seed"] = whole("split-seed", options.split_seed, at_least=0)
    return replace(PAPER_000 if options.preparation == "paper-000" else Preparation(), **given)


def _reproduce(options: argparse.Namespace) -> None:
    from dpcore.reproduction.paper_000 import reproduce_paper_000

    if options.paper != "paper-000":
        raise reject("paper", options.paper, "paper-000")
    found = reproduce_paper_000(
        figure=_optional_whole("figure", options.figure, 1),
        table=_optional_whole("table", options.table, 1),
        output=options.output,
        datasets=None if options.datasets is None else _words(options.datasets),
        runs=whole("runs", options.runs, at_least=1),
        progress=_progress,
    )
    if options.json:
        _print_json({"reproduce": found})
        return
    for verdict in found["verdicts"]:
        print(f"[{verdict['verdict']}] {verdict['claim']}\n    {verdict['seen']}")
    for path in found["files"]:
        print(path)


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _optional(field: str, text: str | None) -> float | None:
    return None if text is None else number(field, text)


def _optional_whole(field: str, text: str | None, at_least: int) -> int | None:
    return None if text is None else whole(field, text, at_least=at_least)


def _progress(fraction: float, message: str) -> None:
    """A progress line, on a terminal only."""
    if sys.stderr.isatty():
        end = "\n" if fraction >= 1.0 else ""
        print(f"\r{fraction:6.1%}  {message:<60}", end=end, file=sys.stderr, flush=True)


def _print_json(value: object) -> None:
    print(json.dumps(_finite(value), ensure_ascii=False, indent=2))


def _finite(value: object) -> object:
    """`value` with NaN as null and infinities as the strings "inf" and "-inf": valid JSON."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
