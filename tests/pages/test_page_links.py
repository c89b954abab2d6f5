"""Links to pages carry what pages share, and restore each page's own settings."""

from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.page_links import PAGE_LINKS
from tests.pages.explored import answered, at
from tests.pages.shown import APP, open_page, run

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]

EXPLORE, PLAN, _, ATLAS, TRAIN = PAGE_LINKS[:5]
BREAST, REPLACED = "Breast cancer (Wisconsin)", "One record replaced"
LINK = {"data": BREAST, "epsilon": "3", "delta": "1e-6", "adjacency": REPLACED, "seed": "7"}


def test_the_app_finds_its_own_files_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert open_page("ledger").title


def behind(app, question):
    """The settings in a page's link."""
    links = {link.proto.label: link.proto.query_string for link in app.sidebar.get("page_link")}
    return parse_qs(links[question])


def through(app, script, question):
    """Follow a page's link, as the browser does; returns its settings."""
    link = behind(app, question)
    app.switch_page(script)
    app.query_params.clear()
    for name, values in link.items():
        app.query_params[name] = values
    assert not run(app).warning
    return link


def explored(app):
    """The shared state as Explore shows it."""
    return {
        "data": app.selectbox(key="data").value,
        "epsilon": app.number_input(key="epsilon").value,
        "delta": app.select_slider(key="delta").value,
        "unit": app.selectbox(key="adjacency").value,
        "seed": app.number_input(key="seed").value,
    }


@pytest.mark.usefixtures("jobs_wait")
def test_there_is_a_link_to_each_page_and_a_first_visit_takes_nothing_along():
    app = AppTest.from_file(APP, default_timeout=180).run()
    # Those of a run's start are gone at its end: the browser would go through them at each move.
    for page in (EXPLORE, PLAN):
        sidebar = app.switch_page(page.script).run().sidebar
        labels = [link.proto.label for link in sidebar.get("page_link")]
        assert labels[: len(PAGE_LINKS)] == [link.question for link in PAGE_LINKS]
        assert labels.count(PAGE_LINKS[0].question) == 1
    app.switch_page(EXPLORE.script).run()
    # δ by rule is nobody's choice.
    assert not {"year_delta", "year_neighbour"} & set(behind(app, PLAN.question))
    assert behind(app, EXPLORE.question) == {}


@pytest.mark.usefixtures("jobs_at_once")
def test_the_state_goes_through_every_link_and_back():
    app = open_page("explore", **LINK)
    pending = behind(app, EXPLORE.question)
    assert behind(answered(app), EXPLORE.question) == pending
    state = explored(app)
    assert state == {
        "data": "breast_cancer",
        **{"epsilon": 3.0, "delta": 1e-6, "unit": "replace-one", "seed": 7},
    }
    through(app, PLAN.script, PLAN.question)
    assert app.selectbox(key="year_neighbour").value == "replace-one"
    through(app, ATLAS.script, ATLAS.question)
    through(app, TRAIN.script, TRAIN.question)
    assert app.selectbox(key="dataset").value == "breast_cancer"
    assert app.number_input(key="target_epsilon").value == 3.0
    assert app.select_slider(key="train_delta").value == 1e-6
    assert app.selectbox(key="person").value == "replace-one"
    assert app.number_input(key="train_seed").value == 7
    through(app, EXPLORE.script, EXPLORE.question)
    assert explored(answered(app)) == state


@pytest.mark.usefixtures("jobs_at_once")
def test_what_is_changed_on_another_page_is_found_on_return():
    app = at(LINK)
    through(app, TRAIN.script, TRAIN.question)
    app.number_input(key="target_epsilon").set_value(0.5).run()
    assert behind(app, EXPLORE.question)["epsilon"] == ["0.5"]
    app.number_input(key="train_seed").set_value(9).run()
    app.selectbox(key="dataset").set_value("digits").run()
    through(app, EXPLORE.script, EXPLORE.question)
    # Explore does not offer the digits of networks, and keeps its own data.
    assert explored(answered(app)) == {
        "data": "breast_cancer",
        **{"epsilon": 0.5, "delta": 1e-6, "unit": "replace-one", "seed": 9},
    }
