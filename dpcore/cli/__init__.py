"""The command line: every answer of the pages, as text, JSON or files.

Exit codes: 0 for an answer, also when a theorem's condition is unmet and the proved answer is
empty; 2 for malformed input, with one sentence on standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from dpcore.cli import audit, budget, catalogue, model, noise, papers, risk, study, train
from dpcore.cli.options import Parser
from dpcore.errors import InvalidInput


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
    parser = Parser(prog="dpcore", description=__doc__.split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(dest="command", required=True, parser_class=Parser)
    for subject in (noise, budget, risk, catalogue, study, model, audit, train, papers):
        subject.add(commands)
    return parser
