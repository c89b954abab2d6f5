"""Features from a file of one's own: told of in outline, learned from by the workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.datasets.images.sets import features_npz
from dpcore.errors import InvalidInput
from dpcore.evaluation.training.study import TrainingStudy, TrainingSweep
from dpcore.evaluation.training.task import task
from pages.shared import shared_jobs, uploads
from pages.shared.verbatim import refuse
from pages.train import texts

if TYPE_CHECKING:
    from dpcore.evaluation.uploaded import Brief

DATASET = features_npz.ENTRY.key
Settings = tuple[tuple[str, str], ...]


def ask() -> tuple[Brief | None, Settings]:
    """The field for the file; what is told of its records, and settings that name them."""
    file = uploads.field("Your own features (.npz)", "train_upload", type="npz", help=texts.UPLOAD)
    if file is None:
        return None, ()
    try:
        with st.spinner("Reading the file …", show_time=True):
            name, found = uploads.features(file)
    except InvalidInput as refusal:
        refuse(refusal)
        return None, ()
    return found, (("file", name),)


def submit(place: str, asked: TrainingStudy | TrainingSweep) -> None:
    """Hand it to the workers, with its records where these were uploaded and still are there.

    Raises
    ------
    QueueFull
    """
    first = asked.studies[0] if isinstance(asked, TrainingSweep) else asked
    if first.dataset == DATASET:
        uploads.train(place, asked, str(dict(first.settings).get("file", "")))
    else:
        shared_jobs.submit(place, task(asked))
