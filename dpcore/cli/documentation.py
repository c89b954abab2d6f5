"""Write docs/commands.md: `python -m dpcore.cli.documentation > docs/commands.md`."""

from __future__ import annotations

import argparse
from functools import partial

from dpcore import questions
from dpcore.cli import commands, load
from dpcore.cli.options import JSON_HELP, Parser
from dpcore.questions import register

INTRODUCTION = """\
# Commands

Made from the parsers by `python -m dpcore.cli.documentation > docs/commands.md`.

`python -m dpcore COMMAND` gives the answers of the pages as text, `--json` as one JSON object,
`--help` the options of a command. The exit code is 0 for an answer, also when a theorem's condition
is unmet and the proved answer is empty (`null`); it is 2, with one sentence, for bad input.

- **Neighbours** are compared under zero-out unless told otherwise: one person's record is blanked,
  the number of records is public, and the figures are those that the literature prints under
  add/remove. `--adjacency replace-one` is the stricter question; `--adjacency add-remove` takes a
  public nominal size (`--public-size`) in place of the number of records
  ([neighbours](guarantee.md#the-sentence)).
- **Of a run**, σ is the absolute noise on the sum of records clipped to C (`--sensitivity`, 1
  unless given), and a decay R multiplies the *variance* each time. Sampling is Poisson; batches of
  fixed size (`--sampling fixed`, and always tCDP's) are under replace-one.
- **A table of your own** goes to `sweep`, `decision-curve`, `groups`, `calibration`, `risk-curves`,
  `report` and `model` by `--table FILE --columns FILE` ([how it is described](datasets.md)).
"""
EXAMPLES = {
    "sigma": ("--epsilon 1 --delta 1e-5 --sensitivity 1 --mechanism analytic",),
    "epsilon": (
        "--sigma 4 --delta 1e-5 --mechanism rdp",
        "--sigma 2.8 --sampling-rate 0.01 --decay 0.99 --decay-every epoch --epochs 8 "
        "--delta 1e-4 --accountant pld",
    ),
    "delta": ("--epsilon 1 --sigma 4",),
    "account": ("--file account.csv --epsilon 3 --output year.ics",),
    "ledger": (
        'create --ledger ledger.db --data-set clinic --person-unit "one patient" --epsilon 3 '
        '--delta 1e-5 --owner "Dr. A"',
    ),
    "plan": (
        "--solve epochs --epsilon 2 --delta 1e-5 --records 10000 --batch 100 --sigma 1.1",
        "--solve sigma --right-of-100 55 --delta 1e-5 --records 10000 --batch 100 --steps 500",
    ),
    "stand-in": ("--columns columns.txt --records 1000 --output standin.csv",),
    "twin": (
        '--ledger ledger.db --data-set clinic --actor "Dr. B" --table clinic.csv '
        "--columns columns.txt --epsilon 0.5 --delta 1e-6 --output twin",
    ),
    "publish": (
        '--ledger ledger.db --data-set clinic --actor "Dr. B" --table clinic.csv '
        "--columns columns.txt --epsilon 1 --delta 1e-6 --by ill --output table",
    ),
    "release": (
        '--ledger ledger.db --data-set clinic --actor "Dr. B" --table clinic.csv '
        "--columns columns.txt --epsilon 1 --delta 1e-6 --name Risk "
        '--description "A risk" --curator Clinic --intended-use Teaching --region Nowhere '
        "--output out",
    ),
    "certificate": ("check out --ledger ledger.db",),
    "predict": ("--model out/model.json --table new.csv",),
    "split": (
        "--epsilon 2 --delta 1e-5 --releases 156",
        "--epsilon 3 --delta 1e-5 --weights 1,1,2,2 --accountant pld",
    ),
    "risk": ("--epsilon 1 --delta 1e-5 --sigma 4 --prior 0.5 --fpr 0.01",),
    "outputs": ("--file outputs.csv --epsilon 1 --delta 1e-5 --normal",),
    "datasets": ("--json",),
    "methods": ('--paper 001 --status "claim not supported"',),
    "report": (
        "--dataset cohort --records 300 --epsilon 1 --threshold 0.2 --by sex --output report.html",
    ),
    "train": (
        "--dataset digits --network linear --epsilon 3 --epochs 5 --decay 0.9 --runs 3 "
        "--output run",
    ),
    "reproduce": ("paper-004 --figure 3 --epochs 2 --runs 1 --output figures",),
}
MORE = {
    "ledger": "What it promises: [ledger.md](ledger.md).",
    "twin": "What is proved: [release.md](release.md#a-private-twin).",
    "publish": "What is proved: [release.md](release.md#a-private-table).",
    "release": "What is proved: [release.md](release.md).",
    "certificate": "What it says: [release.md](release.md#the-certificate).",
    "predict": "What it keeps: [release.md](release.md#predictions).",
    "verify": "`--method one-run` tries one training of a network. Exit code 1: something proved "
    "is refuted, or its replay raises an alarm; of a copy with less noise neither counts.",
    "train": (
        "`--output FOLDER` is for keeping: batches and noise come from the operating system "
        "([what is written](guarantee.md#what-a-training-for-keeping-writes)). With `--seed` it is "
        "exploration, and nothing is proved. Ctrl-C ends it after the step at hand, leaves the "
        "same files and says how much ε was spent; `--resume --output FOLDER` goes on."
    ),
}


def examples_of_all() -> dict[str, tuple[str, ...]]:
    """Options of each command that make an example."""
    asked = {
        questions.command_of(name): register.named(name).examples for name in questions.names()
    }
    return {**asked, **EXAMPLES}


_Option = tuple[str, str | None, bool]


def page() -> str:
    """Write the page of all commands, in Markdown."""
    examples = examples_of_all()
    lines = [INTRODUCTION, "| command | answers | example |", "|---|---|---|"]
    for name, answers in commands().items():
        shown = "<br>".join(f"`{name} {example}`" for example in examples[name])
        lines.append(f"| [{name}](#{name}) | {answers} | {shown} |")
    described: dict[_Option, str] = {}
    for name in commands():
        parser = Parser(prog=f"dpcore {name}", load=partial(load, name))
        options = _options(name, parser.actions(), described)
        text = " ".join(filter(None, (parser.description, MORE.get(name))))
        lines += ["", f"## {name}", "", *([text, ""] if text else []), *options]
    return "\n".join(lines).replace("\n\n\n", "\n\n").rstrip()


def _options(
    command: str, actions: list[argparse.Action], described: dict[_Option, str]
) -> list[str]:
    """List options; those that an earlier command has in the same words are only named."""
    lines: list[str] = []
    earlier: dict[str, list[str]] = {}
    for action in actions:
        if action.help == JSON_HELP:
            continue
        call = ", ".join(f"`{name}`" for name in action.option_strings or [action.dest])
        first = described.setdefault((call, action.help, action.required), command)
        if first == command:
            needed = " (needed)" if action.required else ""
            lines.append(f"- {call}{needed}" + (f": {action.help}" if action.help else ""))
        else:
            earlier.setdefault(first, []).append(call)
    for first, calls in earlier.items():
        others = [
            call for (call, *_), owner in described.items() if owner == first and call not in calls
        ]
        named = ", ".join(calls)
        if 0 < 2 * len(others) < len(calls):
            named = f"all described there but {', '.join(others)}"
        lines.append(f"- as of [{first}](#{first}): {named}")
    return lines


if __name__ == "__main__":
    print(page())
