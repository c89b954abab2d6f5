"""Say how many records there are to train on, which defaults of controls follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.datasets import DataUnavailable, images
from dpcore.guarantee import Adjacency
from pages.shared.texts import WHERE_HIDDEN

if TYPE_CHECKING:
    from dpcore.controls.control import Values
    from dpcore.evaluation.uploaded import Brief


@st.cache_data(max_entries=50, show_spinner="Reading the records …")
def records(dataset: str) -> int:
    """Return the number of training records; `DataUnavailable` if it depends on missing data."""
    source, how_to_get = images.availability(dataset), images.entry(dataset).how_to_get
    if source == "upload":
        raise DataUnavailable(f"Choose the file among the controls {WHERE_HIDDEN}. {how_to_get}")
    count = images.records(dataset)
    if count:
        return count
    if source not in ("built in", "local"):
        raise DataUnavailable(how_to_get)
    return images.load(dataset).records


def size(values: Values, uploaded: Brief | None) -> int | None:
    """Return n, or the public size in its place; ``None`` where it is not known."""
    if values.get("person") == Adjacency.ADD_REMOVE:
        public: int | None = values.get("public_size")
        return public
    try:
        every = uploaded.records if uploaded else records(values["dataset"])
    except DataUnavailable:
        return None
    return max(1, every - (values.get("set_aside") or 0))
