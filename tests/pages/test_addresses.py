"""Names in the address: a page that is left must not tell the next one what to do."""

from itertools import combinations

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.controls.common import RISK
from dpcore.controls.explore import SEED
from pages.shared.charts import PICTURE
from pages.shared.page_links import PAGE_LINKS
from tests.pages.expert import with_expert_open
from tests.pages.shown import APP

pytestmark = pytest.mark.slow("runs whole pages")

KINDS = (
    *("selectbox", "number_input", "select_slider", "text_input", "toggle"),
    *("segmented_control", "pills", "multiselect", "slider", "radio", "checkbox"),
)
# What ε means for one person is the same part on several pages, and may keep its values; the seed
# is the same control, and so is the kind of file that charts are saved as, on every page.
OLDEST = ("explore", "plan", "train", "atlas", "learn", "release")
"""Pages that are known to draw many controls, by which it is seen that some are found."""
SHARED = {*(control.key for control in (*RISK, SEED)), PICTURE}


def names(page):
    app = AppTest.from_file(APP, default_timeout=180)
    app.switch_page(f"{page}/{page}.py")
    app.run()
    assert not app.exception
    if page == "explore":
        with_expert_open(app)
    return {widget.key for kind in KINDS for widget in app.get(kind) if widget.key}


def test_no_two_pages_share_a_name():
    result = {link.name: names(link.name) for link in PAGE_LINKS}
    assert all(len(result[page]) > 4 for page in OLDEST)
    for one, other in combinations(result, 2):
        assert result[one] & result[other] <= SHARED, (one, other)
