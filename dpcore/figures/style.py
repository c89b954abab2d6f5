"""How a series looks: one colour, one dash and one marker a method, the same on every figure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """How one method is drawn."""

    colour: str
    colour_on_dark: str
    dash: str
    marker: str

    def on(self, dark: bool) -> str:
        """The colour for the ground that is drawn on."""
        return self.colour_on_dark if dark else self.colour

    def symbol(self, edition: str) -> str:
        """The marker; open for a published edition, filled for a sound one."""
        return f"{self.marker}-open" if edition == "published" else self.marker


BLUE, SKY = "#0072B2", "#56B4E9"
VERMILLION, ORANGE = "#D55E00", "#E69F00"
GREEN, PURPLE = "#009E73", "#CC79A7"
BLACK, YELLOW = "#1B232C", "#F0E442"

LOOKS = {
    "opera": Look(BLUE, SKY, "solid", "circle"),
    "outpert": Look(VERMILLION, ORANGE, "dash", "square"),
    "dpgd": Look(GREEN, GREEN, "dashdot", "diamond"),
    "sgdpert": Look(PURPLE, PURPLE, "longdash", "triangle-up"),
    "grpua": Look(BLACK, YELLOW, "longdashdot", "x"),
    "outpert_pure": Look("#7A3B1E", "#E8A87C", "6px,6px", "square-cross"),
    "inputpert": Look("#B5387A", "#FFA3CB", "12px,4px", "star-triangle-up"),
    "objpert": Look("#8A5A00", "#F7C873", "3px,3px", "cross"),
    "objpert_pure": Look("#4A6FA5", "#A9C4EB", "9px,3px,3px,3px,3px,3px", "hexagon"),
    "adassp": Look("#B3001B", "#FF7F6E", "6px,2px,2px,2px", "diamond-wide"),
    "functional": Look("#4F5B00", "#D6E06B", "2px,2px,8px,2px", "hourglass"),
    "psgd": Look("#5A7D00", "#B5D33D", "15px,3px", "pentagon"),
    "dpftrl": Look("#6B4FA0", "#C3AEEA", "2px,4px", "triangle-down"),
    "dpnewton": Look("#00707F", "#5FD3E3", "9px,3px,2px,3px,2px,3px", "bowtie"),
}
LOOKS |= {
    "decision-tree": Look("#7B2D8E", "#D9A3E8", "18px,2px,2px,2px", "triangle-left"),
    "naive-bayes": Look("#A63A00", "#FF9A5C", "4px,2px", "triangle-right"),
    "noisy-marginals": Look("#2F6B3A", "#8FD19A", "10px,2px,10px,6px", "octagon"),
    "online-tree": Look("#3B4CC0", "#A3AEFF", "2px,6px", "triangle-ne"),
    "pate": Look("#8C1C4A", "#F59DB8", "14px,2px,6px,2px", "hexagram"),
    "random-forest": Look("#006D5B", "#6FE0C4", "5px,5px,1px,5px", "star-square"),
    "scalable-pate": Look("#6B5B00", "#EBDD8B", "1px,3px", "star-diamond"),
}
SURVEY = "survey"
"""The name under which a model of the survey is drawn: one curve a figure."""
LOOKS[SURVEY] = Look(BLUE, SKY, "solid", "circle")

# A method without a look of its own is still drawn, with a marker that no other has.
UNKNOWN = Look("#5B6672", "#9AA7B4", "dot", "star")
# Reference lines (no privacy, majority) stay in the background on either ground.
NEUTRAL = "#7A8591"
WITHOUT_PRIVACY = Look(NEUTRAL, NEUTRAL, "dash", "circle")


def ink(dark: bool) -> str:
    """Colour of words in a figure: 6 : 1 on white, 15 : 1 on the dark ground."""
    return "#E6EAF1" if dark else "#56616D"


def ground(dark: bool) -> str:
    """Colour of the page under a figure."""
    return "#0F151B" if dark else "#FFFFFF"


def grid(dark: bool) -> str:
    """Colour of the lines across a figure at its ticks."""
    return "#31333F" if dark else "#E6EAF1"


def edge(dark: bool) -> str:
    """Colour of the frame around what the mouse is told."""
    return "#3B4854" if dark else "#C9D1D9"


def look(method: str) -> Look:
    """The look of the method called `method` in the register."""
    return LOOKS.get(method, UNKNOWN)


def faded(colour: str, opacity: float) -> str:
    """A six-digit hex colour as Plotly's rgba string with the given opacity in [0, 1]."""
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"
