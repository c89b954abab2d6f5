"""The court by its command and its function: one row a case, with its mended twin where asked."""

import dpcore
from dpcore.audit.study import CourtStudy
from tests.cli.commands import parsed, refused


def test_a_case_and_its_mended_twin(capsys):
    result = parsed(capsys, "court", "--case", "paper-004", "--mended")
    (row,) = result["court"]
    assert (row["verdict"], row["twin_verdict"]) == ("refuted", "not refuted")
    assert row["twin_attacked"] < row["claimed"] == 1.0 < row["attacked"]
    assert row["adjacency"] == "add-remove"
    assert row["link"].startswith("https://")
    assert result["note"].startswith("Refuted at 99 %")
    (same,) = dpcore.court(CourtStudy("paper-004"), mended=True).to_dict("records")
    assert {**same, "seconds": 0.0} == {**row, "seconds": 0.0}


def test_too_few_outputs_decide_nothing(capsys):
    (row,) = parsed(capsys, "court", "--case", "seed-twice", "--outputs", "20")["court"]
    assert (row["verdict"], row["needed"], row["twin_verdict"]) == ("cannot be decided", 38, None)


def test_an_unknown_case_is_refused(capsys):
    assert "case is 'opacus'" in refused(capsys, "court", "--case", "opacus")
