"""Draw how many claims hold, each system as a card, and the chart of all systems behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from dpcore.accounting.paper_003 import PRESETS, Preset, preset
from dpcore.controls import explore, plan, train
from dpcore.controls.atlas import FORM, LEAF, SEARCH
from dpcore.controls.control import address
from dpcore.datasets import catalogue
from dpcore.erm.losses import MARGIN_LOSSES, RESIDUAL_LOSSES
from dpcore.erm.methods import method_named
from dpcore.guarantee import STATUS_NAMES, Edition, Status
from dpcore.models.systems import model_named
from dpcore.questions.methods import figure
from dpcore.systems import (
    NOTHING_FOUND,
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
from dpcore.systems.standings import CLAIM_UNCHECKED, HERE, PUBLISHED, TRAININGS
from dpcore.systems.system import Runnable, Software, Upkeep
from dpcore.words import plain, uncapitalised
from pages.atlas import controls, running
from pages.atlas.controls import choose
from pages.shared import badges, frame
from pages.shared.badges import STATUS_COLOURS, STATUS_ICONS, STATUS_WORDS
from pages.shared.display import Number, download_csv, draw_numbers, on_dark, plot, table_behind
from pages.shared.widgets import drawn

AS_PUBLISHED = "The verdict is on what is printed."
SOUND = "Our corrected version runs here; this is its own verdict."
SYSTEMS = "Everything the five papers tell of, and today's systems beside them."
COUNTED = {
    "proved as printed": "Claims of which everything that is printed about privacy holds.",
    **{
        STATUS_NAMES.get(status, str(status)): STATUS_WORDS[status]
        for status in (Status.CONDITIONS_NOT_MET, Status.CLAIM_NOT_SUPPORTED)
    },
}
"""The labels of standings that are counted above the list, in the chart's words."""
RELATIONS = {
    Relation.ITSELF: "As described.",
    Relation.SOUND: "In our corrected version.",
    Relation.RELATIVE: "A relative.",
}
READINGS = (
    "noise on the mean, batches of fixed size",
    "noise on the sum, Poisson batches",
    "noise on the sum, batches of fixed size",
)
"""How paper 003's noise can be read, in the order of `presets.Certified`."""
HOLDS = {True: "holds", False: "fails", None: "not judged"}
STATED = (
    "Certified by PLD at the paper's δ: 10⁻⁴ for CheXpert, 10⁻⁵ for the others. It is for one "
    "record replaced; DP-SGD, with the tutorial's settings, for one more or less."
)
PRACTICE_NAMES = {
    Practice.LEAKS: "Its implementations leak",
    Practice.NO_LEAK_KNOWN: "No leak of its implementations known",
    Practice.NONE_KNOWN: "No implementation known",
    Practice.NOTHING_TO_RUN: "Theory, nothing to run",
}
PRACTICE_WORDS = {
    Practice.LEAKS: "A program that claims to be this was found to give away more than it says. "
    "That says nothing against the theorem.",
    Practice.NO_LEAK_KNOWN: "None was found here, which does not prove that there is none.",
    Practice.NONE_KNOWN: "None was found, which does not prove that there is none.",
    Practice.NOTHING_TO_RUN: "It says how many records are needed; there is no program.",
}
PRACTICE_ICONS = {
    Practice.LEAKS: ":material/water_drop:",
    Practice.NO_LEAK_KNOWN: ":material/terminal:",
    Practice.NONE_KNOWN: ":material/code_off:",
    Practice.NOTHING_TO_RUN: ":material/functions:",
}
IN_FORMULAS = "Claim and proof in formulas"
PER_PAGE = 10
TRAIN_LABELS = {
    Relation.ITSELF: "Train it",
    Relation.SOUND: "Train its corrected version",
    Relation.RELATIVE: "Train a relative",
}


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
        frame.link()
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
            with st.expander(IN_FORMULAS) if system.in_plain else st.container():
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
        subject = {PUBLISHED: AS_PUBLISHED, HERE: running.HERE}.get(verdict.of, "")
        badges.status(str(verdict.status), subject, label=verdict.label.capitalize())
        if verdict.sound is not None and verdict.of == PUBLISHED:
            badges.status(str(verdict.sound.status), SOUND, name="Our corrected version")
        _practice(system.practice)


