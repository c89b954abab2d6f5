"""One press of Back leads to the page before, with its settings, and one of Forward to the next."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.server import ROOT
from tests.browser.waiting import idle

pytestmark = pytest.mark.slow("drives a browser")
# The budget of Release's demonstration has room for this ε.
# Learn has a control of the seed's name too, and Train one of the prior's.
FIRST = "?data=Breast+cancer+(Wisconsin)&methods=OPERA&focus=OPERA&epsilon=2&seed=7&prior=30"
DOORS = {
    "What does it cost?": r"/\?(?=.*data=Breast)(?=.*epsilon=2)(?=.*focus=OPERA)(?=.*seed=7)",
    "What can I afford?": r"/plan(\?|$)",
    "Is it true?": r"/atlas(\?|$)",
    "Train": r"/train\?(?=.*dataset=Breast)(?=.*target_epsilon=2)",
    "Learn": r"/learn(\?|$)",
    "May it leave?": r"/release\?(?=.*release_epsilon=2)",
}


def test_each_page_is_one_step_back_and_forward(watched, address):
    page = watched.page
    page.goto(f"{address}/{FIRST}")
    doors, visited = page.locator(".st-key-doors"), []

    def expect_at(name):
        expect(page).to_have_url(re.compile(f"{re.escape(address)}{DOORS[name]}"))
        expect(page).to_have_title(f"{name} · Epsilon Explorer")
        expect(doors.get_by_role("link", name=name, exact=True)).to_be_visible()
        idle(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        expect(page.get_by_test_id("stAlert")).to_have_count(0)

    for name in DOORS:
        if name in ("Is it true?", "Learn"):  # reached by the keyboard
            doors.get_by_role("link", name=name, exact=True).press("Enter")
        elif visited:
            doors.get_by_role("link", name=name, exact=True).click()
        expect_at(name)
        page.wait_for_timeout(500)  # what the page writes late is no step of its own
        visited.append((name, page.evaluate("location.href")))
    for name, link in reversed(visited[:-1]):
        page.go_back()
        expect_at(name)
        assert page.evaluate("location.href") == link
    for name, link in visited[1:]:
        page.go_forward()
        expect_at(name)
        assert page.evaluate("location.href") == link


def test_what_a_page_that_is_left_says_late_changes_nothing(watched, address):
    page = watched.page
    page.goto(f"{address}/_stcore/health")  # a page of that server without the app
    page.evaluate("window.titlesOfPages = {one: 'One', two: 'Two', three: 'Three'}")
    markup = (ROOT / "assets/history.html").read_text("utf-8")
    page.evaluate(markup.removeprefix("<script>").strip().removesuffix("</script>"))
    at, asked = "location.pathname + location.search", "window.asked"
    page.evaluate("window.asked = 0; addEventListener('popstate', () => { asked += 1; })")

    def write(how, url, title):
        """Write as Streamlit does while the title is this; the address then."""
        script = (
            f"([title, url]) => {{ document.title = title; history.{how}State({{}}, '', url); }}"
        )
        page.evaluate(script, [title, url])
        return str(page.evaluate(at))

    for name in ("one", "two", "three"):
        assert write("push", f"/{name}?a=1", name.capitalize()) == f"/{name}?a=1"
    for _ in range(2):
        page.go_back()
    assert page.evaluate(at) == "/one?a=1"
    for how, url, title in [
        ("push", "/two", "Two"),  # the page that was passed has begun
        ("push", "/one", "Two"),  # it, or the one before, writes its settings
        ("replace", "/one?b=2", "Three"),
    ]:
        before = page.evaluate(asked)
        assert write(how, url, title) == "/one?a=1"
        page.wait_for_function(f"{asked} === {before} + 1")  # Streamlit is to look at it again
    assert write("replace", "/one?a=3", "One") == "/one?a=3"
    page.go_forward()
    assert page.evaluate(at) == "/two?a=1"
