"""Foreign text in a figure: no tag, link, formula or template."""

from __future__ import annotations

import html


def literal(text: str) -> str:
    """A foreign text escaped for a figure."""
    return html.escape(text).replace("$", "&#36;").replace("{", "&#123;")
