"""A release that is killed after its payment: the payment stays, and no model but its own comes."""

import subprocess
import sys

import pytest

from dpcore.cli import main
from dpcore.release.check import check
from dpcore.release.ledger import GaussianSpend, Ledger
from dpcore.release.ledger.chain import certificates
from tests.cli.commands import said
from tests.release.test_release import ledger_with, release_command

CHILDREN = """
import functools, os, signal, sys
from dpcore.cli import main, release
from dpcore.release import files, release as steps

steps.attack = functools.partial(steps.attack, runs=500)

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def step(share, message):
    if message.startswith("Step 7 "):
        die()

for part, name, deadly in ((release, "progress", step), (files.os, "fsync", die)):
    if (child := os.fork()) == 0:
        setattr(part, name, deadly)
        main(sys.argv[1:])
        os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
raise SystemExit(main(sys.argv[1:]))
"""


@pytest.mark.slow("releases models many times over")
def test_what_is_killed_after_its_payment_stays_paid_and_unused(tmp_path, capsys):
    place = str(tmp_path / "l.db")
    words = release_command(tmp_path, "--steps", "9", "--epsilon", "1", rows=60)
    done = subprocess.run([sys.executable, "-c", CHILDREN, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ledger = Ledger.open(place)
    history = ledger.history("clinic")
    assert [entry.kind for entry in history] == ["created", *["spent"] * 3, "attached"]
    text = (tmp_path / "out" / "certificate.yaml").read_text("utf-8")
    checked = check(text, ledger)
    assert checked.problems == ()
    kept = certificates(history)
    assert (kept[2], kept[3], len(kept[4])) == ([], [], 1)
    # All three are paid for, whatever became of them.
    details = [entry.details["spend"] for entry in history if entry.kind == "spent"]
    spend = GaussianSpend(details[0]["noise_multiplier"], details[0]["count"])
    assert details == [details[0]] * 3
    room = ledger_with("memory").left("clinic").more(spend)
    assert ledger.left("clinic").more(spend) == room - 3
    ledger.close()
    assert main(["certificate", "check", str(tmp_path / "out" / "certificate.yaml")]) == 0
    told = said(capsys, "ledger", "history", "--ledger", place, "--data-set", "clinic")
    assert told.count("no certificate: unused") == 2
    # What a killed release left behind was never given the name.
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("out")) == [
        "out"
    ]
