"""The browser loads and runs the one file of Streamlit's that draws charts."""

import re
from pathlib import Path

import pytest
import streamlit as st

from pages.shared import preload


@pytest.mark.parametrize("base", ["", "/explorer/"])
def test_what_is_loaded_is_what_is_run_and_is_there(base, monkeypatch):
    monkeypatch.setattr(st, "get_option", lambda name: base)
    loaded = re.findall(r"<(\S+)>; rel=modulepreload", preload.link())
    assert re.findall(r'import\("(\S+?)"\)', preload.script()) == loaded
    (path,) = loaded
    root = "/explorer/" if base else "/"
    assert path.startswith(f"{root}static/js/PlotlyChart.")
    assert (Path(st.__file__).parent / "static" / path.removeprefix(root)).is_file()


def test_nothing_is_run_where_the_file_is_named_otherwise(monkeypatch):
    monkeypatch.setattr(preload, "CHART_CODE", "Other.*.js")
    assert (preload.link(), preload.script()) == ("", "")
