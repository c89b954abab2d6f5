"""A document as one file of HTML: no script, and nothing from elsewhere.

A tree's writer escapes every text, so that none can become markup, and a policy in the file forbids
whatever it does not bring itself.
"""

from __future__ import annotations

import unicodedata
from xml.etree.ElementTree import Element, SubElement, tostring

from dpcore.words import on_one_line

UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; "
    "base-uri 'none'"
)


def begin(title: str, style: str) -> tuple[Element, Element]:
    """Begin a document; returns its root, to be written, and the element that holds its text."""
    root = Element("html", lang="en")
    head = SubElement(root, "head")
    SubElement(head, "meta", charset="utf-8")
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": POLICY})
    SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    SubElement(head, "meta", name="referrer", content="no-referrer")
    text(head, "title", title)
    SubElement(head, "style").text = style
    return root, SubElement(SubElement(root, "body"), "main")


def write(root: Element) -> str:
    """Write a document as the text of its file."""
    return f"<!doctype html>\n{tostring(root, encoding='unicode', method='html')}\n"


def text(parent: Element, tag: str, words: str, kind: str = "", **attributes: str) -> Element:
    """Add an element with a text, and maybe a class."""
    element = SubElement(parent, tag, {**({"class": kind} if kind else {}), **attributes})
    element.text, element.tail = shown(words), "\n"
    return element


def shown(words: str) -> str:
    """The text on one line, with unseen marks written out, as [U+202E]."""
    return "".join(
        f"[U+{ord(letter):04X}]" if unicodedata.category(letter) in UNSEEN else letter
        for letter in on_one_line(words)
    )
