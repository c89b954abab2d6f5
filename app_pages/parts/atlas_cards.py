"""A system of the literature as a card: what it does, claim and proof apart, what broke, to run."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app_pages.parts import atlas_words as words
from app_pages.parts import badges, takeaway
from app_pages.parts.atlas_controls import choose
from app_pages.parts.atlas_routes import route
from app_pages.parts.fields import pick
from dpcore.methods import method_named
from dpcore.models.register import model_named
from dpcore.systems import PAPERS, Family, Place, Relation, System, runs_of, standing
from dpcore.systems.standings import CLAIM_UNCHECKED, PUBLISHED
from dpcore.systems.system import Software, Upkeep

PER_PAGE = 8


def listed(systems: Sequence[System]) -> None:
    """The cards, some at a time."""
    pages = -(-len(systems) // PER_PAGE)
    top = st.container()
    page = st.pagination(pages, key="leaf", bind="query-params") if pages > 1 else 1
    page = min(max(1, int(page or 1)), pages)
    with top:
        for system in systems[(page - 1) * PER_PAGE : page * PER_PAGE]:
            card(system)


def card(system: System) -> None:
    """One system among others; its button opens it."""
    with st.container(border=True, key=f"card_{system.key}"):
        _badges(system, system.title)
        _told(system)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Run it" if models_of(system) else "Details",
                key=f"open {system.key}",
                icon=":material/play_arrow:" if models_of(system) else ":material/open_in_full:",
                help=f"Opens {system.title} by itself; the address then leads to it.",
                on_click=choose,
                args=(system.key,),
            )
            _routes(system)


def alone(system: System) -> None:
    """The chosen system by itself."""
    with st.container(horizontal=True):
        st.button("All systems", icon=":material/arrow_back:", on_click=choose, args=(None,))
        st.space("stretch")
        takeaway.link()
    st.title(system.title, anchor=False)
    # What is run may be chosen below the card, and says what the card then need not.
    top = st.container(border=True)
    model = _model(system)
    found = standing(system)
    at_work = model is not None and model_named(model).proof == found.proof
    with top:
        _badges(system)
        _told(system, claim_and_proof=not at_work)
        for limit in limits_of(system):
            st.caption(f"Note: {limit}")
        with st.container(horizontal=True, vertical_alignment="center"):
            _routes(system)
    if model is not None:
        from app_pages.parts import atlas_run

        atlas_run.draw(model, found if at_work else None)


def _told(system: System, *, claim_and_proof: bool = True) -> None:
    st.markdown(system.what)
    st.caption(_source(system))
    if claim_and_proof:
        _claim_and_proof(system)
    _more(system)


def _badges(system: System, title: str = "") -> None:
    """The verdicts, after the title where there is one."""
    found = standing(system)
    with st.container(horizontal=True, vertical_alignment="center"):
        if title:
            st.markdown(f"**{title}**", width="content")
        badges.status(
            str(found.status),
            "" if not found.of else words.AS_PUBLISHED if found.of == PUBLISHED else words.HERE,
            said=found.verdict,
        )
        if found.sound is not None and found.of == PUBLISHED:
            badges.status(str(found.sound.status), words.SOUND, name="sound form")


def _source(system: System) -> str:
    """Authors, and where the papers tell of it."""
    if not system.paper:
        return f"{system.source} · {PAPERS['']}"
    numbers = "".join(f" [{number}]" for number in system.references)
    return f"{system.source}{numbers} · paper {system.paper}, section {system.section}"


def _claim_and_proof(system: System) -> None:
    found = standing(system)
    claim, proof = st.columns(2)
    with claim:
        st.markdown(f"**Claim** (what its authors say)  \n{found.claim}")
        if found.claim_unchecked:
            st.markdown(CLAIM_UNCHECKED)
    with proof:
        of = f" ({found.of})" if found.of else ""
        st.markdown(f"**Proof**{of}  \n{found.proof}")


def _more(system: System) -> None:
    for broken in system.breaks:
        st.markdown(f":red[:material/report:] {broken}")
    if system.family is Family.THEORY:
        st.caption(words.THEORY)
    elif system.software:
        st.caption("Implementations: " + " · ".join(map(_named, system.software)))
    else:
        st.caption(f"Implementations: {words.NO_SOFTWARE}")


def _named(software: Software) -> str:
    kept = "" if software.upkeep is Upkeep.MAINTAINED else str(software.upkeep)
    note = software.note.rstrip(".")
    about = "; ".join(filter(None, (kept, note[:1].lower() + note[1:])))
    return f"{software.name} ({about})" if about else software.name


def limits_of(system: System) -> list[str]:
    """What else Explore says of the methods that the system runs as."""
    return [
        limit
        for run in system.runs
        if run.place is Place.EXPLORE and run.relation is not Relation.RELATIVE
        for limit in method_named(run.key).limits
    ]


def models_of(system: System) -> list[str]:
    """The models of this page that the system runs as."""
    return [
        run.key
        for run in system.runs
        if run.place is Place.ATLAS and run.relation is not Relation.RELATIVE
    ]


def _model(system: System) -> str | None:
    """The model to run: the only one, or the one that is chosen."""
    models = models_of(system)
    if len(models) < 2:
        return models[0] if models else None
    titles = {key: model_named(key).title for key in models}
    return pick("What is run", titles, "form", words.FORM)


def _routes(system: System) -> None:
    for run in system.runs:
        about = f"{str(run.relation).capitalize()}. {run.note}".strip()
        if run.place is not Place.ATLAS:
            to = route(run)
            st.page_link(
                to.page, label=to.label, icon=to.icon, query_params=to.settings, help=about
            )
        elif run.relation is Relation.RELATIVE:
            st.button(
                f"Run {model_named(run.key).title} instead",
                key=f"relative {system.key}",
                icon=":material/play_arrow:",
                type="tertiary",
                help=about,
                on_click=choose,
                args=(runs_of(run.place, run.key)[0].key,),
            )
