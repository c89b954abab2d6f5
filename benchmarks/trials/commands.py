"""Random and hostile command lines: an answer without inf or nan, or one sentence and exit 2."""

from __future__ import annotations

import argparse
import os
import random
import re
import shlex
import tempfile
import time
from pathlib import Path

from benchmarks.trials.trial import Limits, Tally, TrialOutcome, print_progress, run_in_fork

LONGEST_SENTENCE = 1_000
"""Letters of a refusal; one that echoes what was typed would have thousands."""

# Commands that answer within a second or two; each trial begins with one of them.
SOUND = (
    "sigma --epsilon 1 --delta 1e-5 --sensitivity 1 --mechanism analytic",
    "sigma --epsilon 1 --delta 1e-5 --ladder",
    "epsilon --sigma 4 --delta 1e-5 --mechanism rdp",
    "epsilon --sigma 2.8 --sampling-rate 0.01 --decay 0.99 --decay-every epoch --epochs 2 "
    "--delta 1e-4",
    "epsilon --sigma 2 --records 1000 --batch 100 --steps 20 --delta 1e-5 --accountant rdp",
    "delta --epsilon 1 --sigma 4",
    "plan --solve epochs --epsilon 2 --delta 1e-5 --records 10000 --batch 100 --sigma 1.1 "
    "--accountant rdp",
    "plan --solve sigma --epsilon 2 --delta 1e-5 --records 1000 --batch 100 --steps 30 "
    "--accountant rdp",
    "plan --solve clip --epsilon 2 --delta 1e-5 --sigma 3 --accountant zcdp",
    "split --epsilon 2 --delta 1e-5 --releases 12",
    "split --epsilon 3 --delta 1e-5 --weights 1,1,2,2 --accountant zcdp",
    "risk --epsilon 1 --delta 1e-5 --sigma 4 --prior 0.5 --fpr 0.01",
    "datasets",
    "methods --paper 001",
    "sweep --methods nonprivate,outpert --epsilon 0.1,1 --runs 2",
    "sweep --dataset cohort --records 200 --methods opera --epsilon 1",
    "sweep --dataset diabetes --methods adassp --epsilon 1 --runs 2",
    "model --model naive-bayes --epsilon 0.1 1 --runs 2",
    "model --model list",
    "verify --method opera --noise-share 0.667 --outputs 100",
    "train --dataset digits --network linear --epsilon 3 --epochs 1 --batch 512",
    "train --dataset digits --network linear --sigma 2 --epochs 1 --batch 512 --output OUT",
    "reproduce paper-003 --figure 99 --output OUT",
)
LIKELY = (
    *("0.001", "0.01", "0.1", "0.5", "0.9", "1", "2", "3", "5", "10", "50", "100", "512", "1000"),
    *(
        "1e4",
        "1e6",
        "1e9",
        "1e12",
        "1e15",
        "1e-3",
        "1e-6",
        "1e-9",
        "1e-15",
        "1e20",
        "1e38",
        "1e100",
    ),
    *("1e-100", "1e-38", "1e30", "0.1,1", "1,2,3", "1e-9,1", "1e6,1e-6"),
)
NUMBERS = (
    *("0", "-0", "-1", "1", "2", "3.5", "0.5", "1e-5", "1e-300", "5e-324", "1e-12", "1e308"),
    *("1e999", "-1e999", "inf", "-inf", "nan", "1e16", "1e15", "9" * 30, "9" * 400, "9" * 5_000),
    *("1_000", "0x10", "٣", "1,5", "1e5", "1e-7", "0.999999999999", "1.0000000000000002", "1e300"),
)
WORDS = (
    *("", " ", "-", "--", "=", "None", "true", "list", "own", "all", "opera", "pld", "tcdp"),
    *("replace-one", "zero-out", "add-remove", "fixed", "poisson", "epoch", "step", "none"),
    *("x" * 300, "y" * 5_000, "ü" * 200, "\u202eevil", "a\nb", "a\tb", "\x1b[31mred", "%s%n", "{}"),
    *(
        "'",
        '"',
        "`id`",
        "$(id)",
        ";ls",
        "../..",
        "~",
        "*",
        "1,2,,3",
        ",",
        "1," * 500,
        "a=b",
        "=",
        "a=",
    ),
    *("file=/dev/zero", "file=/dev/null", "file=nothing.npz", "noise_on_mean=nan", "n=1e999"),
)
PATHS = (
    *("/dev/zero", "/dev/null", "/dev/full", "/dev/stdin", "/proc/self/mem", "/proc/self/environ"),
    *("/", "/tmp", ".", "nothing/there", "n" * 300, "n/" * 300, "/proc/1/x", "/etc/passwd"),
    *("/dev/random", "OUT", "/sys/kernel/x"),
)
NEVER = re.compile(r"(?<![\w-])(?:inf|nan|infinity)(?![\w-])", re.IGNORECASE)


def options_of() -> dict[str, list[tuple[str, bool]]]:
    """The options of every command, and whether each takes a value."""
    from dpcore.cli import _parser

    (commands,) = (
        action for action in _parser()._actions if isinstance(action, argparse._SubParsersAction)
    )
    for command in commands.choices.values():
        command.load()
    return {
        name: [
            (action.option_strings[-1], action.nargs != 0)
            for action in command._actions
            if action.option_strings and action.dest != "help"
        ]
        for name, command in commands.choices.items()
    }


