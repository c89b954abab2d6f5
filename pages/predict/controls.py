"""Draw the prediction page's sidebar: the model's files, and for whom it predicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st

from dpcore.controls import predict as controls
from dpcore.errors import InvalidInput
from dpcore.release.demonstration import released
from dpcore.release.model import MAX_BYTES, ReleasedModel, read_model
from pages.server import transfers
from pages.shared import page_links
from pages.shared.session import store, stored
from pages.shared.uploads import Upload, stored_release
from pages.shared.widgets import drawn

NOTHING_STORED = "What you enter is used and dropped: no address, file or log holds it."
RELEASE = "Release a model"
FILES_HELP = (
    "From the folder of a release. The model is read as data: nothing in it can run. Without its "
    "certificate nothing says what was proved of it."
)
FIRST = (
    "Choose a released model’s **model.json** on the left. Its own description of the columns "
    "makes the form."
)
OF_LAST_RELEASE = "The model that you released in this session. Choose files to take another."
Value = TypeVar("Value")
LIBRARIES = ("dpcore.release.prediction",)
FILES, MODEL = "predict_files", "read model"


def isolated_call(filename: str, call: Callable[..., Value], *arguments: object) -> Value:
    """Make the call while the page still reacts; refuses one that takes too much time or memory."""
    upload = Upload("", filename, LIBRARIES, call, *arguments)
    try:
        result: Value = upload.answer("", None)
        return result
    finally:
        upload.close()


@dataclass(frozen=True)
class Choice:
    """Hold the model, its certificate's and its own bytes, and whether a file is predicted for."""

    model: ReleasedModel
    certificate: bytes
    contents: bytes
    is_demonstration: bool
    for_many: bool


def sidebar() -> Choice | InvalidInput | None:
    """Draw the controls; returns what they choose, why that is refused, or nothing yet."""
    with st.sidebar:
        is_demonstration = drawn(controls.MODEL) == controls.DEMONSTRATION
        files = {} if is_demonstration else _files()
        for_many = drawn(controls.FOR) == controls.MANY
        st.caption(NOTHING_STORED)
        script, link = page_links.link_to("May it leave?")
        st.page_link(script, label=RELEASE, icon=":material/output:", query_params=link)
    if is_demonstration:
        files = _demonstration()
    contents = [data for name, data in files.items() if name.endswith(".json")]
    certificates = [data for name, data in files.items() if not name.endswith(".json")]
    if not contents:
        return None
    if len(contents) > 1 or len(certificates) > 1:
        return InvalidInput("There must be one model (JSON), and at most one certificate (YAML).")
    model = read_model(contents[0]) if is_demonstration else _model(contents[0])
    if isinstance(model, InvalidInput):
        return model
    return Choice(model, (certificates or [b""])[0], contents[0], is_demonstration, for_many)


def _files() -> dict[str, bytes]:
    """Name, in small letters, and contents of the files of a release.

    Without files they are those of the model that this session released last.
    """
    chosen = st.file_uploader(
        "model.json (and certificate.yaml)",
        type=["json", "yaml", "yml"],
        accept_multiple_files=True,
        key=FILES,
        help=FILES_HELP,
        max_upload_size=transfers.allow(transfers.SMALL),
    )
    files = {}
    for upload in chosen:
        # One byte more shows that it has too many.
        files[upload.name.lower()] = upload.read(MAX_BYTES + 1)
    if not files and (files := stored_release()):
        st.caption(OF_LAST_RELEASE)
    return files


def _model(contents: bytes) -> ReleasedModel | InvalidInput:
    """The model in a file of unknown origin, which is read once and outside the server."""
    if stored(MODEL) is None or stored(MODEL)[0] != contents:
        model: ReleasedModel | InvalidInput
        try:
            model = isolated_call("model.json", read_model, contents)
        except InvalidInput as refusal:
            model = refusal
        store(MODEL, (contents, model))
    result: ReleasedModel | InvalidInput = stored(MODEL)[1]
    return result


@st.cache_resource(max_entries=1, show_spinner="Releasing a demonstration model …")
def _demonstration() -> dict[str, bytes]:
    files = released().files()
    return {name: files[name] for name in ("model.json", "certificate.yaml")}
