"""Features from a file of one's own: read in the page, handed to the worker with the training."""

from __future__ import annotations

import hashlib

import streamlit as st

from app_pages.parts import train_words as words
from app_pages.parts.state import keep, kept
from app_pages.parts.verbatim import refuse
from dpcore.datasets.images import Examples
from dpcore.datasets.images.sets import features_npz
from dpcore.errors import InvalidInput
from dpcore.evaluation.task import Task
from dpcore.evaluation.training import Brought, TrainingStudy, TrainingSweep

DATASET = features_npz.ENTRY.key
Settings = tuple[tuple[str, str], ...]


def ask() -> tuple[Examples | None, Settings]:
    """The field for the file; its records once it is there, and settings that name them."""
    file = st.file_uploader(
        "Your own features (.npz)", type="npz", key="train_upload", help=words.UPLOAD
    )
    keep("train upload", None)
    if file is None:
        return None, ()
    data = file.getvalue()
    digest = hashlib.sha256(data).hexdigest()
    try:
        found = _decoded(digest, data, file.name)
    except InvalidInput as refusal:
        refuse(refusal)
        return None, ()
    settings = (("file", f"sha256:{digest}"),)
    keep("train upload", (settings, found))
    return found, settings


@st.cache_resource(max_entries=3, show_spinner="Reading the file …")
def _decoded(digest: str, _data: bytes, _name: str) -> Examples:
    return features_npz.decode(_data, _name)


def task(asked: TrainingStudy | TrainingSweep) -> Task | None:
    """What a worker is given; ``None`` where the file is no longer there."""
    first = asked.studies[0] if isinstance(asked, TrainingSweep) else asked
    if first.dataset != DATASET:
        return asked
    settings, records = kept("train upload") or (None, None)
    return Brought(asked, records) if settings == first.settings else None
