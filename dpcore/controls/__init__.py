"""Every control of every page and command, declared once as plain data."""

from dpcore.controls.control import (
    Control,
    Kind,
    Number,
    OneOf,
    Page,
    SomeOf,
    Stops,
    Switch,
    Text,
    always,
)
from dpcore.controls.link import Refusal, address, check

__all__ = [
    "Control",
    "Kind",
    "Number",
    "OneOf",
    "Page",
    "Refusal",
    "SomeOf",
    "Stops",
    "Switch",
    "Text",
    "address",
    "always",
    "check",
]
