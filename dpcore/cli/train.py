"""`train`: a network with private training, epoch by epoch; history, weights and settings as files.

Ctrl-C ends it after the current step; the results until then are written like those of a whole
training, with the ε spent, and `--resume` goes on from there.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dpcore.accounting.events import declared
from dpcore.cli.options import Parser, or_usual
from dpcore.cli.output import print_conditions, print_json, progress, upward, writing
from dpcore.cli.studies import described_training, training_options
from dpcore.errors import Cancelled, InvalidInput, reject, whole
from dpcore.evaluation.training import checkpoint
from dpcore.evaluation.training.measures import gathered
from dpcore.evaluation.training.report import conclusion, measured, measures, outcome
from dpcore.evaluation.training.study import TrainingStudy, new_release
from dpcore.evaluation.training.task import begin
from dpcore.evaluation.training.trainer import Trainer
from dpcore.figures.bands import band
from dpcore.progress import Progress
from dpcore.questions.comparison.arms import comparison_arms
from dpcore.words import as_set, plain, spaced

SETTINGS = "settings.json"
UNFINISHED = "unfinished"
"""Key in the settings of a stopped training: the name of its saved state, which lies in the user's
cache folder and not beside the files that may be passed on."""

ONE_MODEL = ("models", "1")
WITH_RESUME = ("command", "run", "output", "resume", "json", "device")
TITLES = {
    "private": "this training",
    "nonprivate": "without privacy",
    "clipped": "clipping only",
    "constant": "constant noise",
}
SHOWN_EVERY_SECONDS = 0.1


def add(command: Parser) -> None:
    training_options(command)
    command.add_argument("--device", default="auto", help="auto, cpu or cuda")
    command.add_argument("--models", help="of the runs, written; their costs add up")
    command.add_argument(
        "--output",
        help="folder for weights.npz and settings.json, and what is not private: measures.*; noise "
        "comes from the system unless there is a --seed",
    )
    command.add_argument(
        "--resume", action="store_true", help="go on with the training that was stopped in --output"
    )
    command.add_argument(
        "--compare",
        action="store_true",
        help="train beside it without privacy, with clipping alone (not beside a training for "
        "keeping), and with constant isotropic noise at the same ε",
    )


def run(options: argparse.Namespace) -> None:
    state = _unfinished_state(options) if options.resume else None
    records = None
    if state is None:
        study, records = described_training(
            options,
            release="" if options.output is None or options.seed is not None else new_release(),
            models=whole("models", or_usual(options.models, ONE_MODEL[1]), at_least=1),
        )
        series = _series(options, study)
    else:
        series = _series_of(state, options.output)
    folder, report = _folder(options.output), _seldom(progress)
    trainer = begin(list(series.values()), device=options.device, progress=report, records=records)
    if state is not None and not checkpoint.restore(trainer, state):
        raise reject(
            "resume",
            options.output,
            "a folder with a training of the same records, by this version of the program, on this "
            "kind of device",
        )
    if state is not None and not checkpoint.claim(trainer, state):
        raise reject("resume", options.output, "a folder whose training nobody else goes on with")
    stopped = False
    with _interrupted() as is_cancelled:
        try:
            trainer.run(report, cancelled=is_cancelled)
        except Cancelled:
            stopped = True
    progress(1.0, "stopped" if stopped else "trained")
    conclusions = {name: conclusion(trainer, place) for place, name in enumerate(series)}
    measures_by_name = {name: measures(trainer, place) for place, name in enumerate(series)}
    private_conclusion, private_measures = conclusions["private"], measures_by_name["private"]
    unfinished = None
    if folder is not None and private_conclusion["steps"]:
        unfinished = checkpoint.save(trainer) if stopped else None
        _leave(folder, _files(trainer, list(series), unfinished), options.output)
    if not stopped:
        checkpoint.forget(trainer)
    comparison_arms = (
        _comparison_rows(conclusions, measures_by_name, stopped) if len(series) > 1 else []
    )
    if options.json:
        summary = {"train": private_conclusion | {"stopped": stopped}, "measures": private_measures}
        print_json(summary | ({"beside": comparison_arms} if comparison_arms else {}))
    else:
        _say(private_conclusion, private_measures)
        _print_comparison(comparison_arms)
    if stopped:
        print(_spent(private_conclusion), file=sys.stderr)
        if unfinished is not None:
            print(f"Go on with: dpcore train --resume --output {folder}", file=sys.stderr)
        raise KeyboardInterrupt


def _series(options: argparse.Namespace, study: TrainingStudy) -> dict[str, TrainingStudy]:
    if not options.compare:
        return {"private": study}
    if study.epsilon is None or not study.config.private:
        raise InvalidInput(
            "compare is given, but what is compared must be private and have a target epsilon."
        )
    return comparison_arms(study)


def _unfinished_state(options: argparse.Namespace) -> bytes:
    more = [
        name.replace("_", "-")
        for name, value in vars(options).items()
        if name not in WITH_RESUME and value not in (None, False) and (name, value) != ONE_MODEL
    ]
    if more:
        raise InvalidInput(
            f"{more[0]} is given, but a training that is resumed keeps the settings it began with."
        )
    if options.output is None:
        raise InvalidInput("resume is given, but output must name the folder of that training.")
    state = None
    with suppress(OSError, ValueError, AttributeError, RecursionError):
        settings = json.loads((Path(options.output) / SETTINGS).read_text("utf-8"))
        state = checkpoint.load(settings.get(UNFINISHED))
    if state is None:
        allowed = "the folder of a training that was stopped here, with its settings.json"
        raise reject("output", options.output, allowed)
    return state


def _series_of(state: bytes, output: str) -> dict[str, TrainingStudy]:
    try:
        studies = [
            TrainingStudy.described_by(description) for description in checkpoint.described(state)
        ]
    except (TypeError, KeyError):
        studies = []
    if len(studies) == 1:
        return {"private": studies[0]}
    series = comparison_arms(studies[0]) if studies else {}
    if studies and list(series.values()) == studies:
        return series
    raise reject("resume", output, "a folder with a training of this version of the program")


def _files(trainer: Trainer, series: list[str], unfinished: str | None) -> dict[str, bytes]:
    outcomes = [outcome(trainer, place) for place in range(len(series))]
    rows = outcomes[0].rows
    if len(series) > 1:
        rows = gathered({name: result.rows for name, result in zip(series, outcomes, strict=True)})
    files = {"measures.csv": measured(rows).to_csv(index=False).encode(), **outcomes[0].files}
    if unfinished is not None:
        settings = json.loads(files[SETTINGS]) | {UNFINISHED: unfinished}
        files[SETTINGS] = json.dumps(settings, ensure_ascii=False, indent=2).encode()
    return files


def _folder(output: str | None) -> Path | None:
    if output is None:
        return None
    folder = Path(output)
    with writing(output, "a folder that can be made or is there"):
        folder.mkdir(exist_ok=True)
    return folder


def _leave(folder: Path, files: dict[str, bytes], output: str) -> None:
    with writing(output, "a folder that can be written to"):
        # An earlier training's ε must never stand beside these weights, wherever this ends.
        (folder / SETTINGS).unlink(missing_ok=True)
        for name, contents in files.items():
            (folder / name).write_bytes(contents)
    print(f"{', '.join(files)} written to {folder}", file=sys.stderr)


@contextmanager
def _interrupted() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed; a step cut off in the middle would be missing from the ledger."""
    pressed = False

    def note(*_: object) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _seldom(show: Progress) -> Progress:
    last = 0.0

    def report(share: float, message: str) -> None:
        nonlocal last
        if time.monotonic() - last >= SHOWN_EVERY_SECONDS:
            last = time.monotonic()
            show(min(share, 0.999), message)

    return report


