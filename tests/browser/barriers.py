"""What axe-core finds that keeps somebody from using the page."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# What the vendor's own widgets cause: a rule, and how the element begins. Nothing of ours may be on
# this list. Streamlit highlights code in colours of its own, which no setting changes; axe-core
# judges them only where the code is on screen.
VENDOR = (("color-contrast", '<span class="token '),)


def expect_no_barrier(page: Page, within: str | None = None) -> None:
    """Nothing serious is wrong with what is on the page now, or within an element of it."""
    found = [
        f"{item['id']}: {node['html'][:200]} {node['failureSummary'][:200]}"
        for item in Axe().run(page, within).response["violations"]
        if item["impact"] in ("serious", "critical")
        for node in item["nodes"]
        if not any(
            item["id"] == rule and node["html"].startswith(element) for rule, element in VENDOR
        )
    ]
    assert found == [], "\n".join(found)
