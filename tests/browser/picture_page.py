"""A page with made-up pictures, which counts its runs and moves their cursor by itself.

Its address says what they are: `?panels=3`, `?runs=200`, `?hostile=1`, `?sparse=1` (rows that are
still to come), `?twice=1` (two pictures), `?slow=1` (a run that takes a second).
"""

import math
import sys
import time
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).parents[2]))
from dpcore.figures.picture import Guesses, Line, Panel, People, Picture, Reading, Rule
from dpcore.figures.style import BLUE, LOOKS, SKY
from dpcore.words import percent, plain, points
from pages.shared import display

STOPS = tuple(10.0 ** (place / 6) for place in range(-18, 13))
HOSTILE = "<img src=x onerror=\"document.title='run'\">"
METHODS = {
    "opera": ("OPERA", 0.5),
    "outpert": ("OutPert", 1.6),
    "dpgd": ("DP-GD", 0.9),
    "objpert": ("ObjPert", 2.6),
    "decision-tree": ("Decision tree", 4.0),
    "psgd": ("PSGD", 9.0),
}


def accuracy(stop, half):
    """An accuracy that rises from 62 to 87 % around the ε that is called half."""
    return 0.62 + 0.25 / (1.0 + (half / stop) ** 1.2)


def line(method, title, half, strong, sparse):
    values = [accuracy(stop, half) for stop in STOPS]
    if sparse:
        values = [value if place % 5 in (0, 1) else math.nan for place, value in enumerate(values)]
    spread = [0.11 / (1.0 + stop) + 0.005 for stop in STOPS]
    look = LOOKS[method]
    return Line(
        title,
        tuple(values),
        (BLUE, SKY) if strong else (look.colour, look.colour_on_dark),
        look.dash,
        tuple(value - width for value, width in zip(values, spread, strict=True)),
        tuple(value + 0.7 * width for value, width in zip(values, spread, strict=True)),
        strong,
    )


def run(stop, number):
    """One of the trained runs: of 73 who are ill some are missed, of 927 others some alarmed."""
    share = accuracy(stop, 0.5) - 0.62
    wobble = 0.5 * math.sin(12.9898 * number + stop) / (1.0 + stop)
    found = max(0, min(73, round(73 * (0.45 + 1.7 * share + 0.2 * wobble))))
    alarms = max(0, round(927 * (0.16 - 0.45 * share + 0.1 * wobble)))
    return found, 73 - found, alarms, 927 - alarms


def made(panels, hostile, sparse, runs):
    names = {**METHODS, "psgd": (HOSTILE, 9.0)} if hostile else METHODS
    main = tuple(
        line(method, title, half, method == "opera", sparse)
        for method, (title, half) in names.items()
    )
    shown = [
        Panel(
            "Accuracy on new patients",
            main,
            (Rule("no privacy 87.4 %", 0.874), Rule("always the majority 61.0 %", 0.61, "dot")),
            percent=True,
        ),
        Panel(
            "Ill patients found",
            (
                line("opera", HOSTILE if hostile else "women", 0.7, True, False),
                line("outpert", "men", 2.0, False, False),
            ),
            percent=True,
        ),
        Panel(
            "Noise in each coefficient",
            (
                Line(
                    "σ",
                    tuple(0.4 / stop for stop in STOPS),
                    (BLUE, SKY),
                    strong=True,
                ),
            ),
            (Rule("largest coefficient", 1.3),),
            log=True,
        ),
    ]
    reached = [accuracy(stop, 0.5) for stop in STOPS]
    guessed = [min(100, math.ceil(100 / (1.0 + math.exp(-stop)))) for stop in STOPS]
    texts = tuple(plain(stop, 2) for stop in STOPS)
    return Picture(
        label="Privacy loss ε",
        stops=STOPS,
        stop_texts=texts,
        axis_title="← more private    ε    less private →",
        log_axis=True,
        panels=tuple(shown[:panels]),
        sentences=tuple(
            f"At ε = {text} the model is right for **{percent(value)}** of new patients, "
            f"{percent(0.874 - value)} fewer than without privacy."
            for text, value in zip(texts, reached, strict=True)
        ),
        spoken=tuple(
            f"ε = {text}: accuracy {percent(value)}"
            for text, value in zip(texts, reached, strict=True)
        ),
        alt="Accuracy against ε: it rises from 62 % to 87 % around ε = 0.5.",
        readings=(
            Reading(
                "Accuracy",
                tuple(map(percent, reached)),
                tuple(f"{points(value - 0.874)} against no privacy" for value in reached),
            ),
            Reading(
                "Ill patients missed",
                tuple(f"{run(stop, 0)[1]} of 73" for stop in STOPS),
                ("mean of 30 runs",) * len(STOPS),
            ),
            Reading(
                "Right guesses about one person",
                tuple(f"{count} of 100" for count in guessed),
                ("50 by chance alone",) * len(STOPS),
            ),
        ),
        people=People(
            "A thousand new patients",
            ("found", "missed", "false alarm", "rightly left alone"),
            ("found", "missed", "false alarms", "rightly left alone"),
            tuple(
                () if sparse and place % 5 else tuple(run(stop, number) for number in range(runs))
                for place, stop in enumerate(STOPS)
            ),
        ),
        guesses=Guesses(
            "A hundred attackers who guess whether a patient is in the data",
            tuple(guessed),
            tuple(
                f"At ε = {text}, at most **{count} of 100** guess right; 50 do by chance."
                for text, count in zip(texts, guessed, strict=True)
            ),
        ),
    )


def go_to(stop):
    st.session_state.stop = stop


def main():
    st.set_page_config(layout="wide", page_title="A picture")
    asked = st.query_params
    st.session_state.setdefault("stop", 18)
    st.session_state.setdefault("runs", 0)
    st.session_state.runs += 1
    if "slow" in asked and st.session_state.runs > 1:
        time.sleep(1.0)
    filled = st.session_state.get("filled", False)
    display.show_picture(
        made(
            int(asked.get("panels", 1)),
            "hostile" in asked,
            "sparse" in asked and not filled,
            int(asked.get("runs", 30)),
        ),
        key="picture",
        stop=st.session_state.stop,
        on_move=go_to,
    )
    if "twice" in asked:
        display.show_picture(
            made(3, False, False, 1), key="second", stop=st.session_state.stop, on_move=go_to
        )
    with st.container(horizontal=True):
        st.button("Run again")
        st.button("Go to the first", on_click=go_to, args=(0,))
        st.toggle("All rows", key="filled")
    st.text(f"{st.session_state.runs} runs, at stop {st.session_state.stop}")


if __name__ == "__main__":
    main()
