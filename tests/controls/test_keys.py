"""A control's key is its name in the address: no two declarations share one, on any page."""

import importlib
import pkgutil
from collections.abc import Iterable, Mapping

from dpcore import controls
from dpcore.controls.control import Control, Page

SHARED = {
    "paper": "a filter of Atlas and a comparison of Plan: links of either page have long held it",
}
"""Keys that two controls have all the same, with the reason."""


def declared(value):
    """The controls in a module's value."""
    if isinstance(value, Control):
        yield value
    elif isinstance(value, Mapping):
        yield from declared(value.values())
    elif isinstance(value, Iterable) and not isinstance(value, str | type):
        for each in value:
            yield from declared(each)


def by_key():
    """The modules that declare a control of each key; one that imports a control repeats it."""
    places: dict[str, dict[int, str]] = {}
    for found in pkgutil.iter_modules(controls.__path__):
        module = importlib.import_module(f"{controls.__name__}.{found.name}")
        for value in vars(module).values():
            if isinstance(value, Control | Page | tuple | dict):
                for control in declared(value):
                    places.setdefault(control.key, {}).setdefault(id(control), found.name)
    return {key: sorted(modules.values()) for key, modules in places.items()}


def test_no_two_controls_share_a_key():
    found = by_key()
    twice = {key: modules for key, modules in found.items() if len(modules) > 1}
    assert set(twice) == set(SHARED), f"{twice}: name the new one otherwise"
    assert {"data", "steps", "may_cost", "split_seed", "batch", "predict_model"} <= set(found)
