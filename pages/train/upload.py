"""Upload features: the page gets an outline, workers learn from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.datasets.images.sets import features_npz
from dpcore.errors import InvalidInput
from dpcore.evaluation.training.study import TrainingStudy, TrainingSweep
from dpcore.evaluation.training.task import task
from pages.shared import uploads, work
from pages.shared.verbatim import refuse
from pages.train import texts

if TYPE_CHECKING:
    from dpcore.evaluation.uploaded import Brief

DATASET = features_npz.ENTRY.key
UploadSettings = tuple[tuple[str, str], ...]


def ask() -> tuple[Brief | None, UploadSettings, str]:
    """Draw the upload field; returns the records' outline, the settings that name them, a note."""
    file = uploads.field("Your own features (.npz)", "train_upload", type="npz", help=texts.UPLOAD)
    file = file or uploads.handed_over("features")
    if file is None:
        return None, (), ""
    try:
        with st.spinner("Reading the file …", show_time=True):
            name, outline = uploads.features(file)
    except InvalidInput as refusal:
        refuse(refusal)
        return None, (), ""
    note = file.note if isinstance(file, uploads.MadeUpFile) else ""
    return outline, (("file", name),), note


def submit(place: str, study: TrainingStudy | TrainingSweep) -> None:
    """Submit it to the workers, with its records if these were uploaded and are still there."""
    first = study.studies[0] if isinstance(study, TrainingSweep) else study
    if first.dataset == DATASET:
        uploads.train(place, study, str(dict(first.settings).get("file", "")))
    else:
        work.submit(place, task(study), is_sweep=isinstance(study, TrainingSweep))