def _practice(known: Practice) -> None:
    st.badge(
        PRACTICE_NAMES[known],
        icon=PRACTICE_ICONS[known],
        color="red" if known is Practice.LEAKS else "gray",
        help=PRACTICE_WORDS[known],
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
            for place, reading in enumerate(READINGS)
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
    st.caption(STATED)
    download_csv(table, "paper_003_claims")


def _judged(preset: Preset, reading: int) -> str:
    assert preset.certified is not None
    epsilon = preset.certified[reading]
    holds = HOLDS[preset.holds(epsilon)]
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
        help_text = f"{RELATIONS[run.relation]} {run.note}".strip()
        if run.place is not Place.ATLAS:
            target = link_to_run(run)
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


def numbers(systems: Sequence[System]) -> None:
    """Show how many of the listed claims hold."""
    labels = [standing(system).label for system in systems]
    line: list[Number] = [
        ("Systems", len(systems), "", SYSTEMS),
        *(
            (label.capitalize(), labels.count(label), "", meaning)
            for label, meaning in COUNTED.items()
        ),
        (
            "Implementations leak",
            sum(bool(system.leaks) for system in systems),
            "",
            PRACTICE_WORDS[Practice.LEAKS],
        ),
    ]
    draw_numbers(line, len(line))


def nothing(search: str) -> None:
    """Say that nothing matches, and offer to clear what was asked."""
    st.info(NOTHING_FOUND, icon=":material/search_off:")
    with st.container(horizontal=True):
        if search:
            st.button("Clear the search", on_click=controls.clear, args=(SEARCH.key,))
        st.button("Show all systems", on_click=controls.clear)


def chart(systems: Sequence[System], command: str) -> None:
    """Show families by verdict, with the sentence and the table."""
    with st.container(border=True):
        plot(figure.families(systems, dark=on_dark()), "atlas_figure")
        about = "Every system with its claim and its status"
        table_behind(figure.everything(systems), "atlas", about, lambda: (command, ""))


@dataclass(frozen=True)
class RunLink:
    page: str
    label: str
    icon: str
    settings: dict[str, str | list[str]]


def link_to_run(run: Runnable) -> RunLink:
    if run.place is Place.EXPLORE:
        title = method_named(run.key).title
        settings = _explore_settings(run) | {explore.FOCUS.key: title}
        return RunLink("explore/explore.py", f"{title} in Explore", ":material/explore:", settings)
    if run.place is Place.PLAN:
        values = plan.values(preset(run.key).training)
        asked = {plan.QUESTION.key: plan.QUESTION.text("run"), plan.PAPER.key: "true"}
        settings = asked | address(plan.CONTROLS, values)
        return RunLink("plan/plan.py", "Its cost in Plan", ":material/event_note:", settings)
    settings = address(train.CONTROLS, _train_settings(run.key))
    return RunLink(
        "train/train.py", TRAIN_LABELS[run.relation], ":material/model_training:", settings
    )


def _explore_settings(run: Runnable) -> dict[str, str | list[str]]:
    method = method_named(run.key)
    is_published = run.relation is Relation.ITSELF and Edition.PUBLISHED in method.editions
    predicts_number = run.loss in RESIDUAL_LOSSES or not set(method.losses) & set(MARGIN_LOSSES)
    values: dict[str, Any] = {
        explore.CHOSEN_METHODS["number" if predicts_number else "class"].key: [method.key],
        "edition": "published" if is_published else "sound",
    }
    if predicts_number:
        values["data"] = next(
            dataset.key for dataset in catalogue() if dataset.predicts == "number"
        )
    elif run.loss:
        values["loss"] = run.loss
    if run.features or is_published:
        values["feature_map"] = run.features or "plain"
    return address(explore.CONTROLS, values)


def _train_settings(key: str) -> dict[str, Any]:
    example = TRAININGS[key]
    config = example.config
    decays = config.decay < 1.0
    return {
        "dataset": example.dataset,
        "features": example.features,
        "network": config.network,
        "layers": len(config.widths),
        "units": config.widths[0],
        "passes": config.epochs,
        "lot": config.batch,
        "rate": config.learning_rate,
        "schedule": "decaying" if decays else "constant",
        "ratio": config.decay if decays else train.CONTROLS["ratio"].default,
        "shape": config.noise,
        "repeats": 3,
    }