def _say(summary: dict[str, Any], measured: dict[str, Any]) -> None:
    print(
        f"{summary['dataset']} ({summary['features']}), {summary['network']}, {summary['noise']} "
        f"noise: {spaced(summary['records'])} "
        f"records{' (a public size)' if summary['public_size'] else ''}, {summary['runs']} "
        f"run{'' if summary['runs'] == 1 else 's'}"
    )
    for name in ("accuracy", "auc"):
        if measured[name] is not None:
            value = measured[name]
            print(
                f"{name} on {measured['measured_on']}: {value['mean']:.4f} "
                f"({band(summary['runs'])}: {value['low']:.4f} to {value['high']:.4f}; not private)"
            )
    if measured["note"]:
        print(f"{measured['note']} (not private)")
    print(_spent(summary))
    if summary["settings_chosen"]:
        print(summary["settings_chosen"])
    if summary["choice"] and summary["choice"] != declared(1):
        print(f"{summary['choice']}: ε is that of all of them together")
    print(f"status: {summary['status']}")
    print_conditions(summary["conditions"])
    claim = summary["claim"]
    if claim["epsilon"] is not None:
        print(
            f"claim, of {claim['about']}: ε = {as_set(claim['epsilon'])} at δ = "
            f"{plain(claim['delta'])} under {claim['adjacency']} ({claim['by']}). "
            f"{claim['verdict']}"
        )
        if claim["conditions"] != summary["conditions"]:
            print_conditions(claim["conditions"])


