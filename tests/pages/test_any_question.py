"""A question of a folder that is elsewhere has its tab, its controls and its part of a link."""

import pytest

from tests.pages.explored import COHORT, at, only_methods
from tests.pages.shown import charts, run, said
from tests.pages.waiting import until
from tests.throwaway import shares  # noqa: F401


@pytest.mark.slow("runs a whole page")
@pytest.mark.usefixtures("alone", "jobs_at_once")
def test_a_folder_is_found_by_the_page_and_a_link(shares, monkeypatch):  # noqa: F811
    only_methods(monkeypatch, "opera")
    link = COHORT | {"patients": "100", "focus": "OPERA", "runs": "10", "view": "Shares"}
    app = at(link | {"times": "3"})
    until(lambda: "shares_figure" in charts(app), app)
    assert "3 times the share is " in said(app)
    app.number_input(key="times").set_value(4)
    until(lambda: "4 times the share is " in said(app), run(app))
    assert "times" not in at(link | {"times": "99"}).query_params
