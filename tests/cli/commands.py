"""Running a command of the command line, stopping one, and looking at what it says."""

import json
import os
import signal

from dpcore.cli import main


def said(capsys, *arguments):
    """Standard output of a command that must succeed."""
    assert main(arguments) == 0
    return capsys.readouterr().out


def parsed(capsys, *arguments):
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(said(capsys, *arguments, "--json"), parse_constant=refuse)


def refused(capsys, *arguments):
    """The one sentence of a command that must fail."""
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    sentence = captured.err
    assert sentence.endswith(".\n")
    assert sentence.count("\n") == 1
    assert "Traceback" not in sentence
    return sentence


def stop_after(monkeypatch, steps):
    """Press Ctrl-C once, when so many steps have been taken."""
    from dpcore.evaluation.training.trainer import Trainer

    original, pressed = Trainer._note, False

    def note(self, batch):
        nonlocal pressed
        original(self, batch)
        if self.steps_done(0) == steps and not pressed:
            pressed = True
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Trainer, "_note", note)
