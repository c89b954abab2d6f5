"""Draw a system as a card: what it does, claim and proof, what broke it, and how to run it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dpcore.accounting.paper_003 import PRESETS, Preset
from dpcore.controls.atlas import FORM, LEAF
from dpcore.methods import method_named
from dpcore.models.register import model_named
from dpcore.systems import (
    OUTSIDE_PAPERS,
    PAPERS,
    Place,
    Practice,
    Relation,
    System,
    SystemStanding,
    runs_of,
    standing,
)
from dpcore.systems.standings import CLAIM_UNCHECKED, HERE, PUBLISHED
from dpcore.systems.system import Software, Upkeep
from dpcore.words import plain, uncapitalised
from pages.atlas import texts
from pages.atlas.controls import choose
from pages.atlas.routes import route
from pages.shared import badges, view_link
from pages.shared.charts import download_csv
from pages.shared.texts import STATUS_COLOURS, STATUS_ICONS
from pages.shared.widgets import drawn

PER_PAGE = 10


def listed(systems: Sequence[System]) -> None:
    """Draw one row a system, page by page."""
    pages = -(-len(systems) // PER_PAGE)
    top = st.container(gap="xsmall")
    page = st.pagination(pages, key=LEAF.key, bind="query-params") if pages > 1 else 1
    page = min(max(1, int(page or 1)), pages)
    with top:
        for system in systems[(page - 1) * PER_PAGE : page * PER_PAGE]:
            _row(system)


def _row(system: System) -> None:
    verdict = standing(system)
    with st.container(key=f"row_{system.key}", gap=None):
        _sentence(verdict)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                f"**{system.title}**{_where(system)}",
                key=f"open {system.key}",
                type="tertiary",
                icon=":material/chevron_right:",
                icon_position="right",
                help=f"Opens {system.title} by itself. **Claim:** {verdict.claim}",
                on_click=choose,
                args=(system.key,),
            )
            if system.leaks:
                _practice(system.practice)


def _sentence(verdict: SystemStanding) -> None:
    status = str(verdict.status)
    colour, icon = STATUS_COLOURS[status], STATUS_ICONS[status]
    st.markdown(f":{colour}-background[{icon} {verdict.verdict}]")


def _where(system: System) -> str:
    years = sorted({work.year for work in system.literature})
    paper = [f"paper {system.paper}"] if system.is_main else []
    known = ", ".join([*paper, *map(str, years)])
    return f" ({known})" if known else ""


def alone(system: System) -> None:
    """Draw the chosen system by itself."""
    with st.container(horizontal=True):
        st.button("All systems", icon=":material/arrow_back:", on_click=choose, args=(None,))
        st.space("stretch")
        view_link.link()
    st.title(system.title, anchor=False)
    # The model below the card shows the same claim and proof, so the card omits them.
    top = st.container(border=True)
    model = _model(system)
    verdict = standing(system)
    is_shown_below = model is not None and model_named(model).standing.proof == verdict.proof
    with top:
        _verdicts(system, verdict)
        st.markdown(system.what)
        _printed(system)
        if system.in_plain:
            st.markdown(system.in_plain)
        if not is_shown_below or system.breaks:
            with st.expander(texts.IN_FORMULAS) if system.in_plain else st.container():
                if not is_shown_below:
                    _claim_and_proof(verdict)
                _failures(system)
        _implementations(system)
        if _runs_as(system, Place.PLAN):
            _stated()
        for key in _runs_as(system, Place.EXPLORE):
            for limit in method_named(key).limits:
                st.caption(f"Note: {limit}")
        with st.container(horizontal=True, vertical_alignment="center"):
            _routes(system)
    if model is not None:
        from pages.atlas import running

        running.draw(model, verdict if is_shown_below else None)


def _verdicts(system: System, verdict: SystemStanding) -> None:
    _sentence(verdict)
    with st.container(horizontal=True, vertical_alignment="center"):
        subject = {PUBLISHED: texts.AS_PUBLISHED, HERE: texts.HERE}.get(verdict.of, "")
        badges.status(str(verdict.status), subject, label=verdict.label.capitalize())
        if verdict.sound is not None and verdict.of == PUBLISHED:
            badges.status(str(verdict.sound.status), texts.SOUND, name="Our corrected version")
        _practice(system.practice)


def _practice(known: Practice) -> None:
    st.badge(
        texts.PRACTICE_NAMES[known],
        icon=texts.PRACTICE_ICONS[known],
        color="red" if known is Practice.LEAKS else "gray",
        help=texts.PRACTICE_WORDS[known],
    )


def _printed(system: System) -> None:
    numbers = "".join(f" [{number}]" for number in system.references)
    place = (
        f"paper {system.paper}, section {system.section}"
        if system.paper
        else PAPERS[OUTSIDE_PAPERS]
    )
    st.caption(f"{system.source}{numbers} · {place}")
    # Links in a caption are too pale to read.
    works = (
        f"{work.title} ({work.year}), [{work.link_name}]({work.link})" for work in system.literature
    )
    st.markdown("  \n".join(f":small[{work}]" for work in works))


def _claim_and_proof(verdict: SystemStanding) -> None:
    claim, proof = st.columns(2)
    with claim:
        st.markdown(f"**Claim** (what its authors say)  \n{verdict.claim}")
        if verdict.claim_unchecked:
            st.markdown(CLAIM_UNCHECKED)
    with proof:
        subject = {PUBLISHED: " (of what is printed)", HERE: " (of our corrected version)"}
        st.markdown(f"**Proof**{subject.get(verdict.of, '')}  \n{verdict.proof}")


def _stated() -> None:
    stated = [preset for preset in PRESETS.values() if preset.certified is not None]
    columns = {
        "what is stated": [preset.title for preset in stated],
        **{
            reading: [_judged(preset, place) for preset in stated]
            for place, reading in enumerate(texts.READINGS)
        },
    }
    st.markdown("**Every ε that the paper states, and the ε certified for its noise**")
    # Its words are broken on narrow screens, and all of it is printed.
    st.table(
        pd.DataFrame(columns),
        border="horizontal",
        hide_index=True,
        alt="Every ε that paper 003 states, and the ε certified for its noise in each reading",
    )
    table = pd.DataFrame(
        {
            **columns,
            "verdict": [preset.verdict for preset in stated],
            "ε stated": [preset.stated for preset in stated],
            "δ": [plain(preset.training.delta) for preset in stated],
        }
    )
    st.caption(texts.STATED)
    download_csv(table, "paper_003_claims")


def _judged(preset: Preset, reading: int) -> str:
    assert preset.certified is not None
    epsilon = preset.certified[reading]
    holds = texts.HOLDS[preset.holds(epsilon)]
    return holds if epsilon is None else f"{plain(epsilon)}: {holds}"


def _failures(system: System) -> None:
    for broken in system.breaks:
        st.markdown(f":red[:material/report:] {broken}")


def _implementations(system: System) -> None:
    for leak in system.leaks:
        st.markdown(f":red[:material/water_drop:] **In implementations:** {leak}")
    if system.software:
        st.caption("Implementations: " + " · ".join(map(_software_text, system.software)))


def _software_text(software: Software) -> str:
    upkeep = "" if software.upkeep is Upkeep.MAINTAINED else str(software.upkeep)
    note = software.note.rstrip(".")
    remarks = "; ".join(filter(None, (upkeep, uncapitalised(note))))
    return f"{software.name} ({remarks})" if remarks else software.name


def _runs_as(system: System, place: Place) -> list[str]:
    return [
        run.key
        for run in system.runs
        if run.place is place and run.relation is not Relation.RELATIVE
    ]


def _model(system: System) -> str | None:
    models = _runs_as(system, Place.ATLAS)
    if len(models) < 2:
        return models[0] if models else None
    return str(drawn(FORM, among=models))


def _routes(system: System) -> None:
    for run in system.runs:
        help_text = f"{texts.RELATIONS[run.relation]} {run.note}".strip()
        if run.place is not Place.ATLAS:
            target = route(run)
            st.page_link(
                target.page,
                label=target.label,
                icon=target.icon,
                query_params=target.settings,
                help=help_text,
            )
        elif run.relation is Relation.RELATIVE:
            st.button(
                f"Run {model_named(run.key).title} instead",
                key=f"relative {system.key}",
                icon=":material/play_arrow:",
                type="tertiary",
                help=help_text,
                on_click=choose,
                args=(runs_of(run.place, run.key)[0].key,),
            )
