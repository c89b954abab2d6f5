"""The list of systems: how many are proved, and refusals."""

import pytest

from dpcore.systems.standings import CLAIM_UNCHECKED
from tests.cli.commands import parsed, refused, said


def test_the_text_says_how_many_are_proved_as_printed_and_how_many_as_corrected(capsys):
    result = parsed(capsys, "methods")["systems"]
    text = said(capsys, "methods")
    proved = [entry["claim_checked"] for entry in result if entry["status"] == "proved"]
    others = sum(e["status"] != "proved" and e["sound_form"] == "proved" for e in result)
    assert (
        f"{len(proved)} of {len(result)} proved: {proved.count(True)} as printed, "
        f"{proved.count(False)} in our corrected version; of {others} others, a corrected one."
    ) in text
    assert text.count(CLAIM_UNCHECKED) == sum(
        entry["status_of"] == "as it runs here" for entry in result
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("methods --paper 005", "paper is '005', but it must be one of 000, 001"),
        ("methods --status good", "status is 'good'"),
        ("methods --kind x", "kind is 'x'"),
        ("methods --implementations x", "implementations is 'x'"),
        ("datasets --verbose", "--verbose"),
    ],
)
def test_an_unknown_option_is_refused(line, told, capsys):
    assert told in refused(capsys, *line.split())
