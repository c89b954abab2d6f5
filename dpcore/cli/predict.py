"""`predict`: what a released model says of each record of a CSV file."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from pathlib import Path

from dpcore.cli.options import Parser
from dpcore.cli.output import print_json, writing
from dpcore.datasets.files import contents
from dpcore.datasets.text import LARGEST_UPLOAD
from dpcore.front.experiments import read_limited


def add(command: Parser) -> None:
    command.add_argument("--model", required=True, help="a released model (JSON)")
    command.add_argument(
        "--certificate", help="of the model (YAML); default: certificate.yaml beside it, if any"
    )
    command.add_argument("--table", required=True, help="the records (CSV)")
    command.add_argument("--output", help="CSV file; default: standard output")


def run(options: argparse.Namespace) -> None:
    from dpcore.release.model import MAX_BYTES, read_model
    from dpcore.release.prediction import noise_by, predict

    model = read_model(contents("model", options.model, MAX_BYTES))
    certificate = b""
    beside = Path(options.model).with_name("certificate.yaml")
    if options.certificate is not None or beside.is_file():
        certificate = contents("certificate", options.certificate or str(beside), MAX_BYTES)
    noise = noise_by(model, certificate)
    data = contents("table", options.table, LARGEST_UPLOAD)
    predictions = read_limited(predict, data, Path(options.table).name, model=model, noise=noise)
    if isinstance(noise, str):
        print(f"What noise alone does is not known: {noise}.", file=sys.stderr)
    if options.output is not None:
        with writing(options.output, "a file that can be written"):
            Path(options.output).write_text(predictions, encoding="utf-8")
        print(f"The predictions were written to {options.output}", file=sys.stderr)
    if options.json:
        print_json({"rows": list(csv.DictReader(io.StringIO(predictions)))})
    elif options.output is None:
        print(predictions, end="")
