"""Hand made-up records to the other pages, without a file to choose there."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import streamlit as st

from dpcore.controls import train
from dpcore.controls.account import PEOPLE
from dpcore.datasets.images.sets import features_npz
from dpcore.datasets.own.description import restated
from dpcore.release.table import network_file
from pages.release import texts
from pages.shared import own_table, page_links, uploads
from pages.shared.session import control_value

Make = Callable[[], tuple[str, str]]
"""Gives the CSV and the description of its columns."""


def ways(
    name: str,
    explore: str,
    note: str,
    make: Make,
    *,
    is_as_many: bool,
    before: Callable[[], None] = lambda: None,
) -> None:
    """Draw the buttons that open other pages on made-up records.

    Where there are as many as in the table (`is_as_many`), Plan may begin with their number;
    `before` is called before a page is opened.
    """
    with st.container(horizontal=True):
        if st.button(explore, key=f"explore {name}", icon=":material/explore:"):
            before()
            _explore(name, note, *make())
        if st.button(texts.TRAIN_ON, key=f"train {name}", icon=":material/model_training:"):
            before()
            _train(name, note, *make())
        if is_as_many and st.button(
            texts.PLAN_FOR, key=f"plan {name}", icon=":material/event_note:"
        ):
            _plan(make()[0])


def _explore(name: str, note: str, records: str, columns: str) -> None:
    uploads.hand_over(f"{name}.csv", records.encode(), note)
    # Nothing of persons: Release may begin with these words, and a table's may have several
    # rows. They are not in the link, which must not set what is a field of this page.
    own_table.describe_next(restated(columns, None), is_made_up=True)
    mine = control_value(own_table.COLUMNS)
    if mine is not None:
        own_table.describe_next(mine, is_made_up=False)
    script, link = page_links.link_to("What does it cost?", data="Your own table")
    link.pop(own_table.COLUMNS, None)
    st.switch_page(script, query_params=link)


def _train(name: str, note: str, records: str, columns: str) -> None:
    features = network_file(records, restated(columns, None))
    uploads.hand_over(f"{name}.npz", features, note, "features")
    values = {"dataset": features_npz.ENTRY.key, "network": "perceptron", "features": "raw"}
    settings = {key: str(train.CONTROLS[key].text(value)) for key, value in values.items()}
    script, link = page_links.link_to("Train", **settings)
    link.pop("lot", None)  # the usual one follows from the number of records
    st.switch_page(script, query_params=link)


def _plan(records: str) -> None:
    rows = sum(1 for _ in csv.reader(io.StringIO(records))) - 1
    script, link = page_links.link_to("What can I afford?", **{PEOPLE.key: str(rows)})
    st.switch_page(script, query_params=link)
