"""Everything on screen to take along: as CSV, as a command line, as Python."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.datasets import Preparation
from dpcore.evaluation.study import Study
from dpcore.figures.words import plain

if TYPE_CHECKING:
    import pandas as pd


def _numbers(values: tuple[float, ...]) -> str:
    return ",".join(f"{value:g}" for value in values)


def command(study: Study) -> str:
    """The command line that gives the study's sweep."""
    parts = [
        "python -m dpcore sweep",
        f"--dataset {study.dataset}",
        *([f"--records {study.records}"] if study.records else []),
        f"--loss {study.loss}",
        f"--methods {','.join(study.methods)}",
        f"--edition {study.edition}",
        f"--epsilon {_numbers(study.epsilons)}",
        *([f"--delta {study.delta:g}"] if study.delta is not None else []),
        *([f"--lam {study.lam:g}"] if study.lam is not None else []),
        *([f"--radius {study.radius:g}"] if study.radius is not None else []),
        *([f"--steps {study.steps}"] if study.steps is not None else []),
        f"--adjacency {study.adjacency}",
        f"--runs {study.runs}",
        f"--seed {study.seed}",
        "--output out.csv",
    ]
    return " \\\n  ".join(parts)


def _changed(item: object, kind: type) -> list[str]:
    """`name=value` for each field that differs from the default."""
    default = kind()
    return [
        f"{field.name}={getattr(item, field.name)!r}"
        for field in fields(kind)
        if getattr(item, field.name) != getattr(default, field.name)
        and field.name not in ("preparation", "upload")
    ]


def snippet(study: Study) -> str:
    """Python that gives the table on screen and the sweep behind it."""
    preparation = ", ".join(_changed(study.preparation, Preparation))
    arguments = _changed(study, Study)
    if preparation:
        arguments.append(f"preparation=Preparation({preparation})")
    body = "".join(f"    {argument},\n" for argument in arguments)
    upload = (
        "\nfrom dpcore.datasets import read_upload"
        "\n\ntable = read_upload(study.dataset, open('your_file', 'rb').read(), 'your_file')"
    )
    source = "load(study.dataset, records=study.records)"
    return (
        "from dpcore.datasets import Preparation, load, prepare\n"
        "from dpcore.evaluation.curves import closed_form, summarise\n"
        "from dpcore.evaluation.study import Study\n"
        "from dpcore.evaluation.sweep import sweep\n\n"
        f"study = Study(\n{body})\n"
        + (f"{upload}\n" if study.upload else f"table = {source}\n")
        + "split = prepare(table, study.preparation)\n"
        "at_once = closed_form(study, split)\n"
        "rows = sweep(study, split=split)\n"
        "trained = summarise(rows, study, split)\n"
    )


def show(study: Study, table: pd.DataFrame, name: str) -> None:
    """The table on screen, its CSV, and the two ways to compute it again."""
    st.dataframe(table, hide_index=True, height=320, alt="Every number behind the figures")
    st.download_button(
        "Download CSV",
        table.to_csv(index=False).encode(),
        file_name=f"{name}.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )
    st.markdown("**Command line**")
    st.code(command(study), language="bash", wrap_lines=True)
    st.markdown("**Python**")
    st.code(snippet(study), language="python", wrap_lines=True)
    st.caption(
        f"Both repeat the sampled runs with seed {plain(study.seed)}. The closed forms need no seed "
        "for their means."
    )
