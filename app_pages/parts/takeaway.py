"""Everything on screen to take along: as CSV, as a command line, as Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from dpcore.datasets import Preparation
from dpcore.evaluation.study import Study

if TYPE_CHECKING:
    import pandas as pd


def link() -> None:
    """The address of exactly this view, to copy; it holds what differs from the first view."""
    with st.popover("Copy link", icon=":material/link:"):
        base = (st.context.url or "").split("?")[0]
        chosen = [
            (name, value) for name in st.query_params for value in st.query_params.get_all(name)
        ]
        st.code(f"{base}?{urlencode(chosen)}" if chosen else base, language=None, wrap_lines=True)
        st.caption("Opens this page with the same settings. Uploaded records are not in it.")


def _numbers(values: tuple[float, ...]) -> str:
    return ",".join(f"{value:g}" for value in values)


def command(study: Study) -> str:
    """The command line that gives the study's sweep."""
    how = study.preparation
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
        *(["--full-length"] if study.full_length else []),
        f"--adjacency {study.adjacency}",
        *(["--scaling data"] if how.scaling == "data" else []),
        *([f"--missing {how.missing}"] if how.missing != "drop" else []),
        *([f"--norm {how.norm}"] if how.norm != "unit" else []),
        *([f"--interval {how.interval}"] if how.interval != "symmetric" else []),
        *(["--intercept"] if how.intercept else []),
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


def snippet(study: Study, to_train: Sequence[Study]) -> str:
    """Python that gives exactly the table on screen."""
    preparation = ", ".join(_changed(study.preparation, Preparation))
    arguments = _changed(study, Study)
    if preparation:
        arguments.append(f"preparation=Preparation({preparation})")
    source = (
        "read_upload(study.dataset, open('your_file', 'rb').read(), 'your_file')"
        if study.upload
        else "load(study.dataset, records=study.records)"
    )
    lines = [
        "from dataclasses import replace",
        "",
        "from dpcore.datasets import Preparation, load, prepare, read_upload",
        "from dpcore.evaluation.curves import closed_form, summarise",
        "from dpcore.evaluation.study import Study",
        "from dpcore.evaluation.sweep import sweep",
        "",
        "study = Study(",
        *(f"    {argument}," for argument in arguments),
        ")",
        f"split = prepare({source}, study.preparation)",
        "curves = [closed_form(study, split)]",
    ]
    for one in to_train:
        lines += [
            f"trained = replace(study, methods={one.methods!r}, epsilons={one.epsilons!r})",
            "curves.append(summarise(sweep(trained, split=split), trained, split))",
        ]
    return "\n".join(lines) + "\n"


def show(study: Study, to_train: Sequence[Study], table: pd.DataFrame, name: str) -> None:
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
    st.code(snippet(study, to_train), language="python", wrap_lines=True)
    st.caption(
        "Python gives exactly the numbers on screen. The command line lists every single run; with "
        "--summary it gives one row per method and ε, in closed form where there is one."
    )