TRAPS = (
    f"sweep --methods nonprivate --epsilon 1 --runs 2 --output {'o' * 300}",
    f"train --dataset digits --network linear --sigma 2 --epochs 1 --output {'o' * 300}",
    f"reproduce paper-003 --figure 2 --output {'o' * 300}",
    "train --dataset digits --network linear --sigma 2 --epochs 1 --learning-rate 1e308",
    "train --dataset digits --network linear --sigma 1e300 --epochs 1",
    "train --dataset digits --network linear --sigma 2 --epochs 1 --clip 1e300",
    "train --dataset features_npz --set file=/dev/zero --sigma 2 --epochs 1",
    "train --dataset features_npz --set file=/dev/random --sigma 2 --epochs 1",
    "sweep --dataset own --table /dev/zero --columns /dev/zero",
    "split --epsilon 2 --delta 1e-5 --releases 12 --sensitivity 1e308",
    "split --epsilon 2 --delta 1e-5 --weights 1e308,1e-308",
    f"sigma --epsilon 1 --delta 1e-5 --mechanism {'m' * 5_000}",
    f"{'c' * 5_000}",
    f"sigma --epsilon 1 --delta 1e-5 {' '.join(['and'] * 1_000)}",
    f"methods --status {'s' * 5_000}",
)
"""Lines that once failed, always tried first."""


def drawn(number: int, seed: int) -> list[list[str]]:
    """Random command lines, the same for the same seed."""
    draw, options = random.Random(seed), options_of()
    return [line.split() for line in TRAPS[:number]] + [
        _line(draw, options) for _ in range(number - len(TRAPS))
    ]


def _value(draw: random.Random) -> str:
    return draw.choice(draw.choices((LIKELY, NUMBERS, WORDS, PATHS), (4, 4, 2, 1))[0])


def _line(draw: random.Random, options: dict[str, list[tuple[str, bool]]]) -> list[str]:
    line = draw.choice(SOUND).split()
    command_options = options.get(line[0], [])
    for _ in range(draw.choices((0, 1, 2, 3, 5), (1, 12, 4, 2, 1))[0]):
        kind = draw.random()
        values = [
            place
            for place in range(1, len(line))
            if not line[place].startswith("--") and line[place - 1].startswith("--")
        ]
        if kind < 0.5 and values:
            line[draw.choice(values)] = _value(draw)
        elif kind < 0.85 and command_options:
            name, takes = draw.choice(command_options)
            line += [name, _value(draw)] if takes else [name]
        elif kind < 0.92 and len(line) > 2:
            del line[draw.randrange(1, len(line))]
        elif kind < 0.96:
            line.insert(draw.randrange(len(line) + 1), _value(draw))
        else:
            line[0] = draw.choice([*options, _value(draw)])
    if draw.random() < 0.4:
        line.append("--json")
    return line


def fault(line: list[str], outcome: TrialOutcome) -> str:
    """The fault of a command's outcome; empty if there is none."""
    if outcome.code is None:
        return ""
    if "Traceback" in outcome.err or outcome.code not in (0, 2):
        last = (outcome.err.strip().splitlines() or ["nothing"])[-1]
        return f"exit {outcome.code}: {last[:300]}"
    if outcome.code == 0:
        match = NEVER.search(outcome.out)
        excerpt = outcome.out[max(0, match.start() - 60) : match.end() + 20] if match else ""
        return f"the answer holds {excerpt!r}" if match else ""
    refusal = outcome.err
    if outcome.out:
        return f"a refusal after an answer: {outcome.out[:100]!r}"
    if refusal.count("\n") != 1 or not refusal.endswith(".\n"):
        return f"not one sentence: {refusal[:200]!r}"
    if len(refusal) > LONGEST_SENTENCE:
        return f"a sentence of {len(refusal):,} letters: {refusal[:200]!r}"
    typed = max((len(part) for part in line), default=0)
    if typed > 200 and any(part[:120] in refusal for part in line if len(part) > 200):
        return f"what was typed is echoed: {refusal[:200]!r}"
    if re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", refusal):
        return f"control letters: {refusal[:200]!r}"
    return ""


def run_trials(number: int, seed: int = 0, limits: Limits | None = None) -> Tally:
    """Run and judge random command lines."""
    import dpcore.cli

    _warm()
    tally, started = Tally(), time.monotonic()
    home = os.getcwd()
    with tempfile.TemporaryDirectory() as place:
        for done, line in enumerate(drawn(number, seed)):
            folder = Path(place) / str(done)
            folder.mkdir()

            def work(line: list[str] = line, folder: Path = folder) -> int:
                os.chdir(folder)
                os.environ["DPCORE_CACHE"] = str(folder / "cache")
                return dpcore.cli.main([part.replace("OUT", "out") for part in line])

            outcome = run_in_fork(work, limits or Limits())
            verdict = {None: "slow", 0: "answered"}.get(outcome.code, "refused")
            tally.note(shlex.join(line)[:600], verdict, fault(line, outcome), outcome.mebibytes)
            print_progress(number, "command lines", started, done + 1)
    os.chdir(home)
    return tally


def _warm() -> None:
    """Load the modules of commands once, in the process that they are forked from."""
    import importlib

    for name in ("numpy", "pandas", "scipy.special", "sklearn.datasets", "torch"):
        importlib.import_module(name)
    for name in (
        *("accounting.planner", "accounting.accountants", "evaluation.study", "evaluation.sweep"),
        *("evaluation.models", "evaluation.training.task", "models.systems", "systems"),
        *("audit.attack", "accounting.answers", "reproduction.report", "datasets.images"),
    ):
        importlib.import_module(f"dpcore.{name}")
