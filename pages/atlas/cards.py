"""A system as a card: what it does, claim and proof, what broke it, and how to run it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpcore.controls.atlas import FORM, LEAF
from dpcore.methods import method_named
from dpcore.models.register import model_named
from dpcore.systems import PAPERS, Family, Place, Relation, System, runs_of, standing
from dpcore.systems.standings import CLAIM_UNCHECKED, PUBLISHED
from dpcore.systems.system import Software, Upkeep
from pages.atlas import texts
from pages.atlas.controls import choose
from pages.atlas.routes import route
from pages.shared import badges, view_link
from pages.shared.widgets import drawn

PER_PAGE = 8


def listed(systems: Sequence[System]) -> None:
    """Draw the cards, page by page."""
    pages = -(-len(systems) // PER_PAGE)
    top = st.container()
    page = st.pagination(pages, key=LEAF.key, bind="query-params") if pages > 1 else 1
    page = min(max(1, int(page or 1)), pages)
    with top:
        for system in systems[(page - 1) * PER_PAGE : page * PER_PAGE]:
            card(system)


def card(system: System) -> None:
    """Draw one system in the list; its button opens it."""
    is_model = bool(_runs_as(system, Place.ATLAS))
    with st.container(border=True, key=f"card_{system.key}"):
        _badges(system, system.title)
        _description(system)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Run it" if is_model else "Details",
                key=f"open {system.key}",
                icon=":material/play_arrow:" if is_model else ":material/open_in_full:",
                help=f"Opens {system.title} by itself; the address then leads to it.",
                on_click=choose,
                args=(system.key,),
            )
            _routes(system)


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
    is_shown_below = model is not None and model_named(model).proof == verdict.proof
    with top:
        _badges(system)
        _description(system, claim_and_proof=not is_shown_below)
        for key in _runs_as(system, Place.EXPLORE):
            for limit in method_named(key).limits:
                st.caption(f"Note: {limit}")
        with st.container(horizontal=True, vertical_alignment="center"):
            _routes(system)
    if model is not None:
        from pages.atlas import running

        running.draw(model, verdict if is_shown_below else None)


def _description(system: System, *, claim_and_proof: bool = True) -> None:
    st.markdown(system.what)
    st.caption(_source(system))
    if claim_and_proof:
        _claim_and_proof(system)
    _breaks_and_software(system)


def _badges(system: System, title: str = "") -> None:
    """Draw the verdicts, after the title if there is one."""
    verdict = standing(system)
    with st.container(horizontal=True, vertical_alignment="center"):
        if title:
            st.markdown(f"**{title}**", width="content")
        badges.status(
            str(verdict.status),
            "" if not verdict.of else texts.AS_PUBLISHED if verdict.of == PUBLISHED else texts.HERE,
            label=verdict.verdict,
        )
        if verdict.sound is not None and verdict.of == PUBLISHED:
            badges.status(str(verdict.sound.status), texts.SOUND, name="sound form")


def _source(system: System) -> str:
    """Authors, references, and the section of the paper."""
    if not system.paper:
        return f"{system.source} · {PAPERS['']}"
    numbers = "".join(f" [{number}]" for number in system.references)
    return f"{system.source}{numbers} · paper {system.paper}, section {system.section}"


def _claim_and_proof(system: System) -> None:
    verdict = standing(system)
    claim, proof = st.columns(2)
    with claim:
        st.markdown(f"**Claim** (what its authors say)  \n{verdict.claim}")
        if verdict.claim_unchecked:
            st.markdown(CLAIM_UNCHECKED)
    with proof:
        subject = f" ({verdict.of})" if verdict.of else ""
        st.markdown(f"**Proof**{subject}  \n{verdict.proof}")


def _breaks_and_software(system: System) -> None:
    for broken in system.breaks:
        st.markdown(f":red[:material/report:] {broken}")
    if system.family is Family.THEORY:
        st.caption("Theory: there is nothing to run.")
    elif system.software:
        st.caption("Implementations: " + " · ".join(map(_software_text, system.software)))
    else:
        st.caption("Implementations: None found, which does not prove that there is none.")


def _software_text(software: Software) -> str:
    upkeep = "" if software.upkeep is Upkeep.MAINTAINED else str(software.upkeep)
    note = software.note.rstrip(".")
    remarks = "; ".join(filter(None, (upkeep, note[:1].lower() + note[1:])))
    return f"{software.name} ({remarks})" if remarks else software.name


def _runs_as(system: System, place: Place) -> list[str]:
    """What the system itself runs as there: methods of Explore, or models of this page."""
    return [
        run.key
        for run in system.runs
        if run.place is place and run.relation is not Relation.RELATIVE
    ]


def _model(system: System) -> str | None:
    """The model to run: the only one, or the chosen one."""
    models = _runs_as(system, Place.ATLAS)
    if len(models) < 2:
        return models[0] if models else None
    return str(drawn(FORM, among=models))


def _routes(system: System) -> None:
    for run in system.runs:
        help_text = f"{str(run.relation).capitalize()}. {run.note}".strip()
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
