"""`report`: one private model at one ε as one file of HTML, as Explore offers it."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict, replace
from datetime import date

from dpcore.cli.options import Parser
from dpcore.cli.output import print_json, progress, writing
from dpcore.cli.studies import WRITABLE, described_study, public, study_options, writable
from dpcore.controls.explore import CORRECTED, EPSILON
from dpcore.controls.options import add as add_options
from dpcore.datasets.grouping import grouping
from dpcore.erm.methods import BEST
from dpcore.errors import InvalidInput, brief, number
from dpcore.evaluation.study import Study
from dpcore.questions.groups.question import GROUP_BY
from dpcore.questions.report.build import report
from dpcore.questions.report.findings import gathered
from dpcore.questions.report.html import html

JSON_HELP = "print the report's sections as JSON under 'report'"


def add(command: Parser) -> None:
    study_options(command)
    add_options(command, (GROUP_BY, CORRECTED))
    command.add_argument(
        "--threshold", help="judge risks, and decisions from this risk on, as a share of 1"
    )
    command.add_argument("--title", default="", help="default: the data set, the method and ε")
    command.add_argument("--output", help="HTML file; default: standard output")


def run(options: argparse.Namespace) -> None:
    method = _single("methods", options.methods or BEST)
    options.methods = method
    options.epsilon = _single("epsilon", options.epsilon or f"{EPSILON.default:g}")
    study, table = described_study(options)
    threshold = None if options.threshold is None else number("threshold", options.threshold)
    if options.by is not None:
        grouping(public(study), options.by)
    output = None if options.output is None else writable(options.output)
    findings = gathered(
        replace(study, epsilons=Study.epsilons),
        study.epsilons[0],
        method,
        threshold=threshold,
        by=options.by,
        corrected=options.corrected,
        records=table,
        progress=progress,
    )
    document = report(findings, date.today(), options.title)
    if output is not None:
        with writing(str(output), WRITABLE):
            output.write_text(html(document), encoding="utf-8")
        print(f"The report was written to {output}", file=sys.stderr)
    if options.json:
        print_json({"report": asdict(document)})
    elif output is None:
        print(html(document), end="")


def _single(field: str, typed: str) -> str:
    if "," in typed:
        raise InvalidInput(f"{field} is {brief(typed)}, but a report is about one only.")
    return typed.strip()
