"""Texts that would act if they were read as Markdown, HTML, a formula or an address."""

from __future__ import annotations

TEXTS = (
    "https://evil.example/login",
    "HTTP://evil.example",
    "www.evil.example",
    "_www.evil.example_",
    "someone@evil.example",
    "[here](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "<a href='https://evil.example'>here</a>",
    "<img src=https://evil.example/x>",
    "`` https://evil.example ``",
    "`x` www.evil.example `y`",
    "https\\://evil.example",
    "www&#46;evil.example",
    ":material/face:",
    ":smile:",
    ":+1:",
    ":red[danger]",
    "$x^2$",
    "**bold**",
    "~~gone~~",
    "_slanted_",
    "# heading",
    "1. first",
    "- item",
    "> quoted",
    "&lt;b&gt;",
)
