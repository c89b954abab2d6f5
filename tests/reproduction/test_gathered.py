"""The report of all that was reproduced in a folder: one file, with what was not run."""

import re

from dpcore.cli import main
from dpcore.reproduction import gathered
from dpcore.reproduction.report import papers


def test_it_tells_what_was_run_and_what_was_not(tmp_path, capsys):
    folder = tmp_path / "<b>here"
    assert main(["reproduce", "paper-000", "--figure", "1", "--output", str(folder)]) == 0
    (folder / "paper-000-figure-1.png").write_bytes(b"picture")
    answer = folder / "paper-000-figure-1.json"
    answer.write_text(
        answer.read_text().replace('"files": [', '"files": ["paper-000-figure-1.png",')
    )
    page = gathered.html(folder)
    every = sum(len(paper.figures) + len(paper.tables) for paper in papers().values())
    assert page.count(gathered.NOT_RUN) == every - 1
    assert page.count('class="verdict"') == 1
    assert "data:image/png;base64,cGljdHVyZQ==" in page
    assert "<b>" not in page
    # It brings all that it shows.
    assert not re.search(r"""src="(?!data:)|url\(|<script|<link""", page)
    assert (folder / "report.html").exists()
