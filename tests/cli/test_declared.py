"""Options that a page's control declares: the command's help is the control's."""

import pytest

from dpcore.cli import main
from dpcore.controls import atlas, common, options, plan, train
from dpcore.controls.control import Control
from dpcore.datasets import images

DECLARED: dict[str, list[Control]] = {
    "risk": [common.PRIOR, common.ALARMS],
    "plan": [plan.TARGET, *(plan.CONTROLS[key] for key in ("plan_delta", "sigma", "clip"))],
    "methods": [
        atlas.FILTERS[key]
        for key in ("search", "paper", "kind", "verdict", "practice", "runnable", "failures")
    ],
    "model": [atlas.FORM],
    "train": [train.CONTROLS["schedule"]],
}


def helped(capsys, monkeypatch, command):
    """The help of a command on one line, with no word broken."""
    monkeypatch.setenv("COLUMNS", "1000")
    with pytest.raises(SystemExit):
        main([command, "--help"])
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("command", DECLARED)
def test_the_help_is_that_of_the_controls(command, capsys, monkeypatch):
    told = helped(capsys, monkeypatch, command)
    for control in DECLARED[command]:
        assert f" --{control.option or control.key}" in told
        assert options.described(control) in told


def test_the_help_of_train_names_each_sets_own_settings(capsys, monkeypatch):
    told = helped(capsys, monkeypatch, "train")
    for key, source in images.register().items():
        own = ", ".join(map(str, source.settings))
        assert (f" {key}: {own}" in told) is bool(own)
    assert "a table: records, seed" in told
