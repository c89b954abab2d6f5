"""A busy server merges messages that wait; what the browser then builds is still the page."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.testing.v1 import AppTest, local_script_runner

from pages.shared.page_links import PAGE_LINKS
from tests.pages.shown import APP

pytestmark = pytest.mark.slow("runs whole pages")

CHEAP = {"data": "Breast cancer (Wisconsin)", "methods": "OPERA", "focus": "OPERA"}
"""Explore without training."""


@dataclass
class Node:
    """A block or an element as the browser holds it."""

    kind: str
    children: list[Node] = field(default_factory=list)
    shows: str = ""

    def at(self, index):
        """The child that a message goes through."""
        assert self.kind != "element", "a message goes to a place within an element"
        assert index < len(self.children), "a message goes to a place that does not exist"
        return self.children[index]


def built(messages):
    """The tree that the browser builds: a block keeps its children only as the same kind again."""
    root = Node("root", [Node("main"), Node("sidebar"), Node("event"), Node("bottom")])
    for message in messages:
        if not message.HasField("delta") or message.delta.HasField("new_transient"):
            continue
        *above, last = message.metadata.delta_path
        parent = root
        for index in above:
            parent = parent.at(index)
        assert last <= len(parent.children), "a message leaves a gap"
        old = parent.children[last] if last < len(parent.children) else Node("element")
        block = message.delta.add_block
        kind = str(block.WhichOneof("type")) if message.delta.HasField("add_block") else "element"
        shows = str(message.delta.new_element.WhichOneof("type"))
        parent.children[last:] = [
            Node(kind, old.children if old.kind == kind else [], shows),
            *parent.children[last + 1 :],
        ]
    return root


def elements(node):
    return (node.kind == "element") + sum(map(elements, node.children))


def links(node):
    return (node.shows == "page_link") + sum(map(links, node.children))


@pytest.fixture
def waiting(monkeypatch, tmp_path):
    """The messages of each run, merged as by a server that sends none before the run's end."""
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    runs: list[list[ForwardMsg]] = []
    run = local_script_runner.LocalScriptRunner.run

    def recorded(self, *args, **more):
        tree = run(self, *args, **more)
        runs.append(list(self.forward_msgs()))
        return tree

    monkeypatch.setattr(local_script_runner.LocalScriptRunner, "run", recorded)
    return runs


@pytest.mark.parametrize("page_link", PAGE_LINKS, ids=lambda page_link: page_link.controls)
def test_the_browser_can_build_every_page_from_merged_messages(page_link, waiting):
    app = AppTest.from_file(APP, default_timeout=180)
    app.switch_page(page_link.script)
    for name, value in CHEAP.items() if page_link is PAGE_LINKS[0] else ():
        app.query_params[name] = value
    for _ in range(2):
        app.run()
        assert not app.exception
    for messages in waiting:
        page = built(messages)
        assert elements(page.children[0]) > 5
        # Release has links of its own beside them.
        count = links(page.children[1])
        assert len(PAGE_LINKS) <= count < 2 * len(PAGE_LINKS), "each link is there once"