def _comparison_rows(
    conclusions: dict[str, dict[str, Any]],
    measures_by_name: dict[str, dict[str, Any]],
    stopped: bool,
) -> list[dict[str, Any]]:
    """A row of the table for each training, with the cost of privacy only once all have ended."""
    reference, rows = measures_by_name["nonprivate"], []
    for name, summary in conclusions.items():
        row: dict[str, Any] = {"series": name}
        for metric in ("accuracy", "auc"):
            value, best = measures_by_name[name][metric], reference[metric]
            row[metric] = value
            ended = not stopped and value is not None and name != "nonprivate"
            row[f"{metric}_lost"] = best["mean"] - value["mean"] if ended else None
            clipped = measures_by_name.get("clipped", {}).get(metric)
            if name == "private" and clipped is not None:
                to_clipping = best["mean"] - clipped["mean"] if ended else None
                to_noise = clipped["mean"] - value["mean"] if ended else None
                row[f"{metric}_lost_to_clipping"] = to_clipping
                row[f"{metric}_lost_to_noise"] = to_noise
        rows.append(
            row
            | {"sigma": summary["sigma"] if summary["delta"] is not None else None}
            | summary["certified"]
            | {"status": summary["status"]}
        )
    return rows


def _print_comparison(rows: list[dict[str, Any]]) -> None:
    if rows:
        print("side by side, with the band of the runs:")
    for row in rows:
        parts = [f"{TITLES[row['series']]:16}"]
        for metric in ("accuracy", "auc"):
            if row[metric] is not None:
                value = row[metric]
                parts.append(
                    f"{metric} {value['mean']:.4f} ({value['low']:.4f} to {value['high']:.4f})"
                )
            if row[f"{metric}_lost"] is not None:
                to = "clipping" if row["series"] == "clipped" else "privacy"
                parts.append(f"lost to {to} {100.0 * row[f'{metric}_lost']:.1f} points")
        if row["sigma"] is not None:
            parts.append(f"σ₀ {upward(row['sigma'], 5)}")
        if row["epsilon"] is not None:
            parts.append(
                f"ε {upward(row['epsilon'], 5)} (δ = {plain(row['delta'])}, {row['adjacency']}, "
                f"{row['accountant']})"
            )
        else:
            parts.append("not private" if row["delta"] is None else "no certified ε")
        print("  ".join(parts))


def _spent(summary: dict[str, Any]) -> str:
    steps = f"{spaced(summary['steps'])} of {spaced(summary['steps_planned'])} steps"
    certified = summary["certified"]
    if certified["epsilon"] is None:
        return f"No ε is certified for {steps}: {summary['reason']}"
    after = (
        f"at δ = {plain(summary['delta'])} under {summary['adjacency']} is spent after {steps}"
        f"{{}}, certified by {summary['accountant']} (σ = {as_set(summary['sigma'])} at first, "
        f"C = {as_set(summary['clip'])})."
    )
    if summary["randomness"] == "seed":
        epsilon_text = upward(certified["epsilon"], 6)
        return (
            f"ε = {epsilon_text} {after.format(' by one model if it is kept')} {summary['reason']}"
        )
    models = summary["models"]
    together = f" by {models} models together" if models > 1 else ""
    return f"ε = {upward(summary['epsilon'], 6)} {after.format(together)}"
