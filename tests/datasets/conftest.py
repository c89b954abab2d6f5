"""No network, no folder and no cache unless a test makes them; and files made up to a layout."""

import random

import pytest
import requests

from dpcore.datasets.catalogue import source
from dpcore.datasets.sources import FileSource


@pytest.fixture(autouse=True)
def _cut_off(monkeypatch, tmp_path):
    def refuse(*args, **kwargs):
        raise requests.ConnectionError("no network in tests")

    monkeypatch.setattr(requests, "get", refuse)
    monkeypatch.delenv("DPCORE_DATA", raising=False)
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def made_up():
    """A file of the given set with invented rows that its layout allows."""

    def value(field, chance):
        if field.missing_marks and chance.random() < 0.1:
            return field.missing_marks[0]
        if field.words:
            return chance.choice(field.words)
        return str(chance.randint(1, 90))

    def make(key, rows=60, seed=0):
        result = source(key)
        assert isinstance(result, FileSource)
        layout, chance = result.layout, random.Random(seed)
        separator = layout.separator or " "
        lines = [separator.join(field.name for field in layout.fields)] if layout.header else []
        lines += [
            separator.join(value(field, chance) for field in layout.fields) for _ in range(rows)
        ]
        return ("\n".join(lines) + "\n").encode()

    return make
