"""What axe-core finds that keeps somebody from using the page."""

from axe_playwright_python.sync_playwright import Axe

from tests.browser.waiting import wait_until

# What the vendor's own widgets cause: a rule, and how the element begins. Nothing of ours may be on
# this list. Streamlit highlights code in colours of its own, which no setting changes; axe-core
# judges them only where the code is on screen.
VENDOR = (("color-contrast", '<span class="token '),)
# What passes is not described: that takes a third of the time.
RUN = "within => axe.run(within || document, {reporter: 'no-passes'})"


def expect_no_barrier(page, within=None):
    """Nothing serious is wrong with what is on the page now, or within an element of it."""
    # What is being drawn anew is pale meanwhile, or not there at all.
    wait_until(
        page,
        "within => !document.querySelector('[data-stale=true]')"
        " && (!within || document.querySelector(within))",
        within,
    )
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(Axe().axe_script)
    result = [
        f"{item['id']}: {node['html'][:200]} {_why(node)[:200]}"
        for item in page.evaluate(RUN, within)["violations"]
        if item["impact"] in ("serious", "critical")
        for node in item["nodes"]
        if not any(
            item["id"] == rule and node["html"].startswith(element) for rule, element in VENDOR
        )
    ]
    assert result == [], "\n".join(result)


def _why(node):
    return "; ".join(check["message"] for kind in ("any", "all", "none") for check in node[kind])
